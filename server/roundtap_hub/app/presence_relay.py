"""What the hubs on one database share: what each knows of its units, in memory only, and the print book."""

import json
import logging
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, TypeVar

import msgspec
import psycopg
from sqlalchemy import Connection, Engine, text
from sqlalchemy.engine import URL
from sqlalchemy.exc import SQLAlchemyError
from sqlmodel import SQLModel

from roundtap_core.errors import Problem
from roundtap_hub.store.journal import libpq_arguments
from roundtap_hub.store.models import PrintOrderRow, PrintStateRow, upsert
from roundtap_hub.store.postgres import HALL_LOCK, NOTICE_BYTES_MAX, error_text, postgres_engine, unusable_database
from roundtap_hub.store.print_book import PrintBook, PrintJob, PrintState
from roundtap_hub.views.unit_presence import PhoneRequest, Presence, PresenceSnapshot, UnitStatus

log = logging.getLogger(__name__)

T = TypeVar("T")

PRESENCE_CHANNEL = "roundtap_presence"
COALESCE_S = 0.2  # at most five messages a second, however much is pressed
BEAT_S = 5.0  # how often a hub sends which units it is in contact with, if nothing else happens
HUB_TIMEOUT_MS = 20_000  # a hub silent for so long is gone, and so is its units' contact with it
UNIT, HERE = "unit", "here"
CONTACT_FIELDS = frozenset({"unit", "contact_ms", "connected"})
"""Fields of a status that are sent as contact, or that name the unit."""

Key = tuple[str, ...]
Message = dict[str, Any]

BOOK_CHANNEL = "roundtap_paper"
"""Changes are announced here: {"from": hub, "jobs": [id, …], "orders": whether there are new ones}; without "jobs",
anything may have changed."""
BOOK_LOCK = HALL_LOCK + 2


def _plain(value: UnitStatus | PhoneRequest) -> Any:
    return msgspec.to_builtins(value, order="deterministic")


INITIAL_STATUS = _plain(UnitStatus("", 0))


@dataclass(slots=True)
class PeerHub:
    """When another hub was last heard (milliseconds of the shared clock), and its units in contact."""

    heard_ms: int
    units: set[str] = field(default_factory=set)


class PresenceSync:
    """The messages to send and the handling of received ones, without a thread or a database.

    {"said": [[value, key…], …]}: changes, one per key, so that two hubs that each change a field do not undo each
    other's. Keys: "unit", unit, field: a unit's status, null for the initial value; "here", event, match, competitor:
    true, an official saw them; kind, event, what: phones' requests (`PhoneRequest`), null once settled. {"alive":
    {unit: contact_ms}, "gone": [unit, …]}: contact; {"ask": true}: send everything again.
    """

    def __init__(self, presence: Presence, now_ms: Callable[[], int], speaks: bool = True) -> None:
        self._presence = presence
        self._now_ms = now_ms
        self._speaks = speaks
        self._lock = threading.Lock()
        self._known: dict[Key, Any] = {}
        self._alive: set[str] = set()
        self._peers: dict[str, PeerHub] = {}
        self._asked = True
        self._repeat = False

    def outgoing(self, beat: bool) -> list[Message]:
        """The messages that the others lack, small enough for PostgreSQL; `beat`: contact is sent in any case."""
        with self._lock:
            ask, self._asked = self._asked, False
            messages: list[Message] = [{"ask": True}] if ask else []
            if not self._speaks:
                return messages
            units = self._presence.units
            alive = {unit: units[unit].contact_ms for unit in self._presence.sessions.units if unit in units}
            repeat, self._repeat = self._repeat, False
            if repeat:
                self._known = {
                    key: value for key, value in self._known.items() if key[0] == UNIT and key[1] not in alive
                }
            before, now = self._known, self._current(units)
            self._known = now
            messages += (
                {"said": chunk}
                for chunk in _chunks(
                    [now.get(key), *key] for key in {**before, **now} if now.get(key) != before.get(key)
                )
            )
            if beat or ask or repeat or alive.keys() != self._alive:
                gone = sorted(self._alive - alive.keys())
                self._alive = set(alive)
                messages += ({"alive": dict(chunk)} for chunk in _chunks(alive.items()))
                messages += [{"gone": gone}] if gone else [] if alive else [{"alive": {}}]
            return messages

    def receive(self, message: Mapping[str, Any]) -> None:
        """Handle another hub's message ("from" names it)."""
        with self._lock:
            other = self._peers.setdefault(str(message["from"]), PeerHub(0))
            other.heard_ms = self._now_ms()
            self._repeat = self._repeat or "ask" in message
            units: dict[str, dict[str, Any]] = {}
            for value, *key in message.get("said", ()):
                self._known[tuple(key)] = value
                if key[0] == UNIT:
                    units.setdefault(key[1], {})[key[2]] = value
                elif key[0] == HERE:
                    self._presence.mark_at_table(*key[1:])
                else:
                    self._presence.set_request(tuple(key), msgspec.convert(value, PhoneRequest | None))
            for unit, fields in units.items():
                known_fields = {name: value for name, value in fields.items() if value is not None}
                status = msgspec.convert({"unit": unit, "contact_ms": 0, **known_fields}, UnitStatus)
                self._presence.merge(unit, **{name: getattr(status, name) for name in fields if hasattr(status, name)})
            for contact_ms, unit in ((int(ms), str(unit)) for unit, ms in message.get("alive", {}).items()):
                other.units.add(unit)
                self._presence.merge(unit, contact_ms=contact_ms)
            other.units -= set(message.get("gone", ()))
        self.reconcile()

    def reconcile(self) -> None:
        """Mark units as connected that are in contact with any living hub."""
        with self._lock:
            now_ms = self._now_ms()
            self._peers = {
                name: other for name, other in self._peers.items() if now_ms - other.heard_ms < HUB_TIMEOUT_MS
            }
            elsewhere = set[str]().union(*(other.units for other in self._peers.values()))
            here = self._presence.sessions.units
            for unit, status in self._presence.units.items():
                connected = unit in elsewhere or unit in here
                if status.connected != connected:
                    self._presence.merge(unit, connected=connected)

    def resync(self) -> None:
        """After a lost connection, send everything again and ask for everything again."""
        with self._lock:
            self._repeat = self._asked = True

    def _current(self, units: PresenceSnapshot) -> dict[Key, Any]:
        now: dict[Key, Any] = {
            (UNIT, unit, name): value
            for unit, status in units.items()
            for name, value in _plain(status).items()
            if name not in CONTACT_FIELDS and value != INITIAL_STATUS[name]
        }
        now |= {(HERE, *who): True for who in self._presence.seen_at_table}
        return now | {key: _plain(request) for key, request in units.asked.items()}


