"""One event at one moment, what is computed once for all its readers (names, seats, standings), its forms' marks."""

import hashlib
import re
import threading
import unicodedata
from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass, field
from functools import cached_property, update_wrapper
from operator import attrgetter
from typing import Any, Generic, Protocol, TypeVar

from roundtap_core.errors import Problem
from roundtap_core.event.entries import Person
from roundtap_core.event.event_flow import in_second_swiss, total_planned_rounds
from roundtap_core.event.stale_check import (
    CLOCK,
    COURSE,
    DETAILS,
    LOG,
    WARNED,
    open_matches_by_player,
    person_mark,
    state_mark,
)
from roundtap_core.event.states import EventState, MatchState, RoundState, event_names, not_yet_present, tournament_of
from roundtap_core.names import number_duplicates, shorten_name
from roundtap_core.records import ELIMINATION, SWISS_STAGES, Competitor, StandingsRow, Tournament
from roundtap_core.standings.standings import standings
from roundtap_hub.store.read_model import Snapshot
from roundtap_hub.store.snapshots import EventSummary

MAX_MOMENTS = 2  # results kept of each event: the newest, and the one that pages are still being drawn from
MAX_EVENTS = 12

R = TypeVar("R")

IN_PLAY = frozenset({"number", "head", "entrants", "rounds", "clock", "fates", "calls", "wishes"})
"""The fields of an event that change as it is played, and are not all on every page."""
DECIDED = tuple(name for name in EventState.__struct_fields__ if name not in IN_PLAY)

COLOR = re.compile(r"#[0-9A-Fa-f]{6}")

EventLine = EventState | EventSummary
"""Both name what a list shows alike, except the number of people: `EventState.entrants` or `EventSummary.players`."""


class HasEventId(Protocol):
    """An argument that belongs to one event."""

    @property
    def event_id(self) -> Hashable: ...


A = TypeVar("A", bound=HasEventId)


class Memoized(Generic[A, R]):
    """A function of one argument whose answers are shared among arguments of one event with equal `key(argument)`."""

    def __init__(self, work: Callable[[A], R], key: Callable[[A], object]) -> None:
        self._do = work
        self._key = key
        self._lock = threading.RLock()
        self._known: dict[Hashable, tuple[tuple[object, R], ...]] = {}
        update_wrapper(self, work)

    def __call__(self, argument: A) -> R:
        key, event = self._key(argument), argument.event_id
        # Nothing is ever changed in a tuple: what is known is found without waiting for what is being worked out.
        found = self._find(event, key)
        if found:
            return found[0]
        with self._lock:
            found = self._find(event, key) or (self._do(argument),)
            known = ((key, found[0]), *self._known.pop(event, ()))
            self._known[event] = known[:MAX_MOMENTS]
            # The events that changed last stay.
            for old in list(self._known)[:-MAX_EVENTS]:
                del self._known[old]
        return found[0]

    def _find(self, event: Hashable, key: object) -> tuple[R] | None:
        for known, answer in self._known.get(event, ()):
            if known == key:
                return (answer,)
        return None


def memoized_by(key: Callable[[A], object]) -> Callable[[Callable[[A], R]], Memoized[A, R]]:
    """Computed once for each key. Unchanged parts of a key should be the same objects: those compare fast."""
    return lambda work: Memoized(work, key)


@dataclass(frozen=True, eq=False, slots=True)
class SavedEvent:
    """A saved event."""

    state: EventState
    people: Mapping[str, Person] = field(default_factory=dict)

    @property
    def event_id(self) -> str:
        return self.state.id


_MOMENT = attrgetter("state.head", "people")  # of a saved event: its journal's head, and its people


def memoized(work: Callable[[SavedEvent], R]) -> Memoized[SavedEvent, R]:
    """Computed once for each state of an event."""
    return Memoized(work, _MOMENT)


def saved_event(snapshot: Snapshot, event_id: str) -> SavedEvent | None:
    """The event as last saved; None where it does not exist or was deleted."""
    state = None if event_id in snapshot.venue.deleted else snapshot.event(event_id)
    return None if state is None else SavedEvent(state, snapshot.people_of(event_id))


def _names_key(event: SavedEvent) -> object:
    """What names depend on: results change none of it."""
    return event.state.entrants, event.state.given_options, event.people


