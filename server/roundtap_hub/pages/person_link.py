"""At the desk: a player's personal link as a QR code and six letters, and the link taken back."""

from __future__ import annotations

from typing import Any

from flask import abort, redirect, request, url_for
from werkzeug.wrappers import Response as AnyResponse

from roundtap_hub.hall_address import hall_address
from roundtap_hub.pages.base import actor, mended_on, page, the_hub, the_moment, words
from roundtap_hub.personal_links import CODE_LIFE_MS
from roundtap_hub.policy import DESK, SEEN, route
from roundtap_hub.presence import TAKEN
from roundtap_hub.qr_svg import qr_svg
from roundtap_hub.views.event_at import full_names


@route("GET /console/<event_id>/competitors/<competitor>/link", DESK, SEEN)
def person_link(event_id: str, competitor: str) -> AnyResponse:
    """Whether somebody has the link. The link itself is shown only when it is asked for: whoever sees it has it."""
    return _page(event_id, competitor)


def _page(event_id: str, competitor: str, shown: bool = False) -> AnyResponse:
    moment, links = the_moment(event_id), the_hub().access.links
    if competitor not in moment.state.entrants:
        abort(404)
    name = full_names(moment)[competitor]
    hall = hall_address(the_hub(), request.host_url)
    context: dict[str, Any] = {}
    if shown:
        address = hall + links.give(event_id, competitor, actor())
        the_hub().presence.settle((TAKEN, event_id, competitor))
        context = {"qr": qr_svg(address, words()("link.qr", name=name)), "code": links.code(event_id, competitor),
                   "minutes": CODE_LIFE_MS // 60_000}
    return page("person_link.html", state=moment.state, competitor=competitor, name=name, door=f"{hall}/me",
                given=links.is_given(event_id, competitor), **context)


@route("POST /console/<event_id>/competitors/<competitor>/link", DESK, SEEN)
@mended_on(person_link)
def show_link(event_id: str, competitor: str) -> AnyResponse:
    return _page(event_id, competitor, shown=True)


@route("POST /console/<event_id>/competitors/<competitor>/link/revoke", DESK, SEEN)
@mended_on(person_link)
def revoke_link(event_id: str, competitor: str) -> AnyResponse:
    """The phone that has it shows nothing any more; the next one that is shown is another."""
    if competitor not in the_moment(event_id).state.entrants:
        abort(404)
    the_hub().access.links.revoke(event_id, competitor, actor())
    return redirect(url_for("console.person_link", event_id=event_id, competitor=competitor), 303)
