"""Shatterpoint Premier Showdown against its document: struggles, wounds, concessions, squads, structure, phases."""

from fractions import Fraction
from typing import Any

import pytest

from roundtap_core.clock import Phase
from roundtap_core.errors import Problem
from roundtap_core.pairing.swiss_round import draw_swiss_round
from roundtap_core.records import Match, Result, SidePair
from roundtap_core.rulebooks.registry import rulebook
from rulebook_kit import (
    KNOCKOUT,
    asked,
    both,
    bye,
    decided,
    event,
    form_of,
    game,
    limits,
    made,
    order,
    points,
    refused_new,
    rows,
    ruling,
    taken_new,
    tallies,
    way_of,
)

BOOK = rulebook("shatterpoint-premier")
SQUADS = {"picks.winner": [1, 3], "picks.loser": [2, 4]}
PICKS = {"a": [1, 3], "b": [2, 4]}

FOUR = ("Ana", "Bruno", "Cira", "Dora")


def struggles(a: int, b: int, wounds_a: int, wounds_b: int, **more: Any) -> Result:
    """Both have fielded squads, unless `picks` says otherwise."""
    return Result(score=SidePair(a, b), wounds=SidePair(wounds_a, wounds_b), **{"picks": PICKS, **more})


def counted(result: Result) -> list[tuple[int, int, int]]:
    """(points, struggles, wounds) of both."""
    return [(t.points, t.figures["struggles"], t.figures["wounds"]) for t in tallies(BOOK, result)]


@pytest.mark.parametrize(
    ("result", "expected"),
    [
        (struggles(2, 0, 0, 9), [(3, 2, 0), (0, 0, 9)]),
        (struggles(1, 2, 4, 3), [(0, 1, 4), (3, 2, 3)]),
        # At time: more struggles, then more wounds inflicted, else a draw.
        (struggles(1, 0, 2, 9, ended="time"), [(3, 1, 2), (0, 0, 9)]),
        (struggles(1, 1, 5, 4, ended="time"), [(3, 1, 5), (0, 1, 4)]),
        (struggles(0, 0, 5, 6, ended="time"), [(0, 0, 5), (3, 0, 6)]),
        (struggles(1, 1, 5, 5, ended="time"), [(1, 1, 5), (1, 1, 5)]),
        (Result(ended="time"), [(1, 0, 0), (1, 0, 0)]),
        (ruling("b", 1, 0), [(0, 1, 0), (3, 0, 0)]),
        (ruling("draw"), [(1, 0, 0), (1, 0, 0)]),
        (ruling("none", 2, 1), [(0, 0, 0), (0, 0, 0)]),
    ],
)
def test_struggles_then_wounds_then_a_draw(result: Result, expected: list[tuple[int, int, int]]) -> None:
    """ "Koniec pojedynku" and "Punkty turniejowe"."""
    assert counted(result) == expected


@pytest.mark.parametrize(
    ("real", "winner"),
    [
        ((0, 0), (2, 3)),
        ((1, 2), (2, 3)),
        ((1, 7), (2, 7)),
        ((2, 1), (2, 3)),
        ((2, 8), (2, 8)),
    ],
)
def test_who_was_conceded_to_has_at_least_2_struggles_and_3_wounds_each_by_itself(
    real: tuple[int, int], winner: tuple[int, int]
) -> None:
    """ "Poddanie": the loser keeps the real figures."""
    result = struggles(real[0], 1, real[1], 5, ended="concession", conceded_by="b")
    assert counted(result) == [(3, *winner), (0, 1, 5)]
    turned = struggles(1, real[0], 5, real[1], ended="concession", conceded_by="a")
    assert counted(turned) == [(0, 1, 5), (3, *winner)]


def test_a_bye_is_a_win_with_2_struggles_and_3_wounds() -> None:
    assert [bye(BOOK, kind) for kind in ("bye", "won", "no-show", "unpaired-loss")] == [
        (3, 2, 3),
        (3, 2, 3),
        (3, 2, 3),
        (0, 0, 0),
    ]


