"""Calling a judge: ▲+▼ from any screen, the draft is kept, again cancels. A call is a level, not an event."""

from __future__ import annotations

from roundtap_core.view import CallView
from roundtap_devices.input.gestures import Gesture
from roundtap_units.table.dialogue.table_state import TableState, span
from roundtap_units.table.screens.scenes import Half, Scene

PEEK_MS = 8000


class Call:
    """Whether a judge is wanted. The table's own wish holds until the hub has echoed it."""

    def __init__(self, table: TableState) -> None:
        self.table = table
        self.on = False
        self.since_ms = 0
        self.taken_by: str | None = None
        self._echoed = True
        self._peek_until_ms = 0

    def toggle(self, now_ms: int) -> None:
        self.on = not self.on
        self.since_ms = now_ms
        self.taken_by = None
        self._echoed = False
        self._peek_until_ms = 0

    def want(self, now_ms: int) -> None:
        """Call, unless somebody already did."""
        if not self.on:
            self.toggle(now_ms)

    def on_view(self, call: CallView | None, now_ms: int) -> None:
        """The hub's word: it may close a call (a judge came) or know of one made elsewhere."""
        if (call is not None) == self.on:
            self._echoed = True
        elif self._echoed:
            self.on = call is not None
            self.since_ms = now_ms
        self.taken_by = call.taken_by if call is not None and self.on else None

    def shown(self, now_ms: int) -> bool:
        """Whether the call fills the screen; a press looks behind it for a while."""
        return self.on and now_ms >= self._peek_until_ms

    def press(self, gesture: Gesture, now_ms: int) -> None:
        self.look_behind(now_ms)

    def look_behind(self, now_ms: int) -> None:
        """Keep what was being done in sight, eight seconds after each press."""
        self._peek_until_ms = now_ms + PEEK_MS

    def scene(self, now_ms: int) -> Scene:
        words = self.table.words
        small = words("call.taken", name=self.taken_by) if self.taken_by else words("call.again")
        half = Half(words("call.title"), span(now_ms - self.since_ms), small)
        return self.table.halves("call", lambda side: half)
