"""The journal on disk: entries, people and clock checkpoints in one SQLite file, written by one thread; and its
address: as people write it, for SQLAlchemy, and fit to be shown.
"""

import errno
import json
import logging
import os
import shlex
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import quote

from sqlalchemy import (
    Connection,
    Delete,
    Engine,
    Update,
    create_engine,
    delete,
    event,
    func,
    insert,
    inspect,
    select,
    tuple_,
    update,
)
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError, SQLAlchemyError
from sqlalchemy.pool import QueuePool
from sqlmodel import SQLModel

from roundtap_core.errors import Problem
from roundtap_core.event.entries import GENESIS, VENUE, Entry, Person, Timestamp, entry_hash, verify_entry
from roundtap_core.wire import canonical_json
from roundtap_hub.store import models
from roundtap_hub.store.book import Seat, seats_forgotten
from roundtap_hub.store.models import StoredPerson, forgotten_person, read_people
from roundtap_hub.store.secure_files import BROKEN, errno_of, probe_folder, sqlite_code, unreadable_problem
from roundtap_hub.store.snapshots import EventSnapshotStore, EventSummary
from roundtap_hub.store.venue import EVENT_DELETED
from roundtap_machine.disk import FAILING, check_place, disk_fault

log = logging.getLogger(__name__)

HUB_FOLDER = Path("/var/lib/roundtap")  # that of the service, and of the documents' commands
ELSEWHERE = {
    ("backup", "journal_broken"): "backup_altered",
    ("backup", "journal_damaged"): "backup_damaged",
    ("backup", "people_wrong"): "backup_people_wrong",
    ("database", "journal_broken"): "database_altered",
    ("database", "people_wrong"): "database_people_wrong",
}  # what is no hub's folder has another next step: a recovery would stop and replace a hub that may be whole
READ_AT_ONCE = 1000  # rows in memory at a time while a stream is read


SUMMARY_KINDS, FINISH_KINDS = ("event-created", "about-set"), ("event-finished", "event-reopened")
"""Kinds of entries that suffice for an event list."""

REMOVED = "competitor-removed"

WRITER_PRAGMAS = ("journal_mode=WAL", "synchronous=FULL", "secure_delete=ON", "busy_timeout=5000")
"""WAL with a full sync: a commit survives a power cut once it has returned. Deleted data is overwritten."""
READER_PRAGMAS = ("query_only=ON", "busy_timeout=5000")

HEADS = """
    WITH RECURSIVE known(stream) AS (
        SELECT min(stream) FROM entry
        UNION ALL SELECT (SELECT min(stream) FROM entry WHERE stream > known.stream) FROM known
            WHERE known.stream IS NOT NULL)
    SELECT entry.stream, entry.number, entry.hash FROM known JOIN entry ON entry.stream = known.stream
        AND entry.number = (SELECT max(number) FROM entry WHERE stream = known.stream) ORDER BY entry.stream"""
"""From stream to stream by the key: reading every entry would take ever longer."""


class Head(NamedTuple):
    """The last entry of a stream: its number and its hash."""

    number: int
    hash: str


START = Head(0, GENESIS)


@dataclass(frozen=True, slots=True)
class PersonRecord:
    """A person to be stored with a batch of entries."""

    event: str
    competitor: str
    salt: str
    person: Person


PersonRow = Mapping[str, str]  # a row of the table `person`: event, competitor, salt, and the person as JSON


class JournalConflict(Exception):
    """Nothing of the batch is stored: another writer was faster, or the disk refused. `code`: SQLite's name of the
    refusal; `errno`: as of an OSError, if known."""

    def __init__(self, reason: str, code: str = "") -> None:
        super().__init__(reason)
        self.errno = errno_of(code)


class CommitInDoubt(JournalConflict):
    """Whether the batch is or will be stored is unknown."""


