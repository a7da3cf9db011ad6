"""Who looks at the clock for everybody: when a phase begins or a round ends, the feeds are asked to look again."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from roundtap_hub.hub import Hub
from roundtap_hub.public_clock import next_change_ms

SHORTEST_MS = 50
"""A timer may ring a little before the hub's clock is there: then it waits this long once more."""


class Boundaries:
    """Calls `passed` in the event loop whenever a running round enters its next phase or ends.

    One timer for all events, set anew at every commit: nothing runs in between.
    """

    def __init__(self, hub: Hub, passed: Callable[[], None]) -> None:
        self._hub = hub
        self._passed = passed
        self._loop: asyncio.AbstractEventLoop | None = None
        self._timer: asyncio.TimerHandle | None = None
        hub.service.listen(lambda *_: self._changed())

    def bind(self, loop: asyncio.AbstractEventLoop) -> None:
        """The loop that the timer lives in; called from within it."""
        self._loop = loop
        self._arm()

    def stop(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _changed(self) -> None:
        if self._loop is not None and not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._arm)

    def _arm(self) -> None:
        self.stop()
        now = self._hub.clocks.now()
        changes = (next_change_ms(state, now) for state in self._hub.service.snapshot.events.values())
        wait_ms = min((change for change in changes if change is not None), default=None)
        if wait_ms is not None and self._loop is not None:
            self._timer = self._loop.call_later(max(wait_ms, SHORTEST_MS) / 1000, self._ring)

    def _ring(self) -> None:
        self._passed()
        self._arm()
