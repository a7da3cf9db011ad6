"""The hall's current state, in memory and not journaled: units' statuses, and players who found their page taken.

Calls for a judge and wishes to drop are entries (event/requests.py); only a unit without a match calls from here.
"""

import threading
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from types import MappingProxyType
from typing import Any

from msgspec.structs import replace

from roundtap_hub.access.feed_sessions import FeedSessions
from roundtap_hub.views.phone_requests import PhoneRequest, RequestKey, with_source
from roundtap_hub.views.unit_status import UnitStatus, after_message


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
        self._listeners: list[Listener] = []
        self.sessions = FeedSessions()
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

    def update(self, unit: str, now_ms: int, **said: Any) -> UnitStatus:
        """Record a unit's contact and status, as in `after_message`."""
        with self._lock:
            before = self._units.get(unit) or UnitStatus(unit, now_ms)
            self._store(after := after_message(before, now_ms, said))
        if replace(after, contact_ms=before.contact_ms, clock_heard_ms=before.clock_heard_ms) != before:
            self._changed(unit)
        return after

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
