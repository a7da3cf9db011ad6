"""The journal on disk: entries, people and clock checkpoints in one SQLite file, written by one thread."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from sqlalchemy import BigInteger, Engine, delete, event, tuple_
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.pool import QueuePool
from sqlmodel import Field, Session, SQLModel, col, create_engine, insert, select

from roundtap_core.clock import Instant
from roundtap_core.errors import Problem
from roundtap_core.event.entries import GENESIS, At, Entry, seal_holds
from roundtap_core.event.person import Person
from roundtap_core.wire import canonical

AT_ONCE = 400
"""Keys in one statement: databases bound how many parameters they take."""


class EntryRow(SQLModel, table=True):
    """One sealed entry. The primary key makes appending a compare-and-set: nobody can write the same number twice."""

    __tablename__ = "entry"
    stream: str = Field(primary_key=True)
    number: int = Field(primary_key=True)
    kind: str
    version: int
    at: str
    actor: str
    data: str
    prev: str
    hash: str


class PersonRow(SQLModel, table=True):
    """A competitor's names and lists, beside the entries so that a person can be forgotten."""

    __tablename__ = "person"
    event: str = Field(primary_key=True)
    competitor: str = Field(primary_key=True)
    salt: str
    data: str


class CheckpointRow(SQLModel, table=True):
    """What a running clock showed, every few seconds: for the start after a power cut."""

    __tablename__ = "checkpoint"
    event: str = Field(primary_key=True)
    remaining_ms: int = Field(sa_type=BigInteger)
    boot_id: str
    mono_ms: int = Field(sa_type=BigInteger)
    """Milliseconds of a month of uptime need more than 32 bits, which is what PostgreSQL calls an integer."""


@dataclass(frozen=True, slots=True)
class PersonRecord:
    """A person to be stored with a batch of entries."""

    event: str
    competitor: str
    salt: str
    person: Person


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """What an event's clock showed at a moment."""

    remaining_ms: int
    at: Instant


class JournalConflict(Exception):
    """The batch was not written: another writer was faster, or the disk refused. Nothing of it is stored."""


class Journal:
    """All streams of one database URL ("sqlite:////var/lib/roundtap/roundtap.db").

    Raises Problem("journal_unreadable") where there is no database to be had at that address.
    """

    def __init__(self, url: str) -> None:
        self.url = url
        self._engine: Engine = create_engine(url, poolclass=QueuePool, pool_size=2, max_overflow=2)
        if self._engine.dialect.name == "sqlite":
            event.listen(self._engine, "connect", _durable_sqlite)
        try:
            SQLModel.metadata.create_all(self._engine)
        except SQLAlchemyError as error:
            raise _unreadable(error) from error

    def close(self) -> None:
        self._engine.dispose()

    def append(self, entries: Sequence[Entry], people: Iterable[PersonRecord] = ()) -> None:
        """Commit all of them or none; on return they are on the disk. Raises JournalConflict."""
        rows = [_to_row(entry) for entry in entries]
        try:
            with Session(self._engine) as session:
                _put_people(session, people)
                if rows:
                    session.execute(insert(EntryRow), rows)
                session.commit()
        except SQLAlchemyError as error:
            raise JournalConflict(str(error)) from error

    def streams(self) -> dict[str, list[Entry]]:
        """Every stream's entries in order. Raises Problem("journal_broken") where a chain does not hold."""
        found: dict[str, list[Entry]] = {}
        query = select(EntryRow).order_by(col(EntryRow.stream), col(EntryRow.number))
        with self._reading() as session:
            for row in session.exec(query):
                chain = found.setdefault(row.stream, [])
                chain.append(_next_in(chain, row))
        return found

    def people(self) -> dict[str, dict[str, Person]]:
        """Persons by event and competitor."""
        found: dict[str, dict[str, Person]] = {}
        with self._reading() as session:
            for row in session.exec(select(PersonRow)):
                found.setdefault(row.event, {})[row.competitor] = Person.from_json(json.loads(row.data))
        return found

    def save_checkpoint(self, event_id: str, remaining_ms: int, now: Instant) -> None:
        with Session(self._engine) as session:
            session.merge(CheckpointRow(event=event_id, remaining_ms=remaining_ms, boot_id=now.boot_id,
                                        mono_ms=now.mono_ms))
            session.commit()

    def checkpoints(self) -> dict[str, Checkpoint]:
        """The last checkpoint of each event whose clock ever ran."""
        with self._reading() as session:
            return {row.event: Checkpoint(row.remaining_ms, Instant(row.boot_id, row.mono_ms))
                    for row in session.exec(select(CheckpointRow))}

    @contextmanager
    def _reading(self) -> Iterator[Session]:
        try:
            with Session(self._engine) as session:
                yield session
        except SQLAlchemyError as error:
            raise _unreadable(error) from error


def _put_people(session: Session, people: Iterable[PersonRecord]) -> None:
    """The people as they are now, whether they were known or not; thousands come with an import, a few otherwise."""
    rows = {
        (record.event, record.competitor): {
            "event": record.event, "competitor": record.competitor, "salt": record.salt,
            "data": json.dumps(record.person.to_json(), ensure_ascii=False),
        } for record in people
    }
    keys = list(rows)
    for first in range(0, len(keys), AT_ONCE):
        some = keys[first : first + AT_ONCE]
        session.execute(delete(PersonRow).where(tuple_(col(PersonRow.event), col(PersonRow.competitor)).in_(some)))
    if rows:
        session.execute(insert(PersonRow), list(rows.values()))


def _durable_sqlite(connection: Any, _record: object) -> None:
    """WAL with a full sync: a commit that returned survives a power cut."""
    cursor = connection.cursor()
    cursor.execute("PRAGMA journal_mode=WAL")
    cursor.execute("PRAGMA synchronous=FULL")
    cursor.execute("PRAGMA busy_timeout=5000")
    cursor.close()


def _unreadable(error: SQLAlchemyError) -> Problem:
    return Problem("journal_unreadable", reason=str(getattr(error, "orig", None) or error))


def _next_in(chain: Sequence[Entry], row: EntryRow) -> Entry:
    """The row as the entry that continues `chain`."""
    try:
        entry = _from_row(row)
        holds = entry.number == len(chain) + 1 and seal_holds(entry, chain[-1].hash if chain else GENESIS)
    except (ValueError, TypeError):
        holds = False
    if not holds:
        raise Problem("journal_broken", where=f"{row.stream}#{row.number}", stream=row.stream, number=row.number)
    return entry


def _to_row(entry: Entry) -> Mapping[str, Any]:
    return {
        "stream": entry.stream, "number": entry.number, "kind": entry.kind, "version": entry.version,
        "at": canonical(entry.at.to_json()).decode(), "actor": entry.actor,
        "data": canonical(dict(entry.data)).decode(), "prev": entry.prev, "hash": entry.hash,
    }


def _from_row(row: EntryRow) -> Entry:
    return Entry(row.stream, row.number, row.kind, row.version, At(**json.loads(row.at)), row.actor,
                 json.loads(row.data), row.prev, row.hash)
