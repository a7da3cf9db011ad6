"""How times stand on a page: ages, the width of the clock, and the one word under it."""

from __future__ import annotations

from roundtap_core.clock import PAUSED, RUNNING, Clock, show

LAST_MS = 5 * 60_000


def clock_width(clock: Clock) -> int:
    """How many characters the clock's text takes at its longest: shorter ones are padded, so that it never jumps."""
    return max(5, len(show(clock.total_ms)))


def age_text(age_ms: int) -> str:
    """Whole seconds gone, as minutes and seconds: "2:10"."""
    seconds = age_ms // 1000
    return f"{seconds // 60}:{seconds % 60:02d}"


def phase_of(clock: Clock, remaining_ms: int | None) -> str:
    """"idle", "running", "last" (under five minutes), "over" (overtime) or "paused"; the pages' script counts alike."""
    if clock.state == PAUSED:
        return "paused"
    if clock.state != RUNNING:
        return "idle"
    if remaining_ms is None or remaining_ms > LAST_MS:
        return "running"
    return "last" if remaining_ms > 0 else "over"
