"""Public and personal pages from the cache, on the event loop, so no thread waits."""

from collections.abc import Awaitable, Callable, Mapping
from urllib.parse import parse_qsl

from roundtap_hub.access.personal_links import PHONE_ACTOR
from roundtap_hub.access.policy import is_logged_in, requester_of
from roundtap_hub.http import http_answers
from roundtap_hub.http.page_queues import Busy
from roundtap_hub.http.page_threads import BusyPage
from roundtap_hub.http.requester import (
    LANGUAGE,
    OWN_LINK,
    OWN_LINK_S,
    PHONE,
    PHONE_S,
    client_key_in,
    cookies_in,
    language_of,
    new_phone,
    set_cookie,
)
from roundtap_hub.http.routes import EVERYBODY, PageKey, Route
from roundtap_hub.live.page_cache import PageCache, RenderingKey
from roundtap_hub.store.venue import PlayerId
from roundtap_hub.views.known_displays import DISPLAY, DISPLAY_S, WALL_PARAMS, DisplayPage, display_page, wall_variant
from roundtap_hub.views.running_hub import RunningHub
from roundtap_hub.views.saved_event import current_matches, saved_event

HTML, JSON = b"text/html; charset=utf-8", b"application/json"
CACHE_HEADERS = [(b"cache-control", b"no-cache"), (b"vary", b"Accept-Language, Cookie, Accept-Encoding")]
"""Browsers keep these pages and revalidate by ETag; Flask's are not stored (live/render.py)."""

UNSEEN = b"roundtap-unseen"
"""The header by which a page in the background says so when it looks for what changed (static/live.js)."""

PAGE, REPORT = PERSONAL = "GET /me/<token>", "POST /me/<token>/report"
LINK_HEADERS: http_answers.Headers = [
    (b"referrer-policy", b"no-referrer"),
    (b"vary", b"Accept-Language, Cookie, Accept-Encoding"),
]
PERSONAL_HEADERS = [*http_answers.NO_STORE, *LINK_HEADERS]
OWN_PAGE_HEADERS = [(b"cache-control", b"private, no-cache"), *LINK_HEADERS]
"""The player's browser may keep the page: without contact, it shows the last one on the way back, and in a tab that
was put aside."""


ReportHandler = Callable[
    [http_answers.Scope, http_answers.Receive, http_answers.Send, PlayerId, str], Awaitable[http_answers.Receive | None]
]
"""Answers a phone's report of this player, whose link has this token; what it returns is as of `CachedPages.answer`."""


