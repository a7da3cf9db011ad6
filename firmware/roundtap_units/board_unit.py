"""What the loop of a board's process drives, a table unit or a front panel; and when its screen dims."""

import logging
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from roundtap_devices.display.screen import DIMMED, FULL, OFF, Screen
from roundtap_devices.input.gestures import CALL, Edge, Gesture
from roundtap_devices.input.late_edges import EdgeReorder
from roundtap_units.fault_log import FaultLog

LONGEST_SLEEP_MS = 1000
UNHEALTHY_AFTER_MS = 10_000  # a unit that has not completed a step for this long stops its watchdog heartbeat
DIM_AFTER_MS = 5 * 60_000
OFF_AFTER_MS = 30 * 60_000
WOKEN_MS = 800
"""For this long after a press has lit the screen, a gesture is still that press, or was made before anything could be
read."""


class BoardUnit:
    """What the loop drives: call `step(now_ms, items)` with the buttons' `Edge`s and the link's (kind, value) pairs. No
    fault in it ends the unit. heard: called with the text of each new screen. Times are monotonic milliseconds."""

    def __init__(self, screen: Screen, hands: EdgeReorder, heard: Callable[[str], None]) -> None:
        self._screen, self._hands, self._heard = screen, hands, heard
        self._dimming = ScreenDimming()
        self.scene: Any = None
        self._image: Any = None
        self._now_ms = 0
        self._healthy_ms: int | None = None
        self._faults = FaultLog(logging.getLogger(type(self).__module__), lambda: self._now_ms)

    def step(self, now_ms: int, items: Iterable[object] = ()) -> None:
        raise NotImplementedError

    def is_healthy(self, now_ms: int) -> bool:
        """Whether it completed a step lately: for its watchdog."""
        return self._healthy_ms is not None and now_ms - self._healthy_ms < UNHEALTHY_AFTER_MS

    def due_ms(self, now_ms: int) -> int:
        """When `step` must be called next even if nothing comes in."""
        due = [now_ms + LONGEST_SLEEP_MS, *self._wake_times(now_ms)]
        if (hands_ms := self._hands.due_ms()) is not None:
            due.append(hands_ms)
        return max(now_ms, min(due))

    def _wake_times(self, now_ms: int) -> list[int]:
        return []

    def _edges(self, items: Iterable[object]) -> list[Edge]:
        """Handle the link's messages; return the buttons' edges."""
        edges = []
        for item in items:
            if isinstance(item, Edge):
                edges.append(item)
            elif isinstance(item, tuple):
                self._guarded(self._on_link_message, *item)
        return edges

    def _on_link_message(self, kind: str, value: Any) -> None:
        """A unit without a link ignores it."""

    def _gestures(self, now_ms: int, edges: list[Edge]) -> Iterator[tuple[Gesture, int]]:
        """Each with the time it was made, not read: the screen may have changed since. Presses that only woke the
        screen are left out."""
        if any(edge.down for edge in edges):
            self._dimming.on_press(now_ms)
        for gesture in self._hands.step(now_ms, edges):
            at_ms = min(gesture.at_ms, now_ms)
            if not self._dimming.is_wake_press(gesture, at_ms):
                yield gesture, at_ms

    def _show(self, scene: Any, draw: Callable[[Any], Any], to_be_read: bool, now_ms: int) -> None:
        if scene != self.scene:
            self._image, self.scene = draw(scene), scene
            self._heard(scene.all_text())
        if to_be_read:
            self._dimming.keep_awake(now_ms)
        self._screen.set_brightness(self._dimming.level(now_ms))
        # Every time: after a failure the screen tries a new display.
        self._screen.show(self._image, now_ms)

    def _guarded(self, action: Callable[..., None], *args: Any) -> bool:
        """Do it, or restore the state before it, whatever a strange message causes. Whether it succeeded."""
        undo = self._checkpoint()
        try:
            action(*args)
        except Exception:
            undo()
            self._faults.log_exception("a step is taken back")
            return False
        return True

    def _checkpoint(self) -> Callable[[], None]:
        """Returns a function that restores the present state, as far as necessary."""
        return lambda: None


class ScreenDimming:
    """When a screen dims and turns dark: while no round is on; a press makes it bright again. A press on a dark screen
    only wakes it, as no one could read what it answers. A judge is called all the same: two buttons held for a second
    and a half need no reading. A press on a dimmed screen counts. Times are monotonic milliseconds."""

    def __init__(self) -> None:
        self._awake_ms = 0
        self._woken_ms: int | None = None
        self._level = FULL

    def keep_awake(self, now_ms: int) -> None:
        """There is something to read: a round, a question, trouble."""
        self._awake_ms = max(self._awake_ms, now_ms)

    def on_press(self, now_ms: int) -> None:
        if self._level == OFF:
            self._woken_ms = now_ms
        self.keep_awake(now_ms)
        self._level = FULL

    def is_wake_press(self, gesture: Gesture, at_ms: int) -> bool:
        """Whether the gesture belongs to the press that woke the screen, and does nothing else."""
        return gesture.kind != CALL and self._woken_ms is not None and at_ms < self._woken_ms + WOKEN_MS

    def level(self, now_ms: int) -> int:
        idle_ms = now_ms - self._awake_ms
        self._level = FULL if idle_ms < DIM_AFTER_MS else DIMMED if idle_ms < OFF_AFTER_MS else OFF
        return self._level
