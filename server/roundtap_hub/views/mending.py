"""What mending a round shows: who sits where and may be moved, who waits, what a step would change, what was done."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from roundtap_core.clock import IDLE
from roundtap_core.event.mending.mend import AGAIN, Changed, Mend, Warned, movable, waiting
from roundtap_core.event.official import ROLES
from roundtap_core.event.state import DRAFT, EventState, MatchState, RoundState
from roundtap_core.records import BYE, NO_SHOW, SWISS_STAGES, Match
from roundtap_hub.views.event_at import EventAt
from roundtap_hub.views.judging import official_name
from roundtap_hub.views.knockout import title_key
from roundtap_hub.views.wall import sort_key

Names = Mapping[str, str]
LEFT = "left"


@dataclass(frozen=True, slots=True)
class Seat:
    """Somebody who may be chosen: by name, with table and opponent, or why they wait."""

    id: str
    name: str
    table: int | None
    opponent: str
    why: str = ""


@dataclass(frozen=True, slots=True)
class Movable:
    """A match that may go to another table."""

    id: str
    table: int | None
    a: str
    b: str


@dataclass(frozen=True, slots=True)
class Line:
    """One match as it is to be, and as it was: names ("" for nobody), table, and the kind of bye. `was` is None where
    there was none."""

    names: tuple[str, str]
    table: int | None
    bye: str | None
    was: Line | None = None


@dataclass(frozen=True, slots=True)
class Said:
    """A warning: the text "mend.warn.KIND" with its parameters."""

    kind: str
    params: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Shown:
    """A step before it is done; `mark` is sent back with it (Mend.mark)."""

    what: str
    mark: str
    lines: tuple[Line, ...]
    warnings: tuple[Said, ...]


@dataclass(frozen=True, slots=True)
class MendLine:
    """What was mended: in which round, at which tables they sit now, by whom and why; `by` is "" for a role, which
    `role` then names. `by_hand`: not worked out by the pairing."""

    number: int
    name: str | None
    what: str
    tables: tuple[int, ...]
    by: str
    role: str
    reason: str
    entry: int
    by_hand: bool


@dataclass(frozen=True, slots=True)
class MendView:
    """The round that can be mended. `pairs`: who meets whom may be changed, not the tables alone."""

    number: int
    name: str | None
    draft: bool
    pairs: bool
    seats: tuple[Seat, ...]
    waits: tuple[Seat, ...]
    byes: tuple[Seat, ...]
    matches: tuple[Movable, ...]
    said: tuple[int, ...]
    running: bool
    lines: tuple[MendLine, ...]

    @property
    def again(self) -> bool:
        """Whether pairing anew may have something to do."""
        return self.pairs and _pairs_anew([wait.why for wait in self.waits])


def waits_before_start(state: EventState) -> int:
    """How many wait for an opponent in a round that people see and that has not begun; 0 where pairing them anew would
    change nothing."""
    played = state.live
    if played is None or state.clock.state != IDLE:
        return 0
    whys = [why for why, _ in waiting(state, played).values()]
    return len(whys) if _pairs_anew(whys) else 0


def _pairs_anew(whys: Sequence[str]) -> bool:
    return len(whys) > 1 or any(why not in (BYE, NO_SHOW, LEFT) for why in whys)


def mend_view(moment: EventAt, names: Names) -> MendView | None:
    """The draft or the round in play; None where there is neither."""
    state = moment.state
    played = state.draft or state.live
    if played is None:
        return None
    waits = waiting(state, played)
    seats, matches = [], []
    for match in played.matches:
        seat = match.match
        if seat.b is not None and not match.reports and not match.decided and seat.result is None:
            matches.append(Movable(match.id, seat.table, names.get(seat.a, seat.a), names.get(seat.b, seat.b)))
        if movable(match) and all(state.entrants[who].active for who in (seat.a, seat.b or "")):
            seats += [Seat(who, names.get(who, who), seat.table, names.get(other or "", ""))
                      for who, other in ((seat.a, seat.b), (seat.b or "", seat.a))]
        elif seat.bye == BYE and seat.a in waits:
            seats.append(Seat(seat.a, names.get(seat.a, seat.a), None, "", BYE))
    waiters = [Seat(who, names.get(who, who), None, _left(state, match, names), why)
               for who, (why, match) in waits.items()]
    return MendView(
        played.number, title_key(state, played), played.status == DRAFT, played.stage in SWISS_STAGES,
        _sorted(seats), _sorted(waiters), tuple(w for w in _sorted(waiters) if w.why not in (BYE, NO_SHOW, LEFT)),
        tuple(sorted(matches, key=lambda m: m.table or 0)),
        tuple(sorted(m.match.table or 0 for m in played.matches if m.match.b and not movable(m))),
        played.status != DRAFT and state.clock.state != IDLE, tuple(_lines(moment, [played])),
    )


def _sorted(seats: Sequence[Seat]) -> tuple[Seat, ...]:
    return tuple(sorted(seats, key=lambda seat: sort_key(seat.name)))


def _left(state: EventState, match: MatchState | None, names: Names) -> str:
    """Whom somebody waits without, where that one has left."""
    if match is None or match.match.b is None:
        return ""
    return next((names.get(who, who) for who in (match.match.a, match.match.b) if not state.entrants[who].active), "")


def shown(mend: Mend, names: Names) -> Shown:
    """The step in words' reach."""
    return Shown(mend.what, mend.mark, tuple(_line(change, names) for change in mend.changes),
                 tuple(said(warned, names) for warned in mend.warnings))


def _line(change: Changed, names: Names) -> Line:
    return _as_line(change.match, names, _as_line(change.was, names) if change.was is not None else None)


def _as_line(match: Match, names: Names, was: Line | None = None) -> Line:
    return Line((names.get(match.a, match.a), names.get(match.b, match.b) if match.b else ""), match.table, match.bye,
                was)


def said(warned: Warned, names: Names) -> Said:
    who = [names.get(each, each) for each in warned.who]
    return Said(warned.kind, {"a": who[0] if who else "", "b": who[1] if len(who) > 1 else "", "number": warned.number,
                              "n": warned.number if warned.number is not None else len(who), "who": ", ".join(who)})


def mend_lines(moment: EventAt) -> tuple[MendLine, ...]:
    """Everything that was mended in rounds that people have seen."""
    return tuple(_lines(moment, moment.state.public_rounds))


def _lines(moment: EventAt, rounds: Sequence[RoundState]) -> list[MendLine]:
    lines = []
    for played in rounds:
        now = {m.id: m.match.table for m in played.matches}
        for line in played.mends:
            tables = sorted({now[each] or 0 for each in line["matches"] if now.get(each)})
            by = official_name(moment, line["by"])
            whole = line["what"] == "imposed"
            role = line["by"] if line["by"] in ROLES else ""
            lines.append(MendLine(played.number, title_key(moment.state, played), line["what"],
                                  () if whole else tuple(tables), by, role, line["reason"], line["number"],
                                  line["what"] != AGAIN))
    return lines
