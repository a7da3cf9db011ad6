"""Squads that a competitor still has to field, by letters, and whether every remaining pick must be one of them."""

from __future__ import annotations

from collections.abc import Mapping

from roundtap_core.event.event_flow import squads_lost, squads_to_field
from roundtap_core.event.state import PUBLISHED, EventState, MatchState, RoundState
from roundtap_core.lists.squads import letter
from roundtap_core.records import SIDES, SWISS, Result
from roundtap_core.rulebooks.result_words import ResultLine
from roundtap_core.words import Words

OwedSquads = tuple[str, bool]
"""(letters of the squads still to be fielded, "C D"; whether every remaining pick must be one of them)"""


def owed_squads(state: EventState, competitor: str) -> OwedSquads:
    """As of now: a Swiss round in play counts as still to come until its squads are known."""
    rounds = state.public_rounds
    newest = rounds[-1] if rounds else None
    to_come = newest is not None and newest.stage == SWISS and newest.status == PUBLISHED and any(
        competitor in (m.match.a, m.match.b) and not (m.match.result or m.match.picks) for m in newest.matches)
    return _owed(state, (newest.number if newest else 0) + (not to_come), SWISS, competitor)


def squads_of_match(state: EventState, played: RoundState, match: MatchState) -> dict[str, OwedSquads]:
    """By side, as of the start of the round."""
    return {side: _owed(state, played.number, played.stage, who)
            for side in SIDES if (who := match.match.competitor(side)) is not None}


def _owed(state: EventState, number: int, stage: str, who: str) -> OwedSquads:
    owed = squads_to_field(state, number, stage, who)
    return ("", False) if owed is None else (" ".join(map(letter, owed.squads)), owed.must)


def lost_squads(state: EventState, played: RoundState, match: MatchState, result: Result, names: Mapping[str, str],
                words: Words) -> list[ResultLine]:
    """A line for each side that could never field some of its squads if this result stood."""
    picks = result.picks or {}
    lost = {side: squads_lost(state, played, match.match.competitor(side) or "", picks[side])
            for side in SIDES if side in picks}
    return [ResultLine(words("squads.lost"), f"{names[side]}: {' '.join(map(letter, squads))}")
            for side, squads in lost.items() if squads]
