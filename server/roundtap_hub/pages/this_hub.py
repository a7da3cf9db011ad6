"""This hub: its fingerprint, and who is logged in; sessions are ended here, one or all others."""

from __future__ import annotations

from typing import Any

from flask import redirect, url_for
from werkzeug.wrappers import Response as AnyResponse

from roundtap_hub.pages import visit
from roundtap_hub.pages.base import mended_on, page, the_hub, words
from roundtap_hub.policy import ORGANIZERS, STAFF_ROLES, route
from roundtap_hub.qr_svg import qr_svg
from roundtap_hub.views.hall_network import hall_network
from roundtap_hub.views.print_pages import printed_at
from roundtap_hub.views.this_hub import person_rows, session_rows
from roundtap_systemd.wifi import known_hotspot


@route("GET /console/hub", ORGANIZERS)
def this_hub(**shown: Any) -> AnyResponse:
    """`shown`: a PIN that was made just now, for this answer alone (staff_list.py)."""
    hub = the_hub()
    listed, people = hub.access.organizers.listed(), hub.access.organizers.staff.people
    rows = session_rows(listed, visit.the_visit().session, hub.access.organizers.who)
    hotspot = known_hotspot()
    network = hall_network(hub.host.reached_at, hotspot) if hub.host.reached_at.port else None
    return page("this_hub.html", rows=rows, network=network,
                wifi_qr=qr_svg(hotspot.qr, words()("hub.wifi.qr")) if hotspot is not None else "",
                wall=printed_at(hub.clocks.wall()), encrypted=hub.access.encrypted, roles=STAFF_ROLES,
                staff=person_rows(people, listed), revoked=[each for each in people if not each.active],
                **{key: shown.get(key, "") for key in ("made", "pin", "login", "qr")})


@route("POST /console/hub/sessions/<session_id>/end", ORGANIZERS)
@mended_on(this_hub)
def end_session(session_id: str) -> AnyResponse:
    """Whoever had it is a stranger with the next request; one that has ended meanwhile is no trouble."""
    the_hub().access.organizers.sessions.end(session_id)
    return redirect(url_for("console.this_hub"), 303)


@route("POST /console/hub/sessions/end", ORGANIZERS)
@mended_on(this_hub)
def end_others() -> AnyResponse:
    own = visit.the_visit().session
    if own is not None:
        the_hub().access.organizers.sessions.end_others(own)
    return redirect(url_for("console.this_hub"), 303)
