"""What an event's console would show, as a short text: entries, the hall, and what time alone has brought about."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

from roundtap_core.clock import COUNTING, IDLE, Instant
from roundtap_core.event.state import ONE_SIDED, EventState
from roundtap_core.rounds.phases import phase_now
from roundtap_hub.journal.hall import taken_tables
from roundtap_hub.journal.service import Snapshot
from roundtap_hub.presence import UnitStatus, asked_of
from roundtap_hub.views.attention import ONE_SIDED_MS
from roundtap_hub.views.event_at import EventAt, short_hash
from roundtap_hub.views.tables import age, out_of_contact
from roundtap_hub.views.tables_counted import tables_counted
from roundtap_hub.views.units import known_units


@dataclass(frozen=True, slots=True)
class HallNow:
    """The moment somebody looks, and whom officials saw at their tables (Presence.here)."""

    now: Instant
    here: Collection[tuple[str, str, str]] = ()
    storage: str = ""
    """What is said of the hub's storage (StorageState.version)."""


def console_version(
    snapshot: Snapshot, units: Mapping[str, UnitStatus], moment: EventAt, hall: HallNow | None = None
) -> str:
    """Another text whenever the console shows something else. An age that grows is nothing else: browsers count it."""
    state = moment.state
    said = [_said(status) for _, status in sorted(units.items())]
    # With a draft in hand it matters where the others play: who is faster has the tables.
    others: list[Any] = sorted(taken_tables(snapshot.events, state.id)) if state.draft else []
    if any(status.call_since_ms is not None for status in units.values()):
        # A call is shown by the event that plays at the table, and by all where none does.
        others += [(other.id, other.number) for other in snapshot.events.values()]
    if state.clock.state == COUNTING:
        # By when they end: who counts on says nothing new.
        counted = tables_counted(snapshot, units, state, 0)
        others.append((counted.tables, counted.spread_ms // 1000, counted.left_ms // 1000) if counted else ())
    return short_hash(state.id, state.number, snapshot.venue.shown, said, others, asked_version(units, state.id),
                      _by_time(snapshot, units, state, hall) if hall else ())


def asked_version(units: Mapping[str, UnitStatus], event_id: str, what: str = "") -> list[Any]:
    """What is asked for by phones in an event, of one match or competitor, or of all."""
    return [(*key, asked.since_ms, sorted(asked.sources), asked.taken_by, asked.refused)
            for key, asked in sorted(asked_of(units).items()) if key[1] == event_id and what in ("", key[2])]


def played_ms(state: EventState, now: Instant) -> int | None:
    """How long the round in play has been played, pauses left out; None where it is untimed or not started."""
    clock = state.clock
    left_ms = clock.remaining_at(now)
    if state.live is None or clock.state == IDLE or clock.total_ms is None or left_ms is None:
        return None
    return clock.total_ms - left_ms


def _by_time(snapshot: Snapshot, units: Mapping[str, UnitStatus], state: EventState, hall: HallNow) -> tuple[Any, ...]:
    """What comes without anybody saying anything: silence, a report that nobody confirms, a limit, a phase."""
    now_ms, live = hall.now.mono_ms, state.live
    silent = sorted(unit for unit in known_units(snapshot, (), units) if out_of_contact(units.get(unit), now_ms))
    matches = live.matches if live else ()
    alone = [m.id for m in matches if m.reported_mono_ms is not None and m.state == ONE_SIDED
             and age(m.reported_mono_ms, now_ms) >= ONE_SIDED_MS]
    limit, played = state.options.get("late_minutes"), played_ms(state, hall.now)
    late = limit is not None and played is not None and played >= limit * 60_000
    phase = phase_now(state.clock, state.rulebook.phases, live.extra_minutes if live else None, hall.now)
    return (silent, alone, late, phase.key, phase.over, phase.last_minutes, sorted(hall.here), hall.storage)


def _said(status: UnitStatus) -> tuple[Any, ...]:
    return (status.unit, status.connected, status.match, sorted(status.seated), status.draft, sorted(status.leave),
            sorted(status.leave_refused), status.call_since_ms, status.call_taken_by, status.waiting,
            sorted(status.troubles))
