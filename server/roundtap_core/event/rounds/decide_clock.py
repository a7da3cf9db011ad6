"""Deciding on the clock of the round in play: start, pause, set, adjust."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from roundtap_core.clock import COUNTING, IDLE, PAUSED, RUNNING, Clock, Instant
from roundtap_core.errors import Problem
from roundtap_core.event.entries import NewEntry
from roundtap_core.event.rounds import commands as c
from roundtap_core.event.state import EventState, MatchState, RoundState

RESET = "reset"


def set_clock(state: EventState, command: c.SetClock, now: Instant) -> list[NewEntry]:
    clock = state.clock
    if state.live is None or clock.total_ms is None:
        raise Problem("no_round_to_time")
    if command.action == RESET:
        _refuse_after_word(state.live)
    changed = _CLOCK_ACTIONS[command.action](clock, command.delta_ms, now)
    return [NewEntry("clock-set", {
        "state": changed.state, "remaining_ms": changed.remaining_ms, "total_ms": changed.total_ms,
    })]


def may_reset(state: EventState) -> bool:
    """Whether the round can still go back to "not started": it was started, and no table has said anything yet."""
    live = state.live
    return live is not None and state.clock.total_ms is not None and state.clock.state != IDLE and not _words(live)


def _words(live: RoundState) -> list[MatchState]:
    return [m for m in live.matches if m.match.bye is None and (m.match.result is not None or m.reports)]


def _refuse_after_word(live: RoundState) -> None:
    if _words(live):
        raise Problem("round_has_begun", tables=", ".join(str(m.match.table) for m in _words(live)))


def _reset_clock(clock: Clock, delta_ms: int, now: Instant) -> Clock:
    """As the round was published: whatever was started, paused or adjusted since was too early."""
    if clock.state == IDLE:
        raise Problem("clock_stands")
    return Clock(IDLE, clock.total_ms, clock.total_ms, now)


def _start_clock(clock: Clock, delta_ms: int, now: Instant) -> Clock:
    if clock.state == RUNNING:
        raise Problem("clock_runs")
    return clock.started(now)


def _pause_clock(clock: Clock, delta_ms: int, now: Instant) -> Clock:
    if clock.state != RUNNING:
        raise Problem("clock_stands")
    return clock.paused(now)


def _adjust_clock(clock: Clock, delta_ms: int, now: Instant) -> Clock:
    remaining_ms = clock.remaining_at(now)
    assert remaining_ms is not None
    return clock.set_to(remaining_ms + delta_ms, now)


def _go_on(state: str) -> Callable[[Clock, int, Instant], Clock]:
    """The clock was counting at the tables alone: from now on it runs here, or stands, at what somebody chose."""

    def gone_on(clock: Clock, remaining_ms: int, now: Instant) -> Clock:
        if clock.state != COUNTING:
            raise Problem("clock_not_counting")
        return Clock(state, remaining_ms, clock.total_ms, now)

    return gone_on


_CLOCK_ACTIONS: Mapping[str, Callable[[Clock, int, Instant], Clock]] = {
    "start": _start_clock,
    "pause": _pause_clock,
    "adjust": _adjust_clock,
    # "restore" is how the hub itself holds a clock that another boot was running (clock.after_restart).
    "restore": lambda clock, remaining_ms, now: Clock(COUNTING, remaining_ms, clock.total_ms, now),
    "continue": _go_on(RUNNING),
    "hold": _go_on(PAUSED),
    RESET: _reset_clock,
    "set": lambda clock, remaining_ms, now: clock.set_to(remaining_ms, now),
}
