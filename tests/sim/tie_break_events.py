"""Warlords events with a tie at a place that counts, played out through commands, with people leaving in between.

`winners`: one round; a few win higher, 3 to 7 win alike, nobody of whom has met. `circle`: 3, 5 or 7 have all met, each
has beaten half of the others, and in any smaller group the Swiss rounds would decide.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Sequence
from functools import cache
from itertools import pairwise, product
from random import Random
from typing import Any

import kit_core
from checker import pairing_complaints, standings_complaints
from checker.books import Event
from checker.play_off import groups_to_part

from roundtap_core.errors import Problem
from roundtap_core.event import commands as c
from roundtap_core.event.commands import apply, decide
from roundtap_core.event.cut import unfinished_parts
from roundtap_core.event.entries import Person, Timestamp, chain_entry
from roundtap_core.event.event_flow import CUT, upcoming_stage, whole_tournament
from roundtap_core.event.states import Entrant, EventState
from roundtap_core.eventfile.exports import tournament_to_json
from roundtap_core.records import TIEBREAK, Result, SidePair
from roundtap_core.standings.standings import open_ties

AT = Timestamp("boot-1", 1000)
MOST_TIE_BREAKS = 60
STOOD = Result(score=SidePair(9, 7))
WAYS = ("leaves", "disqualified", "both leave", "no-show", "nobody", "both lose", "leaves after it")


def tell(state: EventState, command: c.Command) -> EventState:
    for new in decide(state, command, AT.instant):
        state = apply(state, chain_entry(new, "e1", state.number + 1, state.head, AT, "somebody"))
    return state


def won(side: str, life: int = 10) -> Result:
    return Result(winner=side, score=SidePair(life, 0) if side == "a" else SidePair(0, life))  # type: ignore[arg-type]


@cache
def tied_event(circle: bool, tied: int, leaders: int, prizes: int, cut: int, seed: int) -> EventState:
    """After its Swiss rounds. The tied are p1, p2, …; the leaders l1, …"""
    people = [f"p{n}" for n in range(1, tied + 1)]
    swiss: list[list[tuple[str, str, int]]] = []
    if circle:
        for n in range(tied):
            pairs = [((n + d) % tied, (n - d) % tied) for d in range(1, tied // 2 + 1)]
            swiss.append(
                [(f"p{a + 1}", f"p{b + 1}", 10) for a, b in (p if _beats(*p, tied) else p[::-1] for p in pairs)]
            )
    else:
        above = [f"l{n}" for n in range(1, leaders + 1)]
        people = [*above, *people, *(f"x{n}" for n in range(1, leaders + tied + 1))]
        life = [20 - n for n in range(leaders)] + [10] * tied
        swiss.append([(who, f"x{n}", life[n - 1]) for n, who in enumerate(people[: leaders + tied], start=1)])
    options = {
        "structure": "own",
        "swiss_rounds": len(swiss),
        "prize_places": prizes,
        "cut": cut,
        "lists_required": False,
    }
    state = tell(EventState("e1"), c.CreateEvent("Open", "warlords-of-terra", None, options, "#0072B2", seed))
    for who in people:
        state = tell(state, c.EnterCompetitor(Entrant(who, "digest")))
    for pairs in swiss:
        matches: list[dict[str, Any]] = [{"a": a, "b": b} for a, b, _ in pairs]
        seated = {who for a, b, _ in pairs for who in (a, b)}
        matches += [{"a": who, "bye": "bye"} for who in people if who not in seated]
        state = publish(tell(state, c.ImposeRound(tuple(matches))))
        live = state.live
        for match, (_, _, figure) in zip(live.matches, pairs, strict=False):
            state = tell(state, c.EnterResult(match.id, match.revision, won("a", figure)))
    return state


def _beats(a: int, b: int, among: int) -> bool:
    return 0 < (b - a) % among <= among // 2


def publish(state: EventState) -> EventState:
    draft = state.draft
    return tell(state, c.PublishRound(draft.number, draft.draw.attempt, noted="a test"))


def as_file(state: EventState) -> Event:
    people = {who: Person(name=f"Player {who}") for who in state.entrants}
    return tournament_to_json(whole_tournament(state, people))


class Story:
    """One such event from its last Swiss round to its end. `wrong`: what oracle, or plain sense, says against it."""

    def __init__(self, seed: int, dirt: float | None = None, **given: Any) -> None:
        rand = self.rand = Random(f"tie-break|{seed}")
        circle = given.get("circle", rand.random() < 0.5)
        self.tied = given.get("tied", rand.choice((3, 5, 7) if circle else (3, 4, 5, 6, 7)))
        self.leaders = 0 if circle else given.get("leaders", rand.randint(0, 2))
        prizes = given.get("prizes", rand.randint(0, self.leaders + self.tied))
        cut = given.get("cut", rand.choice((0, 0, 2, 4, 8)))
        if prizes <= self.leaders and cut <= self.leaders:
            prizes = self.leaders + 1
        self.form = given.get("form", rand.choice(("each", "knockout")))
        self.dirt = rand.choice((0, 0, 0.1, 0.3)) if dirt is None else dirt
        self.state = tied_event(circle, self.tied, self.leaders, prizes, cut, rand.randrange(5))
        self._written: tuple[EventState, Event] | None = None
        self.before = kit_core.rules_broken(self.file)
        self.wrong: list[str] = []
        self.seen: Counter[str] = Counter()

    @property
    def file(self) -> Event:
        if self._written is None or self._written[0] is not self.state:
            self._written = (self.state, as_file(self.state))
        return self._written[1]

    def play(self) -> Story:
        while self._looked_at() == TIEBREAK and not self.wrong:
            self._round()
            self._between()
            if self.seen["rounds"] > MOST_TIE_BREAKS:
                self.wrong.append("it does not come to an end")
                break
        if not self.wrong:
            self._end()
        return self

    def _looked_at(self) -> str:
        """The oracle's word on everything that follows from the file."""
        file = self.file
        follows = upcoming_stage(self.state)
        due = groups_to_part(file)
        told = [set(tie) for tie in open_ties(whole_tournament(self.state, {}))]
        if told != [set(tie) for tie in due]:
            self.wrong.append(f"open {told}, should be {due}")
        if (follows == TIEBREAK) != bool(due):
            self.wrong.append(f"{follows} follows, open are {due}")
        self.wrong += standings_complaints(file, kit_core.table(file))
        if self.rand.random() < 0.2:
            self.wrong += self._broken(file)
        self.wrong += list(unplayed(file, self._players(), {who for tie in due for who in tie}))
        return follows

    def _players(self) -> list[str]:
        return [f"p{n}" for n in range(1, self.tied + 1)]

    def _round(self) -> None:
        self.seen["rounds"] += 1
        before = self.file
        self.state = tell(self.state, c.DrawRound(1, tiebreak_form=self.form))
        draft = self.state.draft
        printed = {
            "round": draft.number,
            "stage": draft.stage,
            "draw": {"seed": 1, "attempt": 1, "method": "tiebreak"},
            "matches": [{"table": m.match.table, "a": m.match.a, "b": m.match.b} for m in draft.matches],
            "notes": dict(draft.notes),
        }
        self.wrong += [f"pair: {text}" for text in pairing_complaints(before, printed)]
        if self.form == "knockout" and not self.seen["corrected"]:
            self.wrong += list(superfluous(before, [(m.match.a, m.match.b or "") for m in draft.matches]))
        self.state = publish(self.state)
        for match in draft.matches:
            self._match(match.id, match.match.a, match.match.b or "")

    def _match(self, match_id: str, a: str, b: str) -> None:
        rand = self.rand
        way = rand.choice(WAYS) if rand.random() < self.dirt else "played"
        self.seen[way] += 1
        if way == "leaves":
            self._tell(c.DropCompetitor(rand.choice((a, b)), STOOD))
        elif way == "disqualified":
            self._tell(c.Disqualify(rand.choice((a, b)), "a reason", stood=STOOD))
        elif way == "both leave":
            self._tell(c.DropCompetitor(a, STOOD, together=rand.random() < 0.5))
            self._tell(c.DropCompetitor(b, STOOD))
        elif way == "no-show":
            self._tell(c.NoShow(match_id, rand.choice((a, b))))
        elif way == "nobody":
            self._tell(c.DoubleNoShow(match_id))
        elif way == "leaves after it":
            self._tell(c.DropCompetitor(rand.choice((a, b)), plays_on=True))
        found = self.state.find_match(match_id)
        if not found[1].done:
            none = Result(ended="ruling", winner="none")
            result = none if way == "both lose" else won(rand.choice("ab"), rand.randint(1, 20))
            self._tell(c.EnterResult(match_id, found[1].revision, result))

    def _tell(self, command: c.Command) -> None:
        self.state = tell(self.state, command)

    def _between(self) -> None:
        """Anybody may leave, or be put out, before the next round, or before the end."""
        for who in self._players():
            if self.state.entrants[who].active and self.rand.random() < self.dirt / 4:
                out = self.rand.random() < 0.3
                self._tell(c.Disqualify(who, "a reason") if out else c.DropCompetitor(who))
                self.seen["out between" if out else "left between"] += 1
        if self.rand.random() < self.dirt / 4:
            self._correct()

    def _correct(self) -> None:
        """A result of any tie-break round was misread: the other one has won."""
        played = [m for r in self.state.rounds if r.stage == TIEBREAK for m in r.matches if m.match.result is not None]
        if played:
            match = self.rand.choice(played)
            was = match.match.result
            right = won("b" if was.winner == "a" or was.conceded_by == "b" else "a")
            try:
                self._tell(c.EnterResult(match.id, match.revision, right, reason="misread"))
            except Problem:
                # Somebody else would play the round that is out; it is kept.
                self._tell(c.EnterResult(match.id, match.revision, right, reason="misread", cut="keep"))
            self.seen["corrected"] += 1

    def _end(self) -> None:
        """The cut can be made, the event finished; neither asks for a tie-break round any more. What was decided stays
        as it was when people leave before the end."""
        if upcoming_stage(self.state) == CUT:
            try:
                self._tell(c.MakeCut())
            except Problem as problem:
                if problem.key != "too_few_players":
                    self.wrong.append(f"no cut: {problem.key}")
        gone = any(not entrant.active for entrant in self.state.entrants.values())
        ties = [point for point in unfinished_parts(self.state) if point.kind == "tie_open"]
        if ties and not gone:
            self.wrong.append(f"finish names {ties}")
        self._tell(c.FinishEvent("the hall closes"))
        self.wrong += self._broken(self.file)

    def _broken(self, file: Event) -> list[str]:
        """What `check` says of all that followed the Swiss rounds, which were paired by hand."""
        return [f"check: {key} {text}" for key, text in kit_core.rules_broken(file) if (key, text) not in self.before]


