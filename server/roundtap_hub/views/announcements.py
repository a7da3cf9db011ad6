"""Announcements as pages show them: the current ones, and their countdowns."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from roundtap_core.clock import Instant
from roundtap_hub.store.display_plan import COUNTED, Announcement
from roundtap_hub.views.round_clock import time_of_day


@dataclass(frozen=True, slots=True)
class AnnouncementLine:
    """`until_ms`: when it ends, on the hub's monotonic clock; None: when it is taken back, or unknown. `left_ms` until
    then; `counted`: shown with a countdown; `until`: the time of day, "" where unknown."""

    said: Announcement
    until_ms: int | None
    left_ms: int | None
    counted: bool
    until: str


def announcement_lines(
    announcements: Iterable[Announcement], now: Instant, wall: str | None
) -> tuple[AnnouncementLine, ...]:
    """The announcements that are not over, oldest first."""
    lines = []
    for each in announcements:
        left_ms = each.left_ms(now, elapsed_ms(each.at.wall, wall))
        if left_ms is not None and left_ms <= 0:
            continue
        until_ms = None if left_ms is None else now.mono_ms + left_ms
        lines.append(
            AnnouncementLine(
                each,
                until_ms,
                left_ms,
                each.kind in COUNTED and left_ms is not None,
                time_of_day(wall, left_ms) if left_ms is not None else "",
            )
        )
    return tuple(lines)


def elapsed_ms(then: str | None, now: str | None) -> int | None:
    """Milliseconds between two times of day; None where one is not known, or time went backwards."""
    if then is None or now is None:
        return None
    gone = datetime.fromisoformat(now) - datetime.fromisoformat(then)
    milliseconds = int(gone.total_seconds() * 1000)
    return milliseconds if milliseconds >= 0 else None
