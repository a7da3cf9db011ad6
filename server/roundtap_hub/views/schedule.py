"""The schedule: when each round really began and ended, and a forecast for the rest."""

from dataclasses import dataclass
from statistics import median

from roundtap_core.clock import RUNNING, Instant
from roundtap_core.elimination import bracket
from roundtap_core.errors import Problem
from roundtap_core.event import event_flow
from roundtap_core.event.entries import Timestamp
from roundtap_core.event.states import EventState, RoundState
from roundtap_core.records import SWISS
from roundtap_hub.store.event_times import EventTimes
from roundtap_hub.views.knockout import title_key
from roundtap_hub.views.round_clock import elapsed_ms, time_of_day

MINUTE_MS = 60_000
CHANGEOVER_MS = 10 * MINUTE_MS  # from the last result to the next start, until the event has shown how long that takes
ABOUT_MS = 5 * MINUTE_MS  # a forecast is shown no more exactly than this


@dataclass(frozen=True, slots=True)
class RoundTime:
    """One round: times of day ("": unknown) and minutes (None: unknown). `name`: a key, where it has one. `taken`: from
    the start to the last result; `extended`: the longest extension of a match."""

    number: int
    name: str | None
    start: str
    end: str
    taken: int | None
    planned: int | None
    extended: int
    done: bool


@dataclass(frozen=True, slots=True)
class Schedule:
    """`left`: rounds still to come; `round_end`, `end` (a forecast): times of day, "" where unknown or over.
    `changeover`: minutes between rounds, `measured` or assumed."""

    rounds: tuple[RoundTime, ...]
    left: int
    round_end: str
    end: str
    changeover: int
    measured: bool


class _EntryTimes:
    """Times of entries on the hub's monotonic clock: of this boot directly, of others by the time of day."""

    def __init__(self, now: Instant, wall: str | None) -> None:
        self.now, self.wall = now, wall

    def ms(self, at: Timestamp | None) -> int | None:
        if at is None:
            return None
        if at.boot_id == self.now.boot_id:
            return at.mono_ms
        gone = elapsed_ms(at.wall, self.wall)
        return None if gone is None else self.now.mono_ms - gone

    def between(self, first: Timestamp | None, second: Timestamp | None) -> int | None:
        """Milliseconds between two entries; None where unknown."""
        if first is None or second is None:
            return None
        if first.boot_id == second.boot_id:
            return second.mono_ms - first.mono_ms
        return elapsed_ms(first.wall, second.wall)

    def day(self, ms: int | None) -> str:
        return "" if ms is None else time_of_day(self.wall, ms - self.now.mono_ms)

    def time_of(self, at: Timestamp | None) -> str:
        """The time of day of an entry: of this boot by its age, as the clock may have been set since; else as noted."""
        if at is None:
            return ""
        if self.wall is not None and at.boot_id == self.now.boot_id:
            return self.day(at.mono_ms)
        return time_of_day(at.wall) or self.day(self.ms(at))


def schedule(state: EventState, times: EventTimes, now: Instant, wall: str | None) -> Schedule:
    """The event's rounds as they went, and a forecast of the rest. `wall`: the hub's time of day, where known."""
    entry_times = _EntryTimes(now, wall)
    starts = [_start(times, played) for played in state.public_rounds]
    ends = [_end(times, played) for played in state.public_rounds]
    rounds = tuple(
        _round_time(state, entry_times, played, start, end)
        for played, start, end in zip(state.public_rounds, starts, ends, strict=True)
    )
    gaps = [
        gap
        for end, start in zip(ends, starts[1:], strict=False)
        if (gap := entry_times.between(end, start)) is not None and gap >= 0
    ]
    changeover_ms = int(median(gaps)) if gaps else CHANGEOVER_MS
    left = [] if state.finished else _stages_left(state)
    round_end_ms = _end_of_play(state, now)
    last_ms = entry_times.ms(ends[-1]) if ends else None
    end_ms = None if state.finished else _forecast(state, rounds, left, round_end_ms, last_ms, changeover_ms, now)
    return Schedule(
        rounds,
        len(left),
        entry_times.day(round_end_ms),
        entry_times.day(None if end_ms is None else now.mono_ms + _round_up(end_ms - now.mono_ms, wall)),
        round(changeover_ms / MINUTE_MS),
        bool(gaps),
    )


def _start(times: EventTimes, played: RoundState) -> Timestamp | None:
    """The start of play: of the clock, or without one the publishing."""
    number = times.started.get(played.number, times.published.get(played.number))
    return None if number is None else times.at.get(number)


