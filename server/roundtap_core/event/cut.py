"""The cut: making it, offered places, taking it back before the elimination has begun; and what the entries change."""

from collections.abc import Callable, Mapping
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from roundtap_core.clock import Instant
from roundtap_core.elimination.bracket import Cut, current_cut_order, cut_order, make_cut
from roundtap_core.elimination.ranking import final_ranking
from roundtap_core.errors import Problem
from roundtap_core.event.abandoned_match import squads_owed
from roundtap_core.event.entries import NewEntries, NewEntry
from roundtap_core.event.event_flow import (
    CUT,
    Step,
    elimination_rounds,
    event_step,
    first_game_started,
    has_more_rounds,
    offered_places,
    require_entrant,
    second_stage_begun,
    upcoming_stage,
    without_draft,
)
from roundtap_core.event.judging import open_appeal
from roundtap_core.event.mending_steps import has_report
from roundtap_core.event.states import EventState, OpenPoint, active_ids, tournament_of
from roundtap_core.records import FINISHED_EARLY, SQUADS_UNFIELDED, SWISS, TIE_OPEN, TIEBREAK, Tournament
from roundtap_core.rounds.next_round import never_fielded
from roundtap_core.standings.standings import open_ties
from roundtap_core.typed import Text

SQUADS_OWED, APPEAL_OPEN = "squads_owed", "appeal_open"


def closing_entry(state: EventState) -> list[NewEntry]:
    """The entry that closes the round in play; Problem while results are missing or disputed."""
    if state.live is None:
        return []
    if missing := state.live.open_matches:
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


ANEW, KEEP = "anew", "keep"  # what becomes of a cut, or of a tie-break round, that a correction would change


class MakeCut(Struct, frozen=True):
    """The Swiss rounds are over: record who advances."""


class WithdrawCut(Struct, frozen=True):
    """Back to the standings, while no elimination round is published."""


class AcceptPlace(Struct, frozen=True):
    """Who was offered a place that became free in the cut takes it."""

    competitor: Text


class PassOverAbsentees(Struct, frozen=True):
    """The next stage goes on with those present: exactly those in `absent` are passed over."""

    absent: tuple[Text, ...]


class DeclinePlace(Struct, frozen=True):
    """Who was offered a place does not want it."""

    competitor: Text


def decide_cut(state: EventState, command: MakeCut, now: Instant) -> NewEntries:
    """Close the last Swiss round and record the order and who advances, so that seeds are not computed anew."""
    if state.draft is not None:
        raise Problem("draft_in_the_way", number=state.draft.number)
    if state.cut is not None or second_stage_begun(state):
        raise Problem("cut_is_made")
    closing = closing_entry(state)
    follows = upcoming_stage(state)
    if follows == SWISS:
        raise Problem("cut_too_early", rounds=state.swiss_rounds)
    if follows == TIEBREAK:
        raise Problem("tiebreak_due")
    if follows != CUT:
        raise Problem("no_cut_planned")
    made = make_cut(cut_order(tournament_of(state)), state.cut_size, active_ids(state))
    if made.size < 2:
        raise Problem("too_few_players", n=made.size)
    return [*closing, *cut_entries(made)]


def withdraw_cut(state: EventState, command: WithdrawCut, now: Instant) -> NewEntries:
    """Back to the standings: a result was wrong, or a player left by mistake."""
    if state.cut is None:
        raise Problem("no_cut_yet")
    if second_stage_begun(state):
        raise Problem("elimination_begun")
    return [*without_draft(state), NewEntry("cut-withdrawn", {})]


def accept_place(state: EventState, command: AcceptPlace, now: Instant) -> NewEntries:
    """ "Der Schnitt": who moves up comes in as the last seed."""
    _refuse_unless_offered(state, command.competitor)
    return [*without_draft(state), NewEntry("place-accepted", {"competitor": command.competitor})]


def decline_place(state: EventState, command: DeclinePlace, now: Instant) -> NewEntries:
    """The place is offered to the next in the order."""
    _refuse_unless_offered(state, command.competitor)
    return [NewEntry("place-declined", {"competitor": command.competitor})]


