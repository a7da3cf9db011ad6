"""The round clock: remaining time against the monotonic clock of one boot. Pure: it never reads a clock itself."""

from __future__ import annotations

from msgspec import Struct
from msgspec.structs import replace

IDLE, RUNNING, PAUSED = "idle", "running", "paused"
COUNTING = "counting"
"""The hub restarted during a round: it holds the last known time, tables keep counting, and an official decides."""


class Instant(Struct, frozen=True):
    """A moment on one machine: its boot and the monotonic milliseconds since."""

    boot_id: str
    mono_ms: int


class Clock(Struct, frozen=True):
    """`remaining_ms` held at `anchor`; while RUNNING it falls with the monotonic clock of that boot. Below zero is
    overtime: the players finish the current game round and count. None: an untimed round."""

    state: str = IDLE
    remaining_ms: int | None = None
    total_ms: int | None = None
    anchor: Instant = Instant("", 0)

    def remaining_at(self, now: Instant) -> int | None:
        """Milliseconds left at `now`; for another boot, the held value (see `clock_after_restart`)."""
        if self.remaining_ms is None or self.state != RUNNING or now.boot_id != self.anchor.boot_id:
            return self.remaining_ms
        return self.remaining_ms - (now.mono_ms - self.anchor.mono_ms)

    def started(self, now: Instant) -> Clock:
        return replace(self, state=RUNNING, remaining_ms=self.remaining_at(now), anchor=now)

    def paused(self, now: Instant) -> Clock:
        return replace(self, state=PAUSED, remaining_ms=self.remaining_at(now), anchor=now)

    def set_to(self, remaining_ms: int, now: Instant) -> Clock:
        return replace(self, remaining_ms=remaining_ms, anchor=now)


def clock_after_restart(clock: Clock, now: Instant, checkpoint_ms: int | None) -> Clock:
    """The clock after a restart of the hub. Within the same boot a running round continues. After a reboot the length
    of the outage is unknown: COUNTING from the last checkpoint, until an official decides."""
    if clock.state != RUNNING or clock.anchor.boot_id == now.boot_id:
        return clock
    held = clock.remaining_ms if checkpoint_ms is None else checkpoint_ms
    return Clock(COUNTING, held, clock.total_ms, now)


def format_clock(remaining_ms: int | None) -> str:
    """Minutes and seconds: "75:00", "0:59"; overtime counts up with a plus sign: "+1:05"."""
    if remaining_ms is None:
        return "–"
    # A countdown shows the second in progress; overtime shows whole seconds elapsed.
    seconds = -(-remaining_ms // 1000) if remaining_ms > 0 else -remaining_ms // 1000
    sign = "+" if remaining_ms <= 0 and seconds else ""
    return f"{sign}{seconds // 60}:{seconds % 60:02d}"
