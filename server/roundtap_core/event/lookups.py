"""What several decisions, and what their entries change, look up first; a Problem names what is missing."""

from collections.abc import Callable, Collection, Iterable, Mapping
from functools import wraps
from itertools import chain, count
from typing import Any

from msgspec.structs import replace

from roundtap_core.errors import Invalid, Problem
from roundtap_core.event.entries import Entry, NewEntry
from roundtap_core.event.states import DRAFT, Entrant, EventState, MatchState, RoundState


def require_entrant(state: EventState, competitor: str) -> Entrant:
    """The entrant, or Problem("unknown_competitor")."""
    entrant = state.entrants.get(competitor)
    if entrant is None:
        raise Problem("unknown_competitor", competitor=competitor)
    return entrant


def last_round_number(state: EventState) -> int:
    """The number of the newest public round; 0 before the first."""
    return state.public_rounds[-1].number if state.public_rounds else 0


def without_draft(state: EventState) -> list[NewEntry]:
    """Discard the unpublished draft: who plays has changed."""
    return [NewEntry("draft-discarded", {"number": state.draft.number})] if state.draft else []


def require_reason(reason: str) -> str:
    """The text without the spaces around it, or Problem("reason_missing")."""
    if not reason.strip():
        raise Invalid("reason_missing")
    return reason.strip()


def find_match(state: EventState, match_id: str) -> tuple[RoundState, MatchState]:
    """The match and its round; Problem("unknown_match") where there is none that people have seen."""
    round_and_match = state.find_match(match_id)
    if round_and_match is None or round_and_match[0].status == DRAFT:
        raise Problem("unknown_match", match=match_id)
    return round_and_match


def match_of_two(state: EventState, match_id: str) -> MatchState:
    """A match that two play; Problem("unknown_match") where there is none."""
    match = find_match(state, match_id)[1]
    if match.match.b is None:
        raise Problem("unknown_match", match=match_id)
    return match


def free_table(state: EventState, taken: Collection[int | None], wanted: Iterable[int | None] = ()) -> int:
    """The first of `wanted` that is not `taken`, else the lowest such table that is not fixed for a player."""
    fixed = {entrant.fixed_table for entrant in state.entrants.values()}
    free = (table for table in count(1) if table not in fixed)
    return next(table for table in chain(wanted, free) if table is not None and table not in taken)


Step = Callable[[EventState, Mapping[str, Any], Entry], EventState]
"""How one kind of entry, with these data, changes the state."""


Fields = Callable[[Mapping[str, Any]], dict[str, Any]]
"""What the data of one kind of entry set."""


def event_step(fields: Fields) -> Step:
    """A step that sets fields of the event."""
    return lambda state, data, entry: replace(state, **fields(data))


def entrant_step(fields: Fields) -> Step:
    """A step that sets fields of the entrant whom its entry names."""
    return lambda state, data, entry: state.with_entrant(data["competitor"], **fields(data))


def match_step(step: Callable[[EventState, RoundState, MatchState, Mapping[str, Any], Entry], EventState]) -> Step:
    """A step that changes the match which its entry names; one that is not there changes nothing."""

    @wraps(step)
    def changed(state: EventState, data: Mapping[str, Any], entry: Entry) -> EventState:
        round_and_match = state.find_match(data["match"])
        return state if round_and_match is None else step(state, *round_and_match, data, entry)

    return changed
