"""Seals: what events at rest amount to, beside their entries, so that nobody folds years of them to show a list."""

from __future__ import annotations

import json
import zlib
from dataclasses import asdict, dataclass
from typing import Any

from sqlalchemy import Engine, select
from sqlalchemy.exc import SQLAlchemyError

from roundtap_core.event.state import EventState
from roundtap_core.event.state_bytes import decode, encode, form
from roundtap_core.rulebooks.base import Rulebook
from roundtap_core.rulebooks.registry import rulebook
from roundtap_hub.models import EVENT_SNAPSHOT, EventSnapshotRow, upsert

FOLD_VERSION = "0.1.0"
"""Raised when the same entries fold to another state of the same form. Not the build's version: seals outlive those."""


@dataclass(frozen=True, slots=True)
class EventSummary:
    """What lists show of an event at rest; `number` and `head` are those of its last entry."""

    id: str
    number: int
    head: str
    name: str
    rulebook_id: str
    color: str
    date: str = ""
    """As the event says it of itself, "2026-11-21"; empty where it does not."""
    players: int = 0
    finished: bool = True

    @property
    def rulebook(self) -> Rulebook:
        return rulebook(self.rulebook_id)


@dataclass(frozen=True, slots=True)
class EventSnapshot:
    """`state` are the bytes of `encode`; `made_by` names the core that made them."""

    summary: EventSummary
    made_by: str
    state: bytes


def made_by() -> str:
    """The core that runs here: how it folds and what its states consist of."""
    return f"{FOLD_VERSION}/{form()}"


def summary_of(state: EventState) -> EventSummary:
    return EventSummary(state.id, state.number, state.head, state.name, state.rulebook_id, state.color,
                   state.about.get("date", ""), len(state.entrants), state.finished)


def snapshot_event(state: EventState) -> EventSnapshot:
    return EventSnapshot(summary_of(state), made_by(), encode(state))


class EventSnapshotStore:
    """The seals of one database; reads raise SQLAlchemyError where it cannot be read."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self.readable = True
        """False: a journal of an older hub, looked at without being changed, has no such table."""

    def summaries(self) -> dict[str, tuple[EventSummary, str]]:
        """Each sealed event's summary, and by which core its state was made; states are not read."""
        if not self.readable:
            return {}
        query = select(EVENT_SNAPSHOT.c.event, EVENT_SNAPSHOT.c.number, EVENT_SNAPSHOT.c.head,
                       EVENT_SNAPSHOT.c.made_by, EVENT_SNAPSHOT.c.summary)
        with self._engine.connect() as connection:
            return {row.event: (told, row.made_by) for row in connection.execute(query)
                    if (told := _summary_in(row)) is not None}

    def known(self) -> dict[str, tuple[int, str]]:
        """Of each event that has a seal, be it of any use or none: the entry that it is said to be of."""
        if not self.readable:
            return {}
        with self._engine.connect() as connection:
            return {row.event: (row.number, row.head)
                    for row in connection.execute(select(EVENT_SNAPSHOT.c.event, EVENT_SNAPSHOT.c.number,
                                                         EVENT_SNAPSHOT.c.head))}

    def find(self, event_id: str) -> EventSnapshot | None:
        """An event's seal as it lies there; None where there is none that could be read."""
        with self._engine.connect() as connection:
            row = connection.execute(select(EVENT_SNAPSHOT).where(EVENT_SNAPSHOT.c.event == event_id)).first()
        summary = _summary_in(row) if row is not None else None
        try:
            return EventSnapshot(summary, row.made_by, zlib.decompress(row.state)) if row and summary else None
        except (TypeError, zlib.error):
            return None

    def state(self, summary: EventSummary) -> EventState | None:
        """The sealed state; None where the seal is of another entry, of another core, or damaged."""
        try:
            seal = self.find(summary.id)
            if seal is None or seal.made_by != made_by():
                return None
            state = decode(seal.state)
        except (ValueError, SQLAlchemyError):
            return None
        fits = (state.id, state.number, state.head) == (summary.id, summary.number, summary.head)
        return state if fits else None

    def save(self, seal: EventSnapshot) -> None:
        """Put the seal in the place of the event's one before."""
        with self._engine.begin() as connection:
            upsert(connection, EventSnapshotRow(
                event=seal.summary.id, number=seal.summary.number, head=seal.summary.head, made_by=seal.made_by,
                summary=json.dumps(asdict(seal.summary), ensure_ascii=False), state=zlib.compress(seal.state, 1)))


def _summary_in(row: Any) -> EventSummary | None:
    """What a seal's row tells; None where that is nothing, or of another entry."""
    try:
        told = EventSummary(**json.loads(row.summary))
    except (ValueError, TypeError):
        return None
    return told if (told.id, told.number, told.head) == (row.event, row.number, row.head) else None
