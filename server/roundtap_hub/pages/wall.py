"""The wall of one event, and a display's own."""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import urlencode

from flask import redirect, request
from werkzeug.wrappers import Response as AnyResponse

from roundtap_core.clock import RUNNING
from roundtap_core.elimination.bracket_picture import bracket_svg
from roundtap_core.event.state import EventState
from roundtap_hub.known_displays import DISPLAY, DISPLAY_S, place_of, played_event
from roundtap_hub.pages import visit
from roundtap_hub.pages.base import (
    drawn_variant,
    kept_page,
    now_ms,
    the_hub,
    the_instant,
    the_moment,
    the_snapshot,
    the_units,
    words,
)
from roundtap_hub.policy import EVERYBODY, SEEN, route
from roundtap_hub.qr_svg import qr_svg
from roundtap_hub.views.event_at import EventAt, planned_rounds, shown_names
from roundtap_hub.views.knockout import bracket, first_on_wall
from roundtap_hub.views.round_clock import face_of, time_of_day
from roundtap_hub.views.wall import (
    BRACKET,
    CLOCK,
    PAGE_MS,
    WALL_ASKS,
    WELCOME,
    variant_of,
    wall_variant,
    wall_view,
    way_of,
)


@route("GET /wall", EVERYBODY, kept="wall")
def any_wall() -> AnyResponse:
    """A display's page: what it was assigned, else the event that is being played, with the name it was given.

    With one of the fields of a wall's address: to that event's wall, and nobody's display.
    """
    variant = drawn_variant()
    if variant is None and not any(name in request.args for name in WALL_ASKS):
        snapshot = the_snapshot()
        screens = snapshot.venue.walls.screens
        display, name = the_hub().hall.displays.meet(
            request.cookies.get(DISPLAY, ""), request.remote_addr or "", screens)
        if name:
            visit.the_visit().to_set[DISPLAY] = (f"{display}.{name}", DISPLAY_S)
        place = place_of(snapshot, screens.get(display), name, now_ms())
        if place.page != "wall":
            return _wall(the_moment(place.page.partition("/")[2]), place.variant)
        variant = place.variant
    way = way_of(wall_variant(request.args) if variant is None else variant)
    chosen = played_event(the_snapshot(), now_ms())
    if chosen is None or way.display:
        # A display stays at its address: it is told as soon as there is an event.
        return kept_page("wall_waiting.html", variant_of(way), "wall", theme=way.theme, way=way, reached=come_in())
    query = urlencode({name: value for name, value in (
        ("theme", way.theme), ("part", way.part), ("show", way.show), ("sound", "1" if way.sound else "")) if value})
    return redirect(f"/wall/{chosen}{'?' if query else ''}{query}")


@route("GET /wall/<event_id>", EVERYBODY, SEEN, kept="wall/<event_id>")
def wall(event_id: str) -> AnyResponse:
    """`?theme=dark` or `light`; `?part=1/2`: the first of two walls that share the alphabet; `?show=standings`: that
    picture alone; `?sound=1`: it is heard at the start, at five minutes and at time."""
    variant = drawn_variant()
    return _wall(the_moment(event_id), wall_variant(request.args) if variant is None else variant)


def _wall(moment: EventAt, variant: str) -> AnyResponse:
    state, way = moment.state, way_of(variant)
    share = (int(way.part[0]), int(way.part[2])) if way.part else (1, 1)
    view = wall_view(the_snapshot(), the_units(), moment, now_ms(), share, way.show)
    found = bracket(moment) if view["mode"] == BRACKET else None
    drawing = bracket_svg(found, shown_names(moment), words(), first_on_wall(found)) if found else ""
    pages = len(view["pages"]) or len(view["standings_pages"] + view["cut_pages"]) or 1 + len(view["final_pages"])
    return kept_page(
        "wall.html", variant_of(way), f"wall/{state.id}", state=state, view=view, current=now_ms() // PAGE_MS % pages,
        theme=way.theme, page_ms=PAGE_MS, way=way, clock=state.clock, face=face_of(state, the_instant(), words()),
        reached=come_in() if view["mode"] == WELCOME else None, drawing=drawing,
        ends=end_time(state) if view["mode"] == CLOCK else "", planned=planned_rounds(state))


@dataclass(frozen=True, slots=True)
class ComeIn:
    """Where players come in, as walls show it. `url` "": the hub is on no network yet; `name`: what most may type
    instead, "" where there is no such name."""

    url: str
    qr: str
    name: str = ""

    @property
    def shown(self) -> str:
        """As people type it."""
        return self.url.removeprefix("http://")


def come_in() -> ComeIn | None:
    """None: this hub does not know its own port (in tests)."""
    reached = the_hub().host.reached_at
    if not reached.port:
        return None
    return ComeIn(reached.url, qr_svg(f"{reached.url}/") if reached.url else "",
                  reached.by_name.removeprefix("http://"))


def end_time(state: EventState) -> str:
    """When the running round ends, on the wall clock of this place; empty where nobody knows the time, and once it has
    ended."""
    remaining_ms = state.clock.remaining_at(the_instant()) if state.clock.state == RUNNING else None
    if remaining_ms is None or remaining_ms <= 0:
        return ""
    return time_of_day(the_hub().clocks.wall(), remaining_ms)
