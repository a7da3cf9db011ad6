"""Finding a table or a person from any page of the console, in all events of the hall."""

from __future__ import annotations

from flask import request
from werkzeug.wrappers import Response as AnyResponse

from roundtap_hub.pages.base import page, the_moment, the_snapshot
from roundtap_hub.policy import SEEN, STAFF, route
from roundtap_hub.views.find import find

MOST_LETTERS = 80


@route("GET /console/find", STAFF)
def find_all() -> AnyResponse:
    """`q`: a table's number, or part of a name."""
    query = request.args.get("q", "").strip()[:MOST_LETTERS]
    return page("find_all.html", query=query, found=find(the_snapshot(), query))


@route("GET /console/<event_id>/find", STAFF, SEEN)
def find_here(event_id: str) -> AnyResponse:
    """As `find_all`, this event's first."""
    state = the_moment(event_id).state
    query = request.args.get("q", "").strip()[:MOST_LETTERS]
    return page("find_all.html", state=state, query=query, found=find(the_snapshot(), query, state.id))
