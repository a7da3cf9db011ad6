"""Pairing from the top group down: ideal where possible, exact where not, in provably independent pieces.

What is fixed leaves a rest that can be paired without a repeat, so there are no dead ends. A piece ends where the best
shape of the groups above sends no one further down: the criterion considers those groups first, so no draw of the whole
field can do better there, and what remains is a smaller field of the same kind.
"""

from collections.abc import Sequence

from msgspec import Struct

from roundtap_core.pairing.blossom import NOBODY, heaviest_matching_of_near
from roundtap_core.pairing.cardinality import LargestMatching, improve_shape
from roundtap_core.pairing.pairing_pool import DrawRandom, Groups, Met, Pairs
from roundtap_core.randomness import Rand, shuffle

TRIES = 100
RESTARTS = 4

METHODS = ("ideal", "repaired", "exact", "windowed")
IDEAL, REPAIRED, EXACT, WINDOWED = range(4)

WIDEST = 100  # competitors considered together, at most; a wider piece is paired row by row: "windowed"
NARROW = 48  # the same once wide pieces have cost EFFORT, so that a draw never stalls
EFFORT = 4 * WIDEST**3
"""What wide pieces may cost in one draw: a piece of n costs n³ (counted, not timed: the same on every machine)."""
ROWS = 32  # how often a draw may continue row by row before the rest is paired by exchanges
FIRST_WIDTH = 12
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


def first_part_size(groups: Groups) -> int:
    """How many groups from the top hold together: the fewest with an even number of members."""
    members = 0
    for i, group in enumerate(groups):
        members += len(group)
        if members % 2 == 0:
            return i + 1
    raise AssertionError("an odd field has no parts: the bye comes first")


def draw_ideal(part: Groups, met: Met, rand: Rand) -> Pairs | None:
    """An ideal draw of one part by shuffling until it is legal, or None after TRIES. Ideal: every group pairs inside
    itself, and at most one competitor floats, to the next group. No draw can do better in line 3 of the criterion, so
    it needs no search. It falls into independent parts wherever an even number stands above; redrawing a part until
    nobody meets an earlier opponent is exactly uniform over all ideal draws of it."""
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
    """Shuffle the members and pair them in twos; the first meets the `floater` from above, an odd last one floats. The
    same throws as `shuffle`, given up at the first repeat: what is left of a lost try need not be drawn."""
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
    """The groups in order, each shuffled: read in twos, one left over meets the next group's first."""
    line: list[int] = []
    for group in part:
        members = group[:]
        shuffle(members, rand)
        line += members
    return line


def repair_ideal(part: Groups, met: Met, rand: Rand) -> Pairs | None:
    """An ideal draw by repair: members of one group change places until no pair repeats. None if it gives up. Always
    succeeds in a single group of at least 2 r + 2, where r is the most earlier opponents of a member in it: fewer than
    all of the exchanges that free a pair are barred."""
    bounds = _bounds(part)
    for _ in range(RESTARTS):
        line = shuffled_line(part, rand)
        if repair_line(line, bounds, met, rand):
            return list(zip(line[::2], line[1::2], strict=True))
    return None


def _bounds(part: Groups) -> list[tuple[int, int]]:
    """For each place in the line, where its group begins and ends."""
    bounds: list[tuple[int, int]] = []
    for group in part:
        start = len(bounds)
        bounds += [(start, start + len(group))] * len(group)
    return bounds


def repair_line(line: list[int], bounds: list[tuple[int, int]], met: Met, rand: Rand) -> bool:
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
    """Exchange the member at `here`, in a repeated pair, so that this pair is legal and no other gets worse."""
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


def most_met_among(members: Sequence[int], met: Met) -> int:
    """The most earlier opponents that one of `members` has among them."""
    inside = set(members)
    return max((len(met[member] & inside) for member in members), default=0)


