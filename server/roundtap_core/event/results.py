"""Results: which report is accepted and why another is not, results entered by officials, no-shows."""

from collections.abc import Callable, Collection, Mapping
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from roundtap_core import records
from roundtap_core.clock import Instant
from roundtap_core.elimination.bracket import elimination_winner, lot_order
from roundtap_core.errors import Invalid, Problem
from roundtap_core.event import states
from roundtap_core.event.cut import ANEW, KEEP, cut_after_change, tiebreak_after_change
from roundtap_core.event.entries import Entry, NewEntries, NewEntry
from roundtap_core.event.event_flow import (
    Step,
    current_bracket,
    find_match,
    free_table,
    match_step,
    refuse_squads_lost,
    situation_of,
    squads_let_go,
    time_is_up,
    with_result,
)
from roundtap_core.event.fates import ReportFates
from roundtap_core.event.mending import entries_of, plan_correction
from roundtap_core.event.mending_steps import people_of
from roundtap_core.event.people import with_unpaired_losses, without_unpaired_loss
from roundtap_core.rulebooks import result_gate
from roundtap_core.typed import Count, Exact, Id, IdOrEmpty, Natural, Prose, Text

ACCEPTED, REFUSED = "accepted", "refused"

SERIALS_AHEAD = 1000
"""How far a report's serial may be above the last one heard. A unit counts those that it could not send or that were
refused, which are few; a stolen one could otherwise leave its side no higher serial."""

LATE, JUDGE, IMPOSSIBLE, UNKNOWN_MATCH = "late", "judge", "impossible", "unknown-match"
"""Why a report is not taken: its round is closed; an official has decided; no game ends so (a ruling is no side's
to report), or no unit counts so far; no such match."""
EARLY = "early"  # it ends "at time", and this table's time is not up
LOSES_SQUADS = "squads"  # a squad could never be fielded any more, which nobody has confirmed
ELSEWHERE, OLDER, SUPERSEDED = "elsewhere", "older", "superseded"
"""The unit did not stand at this match's table; a newer report of this side is known; what it agrees to is not what
the other side reports now."""


class RecordReport(Struct, frozen=True):
    """What one side says, as it came from a device whose signature holds. `body` is the digest of all of it.

    `draw` is the mark of the draw it speaks of (RoundState.mark); None: an older unit, which does not say. `serial`
    counts this side's reports of this match and draw, from 1; 0: an older unit, which does not count. `agrees_to` is
    the other side's report that the person said yes to, {"report_id", "hash"}; None where they said it of their own.
    `a`, `b`: who met, as the unit has seen it; None does not say. `stood_there`: whether the unit stood at the match's
    table since the round was published; filled in by the hub. `time_up`: whether the unit's own clock had run out at
    the press; None does not say. `earlier`: it was reported before this journal was restored, so that only that clock
    can tell. `holder`: a mark of the browser it came from, "" where it sent none; None: not from a browser. `lets_go`:
    the squads that it was told could never be fielded any more (event_flow.squads_let_go); None: from a unit, whose
    screen has asked.
    """

    report_id: Id
    match: IdOrEmpty
    side: records.Side
    revision: Exact
    result: Mapping[str, Any]
    body: IdOrEmpty
    draw: IdOrEmpty | None = None
    serial: Natural = 0
    agrees_to: Mapping[str, str] | None = None
    a: Text | None = None
    b: Text | None = None
    stood_there: bool = True
    time_up: bool | None = None
    earlier: bool = False
    holder: IdOrEmpty | None = None
    lets_go: Prose | None = None


class SettleOutsideReports(Struct, frozen=True):
    """An official has read which units reported this match from elsewhere; `seen` is the newest such entry they saw."""

    match: IdOrEmpty
    seen: Exact


