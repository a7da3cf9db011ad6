"""The hall's current state, in memory and not journaled: units' statuses, calls for a judge, and wishes to leave.

A match has one call, from its unit and phones, open until a judge or the result settles it. A person has one wish to
leave, until it is granted, refused or taken back.
"""

import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from types import MappingProxyType
from typing import Any

import msgspec
from msgspec.structs import replace

from roundtap_core.event.entries import Entry
from roundtap_core.event.states import PUBLISHED, EventState, MatchState
from roundtap_core.messages import Health
from roundtap_core.records import SIDES
from roundtap_core.typed import salvage_message
from roundtap_hub.store.service import Snapshot

IDENTIFY: Mapping[str, Any] = {"type": "identify"}  # the unit is to show which one it is
CALL, LEAVE, TAKEN = "call", "leave", "taken"

CLOSING = frozenset({"report", "result-entered"})  # entries after which a result may stand
ECHO_GRACE_MS = 2000
"""A call made this shortly before the result stays open: its table may not know yet, and would repeat it."""

GRANTING = frozenset({"competitor-dropped", "competitor-disqualified"})  # entries after which a player is gone


class UnitStatus(msgspec.Struct, frozen=True):
    """A unit's last status; a restarted hub gets it again with each unit's next message. `seated`: sides that pressed
    their button for `match`; `call_since_ms`, `contact_ms`: the hub's monotonic milliseconds."""

    unit: str
    contact_ms: int
    connected: bool = False
    match: str | None = None
    seated: frozenset[str] = frozenset()
    draft: bool = False
    leave: frozenset[str] = frozenset()  # sides that asked to leave
    leave_refused: frozenset[str] = frozenset()
    """Sides whose wish for `match` the organizer refused; a new wish clears that."""
    call_since_ms: int | None = None
    called_for: str | None = None
    """The match in which it last called a judge: players are at that table, also once the call is settled."""
    call_taken_by: str | None = None
    call_closed: bool = False  # the unit still calls, but the call was settled; its next call is a new one
    clock_ms: int | None = None
    clock_heard_ms: int | None = None  # when the unit sent `clock_ms`
    core: str = ""
    waiting: int = 0  # reports on the unit's disk that this hub has not answered yet, by the unit's own count
    instance: str = ""  # distinguishes units of the same name; from the hello that opened its feed
    damaged: int = 0  # unreadable lines of the unit's outbox, by the same hello
    health: str = ""  # the state of its machine, sent when it changes: see `decode_health`
    troubles: frozenset[str] = frozenset()  # its troubles (units/device_auth.py), until an organizer has looked


RequestKey = tuple[str, str, str]
"""CALL, event and match: a judge is wanted there; LEAVE, event and competitor: that one wants to leave; TAKEN, event
and competitor: that one scanned their slip, but another phone has their page."""


class PhoneRequest(msgspec.Struct, frozen=True):
    """A request by other means than a unit's buttons. `sources`: the requesters, "phone:p3"; `since_ms`: the time of
    the first, in the hub's monotonic milliseconds."""

    since_ms: int
    sources: frozenset[str]
    taken_by: str | None = None
    refused: bool = False


class PresenceSnapshot(Mapping[str, UnitStatus]):
    """An immutable snapshot: the units' statuses by name, and the other requests, `asked`."""

    def __init__(self, units: Mapping[str, UnitStatus], asked: Mapping[RequestKey, PhoneRequest]) -> None:
        self._units = dict(units)
        self.asked = MappingProxyType(dict(asked))

    def __getitem__(self, unit: str) -> UnitStatus:
        return self._units[unit]

    def __iter__(self) -> Iterator[str]:
        return iter(self._units)

    def __len__(self) -> int:
        return len(self._units)

    def __hash__(self) -> int:
        return id(self)


def phone_requests(units: Mapping[str, UnitStatus]) -> Mapping[RequestKey, PhoneRequest]:
    """The requests by other means than units; none where only units are known."""
    return units.asked if isinstance(units, PresenceSnapshot) else {}


Listener = Callable[[str | None], None]  # receives the unit whose status changed; None for other changes