@pytest.mark.parametrize(
    ("result", "refusal"),
    [
        (struggles(3, 0, 0, 0), ("figure_out_of_range", "/score/a")),
        (struggles(0, -1, 0, 0), ("figure_out_of_range", "/score/b")),
        (struggles(2, 2, 0, 0), ("both_won", "/score")),
        (struggles(2, 0, 100, 0), ("figure_out_of_range", "/wounds/a")),
        (struggles(2, 0, 0, -1), ("figure_out_of_range", "/wounds/b")),
        (struggles(2, 1, 0, 0, winner="b"), ("winner_contradicts_wounds", "/winner")),
        (struggles(1, 1, 4, 5, winner="a", ended="time"), ("winner_contradicts_wounds", "/winner")),
        (struggles(1, 1, 5, 5, winner="a", ended="time"), ("winner_contradicts_wounds", "/winner")),
        (struggles(1, 1, 4, 5, winner="draw", ended="time"), ("winner_contradicts_wounds", "/winner")),
        # Before time nobody has won without two struggles, and there is no draw.
        (struggles(1, 0, 9, 0), ("nobody_has_won", "/score")),
        (struggles(1, 1, 3, 3, winner="draw"), ("nobody_has_won", "/score")),
        (struggles(0, 0, 0, 0), ("nobody_has_won", "/score")),
        (struggles(2, 0, 0, 0, picks=None), ("picks_missing", "/picks/a")),
        (struggles(2, 0, 0, 0, picks={"a": [1, 2]}), ("picks_missing", "/picks/b")),
        (struggles(1, 0, 0, 0, picks={"b": [1, 2]}, ended="time"), ("picks_missing", "/picks/a")),
        (struggles(1, 0, 0, 0, picks=None, ended="concession", conceded_by="b"), ("picks_missing", "/picks/a")),
        (struggles(2, 0, 0, 0, picks={"a": [1]}), ("picks_wrong", "/picks/a")),
        (struggles(2, 0, 0, 0, picks={"a": [1, 2], "b": [1, 1]}), ("picks_wrong", "/picks/b")),
        (struggles(2, 0, 0, 0, picks={"a": [1, 2], "b": [4, 5]}), ("picks_wrong", "/picks/b")),
        (struggles(2, 0, 0, 0, initiative="a"), ("not_of_this_rulebook", "/initiative")),
        (struggles(2, 0, 0, 0, first_player="a"), ("not_of_this_rulebook", "/first_player")),
    ],
)
def test_what_nobody_can_enter(result: Result, refusal: tuple[str, str]) -> None:
    assert refused_new(BOOK, result) == refusal


def test_a_winner_that_the_figures_tell_may_be_named() -> None:
    for result in (
        struggles(2, 1, 0, 0, winner="a"),
        struggles(1, 1, 4, 5, winner="b", ended="time"),
        struggles(1, 1, 5, 5, winner="draw", ended="time"),
    ):
        taken_new(BOOK, result)


def test_a_ruling_stands_with_the_squads_that_are_known() -> None:
    """Of a match that was never begun there are none."""
    taken_new(BOOK, ruling("none"))
    taken_new(BOOK, ruling("a", 1, 0))


def test_a_drawn_elimination_game_goes_to_the_better_swiss_rank() -> None:
    """House decision."""
    drawn, won = struggles(1, 1, 5, 5, ended="time"), struggles(1, 1, 5, 4, ended="time")
    taken_new(BOOK, drawn, KNOCKOUT)
    options = BOOK.options({})
    assert [BOOK.elimination_winner(drawn, options, side) for side in ("a", "b")] == ["a", "b"]
    assert [BOOK.elimination_winner(won, options, side) for side in ("a", "b")] == ["a", "a"]


# The form.


def test_both_enter_their_own_squads_struggles_and_wounds() -> None:
    form = form_of(BOOK)
    assert form.parallel
    assert [way.id for way in form.offered(False)] == ["played", "conceded"]
    assert [way.id for way in form.offered(True)] == ["time", "played", "conceded"]
    answers = {**SQUADS, **both("score", 2, 1), **both("wounds", 4, 11)}
    assert asked(way_of(BOOK, "played"), answers) == list(answers)
    assert made(BOOK, way_of(BOOK, "played"), answers) == struggles(2, 1, 4, 11, picks={"a": [1, 3], "b": [2, 4]})
    assert made(BOOK, way_of(BOOK, "conceded"), answers, "b") == struggles(
        1, 2, 11, 4, picks={"a": [2, 4], "b": [1, 3]}, ended="concession", conceded_by="a"
    )


def test_a_struggle_is_0_1_or_2_and_at_time_nobody_has_won_two() -> None:
    assert {limits(way_of(BOOK, "played"))[name] for name in ("score.winner", "score.loser")} == {(0, 2, 0)}
    assert {limits(way_of(BOOK, "time"))[name] for name in ("score.winner", "score.loser")} == {(0, 1, 0)}


@pytest.mark.parametrize("picks", [[1], [1, 2, 3], [2, 2], [0, 1], [4, 5], "12", None])
def test_two_different_ones_of_four_squads(picks: object) -> None:
    with pytest.raises(Problem) as caught:
        made(BOOK, way_of(BOOK, "played"), {**SQUADS, "picks.loser": picks}, "b")
    assert (caught.value.key, caught.value.where) == ("picks_wrong", "/result/picks/a")


# Rounds.


@pytest.mark.parametrize(
    ("fewest", "most", "structure"),
    [
        (4, 4, (3, 0)),
        (5, 16, (4, 0)),
        (17, 32, (4, 4)),
        (33, 64, (4, 8)),
        (65, 300, (5, 16)),
    ],
)
def test_every_line_of_the_structure_table(fewest: int, most: int, structure: tuple[int, int]) -> None:
    assert [BOOK.structure(players, BOOK.options({})) for players in (fewest, most)] == [structure, structure]


