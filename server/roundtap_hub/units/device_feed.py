"""The table units' feed: signed messages to each unit; everything on connect, then changes at once, and every fate."""

import asyncio
import logging
import secrets
from collections import deque
from collections.abc import AsyncGenerator, Callable, Collection, Iterator, Mapping, Sequence
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from msgspec import to_builtins
from msgspec.structs import replace

from roundtap_core.errors import Problem
from roundtap_core.event.entries import Entry
from roundtap_core.event.states import UNIT_SOURCE, EventState, MatchState, RoundState
from roundtap_core.messages import Hello, ReportReceipt
from roundtap_core.version import version
from roundtap_core.wire import FEED, canonical_json, envelope_json, struct_json
from roundtap_hub.access.unit_keys import DAMAGED, HELLO, TWIN, RequestRefused, address_of
from roundtap_hub.http import http_answers
from roundtap_hub.http.routes import TABLE, route
from roundtap_hub.store.service import Snapshot
from roundtap_hub.units.table_api import UnknownReport, any_receipt, fates_of
from roundtap_hub.units.table_view import table_view
from roundtap_hub.views.running_hub import RunningHub, Units
from roundtap_hub.views.tables import find_table

log = logging.getLogger(__name__)

QUEUE_MAX = 256  # messages a unit may lag behind; one that lags more is disconnected and starts again with everything
BEAT_S = 2.0  # how often a silent feed sends a beat: the unit shows the age of its last contact
BATCH_VIEWS = 16  # views made before the loop has its turn again: some 10 ms on a Pi 4

FeedMessage = Mapping[str, Any] | bytes  # a message to send; a view as its canonical JSON
HEARTBEAT: FeedMessage = {"type": "beat"}
HelloListener = Callable[[str, Hello], Future[Any] | None]
"""Receives a unit and its hello; the unit gets nothing before the returned future is done."""

HELLO_BYTES_MAX = 64 * 1024
HELLO_TIMEOUT_S = 10.0
UNIT_HEADER = b"roundtap-unit"  # the header with the unit's name, read before the hello itself

NOT_IN_VIEWS = frozenset({"number", "head", "fates", "late", "rounds", "calls", "wishes"})
"""Fields of an event that no view shows; rounds and requests are compared one by one."""
EVENT_FIELDS = tuple(name for name in EventState.__struct_fields__ if name not in NOT_IN_VIEWS)
ROUND_FIELDS = tuple(name for name in RoundState.__struct_fields__ if name != "matches")


@dataclass(frozen=True, slots=True)
class TableChanges:
    """Whose views may have changed: all tables that show, or showed, one of `events`; `tables`, by number; `units`."""

    events: frozenset[str] = frozenset()
    tables: frozenset[int] = frozenset()
    units: frozenset[str] = frozenset()


def table_changes(before: Snapshot, after: Snapshot) -> TableChanges:
    """Everything that may look different `after`; rather too much than too little. Objects are compared by identity:
    recomputed ones count as changed. So nothing is missed with new kinds of entries, several commits at once, or a
    reread journal."""
    events: set[str] = set()
    tables: set[int] = set()
    for event_id in {**before.events, **after.events} if before.events is not after.events else ():
        was, now = before.events.get(event_id), after.events.get(event_id)
        if was is now:
            continue
        changed = _changed_tables(was, now) if was is not None and now is not None else None
        if changed is None:
            events.add(event_id)
        else:
            tables.update(changed)
    for old, new in ((before.names, after.names), (before.people, after.people)):
        if old is not new:
            events.update(event for event in {**old, **new} if old.get(event) is not new.get(event))
    stood, stand = before.venue.tables, after.venue.tables
    moved = {unit for unit in {**stood, **stand} if stood.get(unit) != stand.get(unit)} if stood is not stand else ()
    moved = {*moved, *(unit for event_id in after.events for unit in _asking_units(before, after, event_id))}
    held, hold = (venue.told_since_restore for venue in (before.venue, after.venue))
    if (held.copy, held.approved_redraws) != (hold.copy, hold.approved_redraws):
        moved = {*moved, *held.heard}
    return TableChanges(frozenset(events), frozenset(tables), frozenset(moved))


