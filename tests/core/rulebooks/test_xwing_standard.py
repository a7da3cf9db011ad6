"""X-Wing standard against its document: worked examples, byes, concessions, structures."""

import pytest

from roundtap_core.errors import Problem
from roundtap_core.records import Match, Result, SidePair
from roundtap_core.rulebooks.registry import rulebook
from roundtap_core.rulebooks.xwing_standard import ship_points

BOOK = rulebook("xwing-standard")


def worth(result: Result | None = None, bye: str | None = None, **options: object) -> tuple[int, int]:
    """(tournament points, MoV) of side a."""
    tally = BOOK.tally(Match("p1", None if bye else "p2", bye=bye, result=result), "a", BOOK.options(options))
    return tally.points, tally.figures["mov"]


def both(result: Result, **options: object) -> tuple[tuple[int, int], tuple[int, int]]:
    options = BOOK.options(options)
    tallies = [BOOK.tally(Match("p1", "p2", result=result), side, options) for side in ("a", "b")]
    return (tallies[0].points, tallies[0].figures["mov"]), (tallies[1].points, tallies[1].figures["mov"])


@pytest.mark.parametrize(
    ("result", "a", "b"),
    [
        # The document's own example: everything destroyed, 24 points lost.
        (Result(score=SidePair(100, 24)), (1, 176), (0, 24)),
        # At time, 77:49.
        (Result(ended="time", score=SidePair(77, 49)), (1, 128), (0, 72)),
        # Equal points: the final salvo decides who wins, and each has the base.
        (Result(ended="time", score=SidePair(60, 60), winner="b"), (0, 100), (1, 100)),
        (Result(score=SidePair(100, 100), winner="a"), (1, 100), (0, 100)),
        # A concession destroys all that the conceding side has left.
        (Result(ended="concession", conceded_by="b", score=SidePair(40, 12)), (1, 188), (0, 12)),
        # The one who was ahead may concede.
        (Result(ended="concession", conceded_by="a", score=SidePair(80, 12)), (0, 80), (1, 120)),
        # A ruling may go against the figures, and may make both lose.
        (Result(ended="ruling", winner="b", score=SidePair(80, 12)), (0, 168), (1, 32)),
        (Result(ended="ruling", winner="none", score=SidePair(80, 12)), (0, 0), (0, 0)),
    ],
)
def test_points_and_margin_of_victory(result: Result, a: tuple[int, int], b: tuple[int, int]) -> None:
    assert both(result) == (a, b)


@pytest.mark.parametrize(
    ("bye", "value"),
    [
        ("bye", (1, 150)),
        ("won", (1, 200)),
        ("no-show", (1, 150)),
        ("unpaired-loss", (0, 0)),
    ],
)
def test_byes(bye: str, value: tuple[int, int]) -> None:
    assert worth(bye=bye) == value


def test_other_squad_points_are_the_base_of_everything() -> None:
    assert both(Result(score=SidePair(200, 77)), squad_points=200) == ((1, 323), (0, 77))
    assert worth(bye="bye", squad_points=300) == (1, 450)
    assert worth(bye="won", squad_points=300) == (1, 600)
    assert worth(bye="bye", bye_mov=140) == (1, 140)


def test_recorded_figures_above_the_cap_count_as_they_stand() -> None:
    assert both(Result(score=SidePair(121, 0))) == ((1, 221), (0, -21))


@pytest.mark.parametrize(
    ("result", "key"),
    [
        (Result(score=SidePair(50, 50)), "salvo_winner_missing"),
        (Result(score=SidePair(50, 50), winner="draw"), "no_draws"),
        (Result(score=SidePair(50, 40), winner="b"), "winner_contradicts_score"),
        (Result(ended="ruling", winner="draw"), "no_draws"),
        (Result(ended="concession", conceded_by="a", winner="a"), "winner_contradicts_score"),
    ],
)
def test_a_winner_that_cannot_be(result: Result, key: str) -> None:
    with pytest.raises(Problem) as caught:
        BOOK.winner(result, BOOK.options({}))
    assert (caught.value.key, caught.value.where) == (key, "/winner")


@pytest.mark.parametrize(
    ("result", "where"),
    [
        (Result(score=SidePair(101, 0)), "/score/a"),
        (Result(score=SidePair(100, -1)), "/score/b"),
        (Result(score=SidePair(100, 0), wounds=SidePair(1, 0)), "/wounds"),
        (Result(score=SidePair(100, 0), picks={"a": [1]}), "/picks"),
    ],
)
def test_what_nobody_can_enter(result: Result, where: str) -> None:
    with pytest.raises(Problem) as caught:
        BOOK.check_new(result, BOOK.options({}))
    assert caught.value.where == where
    BOOK.check_new(Result(score=SidePair(101, 0)), BOOK.options({"squad_points": 200}))


def test_the_rounds_of_each_structure() -> None:
    def rounds(players: int, structure: str) -> tuple[int, int]:
        return BOOK.structure(players, BOOK.options({"structure": structure}))

    basic = {4: (3, 0), 8: (3, 0), 9: (4, 0), 17: (4, 4), 40: (5, 4), 41: (5, 8), 45: (6, 8), 77: (6, 16), 500: (7, 16)}
    assert {players: rounds(players, "basic") for players in basic} == basic
    advanced = {9: (4, 4), 24: (4, 8), 25: (5, 8), 76: (6, 8), 148: (6, 16), 288: (6, 32), 512: (7, 32), 513: (8, 32)}
    assert {players: rounds(players, "advanced") for players in advanced} == advanced
    for players, structure in ((3, "basic"), (8, "advanced")):
        with pytest.raises(Problem, match="custom"):
            rounds(players, structure)


def test_own_structure_and_own_minutes() -> None:
    assert BOOK.structure(3, BOOK.options({"structure": "own", "swiss_rounds": 2, "cut": 2})) == (2, 2)
    assert BOOK.structure(9, BOOK.options({"structure": "own"})) == (4, 0)
    assert [BOOK.minutes(stage, {}) for stage in ("swiss", "elimination", "final")] == [75, 75, 120]
    untimed = {"stages": {"final": {"minutes": None}, "swiss": {"minutes": 60}}}
    assert [BOOK.minutes(stage, untimed) for stage in ("swiss", "final")] == [60, None]


def test_the_worth_shown_before_a_result_is_confirmed() -> None:
    match = Match("p1", "p2", result=Result(score=SidePair(100, 24)))
    assert BOOK.worth(match, BOOK.options({})) == {"mov": (176, 24)}


def test_an_unknown_rulebook_lists_those_there_are() -> None:
    with pytest.raises(Problem, match="xwing-standard"):
        rulebook("chess")


def test_a_46_point_ship_at_7_of_13_damage_gives_half() -> None:
    """The document's example, Han Solo; rounded down, large ships only, and below half, not at half."""
    assert ship_points(46, True, 13, 7) == 23
    assert ship_points(47, True, 13, 7) == 23
    assert ship_points(46, True, 13, 6) == 0
    assert ship_points(46, True, 12, 6) == 0
    assert ship_points(46, False, 13, 12) == 0
    assert [ship_points(46, large, 13, 13) for large in (True, False)] == [46, 46]