class Journal:
    """All streams of one database URL ("sqlite:////var/lib/roundtap/roundtap.db"). Its schema is migrated on opening.
    Raises as `unreadable_problem` if there is no readable database, and as `migrate` and `check_schema`. `read_only`:
    nothing is written, not even missing tables, so a hub may write meanwhile. `migrations`: others, for tests."""

    sync_failed = False
    """Whether the disk failed in a write. From then on this process may read what is not on the disk (Linux keeps pages
    that it could not write as if they were), so it writes nothing more."""

    _place: Mapping[Path, os.stat_result] = {}

    def __init__(self, url: str, read_only: bool = False, migrations: models.Migrations = models.CURRENT) -> None:
        self.url = url
        self._path = Path(url.partition(":///")[2])
        self.read_only = read_only
        self._probes = 0
        # Its errors are logged, and parameters contain names.
        self._engine: Engine = create_engine(
            _read_only_url(url) if read_only else url,
            hide_parameters=True,
            poolclass=QueuePool,
            pool_size=2,
            max_overflow=2,
        )
        if self._engine.dialect.name == "sqlite":
            event.listen(self._engine, "connect", _with_pragmas(READER_PRAGMAS if read_only else WRITER_PRAGMAS))
        self.event_snapshots = EventSnapshotStore(self._engine)
        try:
            if read_only:
                with self._engine.connect() as connection:
                    models.check_schema(connection, migrations)
                    self.event_snapshots.readable = inspect(connection).has_table(models.EVENT_SNAPSHOT.name)
            else:
                models.migrate(self._engine, migrations)
        except (SQLAlchemyError, UnicodeError) as error:
            raise self._unreadable(error) from error
        files = [self._path, self._path.with_name(f"{self._path.name}-wal")] if self._path.is_file() else []
        self._place = {path: path.stat() for path in files if path.is_file()}

    def close(self) -> None:
        self._engine.dispose()

    def append(
        self, entries: Sequence[Entry], people: Iterable[PersonRecord] = (), beside: Iterable[SQLModel] = ()
    ) -> None:
        """Commit all of them or none, synced on return; what the entries erase (`erasures`) goes in the same commit.
        `beside`: rows of other tables. Raises JournalConflict."""
        with self._writing() as connection:
            self._write(connection, entries, people, beside)

    def _write(
        self,
        connection: Connection,
        entries: Sequence[Entry],
        people: Iterable[PersonRecord],
        beside: Iterable[SQLModel],
    ) -> None:
        # In one order for all hubs on a database, so that two writers cannot deadlock. The last record of a person
        # counts.
        if persons := {(record.event, record.competitor): person_row(record) for record in people}:
            models.upsert_all(connection, models.PERSON, [persons[key] for key in sorted(persons)])
        if rows_beside := tuple(beside):
            models.upsert(connection, *rows_beside)
        if entries:
            rows = (entry_to_row(entry) for entry in entries)
            self._put_entries(connection, sorted(rows, key=lambda row: (row["stream"], row["number"])))
        for forget in erasures(entries):
            connection.execute(forget)

    def _put_entries(self, connection: Connection, rows: Sequence[Mapping[str, Any]]) -> None:
        connection.execute(insert(models.ENTRY), rows)

    def scrub(self) -> None:
        """Erase deleted data as far as the database allows: SQLite's log of recent commits is emptied (the rest is
        overwritten already). PostgreSQL cleans up by itself, later. Raises JournalConflict."""
        if self._engine.dialect.name == "sqlite":
            with self._writing() as connection:
                connection.exec_driver_sql("PRAGMA wal_checkpoint(TRUNCATE)")

    @property
    def lineage(self) -> str:
        """The lineage noted in this SQLite database; "" in one of an older hub."""
        with self._reading() as connection:
            if not inspect(self._engine).has_table(models.LINEAGE.name):
                return ""
            return connection.scalar(select(models.LINEAGE.c.id)) or ""

    def begin_lineage(self, lineage: str) -> None:
        """Note the lineage in the database file itself, not only in its log. Raises JournalConflict."""
        with self._writing() as connection:
            connection.execute(delete(models.LINEAGE))
            connection.execute(insert(models.LINEAGE), {"id": lineage})
        self.scrub()

    def verify_place(self) -> None:
        """Raise OSError unless the paths of database and log still lead to the files that are open, as a copy's
        does."""
        for path, opened in self._place.items():
            check_place(path, opened)

    def write_probe(self) -> None:
        """A write without meaning, synced. Raises JournalConflict while nothing can be written."""
        if self._engine.dialect.name != "sqlite":
            return
        self._probes = self._probes % 1000 + 1
        with self._writing() as connection:
            connection.exec_driver_sql(f"PRAGMA user_version = {self._probes}")

    def heads(self) -> dict[str, Head]:
        """The last entry of each stream, read by the key alone."""
        with self._reading() as connection:
            return {stream: Head(number, hashed) for stream, number, hashed in connection.exec_driver_sql(HEADS)}

    def head(self, stream: str) -> Head:
        """The last entry of a stream; START where it has none."""
        with self._reading() as connection:
            row = connection.execute(
                select(models.ENTRY.c.number, models.ENTRY.c.hash)
                .where(models.ENTRY.c.stream == stream)
                .order_by(models.ENTRY.c.number.desc())
                .limit(1)
            ).first()
        return START if row is None else Head(*row)

    def entries(self, stream: str, after: Head = START) -> Iterator[Entry]:
        """A stream's entries after `after`, read in chunks. Raises Problem("journal_broken") if the chain does not
        hold."""
        while True:
            query = (
                select(models.ENTRY)
                .where(models.ENTRY.c.stream == stream, models.ENTRY.c.number > after.number)
                .order_by(models.ENTRY.c.number)
                .limit(READ_AT_ONCE)
            )
            with self._reading() as connection:
                rows = connection.execute(query).all()
            for row in rows:
                entry = next_entry(*after, tuple(row))
                after = Head(entry.number, entry.hash)
                yield entry
            if len(rows) < READ_AT_ONCE:
                return

    def rough_summary(self, stream: str, head: Head) -> EventSummary:
        """The summary of an event without a snapshot, from a few entries; its chain is not verified."""
        with self._reading() as connection:
            fields = {
                kind: _parsed_data(data)
                for kind, data in connection.execute(
                    select(models.ENTRY.c.kind, models.ENTRY.c.data)
                    .where(models.ENTRY.c.stream == stream, models.ENTRY.c.kind.in_(SUMMARY_KINDS))
                    .order_by(models.ENTRY.c.number)
                )
            }
            last = connection.scalar(
                select(models.ENTRY.c.kind)
                .where(models.ENTRY.c.stream == stream, models.ENTRY.c.kind.in_(FINISH_KINDS))
                .order_by(models.ENTRY.c.number.desc())
                .limit(1)
            )
            entered, removed = (
                connection.scalar(
                    select(func.count()).where(models.ENTRY.c.stream == stream, models.ENTRY.c.kind == kind)
                )
                or 0
                for kind in ("competitor-entered", REMOVED)
            )
        created = fields.get("event-created", {})
        about = fields.get("about-set", created).get("about")
        name, rulebook, color = (
            str(created.get(key, other)) for key, other in (("name", stream), ("rulebook", ""), ("color", ""))
        )
        date = str(about.get("date", "")) if isinstance(about, dict) else ""
        return EventSummary(
            *(stream, head.number, head.hash, name, rulebook, color, date, entered - removed),
            finished=last == "event-finished",
            rules=canonical_json(created["rules"]).decode() if "rules" in created else None,
        )

    def holds(self, stream: str, head: Head) -> bool:
        """Whether the stream has this very entry."""
        query = select(models.ENTRY.c.hash).where(models.ENTRY.c.stream == stream, models.ENTRY.c.number == head.number)
        with self._reading() as connection:
            return head == START or connection.scalar(query) == head.hash

    def first_unknown_stream(self, heads: Mapping[str, Head]) -> str | None:
        """A stream whose entry here is missing or another one; None: all are known."""
        return next((stream for stream, head in sorted(heads.items()) if not self.holds(stream, head)), None)

    def streams(self) -> dict[str, list[Entry]]:
        """All entries of every stream, in memory. Raises Problem("journal_broken")."""
        return {stream: list(self.entries(stream)) for stream in self.heads()}

    def people(self, events: Collection[str] | None = None) -> dict[str, dict[str, Person]]:
        """Persons by event and competitor: of these events, or of all."""
        return {
            event_id: {who: stored.person for who, stored in people.items()}
            for event_id, people in self.stored_people(events).items()
        }

    def stored_people(self, events: Collection[str] | None = None) -> dict[str, dict[str, StoredPerson]]:
        """As `people`, with the digests of the rows."""
        with self._reading() as connection:
            return read_people(connection, None if events is None else models.PERSON.c.event.in_(events))

    def people_at(self, seats: Collection[Seat]) -> dict[Seat, Person]:
        """Persons by event and competitor: those at these seats."""
        with self._reading() as connection:
            found = read_people(connection, tuple_(models.PERSON.c.event, models.PERSON.c.competitor).in_(seats))
        return {(event_id, who): stored.person for event_id, people in found.items() for who, stored in people.items()}

    def person_rows(self, event_id: str) -> list[Mapping[str, Any]]:
        """An event's rows of people, unchecked."""
        query = select(models.PERSON).where(models.PERSON.c.event == event_id).order_by(models.PERSON.c.competitor)
        with self._reading() as connection:
            return [dict(row) for row in connection.execute(query).mappings()]

    def put(self, rows: Iterable[SQLModel]) -> None:
        """Write rows of other tables; also while the writer writes. Raises JournalConflict."""
        with self._writing() as connection:
            models.upsert(connection, *rows)

    def log_bytes(self) -> int:
        """The length of SQLite's write-ahead log; 0 for other databases. Raises OSError."""
        if self._engine.dialect.name != "sqlite" or not self._engine.url.database:
            return 0
        try:
            return os.stat(f"{self._engine.url.database}-wal").st_size
        except FileNotFoundError:
            return 0

    def checkpoints(self) -> dict[str, models.CheckpointRow]:
        """The last checkpoint of each event whose clock ever ran."""
        with self._reading() as connection:
            return {
                row.event: models.CheckpointRow(**row._mapping) for row in connection.execute(select(models.CHECKPOINT))
            }

    def secrets(self) -> list[SQLModel]:
        """All keys of units and all staff that can be read; none where nothing is written: who only looks needs
        none."""
        rows = [] if self.read_only else self.secret_rows()
        for wrong in (row for row in rows if isinstance(row, Problem)):
            log.error("%s", wrong)
        return [row for row in rows if not isinstance(row, Problem)]

    def secret_rows(self) -> list[SQLModel | Problem]:
        """The rows of keys and staff, with Problem("row_malformed") for each invalid one. Empty for a PostgreSQL
        database opened read-only: the right to read them may be missing."""
        if self.read_only and self._engine.dialect.name != "sqlite":
            return []
        with self._reading() as connection:
            there = inspect(connection)
            return [
                row
                for kind in models.SECRETS
                if there.has_table(str(kind.__tablename__))
                for row in models.validated_rows(connection, kind)
            ]

    @contextmanager
    def _reading(self) -> Iterator[Connection]:
        try:
            with self._engine.connect() as connection:
                yield connection
        except (SQLAlchemyError, UnicodeError) as error:
            raise self._unreadable(error) from error

    @contextmanager
    def _writing(self) -> Iterator[Connection]:
        if self.sync_failed:
            raise JournalConflict("an earlier write failed", "SQLITE_IOERR")
        self._refuse_elsewhere(JournalConflict)
        try:
            with self._engine.begin() as connection:
                yield connection
        except SQLAlchemyError as error:
            code = sqlite_code(error)
            conflict = JournalConflict(str(error), code)
            # A new process makes anew what can be, before anything is read.
            self.sync_failed = code.startswith(BROKEN)
            if conflict.errno == errno.EIO:
                # A quota is an I/O error to SQLite; but what failed in its sync may be lost, whatever the reason.
                refused = None if "FSYNC" in code else probe_folder(self._path.parent)
                self.sync_failed = refused is None or disk_fault(refused.errno) == FAILING
                conflict.errno = refused.errno if refused is not None else errno.EIO
            raise conflict from error
        self._refuse_elsewhere(CommitInDoubt)

    def _refuse_elsewhere(self, kind: type[JournalConflict]) -> None:
        try:
            self.verify_place()
        except OSError as error:
            conflict = kind(str(error))
            conflict.errno = error.errno
            raise conflict from error

    def _unreadable(self, error: Exception) -> Problem:
        return unreadable_problem(error, self._path)


