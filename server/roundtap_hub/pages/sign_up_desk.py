"""Sign-up by phone, as the organizer opens it: the QR code for the hall, and who has come by it."""

from __future__ import annotations

import socket
from urllib.parse import urlsplit

from flask import Blueprint, redirect, request, url_for
from werkzeug.wrappers import Response as AnyResponse

from roundtap_core.event.commands import SetSignUp
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
    address = f"{hall_url()}/join/{event_id}"
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


def hall_url() -> str:
    """The hub's address for phones in the hall, without a slash at the end: the plain port, as phones trust no
    certificate of its own. Whoever sits at the hub itself sees the address that others reach it by, where it has one.
    """
    parts = urlsplit(request.host_url)
    host = parts.hostname or ""
    port = the_hub().plain_port if request.is_secure else parts.port
    if host in LOOPBACK:
        host = _own_address() or host
    host = f"[{host}]" if ":" in host else host
    return f"http://{host}" if port in (None, 80) else f"http://{host}:{port}"


def _own_address() -> str:
    """By which address this machine would speak to others; no packet leaves for it."""
    try:
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as asked:
            asked.connect(("192.0.2.1", 9))
            return str(asked.getsockname()[0])
    except OSError:
        return ""
