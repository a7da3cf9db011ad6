"""The hub's clocks: this boot, its monotonic milliseconds, and the wall time where the machine knows it."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from roundtap_core.clock import Instant
from roundtap_core.event.entries import Timestamp


@dataclass(frozen=True, slots=True)
class Clocks:
    """The sources of time; tests pass in their own."""

    boot_id: str
    mono_ms: Callable[[], int]
    wall: Callable[[], str | None]

    def at(self) -> Timestamp:
        return Timestamp(self.boot_id, self.mono_ms(), self.wall())

    def now(self) -> Instant:
        return Instant(self.boot_id, self.mono_ms())


def left_ms(end: str, wall: str | None) -> int | None:
    """Milliseconds from one wall time to another; None where this machine does not know the time."""
    # Wall times are cut to seconds: half a second is what they lack on average.
    return (
        None
        if wall is None
        else round((datetime.fromisoformat(end) - datetime.fromisoformat(wall)).total_seconds() * 1000) - 500
    )


def system_clocks() -> Clocks:
    """The machine's clocks. All processes of one boot share the monotonic time."""
    boot_id = Path("/proc/sys/kernel/random/boot_id").read_text().strip()
    return Clocks(boot_id, lambda: time.monotonic_ns() // 1_000_000, _wall)


def _wall() -> str | None:
    """The wall time; None before a plausible date: a Pi without a clock of its own boots into the past."""
    now = datetime.now(UTC)
    return now.isoformat(timespec="seconds") if now.year >= 2026 else None
