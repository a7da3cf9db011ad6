"""Warlords' tie-break rounds, told as they went: who took which place, who went out when, who still has to play.

The reading (document 2.4.2, and the house's decisions). Single elimination is played for one place. Whoever is the last
who has not lost takes it; then all whom that one beat are in it again, as long as the next place counts. Whoever leaves
while in it is out of it, and those whom that one beat are in it again. Each against each: once all have met, wins
decide; where these are level, those who are meet again. Nobody who has gone is waited for; what was won before somebody
went stays won. Nothing of this looks at the Swiss rounds.
"""

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

from checker.books import Event, book_of, left_after, status_of
from checker.outcomes import winner
from checker.plan import rounds_of

Counts = Callable[[Sequence[str]], bool]
"""Whether the place after these, who have just taken theirs, is one that counts."""


@dataclass(frozen=True)
class Game:
    """`won` and `lost` are None where a ruling let both lose."""

    number: int
    pair: frozenset[str]
    won: str | None
    lost: str | None


@dataclass
class Told:
    """`order`: the best first, those level in one list. `playing`: who still has to meet. `closed`: how many of the
    last lists do not wait for that: they had given up before."""

    order: list[list[str]]
    playing: list[str]
    closed: int = 0


def has_left(event: Event, who: str, after: int | None = None) -> bool:
    """Whether somebody left before anything else began; who leaves during elimination keeps a place won before."""
    last = next(left_after(c) for c in event["competitors"] if c["id"] == who)
    started = min((r["number"] for r in rounds_of(event, "elimination")), default=None)
    if last is None or (after is not None and last > after):
        return False
    return started is None or last < started


def games_among(event: Event, whom: Collection[str], after: int | None = None) -> list[Game]:
    """The tie-break games that are over, between two of them."""
    found = []
    for played in rounds_of(event, "tiebreak"):
        for match in played["matches"] if after is None or played["number"] <= after else ():
            if "result" in match and {match["a"], match["b"]} <= set(whom):
                side = winner(book_of(event), match["result"])
                won, lost = {"a": ("a", "b"), "b": ("b", "a")}.get(side, (None, None))
                found.append(
                    Game(
                        played["number"],
                        frozenset((match["a"], match["b"])),
                        match[won] if won else None,
                        match[lost] if lost else None,
                    )
                )
    return found


def since_out(event: Event, tied: Collection[str]) -> set[str]:
    return {c["id"] for c in event["competitors"] if status_of(c) == "disqualified"} - set(tied)


def played_out(event: Event, tied: Collection[str], after: int | None = None) -> bool:
    """Whether any of them has met another, or somebody disqualified since, in a tie-break round."""
    whom = {*tied, *since_out(event, tied)}
    return any(
        {match["a"], match.get("b")} <= whom and {match["a"], match.get("b")} & set(tied)
        for played in rounds_of(event, "tiebreak")
        if after is None or played["number"] <= after
        for match in played["matches"]
    )


def told(event: Event, tied: Sequence[str], counts: Counts, after: int | None = None) -> Told:
    """What the tie-break rounds say of this tie. Those disqualified since take no place, but their games happened: only
    where one of them alone is first, or makes the difference, the others are told apart by their own games."""
    out = since_out(event, tied)
    forms = [r.get("tiebreak_form", "each") for r in rounds_of(event, "tiebreak")]
    games = games_among(event, {*tied, *out}, after)
    also = {who for game in games if game.pair & set(tied) for who in game.pair} - set(tied)
    knockout = bool(forms) and forms[0] == "knockout"
    while True:
        what = (event, tied, also, [g for g in games if g.pair <= {*tied, *also}], counts, after)
        tie_break = Knockout(*what) if knockout else RoundRobin(*what)
        story = tie_break.told()
        best = set(story.order[0]) & set(tied)
        if knockout or not also or (best and best != set(tied)):
            break
        also.discard(next(who for level in story.order for who in sorted(level) if who in also))
    levels = [[who for who in tied if who in level] for level in story.order]
    closed = sum(bool(level) for level in levels[len(levels) - story.closed :])
    return Told([level for level in levels if level], story.playing, closed)


class TieBreak:
    """`also`: those since disqualified who played in it. Their games happened, but they take no place."""

    def __init__(
        self,
        event: Event,
        tied: Sequence[str],
        also: Collection[str],
        games: list[Game],
        counts: Counts,
        after: int | None,
    ) -> None:
        self.tied, self.also, self.counts, self.after = tied, also, counts, after
        self.all = games
        self.games: list[Game] = []
        self.inside = {*tied, *also}
        self.rounds = [r["number"] for r in rounds_of(event, "tiebreak")]
        self.left = {
            who: next(left_after(c) for c in event["competitors"] if c["id"] == who)
            for who in self.inside
            if counts([]) and has_left(event, who, after)
        }

    def steps(self) -> Iterator[list[set[str]]]:
        """After each round, and before the first: who had gone by then, the earlier ones first."""
        gaps: list[set[str]] = []
        for following in [*self.rounds, None]:
            self.games = [game for game in self.all if following is None or game.number < following]
            known = set().union(*gaps)
            gaps.append({w for w, last in self.left.items() if w not in known and self._before(last, following)})
            yield gaps

    @staticmethod
    def _before(last: int | None, number: int | None) -> bool:
        return number is None or (last is not None and last < number)


