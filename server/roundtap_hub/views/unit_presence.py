"""The hall's current state, in memory and not journaled: units' statuses and open feeds, entries that they have and the
journal lacks, and players who found their page taken, or their slip old.

Calls for a judge and wishes to drop are entries (event/requests.py), shown with those of units, which are taken over
from their statuses; only a unit without a match calls from here.
"""

import threading
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache, partial
from types import MappingProxyType
from typing import Any

import msgspec
from msgspec.structs import replace

from roundtap_core.event.commands import AskToDrop, CallJudge, CancelCall, CancelDrop, Command
from roundtap_core.event.states import UNIT_SOURCE, EventState, MatchState, Request
from roundtap_core.messages import Health, TableStatus
from roundtap_core.records import SIDES, Side
from roundtap_core.typed import salvage_message
from roundtap_hub.store.service import Snapshot

RequestKey = tuple[str, str, str]
"""TAKEN, event and competitor: that one scanned their slip, but another phone has their page; OLD_SLIP,
too, but its round is over."""

CALL = "call"

Listener = Callable[[str | None], None]  # receives the unit whose status changed; None for other changes

TAKEN, OLD_SLIP = "taken", "old-slip"


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


def encode_health(health: object) -> str:
    """A unit's `Health` as the hub stores it; "" for an invalid one. Odd fields are left out, so that a call for a
    judge in the same status is not lost."""
    return msgspec.json.encode(salvage_message(Health, health)).decode() if isinstance(health, dict) else ""


@lru_cache(maxsize=512)
def decode_health(text: str) -> Health | None:
    """A stored health; None: the unit has sent none."""
    return msgspec.json.decode(text, type=Health) if text else None


class FeedSessions:
    """All open sessions that this process serves. Thread-safe."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._sessions: dict[str, dict[str, int]] = {}

    def open(self, unit: str, session: str) -> None:
        """A feed was opened: statuses of this session count, with rising numbers."""
        with self._lock:
            self._sessions.setdefault(unit, {})[session] = 0

    def close(self, unit: str, session: str) -> bool:
        """A feed was closed; True if it was the unit's last."""
        with self._lock:
            sessions = self._sessions.get(unit, {})
            sessions.pop(session, None)
            if not sessions:
                self._sessions.pop(unit, None)
            return not sessions

    def advances(self, unit: str, session: str, number: int) -> bool:
        """Whether this status is newer than all before it, so not a replayed packet."""
        with self._lock:
            last = self._sessions.get(unit, {}).get(session)
            if last is None or number <= last:
                return False
            self._sessions[unit][session] = number
            return True

    @property
    def units(self) -> frozenset[str]:
        """The units whose feeds this process serves."""
        with self._lock:
            return frozenset(self._sessions)


class PhoneRequest(msgspec.Struct, frozen=True):
    """A request that is in no journal. `sources`: the requesters, "phone:p3"; `since_ms`: the time of the first, in the
    hub's monotonic milliseconds."""

    since_ms: int
    sources: frozenset[str]


def with_source(before: PhoneRequest | None, source: str, now_ms: int) -> PhoneRequest:
    """The request, also by this requester."""
    if before is None:
        return PhoneRequest(now_ms, frozenset({source}))
    return replace(before, sources=before.sources | {source})


class UnitStatus(msgspec.Struct, frozen=True):
    """A unit's last status; a restarted hub gets it again with each unit's next message. `seated`: sides that pressed
    their button for `match`; `call_since_ms`: since when it calls without a match; that and `contact_ms`: the hub's
    monotonic milliseconds."""

    unit: str
    contact_ms: int
    connected: bool = False
    match: str | None = None
    seated: frozenset[str] = frozenset()
    draft: bool = False
    asked: frozenset[str] = frozenset()
    """What the hub has taken over of what it asks for: CALL, and for `match` the sides that want to drop."""
    run: str = ""  # of which process, or feed, its last status was: only that one can take back what it asked for
    call_since_ms: int | None = None
    called_for: str | None = None
    """The match in which it last called a judge: players are at that table, also once the call is settled."""
    call_taken_by: str | None = None
    call_closed: bool = False  # the unit still calls, but the call was settled; its next call is a new one
    call_ms: int = 0  # the call that its last status was about, as the unit names it
    call_saved: bool = False  # the call in `asked` has become an entry
    clock_ms: int | None = None
    clock_heard_ms: int | None = None  # when the unit sent `clock_ms`
    core: str = ""
    waiting: int = 0  # reports on the unit's disk that this hub has not answered yet, by the unit's own count
    instance: str = ""  # distinguishes units of the same name; from the hello that opened its feed
    damaged: int = 0  # unreadable lines of the unit's outbox, by the same hello
    health: str = ""  # the state of its machine, sent when it changes: see unit_presence.py
    troubles: frozenset[str] = frozenset()  # its troubles (access/unit_keys.py), until an organizer has looked

    @property
    def call_known(self) -> bool:
        """The unit calls, and this hub has taken that up: where no call is open any more, it was settled."""
        return self.call_closed or (self.call_saved and CALL in self.asked)


