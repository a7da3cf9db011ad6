"""The best a round can be: fewest repeats, then as many pairs as possible within and between groups from the top."""

from collections.abc import Collection, Mapping, Sequence
from functools import cache
from itertools import pairwise

import networkx

from checker.repeats import Met

Pairs = Sequence[tuple[str, str]]
Grade = tuple[int, tuple[int, ...]]
"""Repeats, then minus (m11, m12, …, m1k, m22, …): less is better."""

BY_TABLE, BY_MATCHING = 12, 40


def grade(pairs: Pairs, points: Mapping[str, int], met: Met, members: Collection[str]) -> Grade:
    levels = sorted({points[who] for who in members}, reverse=True)
    place = {level: n for n, level in enumerate(levels)}
    cells = [(i, j) for i in range(len(levels)) for j in range(i, len(levels))]
    index = {cell: n for n, cell in enumerate(cells)}
    counts = [0] * len(cells)
    for a, b in pairs:
        i, j = sorted((place[points[a]], place[points[b]]))
        counts[index[i, j]] -= 1
    return sum(b in met[a] for a, b in pairs), tuple(counts)


def is_ideal(pairs: Pairs, points: Mapping[str, int], met: Met) -> bool:
    """No repeat, every group pairs inside itself, and an odd one meets the next group: nothing can be better."""
    members = [who for pair in pairs for who in pair]
    sizes: dict[int, int] = {}
    for who in members:
        sizes[points[who]] = sizes.get(points[who], 0) + 1
    levels = sorted(sizes, reverse=True)
    wanted = dict.fromkeys([(level, level) for level in levels], 0)
    carried = False
    for level, below in pairwise([*levels, -1]):
        rest = sizes[level] - carried
        wanted[level, level] = rest // 2
        carried = rest % 2 == 1
        if carried:
            wanted[level, below] = 1
    got: dict[tuple[int, int], int] = {}
    for a, b in pairs:
        cell = (max(points[a], points[b]), min(points[a], points[b]))
        got[cell] = got.get(cell, 0) + 1
    return all(b not in met[a] for a, b in pairs) and got == {cell: n for cell, n in wanted.items() if n}


def best_grade(members: Sequence[str], points: Mapping[str, int], met: Met) -> Grade | None:
    """The best grade of any round of these members; None for a field too large to know it here."""
    if len(members) <= BY_TABLE:
        return _by_table(tuple(members), points, met)
    if len(members) <= BY_MATCHING:
        return _by_matching(members, points, met)
    return None


def _by_table(members: tuple[str, ...], points: Mapping[str, int], met: Met) -> Grade:
    size = len(members)
    nothing = grade([], points, met, members)
    single = {
        (a, b): grade([(members[a], members[b])], points, met, members) for a in range(size) for b in range(a + 1, size)
    }

    @cache
    def best(left: int) -> Grade:
        if not left:
            return nothing
        a = (left & -left).bit_length() - 1
        found = []
        for b in range(a + 1, size):
            if left >> b & 1:
                repeats, counts = best(left ^ 1 << a ^ 1 << b)
                more, cells = single[a, b]
                found.append((repeats + more, tuple(map(sum, zip(counts, cells, strict=True)))))
        return min(found)

    return best((1 << size) - 1)


def _by_matching(members: Sequence[str], points: Mapping[str, int], met: Met) -> Grade:
    graph = networkx.Graph()
    for n, a in enumerate(members):
        for b in members[:n]:
            repeats, cells = grade([(a, b)], points, met, members)
            weight = 1 - repeats
            for cell in cells:
                weight = weight * len(members) - cell
            graph.add_edge(a, b, weight=weight)
    return grade(list(networkx.max_weight_matching(graph, maxcardinality=True)), points, met, members)
