"""Which routes a client and a role may request now, by its session and the event's state; refusals."""

import re
from dataclasses import dataclass
from html import escape
from typing import Any
from urllib.parse import quote

from roundtap_core.clock import IDLE
from roundtap_core.errors import Problem
from roundtap_core.event.states import CLOSED as ROUND_CLOSED
from roundtap_core.event.states import DRAFT as ROUND_DRAFT
from roundtap_core.event.states import EventState
from roundtap_core.words import catalogue
from roundtap_hub.access.personal_links import PersonalLinks
from roundtap_hub.access.staff import StaffLogin
from roundtap_hub.http import http_answers
from roundtap_hub.http.requester import (
    DEVICE,
    SECURE_SESSION,
    cookies_in,
    is_local_request,
    is_loopback,
    language_of,
    session_cookie,
)
from roundtap_hub.http.routes import (
    ARCHIVED,
    BEFORE,
    CLOSED,
    DELETED,
    DRAFTED,
    FINISHED,
    IN_PLAY,
    LOGIN,
    NO_EVENT,
    NO_ROUND,
    PUBLISHED,
    RUNNING,
    STAFF,
    Route,
    find_route,
)
from roundtap_hub.http.tls import HttpsInfo
from roundtap_hub.store.read_model import Snapshot

ENCRYPT, LOG_IN = "encrypt", "log in"