def _end(times: EventTimes, played: RoundState) -> Timestamp | None:
    """The last result; corrections after the round was closed do not count."""
    if played.open_matches:
        return None
    closed = times.closed.get(played.number)
    numbers = [
        match.number
        for match in played.matches
        if match.number is not None and match.match.b and (closed is None or match.number <= closed)
    ]
    return times.at.get(max(numbers)) if numbers else None


def _round_time(
    state: EventState, entry_times: _EntryTimes, played: RoundState, start: Timestamp | None, end: Timestamp | None
) -> RoundTime:
    taken_ms = entry_times.between(start, end)
    stage = event_flow.stage_of_round(state, played.number, played.stage, [match.match for match in played.matches])
    extended = max((match.match.extension_minutes or 0 for match in played.matches), default=0)
    return RoundTime(
        played.number,
        title_key(state, played),
        entry_times.time_of(start),
        entry_times.time_of(end),
        None if taken_ms is None or taken_ms < 0 else round(taken_ms / MINUTE_MS),
        state.rulebook.minutes(stage, state.options),
        extended,
        not played.open_matches,
    )


def _end_of_play(state: EventState, now: Instant) -> int | None:
    """When time is called at the round's last table, extensions included, on the hub's monotonic clock."""
    live = state.live
    if live is None or state.clock.state != RUNNING:
        return None
    clocks = [event_flow.match_clock(state, live, match) for match in live.open_matches]
    left = [left_ms for clock in clocks if (left_ms := clock.remaining_at(now)) is not None]
    return now.mono_ms + max(left) if left and max(left) > 0 else None


def _stages_left(state: EventState) -> list[str]:
    """The stage in `options.stages` of each round to come; none where the structure is not known."""
    try:
        left = max(0, event_flow.total_planned_rounds(state) - len(state.public_rounds))
        if event_flow.elimination_rounds(state) or not state.swiss_rounds:
            return _knockout_stages(left)
        if not event_flow.second_stage_is_swiss(state):
            return [SWISS] * left + _knockout_stages(bracket.round_count(state.cut_size) if state.cut_size >= 2 else 0)
        if state.cut is None and state.cut_size >= 2:
            left += state.rulebook.second_stage_rounds(state.cut_size)
        return [SWISS] * left
    except Problem:
        return []


def _knockout_stages(left: int) -> list[str]:
    return [bracket.game_stage(2**n, None) for n in reversed(range(left))]


def _forecast(
    state: EventState,
    rounds: tuple[RoundTime, ...],
    left: list[str],
    round_end_ms: int | None,
    last_ms: int | None,
    changeover_ms: int,
    now: Instant,
) -> int | None:
    """The event's end on the hub's monotonic clock; None before it begins, and where a round's length is unknown."""
    if not rounds:
        return None
    # By how much rounds so far took longer, or less long, than planned.
    taken = [(each.taken, each.planned) for each in rounds if each.done and each.taken is not None]
    drift = (
        int(median(took - planned for took, planned in taken if planned is not None))
        if any(planned is not None for _, planned in taken)
        else 0
    )
    usual = int(median(took for took, _ in taken)) if taken else None
    at_ms, live = now.mono_ms, state.live
    if live is not None and live.open_matches:
        left_ms = state.clock.remaining_at(now)
        if round_end_ms is not None:
            at_ms = max(at_ms, round_end_ms + drift * MINUTE_MS)
        elif left_ms is not None:
            at_ms += max(0, left_ms)
        elif usual is None:
            return None
    elif left:
        at_ms = max(at_ms, (last_ms if last_ms is not None else at_ms) + changeover_ms) - changeover_ms
    else:
        return None
    for stage in left:
        planned = state.rulebook.minutes(stage, state.options)
        minutes = max(planned // 2, planned + drift) if planned is not None else usual
        if minutes is None:
            return None
        at_ms += changeover_ms + minutes * MINUTE_MS
    # Never before time is called in the current round, which is shown beside it.
    return max(at_ms, round_end_ms or 0, now.mono_ms + (state.clock.remaining_at(now) or 0))


def _round_up(left_ms: int, wall: str | None) -> int:
    """Rounded up so that the time of day falls on a step of five minutes."""
    if wall is None:
        return left_ms
    minutes, seconds = int(wall[14:16]), int(wall[17:19])
    past_ms = (minutes * 60 + seconds) * 1000 + left_ms
    return left_ms + (-past_ms) % ABOUT_MS
