"""From the top group down: ideal where possible, exact where not, in pieces that provably do not touch each other.

Whatever is fixed leaves a rest that can still be paired without a repeat, so this never runs into a dead end. A piece
is cut off below where the best shape of the groups above sends nobody further down: the criterion looks at those groups
first, so no draw of the whole field can do better there, and what remains is a smaller field of the same kind.
"""

from __future__ import annotations

from msgspec import Struct

from roundtap_core.pairing.bounded import improve
from roundtap_core.pairing.cardinality import LargestMatching
from roundtap_core.pairing.field import Chance, Groups, Met, Pairs
from roundtap_core.pairing.flexible import can_spare, choose_opponents, pair_inside
from roundtap_core.pairing.ideal import draw_ideal, first_part, repair_ideal
from roundtap_core.pairing.window import Window, solve
from roundtap_core.randomness import Rand

METHODS = ("ideal", "repaired", "exact", "windowed")
IDEAL, REPAIRED, EXACT, WINDOWED = range(4)

WIDEST = 100
"""Competitors looked at together, at most; a wider piece is paired row by row: "windowed"."""
NARROW = 48
"""The same once wide pieces have cost EFFORT: a draw never stalls, whatever the field."""
EFFORT = 4 * WIDEST**3
"""What wide pieces may cost in one draw: a piece of n costs n³ (counted, not timed: the same on every machine)."""
ROWS = 32
"""How often a draw may go on row by row before the rest is paired by exchanges."""
FIRST_WIDTH = 12


