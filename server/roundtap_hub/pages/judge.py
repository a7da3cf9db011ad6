"""The judge's page, made for a phone: the calls of the hall, a table by its number, and what else waits for a judge."""

from __future__ import annotations

from flask import g, redirect, request, url_for
from werkzeug.wrappers import Response as AnyResponse

from roundtap_core.clock import Instant
from roundtap_core.errors import Problem
from roundtap_hub.devices.table_view import find_table
from roundtap_hub.pages.base import now_ms, page, the_hub, the_moment, the_snapshot, the_units
from roundtap_hub.policy import JUDGES, SEEN, route
from roundtap_hub.views.event_at import EventAt, event_at
from roundtap_hub.views.judge import judge_page

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
