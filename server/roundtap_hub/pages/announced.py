"""What is announced, for everybody to read."""

from __future__ import annotations

from werkzeug.wrappers import Response as AnyResponse

from roundtap_hub.pages.base import kept_page, the_moment
from roundtap_hub.policy import EVERYBODY, SEEN, route
from roundtap_hub.views.announced import announced_view


@route("GET /rules/<event_id>", EVERYBODY, SEEN, kept="rules/<event_id>")
def announced(event_id: str) -> AnyResponse:
    """The rules of this event, for everybody to read."""
    moment = the_moment(event_id)
    return kept_page("announced.html", state=moment.state, view=announced_view(moment))
