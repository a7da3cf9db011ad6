"""When a table's screen may rest: dimmed and then dark while no round is on, and bright again at the first press.

A press on a dark screen only wakes it: nobody can have meant what nobody could read. A judge is called all the same,
since that takes two buttons for a second and a half and no reading. A press on a dimmed screen counts like any other.
"""

from __future__ import annotations

from roundtap_devices.display.screen import DIMMED, FULL, OFF
from roundtap_devices.input.gestures import CALL, Gesture

DIM_AFTER_MS = 5 * 60_000
OFF_AFTER_MS = 30 * 60_000
WOKEN_MS = 800
"""So long after a press has lit the screen a gesture still is that press, or one that nobody has read anything for."""


class ScreenRest:
    """One table's. Times are the unit's monotonic milliseconds."""

    def __init__(self) -> None:
        self._awake_ms = 0
        self._woken_ms: int | None = None
        self._level = FULL

    def busy(self, now_ms: int) -> None:
        """Something is to be read: a round, a question, a trouble."""
        self._awake_ms = max(self._awake_ms, now_ms)

    def touched(self, now_ms: int) -> None:
        """Somebody presses a button."""
        if self._level == OFF:
            self._woken_ms = now_ms
        self.busy(now_ms)
        self._level = FULL

    def only_wakes(self, gesture: Gesture, at_ms: int) -> bool:
        """Whether the gesture belongs to the press that woke the screen, and does nothing else."""
        return gesture.kind != CALL and self._woken_ms is not None and at_ms < self._woken_ms + WOKEN_MS

    def level(self, now_ms: int) -> int:
        """How bright the screen should be now."""
        idle_ms = now_ms - self._awake_ms
        self._level = FULL if idle_ms < DIM_AFTER_MS else DIMMED if idle_ms < OFF_AFTER_MS else OFF
        return self._level
