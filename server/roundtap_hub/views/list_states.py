"""The state of each competitor's army list or deck, as the whole event knows it."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from roundtap_core.errors import Problem
from roundtap_core.records import Competitor
from roundtap_hub.views.saved_event import SavedEvent, all_competitors, memoized_by

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
