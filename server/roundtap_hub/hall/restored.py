"""The page of a restored hub: tables report what they hold, lost rounds are adopted, and then play continues."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from flask import redirect, url_for
from werkzeug.wrappers import Response as AnyResponse

from roundtap_core.errors import Problem
from roundtap_core.event.commands import AdoptRound, DropCompetitor, EnterResult, PublishRound, SetClock
from roundtap_core.event.entries import VENUE, NewEntry
from roundtap_core.event.states import DECIDED, EventState
from roundtap_core.records import BYE, SWISS, UNPAIRED_LOSS, result_from_json
from roundtap_hub.http.routes import ORGANIZERS, PageKey, route
from roundtap_hub.live import current, forms, render
from roundtap_hub.store import restore_gap, venue
from roundtap_hub.store.command_pipeline import report_step
from roundtap_hub.store.read_model import Snapshot
from roundtap_hub.store.service import Step
from roundtap_hub.views.saved_event import EventLine, SavedEvent, full_names
from roundtap_hub.views.tables import ShownResult, shown_result

LEFT = "left"
DRAWN_ANEW, GIVEN_UP = "drawn-anew", "not-restored"
"""Why waiting reports are refused: their round was drawn anew; their event or round is no longer known."""


@dataclass(frozen=True, slots=True)
class HeldMatch:
    """A unit's match: what it holds of it (`claim`), the players' `names` and its `result`; `table` None: it stands at
    none. `in_copy`: the match's players in the copy, where they differ: it was changed manually after the copy.
    `ours`, `key`: of an unsettled match, its result in the journal and its id."""

    unit: str
    table: int | None
    claim: restore_gap.TableEvidence | None
    names: tuple[str, ...]
    result: ShownResult | None
    in_copy: tuple[str, ...] = ()
    ours: ShownResult | None = None
    key: str = ""


@dataclass(frozen=True, slots=True)
class RoundOffer:
    """A lost round as the tables hold it. `names`: the competitors' of its event."""

    lost: restore_gap.LostRound
    names: Mapping[str, str]
    made: restore_gap.AssembledRound
    adoptable: bool


def moved_units(snapshot: Snapshot) -> list[tuple[str, int]]:
    """(unit, table) of units that say they stood elsewhere: what they hold counts once an organizer agrees."""
    claims = (
        restore_gap.evidence_of_view(unit, heard) for unit, heard in snapshot.venue.told_since_restore.heard.items()
    )
    return sorted(
        (claim.unit, claim.table)
        for claim in claims
        if claim is not None and claim.table is not None and not restore_gap.is_at_its_table(snapshot, claim)
    )


def _copies(snapshot: Snapshot, afresh: venue.RestoreState) -> list[tuple[EventLine, tuple[int, str], int]]:
    """The events, the last entry of each in the copy, and the number of later ones that tables have evidence of."""
    return [
        (
            snapshot.events.get(event_id) or snapshot.dormant[event_id],
            afresh.copy[event_id],
            restore_gap.entries_beyond_copy(snapshot, event_id),
        )
        for event_id in snapshot.ids
        if event_id in afresh.copy and event_id not in snapshot.venue.deleted
    ]


def _tables(snapshot: Snapshot, afresh: venue.RestoreState) -> list[HeldMatch]:
    """The units that stand at a table or were heard."""
    lines = []
    for unit in {*snapshot.venue.tables, *afresh.heard}:
        heard = afresh.heard.get(unit)
        claim = restore_gap.evidence_of_view(unit, heard) if heard is not None else None
        state = snapshot.events.get(claim.event) if claim is not None else None
        lines.append(
            HeldMatch(
                unit,
                snapshot.venue.tables.get(unit)
                if claim is None or restore_gap.is_at_its_table(snapshot, claim)
                else None,
                claim,
                _known_names(snapshot, state, claim.a, claim.b) if claim is not None else (),
                _shown_result(claim, state),
                _in_copy(snapshot, state, claim),
            )
        )
    return sorted(lines, key=lambda line: (line.table is None, line.table or 0, line.unit))


