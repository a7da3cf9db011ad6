"""The best shape among a few groups at once: a heaviest matching whose weights spell the criterion in whole numbers."""

from collections.abc import Sequence

from msgspec import Struct

from roundtap_core.pairing.blossom import NOBODY, heaviest_matching_of_near
from roundtap_core.pairing.pairing_pool import Groups, Met, Pairs
from roundtap_core.randomness import Rand

NOISE = 1 << 24


class WindowSolution(Struct, frozen=True):
    """A solution: `pairs` among the groups; `tokens` are the members who meet one of the group above;
    `floating` those who go below the window."""

    pairs: Pairs
    tokens: list[int]
    floating: list[int]
    tokens_left: int


def solve_window(
    groups: Groups, met: Met, rand: Rand, tokens: int = 0, to_the_end: bool = False, repeats: bool = False
) -> WindowSolution:
    """The best shape of `groups`, with `tokens` arbitrary members of a flexible group above (they have met nobody).
    Members may float below the window at no cost but that of the better pairing; `to_the_end`: as few as possible do.
    With `repeats` earlier opponents may meet again where it cannot be helped: as few as possible. Random low digits
    choose among the best, so that each of them can come up."""
    members = [member for group in groups for member in group]
    row = [0] * tokens + [g + 1 for g, group in enumerate(groups) for _ in group]
    size = len(row)
    unit, total = _pair_weights([tokens, *map(len, groups)], size)
    legal_bonus = total + 1 if repeats else 0
    pair_bonus = (legal_bonus or 1) * (size + 1) + total if to_the_end else 0
    edges: list[dict[int, int]] = [{} for _ in range(size)]
    for i in range(size):
        barred = met[members[i - tokens]] if i >= tokens else set()
        for j in range(max(i + 1, tokens), size):
            legal = members[j - tokens] not in barred
            if legal or repeats:
                weight = pair_bonus + legal_bonus * legal + unit[row[i]][row[j]] + int(rand() * NOISE)
                edges[i][j] = edges[j][i] = weight
    return _to_window(heaviest_matching_of_near(edges), members, tokens)


def _pair_weights(sizes: Sequence[int], size: int) -> tuple[list[list[int]], int]:
    """What one pair between group i and group j weighs, i <= j; and more than all of it can come to. One m_ij more
    outweighs every later one together: mixed radix, each digit as large as m_ij can become."""
    units = [[0] * len(sizes) for _ in sizes]
    unit = NOISE * (size // 2 + 1)
    for i in range(len(sizes) - 1, -1, -1):
        for j in range(len(sizes) - 1, i - 1, -1):
            units[i][j] = unit
            unit *= (sizes[i] // 2 if i == j else min(sizes[i], sizes[j])) + 1
    return units, unit


def _to_window(mates: Sequence[int], members: Sequence[int], tokens: int) -> WindowSolution:
    pairs: Pairs = []
    met_tokens: list[int] = []
    floating: list[int] = []
    for i in range(tokens, len(mates)):
        mate = mates[i]
        if mate == NOBODY:
            floating.append(members[i - tokens])
        elif mate < tokens:
            met_tokens.append(members[i - tokens])
        elif mate > i:
            pairs.append((members[i - tokens], members[mate - tokens]))
    return WindowSolution(pairs, met_tokens, floating, sum(mates[i] == NOBODY for i in range(tokens)))