class Presence:
    """All units' statuses. Thread-safe; listeners are called after each change, outside the lock."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._units: dict[str, UnitStatus] = {}
        self._requests: dict[RequestKey, PhoneRequest] = {}
        self._shared: PresenceSnapshot | None = None
        self._sessions: dict[str, dict[str, int]] = {}
        self._listeners: list[Listener] = []
        self.seen_at_table: frozenset[tuple[str, str, str]] = frozenset()
        """(event, match, competitor) of players whom an official saw at their table, who pressed no button."""
        self.on_message: list[Callable[[str, Mapping[str, Any]], None]] = []
        """Called with a unit and a message for its feed, in the caller's thread; must only enqueue."""

    def listen(self, listener: Listener) -> None:
        """`listener` runs in the thread of the change and must only enqueue."""
        self._listeners.append(listener)

    @property
    def units(self) -> PresenceSnapshot:
        """All units as of now: an immutable mapping, the same object until something changes."""
        shared = self._shared
        if shared is None:
            with self._lock:
                shared = self._shared = PresenceSnapshot(self._units, self._requests)
        return shared

    def send(self, unit: str, message: Mapping[str, Any]) -> bool:
        """Send a message to a unit by its feed; False where it is not connected."""
        status = self.status_of(unit)
        if status is None or not status.connected:
            return False
        for listener in self.on_message:
            listener(unit, message)
        return True

    def status_of(self, unit: str) -> UnitStatus | None:
        """One unit's status; None for one that was never heard."""
        return self._units.get(unit)

    def update(self, unit: str, now_ms: int, **said: object) -> UnitStatus:
        """Record a unit's contact and status. A call keeps its first time; its end clears who took it. A closed call
        stays closed until the unit itself has stopped calling."""
        with self._lock:
            before = self._units.get(unit) or UnitStatus(unit, now_ms)
            call = said.pop("call", None)
            if "clock_ms" in said:
                said["clock_heard_ms"] = now_ms
            if call is True and before.call_since_ms is None and not before.call_closed:
                said["call_since_ms"], said["called_for"] = now_ms, said.get("match", before.match)
            elif call is False:
                said["call_since_ms"] = said["call_taken_by"] = None
                said["call_closed"] = False
            after = _still_refused(before, replace(before, contact_ms=now_ms, **said))
            self._store(after)
        if replace(after, contact_ms=before.contact_ms, clock_heard_ms=before.clock_heard_ms) != before:
            self._changed(unit)
        return after

    def open_session(self, unit: str, session: str) -> None:
        """A feed was opened: statuses of this session count, with rising numbers."""
        with self._lock:
            self._sessions.setdefault(unit, {})[session] = 0

    def close_session(self, unit: str, session: str) -> bool:
        """A feed was closed; True if it was the unit's last."""
        with self._lock:
            sessions = self._sessions.get(unit, {})
            sessions.pop(session, None)
            if not sessions:
                self._sessions.pop(unit, None)
            return not sessions

    def session_advances(self, unit: str, session: str, number: int) -> bool:
        """Whether this status is newer than all before it, so not a replayed packet."""
        with self._lock:
            last = self._sessions.get(unit, {}).get(session)
            if last is None or number <= last:
                return False
            self._sessions[unit][session] = number
            return True

    @property
    def connected_locally(self) -> frozenset[str]:
        """The units whose feeds this process serves."""
        with self._lock:
            return frozenset(self._sessions)

    def merge(self, unit: str, **said: object) -> None:
        """Apply the fields of a unit's status from another hub on the same database."""
        with self._lock:
            before = self._units.get(unit)
            after = replace(before or UnitStatus(unit, 0), **said)
            if before is not None:
                after = replace(after, contact_ms=max(before.contact_ms, after.contact_ms))
            self._store(after)
        if before is None or replace(after, contact_ms=before.contact_ms) != before:
            self._changed(unit)

    def mark_at_table(self, event: str, match: str, competitor: str) -> None:
        """An official saw the player at the table."""
        with self._lock:
            known = (event, match, competitor) in self.seen_at_table
            self.seen_at_table |= {(event, match, competitor)}
        if not known:
            self._changed(None)

    def take_call(self, unit: str, by: str) -> None:
        """An official takes a table's call."""
        self._change_status(unit, lambda now: now if now.call_since_ms is None else replace(now, call_taken_by=by))

    def close_call(self, unit: str, until_ms: int | None = None) -> None:
        """Settle the call. `until_ms`: only one made before then."""

        def closed(now: UnitStatus) -> UnitStatus:
            if now.call_since_ms is None or (until_ms is not None and now.call_since_ms > until_ms):
                return now
            return replace(now, call_since_ms=None, call_taken_by=None, call_closed=True)

        self._change_status(unit, closed)

    def refuse_leave(self, unit: str, side: str) -> None:
        """The organizer refuses a wish to leave; the table shows that."""
        self._change_status(unit, lambda now: replace(now, leave_refused=now.leave_refused | (now.leave & {side})))

    def _change_status(self, unit: str, changed: Callable[[UnitStatus], UnitStatus]) -> None:
        with self._lock:
            before = self._units.get(unit)
            after = changed(before) if before is not None else None
            if after is None or after == before:
                return
            self._store(after)
        self._changed(unit)

    def add_request(self, what: RequestKey, source: str, now_ms: int) -> None:
        """Add a request by other means than a unit; a refused one starts anew."""
        self._change_request(
            what,
            lambda before: (
                PhoneRequest(now_ms, frozenset({source}))
                if before is None or before.refused
                else replace(before, sources=before.sources | {source})
            ),
        )

    def withdraw(self, what: RequestKey, source: str) -> None:
        """Withdraw this source's request."""
        self._change_request(
            what,
            lambda before: (
                None
                if before is None or before.sources <= {source}
                else replace(before, sources=before.sources - {source})
            ),
        )

    def answer_request(self, what: RequestKey, taken_by: str | None = None, refused: bool = False) -> None:
        """An official takes the request on, or refuses it."""
        self._change_request(
            what,
            lambda before: (
                None
                if before is None
                else replace(before, taken_by=taken_by or before.taken_by, refused=refused or before.refused)
            ),
        )

    def settle_request(self, what: RequestKey, until_ms: int | None = None) -> None:
        """Settle the request. `until_ms`: only one made before then."""
        self._change_request(
            what, lambda before: None if before is None or until_ms is None or before.since_ms <= until_ms else before
        )

    def settle_event(self, event: str) -> None:
        """Settle all requests of a finished event."""
        for what in [what for what in self.units.asked if what[1] == event]:
            self.settle_request(what)

    def merge_request(self, what: RequestKey, now: PhoneRequest | None) -> None:
        """Set the request as another hub on the same database has it; None: none."""
        self._change_request(what, lambda _: now)

    def _change_request(self, what: RequestKey, changed: Callable[[PhoneRequest | None], PhoneRequest | None]) -> None:
        with self._lock:
            before = self._requests.get(what)
            now = changed(before)
            if now == before:
                return
            if now is None:
                del self._requests[what]
            else:
                self._requests[what] = now
            self._shared = None
        self._changed(None)

    def _store(self, status: UnitStatus) -> None:
        """Called with the lock held. Earlier snapshots of `units` stay as they are."""
        self._units[status.unit] = status
        self._shared = None

    def _changed(self, unit: str | None) -> None:
        for listener in self._listeners:
            listener(unit)


