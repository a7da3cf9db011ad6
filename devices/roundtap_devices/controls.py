"""A board's buttons, lights and buzzer as one object that keeps working, and keeps retrying, while pins are missing."""

import contextlib
import importlib
import queue
from collections.abc import Callable, Mapping
from typing import Any

from roundtap_devices.boards import Board
from roundtap_devices.display.signals import Signals
from roundtap_devices.hardware_errors import HardwareMissing, as_hardware_missing
from roundtap_devices.input.gestures import Buttons

RETRY_MS = 3000


class Controls:
    """The buttons, lights and buzzer of a board; deaf, never dead, while its pins are missing.

    >>> from roundtap_devices.boards import load_board
    >>> from roundtap_devices.input.pin_factory import mock_factory
    >>> open_pins, mono_ms = mock_factory, lambda: 1000  # on a Pi: lambda: real_factory("/tmp")
    >>> controls = Controls(load_board("recommended"), open_pins, queue.SimpleQueue(), mono_ms)
    >>> controls.signals.lamp(True)
    >>> controls.held()
    {'a': False, 'b': False, 'up': False, 'down': False}
    >>> controls.close()

    open_pins: makes a pin factory, one of those in `input.pin_factory`; may raise ImportError or OSError.
    edges, mono_ms: as for `Buttons`; heard: as for `Signals`.

    Call `tick` in every step of the loop: it ends beeps, and looks for missing pins every few seconds.
    """

    def __init__(
        self,
        board: Board,
        open_pins: Callable[[], Any],
        edges: queue.SimpleQueue[Any],
        mono_ms: Callable[[], int],
        heard: Callable[[Mapping[str, bool]], None] | None = None,
    ) -> None:
        self.signals = Signals(board, heard=heard)
        self._board, self._open, self._edges, self._mono_ms = board, open_pins, edges, mono_ms
        self._factory: Any = None
        self._buttons: Buttons | None = None
        self._missing: HardwareMissing | None = None
        self._retry_at_ms = 0
        self._try_open(mono_ms())

    @property
    def input_fault(self) -> str:
        """Why no press arrives: a kind of `HardwareMissing`; "" while all is well."""
        return self._missing.kind if self._missing else ""

    @property
    def reason(self) -> str:
        return str(self._missing) if self._missing else ""

    def pins(self) -> Any:
        """The pin factory, for other devices that need pins. Raises HardwareMissing."""
        if self._factory is None:
            raise self._missing or HardwareMissing("chip")
        return self._factory

    def held(self) -> dict[str, bool]:
        """Which keys are down by their pins; {} while deaf."""
        if self._buttons is None:
            return {}
        try:
            return self._buttons.held()
        except Exception as error:
            # lgpio has its own error classes: the chip is gone.
            self._mark_missing(as_hardware_missing(error, "chip"), self._mono_ms())
            return {}

    def tick(self, now_ms: int) -> None:
        if self._missing is not None and now_ms >= self._retry_at_ms:
            self._try_open(now_ms)
        self.signals.tick(now_ms)

    def close(self) -> None:
        """Turn everything off and release the pins. May raise what lgpio raises while a button is being pressed."""
        buttons, self._buttons = self._buttons, None
        try:
            self.signals.close()
        finally:
            if buttons is not None:
                buttons.close()

    def _try_open(self, now_ms: int) -> None:
        try:
            if self._factory is None:
                # Otherwise a package installed meanwhile is not found.
                importlib.invalidate_caches()
                self._factory = self._open()
        except (ImportError, OSError) as error:
            self._mark_missing(as_hardware_missing(error, "chip"), now_ms)
            return
        if self._buttons is not None:
            self._buttons.close()
            self._buttons = None
        try:
            buttons = Buttons(self._board, self._factory, self._edges, self._mono_ms)
        except Exception as error:
            self._mark_missing(as_hardware_missing(error, "pins"), now_ms)
            return
        self._buttons, self._missing = buttons, None
        try:
            self.signals.attach_pins(self._factory)
        except Exception as error:
            # Presses still arrive.
            self._missing, self._retry_at_ms = as_hardware_missing(error, "pins"), now_ms + RETRY_MS

    def _mark_missing(self, why: HardwareMissing, now_ms: int) -> None:
        buttons, self._buttons = self._buttons, None
        with contextlib.suppress(Exception):
            if buttons is not None:
                buttons.close()
            self.signals.detach_pins()
        factory, self._factory = self._factory, None
        with contextlib.suppress(Exception):
            if factory is not None:
                factory.close()
        self._missing, self._retry_at_ms = why, now_ms + RETRY_MS
