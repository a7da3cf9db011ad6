"""The current request: its reader (session, CSRF token, language, and the cookies that hold them), hub, event and
time."""

import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field

from flask import Response, abort, current_app, g, request
from werkzeug.http import dump_cookie

from roundtap_core.clock import Instant
from roundtap_core.event.states import EventState, RoundState
from roundtap_core.rulebooks.own_words import words_of
from roundtap_core.words import LANGUAGES, Words
from roundtap_hub.access.policy import AccessControl
from roundtap_hub.access.staff import HUB_PIN_IDENTITY, LIFE_MS, Session, StaffIdentity, csrf_token_of
from roundtap_hub.http import requester
from roundtap_hub.http.host import hall_address
from roundtap_hub.http.routes import ROUTES, Route
from roundtap_hub.store.service import Snapshot
from roundtap_hub.views.running_hub import RunningHub
from roundtap_hub.views.saved_event import SavedEvent, newest_round, saved_event
from roundtap_hub.views.unit_presence import UnitStatus

FORM_S = 12 * 3600
ACCESS = "roundtap_access"  # the application's extension key for its AccessControl

HUB = "roundtap"  # the application's extension key for its RunningHub

ORGANIZER = "organizer"  # the actor in entries for a login with the hub's own PIN; see `actor`


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
    visit: Visit | None = g.get("visit")
    if visit is None:
        visit = g.visit = _read_visit()
    return visit


def current_access() -> AccessControl:
    """Who may do what on the hub of this request."""
    access: AccessControl = current_app.extensions[ACCESS]
    return access


def _read_visit() -> Visit:
    cookies = requester.cookies_in(request.headers.get("Cookie", ""))
    cookie = requester.session_cookie(
        request.is_secure, requester.is_local_request(request.remote_addr or "", request.host)
    )
    token = cookies.get(cookie, "") if cookie else ""
    return Visit(
        cookie,
        token,
        current_access().organizers.session(token),
        cookies.get(cookie + requester.FORM, "") if cookie else "",
        cookies.get(requester.LANGUAGE, ""),
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
        visit.new_cookies[visit.cookie + requester.FORM] = (visit.form, FORM_S)
    return csrf_token_of(visit.form, current_access().secret)


def is_form_token_valid(token: str) -> bool:
    """Whether this POST comes from a form that was sent to this browser."""
    visit = current_visit()
    mark = visit.token if visit.session is not None else visit.form
    expected = csrf_token_of(mark, current_access().secret) if mark else ""
    return requester.is_csrf_valid(expected, token, request.headers.get("Origin"), f"{request.scheme}://{request.host}")


def is_own_form() -> bool:
    """Whether a page of this hub sent this POST: by its origin or, where a browser names none, by its referrer."""
    own = f"{request.scheme}://{request.host}"
    return request.headers.get("Origin", own if (request.referrer or "").startswith(f"{own}/") else "") == own


def browser_id() -> str:
    """The browser's phone cookie; "" for a browser that sent none, which gets one with the answer."""
    sent = requester.cookies_in(request.headers.get("Cookie", "")).get(requester.PHONE, "")
    if not sent:
        current_visit().new_cookies.setdefault(requester.PHONE, (requester.new_phone(), requester.PHONE_S))
    return sent


def remember_language(chosen: str) -> None:
    visit = current_visit()
    if visit.language != chosen:
        visit.language = chosen
        visit.new_cookies[requester.LANGUAGE] = (chosen, requester.LANGUAGE_S)


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
    visit.new_cookies[visit.cookie + requester.DEVICE] = (
        organizers.device_cookie(session),
        requester.DEVICE_S,
    )
    visit.new_cookies[visit.cookie] = (token, LIFE_MS // 1000)
    visit.new_cookies[visit.cookie + requester.FORM] = ("", 0)
    return True


def person_with(pin: str) -> StaffIdentity | None:
    """Whose PIN this is; the session stays as it is. Raises Problem("pin_wait")."""
    return current_access().organizers.person_with(pin, request.remote_addr or "", _device())


def _device() -> str:
    """The cookie by which this browser is known from an earlier login."""
    name = current_visit().cookie + requester.DEVICE
    return requester.cookies_in(request.headers.get("Cookie", "")).get(name, "")


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


def hub() -> RunningHub:
    """The hub of this request."""
    hub: RunningHub = current_app.extensions[HUB]
    return hub


def snapshot() -> Snapshot:
    """The snapshot from when this request first read it, so that a page shows one state."""
    snapshot: Snapshot | None = g.get("snapshot")
    if snapshot is None:
        snapshot = g.snapshot = hub().service.snapshot
    return snapshot


def event(event_id: str) -> SavedEvent:
    """The event, else 404; 410 where it was deleted."""
    if event_id in snapshot().venue.deleted:
        abort(410)
    this_event = saved_event(snapshot(), event_id)
    if this_event is None:
        abort(404)
    return this_event


def hub_address() -> str:
    """The plain port's address as the hall reaches it, for phones and on paper."""
    return hall_address(hub().host, request.host_url)


def now_ms() -> int:
    """The hub's monotonic ms from when this request first read them: all ages on a page refer to one time."""
    now: int | None = g.get("now_ms")
    if now is None:
        now = g.now_ms = hub().clocks.mono_ms()
    return now


def instant() -> Instant:
    """`now_ms` with this machine's boot id."""
    return Instant(hub().clocks.boot_id, now_ms())


def drop_request_cache() -> None:
    """Read snapshot, units and clock again: something has changed during this request."""
    for name in ("snapshot", "units", "now_ms", "tasks"):
        g.pop(name, None)


def units() -> Mapping[str, UnitStatus]:
    """The units' statuses from when this request first read them."""
    units: Mapping[str, UnitStatus] | None = g.get("units")
    if units is None:
        units = g.units = hub().presence.units
    return units


def route() -> Route:
    """The route of this request (http/routes.py)."""
    assert request.url_rule is not None
    method = "GET" if request.method == "HEAD" else request.method
    return ROUTES[f"{method} {request.url_rule.rule}"]


def actor() -> str:
    """The actor of this request in entries: the role, with the person's id for a personal PIN."""
    who = current_staff()
    return who.actor if who is not None else ORGANIZER


def staff_name() -> str:
    """The name shown to others for who took something on: the person's, or the role."""
    who = current_staff() or HUB_PIN_IDENTITY
    return who.name or words()(f"role.{who.role}")


def language() -> str:
    """The reader's language (requester.py); one in the address is remembered."""
    chosen = request.args.get("lang", "")
    if chosen in LANGUAGES:
        remember_language(chosen)
    return requester.reader_language(
        chosen, current_visit().language, request.headers.get("Accept-Language", ""), hub().language
    )


def words() -> Words:
    """The texts in this request's language."""
    texts: Words | None = g.get("words")
    if texts is None:
        texts = g.words = requester.words_in(language())
    return texts


def game_words(state: EventState) -> Words:
    """The same, with what the event's game calls its figures and ties."""
    return words_of(state.rulebook, words())


def shown_round(state: EventState) -> RoundState | None:
    """The round whose tables are on the page: the newest, or the one whose tab was chosen ("?round=2")."""
    wanted = request.values.get("round", "")
    return next((played for played in state.public_rounds if str(played.number) == wanted), newest_round(state))
