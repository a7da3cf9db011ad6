"""A round's clock: as it is sent, as tables count it, and as a page shows it with its phases; times as text; and the
current announcements with their countdowns.
"""

from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from statistics import median_low

from msgspec import Struct, structs

from roundtap_core.clock import (
    COUNTING,
    IDLE,
    MINUTE_MS,
    RUNNING,
    Clock,
    Instant,
    extra_ms,
    format_clock,
    next_boundary_ms,
    phase_now,
)
from roundtap_core.elimination.bracket import THIRD
from roundtap_core.event.event_flow import match_clock
from roundtap_core.event.states import EventState
from roundtap_core.records import SWISS_STAGES
from roundtap_core.rulebooks.own_words import words_of
from roundtap_core.view_types import ClockView, PhaseView
from roundtap_core.words import Words
from roundtap_hub.store.display_plan import COUNTED, Announcement
from roundtap_hub.store.read_model import Snapshot
from roundtap_hub.views.unit_presence import UnitStatus

SIGNS = {
    "idle": "waiting",
    "running": "playing",
    "last": "late",
    "over": "over",
    "paused": "paused",
    "counting": "paused",
    "last_minutes": "late",
}
PHASE_SIGN = "phase"

SECOND_MS = 1000  # `wall` knows whole seconds: what ends at 18:55 would read 18:54 for most of each second

DATE_ALONE, DATE_AND_TIME = "%Y-%m-%d", "%Y-%m-%d %H:%M"


class BareClock(ClockView, frozen=True, omit_defaults=True, kw_only=True):
    """A clock without a round, sent without what only a round adds to it."""

    state: str
    deadline_ms: int | None
    remaining_ms: int | None
    total_ms: int | None


def clock_view(clock: Clock) -> ClockView:
    """The clock as it is sent: a running one as a deadline on the hub's monotonic clock, so that it needs no resend."""
    left_ms = clock.remaining_ms
    deadline_ms = clock.anchor.mono_ms + left_ms if clock.state == RUNNING and left_ms is not None else None
    return BareClock(state=clock.state, deadline_ms=deadline_ms, remaining_ms=left_ms, total_ms=clock.total_ms)


def public_clock(state: EventState, clock: Clock, now: Instant | None) -> ClockView:
    """`clock_view` with the phases, whether hidden extra minutes may follow, and whether they have run too: then the
    deadline is the real end. That is never known without `now`. `clock` is the event's or one match's own."""
    book, live = state.rulebook, state.live
    timed = live is not None and clock.total_ms is not None
    open_end = timed and book.extra_minutes is not None
    over = False
    if open_end and live is not None and now is not None:
        over = phase_now(clock, book.phases, live.extra_minutes, now).over
        if over and clock.remaining_ms is not None:
            clock = structs.replace(clock, remaining_ms=clock.remaining_ms + extra_ms(live.extra_minutes))
    total_ms, starts = clock.total_ms or 0, book.phases if timed else ()
    phases = tuple(PhaseView(phase.key, max(0, total_ms - phase.before_end * MINUTE_MS)) for phase in starts)
    return ClockView(**structs.asdict(clock_view(clock)) | {"phases": phases, "open_end": open_end, "over": over})


def next_change_ms(state: EventState, now: Instant) -> int | None:
    """Milliseconds until the round enters its next phase or ends; None where nothing changes by itself."""
    live = state.live
    if live is None:
        return None
    # The match for third place, and one with an extension, have a clock of their own.
    clocks = {
        state.clock,
        *(
            match_clock(state, live, match)
            for match in live.matches
            if match.match.game == THIRD or match.match.extension_minutes
        ),
    }
    waits = (next_boundary_ms(clock, state.rulebook.phases, live.extra_minutes, now) for clock in clocks)
    return min((wait_ms for wait_ms in waits if wait_ms is not None), default=None)


@dataclass(frozen=True, slots=True)
class TableClocks:
    """`left_ms`: the median of the tables, as time left on the event's clock; `spread_ms`: between most and least."""

    left_ms: int
    tables: int
    spread_ms: int


def table_clocks(
    snapshot: Snapshot, units: Mapping[str, UnitStatus], state: EventState, now_ms: int
) -> TableClocks | None:
    """The clocks of the tables; None where the event's clock does not wait for them, or no table has counted. A table
    that only repeats the time held by the hub does not count."""
    live, clock = state.live, state.clock
    if live is None or clock.state != COUNTING or clock.remaining_ms is None:
        return None
    left = []
    for unit, status in units.items():
        if status.clock_ms is None or status.match is None or status.clock_heard_ms is None:
            continue
        round_and_match = state.find_match(status.match)
        if (
            round_and_match is None
            or round_and_match[0] is not live
            or round_and_match[1].match.table != snapshot.venue.tables.get(unit)
        ):
            continue
        # A match with an extension, and the one for third place, have a clock of their own.
        own_ms = match_clock(state, live, round_and_match[1]).remaining_ms
        if own_ms is None or status.clock_ms == own_ms:
            continue
        left.append(status.clock_ms - (now_ms - status.clock_heard_ms) - (own_ms - clock.remaining_ms))
    if not left:
        return None
    return TableClocks(median_low(left), len(left), max(left) - min(left))


