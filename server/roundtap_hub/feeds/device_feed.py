"""The devices' feed: addressed, signed messages at each commit, never coalesced; on connect everything at once."""

from __future__ import annotations

import asyncio
import json
import secrets
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from roundtap_core import VERSION
from roundtap_core.event.entries import Entry
from roundtap_core.wire import FEED, REQUEST, envelope, opened
from roundtap_hub.devices.reports import Echo, echo, find_fate
from roundtap_hub.devices.table_view import View, table_view
from roundtap_hub.hub import Hub
from roundtap_hub.journal.service import Snapshot

QUEUE_MAX = 256
"""Messages a device may lag behind; one that lags more is cut off and starts again with everything."""
BEAT_S = 2.0
"""How often a silent feed says that it lives: the unit shows the age of its last contact."""


@dataclass(slots=True, eq=False)
class Connection:
    """One open feed of one unit."""

    unit: str
    key: bytes
    nonce: str
    session: str
    queue: asyncio.Queue[Mapping[str, Any] | None] = field(default_factory=lambda: asyncio.Queue(QUEUE_MAX))
    last_view: View | None = None
    sent: int = 0


class DeviceFeed:
    """All connected units. Its methods run in the event loop; `on_commit` may be called from any thread."""

    def __init__(self, hub: Hub) -> None:
        self._hub = hub
        self._connections: set[Connection] = set()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._closing = False
        hub.service.listen(self._on_commit)
        hub.presence.listen(self._on_presence)

    def bind(self, loop: asyncio.AbstractEventLoop) -> None:
        """The loop that the connections live in."""
        self._loop = loop

    def greet(self, body: bytes) -> tuple[Connection, dict[str, Any]] | None:
        """A connection for a hello whose signature holds, with its payload; None refuses it.

        Hello: {"unit", "nonce", "core", "epoch", "reports": [[event, report_id], …]}.
        """
        try:
            message = json.loads(body)
            unit = message["payload"]["unit"]
            key = self._hub.unit_keys[unit]
        except (ValueError, KeyError, TypeError, RecursionError):
            return None
        payload = opened(key, REQUEST, message)
        if payload is None or not isinstance(payload.get("nonce"), str) or not _pairs(payload.get("reports")):
            return None
        return Connection(unit, key, payload["nonce"], secrets.token_hex(8)), payload

    async def stream(self, connection: Connection, hello: Mapping[str, Any]) -> AsyncIterator[bytes]:
        """The signed messages of one connection, as server-sent events, for as long as the client stays."""
        hub, unit = self._hub, connection.unit
        hub.presence.open_session(unit, connection.session)
        self._connections.add(connection)
        try:
            hub.presence.heard(unit, hub.clocks.mono_ms(), connected=True, core=str(hello.get("core")))
            snapshot = hub.service.snapshot
            yield self._packed(connection, {
                "type": "welcome", "session": connection.session, "core": VERSION, "epoch": snapshot.venue.epoch,
            })
            fates = [echo(snapshot, report, find_fate(snapshot, event, report)) for event, report in hello["reports"]]
            yield self._packed(connection, {"type": "fates", "fates": fates})
            self._push_view(connection, snapshot)
            while not self._closing:
                try:
                    message = await asyncio.wait_for(connection.queue.get(), BEAT_S)
                except TimeoutError:
                    message = {"type": "beat"}
                if message is None:
                    return
                yield self._packed(connection, message)
        finally:
            self._connections.discard(connection)
            if hub.presence.close_session(unit, connection.session):
                hub.presence.heard(unit, hub.presence.units[unit].contact_ms, connected=False)

    def look_again(self) -> None:
        """Send what has changed by the clock alone."""
        self._fan_out(())

    def close_all(self) -> None:
        """End every stream, and those that open from now on: the hub stops."""
        self._closing = True
        for connection in list(self._connections):
            self._send(connection, None)

    def _packed(self, connection: Connection, message: Mapping[str, Any]) -> bytes:
        connection.sent += 1
        payload = {**message, "nonce": connection.nonce, "seq": connection.sent, "now_ms": self._hub.clocks.mono_ms()}
        signed = envelope(connection.key, FEED, payload)
        return b"data: " + json.dumps(signed, ensure_ascii=False, separators=(",", ":")).encode() + b"\n\n"

    def _on_commit(self, _: Snapshot, entries: Sequence[Entry]) -> None:
        if self._loop is not None and not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._fan_out, entries)

    def _on_presence(self) -> None:
        if self._loop is not None and not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._fan_out, ())

    def _fan_out(self, entries: Sequence[Entry]) -> None:
        # The latest, not the commit's own: a feed that has just begun may have shown a later one already.
        snapshot = self._hub.service.snapshot
        fates: dict[str, list[Echo]] = {}
        for entry in entries:
            if entry.kind in ("report", "report-refused"):
                event, report_id = entry.data.get("event", entry.stream), entry.data["report_id"]
                fates.setdefault(entry.actor, []).append(
                    echo(snapshot, report_id, find_fate(snapshot, event, report_id)))
        for connection in list(self._connections):
            of_unit = fates.get(f"unit:{connection.unit}")
            if of_unit:
                self._send(connection, {"type": "fates", "fates": of_unit})
            self._push_view(connection, snapshot)

    def _push_view(self, connection: Connection, snapshot: Snapshot) -> None:
        status = self._hub.presence.units.get(connection.unit)
        view = table_view(snapshot, connection.unit, status, self._hub.clocks.now())
        if view != connection.last_view:
            connection.last_view = view
            self._send(connection, {"type": "view", "view": view})

    def _send(self, connection: Connection, message: Mapping[str, Any] | None) -> None:
        try:
            connection.queue.put_nowait(message)
        except asyncio.QueueFull:
            self._connections.discard(connection)
            while not connection.queue.empty():
                connection.queue.get_nowait()
            connection.queue.put_nowait(None)


def _pairs(value: object) -> bool:
    return isinstance(value, list) and all(
        isinstance(pair, list) and len(pair) == 2 and all(isinstance(part, str) for part in pair) for pair in value
    )
