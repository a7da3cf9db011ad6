"""A matching of the greatest weight in a general graph, exactly, with whole numbers of any size.

The primal-dual method of Edmonds in O(n³) steps: every vertex and every blossom (an odd circle shrunk to one point)
carries a price; only edges that pay exactly their price may be used; prices move until a path of such edges joins two
free vertices, or until being free costs nothing. Python's integers never overflow, so weights may be lexicographic.
"""

from bisect import bisect
from collections.abc import Sequence

Edges = Sequence[dict[int, int]]

NOBODY = -1
PLAIN, OUTER, INNER = 0, 1, 2
NEAR = 6  # how many edges to either side of a vertex are tried first


def heaviest_matching(edges: Edges) -> list[int]:
    """Partners by vertex (NOBODY where free). `edges[v][w]` is the weight of the edge v-w, stated on both sides.
    Weights are positive. The sum over the pairs is the greatest possible; a vertex stays free where that pays."""
    return _Search(edges).run()


def heaviest_matching_of_near(edges: Edges) -> list[int]:
    """The same, sooner where partners mostly stand near each other in the order of the vertices. The search sees each
    vertex's nearest edges first, and then, as long as there are any, those that could pay at the prices it ended with:
    with none left, the prices prove that no matching by all edges is heavier (a vertex that is free has the least)."""
    if len(edges) <= 4 * NEAR:
        return heaviest_matching(edges)
    seen: list[dict[int, int]] = [{} for _ in edges]
    paying = [(v, w) for v, around in enumerate(edges) for w in _nearest(v, around)]
    mates = [NOBODY] * len(edges)
    while paying:
        for v, w in paying:
            seen[v][w] = seen[w][v] = edges[v][w]
        search = _Search(seen)
        mates, price = search.run(), search.price
        paying = [
            (v, w)
            for v, around in enumerate(edges)
            for w, weight in around.items()
            if v < w and 2 * weight > price[v] + price[w] and w not in seen[v]
        ]
    return mates


def _nearest(v: int, around: dict[int, int]) -> list[int]:
    others = sorted(around)
    place = bisect(others, v)
    return others[max(0, place - NEAR) : place + NEAR]


