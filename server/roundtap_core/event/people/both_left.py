"""If both leave in mid-game, one after the other, nobody wins (house decision)."""

from __future__ import annotations

from dataclasses import replace

from roundtap_core.event.entries import NewEntry
from roundtap_core.event.state import EventState, MatchState, RoundState
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
    return wins_by_leaving(state).get(competitor)


def wins_by_leaving(state: EventState) -> dict[str, MatchState]:
    """What `won_by_leaving` says of everybody, in one walk through the round: who has no such win is not in it."""
    live = state.live
    if live is None:
        return {}
    wins = [(winner, match) for match in live.matches if (winner := _won_by_leaving(state, live, match)) is not None]
    if wins and not live.open_matches:
        wins = [(winner, match) for winner, match in wins if _in_one_go(state, match)]
    return dict(wins)


def _won_by_leaving(state: EventState, live: RoundState, match: MatchState) -> str | None:
    """Whoever has this match because the other one left in it."""
    result = match.match.result
    if result is None or result.ended != CONCESSION or not match.decided:
        return None
    winner, loser = (match.match.b, match.match.a) if result.conceded_by == "a" else (match.match.a, match.match.b)
    if winner is None or loser is None:
        return None
    left = state.entrants[loser]
    return winner if live.number in (left.dropped_after, left.disqualified_after) else None


def _in_one_go(state: EventState, match: MatchState) -> bool:
    """Whether nothing has happened since the opponent left."""
    return match.number is not None and state.number <= match.number + 1