class EnterResult(Struct, frozen=True):
    """A result entered by an official. `revision` is the one they saw, `result` None takes a result back.

    `seen` is the number of the entry whose result they saw standing, 0 for none; None does not say. `reason`: why it is
    entered although players could not say it; kept, and shown. `earlier`: it was on record before, here or in a
    journal that is lost: no clock is asked. `cut`: "anew" or "keep", what becomes of a cut, a tie-break round or
    published pairings that it would change. `plan`: the mark of new pairings as they were shown, "" where none were.
    `lets_go`: as in RecordReport.
    """

    match: IdOrEmpty
    revision: Exact
    result: records.Result | None
    seen: Exact | None = None
    reason: Prose = ""
    earlier: bool = False
    cut: IdOrEmpty = ""
    plan: IdOrEmpty = ""
    lets_go: Prose = ""


class NoShow(Struct, frozen=True):
    match: IdOrEmpty
    absent: Text


class NoteLot(Struct, frozen=True):
    """Lots were drawn at a table before play, and fell on `side`: `about` is one of `Rulebook.lots`. `draw` is
    the mark of the draw the table has seen (RoundState.mark); None does not say. The first lot stands. `stood_there`:
    as in Report."""

    match: IdOrEmpty
    about: IdOrEmpty
    side: records.Side
    draw: IdOrEmpty | None = None
    stood_there: bool = True


class DoubleNoShow(Struct, frozen=True):
    """Neither of the two appeared: both lose and are dropped."""

    match: IdOrEmpty


class UndoNoShow(Struct, frozen=True):
    """A no-show is present after all: the pairing as it was, at its table unless that was given away. `busy_tables`:
    those at which other events play."""

    match: IdOrEmpty
    busy_tables: frozenset[int] = frozenset()


class SetPicks(Struct, frozen=True):
    """The squads that a player fields at a bye. `lets_go`: as in RecordReport."""

    match: IdOrEmpty
    picks: tuple[Count, ...]
    lets_go: Prose = ""


def no_show(state: states.EventState, command: NoShow, now: Instant) -> NewEntries:
    """House decision: the one who came gets what a bye gives, the absent one loses and is dropped."""
    match = _unreported_match(state, command.match)
    pair = (match.match.a, match.match.b)
    if command.absent not in pair:
        raise Problem("unknown_competitor", competitor=command.absent)
    if not state.entrants[command.absent].plays_live_match:
        # They were there, and have left: the match waits for its figures.
        raise Problem("already_left", competitor=command.absent)
    present = pair[1] if pair[0] == command.absent else pair[0]
    return [NewEntry("no-show", {"match": match.id, "present": present, "absent": command.absent})]


def double_no_show(state: states.EventState, command: DoubleNoShow, now: Instant) -> NewEntries:
    """If both stay away both lose and are dropped (house decision); also where the first absence was noted before."""
    round_state, match = find_match(state, command.match)
    if match.drawn is not None and match.match.b is None and round_state.status == states.PUBLISHED:
        return [undo_no_show_entry(state, match), NewEntry("nobody-came", {"match": match.id})]
    return [NewEntry("nobody-came", {"match": _unreported_match(state, command.match).id})]


def _unreported_match(state: states.EventState, match_id: str) -> states.MatchState:
    round_state, match = find_match(state, match_id)
    if round_state.status != states.PUBLISHED or match.match.b is None:
        raise Problem("no_show_only_in_play")
    if match.match.result is not None or match.reports:
        raise Problem("no_show_has_result", table=match.match.table)
    return match


def undo_no_show(state: states.EventState, command: UndoNoShow, now: Instant) -> NewEntries:
    """While the round runs the absent one may be there after all: back in the event, in the pairing as it was drawn."""
    round_state, match = find_match(state, command.match)
    if match.drawn is None or round_state.status != states.PUBLISHED:
        raise Problem("no_absence")
    return [undo_no_show_entry(state, match, command.busy_tables)]