def _still_refused(before: UnitStatus, after: UnitStatus) -> UnitStatus:
    """A new match, or a new wish, clears a refusal."""
    same = after.match == before.match
    return replace(after, leave_refused=before.leave_refused - (after.leave - before.leave) if same else frozenset())


Units = Mapping[str, UnitStatus]


@dataclass(frozen=True, slots=True)
class Call:
    """A judge is wanted at a match. `since_ms`: the first call, in the hub's monotonic milliseconds; `sources`:
    "unit:unit-1", "phone:p3"; `taken_by`: the shown name of the official who goes there."""

    event: str
    match: str
    table: int | None
    since_ms: int
    sources: frozenset[str]
    taken_by: str | None = None


def call_at(snapshot: Snapshot, units: Units, event_id: str, match: MatchState) -> Call | None:
    """The call for this match; a unit's call belongs to the match at its table."""
    table = match.match.table
    unit = snapshot.venue.unit_at(table)
    status = units.get(unit) if unit is not None else None
    asked = [each] if (each := phone_requests(units).get((CALL, event_id, match.id))) is not None else []
    if status is not None and status.call_since_ms is not None:
        asked.insert(0, PhoneRequest(status.call_since_ms, frozenset({f"unit:{unit}"}), status.call_taken_by))
    if not asked:
        return None
    return Call(
        event_id,
        match.id,
        table,
        min(each.since_ms for each in asked),
        frozenset().union(*(each.sources for each in asked)),
        next((each.taken_by for each in asked if each.taken_by), None),
    )


