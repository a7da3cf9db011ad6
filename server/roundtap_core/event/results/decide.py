"""Deciding on results: reports of the tables, and officials' words; who did not appear: decide_absent."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from msgspec.structs import replace

from roundtap_core.clock import Instant
from roundtap_core.elimination.bracket import by_lot, elimination_winner
from roundtap_core.errors import Invalid, Problem
from roundtap_core.event.course import bracket_now, situation_of, time_is_up, with_result
from roundtap_core.event.cut.decide import cut_after, tiebreak_after
from roundtap_core.event.entries import NewEntry
from roundtap_core.event.lookups import find_match
from roundtap_core.event.results import commands as c
from roundtap_core.event.results.decide_absent import no_show, no_show_undone, nobody_came, undoing
from roundtap_core.event.state import DRAFT, PUBLISHED, EventState, MatchState, RoundState, tournament_of
from roundtap_core.records import ELIMINATION, NO_SHOW, SWISS, TIEBREAK, UNPAIRED_LOSS, Result, other
from roundtap_core.result_json import result_from_json, result_to_json
from roundtap_core.rulebooks.gate import OFFICIAL, ON_RECORD, PLAYER, Saying, excluded, refuse

ACCEPTED, REFUSED = "accepted", "refused"

LATE, JUDGE, IMPOSSIBLE, UNKNOWN_MATCH = "late", "judge", "impossible", "unknown-match"
"""Why a report is not taken: its round is closed; an official has decided; no game ends so (a ruling is no side's
to report); no such match."""
EARLY = "early"
"""It ends "at time", and this table's time is not up."""
ELSEWHERE, OLDER, SUPERSEDED = "elsewhere", "older", "superseded"
"""The unit did not stand at this match's table; a newer report of this side is known; what it agrees to is not what
the other side says now."""


def report(state: EventState, command: c.Report, now: Instant) -> list[NewEntry]:
    """Every well-formed report makes exactly one entry, accepted or refused. One already known makes none:
    the service answers with the fate it had."""
    if command.report_id in state.fates:
        return []
    reason = _refusal(state, command, now)
    return [NewEntry("report", {
        "report_id": command.report_id, "match": command.match, "side": command.side, "revision": command.revision,
        "result": dict(command.result), "body": command.body,
        "fate": REFUSED if reason else ACCEPTED, "reason": reason,
        **({"draw": command.draw} if command.draw is not None else {}),
        # Always there, unlike in entries of earlier cores: it says by which rule a second agreement counts.
        "serial": command.serial,
        **({"agrees_to": dict(command.agrees_to)} if command.agrees_to is not None else {}),
        **({"holder": command.holder} if command.holder is not None else {}),
    })]


def _refusal(state: EventState, command: c.Report, now: Instant) -> str | None:
    found = state.find_match(command.match)
    # A drawn round that nobody has seen may yet be drawn anew, with others at this table.
    if found is None or found[0].status == DRAFT:
        return UNKNOWN_MATCH
    round_state, match = found
    # Ids come again when a round is drawn anew (after a restore): the same table, other people.
    if command.draw not in (None, round_state.mark):
        return UNKNOWN_MATCH
    if not command.stood_there:
        return ELSEWHERE
    if match.match.b is None:
        return JUDGE if match.match.bye == NO_SHOW else UNKNOWN_MATCH
    if any(said not in (None, seat) for said, seat in ((command.a, match.match.a), (command.b, match.match.b))):
        return UNKNOWN_MATCH
    # Before "late": nobody has to look at what was taken back before it came.
    if 0 < match.heard.get(command.side, 0) >= command.serial:
        return OLDER
    if state.finished or round_state.status != PUBLISHED:
        return LATE
    try:
        result = result_from_json(command.result)
    except Problem:
        return IMPOSSIBLE
    if match.decided and result == match.match.result:
        return None
    up = None if command.earlier else time_is_up(state, round_state, match, now)
    why = next(excluded(state.rulebook, result, state.options, situation_of(state, round_state, match),
                        Saying(PLAYER, command.time_up if up is None else up, side=command.side)), None)
    if why is not None:
        return EARLY if why.key == "time_not_up" else IMPOSSIBLE
    if command.revision != match.revision or match.decided:
        return JUDGE
    if command.agrees_to is not None and not _still_said(match, command):
        return SUPERSEDED
    return None


def _still_said(match: MatchState, command: c.Report) -> bool:
    """Whether the report that `command` agrees to is the one that counts for the other side."""
    assert command.agrees_to is not None
    theirs = match.reports.get(other(command.side))
    return theirs is not None and (theirs.report_id, theirs.body) == (
        command.agrees_to.get("report_id"), command.agrees_to.get("hash"))


def settle_strangers(state: EventState, command: c.SettleStrangers, now: Instant) -> list[NewEntry]:
    """Those up to the entry that was read: who reports from elsewhere after that is told anew."""
    match = find_match(state, command.match)[1]
    if not any(number <= command.seen for number in match.strangers.values()):
        return []
    return [NewEntry("strangers-settled", {"match": match.id, "seen": command.seen})]


