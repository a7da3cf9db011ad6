"""Pairing again what must change, held against every completion there is."""

from collections.abc import Iterator

from hypothesis import given
from hypothesis import strategies as st

from roundtap_core.pairing.smallest_change import ChangeCosts, smallest_change

Pairs = list[tuple[int, int]]


def everything(members: list[int]) -> Iterator[tuple[Pairs, int | None]]:
    """Every way to pair these, and who is left over of an odd number."""
    if len(members) % 2:
        for i, alone in enumerate(members):
            for pairs, _ in everything(members[:i] + members[i + 1 :]):
                yield pairs, alone
    elif not members:
        yield [], None
    else:
        first, rest = members[0], members[1:]
        for i, second in enumerate(rest):
            for pairs, _ in everything(rest[:i] + rest[i + 1 :]):
                yield [(first, second), *pairs], None


def measure(pairs: Pairs, alone: int | None, kept: Pairs, bound: ChangeCosts) -> tuple[int, ...]:
    """The six lines of the criterion, one after the other; smaller is better."""
    there = {frozenset(pair) for pair in kept}
    new = [(a, b) for a, b in pairs if frozenset((a, b)) not in there]
    return (
        bound.byes[alone] if alone is not None else 0,
        sum(b in bound.met[a] for a, b in new),
        sum(b in bound.together[a] for a, b in new) + (alone in bound.spared),
        len(there - {frozenset(pair) for pair in pairs}),
        sum((bound.group[a] - bound.group[b]) ** 2 for a, b in new),
        bound.alone[alone] if alone is not None else 0,
    )


@st.composite
def broken_rounds(draw: st.DrawFn) -> tuple[list[int], Pairs, ChangeCosts]:
    waiting = draw(st.integers(1, 4))
    tables = draw(st.integers(0, (9 - waiting) // 2))
    n = waiting + 2 * tables
    pairs = [
        frozenset(pair)
        for pair in draw(st.lists(st.tuples(st.integers(0, n - 1), st.integers(0, n - 1)), max_size=2 * n))
        if pair[0] != pair[1]
    ]
    came = draw(st.lists(st.integers(0, n), min_size=n, max_size=n))
    bound = ChangeCosts(
        met=[{b for b in range(n) if frozenset((a, b)) in pairs} for a in range(n)],
        together=[{b for b in range(n) if b != a and came[a] == came[b] != 0} for a in range(n)],
        group=draw(st.lists(st.integers(0, 3), min_size=n, max_size=n)),
        byes=draw(st.lists(st.integers(0, 2), min_size=n, max_size=n)),
        alone=draw(st.permutations(range(n))),
        spared=draw(st.sets(st.integers(0, n - 1))),
    )
    order = draw(st.permutations(range(n)))
    kept = [(order[waiting + 2 * i], order[waiting + 2 * i + 1]) for i in range(tables)]
    return list(order[:waiting]), kept, bound


@given(broken_rounds())
def test_no_completion_is_better(broken: tuple[list[int], Pairs, ChangeCosts]) -> None:
    waiting, kept, bound = broken
    pairs, alone = smallest_change(waiting, kept, bound)
    members = sorted({*waiting, *(i for pair in kept for i in pair)})
    assert sorted([i for pair in pairs for i in pair] + ([alone] if alone is not None else [])) == members
    best = min(measure(some, left, kept, bound) for some, left in everything(members))
    assert measure(pairs, alone, kept, bound) == best


def bound(n: int, met: Pairs = (), **more: list[int]) -> ChangeCosts:  # type: ignore[assignment]
    there = {frozenset(pair) for pair in met}
    return ChangeCosts(
        met=[{b for b in range(n) if frozenset((a, b)) in there} for a in range(n)],
        together=[set() for _ in range(n)],
        group=more.get("group", [0] * n),
        byes=more.get("byes", [0] * n),
        alone=more.get("alone", list(range(n))),
    )


def test_two_who_wait_meet_and_nobody_else_moves() -> None:
    assert sorted(smallest_change([0, 5], [(1, 2), (3, 4)], bound(6))[0]) == [(0, 5), (1, 2), (3, 4)]


def test_one_table_is_broken_up_where_the_two_who_wait_have_met() -> None:
    """The nearer one by points of the two tables that could help."""
    pairs, _ = smallest_change([0, 5], [(1, 2), (3, 4)], bound(6, met=[(0, 5)], group=[1, 0, 0, 1, 1, 1]))
    assert (1, 2) in pairs
    assert (0, 5) not in pairs


def test_nobody_gets_a_second_bye_while_somebody_without_one_plays() -> None:
    pairs, alone = smallest_change([0], [(1, 2)], bound(3, byes=[1, 0, 0]))
    assert alone in (1, 2)
    assert len(pairs) == 1


def test_sixty_four_tables_are_paired_again_in_one_go() -> None:
    """Who waits at the far ends of the hall meets; all other tables stay as they are."""
    n = 128
    kept = [(i, i + 1) for i in range(1, n - 1, 2)]
    pairs, alone = smallest_change([0, n - 1], kept, bound(n, group=[i // 8 for i in range(n)]))
    assert alone is None
    assert set(kept) < set(pairs)
