"""The cut and single elimination: who qualifies, who meets whom, and the ranking at the end.

how many games a round has, and who makes the cut      cut.py
every game with where its two sides come from;
the next round                                         bracket.py
the final ranking, and all of it as JSON               ranking.py
as a picture                                           bracket_picture.py
"""
