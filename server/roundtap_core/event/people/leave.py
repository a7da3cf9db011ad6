"""What becomes of the match that somebody leaves in mid-game, by their own will or disqualified."""

from __future__ import annotations

from dataclasses import replace

from roundtap_core.event.course import situation_of
from roundtap_core.event.entries import NewEntry
from roundtap_core.event.state import TOGETHER, EventState, MatchState, RoundState
from roundtap_core.records import CONCESSION, RULING, Result, Side, other
from roundtap_core.result_json import result_to_json
from roundtap_core.rulebooks.gate import OFFICIAL, Saying, refuse

SCORE, PICKS = "score", "picks"
LEAVING = Saying(OFFICIAL, reason="leaves")


def leave_open_match(state: EventState, competitor: str, stood: Result | None = None,
                     disqualified: bool = False) -> list[NewEntry]:
    """Leaving during a game is a concession (RULEBOOKS 9): the opponent wins the open match, and may leave as well. If
    both had asked to before either left, nobody wins. What a side has reported is not touched: it goes to the other,
    or to an official; but the match of who is `disqualified` goes to the opponent (RULEBOOKS 8).

    `stood`: the figures and squads of that match as they stood. Without them a match whose figures count stays open
    until somebody says them. Raises Problem where they cannot be.
    """
    found = open_match(state, competitor)
    if found is None or (found[1].reports and not disqualified):
        return []
    round_state, match = found
    side = _side_of(match, competitor)
    opponent = state.entrants[match.match.competitor(other(side)) or ""]
    if not opponent.at_the_table and opponent.how_left == TOGETHER:
        return [_entered(match, replace(stood or Result(), ended=RULING, winner="none", conceded_by=None))]
    if stood is None and SCORE in waits_for(state, round_state, match):
        # What the disqualified one, or the other, has said is no way any more to win it for whoever is out.
        return [NewEntry("result-entered", {"match": match.id, "result": None})] if match.reports else []
    first: Side = side if opponent.at_the_table else other(side)
    result = replace(stood or Result(), ended=CONCESSION, winner=None, conceded_by=first)
    if stood is not None:
        refuse(state.rulebook, result, state.options, situation_of(state, round_state, match), LEAVING)
    return [_entered(match, result)]


def both_left(state: EventState, competitor: str) -> list[NewEntry]:
    """The ruling in place of the win that somebody has because the other left, where both had asked to before."""
    match = wins_by_leaving(state).get(competitor)
    if match is None or match.match.result is None:
        return []
    return [_entered(match, replace(match.match.result, ended=RULING, winner="none", conceded_by=None))]


def wins_by_leaving(state: EventState) -> dict[str, MatchState]:
    """Who loses such a win by leaving, with the match: of the round in play, where both had asked to leave."""
    found = {}
    for match in state.live.matches if state.live is not None else ():
        result = match.match.result
        if match.by_leaving and result is not None and result.ended == CONCESSION:
            first: Side = "a" if result.conceded_by == "a" else "b"
            winner, loser = match.match.competitor(other(first)), match.match.competitor(first)
            if winner is not None and state.entrants[loser or ""].how_left == TOGETHER:
                found[winner] = match
    return found


def leaving_undone(state: EventState, competitor: str) -> list[NewEntry]:
    """Who comes back plays the match on that their leaving has ended, as long as its round is in play and the other one
    is there; where both had left, the other one has conceded, by figures that are to be said anew."""
    live = state.live
    for match in live.matches if live is not None else ():
        result = match.match.result
        if live is None or not match.by_leaving or result is None or competitor not in (match.match.a, match.match.b):
            continue
        side = _side_of(match, competitor)
        opponent_stays = state.entrants[match.match.competitor(other(side)) or ""].at_the_table
        if result.ended == CONCESSION and result.conceded_by == side and opponent_stays:
            return [NewEntry("result-entered", {"match": match.id, "result": None})]
        if result.ended == RULING:
            anew = None if waits_for(state, live, match) else Result(CONCESSION, conceded_by=other(side))
            return [_entered(match, anew)]
    return []


def _side_of(match: MatchState, competitor: str) -> Side:
    return "a" if match.match.a == competitor else "b"


def _entered(match: MatchState, result: Result | None) -> NewEntry:
    said = result_to_json(result) if result is not None else None
    return NewEntry("result-entered", {"match": match.id, "result": said, "left": True})


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
                 and not match.reports
                 and not all(state.entrants[who].at_the_table for who in (match.match.a, match.match.b)))


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
