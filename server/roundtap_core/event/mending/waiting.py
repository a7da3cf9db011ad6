"""Who may be moved in a round that is drawn or published: matches nobody has said anything of, and people who wait."""

from __future__ import annotations

from collections.abc import Mapping

from roundtap_core.clock import IDLE
from roundtap_core.errors import Problem
from roundtap_core.event.course import second_swiss_rounds, seeds_now
from roundtap_core.event.lookups import the_entrant
from roundtap_core.event.state import DRAFT, EventState, MatchState, RoundState, active_ids
from roundtap_core.records import BYE, CONCESSION, NO_SHOW, SECOND_SWISS, SWISS_STAGES, UNPAIRED_LOSS, WON_BYE

UNPAIRED, LEFT = "unpaired", "left"
"""Why somebody waits, beside the kinds of byes: in no match at all; the opponent left before anybody had begun."""


def mendable_round(state: EventState, number: int) -> RoundState:
    """The draft, or the round in play, of this number; Problem("mend_no_round") where it is another one by now."""
    for played in (state.draft, state.live):
        if played is not None and played.number == number:
            return played
    raise Problem("mend_no_round", number=number)


def refuse_fixed_pairing(played: RoundState) -> None:
    """Problem("mend_fixed_pairing") where a bracket, or a tie, says who meets whom."""
    if played.stage not in SWISS_STAGES:
        raise Problem("mend_fixed_pairing")


def has_word(match: MatchState) -> bool:
    """Whether anybody says how a match of two ended; what was taken back is not said any more."""
    return bool(match.reports or match.decided or match.match.result is not None)


def refuse_said(match: MatchState) -> None:
    """Problem("mend_has_word") where a table or an official has said something of the match."""
    if match.match.b is not None and has_word(match):
        raise Problem("mend_has_word", table=match.match.table)


def refuse_judged(match: MatchState) -> None:
    """Problem("mend_has_log") where rulings or extensions stand: they are about these two."""
    if match.log:
        raise Problem("mend_has_log", table=match.match.table)


def seats(played: RoundState) -> dict[str, MatchState]:
    """Everybody who stands in the round, with their match."""
    return {who: m for m in played.matches for who in (m.match.a, m.match.b) if who is not None}


def seat_of(state: EventState, played: RoundState, who: str) -> MatchState:
    """The match of somebody who is still there; Problem where they are not, or stand in no match of the round."""
    if not the_entrant(state, who).active:
        raise Problem("already_left", competitor=who)
    found = seats(played).get(who)
    if found is None:
        raise Problem("mend_in_no_match", competitor=who)
    return found


def movable(match: MatchState) -> bool:
    """Whether a match of two may be paired otherwise."""
    return match.match.b is not None and not has_word(match) and not match.log


def waiting(state: EventState, played: RoundState) -> dict[str, tuple[str, MatchState | None]]:
    """Who may be paired, why they wait, and their entry: BYE, NO_SHOW (the other one did not appear), UNPAIRED_LOSS
    (came late or came back), LEFT (the other one left before the clock ran and anybody reported), UNPAIRED.

    In the file's order. Empty where a bracket or a tie says who meets whom.
    """
    if played.stage not in SWISS_STAGES:
        return {}
    found = seats(played)
    eligible = _eligible(state, played)
    waits: dict[str, tuple[str, MatchState | None]] = {}
    for who, entrant in state.entrants.items():
        match = found.get(who)
        if not entrant.active:
            continue
        if match is None:
            if who in eligible:
                waits[who] = (UNPAIRED, None)
        elif match.match.b is None:
            if match.match.bye in (BYE, NO_SHOW, UNPAIRED_LOSS):
                waits[who] = (match.match.bye, match)
        elif _left_alone(state, played, match):
            waits[who] = (LEFT, match)
    return waits


def _eligible(state: EventState, played: RoundState) -> set[str]:
    """Who plays in this stage: everybody who is there, or those who made the cut."""
    if played.stage != SECOND_SWISS:
        return active_ids(state)
    begun = [r for r in second_swiss_rounds(state) if r.number < played.number]
    if begun:
        return {who for m in begun[0].matches for who in (m.match.a, m.match.b) if who is not None}
    return set(seeds_now(state))


def _left_alone(state: EventState, played: RoundState, match: MatchState) -> bool:
    """Whether one of the two has left before anybody began: the match is open, or conceded by leaving."""
    here = [state.entrants[who].at_the_table for who in (match.match.a, match.match.b) if who is not None]
    if sum(here) != 1 or match.reports or match.heard or match.log or match.drawn is not None:
        return False
    if played.status != DRAFT and state.clock.state != IDLE:
        return False
    result = match.match.result
    if result is None:
        return True
    left = state.entrants[match.match.b or "" if state.entrants[match.match.a].active else match.match.a]
    return result.ended == CONCESSION and played.number in (left.dropped_after, left.disqualified_after)


def the_waiting(waits: Mapping[str, tuple[str, MatchState | None]], played: RoundState, who: str) -> MatchState | None:
    """The entry of somebody who waits, None for who has none; Problem where they do not wait."""
    if who not in waits:
        match = seats(played).get(who)
        if match is not None and match.match.bye == WON_BYE:
            raise Problem("won_bye_stays")
        raise Problem("mend_not_waiting", competitor=who)
    return waits[who][1]