def cut_after_change(state: EventState, corrected: EventState, choice: str) -> NewEntries:
    """What a correction of the rounds before the cut makes of it, until the first game of the new stage has started
    ("Der Schnitt"): the places stay with the same people by the same seeds, or an official has said whether the cut is
    made anew (`choice` ANEW) or kept. Where a tie at a place that counts has to be played first, anew is after that.
    Raises Problem("cut_would_change", "seeds_would_change", "cut_would_tie")."""
    cut = state.cut
    if cut is None or first_game_started(state):
        return []
    there = active_ids(state) - {*cut.declined, *cut.absent}
    old_tournament, tournament = tournament_of(state), tournament_of(corrected)
    before, order = current_cut_order(old_tournament), current_cut_order(tournament)
    tied = set(map(frozenset, open_ties(tournament)))
    newly = tied.difference(map(frozenset, open_ties(old_tournament)))
    if choice == KEEP or (order in (before, cut.order) and not newly):
        return []
    stand, was, now = (make_cut(one, cut.size, there).seeds for one in (cut.order, before, order))
    if choice == ANEW and (newly or now not in (stand, was)):
        begun = [NewEntry("round-withdrawn", {"number": played.number}) for played in second_stage_begun(state)]
        made = [] if tied else cut_entries(replace(cut, order=order, seeds=now))
        return [*begun, NewEntry("cut-withdrawn", {}), *made]
    if newly:
        raise Problem("cut_would_tie", names=", ".join(sorted(frozenset().union(*newly))))
    if now == stand:
        return cut_entries(replace(cut, order=order))
    if now == was:
        # A cut that was kept before stays as it was.
        return []
    comes, goes = (", ".join(who for who in one if who not in other) for one, other in ((now, stand), (stand, now)))
    if not comes:
        raise Problem("seeds_would_change")
    raise Problem("cut_would_change", comes=comes, goes=goes)


def tiebreak_after_change(state: EventState, corrected: EventState, choice: str) -> NewEntries:
    """What a correction of the rounds before makes of the tie-break round that is out: where other people would be tied
    at a place that counts, an official has decided whether it is taken back (ANEW) or played all the same (KEEP).
    Raises Problem("tiebreak_would_change"), "tiebreak_would_end" where no one would be tied, and "tiebreak_has_word"
    where the round cannot be taken back any more."""
    out = state.live
    if out is None or out.stage != TIEBREAK or choice == KEEP:
        return []

    def tied(after: EventState) -> list[tuple[str, ...]]:
        tournament = tournament_of(after)
        return open_ties(replace(tournament, rounds=tuple(r for r in tournament.rounds if r.number < out.number)))

    ties = {frozenset(tie) for tie in tied(corrected)}
    drawn_for = {frozenset(tie) for tie in out.notes.get("ties", ())}
    # Where a round was kept before, it may be the right one again.
    if ties in ({frozenset(tie) for tie in tied(state)}, drawn_for):
        return []
    reported = [str(match.match.table) for match in out.matches if match.match.b is not None and has_report(match)]
    if reported:
        raise Problem("tiebreak_has_word", tables=", ".join(reported))
    if choice != ANEW:
        names = ", ".join(sorted(frozenset().union(*ties)))
        raise Problem("tiebreak_would_change", names=names) if names else Problem("tiebreak_would_end")
    return [NewEntry("round-withdrawn", {"number": out.number})]


def cut_entries(cut: Cut) -> NewEntries:
    made = [
        NewEntry("cut-made", {"size": cut.size, "order": list(cut.order), "seeds": list(cut.seeds)}),
        *(NewEntry("place-declined", {"competitor": who}) for who in cut.declined),
    ]
    return [*made, NewEntry("absent-passed-over", {"absent": list(cut.absent)})] if cut.absent else made


def _refuse_unless_offered(state: EventState, competitor: str) -> None:
    if offered_places(state) != competitor:
        raise Problem("not_offered")


def pass_over_absentees(state: EventState, command: PassOverAbsentees, now: Instant) -> NewEntries:
    """On a second day: who is not there is passed over in one step, and offers go on below them. They keep their place
    in the standings (house decision)."""
    if state.cut is None:
        raise Problem("no_cut_yet")
    if second_stage_begun(state):
        raise Problem("elimination_begun")
    for who in command.absent:
        require_entrant(state, who)
    absent = tuple(who for who in state.cut.order if who in command.absent)
    if absent == state.cut.absent:
        return []
    there = len(replace(state.cut, absent=absent).seeds_now(active_ids(state)))
    if there > state.cut.size:
        raise Problem("places_taken", n=there, size=state.cut.size)
    return [*without_draft(state), NewEntry("absent-passed-over", {"absent": list(absent)})]


DECIDE_CUT: Mapping[type, Callable[[EventState, Any, Instant], NewEntries]] = {
    MakeCut: decide_cut,
    WithdrawCut: withdraw_cut,
    AcceptPlace: accept_place,
    DeclinePlace: decline_place,
    PassOverAbsentees: pass_over_absentees,
}


def _cut_step(fields: Callable[[Cut, Mapping[str, Any]], dict[str, Any]]) -> Step:
    """A step that sets fields of the cut; without one it changes nothing."""
    return lambda state, data, entry: (
        replace(state, cut=replace(state.cut, **fields(state.cut, data))) if state.cut else state
    )


APPLY_CUT: Mapping[str, Step] = {
    "cut-made": event_step(lambda data: {"cut": Cut(data["size"], tuple(data["order"]), tuple(data["seeds"]))}),
    "cut-withdrawn": event_step(lambda _: {"cut": None}),
    "place-accepted": _cut_step(lambda cut, data: {"seeds": (*cut.seeds, data["competitor"])}),
    "place-declined": _cut_step(lambda cut, data: {"declined": (*cut.declined, data["competitor"])}),
    "absent-passed-over": _cut_step(lambda _, data: {"absent": tuple(data["absent"])}),
}
