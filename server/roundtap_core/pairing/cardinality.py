"""The largest pairing without a repeat (Edmonds' blossoms), and rounds made from one."""

from collections import deque
from collections.abc import Mapping, Sequence

from roundtap_core.pairing.pairing_pool import Groups, Met, Pairs
from roundtap_core.randomness import Rand, shuffle

FREE = -1
WAITING = 4  # how many free members are tried for a short path before the general search

PASSES = 3
REACH = 256  # how far below it a pair is offered exchanges: all of a field of 512, bounded work in a larger one


class LargestMatching:
    """A largest matching among `members`, an edge wherever two have not met. `partner` maps each matched member to the
    other; `spare` holds every member that some largest matching leaves out (the Gallai-Edmonds set D): leaving out any
    other costs a pair. Invalid pairs of `start` are dropped."""

    def __init__(self, members: Sequence[int], met: Met, start: dict[int, int] | None = None) -> None:
        self._members = list(members)
        self._met = met
        self.partner: dict[int, int] = {}
        self.spare: set[int] = set()
        self._begin(start or {})
        self._alive = set(self._members)
        for root in self._members:
            if root not in self.partner and not self._join(root):
                self._search(root)

    @property
    def unmatched(self) -> int:
        return len(self._members) - len(self.partner)

    def _begin(self, start: dict[int, int]) -> None:
        inside = set(self._members)
        for a, b in start.items():
            if a in inside and b in inside and b not in self._met[a]:
                self.partner[a] = b
        # Most constrained first: a good start leaves little to search.
        waiting = sorted((m for m in self._members if m not in self.partner), key=lambda m: -len(self._met[m]))
        free = dict.fromkeys(waiting)
        for a in waiting:
            if a in free:
                del free[a]
                if not free.keys() <= self._met[a]:
                    b = next(other for other in free if other not in self._met[a])
                    del free[b]
                    self.partner[a], self.partner[b] = b, a

    def _join(self, root: int) -> bool:
        """The shortest path, available where many have not met: a pair parts, for the root and another free member."""
        others = [m for m in self._members if m not in self.partner and m != root and m in self._alive]
        for other in others[:WAITING]:
            for v, w in self.partner.items():
                if v not in self._met[root] and w not in self._met[other]:
                    self.partner[root], self.partner[v] = v, root
                    self.partner[other], self.partner[w] = w, other
                    return True
        return False

    def _search(self, root: int) -> None:
        """Grow an alternating tree from `root`; augment, or set the tree aside for good (it can help nobody)."""
        self._alive.discard(root)
        if self._alive <= self._met[root]:
            self.spare.add(root)
            return
        self._alive.add(root)
        base = {m: m for m in self._alive}
        parent: dict[int, int] = {}
        outer = {root}
        queue = deque([root])
        while queue:
            v = queue.popleft()
            barred = self._met[v]
            for w in self._members:
                if w not in base or w == v or w in barred or base[v] == base[w] or self.partner.get(v, FREE) == w:
                    continue
                if w in outer:
                    self._contract(v, w, base, parent, outer, queue)
                elif w not in parent:
                    parent[w] = v
                    mate = self.partner.get(w, FREE)
                    if mate == FREE:
                        self._augment(w, parent)
                        return
                    outer.add(mate)
                    queue.append(mate)
        self.spare |= outer
        self._alive -= outer
        self._alive -= parent.keys()

    def _augment(self, w: int, parent: dict[int, int]) -> None:
        while w != FREE:
            v = parent[w]
            following = self.partner.get(v, FREE)
            self.partner[v], self.partner[w] = w, v
            w = following

    def _contract(
        self, v: int, w: int, base: dict[int, int], parent: dict[int, int], outer: set[int], queue: deque[int]
    ) -> None:
        """Two outer members meet: the odd circle they close shrinks to its base, and all of it becomes outer."""
        stem = self._meeting_base(v, w, base, parent)
        circle: set[int] = set()
        for a, b in ((v, w), (w, v)):
            while base[a] != stem:
                mate = self.partner[a]
                circle.update((base[a], base[mate]))
                parent[a] = b
                b, a = mate, parent[mate]
        for m in base:
            if base[m] in circle:
                base[m] = stem
                if m not in outer:
                    outer.add(m)
                    queue.append(m)

    def _meeting_base(self, v: int, w: int, base: dict[int, int], parent: dict[int, int]) -> int:
        seen: set[int] = set()
        while True:
            v = base[v]
            seen.add(v)
            mate = self.partner.get(v, FREE)
            if mate == FREE:
                break
            v = parent[mate]
        while base[w] not in seen:
            w = parent[self.partner[base[w]]]
        return base[w]


def improve_shape(pairs: Pairs, groups: Groups, met: Met, rand: Rand) -> Pairs:
    """Exchange partners between two pairs while that improves the shape (see `swiss_round.pairing_shape`) without
    adding a repeat. `pairs` have the fewest repeats possible."""
    group_of = {member: g for g, group in enumerate(groups) for member in group}

    def upper_first(a: int, b: int) -> tuple[int, int]:
        return (a, b) if group_of[a] <= group_of[b] else (b, a)

    pairs = [upper_first(a, b) for a, b in pairs]
    shuffle(pairs, rand)
    for _ in range(PASSES):
        pairs.sort(key=lambda pair: group_of[pair[0]])
        # Below the pair in hand, an exchange may only lower a pair's upper group: it stays at or below this.
        highest = [group_of[a] for a, _ in pairs]
        changed = False
        for i in range(len(pairs)):
            for k in range(i + 1, min(i + REACH, len(pairs))):
                a, b = pairs[i]
                lower = group_of[b]
                if highest[k] >= lower:
                    break  # Neither this pair nor any later one reaches above b.
                c, d = pairs[k]
                for (e, f), (g, h) in _better_exchanges(a, b, c, d, group_of):
                    if (f in met[e]) + (h in met[g]) <= (b in met[a]) + (d in met[c]):
                        pairs[i], pairs[k] = upper_first(e, f), upper_first(g, h)
                        changed = True
                        break
        if not changed:
            break
    return pairs


def _better_exchanges(a: int, b: int, c: int, d: int, group_of: Mapping[int, int]) -> list[Pairs]:
    """What gives the pairs a-b and c-d, each with its upper member first, a better shape, the best first. The shape of
    two pairs is as good as the partner of the uppermost of the four is near."""
    upper, lower, other_upper, other_lower = group_of[a], group_of[b], group_of[c], group_of[d]
    ways: list[Pairs] = []
    if other_upper < lower and upper < other_lower:
        ways.append([(a, c), (b, d)])
    if (upper < other_upper and other_lower < lower) or (other_upper < upper and lower < other_lower):
        ways.append([(a, d), (b, c)])
    return ways


def draw_fewest_repeats(groups: Groups, met: Met, largest: LargestMatching, rand: Rand) -> Pairs:
    """A round with the fewest repeats: those a largest matching leaves out meet again, neighbours first."""
    pairs = [(a, b) for a, b in largest.partner.items() if a < b]
    left: Sequence[int] = [m for group in groups for m in group if m not in largest.partner]
    pairs += zip(left[::2], left[1::2], strict=True)
    return improve_shape(pairs, groups, met, rand)