def undo_no_show_entry(
    state: states.EventState, match: states.MatchState, busy: Collection[int] = frozenset()
) -> NewEntry:
    """The entry that restores a match to which a player did not come. Raises Problem where one of the two has left
    since, was disqualified, or has met another latecomer."""
    drawn = match.drawn
    assert drawn is not None
    assert drawn.b is not None
    alone = match.match.a if match.match.b is None else None
    absent = [who for who in (drawn.a, drawn.b) if who != alone]
    for who in (drawn.a, drawn.b):
        entrant = state.entrants[who]
        if entrant.disqualified_after is not None:
            raise Problem("disqualified_stays_out", competitor=who)
        if who == alone and not entrant.plays_live_match:
            raise Problem("already_left", competitor=who)
    if alone is not None and not _sits_out(state, match, absent[0]):
        raise Problem("no_absence")
    others = () if state.live is None else state.live.matches
    taken = {m.match.table for m in others if m.id != match.id} | set(busy)
    # Its own; where that was given away, the lowest that is free.
    return NewEntry(
        "no-show-undone", {"match": match.id, "absent": absent, "table": free_table(state, taken, (drawn.table,))}
    )


def _sits_out(state: states.EventState, match: states.MatchState, who: str) -> bool:
    return any(
        m.match.a == who and m.match.bye == records.UNPAIRED_LOSS
        for r in state.public_rounds
        if match.id.startswith(f"{r.number}.")
        for m in r.matches
    )


def record_report(state: states.EventState, command: RecordReport, now: Instant) -> NewEntries:
    """Every well-formed report makes exactly one entry, accepted or refused. One already known makes none:
    the service answers with the fate it had."""
    if command.report_id in state.fates:
        return []
    reason = _refusal(state, command, now)
    return [
        NewEntry(
            "report",
            {
                "report_id": command.report_id,
                "match": command.match,
                "side": command.side,
                "revision": command.revision,
                "result": dict(command.result),
                "body": command.body,
                "fate": REFUSED if reason else ACCEPTED,
                "reason": reason,
                **({"draw": command.draw} if command.draw is not None else {}),
                # Always there, unlike in entries of earlier cores: it says by which rule a second agreement counts.
                "serial": command.serial,
                **({"agrees_to": dict(command.agrees_to)} if command.agrees_to is not None else {}),
                **({"holder": command.holder} if command.holder is not None else {}),
                **({"lets_go": command.lets_go} if command.lets_go else {}),
            },
        )
    ]


def _refusal(state: states.EventState, command: RecordReport, now: Instant) -> str | None:
    round_and_match = state.find_match(command.match)
    # An unpublished draft may yet be drawn anew, with others at this table.
    if round_and_match is None or round_and_match[0].status == states.DRAFT:
        return UNKNOWN_MATCH
    round_state, match = round_and_match
    # Ids come again when a round is drawn anew (after a restore): the same table, other people.
    if command.draw not in (None, round_state.mark):
        return UNKNOWN_MATCH
    if not command.stood_there:
        return ELSEWHERE
    if match.match.b is None:
        return JUDGE if match.match.bye == records.NO_SHOW else UNKNOWN_MATCH
    if any(named not in (None, seat) for named, seat in ((command.a, match.match.a), (command.b, match.match.b))):
        return UNKNOWN_MATCH
    # Before "late": a report taken back before it came needs no one to look at it.
    heard = match.heard.get(command.side, 0)
    if 0 < heard >= command.serial:
        return OLDER
    if command.serial > heard + SERIALS_AHEAD:
        return IMPOSSIBLE
    if state.finished or round_state.status != states.PUBLISHED:
        return LATE
    try:
        result = records.result_from_json(command.result)
        records.refuse_result_limits(result)
    except Problem:
        return IMPOSSIBLE
    if match.decided and result == match.match.result:
        return None
    up = None if command.earlier else time_is_up(state, round_state, match, now)
    # What a file has said may be confirmed as it stands.
    saying = (
        result_gate.ON_RECORD
        if result == match.match.result
        else result_gate.ResultSource(result_gate.PLAYER, command.time_up if up is None else up, side=command.side)
    )
    why = next(
        result_gate.result_problems(
            state.rulebook,
            result,
            state.options,
            situation_of(state, round_state, match),
            saying,
        ),
        None,
    )
    if why is not None:
        return EARLY if why.key == "time_not_up" else IMPOSSIBLE
    if command.revision != match.revision or match.decided:
        return JUDGE
    if command.agrees_to is not None and not _is_current_report(match, command):
        return SUPERSEDED
    lost = squads_let_go(state, round_state, match.match, result.picks or {})
    return LOSES_SQUADS if command.lets_go is not None and lost not in ("", command.lets_go) else None