def calls_of(snapshot: Snapshot, units: Units, state: EventState) -> Iterator[Call]:
    """All calls of an event: from the tables of its newest round, and from phones about any match."""
    played = state.public_rounds
    matches = {match.id: match for match in (played[-1].matches if played and not state.finished else ())}
    for kind, event_id, match_id in phone_requests(units):
        found = state.find_match(match_id) if kind == CALL and event_id == state.id else None
        if found is not None:
            matches.setdefault(match_id, found[1])
    for match in matches.values():
        call = call_at(snapshot, units, state.id, match)
        if call is not None:
            yield call


class JudgeCalls:
    """One hub's calls. Thread-safe."""

    def __init__(self, presence: Presence, snapshot: Callable[[], Snapshot], now_ms: Callable[[], int]) -> None:
        self._presence, self._snapshot, self._now_ms = presence, snapshot, now_ms

    def open(self, event_id: str, match_id: str, source: str) -> None:
        """Call a judge; a repeated one is the same call. A unit's calls come with its status."""
        self._presence.add_request((CALL, event_id, match_id), source, self._now_ms())

    def cancel(self, event_id: str, match_id: str, source: str) -> None:
        """Withdraw this source's call; others may remain."""
        self._presence.withdraw((CALL, event_id, match_id), source)

    def take(self, event_id: str, match_id: str, by: str) -> None:
        """An official goes there: table and phones show who."""
        self._presence.answer_request((CALL, event_id, match_id), taken_by=by)
        unit = self._unit_at(event_id, match_id)
        if unit is not None:
            self._presence.take_call(unit, by)

    def close(self, event_id: str, match_id: str, until_ms: int | None = None) -> None:
        """Settle the call. `until_ms`: only one made before then."""
        self._presence.settle_request((CALL, event_id, match_id), until_ms)
        unit = self._unit_at(event_id, match_id)
        if unit is not None:
            self._presence.close_call(unit, until_ms)

    def close_shown(self, event_id: str, match_id: str, since_ms: int | None) -> None:
        """Settle the call that began at `since_ms`, not a newer one that the official has not seen. None: any."""
        shown = next((call for call in self.of(event_id) if call.match == match_id), None)
        if since_ms is None or shown is None or shown.since_ms == since_ms:
            self.close(event_id, match_id)

    def of(self, event_id: str) -> tuple[Call, ...]:
        """Open calls, the oldest first."""
        snapshot = self._snapshot()
        state = snapshot.events.get(event_id)
        found = calls_of(snapshot, self._presence.units, state) if state is not None else ()
        return tuple(sorted(found, key=lambda call: (call.since_ms, call.match)))

    def _unit_at(self, event_id: str, match_id: str) -> str | None:
        snapshot = self._snapshot()
        state = snapshot.events.get(event_id)
        found = state.find_match(match_id) if state is not None else None
        table = found[1].match.table if found is not None else None
        return snapshot.venue.unit_at(table)


def close_settled_calls(presence: Presence, snapshot: Snapshot, entries: Sequence[Entry]) -> None:
    """End the call of each match that these committed entries have settled; a later call is about something else."""
    for entry in entries:
        state = snapshot.events.get(entry.stream)
        if entry.kind == "event-finished":
            presence.settle_event(entry.stream)
        if entry.kind not in CLOSING or state is None:
            continue
        found = state.find_match(str(entry.data["match"]))
        if found is None or found[0].status != PUBLISHED or not found[1].done:
            continue
        presence.settle_request((CALL, state.id, found[1].id), entry.at.mono_ms)
        table = found[1].match.table
        unit = snapshot.venue.unit_at(table)
        status = presence.status_of(unit) if unit is not None else None
        if status is not None and status.match == found[1].id:
            presence.close_call(status.unit, entry.at.mono_ms - ECHO_GRACE_MS)


@dataclass(frozen=True, slots=True)
class LeaveRequest:
    """A player wants to leave the event. `sources`: "unit:unit-1", "phone:p3"; `refused`: by an official; table
    and phone show that. `match`: the player's newest; None before round 1."""

    event: str
    competitor: str
    sources: frozenset[str]
    refused: bool = False
    match: MatchState | None = None
    side: str = ""
    since_ms: int | None = None  # when it was first requested by phone; None where only by a unit