def _parsed_data(data: object) -> Mapping[str, Any]:
    """An entry's data, for a list of events; empty if the row is damaged: opening the event reports it."""
    try:
        fields = json.loads(data) if isinstance(data, str | bytes) else None
    except ValueError:
        return {}
    return fields if isinstance(fields, dict) else {}


def person_row(record: PersonRecord) -> PersonRow:
    return {
        "event": record.event,
        "competitor": record.competitor,
        "salt": record.salt,
        "data": json.dumps(record.person.to_json(), ensure_ascii=False),
    }


def forgotten_row(seat: Seat) -> PersonRow:
    """What a forgotten person's row is replaced with."""
    return person_row(PersonRecord(*seat, "", forgotten_person(seat[1])))


def _read_only_url(url: str) -> str:
    """The address for read-only access: SQLite's log is then left as it is, even if damaged."""
    scheme, sign, path = url.partition(":///")
    return f"sqlite:///file:{quote(path)}?mode=ro&uri=true" if sign and scheme == "sqlite" else url


def _with_pragmas(pragmas: Iterable[str]) -> Callable[[Any, object], None]:
    """A listener that sets pragmas on each new SQLite connection."""

    def connected(connection: Any, _: object) -> None:
        for pragma in pragmas:
            connection.execute(f"PRAGMA {pragma}")

    return connected