def _offer(snapshot: Snapshot, lost: restore_gap.LostRound) -> RoundOffer:
    state = snapshot.events[lost.event]
    made = restore_gap.assemble_round(state, lost)
    next_one = lost.number == len(state.public_rounds) + 1 or (
        state.live is not None and state.live.number == lost.number
    )
    return RoundOffer(
        lost,
        full_names(SavedEvent(state, snapshot.people_of(state.id))),
        made,
        not made.wrong and next_one and bool(made.matches),
    )


def _point(snapshot: Snapshot, point: restore_gap.UnsettledMatch) -> HeldMatch:
    claim, state = point.claim, snapshot.events[point.claim.event]
    return HeldMatch(
        claim.unit,
        snapshot.venue.tables.get(claim.unit, claim.table),
        claim,
        _known_names(snapshot, state, claim.a, claim.b),
        _shown_result(claim, state),
        ours=None if point.result is None else shown_result(result_from_json(dict(point.result)), state),
        key=point.key,
    )


def _stray_reports(
    snapshot: Snapshot, lost: list[restore_gap.LostRound], waiting: list[venue.PendingReport]
) -> list[tuple[str, int | None, list[int | str], int]]:
    """(event, round, their tables, how many): reports that no round can be assembled from."""
    placed = {id(pending) for each in lost for pending in each.reports}
    strays: dict[tuple[str, int | None], list[venue.PendingReport]] = {}
    for pending in waiting:
        if id(pending) not in placed:
            number = pending.report.get("round")
            strays.setdefault((pending.report["event"], number if isinstance(number, int) else None), []).append(
                pending
            )
    tables = snapshot.venue.tables
    return [
        (*of, list(dict.fromkeys(tables.get(each.unit, each.unit) for each in reports)), len(reports))
        for of, reports in strays.items()
    ]


def _known_names(snapshot: Snapshot, state: EventState | None, *who: str | None) -> tuple[str, ...]:
    """The names of these competitors, or their ids where unknown."""
    names = full_names(SavedEvent(state, snapshot.people_of(state.id))) if state is not None else {}
    return tuple(names.get(each, each) for each in who if each is not None)


def _in_copy(snapshot: Snapshot, state: EventState | None, claim: restore_gap.TableEvidence | None) -> tuple[str, ...]:
    round_and_match = state.find_match(claim.match) if state is not None and claim is not None else None
    if (
        state is None
        or claim is None
        or round_and_match is None
        or round_and_match[0].mark != claim.mark
        or claim.b is None
    ):
        return ()
    seat = round_and_match[1].match
    if claim.revision <= round_and_match[1].revision or {seat.a, seat.b} == {claim.a, claim.b}:
        return ()
    return _known_names(snapshot, state, seat.a, seat.b)


def _shown_result(claim: restore_gap.TableEvidence | None, state: EventState | None) -> ShownResult | None:
    if claim is None or claim.result is None or state is None:
        return None
    return shown_result(result_from_json(dict(claim.result)), state)


@route("GET /console/restored", ORGANIZERS)
def restored_page(**_: str) -> AnyResponse:
    """`silent`: tables that must answer or be waived; `moved`: units that stood elsewhere by their own word."""
    snapshot = current.snapshot()
    afresh, lost = snapshot.venue.restore_state, restore_gap.lost_rounds(snapshot)
    waiting = restore_gap.pending_reports(snapshot)
    return render.page(
        "restored.html",
        feed=PageKey("console"),
        afresh=afresh,
        copied_at=snapshot.venue.copied_at,
        copies=_copies(snapshot, afresh) if afresh is not None else (),
        tables=_tables(snapshot, afresh) if afresh is not None else (),
        silent=[table for _, table in restore_gap.silent_units(snapshot)],
        rounds=[_offer(snapshot, each) for each in lost],
        points=[_point(snapshot, each) for each in restore_gap.unsettled_matches(snapshot)],
        strays=_stray_reports(snapshot, lost, waiting),
        waiting=Counter(pending.unit for pending in waiting),
        moved=moved_units(snapshot),
        events=snapshot.events,
        swiss=SWISS,
        bye=BYE,
        missed=UNPAIRED_LOSS,
        left=LEFT,
    )


