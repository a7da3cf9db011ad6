"""The ideal shape: every group pairs inside itself, and at most one competitor floats, to the next group.

No draw can do better in line 3 of the criterion, so a legal draw of this shape needs no search. It falls into
independent parts wherever an even number of competitors stands above; redrawing a part until nobody meets an earlier
opponent is exactly uniform over all ideal draws of that part.
"""

from __future__ import annotations

from roundtap_core.pairing.field import Groups, Met, Pairs
from roundtap_core.randomness import Rand, shuffle

TRIES = 100
RESTARTS = 4


def first_part(groups: Groups) -> int:
    """How many groups from the top hold together: the fewest with an even number of members."""
    members = 0
    for i, group in enumerate(groups):
        members += len(group)
        if members % 2 == 0:
            return i + 1
    raise AssertionError("an odd field has no parts: the bye comes first")


def draw_ideal(part: Groups, met: Met, rand: Rand) -> Pairs | None:
    """An ideal draw of one part by shuffling until it is legal, or None after TRIES."""
    only_one_way = len(part) == sum(map(len, part))
    for _ in range(1 if only_one_way else TRIES):
        pairs: Pairs = []
        floater: int | None = None
        for group in part:
            members = group[:]
            if not _shuffle_legally(members, floater, met, rand, pairs):
                break
            floater = members[-1] if (len(members) + (floater is not None)) % 2 else None
        else:
            return pairs
    return None


def _shuffle_legally(members: list[int], floater: int | None, met: Met, rand: Rand, pairs: Pairs) -> bool:
    """Shuffle the members and pair them in twos; the first meets the `floater` from above, an odd last one floats.

    The same throws as `shuffle`, given up at the first repeat: what is left of a lost try need not be drawn.
    """
    high = len(members) - 1
    if (high + (floater is None)) % 2:
        j = int(rand() * (high + 1))
        members[j], members[high] = members[high], members[j]
        high -= 1
    for i in range(high, 0, -2):
        j = int(rand() * (i + 1))
        b = members[j]
        members[j] = members[i]
        j = int(rand() * i)
        a = members[j]
        if a in met[b]:
            return False
        members[j] = members[i - 1]
        pairs.append((a, b))
    if floater is not None:
        if members[0] in met[floater]:
            return False
        pairs.append((floater, members[0]))
    return True


def shuffled_line(part: Groups, rand: Rand) -> list[int]:
    """The groups one after another, each shuffled: read in twos, the one left over meets the next group's first."""
    line: list[int] = []
    for group in part:
        members = group[:]
        shuffle(members, rand)
        line += members
    return line


def repair_ideal(part: Groups, met: Met, rand: Rand) -> Pairs | None:
    """An ideal draw by mending an unlucky one: members of one group change places until nobody meets twice.

    Always succeeds in a single group of at least 2 r + 2, where r is the most earlier opponents anybody has in it:
    of the exchanges that free a pair, fewer than all are barred. None where it gives up.
    """
    for _ in range(RESTARTS):
        line = shuffled_line(part, rand)
        if mend(line, _bounds(part), met, rand):
            return list(zip(line[::2], line[1::2], strict=True))
    return None


def _bounds(part: Groups) -> list[tuple[int, int]]:
    """For each place in the line, where its group begins and ends."""
    bounds: list[tuple[int, int]] = []
    for group in part:
        start = len(bounds)
        bounds += [(start, start + len(group))] * len(group)
    return bounds


def mend(line: list[int], bounds: list[tuple[int, int]], met: Met, rand: Rand) -> bool:
    """Exchange members within their groups, each time for fewer repeats; True when none is left."""
    bad = [k for k in range(0, len(line), 2) if line[k + 1] in met[line[k]]]
    while bad:
        k = bad.pop()
        if line[k + 1] not in met[line[k]]:
            continue
        if not (_exchange(line, k, bounds, met, rand) or _exchange(line, k + 1, bounds, met, rand)):
            return False
        bad.append(k)
    return True


def _exchange(line: list[int], here: int, bounds: list[tuple[int, int]], met: Met, rand: Rand) -> bool:
    """Exchange the one at `here`, who meets an earlier opponent, so that this pair is legal and no other gets worse."""
    low, high = bounds[here]
    size = high - low
    partner = line[here ^ 1]
    begin = int(rand() * size)
    me = line[here]
    for step in range(size):
        there = low + (begin + step) % size
        you = line[there]
        if there >> 1 == here >> 1 or you in met[partner]:
            continue
        theirs = line[there ^ 1]
        if me in met[theirs] and you not in met[theirs]:
            continue
        line[here], line[there] = you, me
        return True
    return False
