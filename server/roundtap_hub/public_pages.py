"""Public pages answered on the event loop, as gzip from the cache; the staff's own kind of them as well."""

from __future__ import annotations

import gzip
from collections.abc import Mapping
from urllib.parse import parse_qsl

from roundtap_hub.cookies import LANGUAGE, cookies_in
from roundtap_hub.http_answers import NO_STORE, Headers, Scope, Send, header, send_answer, send_kept
from roundtap_hub.hub import Hub
from roundtap_hub.known_displays import DISPLAY, DISPLAY_S, Place, place_of
from roundtap_hub.page_cache import PageCache, PageKey
from roundtap_hub.page_guard import asker_of
from roundtap_hub.policy import EVERYBODY, Route
from roundtap_hub.reader_language import language_of
from roundtap_hub.sessions import form_token
from roundtap_hub.views.event_list import COLOURS, KIND, colours
from roundtap_hub.views.regions import filled
from roundtap_hub.views.wall import WALL_ASKS, wall_variant

HTML = b"text/html; charset=utf-8"
SEAL = [(b"cache-control", b"no-cache"), (b"vary", b"Accept-Language, Cookie, Accept-Encoding")]
"""Flask's pages are not kept (pages/base.py); these are, and asked for by their mark each time."""
STAFF_SEAL = [*NO_STORE, (b"vary", b"Accept-Language, Cookie")]
"""As Flask's: the mark of its reader's forms is on the page."""


class PublicPages:
    """Answers what it can from the cache."""

    def __init__(self, hub: Hub, cache: PageCache) -> None:
        self._hub = hub
        self._cache = cache

    async def answer(self, scope: Scope, send: Send, asked_for: Route, named: Mapping[str, str]) -> bool:
        """Whether the request was answered; what is not, is Flask's."""
        if asked_for.address == COLOURS and scope["method"] == "GET":
            # Every page asks for it: behind pages in the making it would hold up those that are ready.
            await send_answer(send, 200, KIND.encode(), colours(self._hub.service.snapshot).encode(), SEAL)
            return True
        query = scope["query_string"].decode("latin-1")
        asked = dict(parse_qsl(query, keep_blank_values=True)) if query else {}
        if not asked_for.kept or EVERYBODY not in asked_for.who or scope["method"] != "GET" \
                or not asked.keys() <= {"lang", *WALL_ASKS}:
            return False
        sent = cookies_in(header(scope, b"cookie").decode("latin-1"))
        if asked.get("lang", sent.get(LANGUAGE)) != sent.get(LANGUAGE):
            return False  # A language chosen just now has to be remembered.
        asker = asker_of(self._hub, scope)
        found, more = Place(asked_for.shows(named), _variant(asked_for, asked)), Headers()
        if asked_for.path == "/wall" and not asked.keys() - {"lang"}:
            found, more = self._display(scope, sent.get(DISPLAY, ""))
        key = PageKey(*found, language_of(scope, self._hub.language), asker.role)
        kept = await self._cache.page(key)
        if kept is None or (key.role and kept.elsewhere):
            return False
        body, language = kept.body or b"", (b"content-language", key.language.encode())
        if kept.elsewhere:
            await send_answer(send, 302, b"text/plain", b"", [*SEAL, *more, (b"location", kept.elsewhere.encode())])
        elif key.role:
            page = filled(gzip.decompress(body).decode(), form_token(asker.token, self._hub.access.secret),
                          self._hub.clocks.mono_ms())
            await send_answer(send, 200, HTML, page.encode(), [*STAFF_SEAL, *more, language])
        else:
            await send_kept(scope, send, HTML, body, [*SEAL, *more, language], kept.etag)
        return True

    def _display(self, scope: Scope, sent: str) -> tuple[Place, list[tuple[bytes, bytes]]]:
        """What the display that asks is to show, and the cookie by which it is known again."""
        snapshot = self._hub.service.snapshot
        screens = snapshot.venue.walls.screens
        address = str(scope["client"][0]) if scope.get("client") else ""
        display, name = self._hub.hall.displays.meet(sent, address, screens)
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
