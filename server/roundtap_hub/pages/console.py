"""The console: all events, and one event with its next step, what needs somebody, and every table."""

from __future__ import annotations

from flask import Blueprint, url_for
from werkzeug.wrappers import Response as AnyResponse

from roundtap_core.rulebooks import RULEBOOKS
from roundtap_hub.pages.ground import now_ms, page, the_hub, the_moment, the_snapshot
from roundtap_hub.views.draft import draft_view
from roundtap_hub.views.knockout import bracket, cut_view
from roundtap_hub.views.moment import full_names, newest_round, planned_rounds, shown_names
from roundtap_hub.views.needs import needs
from roundtap_hub.views.next_step import next_step
from roundtap_hub.views.roster import roster
from roundtap_hub.views.tables import cells, seated_count
from roundtap_hub.views.units import unit_rows

# Okabe and Ito's colours, distinct for colour-blind eyes; without the two that mean the sides of a table.
COLORS = ("#00785A", "#882255", "#8A4B08", "#4B2E83", "#37474F", "#A3262A", "#0072B2")


def routes(bp: Blueprint) -> None:
    bp.add_url_rule("", "events", events)
    bp.add_url_rule("/<event_id>", "event", event)


def events() -> AnyResponse:
    """All events, and how to begin another."""
    known = list(the_snapshot().events.values())
    used = {event.color.upper() for event in known}
    free = next((color for color in COLORS if color.upper() not in used), COLORS[0])
    return page("console_events.html", feed="console", events=known, rulebooks=RULEBOOKS, colors=COLORS, free=free)


def event(event_id: str, **_: str) -> AnyResponse:
    """One event's console; also where forms of a single competitor come back to."""
    moment, snapshot, hub = the_moment(event_id), the_snapshot(), the_hub()
    state, units, now = moment.state, hub.hall.units, now_ms()
    names = full_names(moment)
    newest = newest_round(state)
    grid = cells(snapshot, units, state, newest, names, now)
    seated = seated_count(snapshot, units, state.live)
    return page(
        "console.html", feed=f"console/{event_id}", state=state, moment=moment, names=names, public=shown_names(moment),
        newest=newest, grid=grid, missing=[cell for cell in grid if not cell.done], seated=seated,
        next=next_step(state, seated), next_url=_next_url(event_id, next_step(state, seated).action),
        needs=needs(snapshot, units, state, grid if state.live else (), names, now),
        draft=draft_view(moment, names), planned=planned_rounds(state), roster=roster(moment),
        cut=cut_view(moment, names), has_bracket=bracket(moment) is not None,
        unit_rows=unit_rows(snapshot, hub.unit_keys, units, now), clock=state.clock,
        remaining_ms=state.clock.remaining_at(hub.moments.now()), rulebook=state.rulebook,
    )


def _next_url(event_id: str, action: str) -> str:
    return url_for(f"console.{action}", event_id=event_id) if action else ""