def after_message(before: UnitStatus, now_ms: int, news: Mapping[str, Any]) -> UnitStatus:
    """The status after a unit's message. `call`: without a match; it keeps its first time, and its end clears who took
    it. A closed call stays closed until the unit itself has stopped calling."""
    fields = {**news, "contact_ms": now_ms}
    call = fields.pop("call", None)
    if "clock_ms" in news:
        fields["clock_heard_ms"] = now_ms
    made_again = news.get("call_ms", before.call_ms) != before.call_ms
    if call is True and before.call_since_ms is None and (made_again or not before.call_closed):
        fields |= {"call_since_ms": now_ms, "call_closed": False}
    elif call is False:
        fields |= {"call_since_ms": None, "call_taken_by": None, "call_closed": False}
    return replace(before, **fields)


def take_call(now: UnitStatus, by: str) -> UnitStatus:
    """An official takes a table's call."""
    return now if now.call_since_ms is None else replace(now, call_taken_by=by)


def close_call(now: UnitStatus, until_ms: int | None = None) -> UnitStatus:
    """Settle the call. `until_ms`: only one made before then."""
    if now.call_since_ms is None or (until_ms is not None and now.call_since_ms > until_ms):
        return now
    return replace(now, call_since_ms=None, call_taken_by=None, call_closed=True)


def note_saved(now: UnitStatus, what: str, was: bool) -> UnitStatus:
    """What the unit asks for is saved. `was`: it was taken back."""
    return replace(now, call_saved=now.call_saved or (what == CALL and not was))


def note_not_saved(now: UnitStatus, what: str, was: bool) -> UnitStatus:
    """What the unit asks for could not be saved: its next status brings it again. `was`: it was to be taken back."""
    return replace(now, asked=now.asked | {what} if was else now.asked - {what})


class PresenceSnapshot(dict[str, UnitStatus]):
    """A snapshot, which nobody changes: the units' statuses by name, and the other requests, `asked`."""

    def __init__(self, units: Mapping[str, UnitStatus], requests: Mapping[RequestKey, PhoneRequest]) -> None:
        super().__init__(units)
        self.asked = MappingProxyType(dict(requests))

    def __hash__(self) -> int:  # type: ignore[override]
        return id(self)


def phone_requests(units: Mapping[str, UnitStatus]) -> Mapping[RequestKey, PhoneRequest]:
    """The requests by other means than units; none where only units are known."""
    return units.asked if isinstance(units, PresenceSnapshot) else {}


def known_units(snapshot: Snapshot, enrolled: Iterable[str], units: Mapping[str, UnitStatus]) -> set[str]:
    """Every unit that is enrolled, placed or heard."""
    return {*enrolled, *units, *snapshot.venue.tables}


class Presence:
    """All units' statuses. Thread-safe; listeners are called after each change, outside the lock."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._units: dict[str, UnitStatus] = {}
        self._requests: dict[RequestKey, PhoneRequest] = {}
        self._shared: PresenceSnapshot | None = None
        self._listeners: list[Listener] = []
        self.sessions = FeedSessions()
        self.seen_at_table: frozenset[tuple[str, str, str]] = frozenset()
        """(event, match, competitor) of players whom an official saw at their table, who pressed no button; with
        PHONE_ACTOR before the competitor, of those whose phone was in use in that match's round."""
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

    def update(self, unit: str, now_ms: int, **fields: Any) -> UnitStatus:
        """Record a unit's contact and status, as in `after_message`."""
        with self._lock:
            before = self._units.get(unit) or UnitStatus(unit, now_ms)
            self._store(after := after_message(before, now_ms, fields))
        if replace(after, contact_ms=before.contact_ms, clock_heard_ms=before.clock_heard_ms) != before:
            self._changed(unit)
        return after

    def merge(self, unit: str, **fields: object) -> None:
        """Apply the fields of a unit's status from another hub on the same database."""
        with self._lock:
            before = self._units.get(unit)
            after = replace(before or UnitStatus(unit, 0), **fields)
            if before is not None:
                after = replace(after, contact_ms=max(before.contact_ms, after.contact_ms))
            self._store(after)
        if before is None or replace(after, contact_ms=before.contact_ms) != before:
            self._changed(unit)

    def mark_at_table(self, event: str, match: str, competitor: str) -> None:
        """An official saw the player at the table, or (`competitor` behind PHONE_ACTOR) their phone is in use."""
        if (event, match, competitor) in self.seen_at_table:
            return
        with self._lock:
            self.seen_at_table |= {(event, match, competitor)}
        self._changed(None)

    def change(self, unit: str, changed: Callable[[UnitStatus], UnitStatus]) -> None:
        """Change a unit's status, if it has one, as an official or the journal does: `partial(take_call, by="Ann")`."""
        with self._lock:
            before = self._units.get(unit)
            after = changed(before) if before is not None else None
            if after is None or after == before:
                return
            self._store(after)
        self._changed(unit)

    def add_request(self, what: RequestKey, source: str, now_ms: int) -> None:
        """Add a request that no entry holds."""
        self._change_request(what, partial(with_source, source=source, now_ms=now_ms))

    def set_request(self, what: RequestKey, now: PhoneRequest | None) -> None:
        """Set the request as another hub on the same database has it; None: it is settled."""
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


