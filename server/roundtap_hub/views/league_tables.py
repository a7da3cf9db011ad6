"""A league as pages show it: the places of each finished event, added up by the persons of the venue's book."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from operator import attrgetter

from msgspec.structs import replace

from roundtap_core.elimination.ranking import league_event
from roundtap_core.errors import Problem
from roundtap_core.names import stands_in
from roundtap_core.records import Competitor
from roundtap_core.standings.standings import LeagueResult, LeagueRow, league
from roundtap_hub.store.book import League
from roundtap_hub.store.service import Snapshot
from roundtap_hub.views.saved_event import EventLine, known_events, saved_event, tournament

SHOWN_EVENTS = 12  # the latest ones, each a column of a page


@dataclass(frozen=True, slots=True)
class Evening:
    """A finished event as it is added up, whoever its competitors are in the book. `as_of`: what it was made from."""

    as_of: tuple[str, int]
    played: Mapping[str, LeagueResult]
    people: Sequence[Competitor]
    full_names: bool


Evenings = dict[str, Evening]  # by event: a hub's own, kept from page to page


@dataclass(frozen=True, slots=True)
class LeagueView:
    """`dates`: of all events that are added up, "" for none; `events`: the latest SHOWN_EVENTS of them, by number;
    `open`: the names of those that are not over yet."""

    league: League
    dates: Sequence[str]
    events: Mapping[int, EventLine]
    open: Sequence[str]
    rows: Sequence[LeagueRow]


def events_of(snapshot: Snapshot, wanted: League) -> list[EventLine]:
    """The league's events that are not deleted, by date and then as they began."""
    found = [line for line in known_events(snapshot) if line.id in wanted.events]
    return sorted(found, key=attrgetter("date")) if all(line.date for line in found) else found


def leagues_of(snapshot: Snapshot, event_id: str) -> Iterator[League]:
    """The leagues that an event counts for."""
    return (each for each in snapshot.venue.leagues.values() if event_id in each.events)


def league_version(snapshot: Snapshot, wanted: League) -> object:
    """What its pages depend on."""
    events = [(line.id, line.head, line.finished) for line in events_of(snapshot, wanted)]
    return wanted, events, snapshot.venue.shown


def league_view(snapshot: Snapshot, evenings: Evenings, wanted: League) -> LeagueView:
    """Raises Problem("league_games_differ") for the points of different games."""
    book, events = snapshot.venue.book, events_of(snapshot, wanted)
    over = [line for line in events if line.finished]
    people: dict[str, Competitor] = {}
    played: list[Mapping[str, LeagueResult]] = []
    if wanted.points == "own" and any(line.rulebook_id != events[0].rulebook_id for line in events):
        # Before they are over, or the first page to fail would be a public one.
        raise Problem("league_games_differ", first=events[0].name)
    for line in over:
        evening = _evening(snapshot, evenings, line)
        # Who is forgotten has no line, here or where the event came from; the others keep their points.
        seats = {each.id: (line.id, each.id) for each in evening.people if not stands_in(each.id, each.name)}
        ids = {who: book.persons.get(seat, "/".join(seat)) for who, seat in seats.items() if seat not in book.forgotten}
        people |= {ids[each.id]: replace(each, id=ids[each.id]) for each in evening.people if each.id in ids}
        played.append({ids[who]: result for who, result in evening.played.items() if who in ids})
    return LeagueView(
        wanted,
        [line.date for line in over],
        dict([*enumerate(over, start=1)][-SHOWN_EVENTS:]),
        [line.name for line in events if not line.finished],
        league(played, wanted, people.values(), all(evenings[line.id].full_names for line in over)),
    )


def _evening(snapshot: Snapshot, evenings: Evenings, line: EventLine) -> Evening:
    """Read once for its last entry: years of events are not opened for every page."""
    as_of = line.head, len(snapshot.venue.book.forgotten)
    if line.id not in evenings or evenings[line.id].as_of != as_of:
        event = saved_event(snapshot, line.id)
        assert event is not None, line.id
        records = tournament(event)
        evenings[line.id] = Evening(
            as_of,
            league_event(records, {each.id: each.id for each in records.competitors}),
            records.competitors,
            bool(records.options.get("full_names")),
        )
    return evenings[line.id]
