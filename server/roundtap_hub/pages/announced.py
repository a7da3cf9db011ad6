"""What is announced, for everybody to read: "announced.html", filled by public/sheets.py."""

from __future__ import annotations

from werkzeug.wrappers import Response as AnyResponse

from roundtap_hub.pages.base import public_page, the_asked, the_moment
from roundtap_hub.policy import EVERYBODY, SEEN, route
from roundtap_hub.public import sheets


@route("GET /rules/<event_id>", EVERYBODY, SEEN)
def announced(event_id: str) -> AnyResponse:
    return public_page(sheets.announced(the_asked(), the_moment(event_id)))
