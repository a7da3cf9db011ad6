"""The clock as everybody may know it: it travels with its phases; minutes that chance adds stay here until they ran."""

from __future__ import annotations

from typing import Any

from msgspec.structs import replace

from roundtap_core.clock import RUNNING, Clock, Instant
from roundtap_core.elimination.shape import THIRD
from roundtap_core.event.event_flow import match_clock
from roundtap_core.event.state import EventState
from roundtap_core.rounds.phases import MINUTE_MS, extra_ms, next_boundary_ms, phase_now

View = dict[str, Any]


def clock_view(clock: Clock) -> View:
    """The clock as it travels: a running one as a deadline on the hub's monotonic clock, so that it needs no resend."""
    deadline_ms = None
    if clock.state == RUNNING and clock.remaining_ms is not None:
        deadline_ms = clock.anchor.mono_ms + clock.remaining_ms
    return {"state": clock.state, "deadline_ms": deadline_ms, "remaining_ms": clock.remaining_ms,
            "total_ms": clock.total_ms}


def public_clock(state: EventState, clock: Clock, now: Instant | None) -> View:
    """`clock_view` with "phases" ([{"key", "from_ms"}], elapsed milliseconds), "open_end" (hidden minutes may follow)
    and "over" (where they may: all of them have run, so that the deadline tells the real end from then on).

    `clock` is the event's, or one match's own. Without `now` nothing is known to be over.
    """
    book, live = state.rulebook, state.live
    timed = live is not None and clock.total_ms is not None
    open_end = timed and book.extra_minutes is not None
    over = False
    if open_end and live is not None and now is not None:
        over = phase_now(clock, book.phases, live.extra_minutes, now).over
        if over and clock.remaining_ms is not None:
            clock = replace(clock, remaining_ms=clock.remaining_ms + extra_ms(live.extra_minutes))
    total_ms = clock.total_ms or 0
    phases = [{"key": phase.key, "from_ms": max(0, total_ms - phase.before_end * MINUTE_MS)}
              for phase in book.phases] if timed else []
    return {**clock_view(clock), "phases": phases, "open_end": open_end, "over": over}


def next_change_ms(state: EventState, now: Instant) -> int | None:
    """Milliseconds until the event's round enters its next phase or ends; None where nothing changes by itself."""
    live = state.live
    if live is None:
        return None
    # The match for third place, and one with an extension, have a clock of their own.
    clocks = {state.clock, *(match_clock(state, live, match) for match in live.matches
                             if match.match.game == THIRD or match.match.extension_minutes)}
    waits = (next_boundary_ms(clock, state.rulebook.phases, live.extra_minutes, now) for clock in clocks)
    return min((wait_ms for wait_ms in waits if wait_ms is not None), default=None)
