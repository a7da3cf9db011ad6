"""The competitors as the organizer sees them, one row each, and the state of each one's army list or deck."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from roundtap_core.errors import Problem
from roundtap_core.event import states
from roundtap_core.event.event_flow import (
    current_seeds,
    squads_let_go,
    squads_to_field,
    swiss_rounds_after,
)
from roundtap_core.lists.list_form import squad_letter
from roundtap_core.records import DISQUALIFIED, DROPPED, SIDES, SWISS, Competitor, Result
from roundtap_core.rulebooks.result_words import ResultLine
from roundtap_core.words import Words
from roundtap_hub.views.saved_event import (
    SavedEvent,
    all_competitors,
    current_matches,
    full_names,
    memoized_by,
    name_sort_key,
    shown_names,
)

IN, LEFT, OUT = "in", "left", "out"
_cached_sort_key = lru_cache(maxsize=2048)(name_sort_key)  # removing accents takes longer than all else here


@dataclass(frozen=True, slots=True)
class CompetitorRow:
    id: str
    name: str
    public: str
    status: str
    after: int | None
    won_bye: bool
    came_with: str | None
    table: int | None
    missed: int
    club: str = ""
    external_id: str = ""
    paid: bool = False
    note: bool = False
    fixed_table: int | None = None
    awaited: bool = False  # entered, but not yet present
    to_confirm: bool = False  # signed up by phone, not yet confirmed at the desk
    removable: bool = False  # never played and without notes: the entry may be removed


def roster(event: SavedEvent) -> list[CompetitorRow]:
    """All competitors, by name."""
    return sorted(_competitor_rows(event, event.state.entrants.values()), key=lambda e: _cached_sort_key(e.name))


def competitor_row(event: SavedEvent, competitor: str) -> CompetitorRow:
    return next(_competitor_rows(event, [event.state.entrants[competitor]]))


def _competitor_rows(event: SavedEvent, entrants: Iterable[states.Entrant]) -> Iterator[CompetitorRow]:
    state, names, public = event.state, full_names(event), shown_names(event)
    waiting, seated = states.not_yet_present(state), states.seated_ids(state)
    sitting = current_matches(event) if state.live else {}
    for entrant in entrants:
        match = sitting.get(entrant.id)
        status = {None: IN, DROPPED: LEFT, DISQUALIFIED: OUT}[entrant.status]
        after = entrant.disqualified_after if status == OUT else entrant.dropped_after
        person = event.people.get(entrant.id)
        yield CompetitorRow(
            entrant.id,
            names[entrant.id],
            public[entrant.id],
            status,
            after,
            entrant.won_bye,
            entrant.came_with,
            match.match.table if match else None,
            max(0, len(state.public_rounds) - (after or 0)) if status == LEFT else 0,
            *(
                ((person.club or "", person.external_id or "", person.paid, bool(person.note)))
                if person
                else ("", "", False, False)
            ),
            entrant.fixed_table,
            entrant.id in waiting,
            entrant.active and entrant.sign_up == states.TO_CONFIRM,
            entrant.id not in seated
            and entrant.disqualified_after is None
            and not entrant.warnings
            and not entrant.list_corrections,
        )


OwedSquads = tuple[str, bool]
"""(letters of the squads still to be fielded, "C D"; whether every remaining pick must be one of them)"""


def owed_squads(state: states.EventState, competitor: str) -> OwedSquads:
    """As of now: a round in play counts as still to come until its squads are known. Where none is certain to come,
    no pick has to be made."""
    if state.rulebook.squads is None:
        return "", False
    live, played = state.live, len(state.public_rounds)
    seat = live.seats.get(competitor) if live is not None else None
    if live is not None and seat is not None and not (seat.match.result or seat.match.picks):
        return _owed(state, live.number, live.stage, competitor)
    owed, must = _owed(state, played + 1, SWISS, competitor)
    goes_on = state.cut is None or competitor in current_seeds(state)
    return owed, must and goes_on and swiss_rounds_after(state, played) > 0


def squads_of_match(
    state: states.EventState, played: states.RoundState, match: states.MatchState
) -> dict[str, OwedSquads]:
    """By side, as of the start of the round."""
    return {
        side: _owed(state, played.number, played.stage, who)
        for side in SIDES
        if (who := match.match.competitor(side)) is not None
    }


def _owed(state: states.EventState, number: int, stage: str, who: str) -> OwedSquads:
    owed = squads_to_field(state, number, stage, who)
    return ("", False) if owed is None else (" ".join(map(squad_letter, owed.squads)), owed.must)


def lost_squads(
    state: states.EventState,
    played: states.RoundState,
    match: states.MatchState,
    result: Result,
    names: Mapping[str, str],
    words: Words,
) -> list[ResultLine]:
    """A line for each side that could never field some of its squads if this result stood."""
    lost = {
        side: squads_let_go(state, played, match.match, {side: squads})
        for side, squads in sorted((result.picks or {}).items())
    }
    return [
        ResultLine(words("squads.lost"), f"{names[side]}: {squads.partition(': ')[2]}")
        for side, squads in lost.items()
        if squads
    ]


MISSING, WRONG, FLAGGED, GOOD, NONE = "missing", "wrong", "flagged", "good", "none"
"""States of a list: required but missing; with problems; flagged for an official; good; missing and not required."""


@dataclass(frozen=True, slots=True)
class ListState:
    """The state of one competitor's list, with its numbers of problems and flags."""

    state: str
    problems: int = 0
    flags: int = 0


def _lists_key(event: SavedEvent) -> object:
    """What lists and their checks depend on: not reports and results, which come by the hundred."""
    state = event.state
    return state.entrants, event.people, state.rulebook_id, state.level, state.given_options


@memoized_by(_lists_key)
def list_states(event: SavedEvent) -> Mapping[str, ListState]:
    """The state of each list, by competitor."""
    state, people = event.state, all_competitors(event)
    check, options = state.rulebook.lists, state.options
    flags = [0] * len(people)
    for problem in check.event_warnings(people, options):
        flags[int(problem.where.split("/")[1])] += 1
    states = {}
    for place, person in enumerate(people):
        list_ = check.of_competitor(person)
        flags[place] += len(check.warnings(list_, options, state.level))
        problems = len(check.competitor_problems(person, options, state.level))
        states[person.id] = ListState(_state(list_, problems, flags[place]), problems, flags[place])
    return states


def _state(list_: Mapping[str, Any], problems: int, flags: int) -> str:
    if not list_:
        return MISSING if problems else NONE
    return WRONG if problems else FLAGGED if flags else GOOD


def list_counts(event: SavedEvent) -> dict[str, int]:
    """How many active competitors' lists are missing, wrong or flagged; zeros are left out."""
    states = list_states(event)
    counts = Counter(states[entrant.id].state for entrant in event.state.entrants.values() if entrant.active)
    return {state: counts[state] for state in (MISSING, WRONG, FLAGGED) if counts[state]}


def flags_of(event: SavedEvent, competitor: Competitor) -> list[Problem]:
    """The flags of one competitor's list, with places in the list."""
    people = all_competitors(event)
    check, options = event.state.rulebook.lists, event.state.options
    place = next(n for n, person in enumerate(people) if person.id == competitor.id)
    mine = [
        p.replace(p.where.removeprefix(f"/{place}").removeprefix("/list"))
        for p in check.event_warnings(people, options)
        if p.where.split("/")[1] == str(place)
    ]
    return [*check.warnings(check.of_competitor(competitor), options, event.state.level), *mine]