class TopDown(Struct):
    """The draw of an even field that has a legal round. `rest` are the groups still to pair, the top one first;
    nobody has met more than `most_met` of them. A step costs no more than the groups it touches: with thousands of
    players on points of their own there are a thousand steps."""

    rest: Groups
    met: Met
    chance: Chance
    most_met: int
    pairs: Pairs = []
    method: int = IDEAL
    _witness: dict[int, int] = {}
    _search: Rand | None = None
    _size: int = 0
    _effort: int = 0
    _rows: int = 0

    def __post_init__(self) -> None:
        self._size = sum(map(len, self.rest))

    def run(self) -> tuple[Pairs, str]:
        rand = self.chance.of("ideal")
        while self.rest:
            parts = first_part(self.rest)
            part = self.rest[:parts]
            drawn = draw_ideal(part, self.met, rand)
            how = IDEAL
            if drawn is None and sum(map(len, part)) > len(part):
                drawn, how = repair_ideal(part, self.met, self._rand()), REPAIRED
            if drawn is not None and self._can_follow(len(drawn), rest := self.rest[parts:]):
                self._fix(drawn, rest, how)
            else:
                self._step()
        return self.pairs, METHODS[self.method]

    def _rand(self) -> Rand:
        if self._search is None:
            self._search = self.chance.of("search")
        return self._search

    def _fix(self, pairs: Pairs, rest: Groups, how: int) -> None:
        self.pairs += pairs
        self.rest = rest
        self._size -= 2 * len(pairs)
        self.method = max(self.method, how)

    def _can_follow(self, pairs: int, rest: Groups) -> bool:
        """Whether the rest, after so many pairs, can be paired without a repeat; the proof found last is the start
        for the next one."""
        size = self._size - 2 * pairs
        if size == 0 or size >= 2 * self.most_met + 2:
            return True
        members = [member for group in rest for member in group]
        largest = LargestMatching(members, self.met, self._witness)
        if largest.unmatched:
            return False
        self._witness = largest.partner
        return True

    # Where the ideal shape fails.

    def _step(self) -> None:
        """Pair at least the top group, in the best possible way."""
        if self._lone_leader():
            return None
        source = self._spare(0) >= 0
        start = int(source)
        tokens = len(self.rest[0]) % 2 if source else 0
        width, members = FIRST_WIDTH, 0
        for end in range(start, len(self.rest)):
            spare = self._spare(end) if end else -1
            if spare >= 0:
                window = self._solve(start, end, tokens)
                if len(window.floating) + window.tokens_left <= spare:
                    return self._into_sink(window, start, end)
            too_wide = members + len(self.rest[end]) > self._widest()
            if end > start and (members >= width or too_wide):
                window = self._solve(start, end, tokens)
                if self._cut(window, start, end):
                    return None
                width *= 2
                if too_wide:
                    return self._by_rows(window, start, end)
            elif too_wide:
                return self._bounded()
            members += len(self.rest[end])
        return self._to_the_end(start, tokens)

    def _widest(self) -> int:
        return WIDEST if self._effort < EFFORT else NARROW

    def _solve(self, start: int, end: int, tokens: int) -> Window:
        size = tokens + sum([len(group) for group in self.rest[start:end]])
        if size > NARROW:
            self._effort += size**3
        return solve(self.rest[start:end], self.met, self._rand(), tokens)

    def _spare(self, g: int) -> int:
        group = self.rest[g]
        if len(group) < 2:
            return -1
        below = self._size - sum([len(upper) for upper in self.rest[:g + 1]])
        return can_spare(group, self.rest, below, self.met, self.most_met)

    def _lone_leader(self) -> bool:
        """A leader alone on top, and one nearest opponent: there is nothing to choose, so no search."""
        if len(self.rest[0]) > 1:
            return False
        leader = self.rest[0][0]
        for g in range(1, len(self.rest)):
            legal = [member for member in self.rest[g] if member not in self.met[leader]]
            if len(legal) > 1:
                return False
            if legal:
                rest = _without(self.rest, {leader, legal[0]})
                if self._can_follow(1, rest):
                    self._fix([(leader, legal[0])], rest, EXACT)
                    return True
        return False

    def _source_pairs(self, window: Window, start: int) -> Pairs:
        """The flexible group above the window: opponents for those who drew its tokens, the others inside."""
        if not start:
            return []
        source = self.rest[0][:]
        pairs = choose_opponents(window.tokens, source, self.met, self._rand())
        return pairs + pair_inside(source, self.met, self._rand())

    def _into_sink(self, window: Window, start: int, end: int) -> None:
        """Everybody is paired, or floats into the flexible group at `end`, which goes on with the others."""
        rand = self._rand()
        sink = self.rest[end][:]
        floating = window.floating[:]
        if start:
            source = self.rest[0]
            for _ in range(window.tokens_left):
                floater = source[int(rand() * len(source))]
                source = [member for member in source if member != floater]
                floating.append(floater)
            self.rest[0] = source
        pairs = window.pairs + [(b, a) for a, b in choose_opponents(floating, sink, self.met, rand)]
        rest = self.rest[end + 1:]
        self._fix(pairs + self._source_pairs(window, start), [sink, *rest] if sink else rest, EXACT)

    def _cut(self, window: Window, start: int, end: int) -> bool:
        """Fix the most groups from the top that nobody leaves downwards, if the others can follow."""
        if window.tokens_left:
            return False
        group_of = {member: g for g in range(start, end) for member in self.rest[g]}
        reach = {g: g for g in range(start, end)}
        for a, b in window.pairs:
            upper, lower = sorted((group_of[a], group_of[b]))
            reach[upper] = max(reach[upper], lower)
        for member in window.floating:
            reach[group_of[member]] = end
        furthest = max((group_of[member] for member in window.tokens), default=start)
        cuts = []
        for g in range(start, end):
            furthest = max(furthest, reach[g])
            if furthest == g:
                cuts.append(g + 1)
        for cut in reversed(cuts):
            rest = self.rest[cut:]
            paired = sum([len(group) for group in self.rest[:cut]])
            if self._can_follow(paired // 2, rest):
                pairs = [(a, b) for a, b in window.pairs if group_of[a] < cut]
                self._fix(pairs + self._source_pairs(window, start), rest, EXACT)
                return True
        return False

    def _to_the_end(self, start: int, tokens: int) -> None:
        """The window reaches the bottom; a flexible group above sends as many as are needed for a legal round."""
        if start:
            below = [member for group in self.rest[start:] for member in group]
            tokens = max(tokens, LargestMatching(below, self.met).unmatched)
        window = solve(self.rest[start:], self.met, self._rand(), tokens, to_the_end=True)
        assert window.complete, "a legal round was known to exist"
        self._fix(window.pairs + self._source_pairs(window, start), [], EXACT)

    # Where even the exact pieces are too wide.

    def _by_rows(self, window: Window, start: int, end: int) -> None:
        """No cut within WIDEST: keep the window's pairs of its upper groups, and look again from there."""
        self._rows += 1
        if window.tokens_left or self._rows > ROWS:
            return self._bounded()
        floating = set(window.floating)
        rows: list[int] = []
        for g in range(start, end):
            if not floating.isdisjoint(self.rest[g]) or 2 * len(rows) > end - start:
                break
            rows.append(g)
        while rows:
            upper = {member for g in rows for member in self.rest[g]}
            pairs = [(a, b) for a, b in window.pairs if a in upper or b in upper]
            rest = _without(self.rest[start:], {member for pair in pairs for member in pair} | set(window.tokens))
            source = len(self.rest[0]) + len(window.tokens) if start else 0
            if self._can_follow(len(pairs) + source // 2, rest):
                return self._fix(pairs + self._source_pairs(window, start), rest, WINDOWED)
            rows.pop()
        return self._bounded()

    def _bounded(self) -> None:
        """Any legal round of the rest, made better by exchanging partners."""
        members = [member for group in self.rest for member in group]
        partner = LargestMatching(members, self.met, self._witness).partner
        pairs = [(a, b) for a, b in partner.items() if a < b]
        self._fix(improve(pairs, self.rest, self.met, self._rand()), [], WINDOWED)


def _without(groups: Groups, gone: set[int]) -> Groups:
    """The groups without those who are gone; the search ends where the last of them was found."""
    kept: Groups = []
    missing = len(gone)
    for g, group in enumerate(groups):
        if not missing:
            return kept + groups[g:]
        left = [member for member in group if member not in gone]
        missing -= len(group) - len(left)
        if left:
            kept.append(left)
    return kept