@memoized
def ranking_key(event: SavedEvent) -> object:
    """What the standings depend on: only a round's last report changes it."""
    state = event.state
    settled = settled_round(state)
    return (
        settled,
        tuple(r for r in state.public_rounds if r.number <= settled),
        state.entrants,
        state.given_options,
        state.rulebook_id,
        state.level,
        state.seed,
        state.check_in,
    )


@memoized
def tournament(event: SavedEvent) -> Tournament:
    """The event as records, with names."""
    return tournament_of(event.state, event.people)


@memoized_by(_names_key)
def all_competitors(event: SavedEvent) -> tuple[Competitor, ...]:
    """All who have entered, with names, including those still awaited."""
    return tournament_of(event.state, event.people, everybody=True).competitors


@memoized_by(_names_key)
def shown_names(event: SavedEvent) -> dict[str, str]:
    """Every competitor's public name."""
    return event_names(event.state, event.people)


@memoized_by(_names_key)
def shown_members(event: SavedEvent) -> dict[str, tuple[str, ...]]:
    """Each team's members by their public names; single players are left out."""
    whole = bool(event.state.options.get("full_names"))
    return {
        team.id: tuple(member if whole else shorten_name(member, 1) for member in team.members)
        for team in all_competitors(event)
        if team.members
    }


@memoized_by(_names_key)
def full_names(event: SavedEvent) -> dict[str, str]:
    """Every competitor's name as entered, for the organizer; namesakes with the number that their public name has."""
    return number_duplicates(
        all_competitors(event), {competitor.id: competitor.name for competitor in all_competitors(event)}
    )


def name_sort_key(name: str) -> tuple[str, str]:
    """Sorts accented letters beside their plain ones: Łukasz among the L."""
    plain = "".join(c for c in unicodedata.normalize("NFD", name.casefold()) if not unicodedata.combining(c))
    return plain.translate(str.maketrans("łøđ", "lod")), name


def current_matches(event: SavedEvent) -> Mapping[str, MatchState]:
    """Each competitor's match in the newest public round."""
    newest = newest_round(event.state)
    return newest.seats if newest is not None else {}


def settled_round(state: EventState) -> int:
    """The last complete Swiss round: standings of half a round mislead, and elimination rounds add nothing to them."""
    settled = 0
    for played in state.public_rounds:
        if played.open_matches or played.stage == ELIMINATION:
            break
        settled = played.number
    return settled


def settled_swiss_round(state: EventState) -> int:
    """As people count the rounds of standings: a tie-break round decides places and is not one of them."""
    swiss = (played.number for played in state.public_rounds if played.stage in SWISS_STAGES)
    return max((number for number in swiss if number <= settled_round(state)), default=0)


@memoized_by(ranking_key)
def settled_standings(event: SavedEvent) -> tuple[StandingsRow, ...]:
    """The standings after the last settled round; players disqualified since have no rank. Empty where a recorded
    result cannot be read."""
    try:
        return standings(tournament(event), settled_round(event.state), now=True)
    except Problem:
        return ()


@memoized_by(ranking_key)
def settled_rows(event: SavedEvent) -> dict[str, StandingsRow]:
    return {row.competitor: row for row in settled_standings(event)}


@memoized_by(ranking_key)
def ranked_count(event: SavedEvent) -> int:
    return sum(row.rank is not None for row in settled_standings(event))


@memoized_by(ranking_key)
def rank_changes(event: SavedEvent) -> dict[str, int]:
    """How many places each competitor rose (or fell, below zero) in the last settled round; who stayed is left out."""
    settled = settled_round(event.state)
    try:
        before = standings(tournament(event), settled - 1, now=True) if settled > 1 else ()
    except Problem:
        return {}
    was, now = ({row.competitor: row.rank for row in rows if row.rank} for rows in (before, settled_standings(event)))
    return {who: was[who] - rank for who, rank in now.items() if was.get(who, rank) != rank}


def _decided_key(event: SavedEvent) -> object:
    return [getattr(event.state, name) for name in DECIDED]


@memoized_by(_decided_key)
def decided_version(event: SavedEvent) -> str:
    """A digest of all that is decided about an event: name, options, officials, cut, prizes and so on."""
    return short_hash(_decided_key(event))


@memoized_by(attrgetter("state.entrants"))
def entrants_version(event: SavedEvent) -> str:
    return short_hash(list(event.state.entrants.values()))


