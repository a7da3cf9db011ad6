"""What `check` says of results that their own figures exclude: time-outs recomputed, games not played to an end."""

from typing import Any

import pytest
from msgspec.structs import replace

from roundtap_core.check.check import violations
from roundtap_core.records import Competitor, Match, Result, Round, SidePair, Tournament
from roundtap_core.rulebooks.registry import rulebook
from rulebook_kit import at_time, conceded, played, ruling

THREE = {"stages": {"swiss": {"best_of": 3}}}

TONI = {
    "active": "a",
    "keys": {"a": 1, "b": 2},
    "aember": {"a": 9, "b": 3},
    "creatures": {"a": 4, "b": 6},
    "bonus": {"a": 4, "b": 1},
}
"""The document's example: Toni forges, 2:2 and 3:3; potential 8 against 7."""

SQUADS = {"a": [1, 2], "b": [3, 4]}


def found(rulebook_id: str, result: Result, **options: Any) -> list[tuple[str, str]]:
    """(place below the result, key) of what is wrong with the only match of an event."""
    people = (Competitor("p1", "Ana Ruiz"), Competitor("p2", "Bruno Maier"))
    given = {"structure": "own", "swiss_rounds": 9, "lists_required": False, **options}
    event = Tournament(
        "Open",
        rulebook_id,
        options=given,
        competitors=people,
        rounds=(Round(1, matches=(Match("p1", "p2", 1, result=result),)),),
    )
    problems = violations(event)
    assert all(problem.say() for problem in problems)
    return [(problem.where.removeprefix("/rounds/0/matches/0/result"), problem.key) for problem in problems]


# KeyForge.


def test_the_time_out_of_toni_and_fernando_is_right_only_for_toni() -> None:
    for told in (TONI, {**TONI, "decided_by": "potential"}):
        assert found("keyforge-archon", at_time(1, 0, "a", timeout=told)) == []
        assert found("keyforge-archon", at_time(0, 1, "b", timeout=told)) == [("/winner", "timeout_winner")]
    wrong_step = {**TONI, "decided_by": "keys"}
    assert found("keyforge-archon", at_time(1, 0, "a", timeout=wrong_step)) == [("/timeout/decided_by", "timeout_step")]


def test_a_step_that_was_level_has_decided_nothing_even_where_the_record_stops_behind_it() -> None:
    """After forging 2:2 and 1:1: whoever says that the keys decided has not forged."""
    told = {"active": "a", "keys": {"a": 2, "b": 1}, "aember": {"a": 1, "b": 7}, "decided_by": "keys"}
    assert found("keyforge-archon", at_time(1, 0, "a", timeout=told)) == [("/timeout/decided_by", "timeout_step")]
    assert found("keyforge-archon", at_time(1, 0, "a", timeout={**told, "decided_by": "potential"})) == []


@pytest.mark.parametrize(
    ("told", "winner"),
    [
        ({"keys": {"a": 1, "b": 2}, "aember": {"a": 0, "b": 0}}, "b"),
        # What is left out counts 0, as in scores.
        ({"keys": {"b": 1}, "aember": {"a": 5}}, "b"),
        # Six æmber forge a key, 18 no more than one.
        ({"keys": {"a": 0, "b": 1}, "aember": {"a": 18, "b": 0}}, "a"),
        ({"keys": {"a": 1, "b": 1}, "aember": {"a": 3, "b": 4}}, "b"),
        ({"active": "b", "turns": "a"}, "a"),
    ],
)
def test_keys_aember_and_last_turns_tell_who_won(told: dict[str, Any], winner: str) -> None:
    other = "b" if winner == "a" else "a"
    assert found("keyforge-archon", at_time(0, 0, winner, timeout=told)) == []
    assert found("keyforge-archon", at_time(0, 0, other, timeout=told)) == [("/winner", "timeout_winner")]


def test_the_first_player_wins_where_all_is_level() -> None:
    told = {"keys": {}, "aember": {}, "creatures": {}, "bonus": {}}
    assert found("keyforge-archon", at_time(0, 1, first_player="b", timeout=told)) == []
    assert found("keyforge-archon", at_time(1, 0, first_player="b", timeout=told)) == [("/winner", "timeout_winner")]
    # Whoever it was: nobody can tell.
    assert found("keyforge-archon", at_time(1, 0, timeout=told)) == []


def test_a_record_that_stops_in_the_middle_is_no_breach() -> None:
    """A file may tell less than the kit asks: the keys were level, the rest is not on record."""
    assert found("keyforge-archon", at_time(1, 0, timeout={"keys": {"a": 1, "b": 1}})) == []
    assert found("keyforge-archon", at_time(1, 0)) == []


@pytest.mark.parametrize(
    ("told", "where"),
    [
        ({"keys": {"a": -1, "b": 0}}, "/timeout/keys/a"),
        ({"keys": {"a": 3, "b": 0}}, "/timeout/keys/a"),
        ({"aember": {"a": "six", "b": 0}}, "/timeout/aember/a"),
        ({"aember": {"a": True}}, "/timeout/aember/a"),
        ({"aember": 6}, "/timeout/aember"),
        ({"keys": {"c": 1}}, "/timeout/keys/c"),
        ({"active": "Ana"}, "/timeout/active"),
        ({"turns": "c"}, "/timeout/turns"),
        ({"decided_by": "coin"}, "/timeout/decided_by"),
        ({"amber": {"a": 1}}, "/timeout/amber"),
    ],
)
def test_figures_that_are_none(told: dict[str, Any], where: str) -> None:
    assert [place for place, _ in found("keyforge-archon", at_time(1, 0, timeout=told))] == [where]


