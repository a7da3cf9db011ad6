"""What phones' pages show that may change: a player's pages, and those of an event that all may read."""

from collections.abc import Iterable, Mapping
from typing import Any

from roundtap_core.records import ELIMINATION
from roundtap_hub.http.routes import PageKey
from roundtap_hub.live.page_cache import HubNow, event_page, page_kind
from roundtap_hub.store.service import Snapshot
from roundtap_hub.views import saved_event
from roundtap_hub.views.knockout import winner_of
from roundtap_hub.views.league_tables import leagues_of
from roundtap_hub.views.running_hub import RunningHub
from roundtap_hub.views.unit_presence import UnitStatus, taker_name

# A player's two pages. The key of the personal one includes the link's token, so that no page outlives its link.
PUBLIC, PERSONAL = "p", "me"


@event_page("e/<event_id>")
def _players(_: HubNow, event: saved_event.SavedEvent, page: PageKey) -> object:
    newest = saved_event.newest_round(event.state)
    return *_people(event), event.state.live is None, newest and newest.number, not event.state.rounds


@event_page("standings/<event_id>")
def _standings(source: HubNow, event: saved_event.SavedEvent, page: PageKey) -> object:
    leagues = [(each.id, each.name) for each in leagues_of(source.snapshot, page.event)]
    return *_people(event), saved_event.results_version(event), leagues


@event_page("pairings/<event_id>")
def _pairings(_: HubNow, event: saved_event.SavedEvent, page: PageKey) -> object:
    newest = saved_event.newest_round(event.state)
    matches = [
        (m.id, m.match.table, m.match.a, m.match.b, m.state, m.number, m.revision)
        for m in (newest.matches if newest else ())
    ]
    return *_people(event), saved_event.results_version(event), event.state.clock.state, matches


@event_page("data/<event_id>")
def _data(_: HubNow, event: saved_event.SavedEvent, page: PageKey) -> object:
    return (
        *_people(event),
        saved_event.results_version(event),
        event.state.clock,
        [
            (r.number, r.status, [(m.id, m.match.table, m.match.a, m.match.b, m.number, m.revision) for m in r.matches])
            for r in event.state.public_rounds
        ],
    )


@event_page("bracket/<event_id>")
def _bracket(_: HubNow, event: saved_event.SavedEvent, page: PageKey) -> object:
    newest = saved_event.newest_round(event.state)
    played = [
        [(m.id, m.match.table, m.number, m.revision, m.state) for m in r.matches]
        for r in event.state.public_rounds
        if r.stage == ELIMINATION
    ]
    return *_people(event), saved_event.results_version(event), newest and (newest.number, newest.stage), played


@event_page("rules/<event_id>")
def _rules(_: HubNow, event: saved_event.SavedEvent, page: PageKey) -> object:
    # The announced settings may change until round 1 is drawn; mended rounds are listed here.
    rounds = [
        (r.number, r.mends, [m.match.table for m in r.matches] if r.mends else ()) for r in event.state.public_rounds
    ]
    return *_people(event), rounds


def _people(event: saved_event.SavedEvent) -> tuple[str, str]:
    return saved_event.entrants_version(event), saved_event.decided_version(event)


# --- one player


@page_kind("me/<event_id>/<token>")
def _personal(source: HubNow, page: PageKey) -> object | None:
    who = source.hub.access.links.owner_of(page.of)
    if who is None or who[0] != page.event:
        return None
    public = source.shown(PageKey(PUBLIC, *who))
    event = saved_event.saved_event(source.snapshot, page.event) if page.event in source.snapshot.events else None
    sign_ups = saved_event.sign_up_ids(source.snapshot) if not event or event.state.finished else ()
    return public and (public, event and _own_match(source, event, who[1]), sign_ups)


def _own_match(source: HubNow, event: saved_event.SavedEvent, competitor: str) -> object:
    """The part of the match that only its two players see: their reports, and whether a unit is there."""
    match, entrant = saved_event.current_matches(event).get(competitor), event.state.entrants[competitor]
    wish = event.state.wishes.get(competitor), event.state.check_in, entrant.checked_in
    if match is None:
        return wish
    unit = source.snapshot.venue.unit_at(match.match.table)
    status = source.units.get(unit) if unit else None
    return (
        event.state.public_rounds[-1].mark,
        match.match.picks,
        sorted((side, report.number) for side, report in match.reports.items()),
        sorted(match.heard.items()),
        unit is not None,
        status is not None and status.connected,
        event.state.clock.total_ms,
        wish,
    )


