"""The wall of one event, and the way to it."""

from __future__ import annotations

import re
from datetime import datetime, timedelta

from flask import Blueprint, redirect, request, url_for
from werkzeug.wrappers import Response as AnyResponse

from roundtap_core.clock import RUNNING, Clock
from roundtap_core.elimination.bracket_picture import bracket_svg
from roundtap_core.event.state import EventState
from roundtap_hub.hub import Hub
from roundtap_hub.pages.base import now_ms, page, the_hub, the_moment, the_snapshot, words
from roundtap_hub.views.event_at import planned_rounds, shown_names
from roundtap_hub.views.knockout import bracket, first_on_wall
from roundtap_hub.views.round_clock import face_of
from roundtap_hub.views.wall import BRACKET, PAGE_MS, wall_view

PART = re.compile(r"([1-4])/([1-4])")


def routes(bp: Blueprint) -> None:
    bp.add_url_rule("/wall", "any_wall", any_wall)
    bp.add_url_rule("/wall/<event_id>", "wall", wall)


def any_wall() -> AnyResponse:
    """The event that is being played, else one that will be; before any, a wall that waits."""
    events = [state for state in the_snapshot().events.values() if not state.finished]
    chosen = next((state for state in events if state.live), events[0] if events else None)
    if chosen is None:
        return page("wall_waiting.html", feed="console", theme=_theme())
    args = request.args
    return redirect(url_for("pages.wall", event_id=chosen.id, theme=args.get("theme"), part=args.get("part"),
                            lang=args.get("lang")))


def wall(event_id: str) -> AnyResponse:
    """`?theme=dark` or `light`; `?part=1/2`: the first of two walls that share the alphabet."""
    moment, snapshot, hub, now = the_moment(event_id), the_snapshot(), the_hub(), now_ms()
    state = moment.state
    asked = PART.fullmatch(request.args.get("part", ""))
    part = (int(asked[1]), int(asked[2])) if asked and asked[1] <= asked[2] else (1, 1)
    view = wall_view(snapshot, hub.presence.units, moment, now, part)
    found = bracket(moment) if view.mode == BRACKET else None
    drawing = bracket_svg(found, shown_names(moment), words(), first_on_wall(found)) if found else ""
    pages = len(view.pages) or len(view.standings_pages + view.cut_pages) or 1 + len(view.final_pages)
    return page(
        "wall.html", feed=f"wall/{event_id}", state=state, view=view, current=now // PAGE_MS % pages, theme=_theme(),
        page_ms=PAGE_MS, clock=state.clock, face=face_of(state, hub.clocks.now(), words()),
        drawing=drawing, ends=end_time(state, hub), planned=planned_rounds(state),
    )


def _theme() -> str:
    theme = request.args.get("theme", "")
    return theme if theme in ("dark", "light") else ""


def end_time(state: EventState, hub: Hub) -> str:
    """When the running round ends, on the wall clock of this place; empty where nobody knows the time."""
    wall_time = hub.clocks.wall()
    remaining_ms = _running_ms(state.clock, hub)
    if wall_time is None or remaining_ms is None or remaining_ms < 0:
        return ""
    ends = datetime.fromisoformat(wall_time).astimezone() + timedelta(milliseconds=remaining_ms)
    return ends.strftime("%H:%M")


def _running_ms(clock: Clock, hub: Hub) -> int | None:
    return clock.remaining_at(hub.clocks.now()) if clock.state == RUNNING else None