@pytest.mark.parametrize(
    "result",
    [
        played(2, 0),
        played(2, 1),
        played(0, 2),
        at_time(1, 0),
        at_time(2, 1),
        at_time(0, 1),
        conceded("b", 1, 0),
        conceded("a", 1, 1),
        conceded("a", 0, 0),
        ruling("a"),
        ruling("b", 1, 1),
    ],
)
def test_best_of_three_scores_that_can_be(result: Result) -> None:
    assert found("keyforge-archon", result, **THREE) == []


@pytest.mark.parametrize("result", [played(1, 0), played(0, 1), played(1, 1, "a"), played(3, 0), played(2, 2, "a")])
def test_best_of_three_scores_that_cannot(result: Result) -> None:
    (problem,) = found("keyforge-archon", result, **THREE)
    assert problem[0].startswith("/score")


def test_best_of_three_at_time_counts_the_game_that_was_decided() -> None:
    begun = {"game_begun": "yes", "keys": {"a": 2, "b": 1}, "aember": {"a": 0, "b": 0}}
    assert found("keyforge-archon", at_time(2, 1, timeout=begun), **THREE) == []
    assert found("keyforge-archon", at_time(1, 2, timeout=begun), **THREE) == [("/winner", "timeout_winner")]
    lot = {"game_begun": "no", "lot": "b", "decided_by": "lot"}
    assert found("keyforge-archon", at_time(1, 2, timeout=lot), **THREE) == []
    assert found("keyforge-archon", at_time(2, 1, timeout=lot), **THREE) == [("/winner", "timeout_winner")]


def test_the_games_told_at_time_and_the_game_in_progress_make_the_score() -> None:
    """1:1 when time was called, and two keys against one in the third game: 2:1 and nothing else."""
    told = {"score": {"a": 1, "b": 1}, "game_begun": "yes", "keys": {"a": 2, "b": 1}, "aember": {"a": 0, "b": 0}}
    assert found("keyforge-archon", at_time(2, 1, timeout=told), **THREE) == []
    assert found("keyforge-archon", at_time(1, 0, timeout=told), **THREE) == [("/score", "timeout_score")]
    # 0:0 is a score that nobody told.
    assert found("keyforge-archon", at_time(0, 0, "a", timeout=told), **THREE) == []


# Shatterpoint.


def test_objectives_give_the_struggle_in_progress() -> None:
    told = {"score": {"a": 1, "b": 0}, "objectives": {"a": 1, "b": 3}}
    form = rulebook("shatterpoint-premier").form({})
    if any(figure.key == "struggle" for way in form.ways for figure in way.figures()):
        # Nobody has won it in the turn that was finished.
        told = {**told, "struggle": {"a": 0, "b": 0}}
    assert found("shatterpoint-premier", at_time(1, 1, wounds=SidePair(5, 4), picks=SQUADS, timeout=told)) == []
    (problem,) = found("shatterpoint-premier", at_time(2, 0, wounds=SidePair(5, 4), picks=SQUADS, timeout=told))
    assert problem[0].startswith("/score")


@pytest.mark.parametrize("result", [played(1, 0), played(0, 1), played(0, 0), played(1, 1)])
def test_before_time_only_two_struggles_win(result: Result) -> None:
    (problem,) = found("shatterpoint-premier", replace(result, picks=SQUADS))
    assert problem[0].startswith("/score")


@pytest.mark.parametrize(
    "result",
    [played(2, 0), played(1, 2), at_time(1, 0), at_time(0, 0), conceded("a", 0, 1), ruling("draw"), ruling("a", 1, 0)],
)
def test_struggles_that_can_be(result: Result) -> None:
    assert found("shatterpoint-premier", replace(result, picks=SQUADS)) == []


# Draws.


def test_a_drawn_game_before_time_where_there_is_none() -> None:
    assert found("warlords-of-terra", played(9, 9, "draw")) == [("/winner", "no_draw_before_time")]
    assert found("warlords-of-terra", at_time(9, 9, "draw")) == []
    assert found("warlords-of-terra", ruling("draw", 9, 9)) == []
    # Epic: nobody is left.
    assert found("xwing-epic-duel", played(300, 300, "draw")) == []


def test_the_last_turns_of_warlords() -> None:
    assert found("warlords-of-terra", at_time(0, 9, "b", timeout={"active": "a", "turns": "b"})) == []
    assert found("warlords-of-terra", at_time(4, 0, "a", timeout={"active": "a", "turns": "b"})) == [
        ("/winner", "timeout_winner")
    ]
    assert found("warlords-of-terra", at_time(4, 9, "draw", timeout={"active": "a", "turns": "b"})) == [
        ("/winner", "timeout_winner")
    ]
