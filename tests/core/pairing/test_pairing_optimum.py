"""Every draw is held against independent oracles: the best grade there is, no repeat that could have been avoided."""

import random
from collections import Counter
from collections.abc import Callable

import pytest

from oracle_pairing import STYLES, best_grade_by_matching, best_grade_by_table, grade, played_field
from roundtap_core.pairing import blossom, topdown
from roundtap_core.pairing.blossom import NOBODY, Edges, heaviest_matching, heaviest_matching_of_near
from roundtap_core.pairing.cardinality import LargestMatching, draw_fewest_repeats
from roundtap_core.pairing.pairing_pool import DrawRandom, Groups, Met, PairingPool
from roundtap_core.pairing.swiss_round import all_pairings, best_rounds, draw_large, draw_round
from roundtap_core.pairing.topdown import WindowSolution, solve_window
from roundtap_core.randomness import Rand


def draw(field: PairingPool, seed: int) -> tuple[list[tuple[int, int]], str]:
    members = range(len(field.ids))
    pairs, method = draw_large(field, members, field.met, DrawRandom(seed, 2, 1))
    assert sorted(member for pair in pairs for member in pair) == list(members)
    return pairs, method


@pytest.mark.parametrize("style", STYLES)
def test_small_fields_against_brute_force(style: str) -> None:
    rand = random.Random(style)
    for seed in range(120):
        size = rand.randrange(2, 9, 2)
        field = played_field(rand, size, rand.randint(0, size), style)
        best = min(grade(field, pairs) for pairs in all_pairings(list(range(size))))
        assert grade(field, draw(field, seed)[0]) == best
        assert {grade(field, pairs) for pairs in best_rounds(field.groups(range(size)), field.met)} == {best}


@pytest.mark.parametrize("style", STYLES)
def test_middling_fields_against_a_table_of_all_subsets(style: str) -> None:
    rand = random.Random(style)
    for seed in range(4):
        field = played_field(rand, 12, rand.choice((2, 5, 9)), style)
        assert grade(field, draw(field, seed)[0]) == best_grade_by_table(field)