GUARDED = STAFF | {LOGIN}
HOST = re.compile(r"(\[[0-9a-f:]{2,45}\]|[a-z0-9.-]{1,253})(:\d{1,5})?", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Requester:
    """What is certain of a client: taken from the connection and the session, never from other headers."""

    encrypted: bool
    here: bool  # not encrypted, but from the hub's own machine and by its own name
    role: str = ""
    token: str = ""  # the session's; "" for none


def missing_access(who: frozenset[str], requester: Requester) -> str:
    """What this client lacks to be one of `who`: ENCRYPT, LOG_IN, or "" for nothing. Units' keys are checked by their
    handlers, a session's role where the refusal can be explained (live/forms.py)."""
    if not (who & STAFF or LOGIN in who):
        return ""
    if not (requester.encrypted or requester.here):
        return ENCRYPT
    return LOG_IN if LOGIN not in who and not requester.role else ""


def state_of(snapshot: Snapshot, event_id: str) -> str:
    """The state of an event."""
    if event_id in snapshot.venue.deleted:
        return DELETED
    event = snapshot.dormant.get(event_id) or snapshot.events.get(event_id)
    if event is None:
        return NO_EVENT
    if event_id in snapshot.venue.archived:
        return ARCHIVED
    if event.finished:
        return FINISHED
    state = snapshot.event(event_id)
    return IN_PLAY if state is not None and state.public_rounds else BEFORE


def round_state_of(state: EventState | None, match_id: str = "") -> str:
    """The state of this match's round; without one, of the event's newest."""
    if state is None:
        return NO_ROUND
    round_and_match = state.find_match(match_id) if match_id else None
    played = round_and_match[0] if round_and_match is not None else state.rounds[-1] if state.rounds else None
    if played is None:
        return NO_ROUND
    if played.status == ROUND_DRAFT:
        return DRAFTED
    if played.status == ROUND_CLOSED:
        return CLOSED
    return PUBLISHED if state.clock.state == IDLE else RUNNING


def refuse_role(snapshot: Snapshot, route: Route, role: str, event_id: str = "", match_id: str = "") -> None:
    """Raises NotYourRole for a logged-in role that may not request this now, with the roles that may."""
    if not route.who & STAFF or (role in route.who and role not in route.only):
        return
    state = state_of(snapshot, event_id) if event_id else NO_EVENT
    if role in route.who and state not in route.states:
        return  # No role may: refuse_in_state reports why.
    may = route.roles_in(state, round_state_of(snapshot.event(event_id), match_id) if route.only else NO_ROUND)
    if role not in may:
        raise NotYourRole(role, may)


def is_allowed(snapshot: Snapshot, role: str, address: str) -> bool:
    """Whether `role` may request "POST /console/e1/match/1.1/ruling" now, by its route."""
    method, _, path = address.partition(" ")
    route_and_names = find_route(method, path)
    if route_and_names is None:
        return False
    route, named = route_and_names
    event_id = named.get("event_id", "")
    if not route.who & STAFF:
        return True
    if not event_id:
        return role in route.who
    state = state_of(snapshot, event_id)
    shown = snapshot.events.get(event_id)
    return route.allows(role, state, round_state_of(shown, named.get("match_id", "")) if shown is not None else CLOSED)


class NotYourRole(Problem):
    """The reader is logged in, but not in one of `roles`."""

    def __init__(self, role: str, roles: tuple[str, ...]) -> None:
        super().__init__("not_your_role")
        self.role, self.roles = role, roles


def refuse_in_state(snapshot: Snapshot, route: Route, event_id: str) -> None:
    """Raises the Problem of an event state that the route does not allow; before and in play the event itself refuses,
    as it knows what is missing."""
    state = state_of(snapshot, event_id)
    if state in route.states or state in (BEFORE, IN_PLAY):
        return
    named: Any = snapshot.dormant.get(event_id) or snapshot.events.get(event_id)
    name = named.name if named is not None else event_id
    raise {
        NO_EVENT: Problem("unknown_event", event=event_id),
        DELETED: Problem("event_deleted"),
        ARCHIVED: Problem("event_archived", name=name),
        FINISHED: Problem("event_finished", name=name),
    }[state]


@dataclass(slots=True)
class AccessControl:
    """Who may do what: by PIN and session, by link, by port."""

    secret: bytes  # signs the tokens in forms
    organizers: StaffLogin
    links: PersonalLinks
    encrypted: HttpsInfo | None = None
    """The organizers' port and the authority browsers must trust for it; None: organizers only at the hub itself."""


def requester_of(access: AccessControl, scope: http_answers.Scope) -> Requester:
    """The requester, from the connection and the session cookie."""
    encrypted = scope.get("scheme") == "https"
    client = scope.get("client")
    host, cookies = (http_answers.get_header(scope, name).decode("latin-1") for name in (b"host", b"cookie"))
    here = not encrypted and client is not None and is_local_request(client[0], host)
    token = cookies_in(cookies).get(session_cookie(encrypted, here), "")
    who = access.organizers.identity_of(access.organizers.session(token))
    return Requester(encrypted, here, who.role, token) if who is not None else Requester(encrypted, here)


def is_logged_in(access: AccessControl, scope: http_answers.Scope) -> bool:
    """Whether the request comes from the staff, in any role."""
    return bool(http_answers.get_header(scope, b"cookie") and requester_of(access, scope).role)


def is_known(access: AccessControl, scope: http_answers.Scope) -> bool:
    """Whether it comes from the hub's own machine, or from a device that was logged in before."""
    cookies = cookies_in(http_answers.get_header(scope, b"cookie").decode("latin-1"))
    here = is_loopback((scope.get("client") or [""])[0])
    return here or access.organizers.knows(cookies.get(SECURE_SESSION + DEVICE, ""))


async def answer_if_refused(
    access: AccessControl, language: str, scope: http_answers.Scope, send: http_answers.Send, who: frozenset[str]
) -> bool:
    """Whether a request that `who` may make was refused, and answered with a redirect or a refusal."""
    lacking = missing_access(who, requester_of(access, scope)) if who & GUARDED else ""
    if not lacking:
        return False
    is_safe = scope["method"] in http_answers.SAFE_METHODS
    if lacking == ENCRYPT:
        encrypted = access.encrypted
        if is_safe and encrypted is not None:
            await _redirect(send, 303, f"https://{_host(scope)}:{encrypted.port}{http_answers.path_and_query(scope)}")
        else:
            await _send_refusal(access, language, scope, send)
    elif (
        scope["method"] == "POST"
        and find_route("POST", scope["path"]) is not None
        and http_answers.content_length(scope) <= 64 * 1024
    ):
        # The login page carries what was typed (live/forms.py); what no stranger may send is too much for it.
        return False
    else:
        await _redirect(
            send,
            302,
            f"/login?next={quote(http_answers.path_and_query(scope) if is_safe else '/console', safe='/')}",
            () if is_safe else http_answers.CLOSE,
        )
    return True


async def _send_refusal(
    access: AccessControl, language: str, scope: http_answers.Scope, send: http_answers.Send
) -> None:
    """The page that points to the encrypted login, or says that there is none."""
    t = catalogue("roundtap_hub", language_of(scope, language))
    encrypted = access.encrypted
    if encrypted is None:
        way = f"<p>{escape(t('door.encrypted.off'))}</p>"
    else:
        there = escape(f"https://{_host(scope)}:{encrypted.port}/login")
        way = f'<p>{escape(t("door.encrypted.out"))}</p><p><a href="{there}">{there}</a></p>'
    await http_answers.send_text_page(send, 403, t.language, t("door.encrypted"), way)


def _host(scope: http_answers.Scope) -> str:
    """The requested host without its port; the connection's address instead of an invalid one."""
    if host := HOST.fullmatch(http_answers.get_header(scope, b"host").decode("latin-1")):
        return host[1]
    address = (scope.get("server") or ("localhost", 0))[0]
    return f"[{address}]" if ":" in address else address


async def _redirect(
    send: http_answers.Send, status: int, where: str, more: list[tuple[bytes, bytes]] | tuple[()] = ()
) -> None:
    await http_answers.send_answer(
        send,
        status,
        b"text/plain; charset=utf-8",
        b"",
        [(b"location", where.encode("latin-1", "replace")), *http_answers.NO_STORE, *more],
    )
