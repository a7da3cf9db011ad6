"""The browsers' feed: page changes as small patches, clocks, and the hub's time; at most four times a second."""

import asyncio
import json
import logging
import secrets
from collections import Counter
from collections.abc import Awaitable, Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import Any
from urllib.parse import parse_qs

from msgspec import to_builtins

from roundtap_core.words import LANGUAGES
from roundtap_hub.http.connection_limits import TRANSPORT
from roundtap_hub.http.http_answers import CLOSE, NO_STORE, Receive, Scope, Send, get_header, send_json
from roundtap_hub.http.requester import client_key_in, cookies_in
from roundtap_hub.http.routes import EVERYBODY, PageKey, route
from roundtap_hub.http.uvicorn_private import take_over
from roundtap_hub.live.page_cache import CachedPage, PageCache, RenderingKey
from roundtap_hub.live.regions import RenderedPage, diff_pages
from roundtap_hub.views.known_displays import DISPLAY, DISPLAY_COOKIE_RE, canonical_variant, display_page
from roundtap_hub.views.round_clock import public_clock, time_of_day
from roundtap_hub.views.running_hub import RunningHub

log = logging.getLogger(__name__)

COALESCE_S = 0.25  # the first change is sent at once; later ones together, this much later
TICK_S = 5.0
TICK_SLOTS = 20  # clients get the tick in this many groups, one after the other, so that a thousand do not wake at once
REST = 4  # after checking all pages, the feed rests this many times as long as the check took
BATCH_PAGES = 24  # pages drawn in one go, before their clients get the changes and others have their turn
PATCH_LETTERS = 4000  # longest patch, unless a third of the page is more: a whole page is sent as gzip

UNREAD_BYTES_MAX = 64 * 1024
"""What may wait for a browser that reads slowly. Then its feed ends: it opens another, and is told to look."""


@dataclass(slots=True, eq=False)
class FeedClient(asyncio.Protocol):
    """One open page; `version`: what it shows once it has read all events. All methods run in the event loop. Once its
    answer has begun, it has the connection to itself: what a server keeps of a request takes ten times as much memory,
    and passing an event through it as long as sending it."""

    group: "ViewerGroup"
    version: str
    transport: asyncio.Transport
    leave: Callable[["FeedClient"], None]
    asker: str = ""
    display: str = ""  # the display whose page it is; "": none
    redirected: bool = False  # its display was sent to another page
    own_drawing: bool = False  # its page was drawn for somebody logged in, without a variant
    _connections: set[Any] = field(default_factory=set)

    def begin(self) -> None:
        """Take the connection from the server's protocol, which is told that its client has gone."""
        self._connections = take_over(self.transport, self)
        self.transport.resume_reading()

    def send(self, event: bytes) -> None:
        """Send a chunk, as `_chunk` makes it."""
        if self.transport.is_closing():
            return
        if self.transport.get_write_buffer_size() > UNREAD_BYTES_MAX:
            self.transport.abort()
        else:
            self.transport.write(event)

    def send_reload(self, version: str) -> None:
        """Send that the page has to be loaded."""
        self.version = version
        self.send(_event("view", version))

    def data_received(self, data: bytes) -> None:
        # A browser says nothing more on this connection.
        self.transport.abort()

    def connection_lost(self, exc: Exception | None) -> None:
        self._connections.discard(self)
        self.leave(self)

    def shutdown(self) -> None:
        """End the stream; also called by uvicorn when it stops."""
        self.transport.write(b"0\r\n\r\n")
        self.transport.close()