def _asking_units(before: Snapshot, after: Snapshot, event_id: str) -> Iterator[str]:
    """The units at which something was asked for that is new, answered or gone."""
    was, now = before.events.get(event_id, EventState(event_id)), after.events[event_id]
    for old, new in ((was.calls, now.calls), (was.wishes, now.wishes)) if was is not now else ():
        for key in {**old, **new} if old is not new else ():
            if old.get(key) is not new.get(key):
                for source in {*(old[key].sources if key in old else ()), *(new[key].sources if key in new else ())}:
                    yield source.removeprefix(UNIT_SOURCE)


def _changed_tables(was: EventState, now: EventState) -> Collection[int] | None:
    """The tables with changed matches; None where the change concerns the whole event."""
    if len(was.rounds) != len(now.rounds) or any(getattr(was, name) is not getattr(now, name) for name in EVENT_FIELDS):
        return None
    tables: set[int] = set()
    latest = len(now.public_rounds) - 1
    for index, (round_was, round_now) in enumerate(zip(was.rounds, now.rounds, strict=True)):
        if round_was is round_now:
            continue
        # An earlier round decides which squads remain and how the bracket stands, at every table.
        if (
            index != latest
            or len(round_was.matches) != len(round_now.matches)
            or any(getattr(round_was, name) is not getattr(round_now, name) for name in ROUND_FIELDS)
        ):
            return None
        changed = [pair for pair in zip(round_was.matches, round_now.matches, strict=True) if pair[0] is not pair[1]]
        if not all(_same_pairing(*pair) for pair in changed):
            return None
        tables.update(match.match.table for _, match in changed if match.match.table is not None)
    return tables


def _same_pairing(was: MatchState, now: MatchState) -> bool:
    """Whether the same two still meet at the same table: reports and results concern only them, but pairings and byes
    decide how large a bracket is."""
    return replace(was.match, result=None) == replace(now.match, result=None)


def verify_hello(units: Units, unit: str, message: Mapping[str, Any], address: str = "") -> tuple[bytes, Hello]:
    """(the unit's key, its hello), if that is this unit's, fresh and well-formed. Raises RequestRefused."""
    key, hello = units.auth.verify_request(HELLO, message, address, Hello)
    if hello.unit != unit:
        raise RequestRefused(403, "another unit than the header names")
    units.admit(HELLO, unit, hello.challenge)
    return key, hello


@dataclass(slots=True, eq=False)
class UnitConnection:
    """One open feed of one unit. `instance`: which of those that have this name, "" where it does not say; `reported`:
    events of which the unit keeps reports, as far as the hub was told."""

    unit: str
    key: bytes
    nonce: str
    session: str
    instance: str = ""
    reported: set[str] = field(default_factory=set)
    queue: deque[FeedMessage | None] = field(default_factory=deque)
    news: asyncio.Event = field(default_factory=asyncio.Event)  # set when the queue has something
    last_view: bytes | None = None
    event: str | None = None  # the event that the last view is about
    shown: object = None  # the parts of the unit's own status in that view
    sent: int = 0