def max_removable(group: Sequence[int], rest: Groups, below: int, met: Met, most_met: int) -> int:
    """How many members may leave `group` for floaters from above, in any choice, so that the rest can be paired without
    a repeat.

    With r the most earlier opponents a member has inside the group, any even number >= 2 r + 2 of its members can be
    paired without a repeat (Dirac: each can still meet at least half). So the group can stand for any few of its
    members while the groups around it are paired, and the people are chosen afterwards, at random.

    `rest` are all groups still to be paired; `below` counts those under the group: it may have to send each an
    opponent, unless they are too small to help themselves. Negative: not flexible at all.
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


class TopDownDraw(Struct):
    """The draw of an even field that has a legal round. `rest` are the groups still to pair, the top one first;
    nobody has met more than `most_met` of them. A step costs no more than the groups it touches: with thousands of
    players on points of their own there are a thousand steps."""

    rest: Groups
    met: Met
    chance: DrawRandom
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
            parts = first_part_size(self.rest)
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
        """Whether the rest, after so many pairs, can be paired without a repeat; starts from the previous proof."""
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
            too_wide = members + len(self.rest[end]) > (WIDEST if self._effort < EFFORT else NARROW)
            if end > start and (members >= width or too_wide):
                window = self._solve(start, end, tokens)
                if self._cut(window, start, end):
                    return None
                width *= 2
                if too_wide:
                    return self._by_rows(window, start, end)
            elif too_wide:
                return self._any_legal_round()
            members += len(self.rest[end])
        return self._to_the_end(start, tokens)

    def _solve(self, start: int, end: int, tokens: int) -> WindowSolution:
        size = tokens + sum([len(group) for group in self.rest[start:end]])
        if size > NARROW:
            self._effort += size**3
        return solve_window(self.rest[start:end], self.met, self._rand(), tokens)

    def _spare(self, g: int) -> int:
        group = self.rest[g]
        if len(group) < 2:
            return -1
        below = self._size - sum([len(upper) for upper in self.rest[: g + 1]])
        return max_removable(group, self.rest, below, self.met, self.most_met)

    def _lone_leader(self) -> bool:
        """A leader alone on top with one nearest opponent leaves no choice, so no search."""
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

    def _source_pairs(self, window: WindowSolution, start: int) -> Pairs:
        """The flexible group above the window: opponents for those who drew its tokens, the others inside."""
        if not start:
            return []
        source = self.rest[0][:]
        pairs = choose_opponents(window.tokens, source, self.met, self._rand())
        return pairs + pair_inside(source, self.met, self._rand())

    def _into_sink(self, window: WindowSolution, start: int, end: int) -> None:
        """All are paired, or float into the flexible group at `end`, which continues with the others."""
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
        rest = self.rest[end + 1 :]
        self._fix(pairs + self._source_pairs(window, start), [sink, *rest] if sink else rest, EXACT)

    def _cut(self, window: WindowSolution, start: int, end: int) -> bool:
        """Fix the most groups from the top that no one leaves downwards, if the others can follow."""
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
        window = solve_window(self.rest[start:], self.met, self._rand(), tokens, to_the_end=True)
        assert (window.floating, window.tokens_left) == ([], 0), "a legal round was known to exist"
        self._fix(window.pairs + self._source_pairs(window, start), [], EXACT)

    # Where even the exact pieces are too wide.

    def _by_rows(self, window: WindowSolution, start: int, end: int) -> None:
        """No cut within WIDEST: keep the window's pairs of its upper groups, and look again from there."""
        self._rows += 1
        if window.tokens_left or self._rows > ROWS:
            return self._any_legal_round()
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
        return self._any_legal_round()

    def _any_legal_round(self) -> None:
        """Any legal round of the rest, made better by exchanging partners."""
        members = [member for group in self.rest for member in group]
        partner = LargestMatching(members, self.met, self._witness).partner
        pairs = [(a, b) for a, b in partner.items() if a < b]
        self._fix(improve_shape(pairs, self.rest, self.met, self._rand()), [], WINDOWED)


def _without(groups: Groups, gone: set[int]) -> Groups:
    """The groups without those who are gone; the search ends where the last of them was found."""
    remaining: Groups = []
    missing = len(gone)
    for g, group in enumerate(groups):
        if not missing:
            return remaining + groups[g:]
        left = [member for member in group if member not in gone]
        missing -= len(group) - len(left)
        if left:
            remaining.append(left)
    return remaining