def _is_current_report(match: states.MatchState, command: RecordReport) -> bool:
    assert command.agrees_to is not None
    theirs = match.reports.get(records.other_side(command.side))
    return theirs is not None and (theirs.report_id, theirs.body) == (
        command.agrees_to.get("report_id"),
        command.agrees_to.get("hash"),
    )


def settle_outside_reports(state: states.EventState, command: SettleOutsideReports, now: Instant) -> NewEntries:
    """Those up to the entry that was read: later reports from elsewhere are shown anew."""
    match = find_match(state, command.match)[1]
    if not any(number <= command.seen for number in match.strangers.values()):
        return []
    return [NewEntry("strangers-settled", {"match": match.id, "seen": command.seen})]


def enter_result(state: states.EventState, command: EnterResult, now: Instant) -> NewEntries:
    """An official's result overrides all reports, in closed rounds too."""
    round_state, match = find_match(state, command.match)
    if match.match.b is None:
        raise Problem("bye_has_no_result")
    if command.revision != match.revision or command.seen not in (None, match.number or 0):
        raise Problem("result_changed_meanwhile", table=match.match.table)
    lost: dict[str, str] = {}
    if command.result is not None:
        saying = (
            result_gate.ON_RECORD
            if command.earlier
            else result_gate.ResultSource(
                result_gate.OFFICIAL,
                time_is_up(state, round_state, match, now),
                command.reason,
                corrects=result_to_correct(round_state, match),
            )
        )
        result_gate.refuse_result(
            state.rulebook,
            command.result,
            state.options,
            situation_of(state, round_state, match),
            result_gate.ON_RECORD if command.result in acceptable_results(match) else saying,
        )
        if not command.earlier and command.result not in acceptable_results(match):
            lost = refuse_squads_lost(state, round_state, match.match, command.result.picks or {}, command.lets_go)
    elif round_state.status != states.PUBLISHED:
        raise Problem("closed_round_needs_result", number=round_state.number)
    _refuse_another_winner(state, round_state, match, command.result)
    entered = NewEntry(
        "result-entered",
        {
            "match": match.id,
            "result": records.result_to_json(command.result) if command.result else None,
            **({"reason": command.reason} if command.reason else {}),
            **({"left": True} if _by_leaving(state, match, command) else {}),
            **lost,
        },
    )
    # A correction changes who meets whom: an unpublished draft is drawn again, and a cut made again.
    undone = [NewEntry("draft-discarded", {"number": state.draft.number})] if state.draft else []
    if match.drawn is not None and round_state.status == states.PUBLISHED:
        # Who has a result was there.
        undone.append(undo_no_show_entry(state, match))
        if command.result is None:
            return undone
    return [*undone, *consequences(state, round_state, match, command.result, command.cut, command.plan), entered]


def consequences(
    state: states.EventState,
    round_state: states.RoundState,
    match: states.MatchState,
    result: records.Result | None,
    choice: str,
    plan: str = "",
) -> NewEntries:
    """What this result makes of what was made after its round: the cut, a tie-break round, pairings that are out.
    Raises the Problem that names the choice (`choice`, `plan`: as in EnterResult), where there is one."""
    after, entries = with_result(state, match, result), list[NewEntry]()
    is_closed = state.live is not None and round_state.number < state.live.number
    if round_state.stage in (records.SWISS, records.TIEBREAK):
        entries += cut_after_change(state, after, choice)
        if is_closed:
            entries += tiebreak_after_change(state, after, choice)
    if is_closed and choice != KEEP and state.live is not None and state.live.stage == round_state.stage:
        entries += _pairings_after_change(state, after, match.match, choice, plan)
    return entries


