"""Sign-up by phone, as the organizer opens it: the QR code for the hall, and who has come by it."""

from __future__ import annotations

from urllib.parse import urlsplit

from flask import Blueprint, redirect, request, url_for
from werkzeug.wrappers import Response as AnyResponse

from roundtap_core.event.commands import SetSignUp
from roundtap_hub.hall_address import hall_address
from roundtap_hub.pages.base import field, mended_on, page, tell, the_hub, the_moment, words
from roundtap_hub.qr_svg import qr_svg
from roundtap_hub.views.competitors import roster

LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})


def routes(bp: Blueprint) -> None:
    bp.add_url_rule("/<event_id>/sign-up", "sign_up", sign_up)
    bp.add_url_rule("/<event_id>/sign-up", "set_sign_up", set_sign_up, methods=["POST"])


def sign_up(event_id: str) -> AnyResponse:
    """The code, large and to be printed; whether it is open; who signed up."""
    moment = the_moment(event_id)
    state = moment.state
    address = f"{hall_address(the_hub(), request.host_url)}/join/{event_id}"
    return page("sign_up_desk.html", feed=f"console/{event_id}", state=state, rulebook=state.rulebook,
                address=address, qr=qr_svg(address, words()("join.qr", name=state.name)),
                only_here=urlsplit(address).hostname in LOOPBACK,
                came=[each for each in roster(moment) if state.entrants[each.id].sign_up is not None])


@mended_on(sign_up)
def set_sign_up(event_id: str) -> AnyResponse:
    """Open, open but to be confirmed at the desk, or closed."""
    chosen = field("sign_up")
    tell(event_id, SetSignUp(chosen in ("open", "confirm"), confirm=chosen == "confirm"))
    return redirect(url_for("console.sign_up", event_id=event_id), 303)
