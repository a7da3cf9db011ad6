"""Public pages answered on the event loop, as gzip from the store: for browsers that are no organizer's."""

from __future__ import annotations

import logging
import re
from urllib.parse import parse_qsl

from roundtap_hub.cookies import LANGUAGE, cookies_in
from roundtap_hub.http_answers import Receive, Scope, Send, header, send_answer, send_kept, without_link
from roundtap_hub.hub import Hub
from roundtap_hub.known_displays import DISPLAY, DISPLAY_S, Place, place_of
from roundtap_hub.page_guard import is_logged_in
from roundtap_hub.public.colours import KIND, colours
from roundtap_hub.public.colours import PATH as COLOURS
from roundtap_hub.public.page_store import Kept, PageKey, PageStore
from roundtap_hub.public.sheets import DOOR, WALL_ASKS, wall_variant
from roundtap_hub.reader_language import language_of

log = logging.getLogger(__name__)

PAGES = re.compile(
    r"/(?:(?P<door>)|(?P<walls>wall)|wall/(?P<wall>[^/]+)|rules/(?P<rules>[^/]+)|e/(?P<event>[^/]+)"
    r"(?:/(?P<part>standings|pairings|bracket)|/p/(?P<player>[^/]+))?)")

SEAL = [(b"cache-control", b"no-cache"), (b"vary", b"Accept-Language, Cookie, Accept-Encoding")]
"""Flask's pages are not kept (pages/base.py); these are, and asked for by their mark each time."""


class PublicPages:
    """Answers what it can from the store."""

    def __init__(self, hub: Hub, store: PageStore) -> None:
        self._hub = hub
        self._store = store

    def organizes(self, scope: Scope) -> bool:
        """Whether the request comes from somebody who is logged in."""
        return is_logged_in(self._hub, scope)

    async def answer(self, scope: Scope, receive: Receive, send: Send) -> bool:
        """Whether the request was answered; what is not, is Flask's."""
        if scope["method"] != "GET":
            return False
        if scope["path"] == COLOURS:
            # Every page asks for it: behind pages in the making it would hold up those that are ready.
            await send_answer(send, 200, KIND.encode(), colours(self._hub.service.snapshot).encode(), SEAL)
            return True
        asked = dict(parse_qsl(scope["query_string"].decode("latin-1"))) if scope["query_string"] else {}
        found = _find(scope["path"], asked)
        if found is None:
            return False
        sent = cookies_in(header(scope, b"cookie").decode("latin-1"))
        # An organizer's pages have more on them; a language chosen just now has to be remembered.
        if asked.get("lang", sent.get(LANGUAGE)) != sent.get(LANGUAGE) or is_logged_in(self._hub, scope):
            return False
        cookies: list[tuple[bytes, bytes]] = []
        if scope["path"] == "/wall" and not asked.keys() - {"lang"}:
            found, cookies = self._display(scope, sent.get(DISPLAY, ""))
        key = PageKey(*found, language_of(scope, self._hub.language))
        try:
            kept = self._store.ready(key) or await self._store.whole(key)
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


def _find(path: str, asked: dict[str, str]) -> tuple[str, str] | None:
    """Page and variant at an address; None for what these are not."""
    found = PAGES.fullmatch(path)
    if found is None or not asked.keys() <= {"lang", *WALL_ASKS}:
        return None
    walls = wall_variant(asked)
    if found["walls"]:
        return DOOR, walls
    if found["wall"]:
        return f"wall/{found['wall']}", walls
    if found["rules"]:
        return f"rules/{found['rules']}", ""
    if found["player"]:
        return f"p/{found['event']}/{found['player']}", ""
    if found["event"]:
        return f"{found['part'] or 'e'}/{found['event']}", ""
    return DOOR, "stay" if "lang" in asked else ""


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
