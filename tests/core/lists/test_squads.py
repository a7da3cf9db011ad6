"""Squads of a list (Shatterpoint): what was fielded, what is still to come, and what `check` says in the end."""

from typing import Any

import pytest
from msgspec.structs import replace

from roundtap_core.check.check import violations
from roundtap_core.lists.list_form import fielded_squads, squads_unfieldable, to_field
from roundtap_core.records import Match, Result, SidePair, Tournament
from rulebook_kit import event

SHATTERPOINT = "shatterpoint-premier"


def fielding(a: str, b: str, picks_a: list[int], picks_b: list[int]) -> Match:
    return Match(a, b, result=Result(score=SidePair(2, 0), wounds=SidePair(3, 1), picks={"a": picks_a, "b": picks_b}))


def two_rounds(bye_picks: tuple[int, ...] | None = (1, 4), **options: Any) -> Tournament:
    return event(
        SHATTERPOINT,
        [
            [fielding("Ana", "Bruno", [1, 2], [3, 4]), Match("Cira", bye="bye", picks=bye_picks)],
            [fielding("Ana", "Cira", [3, 4], [2, 3]), Match("Bruno", bye="bye", picks=(1, 2))],
        ],
        "Ana",
        "Bruno",
        "Cira",
        **options,
    )


def found(tournament: Tournament) -> list[tuple[str, str]]:
    return [(problem.where, problem.key) for problem in violations(tournament)]


def test_a_bye_fields_two_squads_too() -> None:
    assert fielded_squads(two_rounds().rounds) == {"Ana": {1, 2, 3, 4}, "Bruno": {1, 2, 3, 4}, "Cira": {1, 2, 3, 4}}


def test_a_missed_round_fields_none() -> None:
    missed = event(SHATTERPOINT, [[Match("Ana", bye="unpaired-loss")]], "Ana")
    assert fielded_squads(missed.rounds) == {}


@pytest.mark.parametrize(
    ("used", "rounds_left", "squads", "must", "late"),
    [
        ((), 3, (1, 2, 3, 4), False, False),
        # Two rounds with two picks each for four squads: from now on only such as were not fielded.
        ((), 2, (1, 2, 3, 4), True, False),
        ((1, 2), 2, (3, 4), False, False),
        ((1, 2), 1, (3, 4), True, False),
        ((1, 2, 3), 1, (4,), False, False),
        ((1,), 1, (2, 3, 4), True, True),
        ((1, 2, 3), 0, (4,), True, True),
        ((1, 2, 3, 4), 0, (), False, False),
    ],
)
def test_the_warning_when_the_unused_squads_reach_the_picks_that_are_left(
    used: tuple[int, ...], rounds_left: int, squads: tuple[int, ...], must: bool, late: bool
) -> None:
    left = to_field(4, 2, used, rounds_left)
    assert (left.squads, left.must, left.late) == (squads, must, late)


@pytest.mark.parametrize(
    ("owed", "picks", "rounds_after", "lost"),
    [
        ((3, 4), (1, 2), 0, (3, 4)),
        ((3, 4), (1, 4), 0, (3,)),
        ((3, 4), (3, 4), 0, ()),
        ((3, 4), (1, 2), 1, ()),
        ((2, 3, 4), (1, 2), 1, ()),
        ((), (1, 2), 0, ()),
    ],
)
def test_squads_that_are_let_go_for_good_are_named(
    owed: tuple[int, ...], picks: tuple[int, ...], rounds_after: int, lost: tuple[int, ...]
) -> None:
    """Two picks a round: what does not fit into the rounds to come can never be fielded any more."""
    assert squads_unfieldable(owed, picks, rounds_after) == lost


def test_every_squad_was_fielded_once() -> None:
    assert found(two_rounds(lists_required=False)) == []


def test_a_squad_that_never_was_is_named_with_whose_it_is() -> None:
    (problem,) = violations(two_rounds(bye_picks=None, lists_required=False))
    assert (problem.where, problem.key) == ("/competitors/2", "squads_not_fielded")
    assert "A (1), D (4)" in problem.say()
    # While rounds are still to come nothing is late.
    assert found(two_rounds(bye_picks=None, lists_required=False, swiss_rounds=3)) == []


def test_a_match_without_the_squads_of_both_is_named_with_its_side() -> None:
    """ "każdy oddział … musi znaleźć się chociaż raz": of every match that was played, both sides' are recorded."""
    table = two_rounds(lists_required=False)
    first = table.rounds[0]
    half = replace(first.matches[0], result=Result(score=SidePair(2, 0), wounds=SidePair(3, 1), picks={"a": [1, 2]}))
    rounds = (replace(first, matches=(half, *first.matches[1:])), *table.rounds[1:])
    assert ("/rounds/0/matches/0/result/picks/b", "picks_missing") in found(replace(table, rounds=rounds))


def test_whoever_left_need_not_have_fielded_all() -> None:
    table = two_rounds(bye_picks=None, lists_required=False)
    people = tuple(replace(c, dropped_after=2) if c.id == "Cira" else c for c in table.competitors)
    assert found(replace(table, competitors=people)) == []


@pytest.mark.parametrize("picks", [(1,), (1, 1), (0, 2), (4, 5), (1, 2, 3)])
def test_a_bye_with_squads_that_cannot_be(picks: tuple[int, ...]) -> None:
    problems = found(two_rounds(bye_picks=picks, lists_required=False))
    assert ("/rounds/0/matches/1/picks", "picks_wrong") in problems


def test_squads_belong_to_rulebooks_that_have_them() -> None:
    table = event("keyforge-archon", [[Match("Ana", bye="bye", picks=(1, 2))]], "Ana", lists_required=False)
    assert ("/rounds/0/matches/0/picks", "not_of_this_rulebook") in found(table)
