"""Round 1: everybody at random, and those who came together apart as far as possible (X-Wing Epic; line 4)."""

from __future__ import annotations

from collections.abc import Sequence

from roundtap_core.pairing.field import Pairs
from roundtap_core.randomness import Rand, shuffle

IDEAL, REPAIRED = "ideal", "repaired"
TRIES = 400


def draw_first_round(members: Sequence[int], came_with: Sequence[str | None], rand: Rand) -> tuple[Pairs, str]:
    """A random round with the fewest pairings inside a "came with" group, and the way it was taken.

    Uniform over all of them, unless TRIES shuffles were unlucky and the last was repaired.
    """
    crowd = _half_or_more(members, came_with)
    if crowd:
        return _spread(members, crowd, rand), IDEAL
    line = list(members)
    for _ in range(TRIES):
        shuffle(line, rand)
        if not _together(line, came_with):
            return _pairs(line), IDEAL
    return _pairs(_separate(line, came_with, rand)), REPAIRED


def _pairs(line: Sequence[int]) -> Pairs:
    return list(zip(line[::2], line[1::2], strict=True))


def _same(a: int, b: int, came_with: Sequence[str | None]) -> bool:
    return came_with[a] is not None and came_with[a] == came_with[b]


def _together(line: Sequence[int], came_with: Sequence[str | None]) -> list[int]:
    """Where in the line a pair begins that came together."""
    return [k for k in range(0, len(line), 2) if _same(line[k], line[k + 1], came_with)]


def _half_or_more(members: Sequence[int], came_with: Sequence[str | None]) -> list[int]:
    """The group that fills at least half of the field, if there is one."""
    groups: dict[str, list[int]] = {}
    for member in members:
        name = came_with[member]
        if name is not None:
            groups.setdefault(name, []).append(member)
    largest = max(groups.values(), key=len, default=[])
    return largest if 2 * len(largest) >= len(members) else []


def _spread(members: Sequence[int], crowd: list[int], rand: Rand) -> Pairs:
    """Everybody else meets a random one of the crowd, which has to fill the rest of its pairs itself."""
    crowded = set(crowd)
    others = [member for member in members if member not in crowded]
    hosts = crowd[:]
    shuffle(hosts, rand)
    return list(zip(others, hosts, strict=False)) + _pairs(hosts[len(others):])


def _separate(line: list[int], came_with: Sequence[str | None], rand: Rand) -> list[int]:
    """Exchange partners with pairs that hold nobody of the group; there is one, as no group fills half the field."""
    for k in _together(line, came_with):
        a, b = line[k], line[k + 1]
        if not _same(a, b, came_with):
            continue
        places = [p for p in range(0, len(line), 2)
                  if not _same(a, line[p], came_with) and not _same(a, line[p + 1], came_with)]
        p = places[int(rand() * len(places))]
        line[k + 1], line[p] = line[p], b
    return line