class DeviceFeed:
    """All connected units. Its methods run in the event loop; commits and presence may notify it from any thread. A
    connection's view is made anew only where it may have changed since the last check, by `table_changes`."""

    def __init__(self, hub: RunningHub) -> None:
        self._hub = hub
        self._connections: dict[str, set[UnitConnection]] = {}  # by unit
        self._loop: asyncio.AbstractEventLoop | None = None
        self._closing = False
        self._last_snapshot = hub.service.snapshot
        """The snapshot of all last views, except those of `_stale`, which are still to be checked."""
        self._stale: set[UnitConnection] = set()
        self._pushing = False
        self._news: deque[tuple[Sequence[Entry], str | None]] = deque()
        """Saved entries, and units with a new status, collected until the loop handles them all at once."""
        self._woken = False
        self.on_hello: list[HelloListener] = []
        """Called on the loop for each accepted hello, before the unit gets anything."""
        hub.service.listen(lambda _, entries: self._enqueue_news(entries, None))
        hub.presence.listen(lambda unit: self._enqueue_news((), unit))
        hub.presence.on_message.append(lambda *message: self._call_on_loop(self._send_to, *message))
        # A feed that was opened with a key that is no longer valid ends at once.
        hub.units.keys.listeners.append(lambda units: self._call_on_loop(self._disconnect, *units))

    def send_hubs(self) -> None:
        """Name the other hubs to every unit: they have to know a new standby before they need it; from any thread."""
        self._call_on_loop(self._send_hubs)

    def bind(self, loop: asyncio.AbstractEventLoop) -> None:
        """The loop that the connections live in."""
        self._loop = loop

    @route("POST /device/feed", TABLE)
    async def answer(self, scope: http_answers.Scope, receive: http_answers.Receive, send: http_answers.Send) -> None:
        """A hello, and the feed that it opens."""
        units, unit, address = (
            self._hub.units,
            http_answers.get_header(scope, UNIT_HEADER).decode("latin-1"),
            address_of(scope),
        )
        try:
            if http_answers.content_length(scope) > HELLO_BYTES_MAX:
                raise RequestRefused(413, f"a hello has at most {HELLO_BYTES_MAX} bytes")
            units.auth.key_for(HELLO, unit, address)
            message = await http_answers.read_message(scope, receive, send, HELLO_BYTES_MAX, HELLO_TIMEOUT_S)
            if message is None:
                return
            key, hello = verify_hello(units, unit, message, address)
        except RequestRefused as refusal:
            await http_answers.send_json(send, refusal.status, refusal.body, http_answers.CLOSE)
            return
        await http_answers.send_events(self.stream(self.new_connection(key, hello), hello), receive, send)

    def new_connection(self, key: bytes, hello: Hello) -> UnitConnection:
        """A connection for a verified hello."""
        return UnitConnection(
            hello.unit, key, hello.nonce, secrets.token_hex(8), hello.instance, {event for event, _ in hello.reports}
        )

    async def stream(self, connection: UnitConnection, hello: Hello) -> AsyncGenerator[bytes, None]:
        """The signed messages of one connection, as server-sent events, for as long as the client stays."""
        hub, unit = self._hub, connection.unit
        if hub.units.keys.get(unit) != connection.key:
            # Revoked since the hello was read.
            return
        if self._is_twin(connection):
            hub.units.troubles.note(unit, TWIN)
            yield self._signed_event(connection, {"type": "twin"})
            return
        self._disconnect(unit)
        hub.presence.sessions.open(unit, connection.session)
        self._connections.setdefault(unit, set()).add(connection)
        try:
            before = hub.presence.status_of(unit)
            hub.presence.update(
                unit,
                hub.clocks.mono_ms(),
                connected=True,
                core=hello.core,
                instance=connection.instance,
                damaged=hello.damaged,
            )
            if hello.damaged > (before.damaged if before else 0):
                # Only new ones, not the same again with every hello.
                hub.units.troubles.note(unit, DAMAGED)
            await self._run_hello_listeners(unit, hello)
            snapshot = hub.service.snapshot
            yield self._signed_event(
                connection,
                {
                    "type": "welcome",
                    "session": connection.session,
                    "core": version(),
                    "epoch": snapshot.venue.epoch,
                    "boot": hub.clocks.boot_id,
                    "hubs": list(hub.host.other_addresses()),
                    "restored": hub.restored(),
                },
            )
            # A unit may keep reports of many old events: those are read in a thread.
            fates = (
                fates_of(snapshot, hello.reports)
                if connection.reported.isdisjoint(snapshot.dormant)
                else await asyncio.to_thread(fates_of, snapshot, hello.reports)
            )
            yield self._signed_event(connection, {"type": "fates", "fates": to_builtins(fates)})
            if connection in self._connections.get(unit, ()):
                if hub.service.snapshot is not self._last_snapshot:
                    self._fan_out((), (), ())
                self._push_view(connection)
            while not self._closing:
                message = await self._next(connection)
                if message is None:
                    return
                yield self._signed_event(connection, message)
        finally:
            self._drop(connection)
            status = hub.presence.status_of(unit)
            if hub.presence.sessions.close(unit, connection.session) and status is not None:
                hub.presence.update(unit, status.contact_ms, connected=False)

    async def _run_hello_listeners(self, unit: str, hello: Hello) -> None:
        """Call the listeners, and wait for what they save, as the next messages replace what the unit held. Where
        saving fails, the feed ends, and the unit sends another hello."""
        for listener in self.on_hello:
            try:
                noted = listener(unit, hello)
            except Exception:
                log.exception("a hello was not looked at")
            else:
                if noted is not None:
                    await asyncio.wrap_future(noted)

    def _is_twin(self, connection: UnitConnection) -> bool:
        if connected := self._connections.get(connection.unit):
            return any(other.instance != connection.instance for other in connected)
        status = self._hub.presence.status_of(connection.unit)
        # An empty instance: another hub has not sent it yet.
        return status is not None and status.connected and status.instance not in ("", connection.instance)

    def _disconnect(self, *units: str) -> None:
        for unit in units:
            for connection in self._connections.get(unit, set()).copy():
                self._drop(connection)
                self._hub.presence.sessions.close(unit, connection.session)
                connection.queue.clear()
                self._send(connection, None)

    def refresh(self) -> None:
        """Send what has changed by the clock alone: hidden extra minutes, as every other clock runs at the table."""
        open_ended = {
            state.id
            for state in self._hub.service.snapshot.events.values()
            if state.live is not None and state.rulebook.extra_minutes is not None
        }
        self._fan_out((), (), open_ended)

    def close_all(self) -> None:
        """The hub stops: end every stream, and those that open from now on."""
        self._closing = True
        for connection in self._all():
            self._send(connection, None)

    def _all(self) -> list[UnitConnection]:
        return [connection for of_unit in self._connections.values() for connection in of_unit]

    def _drop(self, connection: UnitConnection) -> None:
        of_unit = self._connections.get(connection.unit, set())
        of_unit.discard(connection)
        if not of_unit:
            self._connections.pop(connection.unit, None)
        self._stale.discard(connection)

    async def _next(self, connection: UnitConnection) -> FeedMessage | None:
        """The next message; a beat after BEAT_S without one."""
        if not connection.queue:
            connection.news.clear()
            with suppress(TimeoutError):
                async with asyncio.timeout(BEAT_S):
                    await connection.news.wait()
        return connection.queue.popleft() if connection.queue else HEARTBEAT

    def _signed_event(self, connection: UnitConnection, message: FeedMessage) -> bytes:
        connection.sent += 1
        head = {"nonce": connection.nonce, "seq": connection.sent, "now_ms": self._hub.clocks.mono_ms()}
        # "view" is the last key in order, so a message that is one is canonical as well.
        payload = (
            canonical_json({**head, "type": "view"})[:-1] + b',"view":' + message + b"}"
            if isinstance(message, bytes)
            else canonical_json({**message, **head})
        )
        return b"data: " + envelope_json(connection.key, FEED, payload) + b"\n\n"

    def _call_on_loop(self, call: Callable[..., None], *args: Any) -> None:
        """From any thread; without a loop there are no connections."""
        if self._loop is not None and not self._loop.is_closed():
            self._loop.call_soon_threadsafe(call, *args)

    def _send_to(self, unit: str, message: FeedMessage) -> None:
        for connection in self._connections.get(unit, set()).copy():
            self._send(connection, message)

    def _send_hubs(self) -> None:
        for connection in self._all():
            self._send(connection, {"type": "hubs", "hubs": list(self._hub.host.other_addresses())})

    def _enqueue_news(self, entries: Sequence[Entry], unit: str | None) -> None:
        if self._loop is None or self._loop.is_closed():
            return
        self._news.append((entries, unit))
        if not self._woken:
            self._woken = True
            self._call_on_loop(self._take_news)

    def _take_news(self) -> None:
        # Reset first: news from now on wakes the loop again.
        self._woken = False
        entries: list[Entry] = []
        units: set[str] = set()
        while self._news:
            saved, unit = self._news.popleft()
            entries.extend(saved)
            if unit is not None:
                units.add(unit)
        self._fan_out(entries, units, ())

    def _fan_out(self, entries: Sequence[Entry], units: Collection[str], events: Collection[str]) -> None:
        """`units` have a new status; `events` may have changed by the clock alone."""
        # The latest snapshot, not the commit's own: views in between are not needed.
        snapshot = self._hub.service.snapshot
        self._push_fates(snapshot, entries)
        changes = table_changes(self._last_snapshot, snapshot)
        self._last_snapshot = snapshot
        self._stale |= self._affected(changes, frozenset(events))
        for unit in units:
            status = self._hub.presence.status_of(unit)
            shown = status and (status.call_since_ms, status.call_taken_by, status.call_known, status.call_ms)
            self._stale.update(
                connection for connection in self._connections.get(unit, ()) if connection.shown != shown
            )
        if not self._pushing:
            self._push_some_views()

    def _push_some_views(self) -> None:
        """Check a few of `_stale` at a time, so that a new result does not wait for a whole hall."""
        for _ in range(min(BATCH_VIEWS, len(self._stale))):
            self._push_view(self._stale.pop())
        self._pushing = bool(self._stale)
        if self._pushing and self._loop is not None:
            self._loop.call_soon(self._push_some_views)

    def _push_fates(self, snapshot: Snapshot, entries: Sequence[Entry]) -> None:
        fates: dict[str, list[ReportReceipt | UnknownReport]] = {}
        for entry in entries:
            unit = entry.actor.removeprefix("unit:")
            if entry.kind in ("report", "report-refused", "report-pending") and unit in self._connections:
                event, report_id = entry.data.get("event", entry.stream), entry.data["report_id"]
                fates.setdefault(unit, []).append(any_receipt(snapshot, event, report_id))
                for connection in self._connections[unit]:
                    if event not in connection.reported:
                        connection.reported.add(event)
                        self._stale.add(connection)
        for unit, of_unit in fates.items():
            for connection in list(self._connections.get(unit, ())):
                self._send(connection, {"type": "fates", "fates": to_builtins(of_unit)})

    def _affected(self, changes: TableChanges, by_clock: frozenset[str]) -> set[UnitConnection]:
        snapshot = self._last_snapshot
        events = changes.events | by_clock
        units = {*changes.units, *(unit for unit, at in snapshot.venue.tables.items() if at in changes.tables)}
        affected = {connection for unit in units for connection in self._connections.get(unit, ())}
        for connection in self._all() if events else ():
            at = snapshot.venue.tables.get(connection.unit)
            place = find_table(snapshot, at) if at is not None else None
            if (
                connection.event in events
                or not connection.reported.isdisjoint(events)
                or (place is not None and place[0].id in events)
            ):
                affected.add(connection)
        return affected

    def _push_view(self, connection: UnitConnection) -> None:
        status = self._hub.presence.status_of(connection.unit)
        try:
            view = table_view(self._last_snapshot, connection.unit, status, self._hub.clocks.now(), connection.reported)
        except Problem:
            log.exception("no view for %s", connection.unit)
            return
        connection.event = view.event.id if view.event is not None else None
        connection.shown = status and (status.call_since_ms, status.call_taken_by, status.call_known, status.call_ms)
        text = struct_json(view)
        # Before the welcome the hello may still be looked at, and the view would not know what the unit holds.
        if connection.sent and text != connection.last_view:
            connection.last_view = text
            self._send(connection, text)

    def _send(self, connection: UnitConnection, message: FeedMessage | None) -> None:
        if len(connection.queue) >= QUEUE_MAX:
            self._drop(connection)
            connection.queue.clear()
            message = None
        connection.queue.append(message)
        connection.news.set()