class CachedPages:
    """Public and personal pages: answers what it can; Flask answers the rest, with the same text."""

    def __init__(self, hub: RunningHub, cache: PageCache, report: ReportHandler, busy: BusyPage) -> None:
        self._hub = hub
        self._cache = cache
        self._busy = busy
        self._report = report

    async def answer(
        self,
        scope: http_answers.Scope,
        receive: http_answers.Receive,
        send: http_answers.Send,
        route: Route,
        named: Mapping[str, str],
    ) -> http_answers.Receive | None:
        """None: the request was answered. Else the receive for the handler that answers it."""
        try:
            if route.address in PERSONAL and scope["method"] != "HEAD":
                token = named["token"]
                who = self._hub.access.links.owner_of(token)
                if who is None or self._hub.service.snapshot.venue.is_gone(who):
                    return receive
                if route.address == REPORT:
                    return await self._report(scope, receive, send, who, token)
                event = saved_event(self._hub.service.snapshot, who[0])
                match = current_matches(event).get(who[1]) if event is not None else None
                hidden = http_answers.get_header(scope, UNSEEN)
                if match is not None and not hidden and not is_logged_in(self._hub.access, scope):
                    # A sign of the player, unless an official looks at the page, or nobody does.
                    self._hub.presence.mark_at_table(who[0], match.id, f"{PHONE_ACTOR}{who[1]}")
                answered = await self._own_page(scope, send, PageKey("me", who[0], token))
            else:
                answered = await self._public_page(scope, send, route, named)
        except Busy:
            await self._busy.answer(scope, send, False)
            return None
        return None if answered else receive

    # --- public pages

    async def _public_page(
        self, scope: http_answers.Scope, send: http_answers.Send, route: Route, named: Mapping[str, str]
    ) -> bool:
        query = scope["query_string"].decode("latin-1")
        params = dict(parse_qsl(query, keep_blank_values=True)) if query else {}
        data = route.path.endswith(".json")
        if (
            route.kept is None
            or EVERYBODY not in route.who
            or scope["method"] != "GET"
            or not (data or params.keys() <= {"lang", *WALL_PARAMS})
        ):
            return False
        cookies = cookies_in(http_answers.get_header(scope, b"cookie").decode("latin-1"))
        if params.get("lang", cookies.get(LANGUAGE)) != cookies.get(LANGUAGE):
            return False  # A language chosen just now has to be remembered.
        shown_page, more = DisplayPage(route.kept.filled(named), _variant(route, params)), http_answers.Headers()
        if route.path == "/wall" and not params.keys() - {"lang"}:
            shown_page, more = self._display(scope, cookies.get(DISPLAY, ""))
        if data:
            # Pages of any site may read them; they are the same in every language.
            more += [
                (b"access-control-allow-origin", b"*"),
                (b"access-control-expose-headers", b"roundtap-now-ms"),
                (b"roundtap-now-ms", b"%d" % self._hub.clocks.mono_ms()),
            ]
        key = RenderingKey(*shown_page, "en" if data else language_of(scope, self._hub.language))
        page = await self._cache.page(key, client_key_in(scope))
        if page is None:
            return False
        body, language = page.body or b"", (b"content-language", key.language.encode())
        if page.redirect:
            await http_answers.send_answer(
                send, 302, b"text/plain", b"", [*CACHE_HEADERS, *more, (b"location", page.redirect.encode())]
            )
        else:
            await http_answers.send_cached(
                scope, send, JSON if data else HTML, body, [*CACHE_HEADERS, *more, language], page.etag
            )
        return True

    def _display(self, scope: http_answers.Scope, cookie: str) -> tuple[DisplayPage, list[tuple[bytes, bytes]]]:
        """The page for the requesting display, and the cookie that identifies it next time."""
        snapshot = self._hub.service.snapshot
        screens = snapshot.venue.display_plan.screens
        address = str(scope["client"][0]) if scope.get("client") else ""
        of_staff = bool(requester_of(self._hub.access, scope).role)
        display, name = self._hub.hall.displays.register(cookie, address, screens, of_staff)
        place = display_page(snapshot, screens.get(display), name, self._hub.clocks.mono_ms())
        # With too many displays it gets no name, and no cookie.
        return place, [set_cookie(DISPLAY, f"{display}.{name}", DISPLAY_S)] if name else []

    # --- a player's own page

    async def _own_page(self, scope: http_answers.Scope, send: http_answers.Send, page: PageKey) -> bool:
        if scope["query_string"]:
            return False
        key = RenderingKey(page, "", language_of(scope, self._hub.language))
        cached = await self._cache.page(key, client_key_in(scope))
        if cached is None or not cached.body:
            return False
        more = [*OWN_PAGE_HEADERS, (b"content-language", key.language.encode())]
        more.append(set_cookie(OWN_LINK, page.of, OWN_LINK_S))
        if not phone_of(scope):
            more.append(set_cookie(PHONE, new_phone(), PHONE_S))
        await http_answers.send_cached(scope, send, HTML, cached.body, more, cached.etag)
        return True


def _variant(route: Route, params: Mapping[str, str]) -> str:
    if route.path.startswith("/wall"):
        return wall_variant(params)
    return "stay" if route.path == "/" and "lang" in params else ""


def phone_of(scope: http_answers.Scope) -> str:
    """The browser's phone cookie; "" for none."""
    return cookies_in(http_answers.get_header(scope, b"cookie").decode("latin-1")).get(PHONE, "")
