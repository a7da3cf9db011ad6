"""Snapshots of dormant events, stored beside their entries, so that no list needs to fold years of them."""

import json
import logging
import zlib
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from sqlalchemy import Engine, Row, Select, select
from sqlalchemy.exc import SQLAlchemyError

from roundtap_core.event.states import EventState, decode_state, encode_state, state_form
from roundtap_core.rulebooks.base import Rulebook
from roundtap_core.rulebooks.registry import rulebook
from roundtap_hub.store.models import EVENT_SNAPSHOT, EventSnapshotRow, upsert

log = logging.getLogger(__name__)

FOLD_VERSION = "0.1.0"
"""Raise it when the same entries fold to another state of the same form. Not the build's version: snapshots outlive
builds."""


@dataclass(frozen=True, slots=True)
class EventSummary:
    """What lists show of a dormant event; `number` and `head` are those of its last entry."""

    id: str
    number: int
    head: str
    name: str
    rulebook_id: str
    color: str
    date: str = ""  # the event's own date, "2026-11-21"; "" if unset
    players: int = 0
    finished: bool = True
    late: int = 0  # matches with a report after their round that nobody has dealt with
    rules: str | None = None  # of a store's own game

    @property
    def rulebook(self) -> Rulebook:
        return rulebook(self.rulebook_id, self.rules)


@dataclass(frozen=True, slots=True)
class EventSnapshot:
    """`state`: the bytes of `encode_state`; `made_by`: the core that made them."""

    summary: EventSummary
    made_by: str
    state: bytes


def running_core() -> str:
    """The running core: how it folds, and the form of its states."""
    return f"{FOLD_VERSION}/{state_form()}"


def summary_of(state: EventState) -> EventSummary:
    return EventSummary(
        state.id,
        state.number,
        state.head,
        state.name,
        state.rulebook_id,
        state.color,
        state.date,
        len(state.entrants),
        state.finished,
        len(state.late_matches),
        state.rules,
    )


def snapshot_event(state: EventState) -> EventSnapshot:
    return EventSnapshot(summary_of(state), running_core(), encode_state(state))


class EventSnapshotStore:
    """The snapshots in one database."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self.readable = True  # false for the journal of an older hub opened read-only: it has no such table

    def summaries(self) -> dict[str, tuple[EventSummary, str]]:
        """Each snapshot's summary and core; states are not read."""
        columns = [column for column in EVENT_SNAPSHOT.c if column is not EVENT_SNAPSHOT.c.state]
        return {
            row.event: (summary, row.made_by)
            for row in self._rows(select(*columns))
            if (summary := _summary_in(row)) is not None
        }

    def known(self) -> dict[str, tuple[int, str]]:
        """The entry (number, head) of each event's snapshot, usable or not."""
        columns = (EVENT_SNAPSHOT.c.event, EVENT_SNAPSHOT.c.number, EVENT_SNAPSHOT.c.head)
        return {row.event: (row.number, row.head) for row in self._rows(select(*columns))}

    def _rows(self, query: Select[Any]) -> Sequence[Row[Any]]:
        """None where the table cannot be read: the entries hold the same."""
        try:
            with self._engine.connect() as connection:
                return connection.execute(query).all() if self.readable else ()
        except SQLAlchemyError as error:
            log.error("snapshots cannot be read: %s", error)
            return ()

    def find(self, event_id: str) -> EventSnapshot | None:
        """An event's snapshot as stored; None if there is no readable one."""
        row = next(iter(self._rows(select(EVENT_SNAPSHOT).where(EVENT_SNAPSHOT.c.event == event_id))), None)
        summary = _summary_in(row) if row is not None else None
        try:
            return EventSnapshot(summary, row.made_by, zlib.decompress(row.state)) if row and summary else None
        except (TypeError, zlib.error):
            return None

    def state(self, summary: EventSummary) -> EventState | None:
        """The snapshot's state; None if it is of another entry or core, or damaged."""
        try:
            seal = self.find(summary.id)
            if seal is None or seal.made_by != running_core():
                return None
            state = decode_state(seal.state)
        except ValueError:
            return None
        fits = (state.id, state.number, state.head) == (summary.id, summary.number, summary.head)
        return state if fits else None

    def save(self, seal: EventSnapshot) -> None:
        """Replace the event's snapshot."""
        with self._engine.begin() as connection:
            upsert(
                connection,
                EventSnapshotRow(
                    event=seal.summary.id,
                    number=seal.summary.number,
                    head=seal.summary.head,
                    made_by=seal.made_by,
                    summary=json.dumps(asdict(seal.summary), ensure_ascii=False),
                    state=zlib.compress(seal.state, 1),
                ),
            )


def _summary_in(row: Any) -> EventSummary | None:
    """A row's summary; None if it is damaged or of another entry."""
    try:
        summary = EventSummary(**json.loads(row.summary))
    except (ValueError, TypeError):
        return None
    return summary if (summary.id, summary.number, summary.head) == (row.event, row.number, row.head) else None
