"""The real display, through luma.oled on I2C or SPI; its errors become OSError, so that `screen` needs no luma."""

from __future__ import annotations

import contextlib
from typing import Any

from roundtap_devices.boards import ScreenWiring
from roundtap_devices.display.screen import Screen

NOP = 0xE3  # understood by SSD1306, SSD1309 and SH1106


def oled_screen(wiring: ScreenWiring, pin_factory: Any = None) -> Screen:
    """The screen of a board. `pin_factory` is needed for displays on SPI (their data and reset lines are pins)."""
    return Screen(lambda: Oled(wiring, pin_factory))


class Oled:
    """One opened display. Raises OSError when it is not there, at the start or later."""

    def __init__(self, wiring: ScreenWiring, pin_factory: Any = None) -> None:
        import luma.core.error
        import luma.oled.device

        self._lost = (luma.core.error.Error, OSError)
        self._serial: Any = None
        try:
            self._serial = _serial(wiring, pin_factory)
            # Each luma device adds an exit hook for good: ask the bus before making one, hour after hour.
            self._serial.command(NOP)
            self._device = getattr(luma.oled.device, wiring.driver)(self._serial, rotate=wiring.rotation // 90)
        except self._lost as error:
            self.close()
            raise OSError(str(error)) from error

    def display(self, image: Any) -> None:
        try:
            self._device.display(image)
        except self._lost as error:
            raise OSError(str(error)) from error

    def close(self) -> None:
        if self._serial is not None:
            with contextlib.suppress(*self._lost):
                self._serial.cleanup()


def _serial(wiring: ScreenWiring, pin_factory: Any) -> Any:
    from luma.core.interface.serial import i2c, spi

    if wiring.bus == "i2c":
        return i2c(port=wiring.i2c_port, address=wiring.i2c_address)
    lines = _Lines(pin_factory)
    made = spi(gpio=lines, port=wiring.spi_port, device=wiring.spi_device, gpio_DC=wiring.dc, gpio_RST=wiring.reset)
    made.cleanup = _also(made.cleanup, lines.close)
    return made


def _also(first: Any, second: Any) -> Any:
    def both() -> None:
        try:
            first()
        finally:
            second()
    return both


class _Lines:
    """The few calls luma makes to RPi.GPIO, on gpiozero's pins: RPi.GPIO does not work on a Pi 5."""

    OUT, LOW, HIGH = "out", 0, 1

    def __init__(self, pin_factory: Any) -> None:
        self._factory = pin_factory
        self._lines: dict[int, Any] = {}

    def setup(self, pin: int, _mode: str) -> None:
        from gpiozero import OutputDevice

        self._lines[pin] = OutputDevice(pin, pin_factory=self._factory)

    def output(self, pin: int, level: int) -> None:
        self._lines[pin].value = 1 if level else 0

    def close(self) -> None:
        for line in self._lines.values():
            line.close()
        self._lines.clear()
