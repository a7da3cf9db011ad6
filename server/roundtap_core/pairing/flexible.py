"""Large groups bend: whoever leaves one, the others can still all be paired inside without a repeat.

With r the most earlier opponents a member has inside the group, any even number >= 2 r + 2 of its members can be
paired without a repeat (Dirac: everybody can still meet at least half). So such a group can stand for any few of its
members while the groups around it are being paired, and the persons are chosen afterwards, at random.
"""

from __future__ import annotations

from collections.abc import Sequence

from roundtap_core.pairing.field import Groups, Met, Pairs
from roundtap_core.pairing.ideal import repair_ideal
from roundtap_core.randomness import Rand


def most_met_among(members: Sequence[int], met: Met) -> int:
    """The most earlier opponents that one of `members` has among them."""
    inside = set(members)
    return max((len(met[member] & inside) for member in members), default=0)


def can_spare(group: Sequence[int], rest: Groups, below: int, met: Met, most_met: int) -> int:
    """How many members may leave `group` for floaters from above, in any choice, so that it stays flexible.

    `rest` are all groups still to be paired; `below` counts those under the group: it may have to send each of
    them an opponent, but only one where they are many enough to help themselves. Negative: not flexible at all.
    """
    sent_down = min(below, 1) if below >= 2 * most_met + 3 else below
    left = len(group) - sent_down
    if left < 2:
        return -1
    r = most_met_among(group, met)
    if left < 2 * r + 2:
        return -1
    return min(left - (2 * r + 2), left - _most_met_of(group, rest, met))


def _most_met_of(group: Sequence[int], rest: Groups, met: Met) -> int:
    """The most members of `group` that anybody in the rest outside of it has met."""
    counts: dict[int, int] = {}
    for member in group:
        for other in met[member]:
            counts[other] = counts.get(other, 0) + 1
    outside = set().union(*rest).difference(group)
    return max([count for other, count in counts.items() if other in outside], default=0)


def choose_opponents(guests: Sequence[int], group: list[int], met: Met, rand: Rand) -> Pairs:
    """Each guest with a random member not met before; those members leave `group`. A flexible group has them."""
    pairs: Pairs = []
    for guest in guests:
        hosts = [member for member in group if member not in met[guest]]
        host = hosts[int(rand() * len(hosts))]
        group.remove(host)
        pairs.append((host, guest))
    return pairs


def pair_inside(group: list[int], met: Met, rand: Rand) -> Pairs:
    """All of an even flexible group among themselves."""
    pairs = repair_ideal([group], met, rand)
    assert pairs is not None, "a flexible group can always be paired inside"
    return pairs