def enter_result(state: EventState, command: c.EnterResult, now: Instant) -> list[NewEntry]:
    """An official's result stands over whatever was reported, in closed rounds too."""
    round_state, match = find_match(state, command.match)
    if match.match.b is None:
        raise Problem("bye_has_no_result")
    if command.revision != match.revision or command.seen not in (None, match.number or 0):
        raise Problem("result_changed_meanwhile", table=match.match.table)
    if command.result is not None:
        saying = Saying(OFFICIAL, reason=command.reason) if command.earlier else Saying(
            OFFICIAL, time_is_up(state, round_state, match, now), command.reason,
            corrects=corrected(round_state, match))
        refuse(state.rulebook, command.result, state.options, situation_of(state, round_state, match),
               ON_RECORD if command.result in said_of(match) else saying)
    elif round_state.status != PUBLISHED:
        raise Problem("closed_round_needs_result", number=round_state.number)
    _refuse_another_winner(state, round_state, match, command.result)
    entered = NewEntry("result-entered", {
        "match": match.id, "result": result_to_json(command.result) if command.result else None,
        **({"reason": command.reason} if command.reason else {}),
        **({"left": True} if _by_leaving(state, match, command) else {}),
    })
    # A correction changes who meets whom: a drawn round that nobody has seen is drawn again, and a cut made again.
    undone = [NewEntry("draft-discarded", {"number": state.draft.number})] if state.draft else []
    if match.drawn is not None and round_state.status == PUBLISHED:
        # Who has a result was there.
        undone.append(undoing(state, match))
        if command.result is None:
            return undone
    if round_state.stage in (SWISS, TIEBREAK):
        after = with_result(state, match, command.result)
        undone += cut_after(state, after, command.cut)
        if state.live is not None and round_state.number < state.live.number:
            undone += tiebreak_after(state, after, command.cut)
    return [*undone, entered]


def _by_leaving(state: EventState, match: MatchState, command: c.EnterResult) -> bool:
    """Whether it is the concession of somebody who has left: then it is undone if they come back."""
    first = command.result.conceded_by if command.result is not None else None
    loser = {"a": match.match.a, "b": match.match.b}.get(first or "")
    return loser is not None and not state.entrants[loser].at_the_table


def corrected(round_state: RoundState, match: MatchState) -> Result | None:
    """The result that a new one would correct: it stands in a closed round."""
    return None if round_state.status == PUBLISHED else match.match.result


def said_of(match: MatchState) -> list[Result]:
    """What stands, and what the players say: it was taken when it was said, and may be made the result at any time."""
    return [said.result for said in match.reports.values()] + ([match.match.result] if match.match.result else [])


def _refuse_another_winner(
    state: EventState, round_state: RoundState, match: MatchState, result: Result | None
) -> None:
    """Who went on has met the next opponent: figures can be put right, the bracket cannot."""
    if round_state.stage != ELIMINATION or result is None or match.match.result is None:
        return
    if any(played.number > round_state.number for played in state.public_rounds):
        bracket = bracket_now(state)
        order = bracket.standing if bracket and bracket.standing else by_lot(tournament_of(state))
        place = {who: rank for rank, who in enumerate(order)}
        was, now = (
            elimination_winner(state.rulebook, replace(match.match, result=r), state.options, place)
            for r in (match.match.result, result)
        )
        if was != now:
            raise Problem("bracket_moved_on")


def note_lot(state: EventState, command: c.NoteLot, now: Instant) -> list[NewEntry]:
    """A lot that is drawn stands: drawn again, also by a unit that was started anew, it changes nothing. Drawn are
    lots before play, and those that the form leaves a match to."""
    round_state, match = find_match(state, command.match)
    form = state.rulebook.form(state.options, situation_of(state, round_state, match))
    known = (*state.rulebook.lots, *sorted(form.lots))
    if command.about not in known:
        raise Invalid("not_one_of", where="/about", value=command.about, options=", ".join(known))
    # Before play there is nothing to draw in a closed round; its results are still entered and corrected.
    over = round_state.status == DRAFT or (round_state.status != PUBLISHED and command.about in state.rulebook.lots)
    if over or match.match.b is None or command.draw not in (None, round_state.mark) or not command.stood_there:
        raise Problem("unknown_match", match=command.match)
    if command.about in match.lots:
        return []
    return [NewEntry("lot-drawn", {"match": match.id, "about": command.about, "side": command.side})]


def set_picks(state: EventState, command: c.SetPicks, now: Instant) -> list[NewEntry]:
    """A bye fields squads as well; a round that was missed fields none."""
    squads = state.rulebook.squads
    if squads is None:
        raise Problem("not_of_this_rulebook", key="picks", rulebook=state.rulebook_id)
    match = find_match(state, command.match)[1]
    if match.match.bye in (None, UNPAIRED_LOSS):
        raise Problem("picks_only_at_a_bye")
    picks = sorted(command.picks)
    if len(set(picks)) != squads.taken or len(picks) != squads.taken or not 1 <= picks[0] <= picks[-1] <= squads.listed:
        raise Invalid("picks_wrong", take=squads.taken, of=squads.listed)
    return [NewEntry("picks-set", {"match": match.id, "picks": picks})]


DECIDE_RESULTS: Mapping[type, Callable[[EventState, Any, Instant], list[NewEntry]]] = {
    c.Report: report,
    c.SettleStrangers: settle_strangers,
    c.EnterResult: enter_result,
    c.NoShow: no_show,
    c.NoteLot: note_lot,
    c.NobodyCame: nobody_came,
    c.NoShowUndone: no_show_undone,
    c.SetPicks: set_picks,
}
