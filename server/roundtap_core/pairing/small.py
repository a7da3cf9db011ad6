"""Fields of at most ten: every possible round is looked at, so the draw is exactly uniform over the best ones."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from roundtap_core.pairing.field import Groups, Met, Pairs

LARGEST = 10


def best_rounds(groups: Groups, met: Met) -> list[Pairs]:
    """All rounds with the fewest repeats and, among these, the best shape (lines 1 and 3 of the criterion)."""
    group_of = {member: g for g, group in enumerate(groups) for member in group}
    best: list[Pairs] = []
    best_key: tuple[int, list[tuple[int, int]]] | None = None
    for pairs in all_rounds(list(group_of)):
        key = (sum(b in met[a] for a, b in pairs), shape(pairs, group_of))
        if best_key is None or key < best_key:
            best, best_key = [pairs], key
        elif key == best_key:
            best.append(pairs)
    return best


def shape(pairs: Pairs, group_of: Sequence[int] | dict[int, int]) -> list[tuple[int, int]]:
    """The pairs as (upper group, lower group), sorted: the smaller list is the better shape.

    Two rounds of equally many pairs first differ in their sorted lists at the first m_ij in which they differ, and
    the one with more of it has the smaller entry there: the order of (m11, m12, …, m22, …).
    """
    cells = []
    for a, b in pairs:
        i, j = group_of[a], group_of[b]
        cells.append((i, j) if i <= j else (j, i))
    cells.sort()
    return cells


def all_rounds(members: list[int]) -> Iterator[Pairs]:
    """Every way to pair an even number of members: 945 for ten."""
    if not members:
        yield []
        return
    first, rest = members[0], members[1:]
    for i, second in enumerate(rest):
        for others in all_rounds(rest[:i] + rest[i + 1:]):
            yield [(first, second), *others]