def entry_to_row(entry: Entry) -> Mapping[str, Any]:
    """The entry as a row of ENTRY."""
    return {
        "stream": entry.stream,
        "number": entry.number,
        "kind": entry.kind,
        "version": entry.version,
        "at": canonical_json(entry.at.to_json()).decode(),
        "actor": entry.actor,
        "data": canonical_json(dict(entry.data)).decode(),
        "prev": entry.prev,
        "hash": entry.hash,
    }


def next_entry(number: int, head: str, row: Sequence[Any]) -> Entry:
    """The row of ENTRY (all columns) as the entry that follows entry `number` with the hash `head`. Raises
    Problem("journal_broken") if it does not follow."""
    stream, at, kind, version, at_text, actor, data, prev, hashed = row
    try:
        entry = Entry(
            stream, at, kind, version, Timestamp(**json.loads(at_text)), actor, json.loads(data), prev, hashed
        )
        # Stored text is canonical already and is hashed as it stands.
        holds = (
            at == number + 1
            and prev == head
            and (
                entry_hash(stream, at, kind, version, at_text, actor, data, prev) == hashed or verify_entry(entry, head)
            )
        )
    except (ValueError, TypeError):
        holds = False
    if not holds:
        raise Problem("journal_broken", where=f"{stream}#{at}", stream=stream, number=at, folder=str(HUB_FOLDER))
    return entry


