"""Swiss pairing, and which match sits at which table.

The criterion; each line binds before the next, and modules here cite it by line:

    1. The fewest repeated pairings within the stage: none whenever a round without one exists.
    2. The bye: among those with the fewest byes, whom the rulebook names (the last in the standings, or by lot among
       the lowest; in round 1 by lot), or, where that leaves no legal round, the next in that order.
    3. With groups G1 > G2 > ... of equal points and m_ij pairings between Gi and Gj: the greatest
       (m11, m12, ..., m22, m23, ...), compared from the left. That is pairing from the top down with lookahead: as few
       floaters as possible out of the top group, each to the nearest group, and so on.
       3b. Fields of at most ten: among those, draws after which the remaining rounds can do without a repeat. In a
       document's own number of rounds this goes before line 3 (`swiss_round.keeps_free`).
    4. Chance among all that is tied so far. In round 1, first the fewest pairings of people who came together.
"""
