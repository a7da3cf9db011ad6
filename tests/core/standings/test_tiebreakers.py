"""The tiebreakers one by one, against plain sums with fractions; ties that start again; the lot."""

from collections.abc import Mapping
from fractions import Fraction
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from event_kit import refused
from roundtap_core.randomness import lot_number
from roundtap_core.records import Match, Tournament
from roundtap_core.rulebooks.registry import RULEBOOKS, rulebook
from roundtap_core.rulebooks.scoring import EXTENDED_SOS, SOS
from roundtap_core.standings.standings import standings, standings_to_json
from roundtap_core.standings.tiebreakers import AMONG_TIED, STEPS, TiebreakInput, tiebreak_values
from roundtap_core.standings.totals import swiss_totals
from rulebook_kit import at_time, event, game, played, rows, ruling

NAMES = ("Ana", "Bruno", "Cira", "Dora", "Eva", "Fritz", "Gil")


@st.composite
def warlords_events(draw: st.DrawFn) -> Tournament:
    """Any matches of any rounds, also repeated ones; lives and who won as they come."""
    rounds = []
    for _ in range(draw(st.integers(1, 4))):
        people = draw(st.permutations(NAMES))
        matches = [Match(people[6], bye=draw(st.sampled_from(["bye", "won", "unpaired-loss", "no-show"])))]
        for a, b in zip(people[0:6:2], people[1:6:2], strict=True):
            life = (draw(st.integers(-3, 23)), draw(st.integers(-3, 23)))
            winner = draw(st.sampled_from(["a", "b", "draw"]))
            matches.append(game(a, b, at_time(*life, winner)))
        rounds.append(matches)
    return event("warlords-of-terra", rounds, *NAMES, seed=draw(st.integers(0, 99)))


def clamped(life: int) -> int:
    return min(20, max(0, life))


KINDS = {each.key: each for each in (*rulebook("warlords-of-terra").tiebreakers, SOS, EXTENDED_SOS)}


def plain(tournament: Tournament) -> dict[str, dict[str, Any]]:
    """Points, rounds, SCORE and opponents of everybody, counted match by match from the rules' own words."""
    found: dict[str, dict[str, Any]] = {name: {"points": 0, "rounds": 0, "score": 0, "met": []} for name in NAMES}
    for round_ in tournament.rounds:
        for match in round_.matches:
            found[match.a]["rounds"] += 1
            if match.b is None:
                found[match.a]["points"] += 0 if match.bye == "unpaired-loss" else 3
                continue
            result = match.result
            assert result is not None
            found[match.b]["rounds"] += 1
            worth = {"a": (3, 0), "b": (0, 3), "draw": (1, 1)}[result.winner or ""]
            difference = clamped(result.score.a) - clamped(result.score.b)
            for who, other, points, score in (
                (match.a, match.b, worth[0], difference),
                (match.b, match.a, worth[1], -difference),
            ):
                found[who]["points"] += points
                found[who]["score"] += score
                found[who]["met"].append(other)
    return found


@given(warlords_events())
def test_every_sum_and_mean_is_what_plain_fractions_say(tournament: Tournament) -> None:
    plainly = plain(tournament)

    def mean(values: list[Fraction]) -> Fraction:
        return sum(values, Fraction(0)) / len(values) if values else Fraction(0)

    sos = {
        name: mean([Fraction(plainly[other]["points"], plainly[other]["rounds"]) for other in one["met"]])
        for name, one in plainly.items()
    }
    expected: dict[str, Mapping[str, Any]] = {
        "sos": sos,
        "extended_sos": {name: mean([sos[other] for other in one["met"]]) for name, one in plainly.items()},
        "score": {name: one["score"] for name, one in plainly.items()},
        "opponents_points": {
            name: sum(plainly[other]["points"] for other in one["met"]) for name, one in plainly.items()
        },
        "opponents_score": {
            name: sum(plainly[other]["score"] for other in one["met"]) for name, one in plainly.items()
        },
    }
    basis = TiebreakInput(tournament, None, swiss_totals(tournament))
    for key, values in expected.items():
        step = tiebreak_values(KINDS[key], basis, NAMES)
        assert dict(step.shown) == values, key
        assert sorted(NAMES, key=lambda name: (step.order[name], name)) == sorted(
            NAMES, key=lambda name: (values[name], name)
        ), key


@given(warlords_events())
def test_standings_are_one_order_that_the_rules_allow(tournament: Tournament) -> None:
    """Above means more points, or equal ones and more SCORE; what equals both was decided further down."""
    table = standings(tournament)
    assert [row.rank for row in table] == list(range(1, len(NAMES) + 1))
    for upper, lower in pairwise(table):
        above, below = ((row.points, row.tiebreakers["score"]) for row in (upper, lower))
        assert above >= below
        expected = "points" if above[0] > below[0] else "score" if above > below else None
        assert expected in (None, upper.decided_by)
        if expected is None:
            assert upper.decided_by in ("head_to_head", "opponents_points", "opponents_score", "random")
        assert (upper.decided_by == "random") <= (upper.by_chance and lower.by_chance)
    assert standings(tournament) == table


