"""Independent oracles for the pairing criterion: brute force, and a general matching over the whole field."""

import random
from functools import cache

import networkx

from roundtap_core.pairing.pairing_pool import PairingPool

STYLES = ("swiss", "flat", "spread", "cliques", "random")


def grade(field: PairingPool, pairs) -> tuple[int, tuple[int, ...]]:
    """Repeats (fewer is better), then (m11, m12, …, m1k, m22, …) (more is better), written out in full."""
    levels = sorted(set(field.points), reverse=True)
    counts = {(i, j): 0 for x, i in enumerate(levels) for j in levels[x:]}
    for a, b in pairs:
        counts[max(field.points[a], field.points[b]), min(field.points[a], field.points[b])] += 1
    repeats = sum(b in field.met[a] for a, b in pairs)
    return repeats, tuple(-counts[i, j] for x, i in enumerate(levels) for j in levels[x:])


def best_grade_by_table(field: PairingPool) -> tuple[int, tuple[int, ...]]:
    """The best grade by dynamic programming over all sets of competitors (up to about 16)."""
    size = len(field.ids)

    @cache
    def best(left: int) -> tuple[int, tuple[int, ...]]:
        if not left:
            return grade(field, [])
        a = (left & -left).bit_length() - 1
        found = []
        for b in range(a + 1, size):
            if left >> b & 1:
                repeats, counts = best(left & ~(1 << a) & ~(1 << b))
                more, cells = grade(field, [(a, b)])
                found.append((repeats + more, tuple(x + y for x, y in zip(counts, cells, strict=True))))
        return min(found)

    return best((1 << size) - 1)


def best_grade_by_matching(field: PairingPool) -> tuple[int, tuple[int, ...]]:
    """The best grade by networkx, over the complete graph, each digit of the weight as wide as the field."""
    size = len(field.ids)
    graph = networkx.Graph()
    for a in range(size):
        for b in range(a):
            repeats, cells = grade(field, [(a, b)])
            weight = 1 - repeats
            for cell in cells:
                weight = weight * size - cell
            graph.add_edge(a, b, weight=weight)
    return grade(field, networkx.max_weight_matching(graph, maxcardinality=True))


def played_field(rand: random.Random, size: int, rounds: int, style: str) -> PairingPool:
    """A field with a history: `rounds` of arbitrary (but never repeated, where that came easily) pairings.

    Styles: "swiss" wins of neighbours; "flat" few points; "spread" many points; "cliques" who came together have
    all met; "random" any points at all.
    """
    met: list[set[int]] = [set() for _ in range(size)]
    points = [0] * size
    for _ in range(rounds):
        order = list(range(size))
        rand.shuffle(order)
        if style in ("swiss", "spread"):
            order.sort(key=lambda i: -points[i])
        while len(order) > 1:
            a = order.pop(0)
            b = next((x for x in order if x not in met[a]), order[0] if rand.random() < 0.3 else None)
            if b is None:
                continue
            order.remove(b)
            met[a].add(b)
            met[b].add(a)
            points[rand.choice((a, b))] += rand.randint(1, 9) if style == "spread" else 1
    if style == "flat":
        points = [rand.randint(0, 1) for _ in range(size)]
    if style == "random":
        points = [rand.randint(0, size) for _ in range(size)]
    if style == "cliques":
        start = 0
        while start < size:
            end = min(size, start + rand.randint(1, max(2, size // 2)))
            for a in range(start, end):
                met[a] |= set(range(start, end)) - {a}
                points[a] = -start if rand.random() < 0.8 else points[a]
            start = end
    return PairingPool(tuple(f"p{i}" for i in range(size)), tuple(points), tuple(met), (0,) * size)
