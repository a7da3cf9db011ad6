"""The smallest change to a drawn round: pairs waiting people and breaks up the fewest of its pairs."""

from collections.abc import Collection, Sequence

from msgspec import Struct

from roundtap_core.errors import Problem
from roundtap_core.pairing.blossom import NOBODY, heaviest_matching
from roundtap_core.pairing.pairing_pool import Met, Pairs

WIDEST, MOST_WAITING = 512, 256
"""The most people considered together, and the most waiting: bounds by count, the same on every machine."""


class ChangeCosts(Struct, frozen=True):
    """The costs of a completion, as small whole numbers by member. `met[i]`: earlier opponents; `together[i]`: members
    who came with i; `group[i]`: the points group from the top; `byes[i]`: byes so far; `alone[i]`: distinct places in
    the order of candidates for staying alone; `spared`: whose turn to stay alone it is not."""

    met: Met
    together: Met
    group: Sequence[int]
    byes: Sequence[int]
    alone: Sequence[int]
    spared: Collection[int] = ()


def smallest_change(waiting: Collection[int], drawn: Pairs, bound: ChangeCosts) -> tuple[Pairs, int | None]:
    """All pairs of `waiting` and the pairs `drawn` as they should be, and the member left alone of an odd number.

    The criterion; each line binds before the next:

        1. The member left alone has had the fewest byes.
        2. The fewest new pairs that met before.
        3. The fewest new pairs that came together, and nobody of `spared` left alone.
        4. The fewest of `drawn` broken up.
        5. The smallest sum of (distance of the points groups)² over the new pairs.
        6. The member left alone is the first in the order `alone`.

    In a field of more than 512, only the pairs nearest by points are considered. Raises Problem("mend_too_many") for
    more than 256 waiting.
    """
    if len(waiting) > MOST_WAITING:
        raise Problem("mend_too_many", count=len(waiting), maximum=MOST_WAITING)
    near = _nearest(waiting, drawn, bound)
    members = sorted({*waiting, *(i for pair in near for i in pair)})
    place = {member: v for v, member in enumerate(members)}
    n = len(members)
    odd = n % 2
    costs: list[dict[int, tuple[int, ...]]] = [{} for _ in range(n + odd)]
    there = {frozenset(pair) for pair in near}
    for a in members:
        for b in members:
            if a < b:
                costs[place[a]][place[b]] = _cost(a, b, frozenset((a, b)) in there, bound)
        if odd:
            costs[place[a]][n] = (bound.byes[a], 0, int(a in bound.spared), 0, 0, bound.alone[a])
    mates = heaviest_matching(_weights(costs))
    pairs = [(members[v], members[w]) for v, w in enumerate(mates) if v < w < n]
    alone = members[mates[n]] if odd and mates[n] != NOBODY else None
    return pairs + sorted(set(drawn) - set(near)), alone


def _nearest(waiting: Collection[int], drawn: Pairs, bound: ChangeCosts) -> Pairs:
    groups = {bound.group[who] for who in waiting}

    def distance(pair: tuple[int, int]) -> int:
        return min(abs(bound.group[who] - group) for who in pair for group in groups)

    return sorted(drawn, key=distance)[: (WIDEST - len(waiting)) // 2]


def _cost(a: int, b: int, there: bool, bound: ChangeCosts) -> tuple[int, ...]:
    if there:
        return 0, 0, 0, -1, 0, 0
    return 0, int(b in bound.met[a]), int(b in bound.together[a]), 0, (bound.group[a] - bound.group[b]) ** 2, 0


def _weights(costs: Sequence[dict[int, tuple[int, ...]]]) -> list[dict[int, int]]:
    """Costs as weights to maximize: each line outweighs all later ones, and one more pair outweighs everything."""
    n = len(costs)
    places = range(6)
    widest = [max((abs(cost[p]) for around in costs for cost in around.values()), default=0) for p in places]
    scale = [1] * 6
    for p in reversed(places[:-1]):
        scale[p] = scale[p + 1] * (2 * n * widest[p + 1] + 1)
    most = sum(scale[p] * widest[p] for p in places) * (n + 1) + 1
    edges: list[dict[int, int]] = [{} for _ in range(n)]
    for v, around in enumerate(costs):
        for w, cost in around.items():
            edges[v][w] = edges[w][v] = most - sum(scale[p] * cost[p] for p in places)
    return edges
