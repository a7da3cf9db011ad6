"""Small fields look ahead (line 3b), held against a plain search through all rounds that could follow."""

from __future__ import annotations

import random
from collections.abc import Iterator

import pytest

from roundtap_core.pairing.draw import draw_round
from roundtap_core.pairing.field import Chance, Field
from roundtap_core.pairing.small import all_rounds, best_rounds

Meetings = frozenset[frozenset[int]]
Byes = tuple[int, ...]


def rounds_that_may_follow(size: int, met: Meetings, byes: Byes) -> Iterator[tuple[Meetings, Byes]]:
    for out in [i for i in range(size) if byes[i] == min(byes)] if size % 2 else [None]:
        for pairs in all_rounds([i for i in range(size) if i != out]):
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
            field = Field(tuple("ABCDEF"[:size]), tuple(points), tuple(set(m) for m in met), tuple(byes))
            left = rounds - number
            optima = best_rounds(field.groups(members), field.met)
            past = frozenset(frozenset((a, b)) for a in range(size) for b in met[a])
            good = {frozenset(map(frozenset, pairs)) for pairs in optima if not field.repeats(pairs)
                    and a_way_exists(size, past | frozenset(map(frozenset, pairs)), tuple(byes), left)}
            pairs, _ = draw_round(field, members, Chance(seed, number, 1), byes, left)
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
