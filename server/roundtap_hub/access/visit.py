"""A page's reader: session, CSRF token, chosen language; and the cookies that hold them."""

import secrets
from dataclasses import dataclass, field

from flask import Response, current_app, g, request
from werkzeug.http import dump_cookie

from roundtap_hub.access.access_control import AccessControl
from roundtap_hub.access.staff import LIFE_MS, Session, StaffIdentity, csrf_token_of
from roundtap_hub.http import cookies as http_cookies
from roundtap_hub.http.auth import is_csrf_valid, is_local_request

FORM_S = 12 * 3600
ACCESS = "roundtap_access"  # the application's extension key for its AccessControl


@dataclass(slots=True)
class Visit:
    """One request's reader. `language`: the cookie's, unchecked. `new_cookies`: cookies for the answer, by name:
    value ("" to delete), seconds."""

    cookie: str
    token: str
    session: Session | None
    form: str
    language: str
    new_cookies: dict[str, tuple[str, int]] = field(default_factory=dict)
    returned: bool = False  # has just logged in, as the person who was logged in here before


def current_visit() -> Visit:
    if "visit" not in g:
        g.visit = _read_visit()
    visit: Visit = g.visit
    return visit


def current_access() -> AccessControl:
    """Who may do what on the hub of this request."""
    access: AccessControl = current_app.extensions[ACCESS]
    return access


def _read_visit() -> Visit:
    cookies = http_cookies.cookies_in(request.headers.get("Cookie", ""))
    cookie = http_cookies.session_cookie(request.is_secure, is_local_request(request.remote_addr or "", request.host))
    token = cookies.get(cookie, "") if cookie else ""
    return Visit(
        cookie,
        token,
        current_access().organizers.session(token),
        cookies.get(cookie + http_cookies.FORM, "") if cookie else "",
        cookies.get(http_cookies.LANGUAGE, ""),
    )


def current_staff() -> StaffIdentity | None:
    """The staff member of this request, or None."""
    return current_access().organizers.identity_of(current_visit().session)


def is_organizer() -> bool:
    """Whether the reader is logged in, in any role."""
    return current_staff() is not None


def touch_session() -> None:
    """Restart the session's idle time."""
    session = current_visit().session
    if session is not None:
        current_access().organizers.sessions.use(session)


def csrf_token() -> str:
    """The CSRF token of this browser's forms."""
    visit = current_visit()
    if visit.session is not None:
        return csrf_token_of(visit.token, current_access().secret)
    if not visit.form and visit.cookie:
        visit.form = secrets.token_urlsafe(18)
        visit.new_cookies[visit.cookie + http_cookies.FORM] = (visit.form, FORM_S)
    return csrf_token_of(visit.form, current_access().secret)


def is_form_token_valid(token: str) -> bool:
    """Whether this POST comes from a form that was sent to this browser."""
    visit = current_visit()
    mark = visit.token if visit.session is not None else visit.form
    expected = csrf_token_of(mark, current_access().secret) if mark else ""
    return is_csrf_valid(expected, token, request.headers.get("Origin"), f"{request.scheme}://{request.host}")


def is_own_form() -> bool:
    """Whether a page of this hub sent this POST: by its origin or, where a browser names none, by its referrer."""
    own = f"{request.scheme}://{request.host}"
    return request.headers.get("Origin", own if (request.referrer or "").startswith(f"{own}/") else "") == own


def browser_id() -> str:
    """The browser's phone cookie; "" for a browser that sent none, which gets one with the answer."""
    sent = http_cookies.cookies_in(request.headers.get("Cookie", "")).get(http_cookies.PHONE, "")
    if not sent:
        current_visit().new_cookies.setdefault(http_cookies.PHONE, (http_cookies.new_phone(), http_cookies.PHONE_S))
    return sent


def remember_language(chosen: str) -> None:
    visit = current_visit()
    if visit.language != chosen:
        visit.language = chosen
        visit.new_cookies[http_cookies.LANGUAGE] = (chosen, http_cookies.LANGUAGE_S)


def begin_session(pin: str) -> bool:
    """Log this browser in, if the PIN is right; its previous session ends. Raises Problem("pin_wait")."""
    visit = current_visit()
    organizers, device = current_access().organizers, _device()
    token = organizers.log_in(pin, request.remote_addr or "", request.headers.get("User-Agent", ""), device)
    session = organizers.session(token) if token is not None else None
    if token is None or session is None or not visit.cookie:
        return False
    if visit.session is not None:
        organizers.sessions.end(visit.session.id)
    visit.token, visit.session = token, session
    visit.returned = bool(device) and device.partition(".")[0] == session.person
    visit.new_cookies[visit.cookie + http_cookies.DEVICE] = (organizers.device_cookie(session), http_cookies.DEVICE_S)
    visit.new_cookies[visit.cookie] = (token, LIFE_MS // 1000)
    visit.new_cookies[visit.cookie + http_cookies.FORM] = ("", 0)
    return True


def person_with(pin: str) -> StaffIdentity | None:
    """Whose PIN this is; the session stays as it is. Raises Problem("pin_wait")."""
    return current_access().organizers.person_with(pin, request.remote_addr or "", _device())


def _device() -> str:
    """The cookie by which this browser is known from an earlier login."""
    name = current_visit().cookie + http_cookies.DEVICE
    return http_cookies.cookies_in(request.headers.get("Cookie", "")).get(name, "")


def end_session() -> None:
    visit = current_visit()
    if visit.session is not None:
        current_access().organizers.sessions.end(visit.session.id)
    if visit.cookie:
        visit.new_cookies[visit.cookie] = ("", 0)


def set_cookies(response: Response) -> None:
    """Add this visit's cookies to the answer. Ages are in seconds, never dates: the hub's clock may be wrong."""
    visit: Visit | None = g.get("visit")
    for name, (value, max_age_s) in (visit.new_cookies if visit is not None else {}).items():
        response.headers.add(
            "Set-Cookie",
            dump_cookie(
                name,
                value,
                max_age=max_age_s,
                httponly=True,
                samesite="Lax",
                secure=name.startswith("__Host-"),
                sync_expires=False,
            ),
        )
