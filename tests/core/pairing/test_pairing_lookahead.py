"""Small fields look ahead (line 3b), held against a plain search through all rounds that could follow."""

import random
from collections.abc import Iterator

import pytest

from roundtap_core.pairing.pairing_pool import DrawRandom, PairingPool
from roundtap_core.pairing.swiss_round import (
    SearchBudget,
    all_pairings,
    best_rounds,
    draw_round,
    first_feasible,
    repeat_is_ahead,
)

Meetings = frozenset[frozenset[int]]
Byes = tuple[int, ...]


def rounds_that_may_follow(size: int, met: Meetings, byes: Byes) -> Iterator[tuple[Meetings, Byes]]:
    for out in [i for i in range(size) if byes[i] == min(byes)] if size % 2 else [None]:
        for pairs in all_pairings([i for i in range(size) if i != out]):
            new = frozenset(map(frozenset, pairs))
            if not new & met:
                yield met | new, tuple(count + (i == out) for i, count in enumerate(byes))


def a_way_exists(size: int, met: Meetings, byes: Byes, rounds: int) -> bool:
    following = rounds_that_may_follow(size, met, byes)
    return rounds == 0 or any(a_way_exists(size, *after, rounds - 1) for after in following)


@pytest.mark.parametrize(("size", "rounds"), [(4, 3), (6, 4), (6, 5), (5, 4), (5, 5)])
def test_a_way_through_the_remaining_rounds_is_kept_if_there_is_one(size: int, rounds: int) -> None:
    rand = random.Random(size * rounds)
    kept = mattered = 0
    for seed in range(40):
        points, byes = [0] * size, [0] * size
        met: list[set[int]] = [set() for _ in range(size)]
        for number in range(1, rounds + 1):
            members = list(range(size))
            if size % 2:
                out = min(members, key=lambda i: (byes[i], points[i]))
                members.remove(out)
                byes[out] += 1
                points[out] += 1
            field = PairingPool(tuple("ABCDEF"[:size]), tuple(points), tuple(set(m) for m in met), tuple(byes))
            left = rounds - number
            optima = best_rounds(field.groups(members), field.met)
            past = frozenset(frozenset((a, b)) for a in range(size) for b in met[a])
            good = {
                frozenset(map(frozenset, pairs))
                for pairs in optima
                if not field.repeats(pairs)
                and a_way_exists(size, past | frozenset(map(frozenset, pairs)), tuple(byes), left)
            }
            pairs, _ = draw_round(field, members, DrawRandom(seed, number, 1), byes, left)
            if good:
                assert frozenset(map(frozenset, pairs)) in good
                kept += 1
                mattered += len(good) < len(optima)
            for a, b in pairs:
                met[a].add(b)
                met[b].add(a)
                points[rand.choice((a, b))] += 1
    assert kept > 40
    if (size, rounds) == (6, 5):
        assert mattered > 5


def test_whoever_may_sit_out_next_is_asked() -> None:
    """Five players, one round to go. B and E have had no bye.

    Of A, C, D, E (B sits out) nobody is left for A: A has met C, D and E. With E out, B meets A, and C meets D.
    """
    met = ({2, 3, 4}, set(), {0}, {0}, {0})
    byes = (1, 0, 1, 1, 0)
    assert not repeat_is_ahead([], met, byes, 1)
    assert repeat_is_ahead([(2, 3)], met, byes, 1)
    assert first_feasible([[(2, 3)], [(1, 2)]], met, byes, 1) == [(1, 2)]


def test_who_came_late_may_sit_out_twice() -> None:
    """E has met everybody and had no bye, so sits out two rounds running; the others have two rounds left."""
    met = ({3, 4}, {2, 4}, {1, 4}, {0, 4}, {0, 1, 2, 3})
    assert not repeat_is_ahead([], met, (1, 1, 1, 1, 0), 2)
    assert repeat_is_ahead([], met, (1, 1, 1, 1, 0), 3)


@pytest.mark.parametrize("size", [4, 5, 6, 7])
def test_a_repeat_ahead_is_announced_exactly_where_there_is_no_way(size: int) -> None:
    """After arbitrary rounds, uneven byes included."""
    rand = random.Random(size)
    answers = {True: 0, False: 0}
    for _ in range(150):
        met: list[set[int]] = [set() for _ in range(size)]
        for a in range(size):
            for b in range(a):
                if rand.random() < 0.45:
                    met[a].add(b)
                    met[b].add(a)
        byes = tuple(rand.choice((0, 1, 1)) for _ in range(size)) if size % 2 else (0,) * size
        left = rand.randint(1, 3 if size < 6 else 2)
        past = frozenset(frozenset((a, b)) for a in range(size) for b in met[a])
        expected = not a_way_exists(size, past, byes, left)
        assert repeat_is_ahead([], met, byes, left) == expected
        answers[expected] += 1
    assert min(answers.values()) > 10


def test_in_a_field_that_plays_to_the_end_two_who_both_sat_out_are_kept_apart() -> None:
    """Eight players, seven rounds, and A and B had a bye in the first: if they meet now, A has six players left for
    five rounds and each of these has nobody to spare."""
    field: tuple[set[int], ...] = (set(), set(), {6}, {5}, {7}, {3}, {2}, {4})
    together, apart = [(0, 1), (2, 5), (7, 6), (4, 3)], [(0, 2), (1, 5), (7, 6), (4, 3)]
    assert repeat_is_ahead(together, field, [0] * 8, 5)
    assert first_feasible([together] * 40 + [apart], field, [0] * 8, 5) == apart


def test_without_an_answer_in_time_there_is_no_warning(monkeypatch: pytest.MonkeyPatch) -> None:
    met = ({2, 3, 4}, set(), {0}, {0}, {0})
    monkeypatch.setattr("roundtap_core.pairing.swiss_round.SearchBudget.spend", _spend_all)
    assert not repeat_is_ahead([(2, 3)], met, (1, 0, 1, 1, 0), 1)


def _spend_all(budget: SearchBudget) -> bool:
    budget.left = -1
    return False


def test_a_dead_end_that_is_hard_to_prove_keeps_nobody_from_the_draw_beside_it() -> None:
    """Nine players with five rounds to come: the first draw uses up its steps, the second one leads on."""
    met = [{8}, {2, 7, 8}, {1}, {5, 6}, {7}, {3, 6, 8}, {3, 5, 7}, {1, 4, 6}, {0, 1, 5}]
    draws = [[(6, 2), (5, 1), (7, 3), (0, 4)], [(6, 2), (5, 1), (7, 0), (3, 4)]]
    assert first_feasible(draws, met, [0, 0, 1, 1, 1, 0, 0, 0, 1], 5) == draws[1]
