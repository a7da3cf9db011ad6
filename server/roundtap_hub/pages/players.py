"""The players' pages: find my name, my table, the pairings, the standings, the bracket. Public names only.

What they show is in public/sheets.py: for everybody but organizers they are answered without Flask.
"""

from __future__ import annotations

from flask import request
from werkzeug.wrappers import Response as AnyResponse

from roundtap_hub.pages.base import public_page, the_asked, the_moment
from roundtap_hub.policy import EVERYBODY, SEEN, route
from roundtap_hub.public import sheets


@route("GET /e/<event_id>", EVERYBODY, SEEN)
def find_me(event_id: str) -> AnyResponse:
    """`?q=`: those whose name holds it."""
    query = request.args.get("q", "")[:60]
    return public_page(sheets.find_me(the_asked(), the_moment(event_id), query), always_drawn=bool(query))


@route("GET /e/<event_id>/p/<competitor>", EVERYBODY, SEEN)
def player(event_id: str, competitor: str) -> AnyResponse:
    return public_page(sheets.player(the_asked(), the_moment(event_id), competitor))


@route("GET /e/<event_id>/standings", EVERYBODY, SEEN)
def standings(event_id: str) -> AnyResponse:
    return public_page(sheets.standings(the_asked(), the_moment(event_id)))


@route("GET /e/<event_id>/bracket", EVERYBODY, SEEN)
def bracket_page(event_id: str) -> AnyResponse:
    return public_page(sheets.bracket_page(the_asked(), the_moment(event_id)))


@route("GET /e/<event_id>/pairings", EVERYBODY, SEEN)
def pairings(event_id: str) -> AnyResponse:
    return public_page(sheets.pairings(the_asked(), the_moment(event_id)))