@route("POST /console/restored/without", ORGANIZERS)
@forms.shows_problem_on(restored_page)
def restore_without_unit() -> None:
    unit = forms.field("unit")
    if unit not in current.snapshot().venue.tables:
        raise Problem("unknown_unit", unit=unit[:40])
    _submit_steps(Step(VENUE, NewEntry(venue.UNIT_WAIVED, {"unit": unit})))


@route("POST /console/restored/place", ORGANIZERS)
@forms.shows_problem_on(restored_page)
def place_restored_unit() -> None:
    """Place a unit where it says that it stood."""
    unit, table = forms.field("unit"), forms.typed_table("table")
    if (unit, table) not in moved_units(current.snapshot()):
        raise Problem("restored_gone")
    _submit_steps(Step(VENUE, venue.unit_placed_entry(unit, table)))


@route("POST /console/restored/adopt", ORGANIZERS)
@forms.shows_problem_on(restored_page)
def adopt_lost_round() -> None:
    """Adopt a lost round as the tables hold it: pairings, publishing, reports, officials' results, all in one
    commit."""
    lost = _lost_of_form()
    state = current.snapshot().events[lost.event]
    made = restore_gap.assemble_round(state, lost)
    if made.wrong:
        raise made.wrong[0]
    more, gone = _answers(made, lost)
    matches = tuple(_match(each, lost) for each in (*made.matches, *more))
    adopted = AdoptRound(lost.number, lost.mark, matches, lost.stage)
    attempt = 1 + (state.draft.attempt if state.draft else 0)
    steps = [Step(lost.event, DropCompetitor(who)) for who in gone]
    steps += [
        Step(lost.event, adopted),
        Step(lost.event, PublishRound(lost.number, attempt, noted=current.words()("restored.adopted.noted"))),
    ]
    of_round = lost.event, lost.number, lost.mark
    left_ms = restore_gap.counted_ms(current.snapshot(), of_round, current.instant())
    if left_ms is not None and state.rulebook.minutes(lost.stage, state.options):
        steps.append(Step(lost.event, SetClock("restore", left_ms)))
    steps += [_report_step(pending) for pending in lost.reports]
    steps += [
        Step(
            lost.event, EnterResult(claim.match, claim.revision - 1, result_from_json(dict(claim.result)), earlier=True)
        )
        for claim in made.decided
        if claim.result is not None and claim.revision
    ]
    _submit_steps(*steps)


@route("POST /console/restored/anew", ORGANIZERS)
@forms.shows_problem_on(restored_page)
def discard_lost_round() -> None:
    """Discard what the tables hold of a round; their reports are refused, which they show."""
    lost = _lost_of_form()
    approved = {"event": lost.event, "round": lost.number, "mark": lost.mark}
    _submit_steps(
        Step(VENUE, NewEntry(venue.REDRAW_APPROVED, approved)),
        *(_refusal(pending, DRAWN_ANEW) for pending in lost.reports),
    )


@route("POST /console/restored/point", ORGANIZERS)
@forms.shows_problem_on(restored_page)
def settle_differing_result() -> None:
    """Take the table's result or keep the copy's, where they differ."""
    point = next(
        (each for each in restore_gap.unsettled_matches(current.snapshot()) if each.key == forms.field("point")), None
    )
    if point is None:
        raise Problem("restored_gone")
    if forms.field("take") != "tables":
        _submit_steps(
            Step(
                VENUE,
                NewEntry(venue.COPY_KEPT, {"point": point.key, "event": point.claim.event, "match": point.claim.match}),
            )
        )
        return
    result = None if point.claim.result is None else result_from_json(dict(point.claim.result))
    entered = EnterResult(
        point.claim.match, point.revision, result, point.number or 0, earlier=True, cut=forms.field("cut")
    )
    try:
        _submit_steps(Step(point.claim.event, entered))
    except Problem as problem:
        # The address names no event: only here is it known whose names are meant.
        raise forms.with_competitor_names(problem, point.claim.event) from None