def test_below_4_players_and_an_advanced_structure_there_is_own_only() -> None:
    with pytest.raises(Problem) as caught:
        BOOK.structure(3, BOOK.options({}))
    assert caught.value.key == "no_structure"
    assert "custom" in caught.value.say()
    assert BOOK.structure(3, BOOK.options({"structure": "own", "swiss_rounds": 2})) == (2, 0)
    with pytest.raises(Problem, match="Possible: basic, own"):
        BOOK.check_options({"structure": "advanced"})


def test_120_minutes_the_key_phase_30_before_their_end_and_up_to_5_more_by_chance() -> None:
    """House decision: by the announced length, whatever was rolled."""
    assert [BOOK.minutes(stage, BOOK.options({})) for stage in ("swiss", "elimination", "final")] == [120, 120, 120]
    assert BOOK.phases == (Phase("phase.key", 30),)
    assert BOOK.extra_minutes == (0, 5)
    assert "decision.shatterpoint_key_phase" in BOOK.house_decisions


def test_who_judges() -> None:
    """At least one judge, who never plays; judges and the organizer disqualify; the third warning proposes it."""
    assert BOOK.judge_required
    assert BOOK.officials_play == {"*": "no"}
    assert set(BOOK.disqualified_by) == {"judge", "head_judge", "organizer"}
    assert BOOK.warnings_until_proposal == 3


# Standings.


def test_struggles_come_first_then_strength_of_schedule_then_wounds() -> None:
    """Ana and Cira won a struggle each and lost none; Ana's opponents are the better, Cira inflicted more wounds."""
    table = event(
        "shatterpoint-premier",
        [
            [game("Ana", "Bruno", struggles(2, 0, 1, 0)), game("Cira", "Dora", struggles(2, 1, 9, 0))],
            [game("Bruno", "Dora", struggles(2, 0, 0, 0)), game("Ana", "Cira", struggles(1, 1, 3, 3, ended="time"))],
        ],
        *FOUR,
    )
    found = rows(table)
    assert {
        who: (row.points, row.tiebreakers["struggles"], row.tiebreakers["sos"], row.tiebreakers["wounds"])
        for who, row in found.items()
    } == {
        # Bruno has 3 points of 2 rounds, Cira 4 of 2: (3/2 + 4/2) / 2.
        "Ana": (4, 3, Fraction(7, 4), 4),
        "Cira": (4, 3, Fraction(1, 1), 12),
        "Bruno": (3, 2, Fraction(1, 1), 0),
        "Dora": (0, 1, Fraction(7, 4), 0),
    }
    assert order(table) == "Ana Cira Bruno Dora"
    assert decided(table) == ["sos", "points", "points", "last"]


def test_more_struggles_won_before_all_else() -> None:
    table = event(
        "shatterpoint-premier",
        [
            [game("Ana", "Bruno", struggles(1, 0, 9, 0, ended="time")), game("Cira", "Dora", struggles(2, 0, 1, 9))],
        ],
        *FOUR,
    )
    assert order(table) == "Cira Ana Dora Bruno"
    assert decided(table) == ["struggles", "points", "wounds", "last"]


def test_wounds_decide_where_struggles_and_opponents_are_equal() -> None:
    table = event(
        "shatterpoint-premier",
        [
            [game("Ana", "Bruno", struggles(2, 0, 4, 5)), game("Cira", "Dora", struggles(2, 0, 5, 4))],
        ],
        *FOUR,
    )
    assert order(table) == "Cira Ana Bruno Dora"
    assert decided(table) == ["wounds", "points", "wounds", "last"]


def test_a_bye_counts_2_struggles_and_3_wounds_and_no_opponent() -> None:
    table = event(
        "shatterpoint-premier",
        [
            [game("Ana", "Bruno", struggles(2, 1, 4, 6)), Match("Cira", bye="bye")],
            [game("Cira", "Ana", struggles(0, 2, 1, 2)), Match("Bruno", bye="unpaired-loss")],
        ],
        *FOUR[:3],
    )
    found = rows(table)
    assert (found["Cira"].points, found["Cira"].tiebreakers) == (3, {"struggles": 2, "sos": Fraction(3), "wounds": 4})
    assert (found["Bruno"].rounds, found["Bruno"].tiebreakers) == (2, {"struggles": 1, "sos": Fraction(3), "wounds": 6})


def test_the_bye_goes_at_random_to_one_with_the_fewest_points_who_had_none() -> None:
    first = [
        game("Ana", "Bruno", struggles(2, 0, 0, 0)),
        game("Cira", "Dora", struggles(0, 2, 0, 0)),
        Match("Eva", bye="bye"),
    ]
    drawn = {
        next(
            m.a
            for m in draw_swiss_round(
                event("shatterpoint-premier", [first], *FOUR, "Eva", seed=seed, swiss_rounds=3)
            ).matches
            if m.b is None
        )
        for seed in range(40)
    }
    assert drawn == {"Bruno", "Cira"}


def test_points_shown_before_it_is_confirmed() -> None:
    assert points(BOOK, struggles(1, 1, 5, 5)) == (1, 1)
    match = Match("Ana", "Bruno", result=struggles(2, 0, 3, 1))
    assert BOOK.worth(match, BOOK.options({})) == {"points": (3, 0)}
