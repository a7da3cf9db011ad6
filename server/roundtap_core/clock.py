"""The round clock: remaining time against the monotonic clock of one boot, and the phase that it is in: its word, the
minutes that chance has added, and whether it is over. Pure: it never reads a clock itself."""

from collections.abc import Iterator, Sequence

from msgspec import Struct
from msgspec.structs import replace

IDLE, RUNNING, PAUSED = "idle", "running", "paused"
COUNTING = "counting"
"""The hub restarted during a round: it holds the last known time, tables keep counting, and an official decides."""

MINUTE_MS = 60_000
LAST_MS = 5 * MINUTE_MS  # so long before the end a round without phases of its own is in its last minutes

RUNNING_KEY = "phase.running"
LAST_KEY, LAST_MINUTES_KEY, OVER_KEY = "phase.last", "phase.last_minutes", "phase.over"


class Phase(Struct, frozen=True):
    """A named part of the round ("phase.key"), beginning so many minutes before the announced end."""

    key: str
    before_end: int


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

    def started(self, now: Instant) -> "Clock":
        return replace(self, state=RUNNING, remaining_ms=self.remaining_at(now), anchor=now)

    def paused(self, now: Instant) -> "Clock":
        return replace(self, state=PAUSED, remaining_ms=self.remaining_at(now), anchor=now)

    def set_to(self, remaining_ms: int, now: Instant) -> "Clock":
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


class PhaseNow(Struct, frozen=True):
    """A round at one moment, as everybody may know it. `key`: the word, as a key of texts. `remaining_ms`: down to 0 at
    the length that was announced; it stays there while minutes run that chance has added (`last_minutes`), and falls
    below 0 once the round is `over`. None: untimed."""

    key: str
    remaining_ms: int | None
    last_minutes: bool
    over: bool


def phase_now(clock: Clock, phases: Sequence[Phase], extra_minutes: int | None, now: Instant) -> PhaseNow:
    """What the round's clock says at `now`. `extra_minutes`: what chance has added to this round; None counts as 0. A
    phase begins so many minutes before the announced end and lasts to the real one."""
    left_ms = clock.remaining_at(now)
    held = "" if clock.state == RUNNING else f"phase.{clock.state}"
    if left_ms is None:
        return PhaseNow(held or RUNNING_KEY, None, False, False)
    end_ms = left_ms + extra_ms(extra_minutes)
    over = end_ms <= 0
    last_minutes = left_ms <= 0 and not over
    shown_ms = end_ms if over else max(0, left_ms)
    return PhaseNow(held or _word(clock, phases, left_ms, last_minutes, over), shown_ms, last_minutes, over)


def extra_ms(extra_minutes: int | None) -> int:
    """Minutes that chance has added, in milliseconds; not rolled yet: none."""
    return (extra_minutes or 0) * MINUTE_MS


def next_boundary_ms(clock: Clock, phases: Sequence[Phase], extra_minutes: int | None, now: Instant) -> int | None:
    """Milliseconds until the round enters its next phase or ends; None where nothing changes by itself."""
    left_ms = clock.remaining_at(now)
    if clock.state != RUNNING or left_ms is None or clock.anchor.boot_id != now.boot_id:
        return None
    waits = [left_ms, left_ms + extra_ms(extra_minutes)]
    waits += [left_ms - start_ms for _, start_ms in _starts(clock, phases)]
    return min((wait_ms for wait_ms in waits if wait_ms > 0), default=None)


def _word(clock: Clock, phases: Sequence[Phase], left_ms: int, last_minutes: bool, over: bool) -> str:
    if over:
        return OVER_KEY
    if last_minutes:
        return LAST_MINUTES_KEY
    begun = [phase.key for phase, start_ms in _starts(clock, phases) if left_ms <= start_ms]
    if begun:
        return begun[-1]
    return LAST_KEY if left_ms <= LAST_MS else RUNNING_KEY


def _starts(clock: Clock, phases: Sequence[Phase]) -> Iterator[tuple[Phase, int]]:
    """Each phase with the milliseconds that are left when it begins; the earliest first. In a round that is no longer
    than the phase itself it runs from the start."""
    yield from ((phase, min(clock.total_ms or 0, phase.before_end * MINUTE_MS)) for phase in phases)
