"""The home page, login and logout."""

from flask import redirect, request, url_for
from werkzeug.wrappers import Response as AnyResponse

from roundtap_core.errors import Invalid
from roundtap_hub.access import visit
from roundtap_hub.access.auth import safe_redirect_path
from roundtap_hub.access.policy import EVERYBODY, JUDGE, LOGIN, route
from roundtap_hub.events.saved_event import listed_events
from roundtap_hub.serving import web


@route("GET /", EVERYBODY, kept="door")
def home_page() -> AnyResponse:
    """With one event a redirect to it (unless `?lang=` is given); with several, a choice; with none, how to begin."""
    stay = "lang" in request.args or web.cached_variant() == "stay"
    events = listed_events(web.current_snapshot())
    current = [event for event in events if not event.finished] or events
    if len(current) == 1 and not stay:
        return redirect(url_for("pages.players_page", event_id=current[0].id))
    return web.cached_page("door.html", "stay" if stay else "", events=events)


@route("GET /login", LOGIN)
def login_page() -> AnyResponse:
    if visit.is_organizer():
        return redirect(safe_redirect_path(request.args.get("next"), "/console"))
    return web.page("login.html", target=safe_redirect_path(request.values.get("next"), "/console"))


@route("POST /login", LOGIN)
@web.shows_problem_on(login_page)
def log_in() -> AnyResponse:
    if not visit.begin_session(web.field("pin")):
        raise Invalid("wrong_pin")
    return redirect(_after_login(safe_redirect_path(web.field("next"), "/console")), 303)


def _after_login(target: str) -> str:
    """Judges have a page of their own for a console."""
    who = visit.current_staff()
    return url_for("console.judge_hall_page") if target == "/console" and who is not None and who.role == JUDGE \
        else target


@route("POST /logout", LOGIN)
def log_out() -> AnyResponse:
    visit.end_session()
    return redirect(url_for("pages.home_page"), 303)