class PresenceRelay:
    """A thread that sends, on its own connection; the follower's receives."""

    def __init__(self, url: URL, name: str, news: PresenceSync, presence: Presence) -> None:
        self._url = url
        self._name = name
        self._news = news
        self._wake = threading.Event()
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name="presence-relay", daemon=True)
        presence.listen(lambda _: self._wake.set())

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        self._stop.set()
        self._wake.set()
        self._thread.join(timeout=10)

    def resync(self) -> None:
        """Messages may have been missed on either side."""
        self._news.resync()
        self._wake.set()

    def _run(self) -> None:
        while not self._stop.is_set():
            try:
                with psycopg.connect(**libpq_arguments(self._url), autocommit=True) as connection:
                    # Notifications need no sync, and must not delay commits.
                    connection.execute("SET synchronous_commit = off")
                    self._news.resync()
                    self._send_loop(connection)
            except psycopg.Error as lost:
                log.warning("what the units say is not told to other hubs at the moment: %s", error_text(lost))
                self._stop.wait(BEAT_S)

    def _send_loop(self, connection: psycopg.Connection[Any]) -> None:
        beat = True
        while not self._stop.is_set():
            self._wake.clear()
            for message in self._news.outgoing(beat):
                payload = json.dumps({"from": self._name, **message})
                connection.execute("SELECT pg_notify(%s, %s)", [PRESENCE_CHANNEL, payload])
            self._news.reconcile()
            self._stop.wait(COALESCE_S)
            beat = not self._wake.wait(BEAT_S)


def _chunks(items: Iterable[T]) -> Iterator[list[T]]:
    group: list[T] = []
    size = 0
    for item in items:
        length = len(json.dumps(item)) + 2
        if group and size + length > NOTICE_BYTES_MAX:
            yield group
            group, size = [], 0
        group.append(item)
        size += length
    if group:
        yield group


class SharedPrintBook(PrintBook):
    """Reads come from memory, as elsewhere; every write is decided on what is stored."""

    def __init__(self, address: str, name: str) -> None:
        self._name = name
        self._turns = threading.Lock()
        self._connection: Connection | None = None
        self._written: list[SQLModel] = []
        super().__init__(address)

    def _connected(self, url: str) -> Engine:
        return postgres_engine(url)

    def _unreadable(self, error: SQLAlchemyError) -> Problem:
        return unusable_database(self._engine.url, error)

    def update_states(self, news: Iterable[tuple[str, PrintState]]) -> None:
        if changes := list(news):
            with self._exclusive([job_id for job_id, _ in changes]):
                super().update_states(changes)

    def claim(self, job_ids: Iterable[str], unit: str) -> set[str]:
        wanted = list(job_ids)
        if not wanted:
            return set()
        with self._exclusive(wanted):
            return super().claim(wanted, unit)

    def order(self, job: PrintJob, instead_of: str | None = None, word: str = "") -> None:
        with self._exclusive([] if instead_of is None else [instead_of]):
            super().order(job, instead_of, word)

    def handle_notice(self, message: Mapping[str, Any] | None) -> None:
        """Another hub has written; None: anything may have changed. From the follower's thread."""
        jobs = None if message is None else message.get("jobs")
        orders = message is None or message.get("orders") is True or jobs is None
        with self._engine.connect() as connection:
            self._read(connection, None if jobs is None else [str(job) for job in jobs], orders)

    @contextmanager
    def _exclusive(self, jobs: Sequence[str]) -> Iterator[None]:
        """One hub at a time, on what is stored of these jobs. Raises Problem("not_saved") without a database."""
        with self._turns, self._transaction() as connection:
            connection.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": BOOK_LOCK})
            self._read(connection, jobs, False)
            self._connection, self._written = connection, []
            yield
            if self._written:
                connection.execute(
                    text("SELECT pg_notify(:channel, :told)"), {"channel": BOOK_CHANNEL, "told": self._news()}
                )

    def _put(self, rows: Sequence[SQLModel]) -> None:
        assert self._connection is not None
        upsert(self._connection, *rows)
        self._written += rows

    def _news(self) -> str:
        jobs = [row.job for row in self._written if isinstance(row, PrintStateRow)]
        ordered = any(isinstance(row, PrintOrderRow) for row in self._written)
        news = json.dumps({"from": self._name, "jobs": jobs, "orders": ordered})
        return news if len(news) <= NOTICE_BYTES_MAX else json.dumps({"from": self._name})
