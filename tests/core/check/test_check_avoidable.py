"""Repeats and byes: told where another draw had avoided them, never where every draw has them."""

import itertools
import random
from collections.abc import Iterable, Iterator

import networkx
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace
from test_check import bye, event, found, game

from roundtap_core.pairing.swiss_round import draw_swiss_round, fewest_repeats
from roundtap_core.records import Draw, Match, Result, Round, SidePair, Tournament

EVERY_PAIR = [[game("ab"), game("cd")], [game("ac"), game("bd")], [game("ad"), game("bc")]]


DRAWN = ("repeat", "second_bye", "bye_too_high", "several_byes")


def of_round(tournament: Tournament, number: int) -> list[str]:
    """What is said of its pairs and byes."""
    told = [key for where, key in found(tournament) if where.startswith(f"/rounds/{number - 1}/")]
    return [key for key in told if key in DRAWN]


def with_draw(tournament: Tournament, method: str) -> Tournament:
    """The last round drawn by that method."""
    last = tournament.rounds[-1]
    return replace(tournament, rounds=(*tournament.rounds[:-1], replace(last, draw=Draw(1, 1, method))))


def test_the_fourth_round_of_four_players_repeats_and_nobody_is_to_blame() -> None:
    assert of_round(event(*EVERY_PAIR, [game("ad"), game("bc")]), 4) == []


def test_a_repeat_that_another_draw_avoids_is_told_even_where_it_is_noted() -> None:
    again = event(*EVERY_PAIR[:2], [game("ac"), game("bd")])
    assert of_round(again, 3) == ["repeat", "repeat"]
    noted = replace(again.rounds[-1], record={"notes": {"repeats": 2, "bye": None, "floats": []}})
    assert of_round(replace(again, rounds=(*again.rounds[:-1], noted)), 3) == ["repeat", "repeat"]
    assert of_round(with_draw(again, "enumerated"), 3) == ["repeat", "repeat"]


def test_whom_the_organizer_paired_manually_is_no_breach() -> None:
    """The reason is on record."""
    assert of_round(with_draw(event(*EVERY_PAIR[:2], [game("ac"), game("bd")]), "imposed"), 3) == []
    left_out = event([game("ab")], players="abc")
    assert found(left_out) == [("/rounds/0/matches", "missing_from_round")]
    assert found(with_draw(left_out, "imposed")) == []
    two = event([game("ab"), bye("c"), bye("d")])
    assert of_round(two, 1) == ["several_byes"]
    assert of_round(with_draw(two, "imposed"), 1) == []


def test_of_several_repeats_as_many_are_told_as_were_avoidable() -> None:
    """a and b have met all others but not so c, d, e and f: one repeat is forced, of a and b, and one is not."""
    rounds = [
        [game("ab"), game("cd"), game("ef")],
        [game("ac"), game("bd")],
        [game("ad"), game("bc")],
        [game("ae"), game("bf")],
        [game("af"), game("be")],
    ]
    told = found(event(*rounds, [game("cd"), game("ab"), game("ef")], players="abcdef"))
    # c-d and e-f could have been c-e and d-f.
    assert [where for where, key in told if key == "repeat"] == ["/rounds/5/matches/0", "/rounds/5/matches/2"]
    assert of_round(event(*rounds, [game("ce"), game("ab"), game("df")], players="abcdef"), 6) == []


def test_the_field_is_taken_as_it_was_in_that_round() -> None:
    """Of six, e and f are gone when round 4 is drawn, and who came late is not yet there."""
    six = [[*pairs, game("ef")] for pairs in EVERY_PAIR]
    gone = event(*six, [game("ab"), game("cd")], players="abcdef")
    assert of_round(gone, 4) == []
    # With a newcomer, who was no part of that draw, all the same.
    late = event(*six, [game("ab"), game("cd"), bye("g", "unpaired-loss")], players="abcdefg")
    assert of_round(late, 4) == []


def test_who_did_not_appear_was_drawn_and_has_not_been_met() -> None:
    """a and d did not meet in round 3, since d was not there: together in round 4 they leave one repeat, b and c."""
    absent = replace(bye("a", "no-show"), absent="d")
    first = [*EVERY_PAIR[:2], [absent, bye("d", "unpaired-loss"), game("bc")]]
    assert of_round(event(*first, [game("ad"), game("bc")]), 4) == []
    assert of_round(event(*first, [game("ac"), game("bd")]), 4) == ["repeat"]
    # A file that does not name the absent one says the same.
    first[2][0] = bye("a", "no-show")
    assert of_round(event(*first, [game("ad"), game("bc")]), 4) == []


