"""The wall of one event, and a display's own. What it shows: "wall.html", filled by public/sheets.py."""

from __future__ import annotations

from flask import request
from werkzeug.wrappers import Response as AnyResponse

from roundtap_hub.known_displays import DISPLAY, DISPLAY_S, place_of
from roundtap_hub.pages import visit
from roundtap_hub.pages.base import now_ms, public_page, the_asked, the_hub, the_moment, the_snapshot
from roundtap_hub.policy import EVERYBODY, SEEN, route
from roundtap_hub.public import sheets


@route("GET /wall", EVERYBODY)
def any_wall() -> AnyResponse:
    """A display's page: what it was assigned, else the event that is being played, with the name it was given.

    With one of the fields of a wall's address: to that event's wall, and nobody's display.
    """
    if any(name in request.args for name in sheets.WALL_ASKS):
        return public_page(sheets.any_wall(the_asked(), _variant()))
    snapshot = the_snapshot()
    screens = snapshot.venue.walls.screens
    display, name = the_hub().displays.meet(request.cookies.get(DISPLAY, ""), request.remote_addr or "", screens)
    if name:
        visit.the_visit().to_set[DISPLAY] = (f"{display}.{name}", DISPLAY_S)
    place = place_of(snapshot, screens.get(display), name, now_ms())
    return public_page(sheets.sheet_of(the_asked(), place.page, place.variant))


@route("GET /wall/<event_id>", EVERYBODY, SEEN)
def wall(event_id: str) -> AnyResponse:
    """`?theme=dark` or `light`; `?part=1/2`: the first of two walls that share the alphabet; `?show=standings`: that
    picture alone; `?sound=1`: it is heard at the start, at five minutes and at time."""
    return public_page(sheets.wall(the_asked(), the_moment(event_id), _variant()))


def _variant() -> str:
    return sheets.wall_variant({name: request.args.get(name, "") for name in ("theme", "part", "show", "sound")})