def beaten(file: Event) -> dict[str, set[str]]:
    """Who has beaten whom in the tie-break rounds, themselves or by way of others."""
    over: dict[str, set[str]] = defaultdict(set)
    for match in (m for r in file["rounds"] if r["stage"] == "tiebreak" for m in r["matches"] if "result" in m):
        side = match["result"].get("winner") or {"a": "b", "b": "a"}[match["result"]["conceded_by"]]
        if side in ("a", "b"):
            over[match[side]].add(match["b" if side == "a" else "a"])
    for way, one, two in product(list(over), list(over), _seated(file)):
        if way in over[one] and two in over[way]:
            over[one].add(two)
    return over


def unplayed(file: Event, players: Sequence[str], playing: Collection[str]) -> list[str]:
    """Two of a tie that is over, both still there, next to each other with a place that counts between them: the upper
    one has beaten the lower one in the tie-break, or somebody who has, and so on."""
    over = beaten(file)
    gone = {w["id"] for w in file["competitors"] if "dropped_after" in w or "disqualified_after" in w}
    rows = [row["competitor"] for row in kit_core.table(file)["standings"] if row["rank"] is not None]
    counts = _places_that_count(file, rows, gone)
    both_lost = any(m.get("result", {}).get("winner") == "none" for r in file["rounds"] for m in r["matches"])
    return [
        f"{upper} stands above {lower} unplayed"
        for place, (upper, lower) in enumerate(pairwise(rows), start=1)
        if place in counts and not {upper, lower} & gone and not playing and {upper, lower} <= set(players)
        if lower not in over[upper] and not both_lost
    ]


def _places_that_count(file: Event, rows: Sequence[str], gone: Collection[str]) -> set[int]:
    options = file["options"]
    there = [sum(who not in gone for who in rows[:place]) for place in range(len(rows))]
    return {place + 1 for place in range(len(rows)) if place < options["prize_places"] or there[place] < options["cut"]}


def superfluous(file: Event, pairs: Sequence[tuple[str, str]]) -> list[str]:
    """In single elimination nobody plays whom they have beaten already, by way of others or not."""
    over = beaten(file)
    return [f"{a} and {b} play again" for a, b in pairs if b in over[a] or a in over[b]]


def _seated(file: Event) -> set[str]:
    return {m[s] for r in file["rounds"] if r["stage"] == "tiebreak" for m in r["matches"] for s in "ab" if s in m}