def at_place(problem: Problem, folder: Path, kind: str = "") -> Problem:
    """The problem with the command that mends it there: of a hub's folder ready to be typed, of a `kind` in ELSEWHERE
    another one."""
    if kind:
        return Problem(ELSEWHERE.get((kind, problem.key), problem.key), where=problem.where, **problem.params)
    params = {**problem.params, "folder": shlex.quote(str(folder))}
    return Problem(problem.key, where=problem.where, **params)


def heads_of(entries: Iterable[Entry]) -> dict[str, Head]:
    """The last of these entries in each of their streams."""
    return {entry.stream: Head(entry.number, entry.hash) for entry in entries}


def people_removed(entries: Iterable[Entry]) -> list[Seat]:
    """(event, competitor) of everyone these entries remove from an event."""
    return [(entry.stream, str(entry.data["competitor"])) for entry in entries if entry.kind == REMOVED]


def events_deleted(entries: Iterable[Entry]) -> set[str]:
    """The events whose people these entries delete."""
    return {entry.data["event"] for entry in entries if entry.stream == VENUE and entry.kind == EVENT_DELETED}


def events_erased(entries: Sequence[Entry]) -> set[str]:
    """The events of which these entries erase people: all of them, or some."""
    return events_deleted(entries) | {event for event, _ in (*people_removed(entries), *seats_forgotten(entries))}