def test_a_bye_that_costs_a_repeat_and_one_that_is_passed_over_for_it() -> None:
    """After two rounds of five, b (no bye yet) would leave a round without a repeat; a would not."""
    before = [[bye("e"), game("ab"), game("cd")], [bye("d"), game("ac"), game("be")]]
    # b out: a-d, c-e. Nobody below b has had none: c stands above.
    assert of_round(event(*before, [bye("b"), game("ad"), game("ce")], players="abcde"), 3) == []
    assert of_round(event(*before, [bye("b"), game("ac"), game("de")], players="abcde"), 3) == ["repeat"]


def test_a_second_stage_has_its_own_meetings_and_the_byes_of_the_whole_event() -> None:
    swiss = event(*EVERY_PAIR[:2], swiss_rounds=2, cut=3, second_stage="second-swiss")
    swiss = replace(swiss, rulebook="shatterpoint-premier")

    def second(*rounds: list[Match]) -> Tournament:
        more = tuple(Round(n, "second-swiss", tuple(r)) for n, r in enumerate(rounds, start=3))
        return replace(swiss, rounds=(*swiss.rounds, *more))

    three = [game("ab"), bye("c")], [game("ac"), bye("b")], [game("bc"), bye("a")]
    assert [of_round(second(*three), n) for n in (3, 4, 5)] == [[], [], []]
    assert "second_bye" in of_round(second([game("ab"), bye("c")], [game("ab"), bye("c")]), 4)
    assert "repeat" not in of_round(second(*three, [game("bc"), bye("a")]), 6)
    gone = second([game("ab"), bye("c")], [game("ac")])
    assert ("/rounds/3/matches", "missing_from_round") in found(gone)


@pytest.mark.parametrize(("players", "rounds"), [(3, 7), (4, 7), (5, 8), (6, 8), (7, 10), (8, 10)])
def test_own_draws_of_more_rounds_than_a_field_has_pairs_are_silent(players: int, rounds: int) -> None:
    for seed in range(6):
        tournament = replace(event(players="abcdefgh"[:players], swiss_rounds=rounds), seed=seed)
        chance = random.Random(seed)
        for number in range(1, rounds + 1):
            matches = tuple(
                m if m.b is None else replace(m, result=Result(score=SidePair(100, chance.randrange(100))))
                for m in draw_swiss_round(tournament).matches
            )
            tournament = replace(tournament, rounds=(*tournament.rounds, Round(number, matches=matches)))
            assert found(tournament) == [], (seed, number)


def every_round(field: tuple[int, ...]) -> Iterator[list[tuple[int, int]]]:
    if not field:
        yield []
    for other in field[1:]:
        for rest in every_round(tuple(who for who in field[1:] if who != other)):
            yield [(field[0], other), *rest]


@given(st.integers(2, 8), st.randoms(use_true_random=False), st.sampled_from([0.2, 0.5, 0.8, 0.95]))
def test_the_fewest_repeats_are_those_of_the_best_of_all_rounds(
    players: int, chance: random.Random, played: float
) -> None:
    met: list[set[int]] = [set() for _ in range(players)]
    for a, b in itertools.combinations(range(players), 2):
        if chance.random() < played:
            met[a].add(b)
            met[b].add(a)
    byes = [chance.choice((0, 0, 1)) for _ in range(players)]

    def cost(out: int | None) -> int:
        there = tuple(who for who in range(players) if who != out)
        return min(sum(b in met[a] for a, b in pairs) for pairs in every_round(there))

    fewest = [who for who in range(players) if byes[who] == min(byes)] if players % 2 else [None]
    costs = {out: cost(out) for out in fewest}
    least = min(costs.values())
    may_rest = {who for who, repeats in costs.items() if repeats == least} - {None}
    assert fewest_repeats(met, byes) == (least, may_rest)


@given(st.integers(5, 11), st.randoms(use_true_random=False), st.sampled_from([0.5, 0.8, 0.9]))
def test_and_those_of_a_largest_matching_as_networkx_finds_it(half: int, chance: random.Random, played: float) -> None:
    players = range(2 * half + 1)
    pairs: Iterable[tuple[int, int]] = list(itertools.combinations(players, 2))
    not_met = [pair for pair in pairs if chance.random() >= played]
    graph = networkx.Graph(not_met)
    graph.add_nodes_from(players)

    def cost(out: int) -> int:
        rest = graph.subgraph(set(players) - {out})
        return half - len(networkx.max_weight_matching(rest, maxcardinality=True))

    costs = {out: cost(out) for out in players}
    met = [set(players) - set(graph[who]) - {who} for who in players]
    least = min(costs.values())
    assert fewest_repeats(met, [0] * len(players)) == (least, {who for who in players if costs[who] == least})