def taker_name(snapshot: Snapshot, by: str) -> str:
    """The shown name of who takes a call on ("judge:1f2e3d", or a role's name); of a forgotten person the role."""
    role, _, person = by.partition(":")
    row = snapshot.staff.get(person)
    return (row.name or role) if row is not None else role


def call_of_unit(snapshot: Snapshot, unit: str) -> tuple[EventState, str, Request] | None:
    """The open call that was made at this unit: its event, its match and itself."""
    source = UNIT_SOURCE + unit
    return next(
        (
            (state, match, call)
            for state in snapshot.events.values()
            for match, call in state.calls.items()
            if source in call.sources
        ),
        None,
    )


def wishes_of_unit(state: EventState, match: MatchState, unit: str) -> dict[Side, Request]:
    """The wishes to drop that were made at this unit, by side of its match; the refused too."""
    return {
        side: wish
        for side in SIDES
        if (wish := state.wishes.get(match.match.competitor(side) or "")) and UNIT_SOURCE + unit in wish.sources
    }


def player_seat(state: EventState, who: str) -> tuple[MatchState | None, str]:
    """A player's newest match and side; (None, "") before the first."""
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


@dataclass(frozen=True, slots=True)
class Asked:
    """What a status asks for, beside what was asked before. `stays`: taken over already; `new` and `gone`: by CALL or
    the side, the event and the command that follow."""

    stays: frozenset[str]
    new: Mapping[str, tuple[str, Command]]
    gone: Mapping[str, tuple[str, Command]]


def asked_in(
    snapshot: Snapshot, seat: tuple[EventState, MatchState] | None, before: UnitStatus, status: TableStatus
) -> Asked:
    """`seat`: the match at the unit's table. A unit that was switched off has taken nothing back: only the process that
    asked may, unless it says that it was cancelled at the table. What it asks for first of a hub that has just begun
    may have been answered before: its next status counts."""
    source, run = UNIT_SOURCE + status.unit, status.run or status.session
    called = call_of_unit(snapshot, status.unit)
    here = seat if seat is not None and seat[1].id == status.match else None
    sides: dict[str, str] = {side: who for side in SIDES if here and (who := here[1].match.competitor(side))}
    wanted = frozenset(status.leave or ()) | (frozenset({CALL}) if status.call else frozenset())
    held = {*(wishes_of_unit(*here, status.unit) if here else ()), *((CALL,) if called else ())}
    cancelled = held.intersection(status.cancelled) - wanted
    # Sides are other people in another match.
    asked_before = (before.asked if before.match == status.match else before.asked & {CALL}) | cancelled
    if not before.run:
        asked_before, wanted = (wanted & held) | cancelled, wanted & held
    elif before.run != run:
        asked_before = (asked_before & wanted) | cancelled
    elif before.call_ms != status.call_ms:
        asked_before -= {CALL} & wanted
    new: dict[str, tuple[str, Command]] = {}
    gone: dict[str, tuple[str, Command]] = {}
    for side, who in sides.items():
        if side in wanted - asked_before and here:
            new[side] = here[0].id, AskToDrop(who, source)
        elif side in asked_before - wanted and here:
            gone[side] = here[0].id, CancelDrop(who, source)
    if CALL in wanted - asked_before and seat is not None:
        new[CALL] = seat[0].id, CallJudge(seat[1].id, source)
    elif CALL in asked_before - wanted and called is not None:
        gone[CALL] = called[0].id, CancelCall(called[1], source)
    return Asked(wanted & asked_before, new, gone)
