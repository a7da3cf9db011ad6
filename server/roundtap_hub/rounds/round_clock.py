"""How times stand on a page: ages, and a round's clock with the word and the note that belong to each phase."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from statistics import median_low

from msgspec import structs

from roundtap_core.clock import COUNTING, Clock, Instant, format_clock
from roundtap_core.event.event_flow import match_clock
from roundtap_core.event.state import EventState
from roundtap_core.records import SWISS
from roundtap_core.rounds.phases import extra_ms, phase_now
from roundtap_core.words import Words
from roundtap_hub.rounds.public_clock import public_clock
from roundtap_hub.store.read_model import Snapshot
from roundtap_hub.units.unit_presence import UnitStatus


@dataclass(frozen=True, slots=True)
class TableClocks:
    """`left_ms`: of the event's clock at the moment that was asked for, as the table in the middle has it; `spread_ms`:
    between the table that has most and the one that has least."""

    left_ms: int
    tables: int
    spread_ms: int


def table_clocks(snapshot: Snapshot, units: Mapping[str, UnitStatus], state: EventState,
                   now_ms: int) -> TableClocks | None:
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
    return TableClocks(median_low(left), len(left), max(left) - min(left))


SIGNS = {"idle": "waiting", "running": "playing", "last": "late", "over": "over", "paused": "paused",
         "counting": "paused", "last_minutes": "late"}
PHASE_SIGN = "phase"


@dataclass(frozen=True, slots=True)
class PhaseWord:
    """What is said while the round is in a phase: `key` as the script knows it, sign, text and note (keys of texts)."""

    key: str
    sign: str
    text: str
    note: str = ""


@dataclass(frozen=True, slots=True)
class ClockFace:
    """An event's clock on a page. Times in milliseconds; `deadline_ms` on the hub's monotonic clock.

    `key`: the phase now. `starts`: (key, elapsed) of each phase. `last_minutes`: words stand where the time stood.
    `extra_minutes` and `end_ms` (what is really left) are for officials: None on everybody's pages.
    """

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
    """The clock of the round in play. `texts`: which notes there are; `official`: with what players may not know."""
    live, clock, book = state.live, state.clock, state.rulebook
    extra = live.extra_minutes if live else None
    moment = phase_now(clock, book.phases, extra, now)
    view = public_clock(state, clock, now)
    left_ms = clock.remaining_at(now)
    return ClockFace(
        event=state.id, state=clock.state, deadline_ms=view["deadline_ms"], held_ms=view["remaining_ms"],
        total_ms=clock.total_ms, shown_ms=moment.remaining_ms, key=phase_name(moment.key),
        words=_words(state, bool(view["open_end"]), texts),
        starts=tuple((phase_name(phase["key"]), phase["from_ms"]) for phase in view["phases"]),
        open_end=view["open_end"], over=view["over"], last_minutes=moment.last_minutes, width=clock_width(clock),
        extra_minutes=extra if official and view["open_end"] else None,
        end_ms=left_ms + extra_ms(extra) if official and view["open_end"] and left_ms is not None else None,
    )


def table_clock_face(state: EventState, counted: TableClocks, now: Instant, texts: Words) -> ClockFace:
    """The clock as the tables count it, while the hub's own is held: a face of its own, for officials."""
    running = structs.replace(state, clock=Clock("running", counted.left_ms, state.clock.total_ms, now))
    return replace(clock_face(running, now, texts), event=f"{state.id}-counted")


def phase_name(key: str) -> str:
    """ "phase.key" → "key"."""
    return key.removeprefix("phase.")


def _words(state: EventState, open_end: bool, texts: Words) -> tuple[PhaseWord, ...]:
    """Every word that this round may come to. A phase lasts to the end, the last minutes included."""
    phases = state.rulebook.phases if state.clock.total_ms is not None else ()
    words = [PhaseWord(key, sign, f"phase.{key}") for key, sign in SIGNS.items() if key not in ("over", "last_minutes")]
    words += [_phase_word(phase_name(phase.key), phase.key, texts) for phase in phases]
    if open_end:
        words.append(_phase_word("last_minutes", phases[-1].key if phases else "phase.last_minutes", texts))
    words.append(PhaseWord("over", SIGNS["over"], "phase.over", at_time_key(state, texts)))
    return tuple(words)


def _phase_word(key: str, text: str, texts: Words) -> PhaseWord:
    note = f"{text}.reminder"
    return PhaseWord(key, PHASE_SIGN, text, note if note in texts else "")


def at_time_key(state: EventState, texts: Words) -> str:
    """The text that says what to do when time is called: of this rulebook where somebody has to go on, of this
    rulebook, or of any."""
    own = f"at_time.{state.rulebook_id}"
    knockout = [f"{own}.knockout"] if state.live is not None and state.live.stage != SWISS else []
    return next((key for key in (*knockout, own) if key in texts), "at_time")


def clock_width(clock: Clock) -> int:
    """How many characters the clock's text takes at its longest: shorter ones are padded, so that it never jumps."""
    return max(5, len(format_clock(clock.total_ms)))


def age_text(age_ms: int) -> str:
    """Whole seconds gone, as minutes and seconds: "2:10"."""
    seconds = age_ms // 1000
    return f"{seconds // 60}:{seconds % 60:02d}"


def time_of_day(wall: str | None, later_ms: int = 0) -> str:
    """"14:32" at this place, so many milliseconds after `wall` (ISO 8601); "" where nobody knows the time."""
    if wall is None:
        return ""
    return (datetime.fromisoformat(wall).astimezone() + timedelta(milliseconds=later_ms)).strftime("%H:%M")
