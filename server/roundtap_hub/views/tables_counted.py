"""What the tables counted of a round while the hub was away: what the console offers after a power cut."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from statistics import median_low

from roundtap_core.clock import COUNTING, Clock, Instant
from roundtap_core.event.course import match_clock
from roundtap_core.event.state import EventState
from roundtap_hub.journal.snapshot import Snapshot
from roundtap_hub.presence import UnitStatus


@dataclass(frozen=True, slots=True)
class TablesCounted:
    """`left_ms`: of the event's clock at the moment that was asked for, as the table in the middle has it; `spread_ms`:
    between the table that has most and the one that has least."""

    left_ms: int
    tables: int
    spread_ms: int

    def running(self, total_ms: int | None, now: Instant) -> Clock:
        """The clock that they show together."""
        return Clock("running", self.left_ms, total_ms, now)


def tables_counted(snapshot: Snapshot, units: Mapping[str, UnitStatus], state: EventState,
                   now_ms: int) -> TablesCounted | None:
    """None where the clock does not wait for it, or no table has counted anything.

    A table that knew nothing shows what the hub holds, and says just that: it counts for nothing here.
    """
    live, clock = state.live, state.clock
    if live is None or clock.state != COUNTING or clock.remaining_ms is None:
        return None
    left = []
    for unit, status in units.items():
        if status.clock_ms is None or status.match is None or status.clock_heard_ms is None:
            continue
        found = state.find_match(status.match)
        if found is None or found[0] is not live or found[1].match.table != snapshot.venue.tables.get(unit):
            continue
        # A match with an extension, and the one for third place, have a clock of their own.
        own_ms = match_clock(state, live, found[1]).remaining_ms
        if own_ms is None or status.clock_ms == own_ms:
            continue
        left.append(status.clock_ms - (now_ms - status.clock_heard_ms) - (own_ms - clock.remaining_ms))
    if not left:
        return None
    return TablesCounted(median_low(left), len(left), max(left) - min(left))
