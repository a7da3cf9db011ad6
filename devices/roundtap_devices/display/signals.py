"""Lights and buzzer of a board: what a unit has left when its screen is dark. The caller passes the time."""

from collections.abc import Callable, Mapping
from typing import Any

from roundtap_devices.boards import SIGNALS, Board


class Signals:
    """Lamps and buzzer. Where one is not fitted, a call only reaches `heard`.

    >>> from roundtap_devices.boards import load_board
    >>> from roundtap_devices.input.pin_factory import mock_factory
    >>> pins = mock_factory()  # on a Pi: real_factory("/tmp")
    >>> signals = Signals(load_board("recommended"), pins, heard=lambda on: print([name for name in on if on[name]]))
    >>> signals.lamp(True)  # trouble
    ['lamp']
    >>> signals.player_lamps("a")  # a's press is awaited
    ['lamp', 'lamp_a']
    >>> signals.beep(1000)
    ['lamp', 'lamp_a', 'buzzer']
    >>> signals.tick(1120)  # in every step of the loop: ends the beep
    ['lamp', 'lamp_a']
    >>> signals.close()

    pin_factory: one of those in `input.pin_factory`; None: no pins yet, `attach_pins` supplies them later and restores
    the lights.
    heard: called at each change with {"lamp": …, "lamp_a": …, "lamp_b": …, "buzzer": …}; the virtual panel draws them.
    """

    def __init__(
        self, board: Board, pin_factory: Any = None, heard: Callable[[Mapping[str, bool]], None] | None = None
    ) -> None:
        self._board = board
        self._pins: dict[str, Any] = {}
        self._heard = heard
        self._on = dict.fromkeys(SIGNALS, False)
        self._beep_until_ms: int | None = None
        if pin_factory is not None:
            self.attach_pins(pin_factory)

    def attach_pins(self, pin_factory: Any) -> None:
        """Use this factory's pins from now on. Raises what gpiozero raises, and then has no pins."""
        from gpiozero import DigitalOutputDevice

        self.detach_pins()
        try:
            for name, pin in self._board.pins.signals().items():
                self._pins[name] = DigitalOutputDevice(
                    pin,
                    active_high=not self._board.low_is_on(name),
                    initial_value=self._on[name],
                    pin_factory=pin_factory,
                )
        except Exception:
            self.detach_pins()
            raise

    def detach_pins(self) -> None:
        """Release the pins; what should be on is remembered."""
        pins, self._pins = self._pins, {}
        for pin in pins.values():
            pin.close()

    def lamp(self, on: bool) -> None:
        self._set("lamp", on)

    def player_lamps(self, awaited: str) -> None:
        """The players' lights; `awaited`: "", "a", "b" or "ab", whose press is awaited."""
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
        """Turn everything off and release the pins."""
        self._on = dict.fromkeys(SIGNALS, False)
        for pin in self._pins.values():
            pin.off()
        self.detach_pins()

    def _set(self, name: str, on: bool) -> None:
        if self._on[name] == on:
            return
        self._on[name] = on
        if name in self._pins:
            self._pins[name].value = 1 if on else 0
        if self._heard is not None:
            self._heard(dict(self._on))
