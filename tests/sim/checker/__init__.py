"""An independent checker of whole tournaments: written from the rulebooks' digest, sharing no code with the kit.

    the rulebooks' figures                      books.py
    what one match gives either side            outcomes.py
    what a competitor has gathered              records.py
    the order of the standings                  ranking.py, restarts.py, tie_breaks.py
    what `standings` printed                    table.py
    the stage and the plan                      plan.py
    what `pair` printed                         swiss.py, byes.py, shape.py, ahead.py, repeats.py, knockout.py
    what `bracket` printed                      tree.py

Everything takes plain JSON and returns complaints, as texts; an empty list is praise.
"""

from checker.pairing import pairing_complaints
from checker.table import standings_complaints
from checker.tree import bracket_complaints

__all__ = ["bracket_complaints", "pairing_complaints", "standings_complaints"]