class _Search:
    """Points are vertices (below n) and blossoms, whose children stand in circle order, the base first; `joints[b][i]`
    is the edge from child i to child i + 1. Prices of vertices are doubled so that halves stay whole."""

    def __init__(self, edges: Edges) -> None:
        self.n = len(edges)
        self.edges = [[(w, 2 * weight) for w, weight in sorted(around.items())] for around in edges]
        self.mate = [NOBODY] * self.n
        heaviest = max([max(around.values()) for around in edges if around], default=0)
        self.price = [heaviest] * self.n
        self.far = 8 * heaviest  # more than any slack: prices stay between 0 and twice the heaviest
        self.top = list(range(self.n))
        self.base = {v: v for v in range(self.n)}
        self.children: dict[int, list[int]] = {}
        self.joints: dict[int, list[tuple[int, int]]] = {}
        self.blossom_price: dict[int, int] = {}
        self.next_id = self.n

    def run(self) -> list[int]:
        while self._stage():
            pass
        return self.mate

    def _stage(self) -> bool:
        """Join two free vertices by an augmenting path; False when no further pair pays."""
        self.label: dict[int, int] = {}
        self.entry: dict[int, tuple[int, int]] = {}
        self.queue: list[int] = []
        self.near = [NOBODY] * self.n
        self.slack = [self.far] * self.n
        roots = [v for v in range(self.n) if self.mate[v] == NOBODY]
        if len(roots) < 2:
            return False
        for v in roots:
            self._become_outer(self.top[v], None)
        while True:
            if self._scan():
                self._dissolve_worthless()
                return True
            if not self._move_prices(self.price[roots[0]]):
                return False

    def _become_outer(self, point: int, entry: tuple[int, int] | None) -> None:
        self.label[point] = OUTER
        if entry is not None:
            self.entry[point] = entry
        self.queue += self._vertices(point)

    def _become_inner(self, point: int, entry: tuple[int, int]) -> None:
        """`entry` leads from an outer point into this one; its mate becomes outer."""
        self.label[point] = INNER
        self.entry[point] = entry
        base = self.base[point]
        mate = self.mate[base]
        self._become_outer(self.top[mate], (base, mate))

    def _vertices(self, point: int) -> list[int]:
        if point < self.n:
            return [point]
        vertices: list[int] = []
        stack = [point]
        while stack:
            p = stack.pop()
            if p < self.n:
                vertices.append(p)
            else:
                stack += self.children[p]
        return vertices

    def _scan(self) -> bool:
        """Follow every edge without slack from the outer vertices in the queue; note the least slack of the rest."""
        top, label, price, near, slack = self.top, self.label, self.price, self.near, self.slack
        queue = self.queue
        while queue:
            v = queue.pop()
            own = price[v]
            for w, weight in self.edges[v]:
                left = own + price[w] - weight
                if left >= slack[w] and left:
                    continue
                point = top[w]
                if point == top[v]:
                    continue
                if left == 0 and label.get(point, PLAIN) != INNER:
                    if self._follow_edge(v, w):
                        return True
                elif left < slack[w]:
                    near[w], slack[w] = v, left
        return False

    def _follow_edge(self, v: int, w: int) -> bool:
        """Use an edge without slack from the outer vertex v; True if it completed an augmenting path."""
        point = self.top[w]
        if self.label.get(point, PLAIN) == PLAIN:
            self._become_inner(point, (v, w))
            return False
        stem = self._common_stem(v, w)
        if stem == NOBODY:
            self._augment(v, w)
            self._augment(w, v)
            return True
        self._shrink(v, w, stem)
        return False

    def _above(self, point: int) -> int:
        """The next outer point on the way from an outer point to its root, or NOBODY at the root."""
        if point not in self.entry:
            return NOBODY
        inner = self.top[self.entry[point][0]]
        return self.top[self.entry[inner][0]]

    def _common_stem(self, v: int, w: int) -> int:
        """Where the ways from v and w to their roots meet, or NOBODY if they lead to two roots."""
        seen: set[int] = set()
        a, b = self.top[v], self.top[w]
        while a != NOBODY or b != NOBODY:
            if a != NOBODY:
                if a in seen:
                    return a
                seen.add(a)
                a = self._above(a)
            a, b = b, a
        return NOBODY

    def _shrink(self, v: int, w: int, stem: int) -> None:
        """The circle through v, w and their common stem becomes one outer point."""
        left, left_joints = self._way_up(v, stem)
        right, right_joints = self._way_up(w, stem)
        b = self.next_id
        self.next_id += 1
        self.children[b] = [stem, *reversed(left), *right]
        self.joints[b] = [(q, p) for p, q in reversed(left_joints)] + [(v, w)] + right_joints
        self.base[b] = self.base[stem]
        self.blossom_price[b] = 0
        if stem in self.entry:
            self.entry[b] = self.entry[stem]
        self.label[b] = OUTER
        inside = self._vertices(b)
        newly = [child for child in self.children[b] if self.label[child] == INNER]
        for u in inside:
            self.top[u] = b
        for child in newly:
            self.queue += self._vertices(child)
        self._find_nearest_outer(inside, b)

    def _way_up(self, v: int, stem: int) -> tuple[list[int], list[tuple[int, int]]]:
        """The points from v's up to, without, the stem, and the edges that leave each of them upwards."""
        points: list[int] = []
        joints: list[tuple[int, int]] = []
        point = self.top[v]
        while point != stem:
            points.append(point)
            p, q = self.entry[point]
            joints.append((q, p))
            point = self.top[p]
        return points, joints

    def _find_nearest_outer(self, inside: list[int], b: int) -> None:
        """Where the nearest outer vertex is now in the same blossom, another one must be found."""
        waiting = set(self.queue)
        for u in inside:
            if self.near[u] == NOBODY or self.top[self.near[u]] != b:
                continue
            self.near[u], self.slack[u] = NOBODY, self.far
            for x, weight in self.edges[u]:
                other = self.top[x]
                if other != b and self.label.get(other, PLAIN) == OUTER and x not in waiting:
                    left = self.price[u] + self.price[x] - weight
                    if left < self.slack[u]:
                        self.near[u], self.slack[u] = x, left

    def _unfold(self, b: int) -> list[int]:
        """The children of a blossom become points of their own."""
        children = self.children[b]
        for child in children:
            for u in self._vertices(child):
                self.top[u] = child
        return children

    def _forget(self, b: int) -> None:
        del self.children[b], self.joints[b], self.base[b], self.blossom_price[b]

    def _expand(self, b: int) -> None:
        """An inner blossom without a price opens: the even way from its entry to its base stays in the tree."""
        entry = self.entry[b]
        children = self._unfold(b)
        joints = self.joints[b]
        del self.label[b], self.entry[b]
        i = children.index(self.top[entry[1]])
        forward = i % 2 == 1
        size = len(children)
        self.label[children[i]], self.entry[children[i]] = INNER, entry
        while i != 0:
            outer, inner = ((i + 1) % size, (i + 2) % size) if forward else (i - 1, i - 2)
            p, q = joints[i] if forward else joints[outer][::-1]
            self._become_outer(children[outer], (p, q))
            p, q = joints[outer] if forward else joints[inner][::-1]
            self.label[children[inner]], self.entry[children[inner]] = INNER, (p, q)
            i = inner
        # The base's mate outside is outer already; its entry names the same two vertices as before.
        self._forget(b)

    def _dissolve_worthless(self) -> None:
        """Between stages, blossoms without a price serve nothing."""
        pending = [b for b in set(self.top) if b >= self.n and self.blossom_price[b] == 0]
        while pending:
            b = pending.pop()
            children = self._unfold(b)
            pending += [child for child in children if child >= self.n and self.blossom_price[child] == 0]
            self._forget(b)

    def _augment(self, v: int, w: int) -> None:
        """Match v to w, and turn round everything from v up to its root."""
        while True:
            point = self.top[v]
            if point >= self.n:
                self._move_base(point, v)
            self.mate[v] = w
            if point not in self.entry:
                return
            inner = self.top[self.entry[point][0]]
            p, q = self.entry[inner]
            if inner >= self.n:
                self._move_base(inner, q)
            self.mate[q] = p
            v, w = p, q

    def _move_base(self, b: int, v: int) -> None:
        """Match inside the blossom so that v is the one left to be matched outside."""
        child = self._child_with(b, v)
        if child >= self.n:
            self._move_base(child, v)
        children, joints = self.children[b], self.joints[b]
        size = len(children)
        start = children.index(child)
        i, step = start, 1 if start % 2 else -1
        while i % size != 0:
            near, far = (i + step) % size, (i + 2 * step) % size
            p, q = joints[near] if step == 1 else joints[far][::-1]
            for point, vertex in ((children[near], p), (children[far], q)):
                if point >= self.n:
                    self._move_base(point, vertex)
            self.mate[p], self.mate[q] = q, p
            i = far
        self.children[b] = children[start:] + children[:start]
        self.joints[b] = joints[start:] + joints[:start]
        self.base[b] = v

    def _child_with(self, b: int, v: int) -> int:
        for child in self.children[b]:
            if child == v or (child >= self.n and v in self._vertices(child)):
                return child
        raise AssertionError("a vertex outside its blossom")

    def _move_prices(self, until_free: int) -> bool:
        """Outer prices fall and inner ones rise, as far as the first edge or blossom allows; False: free is best."""
        label, top, slack = self.label, self.top, self.slack
        labels = [label.get(point, PLAIN) for point in top]
        delta = until_free
        for w in range(self.n):
            if self.near[w] != NOBODY:
                if labels[w] == PLAIN:
                    if slack[w] < delta:
                        delta = slack[w]
                elif labels[w] == OUTER and slack[w] < 2 * delta:
                    delta = slack[w] // 2
        inner_blossoms = [b for b, kind in label.items() if kind == INNER and b in self.children and self._is_top(b)]
        for b in inner_blossoms:
            delta = min(delta, self.blossom_price[b] // 2)
        if delta:
            self._shift(delta, labels)
        if delta == until_free:
            return False
        self._continue_with_tight(inner_blossoms)
        return True

    def _shift(self, delta: int, labels: list[int]) -> None:
        price, slack = self.price, self.slack
        for w, kind in enumerate(labels):
            if kind == OUTER:
                price[w] -= delta
                slack[w] -= 2 * delta
            elif kind == INNER:
                price[w] += delta
            else:
                slack[w] -= delta
        for b in self.blossom_price:
            if self._is_top(b):
                kind = self.label.get(b, PLAIN)
                if kind == OUTER:
                    self.blossom_price[b] += 2 * delta
                elif kind == INNER:
                    self.blossom_price[b] -= 2 * delta

    def _is_top(self, b: int) -> bool:
        return self.top[self.base[b]] == b

    def _continue_with_tight(self, inner_blossoms: list[int]) -> None:
        """Outer vertices whose nearest edge has lost its slack are scanned again; worthless inner blossoms open."""
        for b in inner_blossoms:
            if self.blossom_price[b] == 0:
                self._expand(b)
        for w in range(self.n):
            v = self.near[w]
            if v != NOBODY and self.slack[w] == 0 and self.label.get(self.top[w], PLAIN) != INNER:
                self.queue.append(v)
