"""Events for tests of cut and elimination: players named by their Swiss rank, results by who wins."""

from collections.abc import Callable
from typing import Any

from msgspec.structs import replace

from roundtap_core.elimination.bracket import next_elimination_round
from roundtap_core.pairing.swiss_round import DrawnRound
from roundtap_core.records import Competitor, Match, Result, Round, SidePair, Tournament

Chooses = Callable[[Match], str]


def ranked(players: int, **options: Any) -> Tournament:
    """An event after one Swiss round whose standings are p1, p2, p3, …: MoV falls from winner to winner, and rises
    from loser to loser, so that the lower half is in order too."""
    people = tuple(Competitor(f"p{n}", f"Player {n}") for n in range(1, players + 1))
    half = players // 2
    matches = [
        Match(f"p{n}", f"p{half + n}", table=n, result=Result(score=SidePair(100 + players, 100 + players - margin)))
        for n, margin in ((n, 2 * (half - n) + 1) for n in range(1, half + 1))
    ]
    # The loser against the best winner lost by the most, so losers stand in reverse: name them so.
    names = {f"p{half + n}": f"p{players + 1 - n}" for n in range(1, half + 1)}
    matches = [replace(m, b=names[m.b or ""]) for m in matches]
    given = {"structure": "own", "swiss_rounds": 1, "cut": 8, **options}
    return Tournament(
        "Winter Open",
        "xwing-standard",
        options=given,
        seed=7,
        competitors=people,
        rounds=(Round(1, matches=tuple(matches)),),
    )


def entered(players: int, **options: Any) -> Tournament:
    """An event that begins with elimination."""
    people = tuple(Competitor(f"p{n}", f"Player {n}") for n in range(1, players + 1))
    return Tournament(
        "Winter Open",
        "xwing-standard",
        options={"structure": "own", "swiss_rounds": 0, **options},
        seed=7,
        competitors=people,
    )


def upper_wins(match: Match) -> str:
    """The first named, who has the better seed in the first round."""
    return match.a


def better_wins(match: Match) -> str:
    """The one of the better Swiss rank."""
    return min((match.a, match.b or match.a), key=lambda who: int(who[1:]))


def won_by(match: Match, who: str) -> Match:
    return replace(match, result=Result(score=SidePair(100, 40) if match.a == who else SidePair(40, 100)))


def played(tournament: Tournament, wins: Chooses = better_wins, drawn: DrawnRound | None = None) -> Tournament:
    """The event with its next elimination round played."""
    drawn = drawn or next_elimination_round(tournament)
    matches = tuple(m if m.bye else won_by(m, wins(m)) for m in drawn.matches)
    return replace(tournament, rounds=(*tournament.rounds, Round(drawn.number, drawn.stage, matches, drawn.draw)))


def leaves(tournament: Tournament, who: str, after: int | None = None) -> Tournament:
    """`who` has left after the last round, or after round `after`."""
    last = len(tournament.rounds) if after is None else after
    people = tuple(replace(c, dropped_after=last) if c.id == who else c for c in tournament.competitors)
    return replace(tournament, competitors=people)


def games(pairing: DrawnRound) -> dict[int | str | None, tuple[str, ...]]:
    """Who meets whom, by game number; a bye is one alone."""
    return {m.game: (m.a, m.b) if m.b else (m.a,) for m in pairing.matches}
