"""The header's pins as gpio-sim shows them, and fingers on them."""

import os
import subprocess
import time
from pathlib import Path

from roundtap_devices.boards import RECOMMENDED
from roundtap_devices.input.gestures import DEBOUNCE_MS

ZERO_2_W = "902120"
BOUNCES = 3
LONGEST_BOUNCE_MS = DEBOUNCE_MS - 5
"""Less than what makes it a press of its own: stamps are whole milliseconds, and compared with another clock."""


class TooSlow(Exception):
    """This machine was held up while it played the button; the evening proves nothing and is begun again."""


class Lines:
    """The header's pins as gpio-sim shows them: what a finger does to a button, and what the unit does to a lamp."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        # Opened once: what follows must be as quick as a contact.
        self._pulls = {
            pin: os.open(folder / f"sim_gpio{pin}/pull", os.O_WRONLY) for pin in RECOMMENDED.pins.keys().values()
        }
        self.edges = 0
        """So many has the kernel seen."""

    def high(self, pin: int) -> bool:
        return (self._folder / f"sim_gpio{pin}/value").read_text().strip() == "1"

    def press(self, pin: int, bounces: int = BOUNCES) -> float:
        """Pull a pin to ground as a cheap button does, bouncing; seconds when it first touched. Raises TooSlow."""
        touched = time.monotonic()
        self._pull(pin, up=False)
        longest_ms = 0.0
        for _ in range(bounces):
            off = time.monotonic()
            self._pull(pin, up=True)
            self._pull(pin, up=False)
            longest_ms = max(longest_ms, 1000 * (time.monotonic() - off))
        if longest_ms >= LONGEST_BOUNCE_MS:
            self.release(pin)
            raise TooSlow(f"a bounce of {longest_ms:.0f} ms is no bounce but a press of its own")
        return touched

    def release(self, pin: int) -> float:
        """Let go; seconds when it was let go."""
        let_go = time.monotonic()
        self._pull(pin, up=True)
        return let_go

    def _pull(self, pin: int, up: bool) -> None:
        self.edges += 1
        os.pwrite(self._pulls[pin], b"pull-up" if up else b"pull-down", 0)


def pretend_a_pi(folder: Path) -> None:
    """gpiozero wants a Pi's revision, and this kernel has none: a /proc/cpuinfo that names a Zero 2 W."""
    if "Revision" in Path("/proc/cpuinfo").read_text():
        return
    (folder / "cpuinfo").write_text(f"Hardware\t: BCM2835\nRevision\t: {ZERO_2_W}\n")
    subprocess.run(["mount", "--bind", str(folder / "cpuinfo"), "/proc/cpuinfo"], check=True)
