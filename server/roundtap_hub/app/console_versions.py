"""What the console, the judges' page and the front door show that may change; not a growing age: browsers count it."""

from typing import Any

from roundtap_core.clock import COUNTING, Instant, phase_now
from roundtap_core.event.states import ONE_SIDED
from roundtap_hub.http.routes import PageKey
from roundtap_hub.live.page_cache import HubNow, event_page, page_kind
from roundtap_hub.store.command_pipeline import taken_tables
from roundtap_hub.views.knockout import events_progress
from roundtap_hub.views.round_clock import played_ms, table_clocks
from roundtap_hub.views.saved_event import SavedEvent, known_events, saved_event, sign_up_ids
from roundtap_hub.views.tables import ONE_SIDED_MS, ms_since, out_of_contact
from roundtap_hub.views.unit_presence import known_units, phone_requests

page_kind("door")(lambda source, _: (events_progress(source.snapshot), sign_up_ids(source.snapshot)))


@page_kind("console")
def _home(source: HubNow, _: PageKey) -> object:
    snapshot, now = source.snapshot, source.now
    return (
        [(line.id, line.number) for line in known_events(snapshot)],
        snapshot.venue.shown,
        source.storage,
        [unit for unit, status in source.units.items() if now and out_of_contact(status, now.mono_ms)],
    )


@page_kind("judge")
def _judge(source: HubNow, page: PageKey) -> object:
    events = (
        saved_event(source.snapshot, event_id)
        for event_id, state in source.snapshot.events.items()
        if not state.finished
    )
    return [_console(source, each, page) for each in events if each is not None]


@event_page("console/<event_id>")
def _console(source: HubNow, event: SavedEvent, _: PageKey) -> object:
    snapshot, units, state = source.snapshot, source.units, event.state
    # With a draft it matters where other events play: the first to publish gets the tables.
    others: list[Any] = sorted(taken_tables(snapshot.events, state.id)) if state.draft else []
    if any(status.call_since_ms is not None for status in units.values()):
        # A call is shown by the event that plays at the table; by all events where none does.
        others += [(other.id, other.number) for other in snapshot.events.values()]
    if state.clock.state == COUNTING:
        # By when they end: counting down is no change.
        counted = table_clocks(snapshot, units, state, 0)
        others.append((counted.tables, counted.spread_ms // 1000, counted.left_ms // 1000) if counted else ())
    requests = [  # those in no journal
        (*key, request.since_ms, sorted(request.sources))
        for key, request in sorted(phone_requests(units).items())
        if key[1] == state.id
    ]
    return (
        state.id,
        state.number,
        snapshot.venue.shown,
        [
            (
                status.unit,
                status.connected,
                status.match,
                sorted(status.seated),
                status.draft,
                status.call_since_ms,
                status.call_taken_by,
                status.waiting,
                sorted(status.troubles),
            )
            for _, status in sorted(units.items())
        ],
        others,
        requests,
        _by_time(source, event, source.now) if source.now else (),
    )


def _by_time(source: HubNow, event: SavedEvent, now: Instant) -> object:
    """What changes by time alone: silent units, unconfirmed reports, a limit, a phase."""
    state, units, now_ms = event.state, source.units, now.mono_ms
    live = state.live
    silent = sorted(unit for unit in known_units(source.snapshot, (), units) if out_of_contact(units.get(unit), now_ms))
    alone = [
        m.id
        for m in (live.matches if live else ())
        if m.reported_mono_ms is not None
        and m.state == ONE_SIDED
        and ms_since(m.reported_mono_ms, now_ms) >= ONE_SIDED_MS
    ]
    limit, played = state.options.get("late_minutes"), played_ms(state, now)
    late = limit is not None and played is not None and played >= limit * 60_000
    phase = phase_now(state.clock, state.rulebook.phases, live.extra_minutes if live else None, now)
    return silent, alone, late, phase.key, phase.over, phase.last_minutes, sorted(source.here), source.storage
