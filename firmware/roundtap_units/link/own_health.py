"""The state of a unit's machine for its statuses, sent regularly and at changes: small, so that nothing waits for
it."""

import threading
from collections.abc import Callable, Collection
from typing import Any

from roundtap_core.version import version
from roundtap_machine.health import MachineProbe, free_bytes, is_mounted_read_only, temperature_c, throttle_bits

MEASURE_EVERY_MS = 60_000
WARMTH_C, SPACE_MB = 5, 64  # steps of the reported values: a degree more is no news
SPACE_TOLD_MB = 4096  # more free space is not distinguished

Health = dict[str, Any]


class OwnHealth:
    """One unit's. The button loop calls `press`, the link's thread the rest. keys: the board's buttons; screen_answers:
    whether the display takes pictures, None where there is none (a print station); printer: the printer's state as a
    word, "" where there is none; lacks: why no button works and why the display is dark, two kinds of
    `roundtap_devices.hardware_errors`, "" where all is well."""

    def __init__(
        self,
        machine: MachineProbe,
        keys: Collection[str] = (),
        screen_answers: Callable[[], bool | None] = lambda: None,
        printer: Callable[[], str] = lambda: "",
        lacks: Callable[[], tuple[str, str]] = lambda: ("", ""),
    ) -> None:
        self._machine = machine
        self._keys = sorted(keys)
        self._screen_answers = screen_answers
        self._printer = printer
        self._lacks = lacks
        self._lock = threading.Lock()
        self._pressed: set[str] = set()
        self._measured: Health = {}
        self._measured_ms: int | None = None
        self._acknowledged: Health | None = None

    def press(self, key: str) -> None:
        """A button of the board was pressed."""
        if key not in self._pressed and key in self._keys:
            with self._lock:
                self._pressed.add(key)

    def reset(self) -> None:
        """A new feed: its hub knows nothing yet."""
        self._acknowledged = None

    def changes(self, now_ms: int) -> Health | None:
        """The state, where it differs from the last one acknowledged; None: no news."""
        health = self._state(now_ms)
        return health if health != self._acknowledged else None

    def acknowledge(self, health: Health) -> None:
        self._acknowledged = health

    def _state(self, now_ms: int) -> Health:
        if self._measured_ms is None or now_ms - self._measured_ms >= MEASURE_EVERY_MS:
            self._measured, self._measured_ms = self._measure(), now_ms
        with self._lock:
            pressed = sorted(self._pressed)
        deaf, blind = self._lacks()
        return {
            **self._measured,
            "deaf": deaf,
            "blind": blind,
            "screen": self._screen_answers(),
            "printer": self._printer(),
            "keys": self._keys,
            "pressed": pressed,
        }

    def _measure(self) -> Health:
        machine = self._machine
        celsius = temperature_c(machine)
        free = free_bytes(machine.data) if machine.data is not None else None
        return {
            "version": version(),
            "throttled": throttle_bits(machine) if machine.has_voltage_sensor else None,
            "celsius": None if celsius is None else celsius // WARMTH_C * WARMTH_C,
            "free_mb": None if free is None else min(SPACE_TOLD_MB, (free >> 20) // SPACE_MB * SPACE_MB),
            "read_only": is_mounted_read_only(machine, machine.data) if machine.data is not None else None,
        }
