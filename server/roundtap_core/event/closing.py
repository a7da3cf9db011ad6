"""Closing the round in play, with every result there, undisputed; and what finishing the event would cut short."""

from msgspec.structs import replace

from roundtap_core.elimination.ranking import final_ranking
from roundtap_core.errors import Problem
from roundtap_core.event.abandoned_match import squads_owed
from roundtap_core.event.entries import NewEntry
from roundtap_core.event.event_flow import elimination_rounds, has_more_rounds
from roundtap_core.event.judging import open_appeal
from roundtap_core.event.states import EventState, OpenPoint, tournament_of
from roundtap_core.records import FINISHED_EARLY, SQUADS_UNFIELDED, SWISS, TIE_OPEN, Tournament
from roundtap_core.rounds.next_round import never_fielded
from roundtap_core.standings.standings import open_ties

SQUADS_OWED, APPEAL_OPEN = "squads_owed", "appeal_open"


def closing_entry(state: EventState) -> list[NewEntry]:
    """The entry that closes the round in play; Problem while results are missing or disputed."""
    if state.live is None:
        return []
    missing = state.live.open_matches
    if missing:
        tables = ", ".join([*(str(m.match.table) for m in missing[:8]), *("…" for _ in missing[8:9])])
        raise Problem("results_missing", n=len(missing), tables=tables)
    return [NewEntry("round-closed", {"number": state.live.number})]


def unfinished_parts(state: EventState) -> tuple[OpenPoint, ...]:
    """What finishing now would leave unplayed or undecided, whatever was said at an earlier finish (requirements,
    section 9, *End*): a tie at a place that counts, those who left included; rounds of the structure; squads that
    nobody has recorded, or fielded; appeals."""
    settled = not state.rulebook.tiebreak_rounds or state.cut is not None or elimination_rounds(state)
    ties = [] if settled else [*open_ties(tournament_of(state)), *_ties_as_if_all_had_stayed(state)]
    points = [OpenPoint(TIE_OPEN, who) for tie in ties for who in tie]
    if not points and has_more_rounds(state):
        points = [OpenPoint(FINISHED_EARLY)]
    points += [
        OpenPoint(SQUADS_OWED, (m.match.a, m.match.b or "")[side == "b"])
        for _, m, sides in squads_owed(state)
        for side in sides
    ]
    points += [OpenPoint(SQUADS_UNFIELDED, who) for who in never_fielded(tournament_of(state, as_file=True))]
    points += [
        OpenPoint(APPEAL_OPEN, appeal.by)
        for r in state.public_rounds
        for m in r.matches
        if m.log and (appeal := open_appeal(m))
    ]
    return tuple(dict.fromkeys(points))


def final_order(tournament: Tournament) -> tuple[str, ...]:
    """All who have a place, best first."""
    return tuple(placed.competitor for placed in final_ranking(tournament) if placed.rank is not None)


def diverged_places(state: EventState) -> list[tuple[int, str, str]]:
    """(place, who had it when the event was finished, who has it now), where these differ: another version of the kit
    has finished it. What older ones did not note is worked out as they did: the bracket by the Swiss rounds as
    corrected."""
    if not state.finished:
        return []
    tournament, was = tournament_of(state), state.ended_as
    if was is None:
        live = (replace(r, matches=tuple(replace(m, record=None) for m in r.matches)) for r in tournament.rounds)
        was = final_order(replace(tournament, cut_order=(), rounds=tuple(live)))
    return [
        (place, *pair)
        for place, pair in enumerate(zip(was, final_order(tournament), strict=False), start=1)
        if pair[0] != pair[1]
    ]


def _ties_as_if_all_had_stayed(state: EventState) -> list[tuple[str, ...]]:
    """With those who played the last Swiss round and have left since: they would have had to play the tie out."""
    tournament = tournament_of(state)
    last = max((played.number for played in tournament.stage_rounds(SWISS)), default=0)
    stayed = (
        replace(c, dropped_after=None if (c.dropped_after or 0) >= last else c.dropped_after)
        for c in tournament.competitors
    )
    return open_ties(replace(tournament, competitors=tuple(stayed)))
