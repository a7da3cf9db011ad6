"""The journal on PostgreSQL: hubs append by compare-and-set, notify each other, and share its clock."""

import json
import logging
import secrets
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, nullcontext
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import psycopg
from sqlalchemy import Connection, Engine, bindparam, create_engine, select, text
from sqlalchemy.engine import URL
from sqlalchemy.exc import DBAPIError, IntegrityError, SQLAlchemyError
from sqlalchemy.pool import QueuePool
from sqlmodel import SQLModel

from roundtap_core.errors import Problem
from roundtap_core.event.entries import GENESIS, Entry
from roundtap_hub.store import journal, models
from roundtap_hub.store.clocks import Clocks
from roundtap_hub.store.snapshots import EventSnapshotStore

log = logging.getLogger(__name__)

CHANNEL = "roundtap"  # commits are announced here: {"from": hub, "streams": {stream: number}, "people": [event, …]}
NOTICE_BYTES_MAX = 7000
"""PostgreSQL takes less than 8000 bytes; a longer notice is replaced by one that means "read everything"."""
HALL_LOCK = 0x526F756E64746170
"""Appends share it; one whose decision depends on streams that it does not write holds it exclusively. An arbitrary
number: "Roundtap" in ASCII."""
TABLES_LOCK = HALL_LOCK + 1
CONFLICT_SQLSTATES = frozenset({"23505", "40001", "40P01"})
"""PostgreSQL's errors for the slower of two: unique violation, serialization failure, deadlock."""

ROUND_TRIPS = 16  # round trips per estimate; the quickest is the most exact
AGAIN_S = 60.0  # how often the offset is estimated anew
SAMPLES_KEPT = 8  # estimates kept: the best of the last eight minutes counts
DRIFT_RATE = 50e-6  # how fast an old sample loses precision: two machines' crystals drift apart by up to this rate
SLEW = 1 / 1000  # how fast a new offset is applied: a millisecond per second, too slow to notice, and never backwards
STEP_US = 1_000_000  # a larger jump means that the database's clock was set: running hubs do not follow it

TimeQuery = Callable[[], int]  # asks the database for its time, in microseconds since 1970

HEADS = text("""
WITH RECURSIVE found AS (
    (SELECT stream FROM entry ORDER BY stream LIMIT 1)
    UNION ALL
    SELECT (SELECT entry.stream FROM entry WHERE entry.stream > found.stream ORDER BY entry.stream LIMIT 1) FROM found
    WHERE found.stream IS NOT NULL
)
SELECT stream, number, hash FROM found CROSS JOIN LATERAL (
    SELECT number, hash FROM entry WHERE entry.stream = found.stream ORDER BY number DESC LIMIT 1) AS head
""")
"""The last entry of every stream: one step in the index for each, however many entries there are."""

_NEWER = text(
    "SELECT {} FROM unnest(CAST(:streams AS text[]), CAST(:numbers AS integer[])) AS known(stream, number) "
    "JOIN entry ON entry.stream = known.stream AND entry.number > known.number "
    "ORDER BY entry.stream, entry.number".format(", ".join(f'entry."{each.name}"' for each in models.ENTRY.columns))
)
_NOTIFY = text("SELECT pg_notify(:channel, :told)")
_LOCK = {alone: text(f"SELECT pg_advisory_xact_lock{'' if alone else '_shared'}(:key)") for alone in (True, False)}
_HASH_BEFORE = select(models.ENTRY.c.hash).where(
    models.ENTRY.c.stream == bindparam("of"), models.ENTRY.c.number == bindparam("at")
)
_KINDS = {"number": "integer", "version": "integer"}
_PUT_ENTRIES = text(
    "INSERT INTO entry ({}) SELECT * FROM unnest({}) ON CONFLICT DO NOTHING".format(
        ", ".join(f'"{column.name}"' for column in models.ENTRY.columns),
        ", ".join(f"CAST(:{column.name} AS {_KINDS.get(column.name, 'text')}[])" for column in models.ENTRY.columns),
    )
)
"""One statement for the whole batch. It waits for any writer of the same numbers and then skips those."""

_NOW = "SELECT (extract(epoch FROM clock_timestamp()) * 1000000)::bigint"


