"""The pin factory that gpiozero uses: the Pi's own GPIO, found by its chip's label, or a mock one.

It alone uses what gpiozero does not document; tests/kit/test_private_names.py says what to check for another version.
"""

import glob
import os
import time
from collections.abc import Callable
from typing import Any

# The gpiochip of a Pi's header has another number on each model and kernel; its label stays.
LABELS = ("pinctrl-rp1", "pinctrl-bcm2711", "pinctrl-bcm2835")
MOCK_ZERO_2_W = "902120"


def mock_factory(ticks_s: Callable[[], float] = time.monotonic) -> Any:
    """A new factory of mock pins: many virtual units share a process without affecting each other. ticks_s: the clock
    in seconds that stamps their edges, as the kernel does on a Pi."""
    from gpiozero.pins.mock import MockFactory, MockPWMPin
    from gpiozero.pins.pi import PiPin

    class StampedPin(MockPWMPin):  # type: ignore[misc]
        """gpiozero's own stamps, on a clock that cannot be set."""

        def _call_when_changed(self) -> None:
            PiPin._call_when_changed(self, ticks_s(), self._state)

    class StampedFactory(MockFactory):  # type: ignore[misc]
        @staticmethod
        def ticks() -> float:
            return ticks_s()

        @staticmethod
        def ticks_diff(later: float, earlier: float) -> float:
            return later - earlier

    return StampedFactory(revision=MOCK_ZERO_2_W, pin_class=StampedPin)


def real_factory(runtime_dir: str) -> Any:
    """The Pi's GPIO through lgpio, or through what GPIOZERO_PIN_FACTORY names, as for any program with gpiozero
    (https://gpiozero.readthedocs.io/en/stable/api_pins.html#changing-the-pin-factory). `runtime_dir` takes lgpio's
    notification files, which would litter the working folder. Never fork after this call. ImportError where
    python3-lgpio is missing or the named factory is unknown, OSError without a matching chip."""
    # Of lgpio, gpiozero itself takes the wrong chip on some kernels.
    if os.environ.get("GPIOZERO_PIN_FACTORY", "").lower() not in ("", "lgpio"):
        from gpiozero import Device

        Device.ensure_pin_factory()
        return Device.pin_factory
    os.environ["LG_WD"] = runtime_dir  # read when lgpio is first imported
    import lgpio
    from gpiozero.pins.lgpio import LGPIOFactory, LGPIOPin

    class SteadyPin(LGPIOPin):  # type: ignore[misc]
        """An output from its first level on: gpiozero's own is low for a moment, at which a buzzer may click."""

        def output_with_state(self, state: bool) -> None:
            lgpio.gpio_claim_output(self.factory._handle, self._number, int(state))

    factory = LGPIOFactory(chip=find_chip(lgpio, chip_numbers()))
    factory.pin_class = SteadyPin
    return factory


def chip_numbers() -> list[int]:
    numbers = (path.removeprefix("/dev/gpiochip") for path in glob.glob("/dev/gpiochip*"))
    return sorted(int(number) for number in numbers if number.isdecimal())


def find_chip(lgpio: Any, numbers: list[int]) -> int:
    """The number of the first gpiochip with one of LABELS; OSError names what was found instead."""
    chips = []
    for number in numbers:
        try:
            handle = lgpio.gpiochip_open(number)
        except lgpio.error as error:
            chips.append(f"gpiochip{number}: {error}")
            continue
        try:
            _, _, _, label = lgpio.gpio_get_chip_info(handle)
        finally:
            lgpio.gpiochip_close(handle)
        if label in LABELS:
            return number
        chips.append(f"gpiochip{number}: {label}")
    raise OSError(f"no gpiochip labelled {' or '.join(LABELS)}; found {'; '.join(chips) or 'none'}")
