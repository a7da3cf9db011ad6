"""Views of a round being mended: who may be moved, who waits, a step's warnings, and the steps done."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from roundtap_core.clock import IDLE
from roundtap_core.event import mending_steps
from roundtap_core.event.states import DRAFT, EventState, MatchState, RoundState
from roundtap_core.records import BYE, NO_SHOW, SWISS_STAGES
from roundtap_hub.views.judging_view import author_of
from roundtap_hub.views.knockout import title_key
from roundtap_hub.views.saved_event import SavedEvent, name_sort_key

Names = Mapping[str, str]


@dataclass(frozen=True, slots=True)
class MendSeat:
    """A player who may be chosen, with table and opponent, or why they wait."""

    id: str
    name: str
    table: int | None
    opponent: str
    why: str = ""


@dataclass(frozen=True, slots=True)
class MendLine:
    """One `mend` as its round holds it: the round's number and name, its tables now, and (name, role) of who did it."""

    number: int
    name: str | None
    mend: Mapping[str, Any]
    tables: list[int]
    by: tuple[str, str]


def waiting_count(state: EventState) -> int:
    """How many wait for an opponent in a published round before its start; 0 where pairing anew changes nothing."""
    played = state.live
    if played is None or state.clock.state != IDLE:
        return 0
    whys = [why for why, _ in mending_steps.waiting_competitors(state, played).values()]
    return len(whys) if _pairs_anew(whys) else 0


def _pairs_anew(whys: Sequence[str]) -> bool:
    return len(whys) > 1 or any(why not in (BYE, NO_SHOW, mending_steps.LEFT) for why in whys)


@dataclass(frozen=True, slots=True)
class MendView:
    """The draft or the round in play. `pairs`: pairings may be changed, not only tables; `again`: pairing anew may
    change something; `matches`: may move to another table; `said`: tables with reports."""

    number: int
    name: str | None
    names: Names
    draft: bool
    pairs: bool
    again: bool
    seats: list[MendSeat]
    waits: list[MendSeat]
    byes: list[MendSeat]
    matches: list[MatchState]
    said: list[int]
    running: bool
    lines: tuple[MendLine, ...]


def mend_view(event: SavedEvent, names: Names) -> MendView | None:
    """None where there is no such round."""
    state = event.state
    played = state.draft or state.live
    if played is None:
        return None
    waits = mending_steps.waiting_competitors(state, played)
    seats = []
    for match in played.matches:
        seat = match.match
        if mending_steps.can_change_pairing(match) and all(
            state.entrants[who].active for who in (seat.a, seat.b or "")
        ):
            seats += [
                MendSeat(who, names.get(who, who), seat.table, names.get(other or "", ""))
                for who, other in ((seat.a, seat.b), (seat.b or "", seat.a))
            ]
        elif seat.bye == BYE and seat.a in waits:
            seats.append(MendSeat(seat.a, names.get(seat.a, seat.a), None, "", BYE))
    waiters = _sorted(
        MendSeat(who, names.get(who, who), None, _left(state, match, names), why) for who, (why, match) in waits.items()
    )
    pairs, draft = played.stage in SWISS_STAGES, played.status == DRAFT
    return MendView(
        number=played.number,
        name=title_key(state, played),
        names=names,
        draft=draft,
        pairs=pairs,
        again=pairs and _pairs_anew([wait.why for wait in waiters]),
        seats=_sorted(seats),
        waits=waiters,
        byes=[wait for wait in waiters if wait.why not in (BYE, NO_SHOW, mending_steps.LEFT)],
        matches=sorted(
            (m for m in played.matches if m.match.b is not None and not mending_steps.has_report(m)),
            key=lambda m: m.match.table or 0,
        ),
        said=sorted(
            m.match.table or 0 for m in played.matches if m.match.b and not mending_steps.can_change_pairing(m)
        ),
        running=not draft and state.clock.state != IDLE,
        lines=mend_lines(event, [played]),
    )


def _sorted(seats: Iterable[MendSeat]) -> list[MendSeat]:
    return sorted(seats, key=lambda seat: name_sort_key(seat.name))


def _left(state: EventState, match: MatchState | None, names: Names) -> str:
    if match is None or match.match.b is None:
        return ""
    return next((names.get(who, who) for who in (match.match.a, match.match.b) if not state.entrants[who].active), "")


def warnings_of(mend: mending_steps.MendPlan, names: Names) -> list[tuple[str, dict[str, object]]]:
    """Each warning as (KIND, parameters) of the text "mend.warn.KIND"."""
    return [(warned.kind, _params(warned, [names.get(each, each) for each in warned.who])) for warned in mend.warnings]


def _params(warned: mending_steps.MendWarning, who: list[str]) -> dict[str, object]:
    return {
        "a": who[0] if who else "",
        "b": who[1] if len(who) > 1 else "",
        "number": warned.number,
        "n": warned.number if warned.number is not None else len(who),
        "who": ", ".join(who),
    }


def mend_lines(event: SavedEvent, rounds: Sequence[RoundState]) -> tuple[MendLine, ...]:
    lines = []
    for played in rounds:
        now = {m.id: m.match.table for m in played.matches}
        for mend in played.mends:
            tables = sorted({now[each] or 0 for each in mend["matches"] if now.get(each)})
            lines.append(
                MendLine(
                    played.number,
                    title_key(event.state, played),
                    mend,
                    tables if mend["what"] != mending_steps.IMPOSED else [],
                    author_of(event, "", mend["by"]),
                )
            )
    return tuple(lines)
