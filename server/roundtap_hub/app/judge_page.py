"""The judge's page for a phone: calls first, then what each event needs of a judge."""

from collections.abc import Collection, Iterable, Mapping
from typing import Any

from flask import g, redirect, request, url_for
from werkzeug.wrappers import Response as AnyResponse

from roundtap_core.clock import Instant
from roundtap_core.errors import Problem
from roundtap_core.event.states import DISPUTE, ONE_PHONE, ONE_SIDED, SECOND
from roundtap_hub.app.todo import ELSEWHERE, open_tasks, task_rows
from roundtap_hub.http import routes
from roundtap_hub.live import current, render
from roundtap_hub.store.service import Snapshot
from roundtap_hub.views.judging_view import people_forms_view
from roundtap_hub.views.round_clock import played_ms
from roundtap_hub.views.saved_event import SavedEvent, StepMarks, full_names, newest_round, saved_event
from roundtap_hub.views.tables import CALL, DRAFT, find_table, grid_cells
from roundtap_hub.views.unit_presence import UnitStatus

JUDGE_TASK_KINDS = frozenset(
    {DISPUTE, ONE_PHONE, SECOND, ONE_SIDED, ELSEWHERE, DRAFT, "appeal", "proposal", "absent", "leave", "extra"}
)
"""The kinds of open tasks that are a judge's, beside calls."""


TABLE_DIGITS = 3


def judge_page_view(
    snapshot: Snapshot,
    units: Mapping[str, UnitStatus],
    saved_events: Iterable[SavedEvent],
    now: Instant,
    here: Collection[tuple[str, str, str]],
) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """All calls, those not taken first, then by age; and the events of `saved_events`, with what their forms need. Of a
    call, `match` is "" for a unit at a table without a match; `sources`: "table", and the names of callers by phone;
    `since_ms`, the time of the first of them, identifies the call."""
    calls: dict[tuple[str, str], dict[str, Any]] = {}
    events = []
    for event in saved_events:
        state, names = event.state, full_names(event)
        grid = grid_cells(snapshot, units, state, newest_round(state), names, now.mono_ms) if state.live else ()
        tasks = open_tasks(snapshot, units, state, grid, names, now.mono_ms, played_ms(state, now), here)
        sources = {match: call.sources for match, call in state.calls.items()}
        for need in tasks:
            if need.kind == CALL:
                at = state.find_match(need.who_id)
                seat = at[1].match if at is not None else None
                # A unit at a table without a match is found at every event.
                calls.setdefault(
                    (state.id, need.who_id) if need.who_id else ("", need.unit or ""),
                    {
                        "event_id": state.id,
                        "event_name": state.name,
                        "match": need.who_id,
                        "unit": need.unit or "",
                        "table": need.table,
                        "a": names.get(seat.a, seat.a) if seat is not None else "",
                        "b": names.get(seat.b, seat.b) if seat is not None and seat.b else "",
                        "called_ms": need.since_ms,
                        "taken_by": need.taken_by,
                        "sources": _call_sources(sources.get(need.who_id, [f"unit:{need.unit}"]), names),
                        "since_ms": need.cell.call_since_ms if need.cell is not None else None,
                    },
                )
        needs = [need for need in tasks if need.kind in JUDGE_TASK_KINDS]
        events.append(
            {
                "moment": event,
                "names": names,
                "needs": needs,
                "need_rows": task_rows(needs),
                "steps": StepMarks(state),
                "desk": people_forms_view(event),
            }
        )
    return sorted(calls.values(), key=lambda call: (call["taken_by"] is not None, call["called_ms"])), events


def _call_sources(sources: Iterable[str], names: Mapping[str, str]) -> tuple[str, ...]:
    """ "table" first, then the names of those who called by phone."""
    units = any(source.startswith("unit:") for source in sources)
    phones = sorted(
        names.get(who, who) for kind, _, who in (source.partition(":") for source in sources) if kind == "phone"
    )
    return (("table",) if units else ()) + tuple(phones)


@routes.route("GET /console/judge", routes.JUDGES)
def judge_hall_page() -> AnyResponse:
    """The judge's page over every event of the hall."""
    snapshot = current.snapshot()
    open_events = (saved_event(snapshot, event_id) for event_id, state in snapshot.events.items() if not state.finished)
    return _render_judge_page(
        routes.PageKey("judge"), [event for event in open_events if event is not None and event.state.public_rounds]
    )


@routes.route("GET /console/<event_id>/judge", routes.JUDGES, routes.VISIBLE)
def judge_event_page(event_id: str) -> AnyResponse:
    return _render_judge_page(routes.PageKey("console", event_id), [current.event(event_id)])


def _render_judge_page(feed: routes.PageKey, saved_events: list[SavedEvent]) -> AnyResponse:
    hub = current.hub()
    try:
        opened = _match_at({event.event_id for event in saved_events})
    except Problem as problem:
        g.problem, opened = problem, None
    if opened is not None:
        return opened
    calls, events = judge_page_view(
        current.snapshot(),
        current.units(),
        saved_events,
        Instant(hub.clocks.boot_id, current.now_ms()),
        hub.presence.seen_at_table,
    )
    return render.page(
        "judge.html",
        feed,
        calls=calls,
        events=events,
        several=len(events) > 1,
        cached_rows=render.render_cache().rows,
        one=saved_events[0].state if request.view_args else None,
    )


def _match_at(events: set[str]) -> AnyResponse | None:
    """Redirect to the match at the table typed ("?table=12"); None where none was typed."""
    typed = request.args.get("table", "").strip()[: TABLE_DIGITS + 1]
    if not typed:
        return None
    at_table = find_table(current.snapshot(), int(typed)) if typed.isdecimal() and len(typed) <= TABLE_DIGITS else None
    if at_table is None or at_table[2] is None or at_table[2].match.b is None or at_table[0].id not in events:
        raise Problem("no_match_at_table", table=typed)
    return redirect(url_for("console.match_page", event_id=at_table[0].id, match_id=at_table[2].id))