def played_matches(event: SavedEvent, competitor: str) -> list[tuple[RoundState, MatchState]]:
    """A competitor's matches in the public rounds."""
    return [(played, played.seats[competitor]) for played in event.state.public_rounds if competitor in played.seats]


def _results_key(event: SavedEvent) -> tuple[Any, ...]:
    """What may have changed the standings: the last settled round, players, counted rounds, whether one is in play."""
    state = event.state
    settled = settled_round(state)
    counted = tuple(r for r in state.public_rounds if r.number <= settled or r.stage == ELIMINATION)
    return settled, state.entrants, counted, state.live is None


@memoized_by(_results_key)
def results_version(event: SavedEvent) -> str:
    """A digest that changes whenever a result, or a player leaving, may have changed the standings."""
    state, (settled, _, counted, _) = event.state, _results_key(event)
    return short_hash(
        settled,
        [(e.id, e.dropped_after, e.disqualified_after, state.status_now(e.id)) for e in state.entrants.values()],
        [[(m.number, m.revision) for m in r.matches] for r in counted],
    )


def planned_swiss(state: EventState) -> int | None:
    """How many Swiss rounds are planned, those of a second stage with them once it comes; None while there are too few
    players for the chosen table."""
    try:
        return total_planned_rounds(state) if in_second_swiss(state) else state.swiss_rounds
    except Problem:
        return None


def check_in_count(state: EventState) -> tuple[int, int] | None:
    """(present, entered) of those who have not left; None where the event has no check-in."""
    waiting = len(not_yet_present(state))
    if not (state.check_in or waiting):
        return None
    entered = sum(entrant.active for entrant in state.entrants.values())
    return entered - waiting, entered


def newest_round(state: EventState) -> RoundState | None:
    return state.public_rounds[-1] if state.public_rounds else None


def short_hash(*parts: Any) -> str:
    """A digest of values whose repr is stable."""
    return hashlib.blake2s(repr(parts).encode(), digest_size=8).hexdigest()


@memoized
def _course(event: SavedEvent) -> str:
    """A digest of every result of the event, cached for all its readers."""
    return state_mark(event.state, COURSE)


class StepMarks:
    """The marks that a page's forms send back, to refuse stale ones (event/stale_check.py); computed on first use."""

    def __init__(self, state: EventState) -> None:
        self._state = state

    @cached_property
    def course(self) -> str:
        """Of draw, publish, cut and finish, and of undoing them."""
        return _course(SavedEvent(self._state))

    @cached_property
    def clock(self) -> str:
        """Of every clock form."""
        return state_mark(self._state, CLOCK)

    def person(self, competitor: str) -> str:
        """Of a player leaving, coming back or being disqualified."""
        return person_mark(self._state, competitor, self._seats.get(competitor))

    def details(self, competitor: str) -> str:
        """Of a player's names, details, companions and fixed table."""
        return state_mark(self._state, f"{DETAILS}{competitor}")

    def warned(self, competitor: str) -> str:
        """Of one more warning or proposal, so that pressing twice counts once."""
        return state_mark(self._state, f"{WARNED}{competitor}")

    def log(self, match: str) -> str:
        """Of a note at a match: a ruling, an appeal and its decision, an extension taken back."""
        return state_mark(self._state, f"{LOG}{match}")

    @cached_property
    def _seats(self) -> dict[str, MatchState]:
        return open_matches_by_player(self._state)


def known_events(snapshot: Snapshot) -> list[EventLine]:
    """Every event that is not deleted, oldest first."""
    return [
        snapshot.events.get(event_id) or snapshot.dormant[event_id]
        for event_id in snapshot.ids
        if event_id not in snapshot.venue.deleted
    ]


def listed_events(snapshot: Snapshot) -> list[EventLine]:
    """The events to choose from: those that are not archived."""
    return [line for line in known_events(snapshot) if line.id not in snapshot.venue.archived]


def open_sign_ups(snapshot: Snapshot) -> list[EventState]:
    """The events that players enter by their own phones now."""
    listed = (line for line in listed_events(snapshot) if isinstance(line, EventState))
    return [state for state in listed if state.sign_up and not state.rounds and not state.finished]


def sign_up_ids(snapshot: Snapshot) -> list[tuple[str, str]]:
    """What pages that offer them depend on."""
    return [(state.id, state.name) for state in open_sign_ups(snapshot)]


def archived_list(snapshot: Snapshot) -> list[EventLine]:
    return [line for line in known_events(snapshot) if line.id in snapshot.venue.archived]