@route("POST /console/restored/settled", ORGANIZERS)
@forms.shows_problem_on(restored_page)
def finish_restore() -> AnyResponse:
    """Continue play. Reports that waited only for their unit's place are taken; those still without one are refused,
    which their tables show."""
    snapshot = current.snapshot()
    answers = [
        _report_step(pending) if restore_gap.is_known(snapshot, pending) else _refusal(pending, GIVEN_UP)
        for pending in restore_gap.pending_reports(snapshot)
    ]
    current.hub().service.execute([*answers, Step(VENUE, NewEntry(venue.RESTORE_SETTLED, {}))], current.actor())
    forms.note_act("saved")
    return redirect(url_for("console.events_page"), 303)


def _submit_steps(*steps: Step) -> None:
    current.hub().service.execute(steps, current.actor())


def _lost_of_form() -> restore_gap.LostRound:
    """The round whose button was pressed; Problem("restored_gone") where it has been settled meanwhile."""
    number = forms.form_number("number")
    for lost in restore_gap.lost_rounds(current.snapshot()):
        if (lost.event, lost.number, lost.mark) == (forms.field("event"), number, forms.field("mark")):
            return lost
    raise Problem("restored_gone")


def _answers(
    made: restore_gap.AssembledRound, lost: restore_gap.LostRound
) -> tuple[list[restore_gap.ReconstructedMatch], list[str]]:
    """The organizer's answers about players whom no table knows: byes and pairings to add, and who has left."""
    answers = {who: forms.field(f"who-{who}") for who in made.missing}
    more: list[restore_gap.ReconstructedMatch] = []
    taken = {match.id for match in made.matches}

    def add(a: str, b: str | None, bye: str | None = None) -> None:
        more.append(
            restore_gap.ReconstructedMatch(
                restore_gap.free_match_id(lost.number, taken), a, b, forms.form_number(f"table-{a}"), bye=bye
            )
        )
        taken.add(more[-1].id)

    paired: set[str] = set()
    for who, answer in answers.items():
        if answer in answers and answer != who and who not in paired:
            if answers[answer] not in ("", who):
                raise Problem("restored_pair_unclear", competitor=who)
            paired |= {who, answer}
            add(who, answer)
    for who, answer in answers.items():
        if answer in (BYE, UNPAIRED_LOSS):
            add(who, None, answer)
        elif answer != LEFT and who not in paired:
            raise Problem("restored_who_missing", competitor=who)
    return more, [who for who, answer in answers.items() if answer == LEFT]


def _match(match: restore_gap.ReconstructedMatch, lost: restore_gap.LostRound) -> dict[str, object]:
    """A match in the core's form. An official's result is entered afterwards, which raises the revision by one."""
    decided = any(
        claim.match == match.id and claim.state == DECIDED and claim.result is not None for claim in lost.claims
    )
    return {
        "id": match.id,
        "a": match.a,
        "b": match.b,
        "table": match.table,
        "game": match.game,
        "bye": match.bye,
        "revision": max(0, match.revision - 1) if decided else match.revision,
    }


def _report_step(pending: venue.PendingReport) -> Step:
    return report_step(pending.report, pending.fate.body, earlier=True)


def _refusal(pending: venue.PendingReport, reason: str) -> Step:
    data = {
        "report_id": pending.report["report_id"],
        "event": pending.report["event"],
        "body": pending.fate.body,
        "reason": reason,
    }
    return Step(VENUE, NewEntry(venue.REPORT_REFUSED, data), actor=f"unit:{pending.unit}")
