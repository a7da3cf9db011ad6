"""Where an exact search would take too long: any round with the fewest repeats, made better pair by pair."""

from __future__ import annotations

from collections.abc import Sequence

from roundtap_core.pairing.cardinality import LargestMatching
from roundtap_core.pairing.field import Groups, Met, Pairs
from roundtap_core.randomness import Rand, shuffle

PASSES = 3


def improve(pairs: Pairs, groups: Groups, met: Met, rand: Rand) -> Pairs:
    """Exchange partners between two pairs while that lowers their repeats or, at no more repeats, betters the shape."""
    group_of = {member: g for g, group in enumerate(groups) for member in group}
    pairs = pairs[:]
    shuffle(pairs, rand)
    for _ in range(PASSES):
        pairs.sort(key=lambda pair: min(group_of[pair[0]], group_of[pair[1]]))
        changed = False
        for i in range(len(pairs)):
            for k in range(i + 1, len(pairs)):
                (a, b), (c, d) = pairs[i], pairs[k]
                now = _cost([(a, b), (c, d)], group_of, met)
                for other in ([(a, c), (b, d)], [(a, d), (b, c)]):
                    cost = _cost(other, group_of, met)
                    if cost < now:
                        now, changed = cost, True
                        pairs[i], pairs[k] = other
        if not changed:
            break
    return pairs


def _cost(pairs: Pairs, group_of: dict[int, int], met: Met) -> tuple[int, tuple[int, int], tuple[int, int]]:
    """Repeats, then the shape, of two pairs (see small.shape)."""
    (a, b), (c, d) = pairs
    i, j, k, m = group_of[a], group_of[b], group_of[c], group_of[d]
    one = (i, j) if i <= j else (j, i)
    two = (k, m) if k <= m else (m, k)
    repeats = (b in met[a]) + (d in met[c])
    return (repeats, one, two) if one <= two else (repeats, two, one)


def fewest_repeats(groups: Groups, met: Met, largest: LargestMatching, rand: Rand) -> Pairs:
    """A round with as few repeats as possible where there must be some: the pairless of a largest matching meet
    again, neighbours in the standings first."""
    pairs = [(a, b) for a, b in largest.partner.items() if a < b]
    left: Sequence[int] = [m for group in groups for m in group if m not in largest.partner]
    pairs += zip(left[::2], left[1::2], strict=True)
    return improve(pairs, groups, met, rand)