@dataclass(slots=True, eq=False)
class ViewerGroup:
    """Clients with the same page, variant and language. `version`: the page when it was last checked; `sent_version`:
    the version sent last, which shows the same; `shown`: the page of both, where it was drawn."""

    key: RenderingKey
    version: str
    sent_version: str
    shown: RenderedPage | None
    clients: set[FeedClient] = field(default_factory=set)

    def update(self, version: str, shown: RenderedPage | None) -> bool:
        """Send the clients what changed on the page, or that it changed. False: nothing visible did."""
        event, before = b"", self.sent_version
        if shown is not None and self.shown is not None:
            patch = diff_pages(replace(self.shown, version=before), shown)
            if not patch.whole and not patch.regions:
                self.version, self.shown = version, shown
                return False
            if not patch.whole and len(patch.text) <= max(PATCH_LETTERS, shown.letters // 3):
                event = _event("patch", patch.text)
        self.version, self.sent_version, self.shown = version, version, shown
        for client in self.clients:
            if event and client.version == before:
                client.version = version
                client.send(event)
            elif client.version != version:
                client.send_reload(version)
        return True


class BrowserFeed:
    """All open pages. Its methods run in the event loop."""

    def __init__(
        self,
        hub: RunningHub,
        cache: PageCache,
        of_one: int,
        staff_first: Callable[[], Awaitable[bool]],
        page_proof: Callable[[str], Mapping[str, str]] | None = None,
    ) -> None:
        self._hub = hub
        self._staff_first, self._page_proof = staff_first, page_proof
        self._cache = cache
        self._of_one = of_one
        self._askers: Counter[str] = Counter()
        self._groups: dict[RenderingKey, ViewerGroup] = {}
        self._display_clients: set[FeedClient] = set()
        self._ticked: list[set[FeedClient]] = [set() for _ in range(TICK_SLOTS)]
        self._next_tick = 0
        self._clocks: dict[str, str] = {}
        self._loop: asyncio.AbstractEventLoop | None = None
        self._news = asyncio.Event()  # set when a page may have changed
        self._saved = self._closing = False
        self._broadcaster: asyncio.Task[None] | None = None
        self._sent_s = self._checked_s = self._rest_until_s = float("-inf")
        hub.service.listen(lambda *_: self._changed(True))
        hub.presence.listen(lambda _: self._changed(False))
        hub.hall.displays.on_identify.append(lambda display, name: self._call_on_loop(self._identify, display, name))

    def send_hubs(self) -> None:
        """Name the other hubs to every client, once another standby is known; from any thread."""
        self._call_on_loop(lambda: _send_all(self.clients(), self._hubs_event()))

    def bind(self, loop: asyncio.AbstractEventLoop) -> None:
        """Set the clients' loop; called from that loop."""
        self._loop = loop
        self._broadcaster = loop.create_task(self._broadcast_loop())
        loop.call_later(TICK_S / TICK_SLOTS, self._tick)

    @route("GET /feed", EVERYBODY)
    async def answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        """GET "/feed?page=…&lang=…&variant=…&seen=…": server-sent events for as long as the client stays, or with
        "once=1" only what is new, for a page whose browser has no connection left to hold. Clients without one of the
        hub's languages get "view" (something changed), never "patch". 503 for an address that has its share of feeds.
        """
        asker = client_key_in(scope)
        if asker and self._askers[asker] >= self._of_one:
            await send_json(send, 503, {"error": "too many pages from one address"}, [(b"retry-after", b"30"), *CLOSE])
            return
        await send(
            {
                "type": "http.response.start",
                "status": 200,
                "headers": [
                    (b"content-type", b"text/event-stream; charset=utf-8"),
                    *NO_STORE,
                    (b"x-accel-buffering", b"no"),
                ],
            }
        )
        if scope[TRANSPORT].is_closing():
            await send({"type": "http.response.body", "body": b"", "more_body": False})
        else:
            self._add_client(scope, asker)

    def refresh(self) -> None:
        """Send every page what has changed by the clock alone."""
        self._saved = True
        self._news.set()

    def close_all(self) -> None:
        """The hub stops: end every stream, and those that open from now on."""
        self._closing = True
        if self._broadcaster is not None:
            self._broadcaster.cancel()
        for client in self.clients():
            client.shutdown()

    def clients(self) -> list[FeedClient]:
        """All open pages."""
        return list(chain.from_iterable(self._ticked))

    def _add_client(self, scope: Scope, asker: str) -> None:
        query = parse_qs(scope["query_string"].decode("latin-1"))
        params = {name: values[0][:200] for name, values in query.items()}
        language, page = params.get("lang", ""), PageKey.parse(params.get("page", ""))
        key = RenderingKey(
            page, canonical_variant(page, params.get("variant", "")), language if language in LANGUAGES else ""
        )
        version = self._cache.version(page)
        group = self._groups.get(key)
        if group is None:
            group = self._groups[key] = ViewerGroup(key, version, version, self._cache.cached_render(key, version))
        client = FeedClient(group, params.get("seen", ""), scope[TRANSPORT], self._remove_client, asker)
        self._askers[asker] += 1
        min(self._ticked, key=len).add(client)
        group.clients.add(client)
        client.begin()
        clock = self._clock(page.event)
        # Whether its page is old comes before the time: a page that hears the time has looked.
        if client.version != version:
            client.send_reload(version)
        client.send(
            _chunk("retry: 2000\n\n") + self._hubs_event() + (self._clock_event(clock) if clock else self._tick_event())
        )
        if params.get("display") == "1" and (display := _display_of(scope)):
            client.display, client.own_drawing = display, "variant" not in params
            self._display_clients.add(client)
            self._hub.hall.displays.count_feed(display, 1)
            self._redirect_display(client)
        if self._closing or "once" in params:
            client.shutdown()

    def _remove_client(self, client: FeedClient) -> None:
        if client.display:
            self._display_clients.discard(client)
            self._hub.hall.displays.count_feed(client.display, -1)
        self._askers[client.asker] -= 1
        if not self._askers[client.asker]:
            del self._askers[client.asker]
        for ticked in self._ticked:
            ticked.discard(client)
        client.group.clients.discard(client)
        if not client.group.clients:
            self._groups.pop(client.group.key, None)

    # --- what changed

    def _changed(self, saved: bool) -> None:
        """From any thread. `saved`: the journal has a new entry; else a unit sent something."""
        self._saved = self._saved or saved
        if not self._news.is_set():
            self._call_on_loop(self._news.set)

    async def _broadcast_loop(self) -> None:
        loop = asyncio.get_running_loop()
        while True:
            await self._news.wait()
            self._news.clear()
            # A commit meanwhile shortens the wait.
            while (wait_s := self._due_s() - loop.time()) > 0:
                with suppress(TimeoutError):
                    async with asyncio.timeout(wait_s):
                        await self._news.wait()
                self._news.clear()
            await self._broadcast(loop)

    def _due_s(self) -> float:
        """When to check the pages next: after a commit at once, unless something was just sent; after a unit's message,
        which mostly changes no page, four times a second. Checking never takes more than a fifth of the time."""
        at_s = max(self._sent_s + COALESCE_S, self._rest_until_s)
        return at_s if self._saved else max(at_s, self._checked_s + COALESCE_S)

    async def _broadcast(self, loop: asyncio.AbstractEventLoop) -> None:
        self._saved = False
        self._checked_s = loop.time()
        try:
            sent = self._send_clocks()
            for client in list(self._display_clients):
                self._redirect_display(client)
            if await self._send_pages() or sent:
                self._sent_s = self._checked_s
        except Exception:
            # Pages that got nothing now catch up with the next change, or when they poll.
            log.exception("the browsers were not told what changed")
        self._rest_until_s = loop.time() + REST * (loop.time() - self._checked_s)

    def _send_clocks(self) -> bool:
        """Send changed clocks; whether there was one."""
        before, self._clocks = self._clocks, {}
        events: dict[str, bytes] = {}
        for group in self._groups.values():
            event = group.key.page.event
            clock = self._clock(event)
            if clock and before.get(event) not in (None, clock):
                message = events.setdefault(event, self._clock_event(clock))
                _send_all(group.clients, message)
        return bool(events)

    def _redirect_display(self, client: FeedClient) -> None:
        """Tell a display, once, that it is to show another page."""
        snapshot = self._hub.service.snapshot
        place = display_page(
            snapshot,
            snapshot.venue.display_plan.screens.get(client.display),
            self._hub.hall.displays.name_of(client.display),
            self._hub.clocks.mono_ms(),
        )
        shown = (client.group.key.page, place.variant if client.own_drawing else client.group.key.variant)
        if not client.redirected and shown != place:
            client.redirected = True
            client.send(_event("display", '{"elsewhere": true}'))

    def _call_on_loop(self, call: Callable[..., None], *args: Any) -> None:
        """From any thread."""
        if self._loop is not None and not self._loop.is_closed():
            self._loop.call_soon_threadsafe(call, *args)

    def _identify(self, display: str, name: str) -> None:
        _send_all(
            [client for client in self._display_clients if client.display == display],
            _event("display", json.dumps({"name": name})),
        )

    async def _send_pages(self) -> bool:
        """Send page changes, the pages with most clients first. Whether anything was sent."""
        sent, known, waits = False, self._cache.known_versions(), True
        groups = [group for group in self._groups.values() if known.get(group.key.page) != group.version]
        groups.sort(key=lambda group: -len(group.clients))
        for begin in range(0, len(groups), BATCH_PAGES):
            # Whoever pressed *Publish* has the answer before hundreds of phones are told.
            waits = waits and await self._staff_first()
            changed = [
                (group, version)
                for group in groups[begin : begin + BATCH_PAGES]
                if (version := self._cache.version(group.key.page)) != group.version
            ]
            drawn: dict[RenderingKey, CachedPage | None] = {}
            keys = [group.key for group, version in changed if group.key.language and version != "none"]
            if keys:
                drawn = dict(zip(keys, await self._cache.render(keys), strict=True))
            for group, version in changed:
                page = drawn.get(group.key)
                shown = page.rendered if page is not None and not page.redirect else None
                sent = group.update(version, shown) or sent
        return sent

    def _clock(self, event: str) -> str:
        """An event's clock as JSON without its last bracket; "" where there is no such event. Made once a broadcast."""
        if event not in self._clocks:
            state = self._hub.service.snapshot.events.get(event)
            if state is None:
                # Made-up events are not remembered.
                return ""
            view = public_clock(state, state.clock, self._hub.clocks.now())
            self._clocks[event] = json.dumps({"event": event, **to_builtins(view)})[:-1]
        return self._clocks[event]

    def _clock_event(self, clock: str) -> bytes:
        return _event("clock", f"{clock}, {self._now()}}}")

    def _hubs_event(self) -> bytes:
        """The other hubs, for when this one is silent; empty where there are none."""
        hubs = list(self._hub.host.other_addresses())
        if self._page_proof is None or not hubs:
            return b""
        return _event("hubs", json.dumps({"hubs": hubs, **self._page_proof(secrets.token_hex(16))}))

    def _tick_event(self) -> bytes:
        return _event("tick", f"{{{self._now()}}}")

    def _now(self) -> str:
        """The hub's clock and its time of day, as fields of an event."""
        return f'"now_ms": {self._hub.clocks.mono_ms()}, "time": {json.dumps(time_of_day(self._hub.clocks.wall()))}'

    def _tick(self) -> None:
        """Send the time to one group of clients, and displays of several events on to the next event."""
        clients = self._ticked[self._next_tick]
        for client in self._display_clients.intersection(clients):
            self._redirect_display(client)
        self._next_tick = (self._next_tick + 1) % TICK_SLOTS
        _send_all(clients, self._tick_event())
        if self._loop is not None and not self._closing:
            self._loop.call_later(TICK_S / TICK_SLOTS, self._tick)


def _event(name: str, data: str) -> bytes:
    return _chunk(f"event: {name}\ndata: {data}\n\n")


def _chunk(text: str) -> bytes:
    """A part of an answer of unknown length (RFC 9112, 7.1)."""
    body = text.encode()
    return b"%x\r\n%s\r\n" % (len(body), body)


def _send_all(clients: Iterable[FeedClient], event: bytes) -> None:
    for client in clients:
        client.send(event)


def _display_of(scope: Scope) -> str:
    """The display of the request's cookie; "" where there is none."""
    cookie = DISPLAY_COOKIE_RE.fullmatch(cookies_in(get_header(scope, b"cookie").decode("latin-1")).get(DISPLAY, ""))
    return cookie["id"] if cookie else ""
