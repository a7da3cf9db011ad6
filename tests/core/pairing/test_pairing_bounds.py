"""What a draw looks at is bounded by counting, whatever the field: no search of thousands stalls a hub."""

import pytest

from roundtap_core.errors import Problem
from roundtap_core.pairing import topdown
from roundtap_core.pairing.pairing_pool import DrawRandom, PairingPool
from roundtap_core.pairing.smallest_change import MOST_WAITING, ChangeCosts, smallest_change
from roundtap_core.pairing.swiss_round import draw_round
from roundtap_core.pairing.topdown import EFFORT, WIDEST


def neighbours_met(n: int, groups: int, reach: int) -> PairingPool:
    """Everybody has met those who stand nearest: no group can be paired within itself."""
    met = tuple(set(range(max(0, i - reach), min(n, i + reach + 1))) - {i} for i in range(n))
    points = tuple(sorted((i * groups // n for i in range(n)), reverse=True))
    return PairingPool(tuple(f"p{i}" for i in range(n)), points, met, (0,) * n)


@pytest.mark.parametrize(
    ("n", "groups", "reach"),
    [(512, 256, 15), (2048, 1024, 20), (4096, 64, 30), pytest.param(4096, 2048, 30, marks=pytest.mark.long)],
)
def test_searches_cost_no_more_than_they_may(monkeypatch: pytest.MonkeyPatch, n: int, groups: int, reach: int) -> None:
    field = neighbours_met(n, groups, reach)
    sizes: list[int] = []
    search = topdown.heaviest_matching_of_near
    monkeypatch.setattr(topdown, "heaviest_matching_of_near", lambda edges: sizes.append(len(edges)) or search(edges))  # type: ignore[func-returns-value]
    pairs, _ = draw_round(field, range(n), DrawRandom(1, 9, 1), field.byes, 0)
    assert sorted(member for pair in pairs for member in pair) == list(range(n))
    assert not field.repeats(pairs)
    assert max(sizes) <= WIDEST
    assert sum(size**3 for size in sizes) <= 4 * EFFORT


def large_round(people: int, waiting: int) -> tuple[list[int], list[tuple[int, int]], ChangeCosts]:
    """Who waits stands in the midst of the field; all others sit in pairs of neighbours."""
    waits = list(range(people // 2, people // 2 + waiting))
    seated = [i for i in range(people) if i not in waits]
    kept = list(zip(seated[::2], seated[1::2], strict=True))
    nobody: list[set[int]] = [set() for _ in range(people)]
    met = [{other for other in waits if other != i} if i in waits else set() for i in range(people)]
    return waits, kept, ChangeCosts(met, nobody, [i // 20 for i in range(people)], [0] * people, range(people))


def test_in_a_field_of_thousands_who_waits_is_paired_with_those_around() -> None:
    waits, kept, bound = large_round(4000, 2)
    pairs, alone = smallest_change(waits, kept, bound)
    assert alone is None
    assert sorted(member for pair in pairs for member in pair) == list(range(4000))
    new = set(map(frozenset, pairs)) - set(map(frozenset, kept))
    assert len(new) == 2, "they have met: one pair is broken up for them"
    assert all(abs(bound.group[a] - bound.group[b]) <= 1 for a, b in map(sorted, new))


def test_more_than_can_be_looked_at_together_are_refused() -> None:
    waits, kept, bound = large_round(2 * MOST_WAITING + 4, MOST_WAITING + 2)
    with pytest.raises(Problem, check=lambda problem: problem.key == "mend_too_many"):
        smallest_change(waits, kept, bound)
