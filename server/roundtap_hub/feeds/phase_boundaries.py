"""Who looks at the clock for everybody: when a phase begins or a round ends, the feeds are asked to look again."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from roundtap_core.clock import Instant
from roundtap_core.event.state import EventState
from roundtap_hub.hub import Hub
from roundtap_hub.public_clock import next_change_ms

SHORTEST_MS = 50
"""A timer may ring a little before the hub's clock is there: then it waits this long once more."""


class Boundaries:
    """Calls `passed` in the event loop whenever a running round enters its next phase or ends.

    One timer for all events, set anew at every commit: nothing runs in between. When an event comes to its next
    boundary is worked out once for each of its states.
    """

    def __init__(self, hub: Hub, passed: Callable[[], None]) -> None:
        self._hub = hub
        self._passed = passed
        self._loop: asyncio.AbstractEventLoop | None = None
        self._timer: asyncio.TimerHandle | None = None
        self._due: dict[str, tuple[EventState, int | None]] = {}
        """By event: the state that was looked at, and when it changes by itself, by the hub's clock."""
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
        self._due = {event: self._due_of(event, state, now)
                     for event, state in self._hub.service.snapshot.events.items()}
        due_ms = min((due for _, due in self._due.values() if due is not None), default=None)
        if due_ms is not None and self._loop is not None:
            self._timer = self._loop.call_later(max(due_ms - now.mono_ms, SHORTEST_MS) / 1000, self._ring)

    def _due_of(self, event: str, state: EventState, now: Instant) -> tuple[EventState, int | None]:
        known = self._due.get(event)
        if known is not None and known[0] is state and (known[1] is None or known[1] > now.mono_ms):
            return known
        wait_ms = next_change_ms(state, now)
        return state, None if wait_ms is None else now.mono_ms + wait_ms

    def _ring(self) -> None:
        self._passed()
        self._arm()