def correction_choice(
    state: states.EventState, round_state: states.RoundState, match: states.MatchState, result: records.Result
) -> Problem | None:
    """What an official is asked about this result before it is entered, or told: that the next round has begun."""
    for choice in ("", ANEW):
        try:
            consequences(state, round_state, match, result, choice)
        except Problem as problem:
            return problem
    return None


def _pairings_after_change(
    state: states.EventState, corrected: states.EventState, match: records.Match, choice: str, plan: str
) -> NewEntries:
    try:
        mend = plan_correction(state, corrected, [who for who in (match.a, match.b) if who is not None])
    except Problem:
        # Once the round is played nobody is asked; who was asked before is told.
        if choice == ANEW:
            raise
        return []
    if choice == ANEW and plan and (mend is None or mend.mark != plan):
        raise Problem("mend_changed_meanwhile")
    if mend is None or not mend.changes:
        return []
    if choice == ANEW:
        return entries_of(mend, "", "")
    raise Problem(
        "pairings_would_change",
        number=mend.number,
        tables=", ".join(map(str, sorted(change.match.table for change in mend.changes if change.match.table))),
        names=", ".join(people_of([change.match for change in mend.changes])),
        plan=mend.mark,
    )


def _by_leaving(state: states.EventState, match: states.MatchState, command: EnterResult) -> bool:
    """Whether it is the concession of a player who has left: then it is undone if they come back."""
    first = command.result.conceded_by if command.result is not None else None
    loser = {"a": match.match.a, "b": match.match.b}.get(first or "")
    return loser is not None and not state.entrants[loser].plays_live_match


def result_to_correct(round_state: states.RoundState, match: states.MatchState) -> records.Result | None:
    """The result that a new one would correct: it stands in a closed round."""
    return None if round_state.status == states.PUBLISHED else match.match.result


def acceptable_results(match: states.MatchState) -> list[records.Result]:
    """The standing result and the players' reports, any of which may be made the result at any time."""
    return [report.result for report in match.reports.values()] + ([match.match.result] if match.match.result else [])


def _refuse_another_winner(
    state: states.EventState, round_state: states.RoundState, match: states.MatchState, result: records.Result | None
) -> None:
    """The winner has met the next opponent: figures can be corrected, the bracket cannot."""
    if round_state.stage != records.ELIMINATION or result is None or match.match.result is None:
        return
    if any(played.number > round_state.number for played in state.public_rounds):
        bracket = current_bracket(state)
        order = bracket.standing if bracket and bracket.standing else lot_order(states.tournament_of(state))
        place = {who: rank for rank, who in enumerate(order)}
        was, now = (
            elimination_winner(state.rulebook, replace(match.match, result=r), state.options, place)
            for r in (match.match.result, result)
        )
        if was != now:
            raise Problem("bracket_moved_on")


def note_lot(state: states.EventState, command: NoteLot, now: Instant) -> NewEntries:
    """A lot that is drawn stands: drawn again, also by a unit that was started anew, it changes nothing. Drawn are
    lots before play, and those that the form leaves a match to."""
    round_state, match = find_match(state, command.match)
    form = state.rulebook.form(state.options, situation_of(state, round_state, match))
    lots = (*state.rulebook.lots, *sorted(form.lots))
    if command.about not in lots:
        raise Invalid("not_one_of", where="/about", value=command.about, options=", ".join(lots))
    # Before play there is nothing to draw in a closed round; its results are still entered and corrected.
    over = round_state.status == states.DRAFT or (
        round_state.status != states.PUBLISHED and command.about in state.rulebook.lots
    )
    if over or match.match.b is None or command.draw not in (None, round_state.mark) or not command.stood_there:
        raise Problem("unknown_match", match=command.match)
    if command.about in match.lots:
        return []
    return [NewEntry("lot-drawn", {"match": match.id, "about": command.about, "side": command.side})]


