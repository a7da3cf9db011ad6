"""Where an exact search would take too long: any round with the fewest repeats, made better pair by pair."""

from __future__ import annotations

from collections.abc import Sequence

from roundtap_core.pairing.cardinality import LargestMatching
from roundtap_core.pairing.field import Groups, Met, Pairs
from roundtap_core.randomness import Rand, shuffle

Cell = tuple[int, int]
"""The groups of a pair, the upper one first."""

PASSES = 3
REACH = 256
"""How far below it a pair is offered exchanges: all of a field of 512, and bounded work in a larger one."""


def improve(pairs: Pairs, groups: Groups, met: Met, rand: Rand) -> Pairs:
    """Exchange partners between two pairs while that betters the shape and adds no repeat.

    `pairs` have as few repeats as there can be, so no exchange could lower their number. Which exchanges of two kinds
    of pairs better the shape is worked out once per kind: there are far fewer kinds than pairs.
    """
    group_of = {member: g for g, group in enumerate(groups) for member in group}
    # The one of the upper group first in every pair: then a kind of pair is the groups of its two.
    pairs = [(a, b) if group_of[a] <= group_of[b] else (b, a) for a, b in pairs]
    shuffle(pairs, rand)
    better: dict[tuple[Cell, Cell], list[int]] = {}
    for _ in range(PASSES):
        pairs.sort(key=lambda pair: group_of[pair[0]])
        cells = [(group_of[a], group_of[b]) for a, b in pairs]
        changed = False
        for i in range(len(pairs)):
            for k in range(i + 1, min(i + REACH, len(pairs))):
                kinds = (cells[i], cells[k])
                if kinds not in better:
                    better[kinds] = _better_exchanges(*kinds)
                for way in better[kinds]:
                    two = _exchanged(pairs[i], pairs[k], way)
                    if _repeats(two, met) <= _repeats([pairs[i], pairs[k]], met):
                        (a, b), (c, d) = two
                        pairs[i] = (a, b) if group_of[a] <= group_of[b] else (b, a)
                        pairs[k] = (c, d) if group_of[c] <= group_of[d] else (d, c)
                        cells[i], cells[k] = ((group_of[x], group_of[y]) for x, y in (pairs[i], pairs[k]))
                        changed = True
                        break
        if not changed:
            break
    return pairs


def _exchanged(one: tuple[int, int], two: tuple[int, int], way: int) -> Pairs:
    (a, b), (c, d) = one, two
    return [(a, c), (b, d)] if way == 0 else [(a, d), (b, c)]


def _better_exchanges(one: Cell, two: Cell) -> list[int]:
    """The ways to exchange that give a better shape (see small.shape), the best first."""
    shapes = [(sorted(tuple(sorted(pair)) for pair in _exchanged(one, two, way)), way) for way in (0, 1)]
    return [way for shape, way in sorted(shapes) if shape < sorted([one, two])]


def _repeats(pairs: Pairs, met: Met) -> int:
    return sum([b in met[a] for a, b in pairs])


def fewest_repeats(groups: Groups, met: Met, largest: LargestMatching, rand: Rand) -> Pairs:
    """A round with as few repeats as possible where there must be some: the pairless of a largest matching meet
    again, neighbours in the standings first."""
    pairs = [(a, b) for a, b in largest.partner.items() if a < b]
    left: Sequence[int] = [m for group in groups for m in group if m not in largest.partner]
    pairs += zip(left[::2], left[1::2], strict=True)
    return improve(pairs, groups, met, rand)