@pytest.mark.parametrize("style", STYLES)
def test_larger_fields_against_a_matching_over_the_whole_field(style: str) -> None:
    rand = random.Random(style)
    for seed in range(24):
        size = rand.choice((12, 14, 16, 22, 30))
        field = played_field(rand, size, rand.choice((1, 3, 6, size // 2, size)), style)
        pairs, method = draw(field, seed)
        assert method != "windowed"
        assert grade(field, pairs) == best_grade_by_matching(field)


def test_both_ways_to_be_exact_are_among_those_tried() -> None:
    """If every field above were drawn by luck, the search would not have been tested at all."""
    rand = random.Random("methods")
    methods = Counter(draw(played_field(rand, 24, 5, style), seed)[1] for seed in range(20) for style in STYLES)
    assert methods["ideal"] > 20
    assert methods["exact"] > 20


def small_groups_have_all_met(*sizes: int) -> PairingPool:
    """Groups from the top down; of the last one each has one point. In those of fewer than ten all have met."""
    size = sum(sizes)
    groups = [range(sum(sizes[:g]), sum(sizes[: g + 1])) for g in range(len(sizes))]
    met: list[set[int]] = [set(group) - {member} if len(group) < 10 else set() for group in groups for member in group]
    points = tuple(len(sizes) - g for g, group in enumerate(groups) for _ in group)
    return PairingPool(tuple(map(str, range(size))), points, tuple(met), (0,) * size)


def points_of_pairs(field: PairingPool, pairs: list[tuple[int, int]]) -> Counter[tuple[int, ...]]:
    return Counter(tuple(sorted((field.points[a], field.points[b]), reverse=True)) for a, b in pairs)


def test_large_groups_bend_for_the_small_ones_between_them() -> None:
    field = small_groups_have_all_met(3, 60, 5, 60, 4)
    for seed in range(5):
        pairs, method = draw(field, seed)
        cells = points_of_pairs(field, pairs)
        # By hand: 3 float down to the 60; of the other 57 one floats to the five; the other 4 of these float to the
        # 60, 56 are left. All of them inside would leave the last four to repeat: so 4 of them go down, 52 stay.
        assert cells == {(5, 4): 3, (4, 4): 28, (4, 3): 1, (3, 2): 4, (2, 2): 26, (2, 1): 4}
        assert (method, field.repeats(pairs)) == ("exact", 0)


def test_the_odd_one_of_a_large_group_floats_no_further_than_to_the_next() -> None:
    field = small_groups_have_all_met(61, 3, 3, 61)
    for seed in range(5):
        pairs, method = draw(field, seed)
        # By hand: one of the 61 meets one of the upper three, whose other two meet lower ones; the third of these
        # goes on to the 61 below.
        assert points_of_pairs(field, pairs) == {(4, 4): 30, (4, 3): 1, (3, 2): 2, (2, 1): 1, (1, 1): 30}
        assert (method, field.repeats(pairs)) == ("exact", 0)


@pytest.mark.parametrize("margins", [False, True], ids=["win-loss", "distinct points"])
def test_no_avoidable_repeat_after_very_many_rounds(margins: bool) -> None:
    rand = random.Random(margins)
    size = 70
    met: list[set[int]] = [set() for _ in range(size)]
    points = [0] * size
    for number in range(1, 50):
        field = PairingPool(tuple(map(str, range(size))), tuple(points), tuple(met), (0,) * size)
        pairs, _ = draw_round(field, range(size), DrawRandom(5, number, 1), field.byes, 0)
        legal = LargestMatching(range(size), met)
        assert field.repeats(pairs) == legal.unmatched // 2
        for a, b in pairs:
            met[a].add(b)
            met[b].add(a)
            points[rand.choice((a, b))] += 1000 + rand.randrange(500) if margins else 1


def neighbours_met(size: int, points: list[int], near: int) -> PairingPool:
    """Everybody has met the `near` nearest on either side (on a circle): the best shape hangs together all the way."""
    met = [{(i + step) % size for step in range(-near, near + 1)} - {i} for i in range(size)]
    return PairingPool(tuple(map(str, range(size))), tuple(points), tuple(met), (0,) * size)


@pytest.mark.parametrize("group", [1, 4, 7, 40])
def test_work_is_bounded_where_everything_hangs_together(group: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """No window is wider than WIDEST, wide ones end when EFFORT is spent; and what is drawn is legal all the same."""
    sizes: list[int] = []

    def noted(groups: Groups, met: Met, rand: Rand, tokens: int = 0, to_the_end: bool = False) -> WindowSolution:
        sizes.append(sum(map(len, groups)) + tokens)
        return solve_window(groups, met, rand, tokens, to_the_end)

    monkeypatch.setattr(topdown, "solve_window", noted)
    monkeypatch.setattr(topdown, "EFFORT", topdown.WIDEST**3)
    size = 360
    field = neighbours_met(size, [-(i // group) for i in range(size)], 30)
    pairs, method = draw(field, 1)
    assert field.repeats(pairs) == 0
    assert max(sizes, default=0) <= topdown.WIDEST
    wide = [n for n in sizes if n > topdown.NARROW]
    assert sum(n**3 for n in wide) <= 2 * topdown.WIDEST**3
    assert method == ("exact" if group == 1 else "windowed")


def test_exchanges_only_better_the_shape() -> None:
    """Where all is left to exchanges, they start from a legal round and never worsen it."""
    rand = random.Random(14)
    for seed in range(30):
        field = played_field(rand, 16, rand.choice((2, 5, 8)), STYLES[seed % len(STYLES)])
        largest = LargestMatching(range(16), field.met)
        begun = draw_fewest_repeats(field.groups(range(16)), field.met, largest, lambda: 0.5)
        first = [(a, b) for a, b in largest.partner.items() if a < b]
        assert grade(field, begun)[0] == largest.unmatched // 2
        if not largest.unmatched:
            assert grade(field, begun) <= grade(field, first)


@pytest.mark.parametrize("but", [0, 3, 40, 60])
def test_fewest_repeats_where_no_legal_round_is_left(but: int) -> None:
    size = 120
    met = [set(range(size)) - {i} for i in range(size)]
    for i in range(but):
        met[2 * i].discard(2 * i + 1)
        met[2 * i + 1].discard(2 * i)
    field = PairingPool(tuple(map(str, range(size))), tuple(i % 5 for i in range(size)), tuple(met), (0,) * size)
    assert field.repeats(draw(field, 1)[0]) == size // 2 - but


def test_small_draws_are_uniform_over_the_best() -> None:
    """Eight players, two groups of five and three, one earlier meeting: 5 * 3 * 3 rounds less the barred ones."""
    met: list[set[int]] = [set() for _ in range(8)]
    met[0], met[1] = {1}, {0}
    field = PairingPool(tuple("ABCDEFGH"), (1,) * 5 + (0,) * 3, tuple(met), (0,) * 8)
    best = best_rounds(field.groups(range(8)), field.met)
    # The floater is A or B (3 ways each for the other four) or C, D, E (3 ways less the one with A-B): 12 by 3 hosts.
    assert len(best) == 36
    seen = Counter(
        frozenset(map(frozenset, draw_round(field, range(8), DrawRandom(seed, 2, 1), field.byes, 0)[0]))
        for seed in range(3600)
    )
    assert set(seen) == {frozenset(map(frozenset, pairs)) for pairs in best}
    assert sum((count - 100) ** 2 / 100 for count in seen.values()) < 74.9  # chi-square, 35 degrees, 1 in 10,000


def test_ideal_draws_by_shuffling_are_uniform() -> None:
    """The same field by the way of large fields, which shuffles."""
    met: list[set[int]] = [set() for _ in range(8)]
    met[0], met[1] = {1}, {0}
    field = PairingPool(tuple("ABCDEFGH"), (1,) * 5 + (0,) * 3, tuple(met), (0,) * 8)
    seen = Counter(frozenset(map(frozenset, draw(field, seed)[0])) for seed in range(3600))
    assert len(seen) == 36
    assert sum((count - 100) ** 2 / 100 for count in seen.values()) < 74.9


def test_every_optimum_of_an_exact_search_can_come_up() -> None:
    """Three who have all met and three others: the ideal shape is impossible, all 6 ways to cross are as good."""
    met = [set(range(3)) - {i} for i in range(3)] + [set() for _ in range(3)]
    field = PairingPool(tuple("ABCDEF"), (1, 1, 1, 0, 0, 0), tuple(met), (0,) * 6)
    seen = Counter()
    for seed in range(300):
        pairs, method = draw(field, seed)
        assert method == "exact"
        seen[frozenset(map(frozenset, pairs))] += 1
    assert len(seen) == 6


@pytest.mark.parametrize("search", [heaviest_matching, heaviest_matching_of_near])
def test_heaviest_matching_against_all_matchings(
    search: Callable[[Edges], list[int]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(blossom, "NEAR", 1)  # so that a vertex is first seen with one or two of up to seven edges
    rand = random.Random(11)
    for _ in range(300):
        size = rand.randint(2, 8)
        edges: list[dict[int, int]] = [{} for _ in range(size)]
        for a in range(size):
            for b in range(a):
                if rand.random() < 0.7:
                    edges[a][b] = edges[b][a] = rand.randint(1, 9) << rand.choice((0, 0, 90))
        padded = list(range(size + size % 2))
        best = max(sum(edges[a].get(b, 0) for a, b in pairs if a < size) for pairs in all_pairings(padded))
        mates = search(edges)
        assert all(mate == NOBODY or mates[mate] == v for v, mate in enumerate(mates))
        assert sum(edges[v][mate] for v, mate in enumerate(mates) if mate > v) == best


def test_the_search_by_near_edges_finds_what_the_search_by_all_edges_finds() -> None:
    """Weights without a pattern, weights that fall with the distance, and weights that rise with it."""
    rand = random.Random(13)
    for turn in range(60):
        size = rand.randint(25, 60)
        edges: list[dict[int, int]] = [{} for _ in range(size)]
        for a in range(size):
            for b in range(a + 1, size):
                if rand.random() < rand.choice((0.3, 0.9)):
                    digit = (0, size - (b - a), b - a)[turn % 3]
                    edges[a][b] = edges[b][a] = (digit << 40 * rand.choice((1, 2))) + rand.randrange(1, 1 << 30)
        assert heaviest_matching_of_near(edges) == heaviest_matching(edges)


def test_spare_competitors_are_those_some_largest_matching_leaves_out() -> None:
    rand = random.Random(12)
    for _ in range(200):
        size = rand.randrange(3, 12)
        field = played_field(rand, size, rand.randint(0, size), rand.choice(STYLES))
        whole = LargestMatching(range(size), field.met)
        for member in range(size):
            others = [other for other in range(size) if other != member]
            without = LargestMatching(others, field.met)
            assert (len(without.partner) == len(whole.partner)) == (member in whole.spare)