class PhaseWord(Struct, frozen=True):
    """What a clock shows in a phase: `key` as the script knows it, sign, text and note (keys of texts)."""

    key: str
    sign: str
    text: str
    note: str = ""


class ClockFace(Struct, frozen=True):
    """An event's clock on a page. Times in milliseconds; `deadline_ms` on the hub's monotonic clock. `key`: the current
    phase. `starts`: (key, elapsed) of each phase. `last_minutes`: words replace the time. `extra_minutes` and `end_ms`
    (the time really left) are for officials: None on public pages."""

    event: str
    state: str
    deadline_ms: int | None
    held_ms: int | None
    total_ms: int | None
    shown_ms: int | None
    key: str
    words: tuple[PhaseWord, ...]
    starts: tuple[tuple[str, int], ...]
    open_end: bool
    over: bool
    last_minutes: bool
    width: int
    extra_minutes: int | None = None
    end_ms: int | None = None


def clock_face(state: EventState, now: Instant, texts: Words, official: bool = False) -> ClockFace:
    """The clock of the round in play. `texts`: to see which notes exist; `official`: with the hidden minutes."""
    live, clock, book = state.live, state.clock, state.rulebook
    extra = live.extra_minutes if live else None
    clock_phase = phase_now(clock, book.phases, extra, now)
    view = public_clock(state, clock, now)
    left_ms = clock.remaining_at(now)
    return ClockFace(
        event=state.id,
        state=clock.state,
        deadline_ms=view.deadline_ms,
        held_ms=view.remaining_ms,
        total_ms=clock.total_ms,
        shown_ms=clock_phase.remaining_ms,
        key=phase_name(clock_phase.key),
        words=_words(state, view.open_end, texts),
        starts=tuple((phase_name(phase.key), phase.from_ms) for phase in view.phases),
        open_end=view.open_end,
        over=view.over,
        last_minutes=clock_phase.last_minutes,
        width=clock_width(clock),
        extra_minutes=extra if official and view.open_end else None,
        end_ms=left_ms + extra_ms(extra) if official and view.open_end and left_ms is not None else None,
    )


def table_clock_face(state: EventState, counted: TableClocks, now: Instant, texts: Words) -> ClockFace:
    """The clock as the tables count it while the hub's own is held: a separate face, for officials."""
    running = structs.replace(state, clock=Clock("running", counted.left_ms, state.clock.total_ms, now))
    return structs.replace(clock_face(running, now, texts), event=f"{state.id}-counted")


def phase_name(key: str) -> str:
    """ "phase.key" → "key"."""
    return key.removeprefix("phase.")


def _words(state: EventState, open_end: bool, texts: Words) -> tuple[PhaseWord, ...]:
    """The words of every phase that this round may reach. A phase lasts to the end, the last minutes included."""
    phases = state.rulebook.phases if state.clock.total_ms is not None else ()
    words = [PhaseWord(key, sign, f"phase.{key}") for key, sign in SIGNS.items() if key not in ("over", "last_minutes")]
    words += [_phase_word(phase_name(phase.key), phase.key, texts) for phase in phases]
    if open_end:
        words.append(_phase_word("last_minutes", phases[-1].key if phases else "phase.last_minutes", texts))
    words.append(PhaseWord("over", SIGNS["over"], "phase.over", at_time_key(state, words_of(state.rulebook, texts))))
    return tuple(words)


def _phase_word(key: str, text: str, texts: Words) -> PhaseWord:
    note = f"{text}.reminder"
    return PhaseWord(key, PHASE_SIGN, text, note if note in texts else "")


def at_time_key(state: EventState, texts: Words) -> str:
    """The key of what to do at time: the rulebook's for knockout rounds, its general one, or the common one."""
    own = f"at_time.{state.rulebook_id}"
    knockout = [f"{own}.knockout"] if state.live is not None and state.live.stage not in SWISS_STAGES else []
    return next((key for key in (*knockout, own) if key in texts), "at_time")


def clock_width(clock: Clock) -> int:
    """The longest text of this clock in characters: shorter ones are padded, so that it never jumps."""
    return max(5, len(format_clock(clock.total_ms)))


def clock_text(ms: int | None, width: int = 0) -> str:
    """As `format_clock`, with spaces as wide as a figure before a text that is shorter than `width`."""
    return format_clock(ms).rjust(width, "\u2007")


def time_of_day(wall: str | None, later_ms: int = 0, form: str = "%H:%M") -> str:
    """The local time ("14:32", or in another form of `strftime`) `later_ms` after `wall` (ISO 8601); "" where the time
    is unknown."""
    # Of a stick's entries anybody may have written the time.
    with suppress(TypeError, ValueError, OverflowError):
        return (datetime.fromisoformat(wall or "").astimezone() + timedelta(milliseconds=later_ms)).strftime(form)
    return ""


def played_ms(state: EventState, now: Instant) -> int | None:
    """How long the current round has been played, without pauses; None where it is untimed or not started."""
    clock = state.clock
    left_ms = clock.remaining_at(now)
    if state.live is None or clock.state == IDLE or clock.total_ms is None or left_ms is None:
        return None
    return clock.total_ms - left_ms


class AnnouncementLine(Struct, frozen=True):
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
                time_of_day(wall, left_ms + SECOND_MS) if left_ms is not None else "",
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
