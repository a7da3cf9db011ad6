"""Who looks at a page: their session, the mark of their forms, the language they chose; and the cookies that say so."""

from __future__ import annotations

import secrets
from dataclasses import dataclass, field

from flask import Response, current_app, g, request
from werkzeug.http import dump_cookie

from roundtap_hub.access.auth import is_csrf_valid, is_local_request
from roundtap_hub.access.staff import LIFE_MS, Session, StaffIdentity, csrf_token_of
from roundtap_hub.hub import Hub
from roundtap_hub.serving.cookies import (
    FORM,
    LANGUAGE,
    LANGUAGE_S,
    PHONE,
    PHONE_S,
    cookies_in,
    new_phone,
    session_cookie,
)

FORM_S = 12 * 3600


@dataclass(slots=True)
class Visit:
    """One request's reader. `language`: what their cookie says, whatever that is. `to_set`: cookies that go out with
    the answer, by name: value ("" ends it), seconds."""

    cookie: str
    token: str
    session: Session | None
    form: str
    language: str
    to_set: dict[str, tuple[str, int]] = field(default_factory=dict)


def current_visit() -> Visit:
    if "visit" not in g:
        g.visit = _read_visit()
    visit: Visit = g.visit
    return visit


def current_hub() -> Hub:
    hub: Hub = current_app.extensions["roundtap"]
    return hub


def _read_visit() -> Visit:
    sent = cookies_in(request.headers.get("Cookie", ""))
    cookie = session_cookie(request.is_secure, is_local_request(request.remote_addr or "", request.host))
    token = sent.get(cookie, "") if cookie else ""
    return Visit(cookie, token, current_hub().access.organizers.session(token),
                 sent.get(cookie + FORM, "") if cookie else "", sent.get(LANGUAGE, ""))


def current_staff() -> StaffIdentity | None:
    """Who of the staff asks; None for everybody else. Of a page that is drawn to be kept: for whom (routes.py)."""
    if "reader" in g:
        reader: StaffIdentity | None = g.reader
        return reader
    return current_hub().access.organizers.who(current_visit().session)


def is_organizer() -> bool:
    """Whether who asks is logged in, in whatever role."""
    return current_staff() is not None


def touch_session() -> None:
    """The organizer did something: the session lives on."""
    session = current_visit().session
    if session is not None:
        current_hub().access.organizers.sessions.use(session)


def csrf_token() -> str:
    """The token that every form of this browser carries."""
    visit = current_visit()
    if visit.session is not None:
        return csrf_token_of(visit.token, current_hub().access.secret)
    if not visit.form and visit.cookie:
        visit.form = secrets.token_urlsafe(18)
        visit.to_set[visit.cookie + FORM] = (visit.form, FORM_S)
    return csrf_token_of(visit.form, current_hub().access.secret)


def is_form_token_valid(token: str) -> bool:
    """Whether the POST of this request comes from a form that this browser was sent."""
    visit = current_visit()
    mark = visit.token if visit.session is not None else visit.form
    expected = csrf_token_of(mark, current_hub().access.secret) if mark else ""
    return is_csrf_valid(expected, token, request.headers.get("Origin"), f"{request.scheme}://{request.host}")


def browser_id() -> str:
    """What this browser is known by; one that sent nothing is given it with the answer, and is "" until then."""
    sent = cookies_in(request.headers.get("Cookie", "")).get(PHONE, "")
    if not sent:
        current_visit().to_set.setdefault(PHONE, (new_phone(), PHONE_S))
    return sent


def remember_language(chosen: str) -> None:
    visit = current_visit()
    if visit.language != chosen:
        visit.language = chosen
        visit.to_set[LANGUAGE] = (chosen, LANGUAGE_S)


def begin_session(pin: str) -> bool:
    """Log this browser in, if the PIN is right; a session that it had before ends."""
    visit = current_visit()
    organizers = current_hub().access.organizers
    token = organizers.log_in(pin, request.remote_addr or "", request.headers.get("User-Agent", ""))
    if token is None or not visit.cookie:
        return False
    if visit.session is not None:
        organizers.sessions.end(visit.session.id)
    visit.token, visit.session = token, organizers.session(token)
    visit.to_set[visit.cookie] = (token, LIFE_MS // 1000)
    visit.to_set[visit.cookie + FORM] = ("", 0)
    return True


def end_session() -> None:
    visit = current_visit()
    if visit.session is not None:
        current_hub().access.organizers.sessions.end(visit.session.id)
    if visit.cookie:
        visit.to_set[visit.cookie] = ("", 0)


def set_cookies(response: Response) -> None:
    """Put what this visit changed on the answer. Ages are told in seconds, never as a date: the hub's may be wrong."""
    visit: Visit | None = g.get("visit")
    for name, (value, max_age_s) in (visit.to_set if visit is not None else {}).items():
        response.headers.add("Set-Cookie", dump_cookie(
            name, value, max_age=max_age_s, httponly=True, samesite="Lax", secure=name.startswith("__Host-"),
            sync_expires=False))
