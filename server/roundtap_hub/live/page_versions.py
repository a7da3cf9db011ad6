"""Page versions: a short hash of what a page would show; the feed sends it, and a page with another one reloads."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from roundtap_core.clock import COUNTING, IDLE, Instant, phase_now
from roundtap_core.event.states import ONE_SIDED, EventState, Request
from roundtap_core.records import ELIMINATION
from roundtap_hub.store.command_pipeline import taken_tables
from roundtap_hub.store.service import Snapshot
from roundtap_hub.views import saved_event
from roundtap_hub.views.knockout import newest_round_key, winner_of
from roundtap_hub.views.known_displays import events_in_play
from roundtap_hub.views.player_requests import taker_name
from roundtap_hub.views.round_clock import table_clocks
from roundtap_hub.views.running_hub import RunningHub
from roundtap_hub.views.saved_event import known_events, listed_events, memoized
from roundtap_hub.views.tables import ONE_SIDED_MS, ms_since, out_of_contact
from roundtap_hub.views.unit_presence import UnitStatus, known_units, phone_requests

KIND = "me"


@dataclass(frozen=True, slots=True)
class HallNow:
    """The time of a request, and whom officials saw at their tables (`Presence.seen_at_table`)."""

    now: Instant
    here: Collection[tuple[str, str, str]] = ()
    storage: str = ""  # the version of the hub's storage state (StorageState.version)


def console_version(
    snapshot: Snapshot, units: Mapping[str, UnitStatus], moment: saved_event.SavedEvent, hall: HallNow | None = None
) -> str:
    """Changes whenever the console does. A growing age is no change: browsers count it."""
    state = moment.state
    of_units = [_unit_version(status) for _, status in sorted(units.items())]
    # With a draft it matters where other events play: the first to publish gets the tables.
    others: list[Any] = sorted(taken_tables(snapshot.events, state.id)) if state.draft else []
    if any(status.call_since_ms is not None for status in units.values()):
        # A call is shown by the event that plays at the table; by all events where none does.
        others += [(other.id, other.number) for other in snapshot.events.values()]
    if state.clock.state == COUNTING:
        # By when they end: counting down is no change.
        counted = table_clocks(snapshot, units, state, 0)
        others.append((counted.tables, counted.spread_ms // 1000, counted.left_ms // 1000) if counted else ())
    return saved_event.short_hash(
        state.id,
        state.number,
        snapshot.venue.shown,
        of_units,
        others,
        requests_version(units, state.id),
        _time_version(snapshot, units, state, hall) if hall else (),
    )


def requests_version(units: Mapping[str, UnitStatus], event_id: str) -> list[Any]:
    """An event's requests that are in no journal."""
    return [
        (*key, asked.since_ms, sorted(asked.sources))
        for key, asked in sorted(phone_requests(units).items())
        if key[1] == event_id
    ]


def played_ms(state: EventState, now: Instant) -> int | None:
    """How long the current round has been played, without pauses; None where it is untimed or not started."""
    clock = state.clock
    left_ms = clock.remaining_at(now)
    if state.live is None or clock.state == IDLE or clock.total_ms is None or left_ms is None:
        return None
    return clock.total_ms - left_ms


def _time_version(
    snapshot: Snapshot, units: Mapping[str, UnitStatus], state: EventState, hall: HallNow
) -> tuple[Any, ...]:
    """What changes by time alone: silent units, unconfirmed reports, a limit, a phase."""
    now_ms, live = hall.now.mono_ms, state.live
    silent = sorted(unit for unit in known_units(snapshot, (), units) if out_of_contact(units.get(unit), now_ms))
    matches = live.matches if live else ()
    alone = [
        m.id
        for m in matches
        if m.reported_mono_ms is not None
        and m.state == ONE_SIDED
        and ms_since(m.reported_mono_ms, now_ms) >= ONE_SIDED_MS
    ]
    limit, played = state.options.get("late_minutes"), played_ms(state, hall.now)
    late = limit is not None and played is not None and played >= limit * 60_000
    phase = phase_now(state.clock, state.rulebook.phases, live.extra_minutes if live else None, hall.now)
    return (silent, alone, late, phase.key, phase.over, phase.last_minutes, sorted(hall.here), hall.storage)


