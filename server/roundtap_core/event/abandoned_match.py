"""What becomes of a match that a player leaves in mid-game, by dropping or disqualified."""

from collections.abc import Mapping

from msgspec import Struct
from msgspec.structs import replace

from roundtap_core.event import event_flow
from roundtap_core.event.entries import NewEntry
from roundtap_core.event.states import TOGETHER, EventState, MatchState, RoundState
from roundtap_core.records import CONCESSION, RULING, SIDES, Result, Side, other_side, result_to_json
from roundtap_core.rulebooks.result_gate import OFFICIAL, ResultSource, refuse_result

SCORE, PICKS = "score", "picks"
LEAVING = ResultSource(OFFICIAL, reason="leaves")

BEFORE, LATER, CONCEDES, REPORTED, JUDGED, WAITS, BOTH, PLACE, KNOCKOUT, OUT = (
    "before",
    "later",
    "concedes",
    "reported",
    "judged",
    "waits",
    "both",
    "place",
    "knockout",
    "out",
)


class LeaveEffect(Struct, frozen=True):
    """What a player's leaving would do now (`what`, one of the words above), at which `match`, and who is their
    `opponent` there."""

    what: str
    match: MatchState | None = None
    opponent: str = ""


def leave_effect(state: EventState, competitor: str) -> LeaveEffect:
    """BEFORE round 1 and LATER nothing but that they are not drawn. CONCEDES: the opponent wins the open match.
    REPORTED, JUDGED: a report is there, which the opponent, or only an official, has to confirm. WAITS: the opponent
    left first, and the figures are still missing. BOTH: it takes back the win that the opponent's leaving gave.
    PLACE: a place of the cut is offered to the next. KNOCKOUT: the next opponent in the bracket has a bye.
    OUT: nothing, as the bracket has no match left for them."""
    won, round_and_match = wins_lost_by_leaving(state).get(competitor), open_match(state, competitor)
    match = round_and_match[1] if round_and_match is not None else won
    opponent = (match.match.competitor(other_side(_side_of(match, competitor))) if match is not None else "") or ""
    if frees_cut_place(state, competitor):
        return LeaveEffect(PLACE, match, opponent)
    if round_and_match is None or match is None:
        return LeaveEffect(
            BOTH
            if won is not None
            else _bracket_effect(state, competitor)
            if event_flow.elimination_rounds(state)
            else LATER
            if state.public_rounds
            else BEFORE,
            match,
            opponent,
        )
    there = state.entrants[opponent].plays_live_match
    if match.reports:
        confirms = there and other_side(_side_of(match, competitor)) not in match.reports
        return LeaveEffect(REPORTED if confirms else JUDGED, match, opponent)
    return LeaveEffect(CONCEDES if there else WAITS, match, opponent)


def _bracket_effect(state: EventState, competitor: str) -> str:
    bracket = event_flow.current_bracket(state)
    games = bracket.games if bracket is not None else ()
    return (
        KNOCKOUT
        if any(competitor in (game.a.competitor, game.b.competitor) and not game.decided for game in games)
        else OUT
    )


def confirmer_has_left(state: EventState, match_id: str) -> bool:
    """Whether one side has reported, and the other one is no longer there to confirm it."""
    round_and_match = state.find_match(match_id)
    return (
        round_and_match is not None
        and round_and_match[1].match.result is None
        and any(
            round_and_match[1].reports
            and side not in round_and_match[1].reports
            and not state.entrants[who].plays_live_match
            for side in SIDES
            if (who := round_and_match[1].match.competitor(side)) is not None
        )
    )


def leaves_after_round(state: EventState, competitor: str) -> bool:
    """Whether they leave after the round that is out, and still have a match to play in it."""
    entrant = state.entrants[competitor]
    return not entrant.active and entrant.plays_live_match and open_match(state, competitor) is not None


def frees_cut_place(state: EventState, competitor: str) -> bool:
    """ "Der Schnitt": whether a player who made the cut would leave before any game of the new stage has started, so
    that the place is offered on and all below move up a seed."""
    return (
        state.cut is not None
        and competitor in event_flow.current_seeds(state)
        and not event_flow.first_game_started(state)
    )


def rounds_taken_back(state: EventState, competitor: str) -> list[NewEntry]:
    """The first round of the new stage, though published, where a place becomes free."""
    if not frees_cut_place(state, competitor):
        return []
    return [NewEntry("round-withdrawn", {"number": played.number}) for played in event_flow.second_stage_begun(state)]


def leave_open_match(
    state: EventState, competitor: str, stood: Result | None = None, lets_go: str = "", disqualified: bool = False
) -> list[NewEntry]:
    """Leaving during a game is a concession (RULEBOOKS 9): the opponent wins the open match, and may leave as well. If
    both had asked to before either left, neither wins. What a side has reported is not touched: it goes to the other,
    or to an official; but the match of who is `disqualified` goes to the opponent (RULEBOOKS 8).

    `stood`: the figures and squads of that match as they stood. Without them a match whose figures count stays open
    until somebody says them. `lets_go`: the confirmed squads that who stays can never field any more. Raises Problem
    where they cannot be, or lose squads that were not confirmed.
    """
    round_and_match = open_match(state, competitor)
    if round_and_match is None or (round_and_match[1].reports and not disqualified):
        return []
    round_state, match = round_and_match
    side = _side_of(match, competitor)
    opponent = state.entrants[match.match.competitor(other_side(side)) or ""]
    if not opponent.plays_live_match and opponent.how_left == TOGETHER:
        return [_result_entry(match, replace(stood or Result(), ended=RULING, winner="none", conceded_by=None))]
    if stood is None and SCORE in missing_after_leaving(state, round_state, match):
        # Reports made before can no longer win the match for the player who is out.
        return [NewEntry("result-entered", {"match": match.id, "result": None})] if match.reports else []
    first: Side = side if opponent.plays_live_match else other_side(side)
    result = replace(stood or Result(), ended=CONCESSION, winner=None, conceded_by=first)
    if stood is not None:
        refuse_result(
            state.rulebook, result, state.options, event_flow.situation_of(state, round_state, match), LEAVING
        )
    staying = {at: squads for at, squads in (result.picks or {}).items() if opponent.plays_live_match and at != side}
    lost = event_flow.refuse_squads_lost(state, round_state, match.match, staying, lets_go)
    return [_result_entry(match, result, lost)]


