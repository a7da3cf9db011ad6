"""The judge's page, made for a phone: the calls of the hall, a table by its number, and what else waits for a judge."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import Any

from flask import g, redirect, request, url_for
from werkzeug.wrappers import Response as AnyResponse

from roundtap_core.clock import Instant
from roundtap_core.errors import Problem
from roundtap_core.event.state import DISPUTE, ONE_PHONE, ONE_SIDED, SECOND
from roundtap_hub.devices.table_view import find_table
from roundtap_hub.journal.service import Snapshot
from roundtap_hub.pages.base import now_ms, page, the_hub, the_moment, the_snapshot, the_units
from roundtap_hub.policy import JUDGES, SEEN, route
from roundtap_hub.presence import UnitStatus, calls_of
from roundtap_hub.views.attention import ELSEWHERE, needs
from roundtap_hub.views.event_at import EventAt, event_at, full_names, newest_round
from roundtap_hub.views.judging import desk_of
from roundtap_hub.views.page_versions import played_ms
from roundtap_hub.views.steps import Steps
from roundtap_hub.views.tables import CALL, DRAFT, cells

FOR_JUDGES = frozenset({DISPUTE, ONE_PHONE, SECOND, ONE_SIDED, ELSEWHERE, DRAFT, "appeal", "proposal", "absent",
                        "leave", "extra"})
"""The kinds of needs that a judge looks after, beside calls."""


def judge_page(snapshot: Snapshot, units: Mapping[str, UnitStatus], moments: Iterable[EventAt], now: Instant,
               here: Collection[tuple[str, str, str]]) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """All calls, the oldest first and those that nobody has taken before the others; and the events of `moments`, with
    what their forms need.

    Of a call, `match` is "" where a unit calls from a table at which nobody plays; `sources`: "table", and names of
    those who called by phone; `since_ms` says which call it is: when the first of them called.
    """
    calls: dict[tuple[str, str], dict[str, Any]] = {}
    events = []
    for moment in moments:
        state, names = moment.state, full_names(moment)
        grid = cells(snapshot, units, state, newest_round(state), names, now.mono_ms) if state.live else ()
        found = needs(snapshot, units, state, grid, names, now.mono_ms, played_ms(state, now), here)
        sources = {call.match: call.sources for call in calls_of(snapshot, units, state)}
        for need in found:
            if need.kind == CALL:
                at = state.find_match(need.who_id)
                seat = at[1].match if at is not None else None
                # A unit that calls from where nobody plays is told at every event.
                calls.setdefault((state.id, need.who_id) if need.who_id else ("", need.unit or ""), {
                    "event_id": state.id, "event_name": state.name, "match": need.who_id, "unit": need.unit or "",
                    "table": need.table, "a": names.get(seat.a, seat.a) if seat is not None else "",
                    "b": names.get(seat.b, seat.b) if seat is not None and seat.b else "",
                    "age_ms": need.age_ms or 0, "taken_by": need.taken_by,
                    "sources": _named(sources.get(need.who_id, frozenset({f"unit:{need.unit}"})), names),
                    "since_ms": need.cell.call_since_ms if need.cell is not None else None})
        events.append({"moment": moment, "names": names, "needs": [need for need in found if need.kind in FOR_JUDGES],
                       "steps": Steps(state), "desk": desk_of(moment)})
    return sorted(calls.values(), key=lambda call: (call["taken_by"] is not None, -call["age_ms"])), events


def _named(sources: Iterable[str], names: Mapping[str, str]) -> tuple[str, ...]:
    """"table" first, then whose phones."""
    units = any(source.startswith("unit:") for source in sources)
    phones = sorted(names.get(who, who) for kind, _, who in (source.partition(":") for source in sources)
                    if kind == "phone")
    return (("table",) if units else ()) + tuple(phones)


TABLE_DIGITS = 3


@route("GET /console/judge", JUDGES)
def judge_hall() -> AnyResponse:
    """Every event of the hall."""
    snapshot = the_snapshot()
    found = (event_at(snapshot, event_id) for event_id, state in snapshot.events.items() if not state.finished)
    return _drawn("judge", [moment for moment in found if moment is not None and moment.state.public_rounds])


@route("GET /console/<event_id>/judge", JUDGES, SEEN)
def judge_event(event_id: str) -> AnyResponse:
    """One event."""
    return _drawn(f"console/{event_id}", [the_moment(event_id)])


def _drawn(feed: str, moments: list[EventAt]) -> AnyResponse:
    hub = the_hub()
    try:
        opened = _match_at({moment.event_id for moment in moments})
    except Problem as problem:
        g.problem, opened = problem, None
    if opened is not None:
        return opened
    calls, events = judge_page(the_snapshot(), the_units(), moments, Instant(hub.clocks.boot_id, now_ms()),
                               hub.presence.here)
    return page("judge.html", feed, calls=calls, events=events, several=len(events) > 1,
                one=moments[0].state if request.view_args else None)


def _match_at(events: set[str]) -> AnyResponse | None:
    """The match at the table whose number was typed ("?table=12"); None where none was."""
    typed = request.args.get("table", "").strip()[:TABLE_DIGITS + 1]
    if not typed:
        return None
    found = find_table(the_snapshot(), int(typed)) if typed.isdecimal() and len(typed) <= TABLE_DIGITS else None
    if found is None or found[2] is None or found[2].match.b is None or found[0].id not in events:
        raise Problem("no_match_at_table", table=typed)
    return redirect(url_for("console.match_page", event_id=found[0].id, match_id=found[2].id))
