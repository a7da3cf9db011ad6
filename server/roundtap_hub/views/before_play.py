"""Choices at a table before play: who has initiative or begins, and the lots drawn for them."""

from collections.abc import Mapping
from dataclasses import dataclass

from msgspec.structs import replace

from roundtap_core.event.event_flow import situation_of
from roundtap_core.event.person import Person
from roundtap_core.event.states import PUBLISHED, EventState, MatchState, RoundState
from roundtap_core.lists.list_form import names_at
from roundtap_core.records import SIDES, Side
from roundtap_core.rulebooks.base import BY_LOT, FIRST_PLAYER, INITIATIVE, MatchSituation


@dataclass(frozen=True, slots=True)
class PreGameChoice:
    """`about`: "first_player" or "initiative"; `side`: who begins or chooses, None while unknown; `lot`: whether a lot
    decides it; `drawn`: whether it was drawn."""

    about: str
    side: Side | None
    lot: bool
    drawn: bool = False


def pre_game_choice(state: EventState, played: RoundState, match: MatchState) -> PreGameChoice | None:
    """The choice at this table; None where its rulebook has none, or the lists' totals are unknown."""
    lots = state.rulebook.lots
    if FIRST_PLAYER in lots:
        return PreGameChoice(FIRST_PLAYER, match.lots.get(FIRST_PLAYER), True, FIRST_PLAYER in match.lots)
    if INITIATIVE not in lots or match.match.b is None:
        return None
    chooses = state.rulebook.chooses_initiative(situation_of(state, played, match))
    if chooses == BY_LOT:
        return PreGameChoice(INITIATIVE, match.lots.get(INITIATIVE), True, INITIATIVE in match.lots)
    side = next((side for side in SIDES if side == chooses), None)
    return PreGameChoice(INITIATIVE, side, False) if side is not None else None


def lot_to_draw(state: EventState, played: RoundState, match: MatchState) -> str:
    """What a lot is still to be drawn for at this table; "" for nothing, and once a result stands."""
    first = pre_game_choice(state, played, match)
    waits = played.status == PUBLISHED and match.match.result is None and not state.finished
    return first.about if waits and first is not None and first.lot and not first.drawn else ""


def situation_at(
    state: EventState, people: Mapping[str, Person], played: RoundState, match: MatchState
) -> MatchSituation:
    """The match's situation, with the houses of both decks where the rulebook needs them and they are known."""
    situation = situation_of(state, played, match)
    if FIRST_PLAYER not in state.rulebook.lots:
        return situation
    decks = [_houses(state, people.get(match.match.competitor(side) or "")) for side in SIDES]
    return replace(situation, houses=(decks[0], decks[1])) if any(decks) else situation


def _houses(state: EventState, person: Person | None) -> tuple[str, ...]:
    if person is None:
        return ()
    return tuple(names_at(state.rulebook.lists.of_competitor(person.to_competitor("")), "houses"))
