"""The paper of an event as the console shows it: what needs a person first, then what waits and what is done."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass

from roundtap_core.event.state import EventState
from roundtap_hub.printing.jobs import (
    AGAIN,
    CANCELLED,
    FAILED,
    MUTE,
    PRINTED,
    PROXY,
    QUEUED,
    SENDING,
    SENT,
    SLIP,
    SPEED,
    THERE,
    UNCERTAIN,
    PrintJob,
    PrintState,
    derived_jobs,
)

ORDER = {UNCERTAIN: 0, FAILED: 1, SENDING: 2, QUEUED: 3, SENT: 4, PRINTED: 5, THERE: 5, CANCELLED: 6}


@dataclass(frozen=True, slots=True)
class PaperRow:
    """One job. `asks`: a person should say whether it lies there; `waits_for`: why a queued one does not start."""

    job: PrintJob
    kind: str
    round: int
    table: int | None
    state: str
    detail: str
    unit: str
    asks: bool
    again: bool
    mute: bool = False
    """It waits for a printer that answered before: somebody has to look whether it prints."""
    about: str = ""
    """What somebody typed for it: the card of a proxy, the printer or the speed that a test print tries."""


@dataclass(frozen=True, slots=True)
class PaperView:
    """`asking` need a person; `waiting` are on their way; `done` lie on the table."""

    asking: tuple[PaperRow, ...]
    waiting: tuple[PaperRow, ...]
    done: tuple[PaperRow, ...]


def event_jobs(state: EventState, orders: Iterable[PrintJob], states: Mapping[str, PrintState],
               with_units: Collection[int]) -> list[PrintJob]:
    """What the event wants on paper now, and everything that was ordered for it by hand. `with_units`: tables where a
    unit stands, whose slips are named only if they were printed before it came there."""
    wanted = {job.id for job in derived_jobs(state, with_units)}
    derived = [job for job in derived_jobs(state)
               if job.id in wanted or states.get(job.id, PrintState()).state != QUEUED]
    return [*derived, *(job for job in orders if job.event == state.id)]


def paper_view(state: EventState, orders: Iterable[PrintJob], states: Mapping[str, PrintState],
               with_units: Collection[int] = ()) -> PaperView:
    """All jobs of the event but those that were ordered anew."""
    rows = sorted(
        (_row(state, job, states.get(job.id, PrintState())) for job in event_jobs(state, orders, states, with_units)),
        key=lambda row: (ORDER.get(row.state, 9), row.kind == SLIP, row.table or 0),
    )
    shown = [row for row in rows if row.state != AGAIN]
    return PaperView(
        tuple(row for row in shown if row.asks),
        tuple(row for row in shown if row.state in (QUEUED, SENDING) and not row.asks),
        tuple(row for row in shown if not row.asks and row.state not in (QUEUED, SENDING)),
    )


def _mute(known: PrintState) -> bool:
    return known.state == QUEUED and known.detail == MUTE


def _row(state: EventState, job: PrintJob, known: PrintState) -> PaperRow:
    found = state.find_match(job.match) if job.match else None
    return PaperRow(job, job.kind, job.round, found[1].match.table if found else None, known.state, known.detail,
                    known.unit, asks=known.state in (UNCERTAIN, FAILED) or _mute(known), mute=_mute(known),
                    again=known.state not in (SENDING,) and bool(known.unit),
                    about=_about(job))


def _about(job: PrintJob) -> str:
    said = json.loads(job.text) if job.text else {}
    if job.kind == SPEED:
        return f"{said['number']}: {said['at']['baud']}"
    return str(said["card"] if job.kind == PROXY else said["at"]["printer"]) if said else ""
