"""The guard before all pages, on the loop: staff pages only over TLS or at the hub itself, and only with a login."""

import re
from html import escape
from urllib.parse import quote

from roundtap_core.words import catalogue
from roundtap_hub.access.access_control import AccessControl
from roundtap_hub.access.policy import ENCRYPT, Requester, missing_access
from roundtap_hub.http import http_answers
from roundtap_hub.http.auth import is_local_request, is_loopback
from roundtap_hub.http.cookies import DEVICE, SECURE_SESSION, cookies_in, session_cookie
from roundtap_hub.http.reader_language import language_of
from roundtap_hub.http.routes import LOGIN, STAFF, find_route

GUARDED = STAFF | {LOGIN}
HOST = re.compile(r"(\[[0-9a-f:]{2,45}\]|[a-z0-9.-]{1,253})(:\d{1,5})?", re.IGNORECASE)


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
    host = HOST.fullmatch(http_answers.get_header(scope, b"host").decode("latin-1"))
    if host:
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