class NumberTaken(journal.JournalConflict):
    """Another hub wrote first: nothing of the batch is stored. Read what is new, and decide again."""


class PostgresJournal(journal.Journal):
    """All streams of one PostgreSQL database ("postgresql://user@host/roundtap"). `name` marks this process's
    notifications. `read_only`: nothing is ever written, not even tables. Raises Problem("database_not_usable") if the
    database is out of reach, Problem("database_empty") if it is read-only and holds no journal, and as `Journal`."""

    def __init__(self, address: str, read_only: bool = False, migrations: models.Migrations = models.CURRENT) -> None:
        self.address = journal.database_url(address)
        self.read_only = read_only
        self.name = secrets.token_hex(8)
        self._exclusive: Connection | None = None
        self._engine = postgres_engine(address, read_only)
        self.event_snapshots = EventSnapshotStore(self._engine)
        try:
            if not read_only:
                models.migrate(self._engine, migrations, _lock_tables)
                return
            with self._engine.connect() as connection:
                if not connection.scalar(text("SELECT to_regclass('entry') IS NOT NULL")):
                    raise Problem("database_empty", url=journal.redacted_url(self.address))
                models.check_schema(connection, migrations)
        except SQLAlchemyError as error:
            raise unusable_database(self.address, error) from error

    def append(
        self,
        entries: Sequence[Entry],
        people: Iterable[journal.PersonRecord] = (),
        beside: Iterable[SQLModel] = (),
        rests_on: Mapping[str, int] | None = None,
    ) -> None:
        """Commit all of them or none, synced on return, and notify the other hubs; otherwise as `Journal.append`.

        `rests_on`: the newest number of every stream, if the decision read streams that it does not write. Raises
        NumberTaken, or JournalConflict if the database refuses or is out of reach: then nothing is stored.

        Raises CommitInDoubt if the connection was lost during the commit. Appending the same batch again settles it:
        either it is stored then, or NumberTaken says that the numbers are in use, by another hub or by this very batch
        (`is_stored`). Only reading could be too early, while the commit is still running.
        """
        people = list(people)
        notice = self._notice(
            entries,
            {record.event for record in people} | journal.events_erased(entries),
        )
        committing = False
        try:
            with nullcontext(self._exclusive) if self._exclusive is not None else self._engine.connect() as connection:
                _check_preconditions(connection, entries, rests_on)
                self._write(connection, entries, people, beside)
                connection.execute(_NOTIFY, {"channel": CHANNEL, "told": notice})
                committing = True
                connection.commit()
        except IntegrityError as error:
            raise NumberTaken(error_text(error)) from error
        except SQLAlchemyError as error:
            if _sqlstate(error) in CONFLICT_SQLSTATES:
                raise NumberTaken(error_text(error)) from error
            if committing and not _refused(error):
                raise journal.CommitInDoubt(error_text(error)) from error
            raise journal.JournalConflict(error_text(error)) from error

    @contextmanager
    def exclusive(self) -> Iterator[None]:
        """No other hub can write until the first `append` within: decisions here rest on what is stored. Raises
        JournalConflict if the database is out of reach. Only for the writer's thread."""
        with ExitStack() as until:
            try:
                connection = until.enter_context(self._engine.connect())
                connection.execute(_LOCK[True], {"key": HALL_LOCK})
            except SQLAlchemyError as error:
                raise journal.JournalConflict(error_text(error)) from error
            self._exclusive = connection
            until.callback(setattr, self, "_exclusive", None)
            yield

    def is_stored(self, entries: Sequence[Entry]) -> bool:
        """Whether these very entries are stored; a batch is stored whole or not at all."""
        first = entries[0]
        query = select(models.ENTRY.c.hash).where(
            models.ENTRY.c.stream == first.stream, models.ENTRY.c.number == first.number
        )
        with self._reading() as connection:
            return bool(connection.scalar(query) == first.hash)

    def heads(self) -> dict[str, journal.Head]:
        """As `Journal.heads`, in one statement."""
        with self._reading() as connection:
            return {stream: journal.Head(*head) for stream, *head in connection.execute(HEADS)}

    def newer_entries(self, heads_here: Mapping[str, journal.Head]) -> list[Entry]:
        """The entries after these, stream by stream, in one statement. Raises as `Journal.entries`."""
        if not heads_here:
            return []
        with self._reading() as connection:
            rows = connection.execute(
                _NEWER, {"streams": list(heads_here), "numbers": [head.number for head in heads_here.values()]}
            ).all()
        heads, entries = dict(heads_here), list[Entry]()
        for row in rows:
            entry = journal.next_entry(*heads[row.stream], tuple(row))
            heads[entry.stream] = journal.Head(entry.number, entry.hash)
            entries.append(entry)
        return entries

    def _notice(self, entries: Sequence[Entry], people_of: Iterable[str]) -> str:
        streams = {entry.stream: entry.number for entry in entries}
        notice = json.dumps({"from": self.name, "streams": streams, "people": sorted(people_of)})
        return notice if len(notice) <= NOTICE_BYTES_MAX else json.dumps({"from": self.name})

    def _put_entries(self, connection: Connection, rows: Sequence[Mapping[str, Any]]) -> None:
        columns = {column.name: [row[column.name] for row in rows] for column in models.ENTRY.columns}
        if connection.execute(_PUT_ENTRIES, columns).rowcount != len(rows):
            raise NumberTaken(f"one of {len(rows)} numbers is taken")

    def _unreadable(self, error: Exception) -> Problem:
        return unusable_database(self.address, error)