def ruling_both_left(state: EventState, competitor: str) -> list[NewEntry]:
    """The ruling in place of the win that a player has because the other left, where both had asked to before."""
    match = wins_lost_by_leaving(state).get(competitor)
    if match is None or match.match.result is None:
        return []
    return [_result_entry(match, replace(match.match.result, ended=RULING, winner="none", conceded_by=None))]


def wins_lost_by_leaving(state: EventState) -> dict[str, MatchState]:
    """Who loses such a win by leaving, with the match: of the round in play, where both had asked to leave."""
    wins = {}
    for match in state.live.matches if state.live is not None else ():
        result = match.match.result
        if match.by_leaving and result is not None and result.ended == CONCESSION:
            first: Side = "a" if result.conceded_by == "a" else "b"
            winner, loser = match.match.competitor(other_side(first)), match.match.competitor(first)
            if winner is not None and state.entrants[loser or ""].how_left == TOGETHER:
                wins[winner] = match
    return wins


def undo_leaving(state: EventState, competitor: str) -> list[NewEntry]:
    """Who comes back plays the match on that leaving has ended, as long as its round is in play and both are there
    then; where both had left, the other one has conceded, by figures that must be given anew."""
    live, match = state.live, match_ended_by_leaving(state, competitor)
    if live is None or match is None or match.match.result is None:
        return []
    opponent = match.match.competitor(other_side(_side_of(match, competitor))) or ""
    if match.match.result.ended == RULING:
        anew = (
            None
            if missing_after_leaving(state, live, match)
            else Result(CONCESSION, conceded_by=other_side(_side_of(match, competitor)))
        )
        gone = state.entrants[opponent]
        # From now on the other one has left alone: who comes back may go home with the win.
        alone = (
            [NewEntry("competitor-dropped", {"competitor": opponent, "after": gone.dropped_after})]
            if gone.how_left == TOGETHER
            else []
        )
        return [_result_entry(match, anew), *alone]
    if not state.entrants[opponent].plays_live_match:
        return []
    return [NewEntry("result-entered", {"match": match.id, "result": None})]


def match_ended_by_leaving(state: EventState, competitor: str) -> MatchState | None:
    """Their match of the round in play, where leaving has ended it."""
    return next(
        (
            match
            for match in (state.live.matches if state.live is not None else ())
            if match.by_leaving and match.match.result is not None and competitor in (match.match.a, match.match.b)
        ),
        None,
    )


def _side_of(match: MatchState, competitor: str) -> Side:
    return "a" if match.match.a == competitor else "b"


def _result_entry(match: MatchState, result: Result | None, lost: Mapping[str, str] | None = None) -> NewEntry:
    recorded = result_to_json(result) if result is not None else None
    return NewEntry("result-entered", {"match": match.id, "result": recorded, "left": True, **(lost or {})})


def open_match(state: EventState, competitor: str) -> tuple[RoundState, MatchState] | None:
    """The match that a player is in the middle of, and its round; None where there is none, or it has a result."""
    if state.live is None:
        return None
    return next(
        (
            (state.live, match)
            for match in state.live.matches
            if competitor in (match.match.a, match.match.b) and match.match.bye is None and match.match.result is None
        ),
        None,
    )


def missing_after_leaving(state: EventState, round_state: RoundState, match: MatchState) -> tuple[str, ...]:
    """What has to be recorded of a match that is left in mid-game ("score", "wounds", "picks"); nothing of a best of
    three, which keeps who won."""
    stage = event_flow.situation_of(state, round_state, match).stage
    return () if state.rulebook.games(stage, state.options) > 1 else state.rulebook.leaving_asks


def abandoned_matches(state: EventState) -> tuple[MatchState, ...]:
    """Matches of the round in play that a player has left and whose figures are missing."""
    if state.live is None:
        return ()
    return tuple(
        match
        for match in state.live.matches
        if match.match.b is not None
        and match.match.result is None
        and not match.reports
        and not (state.entrants[match.match.a].plays_live_match and state.entrants[match.match.b].plays_live_match)
    )


def squads_owed(state: EventState) -> tuple[tuple[RoundState, MatchState, tuple[Side, ...]], ...]:
    """Played matches with the sides whose squads are not recorded. A ruling may be of a match that never began."""
    if state.rulebook.squads is None:
        return ()
    owed = []
    for played in state.public_rounds:
        for match in played.matches:
            result = match.match.result
            if match.match.b is None or result is None or result.ended == RULING:
                continue
            sides: tuple[Side, ...] = ("a", "b")
            missing = tuple(side for side in sides if not (result.picks or {}).get(side))
            if missing:
                owed.append((played, match, missing))
    return tuple(owed)
