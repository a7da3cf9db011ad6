"""A player's own page, behind a personal link: what it shows, and the code of the desk that leads to it."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

from flask import Blueprint, Response, abort, g, redirect, request, url_for
from werkzeug.wrappers import Response as AnyResponse

from roundtap_core.errors import Invalid, Problem
from roundtap_hub.journal.given_links import Person
from roundtap_hub.pages import visit
from roundtap_hub.pages.base import (
    field,
    mended_on,
    now_ms,
    page,
    the_hub,
    the_instant,
    the_moment,
    the_snapshot,
    the_units,
    words,
)
from roundtap_hub.pages.players import player_context
from roundtap_hub.pages.typed_text import refuse_unfit_fields
from roundtap_hub.phone_reports import phone_status
from roundtap_hub.policy import EVERYBODY, PLAYER, route
from roundtap_hub.views.current_version import page_key
from roundtap_hub.views.judging import my_bye
from roundtap_hub.views.my_page import my_asking, my_face, my_table

View = Callable[..., AnyResponse]

NO_TRACE = "no-referrer"
"""The link stands in the address: no page that is opened from here is told of it."""


def guard(bp: Blueprint) -> None:
    """The link itself is what every form of these pages proves: nobody else knows the address it is sent to."""

    @bp.before_request
    def check() -> AnyResponse | None:
        token = (request.view_args or {}).get("token")
        if token is None:
            return None
        who = the_hub().access.links.who(token)
        if who is None:
            return no_link()
        if who[0] in the_snapshot().venue.deleted:
            abort(410)
        g.me = who
        visit.phone()
        return None

    @bp.after_request
    def seal(response: Response) -> Response:
        response.headers["Referrer-Policy"] = NO_TRACE
        return response


def me() -> Person:
    """(event, competitor) of this request's link."""
    who: Person = g.me
    return who


def no_link() -> AnyResponse:
    """For a link that was made up, or revoked: how one gets another one."""
    g.status = 404
    return my("me_code.html", gone=True)


def my(template: str, feed: str = "", **context: Any) -> Response:
    """A page of these. Nothing on it is an organizer's, whoever looks, and its forms prove themselves by the link."""
    return page(template, feed, **{"organizer": False, "csrf": lambda: "", "sent_ms": "", **context})


@route("GET /me", EVERYBODY)
def code() -> AnyResponse:
    """Where the six letters of the desk are typed."""
    return my("me_code.html", gone=False)


@route("POST /me", PLAYER)
@mended_on(code)
def claim() -> AnyResponse:
    links, address = the_hub().access.links, request.remote_addr or ""
    wait_ms = links.gate.wait_ms(address)
    if wait_ms:
        raise Invalid("pin_wait", n=-(-wait_ms // 1000))
    path = links.claim_code(field("code"), address)
    if path is None:
        raise Invalid("wrong_code")
    return redirect(path, 303)


@route("GET /me/<token>", PLAYER, kept="me/<event_id>/<token>")
def my_page(token: str) -> AnyResponse:
    """One's own page: the table, what there is to say, and what became of it."""
    event_id, who = me()
    moment, units, t = the_moment(event_id), the_units(), words()
    shown = player_context(moment, who)
    face, more_ms = my_face(moment, who, the_instant(), t)
    return my("me.html", page_key(event_id, token), **{
        **shown, "face": face, "more_ms": more_ms, "my": f"/me/{token}",
        "asking": my_asking(the_snapshot(), units, moment, who, now_ms()),
        "mine": my_table(the_snapshot(), units, moment, who, t), "bye": my_bye(moment, who),
        "worth_label": lambda key: t.first(f"worth.{key}", f"column.{key}"), "variant": ""})


def mended_on_my(again: View) -> Callable[[View], View]:
    """For POST handlers of a link's page: a Problem is told on the page `again`, or to a script as JSON."""

    def wrap(handler: View) -> View:
        @wraps(handler)
        def handled(token: str) -> AnyResponse:
            try:
                refuse_unfit_fields()
                return handler(token)
            except Problem as problem:
                g.problem, g.status = problem, phone_status(problem)
                if wants_json():
                    return told_as_json({"error": problem.say(words())}, g.status)
                g.pop("snapshot", None)
                g.address = url_for("me.my_page", token=token)
                return again(token)

        return handled

    return wrap


mended_on_mine = mended_on_my(my_page)


def wants_json() -> bool:
    return request.accept_mimetypes.best_match(["text/html", "application/json"]) == "application/json"


def told_as_json(said: dict[str, Any], status: int = 200) -> AnyResponse:
    response = Response(status=status, content_type="application/json")
    response.set_data(_json(said))
    return response


def _json(said: dict[str, Any]) -> str:
    import json

    return json.dumps(said, separators=(",", ":"))
