"""Light and buzzer of a board: what a unit has left when its screen is dark. Times come from the caller."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from roundtap_devices.boards import Board


class Signals:
    """Lamp and buzzer, where fitted; without them every call is accepted and does nothing but be heard.

    heard: called with (lamp, buzzer) at each change; the virtual panel draws them.
    """

    def __init__(self, board: Board, pin_factory: Any, heard: Callable[[bool, bool], None] | None = None) -> None:
        from gpiozero import DigitalOutputDevice

        self._pins = {
            name: DigitalOutputDevice(pin, pin_factory=pin_factory)
            for name, pin in (("lamp", board.pins.lamp), ("buzzer", board.pins.buzzer)) if pin is not None
        }
        self._heard = heard
        self._on = {"lamp": False, "buzzer": False}
        self._beep_until_ms: int | None = None

    def lamp(self, on: bool) -> None:
        self._set("lamp", on)

    def beep(self, now_ms: int, length_ms: int = 120) -> None:
        """Sound until `length_ms` from now; `tick` ends it."""
        self._beep_until_ms = now_ms + length_ms
        self._set("buzzer", True)

    def tick(self, now_ms: int) -> None:
        if self._beep_until_ms is not None and now_ms >= self._beep_until_ms:
            self._beep_until_ms = None
            self._set("buzzer", False)

    def close(self) -> None:
        for pin in self._pins.values():
            pin.close()

    def _set(self, name: str, on: bool) -> None:
        if self._on[name] == on:
            return
        self._on[name] = on
        if name in self._pins:
            self._pins[name].value = 1 if on else 0
        if self._heard is not None:
            self._heard(self._on["lamp"], self._on["buzzer"])
