"""Public pages answered on the event loop, as gzip from the cache: for browsers that are no organizer's."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from urllib.parse import parse_qsl

from roundtap_hub.cookies import LANGUAGE, cookies_in
from roundtap_hub.http_answers import Headers, Receive, Scope, Send, header, send_answer, send_kept, without_link
from roundtap_hub.hub import Hub
from roundtap_hub.known_displays import DISPLAY, DISPLAY_S, Place, place_of
from roundtap_hub.page_cache import Kept, PageCache, PageKey
from roundtap_hub.page_guard import is_logged_in
from roundtap_hub.policy import EVERYBODY, Route, route
from roundtap_hub.reader_language import language_of
from roundtap_hub.views.colours import KIND, colours
from roundtap_hub.views.wall_way import WALL_ASKS, wall_variant

log = logging.getLogger(__name__)

SEAL = [(b"cache-control", b"no-cache"), (b"vary", b"Accept-Language, Cookie, Accept-Encoding")]
"""Flask's pages are not kept (pages/base.py); these are, and asked for by their mark each time."""


NO_COOKIES: Headers = []


class PublicPages:
    """Answers what it can from the cache."""

    def __init__(self, hub: Hub, cache: PageCache) -> None:
        self._hub = hub
        self._cache = cache

    def organizes(self, scope: Scope) -> bool:
        """Whether the request comes from somebody who is logged in."""
        return is_logged_in(self._hub, scope)

    @route("GET /colours.css", EVERYBODY)
    async def colours(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Every page asks for it: behind pages in the making it would hold up those that are ready."""
        await send_answer(send, 200, KIND.encode(), colours(self._hub.service.snapshot).encode(), SEAL)

    async def answer(self, scope: Scope, send: Send, asked_for: Route, named: Mapping[str, str]) -> bool:
        """Whether the request was answered; what is not, is Flask's."""
        asked = dict(parse_qsl(scope["query_string"].decode("latin-1"))) if scope["query_string"] else {}
        if not asked_for.kept or EVERYBODY not in asked_for.who or scope["method"] != "GET" \
                or not asked.keys() <= {"lang", *WALL_ASKS}:
            return False
        sent = cookies_in(header(scope, b"cookie").decode("latin-1"))
        # An organizer's pages have more on them; a language chosen just now has to be remembered.
        if asked.get("lang", sent.get(LANGUAGE)) != sent.get(LANGUAGE) or is_logged_in(self._hub, scope):
            return False
        found, cookies = Place(asked_for.shows(named), _variant(asked_for, asked)), NO_COOKIES
        if asked_for.path == "/wall" and not asked.keys() - {"lang"}:
            found, cookies = self._display(scope, sent.get(DISPLAY, ""))
        key = PageKey(*found, language_of(scope, self._hub.language))
        try:
            kept = self._cache.ready(key) or await self._cache.whole(key)
        except Exception:
            log.exception("a public page failed: %s", without_link(scope["path"]))
            return False
        if kept is None:
            return False
        await _send(scope, send, key, kept, cookies)
        return True

    def _display(self, scope: Scope, sent: str) -> tuple[Place, list[tuple[bytes, bytes]]]:
        """What the display that asks is to show, and the cookie by which it is known again."""
        snapshot = self._hub.service.snapshot
        screens = snapshot.venue.walls.screens
        address = str(scope["client"][0]) if scope.get("client") else ""
        display, name = self._hub.displays.meet(sent, address, screens)
        place = place_of(snapshot, screens.get(display), name, self._hub.clocks.mono_ms())
        return place, cookie_header(display, name)


def _variant(asked_for: Route, asked: Mapping[str, str]) -> str:
    if asked_for.path.startswith("/wall"):
        return wall_variant(asked)
    return "stay" if asked_for.path == "/" and "lang" in asked else ""


def cookie_header(display: str, name: str) -> list[tuple[bytes, bytes]]:
    """A display's cookie; none where there were too many to give it a name."""
    if not name:
        return []
    cookie = f"{DISPLAY}={display}.{name}; Path=/; Max-Age={DISPLAY_S}; HttpOnly; SameSite=Lax"
    return [(b"set-cookie", cookie.encode())]


async def _send(scope: Scope, send: Send, key: PageKey, kept: Kept, more: list[tuple[bytes, bytes]]) -> None:
    if kept.elsewhere:
        await send_answer(send, 302, b"text/plain", b"", [*SEAL, *more, (b"location", kept.elsewhere.encode())])
        return
    await send_kept(scope, send, b"text/html; charset=utf-8", kept.body or b"",
                    [*SEAL, *more, (b"content-language", key.language.encode())], kept.etag)
