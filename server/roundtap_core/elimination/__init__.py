"""The cut and single elimination: who qualifies, who meets whom, and the ranking at the end.

    how many games a round has, and what it is called     shape.py
    who makes the cut                                      cut.py
    every game with where its two sides come from          bracket.py
    the next round                                         pairing.py
    the first round without a cut: by lot                  lots.py
    the final ranking                                      ranking.py
    as JSON, as a picture                                  plain.py, picture.py
"""
