"""Buttons on pins: edges with the kernel's own stamps into a queue, nothing more; `gestures` makes gestures of them."""

from __future__ import annotations

import queue
from collections.abc import Callable
from typing import Any, NamedTuple

from roundtap_devices.boards import Board

LONGEST_STALL_S = 600.0
JITTER_MS = 3
TRIES = 5


class Edge(NamedTuple):
    """A pin went to pressed (`down`) or back, `at_ms` on the unit's monotonic clock. Bounces included."""

    key: str
    down: bool
    at_ms: int


class EdgeClock:
    """A pin factory's ticks as milliseconds of the unit's monotonic clock, however late somebody asks.

    lgpio hands on the kernel's stamps: nanoseconds of CLOCK_MONOTONIC since Linux 5.7 (drivers/gpio/gpiolib-cdev.c;
    lgpio 0.2 never sets GPIO_V2_LINE_FLAG_EVENT_CLOCK_REALTIME). gpiozero promises no clock at all, only that
    `ticks_diff` says how old a tick is, wrapped counters included; so that is all that is asked here. Where a tick is
    on another clock (older kernels took the wall's), its age is out of all reason, and the moment of asking is taken:
    late, but no jump of the wall's time can spoil a gesture.
    """

    def __init__(self, pin_factory: Any, mono_ms: Callable[[], int]) -> None:
        self._factory, self._mono_ms = pin_factory, mono_ms
        self._known: tuple[Any, int] | None = None

    def at_ms(self, ticks: Any) -> int:
        """When it was; ticks that are further apart never come out in the wrong order."""
        for _ in range(TRIES):
            now_ms = self._mono_ms()
            age_s = self._factory.ticks_diff(self._factory.ticks(), ticks)
            # Held up between the two clocks: then they do not belong together.
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

    pin_factory: from `pin_factory.real_factory` or `.mock_factory`; passed on, never set globally.
    edges: takes an `Edge` at each change; the callbacks run in the pin factory's thread and only enqueue.
    mono_ms: the unit's monotonic clock in milliseconds.

        buttons = Buttons(boards.RECOMMENDED, mock_factory(), queue.SimpleQueue(), mono_ms)

    Raises what gpiozero raises where a pin cannot be had (another program has it), and keeps none then.
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
        """Which keys are down at this moment, by their pins and not by what was heard of them."""
        return {key: bool(device.is_active) for key, device in self._devices.items()}

    def close(self) -> None:
        """Give the pins back."""
        devices, self._devices = self._devices, {}
        for device in devices.values():
            device.pin.when_changed = None
            device.close()