def leave_requests_of(snapshot: Snapshot, units: Units, state: EventState) -> Iterator[LeaveRequest]:
    """All open wishes to leave, the refused too, by competitor id."""
    by_unit = dict(_by_units(snapshot, units, state))
    by_phone = {
        who: asked
        for (kind, event_id, who), asked in phone_requests(units).items()
        if kind == LEAVE and event_id == state.id
    }
    for who in sorted({*by_unit, *by_phone}):
        entrant = state.entrants.get(who)
        if entrant is None or not entrant.active:
            continue
        match, side, sources, refused = by_unit.get(who) or (*_seat(state, who), frozenset(), True)
        asked = by_phone.get(who)
        if asked is not None:
            # A wish at the table, after the phone's was refused, is a new one.
            sources, refused = sources | asked.sources, refused and asked.refused
        yield LeaveRequest(state.id, who, sources, refused, match, side, asked.since_ms if asked is not None else None)


def _by_units(
    snapshot: Snapshot, units: Units, state: EventState
) -> Iterator[tuple[str, tuple[MatchState | None, str, frozenset[str], bool]]]:
    """Wishes made at tables; the match has the competitor."""
    for unit, status in sorted(units.items()):
        found = state.find_match(status.match) if status.leave and status.match else None
        if found is None or found[1].match.table != snapshot.venue.tables.get(unit):
            continue
        for side in SIDES:
            who = found[1].match.competitor(side)
            if side in status.leave and who is not None:
                yield who, (found[1], side, frozenset({f"unit:{unit}"}), side in status.leave_refused)


def _seat(state: EventState, who: str) -> tuple[MatchState | None, str]:
    return next(
        (
            (match, side)
            for played in reversed(state.public_rounds)
            for match in played.matches
            for side in SIDES
            if match.match.competitor(side) == who
        ),
        (None, ""),
    )


class LeaveRequests:
    """One hub's wishes to leave. Thread-safe."""

    def __init__(self, presence: Presence, snapshot: Callable[[], Snapshot], now_ms: Callable[[], int]) -> None:
        self._presence, self._snapshot, self._now_ms = presence, snapshot, now_ms

    def ask(self, event_id: str, competitor: str, source: str) -> None:
        """Add a wish to leave. A unit's wishes come with its status."""
        self._presence.add_request((LEAVE, event_id, competitor), source, self._now_ms())

    def take_back(self, event_id: str, competitor: str, source: str) -> None:
        """Withdraw this source's wish."""
        self._presence.withdraw((LEAVE, event_id, competitor), source)

    def refuse(self, event_id: str, competitor: str) -> None:
        """An official refuses the wish: table and phone show that."""
        self._presence.answer_request((LEAVE, event_id, competitor), refused=True)
        for wish in self.of(event_id):
            for source in wish.sources if wish.competitor == competitor else ():
                if source.startswith("unit:"):
                    self._presence.refuse_leave(source.removeprefix("unit:"), wish.side)

    def of(self, event_id: str) -> tuple[LeaveRequest, ...]:
        """All wishes of an event, the refused too."""
        snapshot = self._snapshot()
        state = snapshot.events.get(event_id)
        return tuple(leave_requests_of(snapshot, self._presence.units, state)) if state is not None else ()


def close_granted_leaves(presence: Presence, entries: Sequence[Entry]) -> None:
    """Settle the wishes of players who have left, so that one who returns has none."""
    for entry in entries:
        if entry.kind in GRANTING:
            presence.settle_request((LEAVE, entry.stream, str(entry.data["competitor"])))


def encode_health(said: object) -> str:
    """A unit's `Health` as the hub stores it; "" for an invalid one. Odd fields are left out, so that a call for a
    judge in the same status is not lost."""
    return msgspec.json.encode(salvage_message(Health, said)).decode() if isinstance(said, dict) else ""


@lru_cache(maxsize=512)
def decode_health(text: str) -> Health | None:
    """A stored health; None: the unit has sent none."""
    return msgspec.json.decode(text, type=Health) if text else None


@dataclass(frozen=True, slots=True)
class MissingEntry:
    """A unit received entry `number` of an event, which the journal lacks or has differently. `last`: the journal's own
    last entry of this event."""

    unit: str
    event: str
    number: int
    last: int


class MissingEntries:
    """All missing entries, by unit and event, in memory: units send their heads again. Thread-safe."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._known: dict[tuple[str, str], MissingEntry] = {}

    @property
    def known(self) -> list[MissingEntry]:
        """In the order of the events, the one that misses most first."""
        with self._lock:
            return sorted(self._known.values(), key=lambda proof: (proof.event, -proof.number, proof.unit))

    def add(self, proof: MissingEntry) -> None:
        with self._lock:
            self._known[(proof.unit, proof.event)] = proof

    def withdraw(self, unit: str, event: str) -> None:
        with self._lock:
            self._known.pop((unit, event), None)