def _lock_tables(connection: Connection) -> None:
    """Two hubs that start at once would both create or migrate the tables."""
    connection.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": TABLES_LOCK})


def postgres_engine(address: str, read_only: bool = False) -> Engine:
    """Connections to the database; an idle one is tested before use. Raises as `database_url`."""
    url = journal.database_url(address)
    if read_only:
        options = url.query.get("options", "")
        url = url.update_query_dict({"options": f"{options} -c default_transaction_read_only=on".strip()})
    return create_engine(
        url, poolclass=QueuePool, pool_size=2, max_overflow=2, pool_pre_ping=True, hide_parameters=True
    )


def unusable_database(url: Any, error: Exception) -> Problem:
    """The database's own error, and its address."""
    return Problem("database_not_usable", url=journal.redacted_url(url), reason=error_text(error))


def error_text(error: Exception) -> str:
    """The error's text, on one line."""
    return " ".join(str(getattr(error, "orig", None) or error).split())


def _check_preconditions(connection: Connection, entries: Sequence[Entry], rests_on: Mapping[str, int] | None) -> None:
    """Raise NumberTaken unless the chains continue what is stored and the rest of `rests_on` is unchanged."""
    connection.execute(_LOCK[rests_on is not None], {"key": HALL_LOCK})
    firsts: dict[str, Entry] = {}
    for entry in entries:
        firsts.setdefault(entry.stream, entry)
    for stream, first in firsts.items():
        before = connection.scalar(_HASH_BEFORE, {"of": stream, "at": first.number - 1})
        if (before or GENESIS) != first.prev:
            raise NumberTaken(f"{stream}#{first.number} does not go on from what is stored")
    if rests_on is not None:
        for stream, number, _ in connection.execute(HEADS):
            if stream not in firsts and rests_on.get(stream, 0) != number:
                raise NumberTaken(f"{stream} has gone on to {number}")


def _sqlstate(error: SQLAlchemyError) -> str | None:
    return getattr(getattr(error, "orig", None), "sqlstate", None)


def _refused(error: SQLAlchemyError) -> bool:
    """Whether the database refused the commit on a working connection: then it is rolled back."""
    return isinstance(error, DBAPIError) and _sqlstate(error) is not None and not error.connection_invalidated


@dataclass(frozen=True, slots=True)
class ClockSample:
    """One round trip: the database was `offset_us` ahead of our monotonic clock, plus or minus `error_us`."""

    taken_us: int
    offset_us: int
    error_us: int

    def doubt_us(self, now_us: int) -> float:
        """Its possible error by now."""
        return self.error_us + DRIFT_RATE * (now_us - self.taken_us)