def set_picks(state: states.EventState, command: SetPicks, now: Instant) -> NewEntries:
    """A bye fields squads as well; a round that was missed fields none."""
    squads = state.rulebook.squads
    if squads is None:
        raise Problem("not_of_this_rulebook", key="picks", rulebook=state.rulebook_id)
    played, match = find_match(state, command.match)
    if match.match.bye in (None, records.UNPAIRED_LOSS):
        raise Problem("picks_only_at_a_bye")
    picks = sorted(command.picks)
    if len(set(picks)) != squads.taken or len(picks) != squads.taken or not 1 <= picks[0] <= picks[-1] <= squads.listed:
        raise Invalid("picks_wrong", take=squads.taken, of=squads.listed)
    lost = refuse_squads_lost(state, played, match.match, {"a": picks}, command.lets_go)
    return [NewEntry("picks-set", {"match": match.id, "picks": picks, **lost})]


DECIDE_RESULTS: Mapping[type, Callable[[states.EventState, Any, Instant], NewEntries]] = {
    RecordReport: record_report,
    SettleOutsideReports: settle_outside_reports,
    EnterResult: enter_result,
    NoShow: no_show,
    NoteLot: note_lot,
    DoubleNoShow: double_no_show,
    UndoNoShow: undo_no_show,
    SetPicks: set_picks,
}


def _apply_report(state: states.EventState, data: Mapping[str, Any], entry: Entry) -> states.EventState:
    fate = states.ReportFate(data["fate"], entry.number, entry.hash, data["body"], data["reason"], data["match"])
    fates = ReportFates.of(state.fates).with_fate(data["report_id"], fate)
    round_and_match = state.find_match(data["match"]) if fate.fate == "accepted" or fate.reason == "elsewhere" else None
    if round_and_match is None:
        return replace(state, fates=fates)
    match = round_and_match[1]
    if fate.fate != "accepted":
        strangers = {**match.strangers, entry.actor.removeprefix("unit:"): entry.number}
        return state.with_match(replace(match, strangers=strangers), fates=fates)
    side: records.Side = data["side"]
    report = states.SideReport(
        records.result_from_json(data["result"]), entry.number, data["report_id"], data["body"], data.get("holder")
    )
    reports = _merge_squads({**match.reports, side: report})
    serials = {**match.heard, side: data["serial"]} if data.get("serial") else match.heard
    results = [each.result for each in reports.values()]
    # Entries of cores before this one say no serial: with them, a second agreement replaced the first.
    stands = match.match.result if "serial" in data else None
    match = replace(match, reports=reports, heard=serials, reported_mono_ms=entry.at.mono_ms)
    one_phone = stands is None and match.one_phone
    agreed = len(results) == 2 and results[0] == results[1]
    if agreed and not match.decided and stands in (None, results[0]) and not one_phone:
        match = replace(match, match=replace(match.match, result=results[0]), number=entry.number)
    return state.with_match(match, fates=fates)


def _merge_squads(reports: Mapping[records.Side, states.SideReport]) -> Mapping[records.Side, states.SideReport]:
    """What a side has left unsaid of the other's squads is what the other says of its own, once all else is the same:
    before that, each may still say others."""
    first, *others = (replace(report.result, picks=None) for report in reports.values())
    if any(result != first for result in others):
        return reports
    own: dict[str, list[int]] = {
        side: squads for side, report in reports.items() if (squads := (report.result.picks or {}).get(side))
    }
    return {
        side: replace(report, result=replace(report.result, picks={**own, **report.result.picks}))
        if report.result.picks
        else report
        for side, report in reports.items()
    }


@match_step
def _apply_strangers_settled(
    state: states.EventState,
    played: states.RoundState,
    match: states.MatchState,
    data: Mapping[str, Any],
    entry: Entry,
) -> states.EventState:
    left = {unit: number for unit, number in match.strangers.items() if number > data["seen"]}
    return state.with_match(replace(match, strangers=left))


