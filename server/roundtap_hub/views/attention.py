"""What needs the organizer, each with its age: calls, disputes, reports that wait, people who leave, silent tables."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from roundtap_core.event.judging.pending import open_appeal, open_appeals, proposed_disqualifications
from roundtap_core.event.state import DISPUTE, ONE_SIDED, EventState
from roundtap_hub.journal.service import Snapshot
from roundtap_hub.presence import UnitStatus
from roundtap_hub.views.tables import CALL, DRAFT, NO_CONTACT, Cell, age

ONE_SIDED_MS = 120_000
"""So long the other side has to confirm before the console offers to accept it."""


@dataclass(frozen=True, slots=True)
class Need:
    """One line of the list. `kind` chooses sign, words and buttons."""

    kind: str
    table: int | None
    age_ms: int | None = None
    cell: Cell | None = None
    unit: str | None = None
    who: str = ""
    who_id: str = ""
    taken_by: str | None = None
    number: int | None = None
    text: str = ""


RANK = {CALL: 0, "appeal": 0, "proposal": 1, DISPUTE: 1, "extra": 1, ONE_SIDED: 2, DRAFT: 3, "leave": 4, "late": 5,
        NO_CONTACT: 6}


def needs(
    snapshot: Snapshot, units: Mapping[str, UnitStatus], state: EventState, grid: Sequence[Cell],
    names: Mapping[str, str], now_ms: int,
) -> list[Need]:
    """The list, the most urgent kind first, the oldest first within it."""
    found = [need for cell in grid for need in _of_cell(cell)]
    found += _calls_elsewhere(snapshot, units, grid, now_ms)
    found += _leaving(snapshot, units, state, names)
    found += _late(state)
    found += _extra_minutes(state)
    found += _judged(state, names)
    return sorted(found, key=lambda n: (RANK[n.kind], n.taken_by is not None, -(n.age_ms or 0), n.table or 0))


def _of_cell(cell: Cell) -> Iterator[Need]:
    if cell.call_age_ms is not None:
        yield Need(CALL, cell.table, cell.call_age_ms, cell, cell.unit, taken_by=cell.call_taken_by)
    if cell.state == DISPUTE:
        yield Need(DISPUTE, cell.table, cell.reported_age_ms, cell)
    elif cell.state == ONE_SIDED and (cell.reported_age_ms or 0) >= ONE_SIDED_MS:
        yield Need(ONE_SIDED, cell.table, cell.reported_age_ms, cell)
    elif cell.state == DRAFT:
        yield Need(DRAFT, cell.table, None, cell)
    if NO_CONTACT in cell.flags:
        yield Need(NO_CONTACT, cell.table, cell.contact_age_ms, cell, cell.unit)


def _calls_elsewhere(
    snapshot: Snapshot, units: Mapping[str, UnitStatus], grid: Sequence[Cell], now_ms: int
) -> Iterator[Need]:
    """Calls from tables where nobody of this round sits: before a round, or a unit without a table."""
    here = {cell.unit for cell in grid}
    others = {
        snapshot.venue.unit_at(match.match.table)
        for state in snapshot.events.values() if state.live
        for match in state.live.matches if match.match.table is not None
    }
    for unit, status in sorted(units.items()):
        if status.call_since_ms is not None and unit not in here and unit not in others:
            yield Need(CALL, snapshot.venue.tables.get(unit), age(status.call_since_ms, now_ms), None, unit, who=unit,
                       taken_by=status.call_taken_by)


def _leaving(
    snapshot: Snapshot, units: Mapping[str, UnitStatus], state: EventState, names: Mapping[str, str]
) -> Iterator[Need]:
    """Who asked at the table to leave, until they have left. The match says who sat at that side."""
    for unit, status in sorted(units.items()):
        table = snapshot.venue.tables.get(unit)
        found = state.find_match(status.match) if status.leave and status.match else None
        if found is None or found[1].match.table != table:
            continue
        for side in status.leave or "":
            who = found[1].match.a if side == "a" else found[1].match.b
            if who and state.entrants[who].active:
                yield Need("leave", table, None, None, unit, names.get(who, who), who)


def _late(state: EventState) -> Iterator[Need]:
    """Reports for a closed round, until an official has looked at that match since."""
    seen: set[str] = set()
    for fate in reversed(state.late):
        found = state.find_match(fate.match) if fate.match and fate.match not in seen else None
        if found is None:
            continue
        seen.add(found[1].id)
        if (found[1].number or 0) < fate.number:
            yield Need("late", found[1].match.table, None, None, who_id=found[1].id, number=found[0].number)


def _extra_minutes(state: EventState) -> Iterator[Need]:
    """From the start of the round until it is told: what chance adds to it. Nobody thinks of it when time is called."""
    live = state.live
    if live is not None and live.extra_minutes is None and live.open_matches and state.clock.total_ms is not None \
            and state.rulebook.extra_minutes is not None:
        yield Need("extra", None)


def _judged(state: EventState, names: Mapping[str, str]) -> Iterator[Need]:
    """Appeals that the head judge has not decided, and disqualifications that somebody has to decide."""
    if state.finished:
        return
    for _, match in open_appeals(state):
        appeal = open_appeal(match)
        if appeal is not None:
            yield Need("appeal", match.match.table, who=names.get(appeal.by, appeal.by), who_id=match.id)
    for proposal in proposed_disqualifications(state):
        who = proposal.competitor
        yield Need("proposal", None, who=names.get(who, who), who_id=who, number=proposal.warnings,
                   text=proposal.reason or "")
