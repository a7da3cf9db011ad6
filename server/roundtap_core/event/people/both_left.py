"""If both leave in mid-game, one after the other, nobody wins (house decision)."""

from __future__ import annotations

from dataclasses import replace

from roundtap_core.event.entries import NewEntry
from roundtap_core.event.state import EventState, MatchState
from roundtap_core.records import CONCESSION, RULING
from roundtap_core.result_json import result_to_json


def both_left(state: EventState, competitor: str) -> list[NewEntry]:
    """The ruling that takes the place of the win which an opponent's leaving has just given to who leaves as well."""
    match = won_by_leaving(state, competitor)
    if match is None or match.match.result is None:
        return []
    result = replace(match.match.result, ended=RULING, winner="none", conceded_by=None)
    return [NewEntry("result-entered", {"match": match.id, "result": result_to_json(result)})]


def won_by_leaving(state: EventState, competitor: str) -> MatchState | None:
    """The match of the round in play that somebody has only because the opponent left in it: no table reported it.

    Once every result of the round is there, whoever goes home keeps the win, unless both have left in one go.
    """
    for match in state.live.matches if state.live else ():
        together = match.number is not None and state.number <= match.number + 1
        if state.live is not None and not state.live.open_matches and not together:
            continue
        result, pair = match.match.result, (match.match.a, match.match.b)
        if competitor not in pair or result is None or result.ended != CONCESSION or not match.decided:
            continue
        loser = match.match.competitor("a" if result.conceded_by == "a" else "b")
        if loser is None or loser == competitor:
            continue
        entrant = state.entrants[loser]
        if state.live and state.live.number in (entrant.dropped_after, entrant.disqualified_after):
            return match
    return None