class Knockout(TieBreak):
    def told(self) -> Told:
        """One contest after the other, as long as a place counts: each among those whom the one before left."""
        places: list[str] = []
        below: list[set[str]] = []
        rest = set(self.inside)
        while True:
            self.inside = set(rest)
            first = self._contest()
            nobodys = [first] if first and first not in self.tied else sorted(rest - set(self.tied))
            if nobodys and (first == nobodys[0] or not self.inside & set(self.tied)):
                # Nobody's place: the others by what they played among themselves.
                rest.discard(nobodys[0])
                continue
            below.insert(0, rest - self.inside)
            if first is None or not self.counts([*places, first]):
                break
            places.append(first)
            rest = self.inside - {first}
        out, up = self.went_out(), self.up()
        order = [[who] for who in places] + [up] * bool(up)
        order += [[who for who in out if out[who] == n] for n in sorted(set(out.values()), reverse=True)]
        waits = [] if first is not None or not self.counts(places) else [who for who in up if who in self.tied]
        return Told([*order, *map(list, below)], waits if len(waits) > 1 else [], len(below) - 1)

    def _contest(self) -> str | None:
        """Who has beaten all that were left, if it has come to that; who gave up is inside no more."""
        for gaps in self.steps():
            gone = set().union(*gaps)
            self.inside -= {who for who in gone if not self._met_anybody(who)}
            if len(self.up()) == 1:
                return self.up()[0]
            while going := gone & set(self.up()):
                self.inside -= going
            if len(self.up()) == 1:
                return self.up()[0]
        return None

    def went_out(self) -> dict[str, int]:
        """In which round, of those inside. Who is out puts nobody out any more."""
        out: dict[str, int] = {}
        for number in self.rounds:
            standing = self.inside - set(out)
            for game in self.games:
                if game.number == number and game.won in standing and game.lost in self.inside:
                    out[str(game.lost)] = number
        return out

    def up(self) -> list[str]:
        out = self.went_out()
        return [who for who in self.inside if who not in out]

    def _met_anybody(self, who: str) -> bool:
        return any(who in game.pair and game.pair <= self.inside for game in self.games)


class RoundRobin(TieBreak):
    def told(self) -> Told:
        for gaps in self.steps():
            gone = set().union(*gaps)
            going = {who for who in self.inside & gone if not self._meetings_of(who, self.inside)}
            while True:
                self.inside -= going
                if (order := self._by_wins()) is not None:
                    return Told([*order, *self._below(order)], [])
                going = {who for who in self.inside & gone if self._owes(who)}
                if not going:
                    break
        here = [who for who in self.tied if who in self.inside and who not in self.left]
        level = [list(self.inside)] if self.inside else []
        return Told([*level, *self._below(level)], here if len(here) > 1 and self.counts([]) else [])

    def _below(self, levels: list[list[str]]) -> list[list[str]]:
        """Who went with games to play stands below the others."""
        below = [who for who in [*self.tied, *self.also] if not any(who in level for level in levels)]
        return [below] if below else []

    def _meetings_of(self, who: str, among: Collection[str]) -> Counter[frozenset[str]]:
        return Counter(game.pair for game in self.games if who in game.pair and game.pair <= set(among))

    def _complete(self) -> int:
        met = Counter(game.pair for game in self.games)
        return min((met[frozenset(pair)] for pair in combinations(self.inside, 2)), default=0)

    def _owes(self, who: str) -> bool:
        met = self._meetings_of(who, self.inside)
        return any(met[frozenset((who, other))] <= self._complete() for other in self.inside - {who})

    def _by_wins(self) -> list[list[str]] | None:
        """The levels of the first complete meeting of all that tells anybody apart."""
        if len(self.inside) == 1:
            return [list(self.inside)]
        for meeting in range(self._complete()):
            wins: Counter[str] = Counter(dict.fromkeys(self.inside, 0))
            for pair in combinations(self.inside, 2):
                game = [game for game in self.games if game.pair == frozenset(pair)][meeting]
                wins.update([game.won] if game.won else [])
            if len(set(wins.values())) > 1:
                return [[w for w in wins if wins[w] == n] for n in sorted(set(wins.values()), reverse=True)]
        return None
