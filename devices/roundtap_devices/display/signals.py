"""Lights and buzzer of a board: what a unit has left when its screen is dark. Times come from the caller."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from roundtap_devices.boards import SIGNALS, Board


class Signals:
    """Lamps and buzzer, where fitted; without them every call is accepted and does nothing but be heard.

    pin_factory: from `pin_factory`; None: no pins yet, `fit` brings them later and lights what should be lit.
    heard: called with what is on, {"lamp": …, "lamp_a": …, "lamp_b": …, "buzzer": …}, at each change; the virtual
    panel draws them.
    """

    def __init__(self, board: Board, pin_factory: Any = None,
                 heard: Callable[[Mapping[str, bool]], None] | None = None) -> None:
        self._board = board
        self._pins: dict[str, Any] = {}
        self._heard = heard
        self._on = dict.fromkeys(SIGNALS, False)
        self._beep_until_ms: int | None = None
        if pin_factory is not None:
            self.fit(pin_factory)

    def fit(self, pin_factory: Any) -> None:
        """Take the pins of this factory from now on. Raises what gpiozero raises, and has none then."""
        from gpiozero import DigitalOutputDevice

        self.unfit()
        try:
            for name, pin in self._board.pins.signals().items():
                self._pins[name] = DigitalOutputDevice(
                    pin, active_high=not self._board.low_is_on(name), initial_value=self._on[name],
                    pin_factory=pin_factory)
        except Exception:
            self.unfit()
            raise

    def unfit(self) -> None:
        """Give the pins back; what should be on is remembered."""
        pins, self._pins = self._pins, {}
        for pin in pins.values():
            pin.close()

    def lamp(self, on: bool) -> None:
        """The light that tells of trouble."""
        self._set("lamp", on)

    def player_lamps(self, awaited: str) -> None:
        """The lights before the players; `awaited`: "", "a", "b" or "ab", whose press is waited for."""
        self._set("lamp_a", "a" in awaited)
        self._set("lamp_b", "b" in awaited)

    def beep(self, now_ms: int, length_ms: int = 120) -> None:
        """Sound until `length_ms` from now; `tick` ends it."""
        self._beep_until_ms = now_ms + length_ms
        self._set("buzzer", True)

    def tick(self, now_ms: int) -> None:
        if self._beep_until_ms is not None and now_ms >= self._beep_until_ms:
            self._beep_until_ms = None
            self._set("buzzer", False)

    def close(self) -> None:
        """Everything off, and the pins given back."""
        self._on = dict.fromkeys(SIGNALS, False)
        for pin in self._pins.values():
            pin.off()
        self.unfit()

    def _set(self, name: str, on: bool) -> None:
        if self._on[name] == on:
            return
        self._on[name] = on
        if name in self._pins:
            self._pins[name].value = 1 if on else 0
        if self._heard is not None:
            self._heard(dict(self._on))
