"""This hub: its fingerprint, and who is logged in; sessions are ended here, one or all others."""

from __future__ import annotations

from flask import Blueprint, redirect, url_for
from werkzeug.wrappers import Response as AnyResponse

from roundtap_hub.pages import visit
from roundtap_hub.pages.base import mended_on, page, the_hub
from roundtap_hub.views.this_hub import session_rows


def routes(bp: Blueprint) -> None:
    bp.add_url_rule("/hub", "this_hub", this_hub)
    bp.add_url_rule("/hub/sessions/<session_id>/end", "end_session", end_session, methods=["POST"])
    bp.add_url_rule("/hub/sessions/end", "end_others", end_others, methods=["POST"])


def this_hub(**_: str) -> AnyResponse:
    hub = the_hub()
    rows = session_rows(hub.organizers.sessions.listed(), visit.the_visit().session)
    return page("this_hub.html", rows=rows, encrypted=hub.encrypted)


@mended_on(this_hub)
def end_session(session_id: str) -> AnyResponse:
    """Whoever had it is a stranger with the next request; one that has ended meanwhile is no trouble."""
    the_hub().organizers.sessions.end(session_id)
    return redirect(url_for("console.this_hub"), 303)


@mended_on(this_hub)
def end_others() -> AnyResponse:
    own = visit.the_visit().session
    if own is not None:
        the_hub().organizers.sessions.end_others(own)
    return redirect(url_for("console.this_hub"), 303)
