"""The browsers' feed: the latest state of a page, at most four times a second, one slot a client."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Mapping
from dataclasses import dataclass, field

from roundtap_hub.hub import Hub
from roundtap_hub.journal.service import Snapshot
from roundtap_hub.presence import UnitStatus
from roundtap_hub.public_clock import public_clock

PageVersion = Callable[[Snapshot, Mapping[str, UnitStatus], str], str]

COALESCE_S = 0.25
TICK_S = 5.0
AGE_MS = 1000


@dataclass(slots=True, eq=False)
class Client:
    """One open page. `wake` is its only slot: however much happens, it wakes once and reads the latest."""

    page: str
    wake: asyncio.Event = field(default_factory=asyncio.Event)


class BrowserFeed:
    """All open pages. `page_version(snapshot, units, page)` says in a short text what a page would show."""

    def __init__(self, hub: Hub, page_version: PageVersion) -> None:
        self._hub = hub
        self._page_version = page_version
        self._clients: set[Client] = set()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._due = False
        self._closing = False
        self._versions: dict[str, str] = {}
        self._fresh_ms = 0
        hub.service.listen(lambda *_: self._changed())
        hub.presence.listen(lambda _: self._changed())

    def bind(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop

    async def stream(self, page: str) -> AsyncIterator[bytes]:
        """Server-sent events: "view" with the page's version, "clock", and a "tick" when nothing else is said."""
        client = Client(page)
        self._clients.add(client)
        seen: tuple[str | None, str | None] = (None, None)
        try:
            yield b"retry: 2000\n\n"
            while not self._closing:
                version, clock = self._version_of(page), self._clock(page)
                if clock != seen[1] and clock is not None:
                    yield f"event: clock\ndata: {clock}\n\n".encode()
                if version != seen[0]:
                    yield f"event: view\ndata: {version}\n\n".encode()
                seen = (version, clock)
                try:
                    await asyncio.wait_for(client.wake.wait(), TICK_S)
                    client.wake.clear()
                except TimeoutError:
                    yield f'event: tick\ndata: {{"now_ms": {self._hub.clocks.mono_ms()}}}\n\n'.encode()
                    # Ages on a page (a call, a table without contact) change what it shows without any entry.
                    self._grow_older()
        finally:
            self._clients.discard(client)

    def look_again(self) -> None:
        """Tell every page what has changed by the clock alone."""
        self._wake_all()

    def close_all(self) -> None:
        self._closing = True
        self._wake_all()

    def _grow_older(self) -> None:
        """Forget the versions at most once in a while: a thousand clients tick two hundred times a second."""
        now_ms = self._hub.clocks.mono_ms()
        if now_ms - self._fresh_ms >= AGE_MS:
            self._fresh_ms = now_ms
            self._versions.clear()

    def _version_of(self, page: str) -> str:
        """Computed once a broadcast for all who look at the same page."""
        version = self._versions.get(page)
        if version is None:
            snapshot, units = self._hub.service.snapshot, self._hub.presence.units
            version = self._versions[page] = self._page_version(snapshot, units, page)
        return version

    def _clock(self, page: str) -> str | None:
        parts = page.split("/")
        state = self._hub.service.snapshot.events.get(parts[1]) if len(parts) > 1 else None
        if state is None:
            return None
        return json.dumps({"event": state.id, **public_clock(state, state.clock, self._hub.clocks.now())})

    def _changed(self) -> None:
        if self._loop is not None and not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._schedule)

    def _schedule(self) -> None:
        if not self._due and self._loop is not None:
            self._due = True
            self._loop.call_later(COALESCE_S, self._wake_all)

    def _wake_all(self) -> None:
        self._due = False
        self._versions.clear()
        for client in self._clients:
            client.wake.set()
