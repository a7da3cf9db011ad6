"""The front door: which event, and the organizer's PIN."""

from __future__ import annotations

from flask import Response, redirect, request, url_for
from werkzeug.wrappers import Response as AnyResponse

from roundtap_core.errors import Invalid
from roundtap_hub.auth import safe_next
from roundtap_hub.pages import visit
from roundtap_hub.pages.base import field, mended_on, page, public_page, the_asked, the_hub, the_snapshot
from roundtap_hub.policy import EVERYBODY, JUDGE, LOGIN, route
from roundtap_hub.public import sheets
from roundtap_hub.public.colours import KIND
from roundtap_hub.public.colours import colours as colours_of


@route("GET /", EVERYBODY)
def front_door() -> AnyResponse:
    """Which event; with a `?lang=` nobody is sent on."""
    return public_page(sheets.front_door(the_asked(), stay="lang" in request.args))


@route("GET /login", LOGIN)
def login() -> AnyResponse:
    if visit.is_organizer():
        return redirect(safe_next(request.args.get("next"), "/console"))
    return page("login.html", target=safe_next(request.values.get("next"), "/console"))


@route("POST /login", LOGIN)
@mended_on(login)
def log_in() -> AnyResponse:
    """The PIN, as often as the gate lets it be tried."""
    hub, address = the_hub(), request.remote_addr or ""
    wait_ms = hub.organizers.gate.wait_ms(address)
    if wait_ms:
        raise Invalid("pin_wait", n=-(-wait_ms // 1000))
    if not visit.begin_session(field("pin")):
        raise Invalid("wrong_pin")
    return redirect(_after_login(safe_next(field("next"), "/console")), 303)


def _after_login(target: str) -> str:
    """A judge's console is the judge's page."""
    who = visit.who()
    return url_for("console.judge_hall") if target == "/console" and who is not None and who.role == JUDGE else target


@route("POST /logout", LOGIN)
def log_out() -> AnyResponse:
    visit.end_session()
    return redirect(url_for("pages.front_door"), 303)


@route("GET /colours.css", EVERYBODY)
def colours() -> AnyResponse:
    response = Response(colours_of(the_snapshot()), content_type=KIND)
    response.headers["Cache-Control"] = "no-cache"
    return response