@match_step
def _apply_result(
    state: states.EventState,
    played: states.RoundState,
    match: states.MatchState,
    data: Mapping[str, Any],
    entry: Entry,
) -> states.EventState:
    result = records.result_from_json(data["result"]) if data["result"] is not None else None
    before, corrections = match.match.result, match.corrections
    if before is not None and result != before:
        # By what stood before it later rounds were drawn, up to the newest public one.
        corrections = (
            *corrections,
            {
                "was": records.result_to_json(before),
                "by": entry.actor,
                "after_round": state.public_rounds[-1].number,
                **({"reason": data["reason"]} if data.get("reason") else {}),
            },
        )
    now = replace(
        match,
        match=replace(match.match, result=result),
        reports={},
        revision=match.revision + 1,
        decided=result is not None,
        number=entry.number,
        reported_mono_ms=None,
        corrections=corrections,
        strangers={},
        by_leaving=data.get("left", False),
        stood=match.stood if before in (None, result) else before,
        replaced=before,
    )
    if data.get("reason"):
        line = states.LogLine(states.RULING, entry.number, entry.actor.partition(":")[0], data["reason"])
        now = replace(now, log=(*now.log, line))
    return state.with_match(now)


@match_step
def _apply_no_show(
    state: states.EventState,
    played: states.RoundState,
    match: states.MatchState,
    data: Mapping[str, Any],
    entry: Entry,
) -> states.EventState:
    """The one who came gets what a bye gives; the absent one stands in an entry of their own, and is dropped."""
    present, absent = data["present"], data["absent"]
    alone = records.Match(present, table=None, bye=records.NO_SHOW, game=match.match.game, absent=absent)
    now = replace(match, match=alone, reports={}, revision=match.revision + 1, number=entry.number, drawn=match.match)
    state = with_unpaired_losses(state.with_match(now), absent, [played.number])
    return state.with_entrant(absent, dropped_after=played.number)


@match_step
def _apply_double_no_show(
    state: states.EventState,
    played: states.RoundState,
    match: states.MatchState,
    data: Mapping[str, Any],
    entry: Entry,
) -> states.EventState:
    """Both lose by a ruling, and both are dropped."""
    both = match.match
    now = replace(
        match,
        match=replace(both, result=records.Result(ended=records.RULING, winner="none")),
        reports={},
        revision=match.revision + 1,
        decided=True,
        number=entry.number,
        drawn=both,
    )
    state = state.with_match(now)
    for who in (both.a, both.b):
        if who is not None:
            state = state.with_entrant(who, dropped_after=played.number)
    return state


@match_step
def _apply_no_show_undone(
    state: states.EventState,
    played: states.RoundState,
    match: states.MatchState,
    data: Mapping[str, Any],
    entry: Entry,
) -> states.EventState:
    """The match as it was drawn, with another revision: a table that saw the absence looks again."""
    drawn, alone = match.drawn, match.match.b is None
    if drawn is None:
        return state
    restored = replace(
        match,
        match=replace(drawn, table=data["table"]),
        reports={},
        decided=False,
        revision=match.revision + 1,
        number=entry.number,
        reported_mono_ms=None,
        drawn=None,
    )
    state = state.with_match(restored)
    for who in data["absent"]:
        # Who wished to leave after this round still does.
        goes = state.entrants[who].how_left == states.PLAYS_ON
        state = state.with_entrant(who, dropped_after=played.number if goes else None)
        if alone:
            state = without_unpaired_loss(state, who, played.number)
    return state


@match_step
def _apply_lot(
    state: states.EventState,
    played: states.RoundState,
    match: states.MatchState,
    data: Mapping[str, Any],
    entry: Entry,
) -> states.EventState:
    return state.with_match(replace(match, lots={**match.lots, data["about"]: data["side"]}))


@match_step
def _apply_picks(
    state: states.EventState,
    played: states.RoundState,
    match: states.MatchState,
    data: Mapping[str, Any],
    entry: Entry,
) -> states.EventState:
    return state.with_match(replace(match, match=replace(match.match, picks=tuple(data["picks"]))))


APPLY_RESULTS: Mapping[str, Step] = {
    "report": _apply_report,
    "strangers-settled": _apply_strangers_settled,
    "result-entered": _apply_result,
    "no-show": _apply_no_show,
    "lot-drawn": _apply_lot,
    "nobody-came": _apply_double_no_show,
    "no-show-undone": _apply_no_show_undone,
    "picks-set": _apply_picks,
}
