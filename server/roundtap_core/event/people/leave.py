"""What becomes of the match that somebody leaves in mid-game, by their own will or disqualified."""

from __future__ import annotations

from dataclasses import replace

from roundtap_core.event.course import situation_of
from roundtap_core.event.entries import NewEntry
from roundtap_core.event.state import EventState, MatchState, RoundState
from roundtap_core.records import CONCESSION, RULING, Result, Side
from roundtap_core.result_json import result_to_json
from roundtap_core.rulebooks.gate import OFFICIAL, Saying, refuse

SCORE, PICKS = "score", "picks"
LEAVING = Saying(OFFICIAL, reason="leaves")


def leave_open_match(state: EventState, competitor: str, stood: Result | None = None) -> list[NewEntry]:
    """Leaving during a game is a concession (house decision): the opponent wins the open match; if that one has left
    as well, nobody does (RULEBOOKS 8).

    `stood`: the figures and squads of that match as they stood. Without them a match whose figures count (Warlords:
    life totals) stays open until somebody says them. Raises Problem where they cannot be.
    """
    found = open_match(state, competitor)
    if found is None:
        return []
    round_state, match = found
    side: Side = "a" if match.match.a == competitor else "b"
    opponent = match.match.b if side == "a" else match.match.a
    if opponent is not None and not state.entrants[opponent].active:
        result = replace(stood or Result(), ended=RULING, winner="none", conceded_by=None)
    elif stood is None and SCORE in waits_for(state, round_state, match):
        return []
    else:
        result = replace(stood or Result(), ended=CONCESSION, winner=None, conceded_by=side)
        if stood is not None:
            refuse(state.rulebook, result, state.options, situation_of(state, round_state, match), LEAVING)
    return [NewEntry("result-entered", {"match": match.id, "result": result_to_json(result)})]


def open_match(state: EventState, competitor: str) -> tuple[RoundState, MatchState] | None:
    """The match that somebody is in the middle of, and its round; None where there is none, or it has a result."""
    if state.live is None:
        return None
    return next(((state.live, match) for match in state.live.matches
                 if competitor in (match.match.a, match.match.b) and match.match.bye is None
                 and match.match.result is None), None)


def waits_for(state: EventState, round_state: RoundState, match: MatchState) -> tuple[str, ...]:
    """What has to be said of a match that is left in mid-game ("score", "wounds", "picks"); nothing of a best of
    three, which keeps who won."""
    stage = situation_of(state, round_state, match).stage
    return () if state.rulebook.games(stage, state.options) > 1 else state.rulebook.leaving_asks


def left_open(state: EventState) -> tuple[MatchState, ...]:
    """Matches of the round in play that somebody has left and that wait for their figures."""
    if state.live is None:
        return ()
    return tuple(match for match in state.live.matches if match.match.b is not None and match.match.result is None
                 and not all(state.entrants[who].active for who in (match.match.a, match.match.b)))


def squads_owed(state: EventState) -> tuple[tuple[RoundState, MatchState, tuple[Side, ...]], ...]:
    """Played matches with the sides whose squads nobody has recorded. A ruling may be of a match that never began."""
    if state.rulebook.squads is None:
        return ()
    found = []
    for played in state.public_rounds:
        for match in played.matches:
            result = match.match.result
            if match.match.b is None or result is None or result.ended == RULING:
                continue
            sides: tuple[Side, ...] = ("a", "b")
            missing = tuple(side for side in sides if not (result.picks or {}).get(side))
            if missing:
                found.append((played, match, missing))
    return tuple(found)