def _unit_version(status: UnitStatus) -> tuple[Any, ...]:
    return (
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


def page_key(event_id: str, token: str) -> str:
    """The key of a personal page; it includes the link's token, so that no page outlives its link."""
    return f"{KIND}/{event_id}/{token}"


def version_at(
    hub: RunningHub, snapshot: Snapshot, units: Mapping[str, UnitStatus], page: str, hall: HallNow | None = None
) -> str:
    """The version of any page, personal ones included."""
    kind = page.split("/")[0]
    if kind == KIND:
        return _personal_version(hub, snapshot, units, page)
    version = page_version(snapshot, units, page, hall)
    # Only walls show the hub's address.
    shown = f"{hub.host.hall_addresses.url} {hub.host.hall_addresses.by_name}".strip() if kind == "wall" else ""
    return saved_event.short_hash(version, shown) if shown and version != "none" else version


def _personal_version(hub: RunningHub, snapshot: Snapshot, units: Mapping[str, UnitStatus], page: str) -> str:
    token = page.rpartition("/")[2]
    who = hub.access.links.owner_of(token)
    if who is None or page != page_key(who[0], token):
        return "none"
    event_id, competitor = who
    as_public = page_version(snapshot, units, f"p/{event_id}/{competitor}")
    moment = saved_event.saved_event(snapshot, event_id) if event_id in snapshot.events else None
    if as_public == "none" or moment is None:
        return as_public
    return saved_event.short_hash(page, as_public, _match_version(snapshot, units, moment, competitor))


def _match_version(
    snapshot: Snapshot, units: Mapping[str, UnitStatus], moment: saved_event.SavedEvent, competitor: str
) -> object:
    """The part of the match that only its two players see: their reports, and whether a unit is there."""
    match, entrant = saved_event.current_matches(moment).get(competitor), moment.state.entrants[competitor]
    wish = moment.state.wishes.get(competitor), moment.state.check_in, entrant.checked_in
    if match is None:
        return wish
    unit = snapshot.venue.unit_at(match.match.table)
    status = units.get(unit) if unit else None
    return (
        moment.state.public_rounds[-1].mark,
        match.match.picks,
        sorted((side, report.number) for side, report in match.reports.items()),
        sorted(match.heard.items()),
        unit is not None,
        status is not None and status.connected,
        moment.state.clock.total_ms,
        wish,
    )


Units = Mapping[str, UnitStatus]
Seen = tuple[Snapshot, Units]


def unchanged_pages(hub: RunningHub, before: Seen, now: Seen, pages: Iterable[str]) -> Iterator[str]:
    """Yields the players' pages among `pages` whose version cannot have changed since `before`: a report changes two
    of a thousand, and working one out costs as much as looking up fifty."""
    changed = {event_id: _changed_players(before, now, event_id) for event_id in before[0].events}
    others = {
        page
        for event_id, players in changed.items()
        for who in players or ()
        for page in (f"p/{event_id}/{who}", page_key(event_id, hub.access.links.token(event_id, who)))
    }
    for page in pages:
        kind, event_id = page.split("/")[0], page.partition("/")[2].partition("/")[0]
        if kind in (KIND, "p") and changed.get(event_id) is not None and page not in others:
            yield page


def _changed_players(before: Seen, now: Seen, event_id: str) -> set[str] | None:
    """Whose pages may have changed; None: everybody's."""
    (was, units_before), (new, units) = before, now
    old, event = was.events[event_id], new.events.get(event_id)
    if event is None or was.venue is not new.venue:
        return None
    touched = {unit for unit in {*units_before, *units} if units_before.get(unit) is not units.get(unit)}
    matches = [
        match
        for played in event.public_rounds[-1:]
        for match in played.matches
        if new.venue.unit_at(match.match.table) in touched
    ]
    if event is not old:
        moments = [saved_event.SavedEvent(state, at.people_of(event_id)) for state, at in ((old, was), (event, new))]
        if (
            old.entrants is not event.entrants
            or old.clock.total_ms != event.clock.total_ms
            or [(r.mark, len(r.matches)) for r in old.public_rounds]
            != [(r.mark, len(r.matches)) for r in event.public_rounds]
            or _version_for_players(moments[0]) != _version_for_players(moments[1])
        ):
            return None
        matches += [
            match
            for played, as_it_was in zip(event.public_rounds, old.public_rounds, strict=True)
            for pair in zip(played.matches, as_it_was.matches, strict=True)
            if pair[0] is not pair[1]
            for match in pair
        ]
    asked = {key for name in ("calls", "wishes") for key in _changed_keys(getattr(old, name), getattr(event, name))}
    matches += [found[1] for key in asked if (found := event.find_match(key)) is not None]
    return {who for match in matches for who in (match.match.a, match.match.b) if who} | asked


def _changed_keys(old: Mapping[str, Request], new: Mapping[str, Request]) -> Iterator[str]:
    return (key for key in {**old, **new} if old.get(key) != new.get(key)) if old is not new else iter(())


def page_version(snapshot: Snapshot, units: Units, page: str, hall: HallNow | None = None) -> str:
    """The version of a page ("door", "wall", "console", "judge", "console/e1", "wall/e1", "e/e1", "p/e1/p3",
    "standings/e1", "pairings/e1", "bracket/e1", "rules/e1"); "none" where there is no such page. Nothing is rendered.
    Without `hall`, changes by time alone are left out."""
    version = _version(snapshot, units, page, hall)
    walls = snapshot.venue.display_plan
    if walls.announcements and version != "none":
        event = page.split("/")[1] if "/" in page else None
        version = saved_event.short_hash(version, [announcement.id for announcement in walls.for_event(event)])
    # Every page shows that the hub was restored, until that is settled.
    return (
        version
        if snapshot.venue.restore_state is None or version == "none"
        else saved_event.short_hash(version, "restored")
    )


def _version(snapshot: Snapshot, units: Units, page: str, hall: HallNow | None) -> str:
    kind, *rest = page.split("/")
    if page == "console":
        return saved_event.short_hash(
            [(line.id, line.number) for line in known_events(snapshot)],
            snapshot.venue.shown,
            hall.storage if hall else "",
            [unit for unit, status in units.items() if hall and out_of_contact(status, hall.now.mono_ms)],
        )
    if page == "displays":
        return saved_event.short_hash(snapshot.venue.shown, [(line.id, line.name) for line in listed_events(snapshot)])
    if page == "before-doors":
        return saved_event.short_hash(snapshot.venue.shown, _units_version(units, hall), hall.storage if hall else "")
    if page == "judge":
        found = (
            saved_event.saved_event(snapshot, event_id)
            for event_id, state in snapshot.events.items()
            if not state.finished
        )
        return saved_event.short_hash(
            [console_version(snapshot, units, each, hall) for each in found if each is not None]
        )
    if page in ("door", "wall"):
        return saved_event.short_hash(
            [
                (line.id, line.name, line.rulebook_id, line.finished, *_progress_version(snapshot, line.id))
                for line in listed_events(snapshot)
            ]
        )
    if rest and rest[0] in snapshot.dormant and rest[0] not in snapshot.venue.deleted:
        # An event at rest is not opened to find that nothing has changed.
        return saved_event.short_hash(page, snapshot.dormant[rest[0]].head)
    moment = saved_event.saved_event(snapshot, rest[0]) if rest else None
    if moment is None:
        return "none"
    if kind == "console" and len(rest) == 1:
        return console_version(snapshot, units, moment, hall)
    if kind == "p" and len(rest) == 2:
        shown = _player_version(snapshot, units, moment, rest[1])
    else:
        shown = _event_version(snapshot, units, moment, kind) if len(rest) == 1 else None
        shown = shown and (*shown, saved_event.decided_version(moment))
    return "none" if shown is None else saved_event.short_hash(moment.state.id, shown)


def _units_version(units: Units, hall: HallNow | None) -> list[tuple[Any, ...]]:
    """The units' part of the page before the doors open; a unit falls silent by time alone."""
    return [
        (
            unit,
            status.connected,
            status.core,
            status.health,
            bool(status.waiting),
            sorted(status.troubles),
            hall is not None and out_of_contact(status, hall.now.mono_ms),
        )
        for unit, status in sorted(units.items())
    ]


def _progress_version(snapshot: Snapshot, event_id: str) -> tuple[Any, ...]:
    """An event's progress as the home page shows it; nothing for one at rest."""
    state = snapshot.events.get(event_id)
    return () if state is None else (state.live is not None, len(state.public_rounds), newest_round_key(state))


def _event_version(
    snapshot: Snapshot, units: Units, moment: saved_event.SavedEvent, kind: str
) -> tuple[Any, ...] | None:
    """What a page of that kind shows of an event beside its decided facts; None: there is no such page."""
    state, newest = moment.state, saved_event.newest_round(moment.state)
    entrants, results = partial(saved_event.entrants_version, moment), partial(saved_event.results_version, moment)
    shown: Mapping[str, Callable[[], tuple[Any, ...]]] = {
        "wall": lambda: (
            state.number,
            snapshot.venue.tables,
            [(other.id, other.name) for other in events_in_play(snapshot)],
            [(unit, sorted(status.seated), status.match) for unit, status in sorted(units.items())],
        ),
        "e": lambda: (entrants(), state.live is None, newest and newest.number),
        "standings": lambda: (entrants(), results()),
        "pairings": lambda: (
            entrants(),
            results(),
            state.clock.state,
            [
                (m.id, m.match.table, m.match.a, m.match.b, m.state, m.number, m.revision)
                for m in (newest.matches if newest else ())
            ],
        ),
        "bracket": lambda: (
            entrants(),
            results(),
            newest and (newest.number, newest.stage),
            [
                [(m.id, m.match.table, m.number, m.revision, m.state) for m in r.matches]
                for r in state.public_rounds
                if r.stage == ELIMINATION
            ],
        ),
        # The announced settings may change until round 1 is drawn; mended rounds are listed here.
        "rules": lambda: (
            entrants(),
            [(r.number, r.mends, [m.match.table for m in r.matches] if r.mends else ()) for r in state.public_rounds],
        ),
    }
    return shown[kind]() if kind in shown else None


@memoized
def _version_for_players(moment: saved_event.SavedEvent) -> str:
    """What all players' pages have in common."""
    newest, winner = saved_event.newest_round(moment.state), moment.state.entrants.get(winner_of(moment) or "")
    return saved_event.short_hash(
        newest and (newest.number, newest.status),
        moment.state.clock.state,
        saved_event.results_version(moment),
        saved_event.decided_version(moment),
        winner and (winner.id, winner.digest, winner.list_total),
    )


def _player_version(
    snapshot: Snapshot, units: Units, moment: saved_event.SavedEvent, competitor: str
) -> tuple[Any, ...] | None:
    """Changes with the player's own table or the standings, not with each result of the hall."""
    state = moment.state
    entrant = state.entrants.get(competitor)
    if entrant is None:
        return None
    played = saved_event.played_matches(moment).get(competitor, [])
    opponents = [state.entrants.get((m.match.b if m.match.a == competitor else m.match.a) or "") for m in played]
    sitting: tuple[Any, ...] = ()
    if played and (match := played[-1]) is saved_event.current_matches(moment).get(competitor):
        status = units.get(snapshot.venue.unit_at(match.match.table) or "")
        sitting = (
            match.match.table,
            match.match.bye,
            match.match.extension_minutes,
            dict(match.lots),
            status
            and (
                status.match == match.id,
                sorted(status.seated),
                status.draft,
            ),
            (call := state.calls.get(match.id)) and (call, taker_name(snapshot, call.taken_by)),
        )
    return (
        entrant,
        [each and (each.id, each.digest, each.list_total) for each in opponents],
        [(m.id, m.state, m.number, m.revision, m.match.picks) for m in played],
        _version_for_players(moment),
        sitting,
    )