def sample_clock(ask: TimeQuery, now_us: Callable[[], int]) -> ClockSample:
    """One round trip; the database's answer was right at some moment within it."""
    before = now_us()
    database_us = ask()
    after = now_us()
    middle = (before + after) // 2
    return ClockSample(middle, database_us - middle, (after - before + 1) // 2)


class SharedClock:
    """The database's time in microseconds, by this machine's monotonic clock. Thread-safe."""

    def __init__(self, first: Sequence[ClockSample], now_us: Callable[[], int]) -> None:
        self._now_us = now_us
        self._lock = threading.Lock()
        self._kept: deque[ClockSample] = deque([_best(first, now_us())], maxlen=SAMPLES_KEPT)
        self._target_us = float(self._kept[0].offset_us)
        self._offset_us, self._since_us = self._target_us, now_us()
        self._stepped_us = 0
        self._last_us = 0

    def read_us(self) -> int:
        with self._lock:
            now = self._now_us()
            self._last_us = max(self._last_us, int(now + self._slewed(now)))
            return self._last_us

    def add_samples(self, samples: Sequence[ClockSample]) -> None:
        """Add round trips; the clock moves towards the best sample of the last few minutes."""
        with self._lock:
            now = self._now_us()
            new = _best(samples, now)
            offset_us = new.offset_us - self._stepped_us
            if abs(offset_us - self._target_us) > STEP_US:
                step_us = offset_us - round(self._target_us)
                log.error(
                    "the database's clock jumped by %.1f s; this hub keeps counting as before. Hubs that start "
                    "from now on count by the new time: restart the others between two rounds.",
                    step_us / 1e6,
                )
                self._stepped_us += step_us
                self._kept.clear()
                offset_us = new.offset_us - self._stepped_us
            self._kept.append(ClockSample(new.taken_us, offset_us, new.error_us))
            self._offset_us, self._since_us = self._slewed(now), now
            self._target_us = float(_best(self._kept, now).offset_us)

    def _slewed(self, now_us: int) -> float:
        """The current offset, on its way to the target."""
        way_us, may_us = self._target_us - self._offset_us, SLEW * (now_us - self._since_us)
        return self._offset_us + max(-may_us, min(may_us, way_us))


def _best(samples: Sequence[ClockSample] | deque[ClockSample], now_us: int) -> ClockSample:
    return min(samples, key=lambda sample: sample.doubt_us(now_us))


class DatabaseClock:
    """One clock for all hubs on a database: keeps a `SharedClock` by its own connection. `clocks`: for the hub. Raises
    Problem("database_not_usable") if the database cannot be read."""

    def __init__(self, url: URL) -> None:
        self._url = url
        self._stop = threading.Event()
        try:
            with self._connect() as connection:
                [(system,)] = connection.execute("SELECT system_identifier FROM pg_control_system()").fetchall()
                self._clock = SharedClock(self._samples(connection), _monotonic_us)
        except (psycopg.Error, SQLAlchemyError) as error:
            raise unusable_database(url, error) from error
        self.clocks = Clocks(f"db:{system}", lambda: self._clock.read_us() // 1000, self._wall)
        self._thread = threading.Thread(target=self._run, name="database-clock", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        self._stop.set()
        self._thread.join(timeout=10)

    def _run(self) -> None:
        while not self._stop.wait(AGAIN_S):
            try:
                with self._connect() as connection:
                    self._clock.add_samples(self._samples(connection))
            except psycopg.Error as lost:
                log.warning("the database's clock could not be read: %s", error_text(lost))

    def _connect(self) -> psycopg.Connection[Any]:
        return psycopg.connect(**journal.libpq_arguments(self._url), autocommit=True)

    def _samples(self, connection: psycopg.Connection[Any]) -> list[ClockSample]:
        def ask() -> int:
            row = connection.execute(_NOW).fetchone()
            assert row is not None
            return int(row[0])

        ask()
        return [sample_clock(ask, _monotonic_us) for _ in range(ROUND_TRIPS)]

    def _wall(self) -> str:
        return datetime.fromtimestamp(self._clock.read_us() // 1_000_000, UTC).isoformat(timespec="seconds")


def _monotonic_us() -> int:
    return time.monotonic_ns() // 1000
