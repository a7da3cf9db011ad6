"""The view of a table's match for its unit, as public as the table itself."""

from collections.abc import Iterable, Mapping

from msgspec import UNSET
from msgspec.structs import asdict

from roundtap_core.clock import Clock, Instant
from roundtap_core.errors import Problem
from roundtap_core.event.event_flow import ends_with, match_clock, swiss_rounds_after, total_planned_rounds
from roundtap_core.event.states import CLOSED, DISPUTE, ONE_PHONE, EventState, MatchState, RoundState
from roundtap_core.records import SIDES, Result, Side, SidePair
from roundtap_core.rulebooks.base import MatchSituation
from roundtap_core.typed import DisplayText
from roundtap_core.view_types import (
    CallView,
    EventOptions,
    EventView,
    MatchView,
    PerSide,
    PrePlayDecision,
    ReportRef,
    RoundView,
    SituationView,
    TableView,
)
from roundtap_hub.store.restore_gap import lacks_round_of
from roundtap_hub.store.service import Snapshot
from roundtap_hub.views.round_clock import clock_view, public_clock
from roundtap_hub.views.tables import Found, find_table, pre_game_choice, side_view, situation_at
from roundtap_hub.views.unit_presence import UnitStatus, call_of_unit, taker_name, wishes_of_unit


class SentResult(Result, frozen=True, omit_defaults=True, kw_only=True):
    """A result as it is sent: what is as ever is left out, but not the score."""

    score: SidePair


def table_view(
    snapshot: Snapshot,
    unit: str,
    status: UnitStatus | None = None,
    now: Instant | None = None,
    reported: Iterable[str] = (),
) -> TableView:
    """The view of the table where `unit` stands; without a table, or without an event, most of it is null. `now`
    decides whether hidden extra minutes are over: players can read what a table receives. `reported`: events of which
    the unit keeps reports; the finished ones are listed, so that it may delete them. `device_feed.table_changes` has to
    cover everything else that the view depends on. Raises Problem for a result or a form that no unit takes."""
    table = snapshot.venue.tables.get(unit)
    at_table = find_table(snapshot, table) if table is not None else None
    call, closed, sides_asked, refused = own_requests(snapshot, unit, status, at_table)
    view = TableView(
        table=table,
        finished=tuple(sorted(event for event in reported if is_finished(snapshot, event))),
        clock=clock_view(Clock()),
        call=call,
        call_closed=closed,
        call_ms=status.call_ms if status is not None else 0,
        leave_refused=refused,
        leave_asked=sides_asked,
        lost_round=lacks_round_of(snapshot, unit),
    )
    if at_table is None:
        return view
    state, played, match = at_table
    situation, clock = MatchSituation(), state.clock
    if played and match:
        situation = situation_at(state, snapshot.people.get(state.id, {}), played, match)
        clock = match_clock(state, played, match)
        view = view.replace(match=_match_view(state, played, match, snapshot.names[state.id]))
    if played:
        number = played.number
        shown = RoundView(number, _planned_rounds(state, number), played.stage, played.status)
        left, last = swiss_rounds_after(state, number), ends_with(state, number)
        view = view.replace(round=shown, rounds_left=left, last_round=last or UNSET)
    return view.replace(
        event=EventView(state.id, DisplayText(state.name), state.color, state.rulebook_id),
        options=EventOptions(state.options),
        stands=_situation_view(situation),
        form=state.rulebook.form(state.options, situation),
        rules=state.rules or UNSET,
        clock=public_clock(state, clock, now),
    )


def is_finished(snapshot: Snapshot, event_id: str) -> bool:
    """Whether this hub knows the event and it is over: only then a unit may delete its reports."""
    if event_id in snapshot.venue.deleted:
        return True
    line = snapshot.events.get(event_id) or snapshot.dormant.get(event_id)
    return line is not None and line.finished


def own_requests(
    snapshot: Snapshot, unit: str, status: UnitStatus | None, at_table: Found | None
) -> tuple[CallView | None, bool, tuple[Side, ...], tuple[Side, ...]]:
    """What was asked for at this unit: `call`, whether it is settled though the unit still calls, and the sides
    whose wish to drop is recorded, or was refused."""
    call: CallView | None = None
    if (called := call_of_unit(snapshot, unit)) is not None:
        call = _call_view(taker_name(snapshot, called[2].taken_by))
    elif status is not None and status.call_since_ms is not None:
        call = _call_view(status.call_taken_by)
    settled = call is None and status is not None and status.call_known
    wishes = wishes_of_unit(at_table[0], at_table[2], unit) if at_table is not None and at_table[2] is not None else {}
    refused = tuple(side for side, wish in wishes.items() if wish.refused)
    return call, settled, tuple(side for side in wishes if side not in refused), refused


def _call_view(taken_by: str | None) -> CallView:
    return CallView(DisplayText(taken_by) if taken_by else None)


def _planned_rounds(state: EventState, at_least: int) -> int | None:
    """The number of planned rounds; None where an imported event is too small for its structure."""
    try:
        return max(total_planned_rounds(state), at_least)
    except Problem:
        return None


def _situation_view(situation: MatchSituation) -> SituationView:
    houses = None if situation.houses is None else PerSide(*situation.houses)
    return SituationView(situation.stage, PerSide(*situation.totals), houses)


def _match_view(state: EventState, played: RoundState, match: MatchState, names: Mapping[str, str]) -> MatchView | None:
    if match.match.b is None:
        return None
    seat, reports = match.match, {side: match.reports.get(side) for side in SIDES}
    report_refs = {side: ReportRef(sent.report_id, sent.body) if sent else None for side, sent in reports.items()}
    shown = match.state
    if played.status == CLOSED:
        shown = CLOSED
    elif shown == ONE_PHONE:
        shown = DISPUTE
    return MatchView(
        id=match.id,
        revision=match.revision,
        draw=played.mark,
        a=side_view(state, played, seat.a, names).replace(id=seat.a),
        b=side_view(state, played, match.match.b, names).replace(id=match.match.b),
        state=shown,
        reports=PerSide(*(_sent(sent.result if sent else None) for sent in reports.values())),
        last=_last_side(match),
        heard=PerSide(*(match.heard.get(side, 0) for side in SIDES)),
        said=PerSide(*report_refs.values()),
        result=_sent(seat.result),
        second=_sent(match.second),
        number=match.number,
        lots=dict(match.lots),
        before_play=_before_play(state, played, match),
        corrected=match.corrected,
    )


def _last_side(match: MatchState) -> Side | None:
    numbers = {side: report.number for side, report in match.reports.items()}
    return max(numbers, key=numbers.__getitem__, default=None)


def _sent(result: Result | None) -> SentResult | None:
    return SentResult(**asdict(result)) if result is not None else None


def _before_play(state: EventState, played: RoundState, match: MatchState) -> PrePlayDecision | None:
    choice = pre_game_choice(state, played, match)
    return None if choice is None else PrePlayDecision(choice.about, choice.side, choice.lot)