@given(warlords_events(), st.permutations(NAMES))
def test_nobody_s_place_depends_on_the_order_of_the_file(tournament: Tournament, names: list[str]) -> None:
    people = {c.id: c for c in tournament.competitors}
    shuffled = replace(tournament, competitors=tuple(people[name] for name in names))
    assert [row.competitor for row in standings(shuffled)] == [row.competitor for row in standings(tournament)]


def test_an_opponent_met_twice_counts_twice_in_sums_and_means() -> None:
    table = event(
        "warlords-of-terra",
        [
            [game("Ana", "Bruno", played(20, 0, "a")), game("Cira", "Dora", played(20, 0, "a"))],
            [game("Ana", "Bruno", played(0, 5, "b")), game("Cira", "Ana", played(20, 0, "a"))],
        ],
        *NAMES[:4],
    )
    # Bruno has 3 points and SCORE -15, Cira 6 and +40.
    assert (rows(table)["Ana"].tiebreakers["opponents_points"], rows(table)["Ana"].tiebreakers["opponents_score"]) == (
        3 + 3 + 6,
        -15 - 15 + 40,
    )


def test_without_opponents_everything_is_0() -> None:
    lonely = event("warlords-of-terra", [[Match("Ana", bye="bye")]], "Ana")
    basis = TiebreakInput(lonely, None, swiss_totals(lonely))
    for key in ("sos", "extended_sos", "opponents_points", "opponents_score"):
        assert tiebreak_values(KINDS[key], basis, ["Ana"]).shown == {"Ana": 0}


def test_the_smaller_ticket_of_the_lot_is_the_better_one() -> None:
    table = event("keyforge-archon", [], *NAMES, seed=11)
    assert [row.competitor for row in standings(table)] == sorted(NAMES, key=lambda name: lot_number(11, name))
    assert {row.decided_by for row in standings(table)[:-1]} == {"random"}


def test_what_depends_on_who_is_tied_is_shown_to_nobody() -> None:
    shown = standings(event("warlords-of-terra", [[game("Ana", "Bruno", played(1, 0, "a"))]], "Ana", "Bruno"))
    assert set(shown[0].tiebreakers) == {"score", "opponents_points", "opponents_score"}
    assert frozenset({"head_to_head", "tiebreak_round", "random"}) == AMONG_TIED


@pytest.mark.parametrize("book", RULEBOOKS.values(), ids=lambda book: book.id)
def test_every_rulebook_s_tiebreakers_are_known_and_end_with_the_lot(book: Any) -> None:
    assert {each.by for each in book.tiebreakers} <= set(STEPS)
    assert book.tiebreaker_keys[-1] == "random"
    expected = {
        "xwing-standard": ("mov", "sos", "random"),
        "xwing-epic-duel": ("mov", "opponents_points", "random"),
        "xwing-epic-team": ("mov", "opponents_points", "random"),
        "keyforge-archon": ("sos", "extended_sos", "random"),
        "keyforge-sealed": ("sos", "extended_sos", "random"),
        "warlords-of-terra": (
            "score",
            "head_to_head",
            "opponents_points",
            "opponents_score",
            "tiebreak_round",
            "random",
        ),
        "shatterpoint-premier": ("struggles", "sos", "wounds", "random"),
    }
    assert expected.get(book.id, book.tiebreaker_keys) == book.tiebreaker_keys


def test_json_says_fractions_exactly_and_sums_as_numbers() -> None:
    table = event(
        "keyforge-archon", [[game("Ana", "Bruno", played(1, 0))], [game("Bruno", "Cira", played(1, 0))]], *NAMES[:3]
    )
    data = standings_to_json(standings(table), 2)["standings"]
    assert {row["competitor"]: row["tiebreakers"] for row in data} == {
        "Ana": {"sos": "1/2", "extended_sos": "1/2"},
        "Bruno": {"sos": "1/2", "extended_sos": "1/2"},
        "Cira": {"sos": "1/2", "extended_sos": "1/2"},
    }


@pytest.mark.parametrize(
    ("rulebook_id", "worth"),
    [
        ("xwing-standard", (1, None, 0)),
        ("xwing-epic-duel", (5, 1, 0)),
        ("xwing-epic-team", (5, 1, 0)),
        ("keyforge-archon", (1, None, 0)),
        ("keyforge-sealed", (1, None, 0)),
        ("warlords-of-terra", (3, 1, 0)),
        ("shatterpoint-premier", (3, 1, 0)),
    ],
)
def test_what_a_win_a_draw_and_a_loss_give(rulebook_id: str, worth: tuple[int | None, ...]) -> None:
    book = rulebook(rulebook_id)
    for winner, points in zip(("a", "draw", "b"), worth, strict=True):
        match = game("Ana", "Bruno", ruling(winner))
        if points is None:
            with refused("no_draws"):
                book.tally(match, "a", book.options({}))
        else:
            assert book.tally(match, "a", book.options({})).points == points
