"""Buttons on pins: raw edges from gpiozero into a queue, nothing more; `gestures` makes gestures of them."""

from __future__ import annotations

import queue
from collections.abc import Callable
from typing import Any, NamedTuple

from roundtap_devices.boards import Board


class Edge(NamedTuple):
    """A pin went to pressed (`down`) or back, `at_ms` on the unit's monotonic clock. Bounces included."""

    key: str
    down: bool
    at_ms: int


class Buttons:
    """The buttons of a board.

    pin_factory: from `factory.real_factory` or `factory.mock_factory`; passed on, never set globally.
    edges: takes an `Edge` at each change; the callbacks run in the pin factory's thread and only enqueue.
    mono_ms: the unit's monotonic clock in milliseconds.

        buttons = Buttons(boards.RECOMMENDED, mock_factory(), queue.SimpleQueue(), mono_ms)
    """

    def __init__(
        self, board: Board, pin_factory: Any, edges: queue.SimpleQueue[Edge], mono_ms: Callable[[], int],
    ) -> None:
        from gpiozero import DigitalInputDevice

        self.edges = edges
        self._devices = []
        for key, pin in board.pins.keys().items():
            # No bounce_time: on metal it is a filter that loses short taps, on mock pins it does nothing.
            device = DigitalInputDevice(pin, pull_up=board.active_low, bounce_time=None, pin_factory=pin_factory)
            device.when_activated = self._enqueue(key, True, mono_ms)
            device.when_deactivated = self._enqueue(key, False, mono_ms)
            self._devices.append(device)

    def _enqueue(self, key: str, down: bool, mono_ms: Callable[[], int]) -> Callable[[], None]:
        return lambda: self.edges.put(Edge(key, down, mono_ms()))

    def close(self) -> None:
        """Give the pins back."""
        for device in self._devices:
            device.close()
