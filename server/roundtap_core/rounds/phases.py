"""The phases of a round: what the clock says now, what minutes that chance has added change, and when it is over."""

from collections.abc import Iterator, Sequence

from msgspec import Struct

from roundtap_core.clock import RUNNING, Clock, Instant
from roundtap_core.rulebooks.base import Phase

MINUTE_MS = 60_000
LAST_MS = 5 * MINUTE_MS  # so long before the end a round without phases of its own is in its last minutes

RUNNING_KEY = "phase.running"
LAST_KEY, LAST_MINUTES_KEY, OVER_KEY = "phase.last", "phase.last_minutes", "phase.over"


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
    for phase in phases:
        yield phase, min(clock.total_ms or 0, phase.before_end * MINUTE_MS)
