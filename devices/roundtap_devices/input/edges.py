"""Buttons on pins: puts edges with the kernel's timestamps into a queue; `gestures` turns them into gestures."""

from __future__ import annotations

import queue
from collections.abc import Callable
from typing import Any, NamedTuple

from roundtap_devices.boards import Board

LONGEST_STALL_S = 600.0
JITTER_MS = 3
TRIES = 5


class Edge(NamedTuple):
    """A pin changed to pressed (`down`) or back, `at_ms` on the unit's monotonic clock. Bounces included."""

    key: str
    down: bool
    at_ms: int


class EdgeClock:
    """Converts a pin factory's ticks to milliseconds of the unit's monotonic clock, however late it is called.

    lgpio passes on the kernel's stamps: nanoseconds of CLOCK_MONOTONIC since Linux 5.7 (drivers/gpio/gpiolib-cdev.c;
    lgpio 0.2 never sets GPIO_V2_LINE_FLAG_EVENT_CLOCK_REALTIME). gpiozero promises only that `ticks_diff` gives a
    tick's age, wrapped counters included, so only that is used. An absurd age means another clock (older kernels used
    wall time): then the moment of the call counts, which is late, but safe from jumps of wall time.
    """

    def __init__(self, pin_factory: Any, mono_ms: Callable[[], int]) -> None:
        self._factory, self._mono_ms = pin_factory, mono_ms
        self._known: tuple[Any, int] | None = None

    def at_ms(self, ticks: Any) -> int:
        """The time of a tick; ticks more than JITTER_MS apart never come out in the wrong order."""
        for _ in range(TRIES):
            now_ms = self._mono_ms()
            age_s = self._factory.ticks_diff(self._factory.ticks(), ticks)
            # A stall between the two clock readings makes them useless as a pair.
            if self._mono_ms() - now_ms <= 1:
                break
        if not -1.0 <= age_s <= LONGEST_STALL_S:
            return now_ms
        at_ms: int = now_ms - round(age_s * 1000)
        if self._known is not None:
            ticks_then, then_ms = self._known
            same_ms: int = then_ms + round(self._factory.ticks_diff(ticks, ticks_then) * 1000)
            if abs(same_ms - at_ms) <= JITTER_MS:
                return same_ms
        self._known = ticks, at_ms
        return at_ms


class Buttons:
    """The buttons of a board.

        edges = SimpleQueue()
        buttons = Buttons(board("recommended"), mock_factory(), edges, mono_ms)      # on a Pi: real_factory("/tmp")
        buttons.held()                    # {"a": False, "b": False, "up": False, "down": False}
        while not edges.empty():
            print(edges.get())            # Edge(key='a', down=True, at_ms=5120); `EdgeReorder` makes gestures of them

    pin_factory: from `pin_factory.real_factory` or `.mock_factory`; never set globally.
    edges: receives an `Edge` at each change, from the pin factory's thread.
    mono_ms: the unit's monotonic clock in milliseconds.
    Raises what gpiozero raises where a pin cannot be opened (another program has it), and then keeps none.
    """

    def __init__(
        self, board: Board, pin_factory: Any, edges: queue.SimpleQueue[Any], mono_ms: Callable[[], int],
    ) -> None:
        from gpiozero import InputDevice

        self.edges = edges
        self._devices: dict[str, Any] = {}
        # gpiozero keeps weak references to its callbacks.
        self._callbacks = []
        stamps = EdgeClock(pin_factory, mono_ms)
        try:
            for key, number in board.pins.keys().items():
                # Not gpiozero's Button: it hands on no stamps, and its bounce_time is a filter that loses short taps.
                device = InputDevice(number, pull_up=board.active_low, pin_factory=pin_factory)
                self._devices[key] = device
                device.pin.bounce, device.pin.edges = None, "both"
                callback = self._enqueue(key, not board.active_low, stamps)
                self._callbacks.append(callback)
                device.pin.when_changed = callback
        except Exception:
            self.close()
            raise

    def _enqueue(self, key: str, pressed: bool, stamps: EdgeClock) -> Callable[[Any, Any], None]:
        return lambda ticks, state: self.edges.put(Edge(key, bool(state) == pressed, stamps.at_ms(ticks)))

    def held(self) -> dict[str, bool]:
        """Which keys are down now, read from the pins."""
        return {key: bool(device.is_active) for key, device in self._devices.items()}

    def close(self) -> None:
        devices, self._devices = self._devices, {}
        for device in devices.values():
            device.pin.when_changed = None
            device.close()