def erasures(entries: Sequence[Entry]) -> Iterator[Delete | Update]:
    """The deletions that these entries cause, to run after everything else in the commit."""
    at = tuple_(models.PERSON.c.event, models.PERSON.c.competitor)
    for event_id, who in seats_forgotten(entries):
        # Not put where there is none: the seat was removed, or its event deleted.
        yield update(models.PERSON).where(at == (event_id, who)).values(forgotten_row((event_id, who)))
    if deleted := events_deleted(entries):
        yield delete(models.PERSON).where(models.PERSON.c.event.in_(deleted))
    if taken_out := people_removed(entries):
        yield delete(models.PERSON).where(at.in_(taken_out))


DATABASE = "roundtap.db"  # the journal's file in a hub's own folder
DRIVER = "postgresql+psycopg"
KNOWN_AS = ("postgresql", "postgres", DRIVER)
CONNECTION_TIMEOUTS: Mapping[str, str] = {
    "connect_timeout": "5",
    "keepalives_idle": "5",
    "keepalives_interval": "3",
    "keepalives_count": "3",
    "tcp_user_timeout": "15000",
}
"""A dead database server sends nothing: a connection silent for so long (s, s, s, times, ms) is dropped. The address's
own parameters take precedence."""


def database_url(text: str) -> URL:
    """The address of a PostgreSQL database: "postgresql://user@host/roundtap", the rest as in libpq. Raises
    Problem("database_address") for anything else and Problem("database_driver") without psycopg."""
    try:
        url = make_url(text)
    except (ArgumentError, ValueError) as error:
        raise Problem("database_address", url=without_password(text)) from error
    if url.drivername not in KNOWN_AS or not url.database:
        raise Problem("database_address", url=without_password(text))
    if find_spec("psycopg") is None:
        raise Problem("database_driver", url=redacted_url(url))
    return url.set(drivername=DRIVER).update_query_dict({**CONNECTION_TIMEOUTS, **url.query})


def sqlite_url(folder: Path) -> str:
    """The journal in a hub's own folder."""
    return f"sqlite:///{folder / DATABASE}"


def redacted_url(url: URL) -> str:
    """The address to show: without the password and our timeouts."""
    query = {key: value for key, value in url.query.items() if key not in CONNECTION_TIMEOUTS and "password" not in key}
    return url._replace(drivername="postgresql", password=None).set(query=query).render_as_string()


def without_password(text: str) -> str:
    """An unreadable address without its user part, which may hold a password."""
    scheme, sign, rest = text.partition("://")
    return f"{scheme}{sign}{rest.rpartition('@')[2].partition('?')[0]}" if sign else text.rpartition("@")[2]


def libpq_arguments(url: URL) -> dict[str, Any]:
    """The address as keywords of `psycopg.connect`: a listener has its own connection."""
    return {**url.query, **url.translate_connect_args(username="user", database="dbname")}