@event_page("p/<event_id>/<competitor>")
def _player(source: HubNow, event: saved_event.SavedEvent, page: PageKey) -> object | None:
    """Changes with the player's own table or the standings, not with each result of the hall."""
    state, competitor = event.state, page.of
    entrant = state.entrants.get(competitor)
    if entrant is None:
        return None
    names, played = saved_event.shown_names(event), [m for _, m in saved_event.played_matches(event, competitor)]
    opponents = [state.entrants.get((m.match.b if m.match.a == competitor else m.match.a) or "") for m in played]
    sitting: tuple[Any, ...] = ()
    if played and (match := played[-1]) is saved_event.current_matches(event).get(competitor):
        status = source.units.get(source.snapshot.venue.unit_at(match.match.table) or "")
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
            (call := state.calls.get(match.id)) and (call, taker_name(source.snapshot, call.taken_by)),
        )
    return (
        entrant,
        # Another one's name changes theirs, where both are one: "Ana A. (2)".
        [each and (each.id, each.list_total, names[each.id]) for each in (entrant, *opponents)],
        [(m.id, m.state, m.number, m.revision, m.match.picks) for m in played],
        _version_for_players(event),
        sitting,
    )


@saved_event.memoized
def _version_for_players(event: saved_event.SavedEvent) -> str:
    """What all players' pages have in common."""
    newest, winner = saved_event.newest_round(event.state), event.state.entrants.get(winner_of(event) or "")
    return saved_event.short_hash(
        newest and (newest.number, newest.status),
        event.state.clock.state,
        saved_event.results_version(event),
        saved_event.decided_version(event),
        winner and (winner.id, winner.digest, winner.list_total),
    )


Seen = tuple[Snapshot, Mapping[str, UnitStatus]]


def changed_pages(hub: RunningHub, before: Seen, now: Seen, pages: Iterable[PageKey]) -> list[PageKey]:
    """Those of `pages` whose version may have changed since `before`. Of players' pages a report changes two of a
    thousand, and working out one's version costs as much as looking up fifty."""
    pages = list(pages)
    if not any(page[0] in (PUBLIC, PERSONAL) for page in pages):
        return pages
    changed = {event_id: _changed_players(before, now, event_id) for event_id in before[0].events}
    theirs = {
        page
        for event_id, players in changed.items()
        for who in players or ()
        for page in (
            PageKey(PUBLIC, event_id, who),
            PageKey(PERSONAL, event_id, hub.access.links.token(event_id, who)),
        )
    }
    known = {event_id for event_id, players in changed.items() if players is not None}
    return [page for page in pages if page[0] not in (PUBLIC, PERSONAL) or page[1] not in known or page in theirs]


def _changed_players(before: Seen, now: Seen, event_id: str) -> set[str] | None:
    """Whose pages may have changed; None: everybody's."""
    (was, units_before), (new, units) = before, now
    old, event = was.events[event_id], new.events.get(event_id)
    if event is None or was.venue is not new.venue:
        return None
    touched = {unit for unit in {*units_before, *units} if units_before.get(unit) is not units.get(unit)}
    tables = {table for unit in touched if (table := new.venue.tables.get(unit)) is not None}
    matches = [
        match
        for played in event.public_rounds[-1:]
        if tables
        for match in played.matches
        if match.match.table in tables
    ]
    if event is not old:
        saved_events = [
            saved_event.SavedEvent(state, at.people_of(event_id)) for state, at in ((old, was), (event, new))
        ]
        if (
            old.entrants is not event.entrants
            or old.clock.total_ms != event.clock.total_ms
            or [(r.mark, len(r.matches)) for r in old.public_rounds]
            != [(r.mark, len(r.matches)) for r in event.public_rounds]
            or _version_for_players(saved_events[0]) != _version_for_players(saved_events[1])
        ):
            return None
        matches += [
            match
            for played, as_it_was in zip(event.public_rounds, old.public_rounds, strict=True)
            for pair in zip(played.matches, as_it_was.matches, strict=True)
            if pair[0] is not pair[1]
            for match in pair
        ]
    asked = [(of.calls, of.wishes) for of in (old, event)]
    changed_keys = {
        key
        for one, other in zip(*asked, strict=True)
        if one is not other
        for key in {**one, **other}
        if one.get(key) != other.get(key)
    }
    matches += [round_and_match[1] for key in changed_keys if (round_and_match := event.find_match(key)) is not None]
    return {who for match in matches for who in (match.match.a, match.match.b) if who} | changed_keys
