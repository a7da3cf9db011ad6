"""The hub as one ASGI application: feeds native, everything else Flask in a thread pool."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator
from urllib.parse import parse_qs

from a2wsgi import WSGIMiddleware

from roundtap_hub.app import create_app
from roundtap_hub.devices.calls import close_settled_calls
from roundtap_hub.feeds.browser_feed import BrowserFeed
from roundtap_hub.feeds.device_feed import DeviceFeed
from roundtap_hub.feeds.phase_boundaries import Boundaries
from roundtap_hub.http_answers import Receive, Scope, Send
from roundtap_hub.hub import Hub
from roundtap_hub.static_files import PREFIX, StaticFiles
from roundtap_hub.views import page_version

log = logging.getLogger(__name__)

HELLO_BYTES_MAX = 1024 * 1024
CHECKPOINT_S = 5.0
FLASK_THREADS = 32
"""A thread waits for the commit of its result: as many results share one commit as there are threads."""


class HubApplication:
    """Routes a connection to a feed or to Flask, and keeps the clock's checkpoint while it runs."""

    def __init__(self, hub: Hub) -> None:
        self.hub = hub
        hub.service.listen(lambda snapshot, entries: close_settled_calls(hub.presence, snapshot, entries))
        self.devices = DeviceFeed(hub)
        self.browsers = BrowserFeed(hub, page_version)
        self._boundaries = Boundaries(hub, self._look_again)
        self._static = StaticFiles()
        self._flask = WSGIMiddleware(create_app(hub), workers=FLASK_THREADS)  # type: ignore[arg-type]
        self._checkpoints: asyncio.Task[None] | None = None
        self._loop: asyncio.AbstractEventLoop | None = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self._lifespan(receive, send)
        elif scope["type"] != "http":
            return
        elif scope["path"] == "/feed" and scope["method"] == "GET":
            page = parse_qs(scope["query_string"].decode("latin-1")).get("page", [""])[0]
            await _stream(self.browsers.stream(page[:200]), receive, send)
        elif scope["path"] == "/device/feed" and scope["method"] == "POST":
            await self._device(receive, send)
        elif scope["path"].startswith(PREFIX):
            await self._static.answer(scope, send)
        else:
            await self._flask(scope, receive, send)  # type: ignore[arg-type]

    def close_feeds_soon(self) -> None:
        """End every stream, so that a server waiting for open connections can stop; from any thread or signal."""
        if self._loop is not None:
            self._loop.call_soon_threadsafe(self._close_feeds)

    def _look_again(self) -> None:
        self.devices.look_again()
        self.browsers.look_again()

    def _close_feeds(self) -> None:
        self.devices.close_all()
        self.browsers.close_all()

    async def _device(self, receive: Receive, send: Send) -> None:
        greeted = self.devices.greet(await _body(receive))
        if greeted is None:
            await send({"type": "http.response.start", "status": 403,
                        "headers": [(b"content-type", b"application/json")]})
            await send({"type": "http.response.body", "body": b'{"error": "the signature does not fit"}'})
            return
        await _stream(self.devices.stream(*greeted), receive, send)

    async def _lifespan(self, receive: Receive, send: Send) -> None:
        while True:
            message = await receive()
            if message["type"] == "lifespan.startup":
                loop = self._loop = asyncio.get_running_loop()
                self.devices.bind(loop)
                self.browsers.bind(loop)
                self._boundaries.bind(loop)
                self._checkpoints = asyncio.create_task(self._keep_checkpoints())
                await send({"type": "lifespan.startup.complete"})
            else:
                self._boundaries.stop()
                if self._checkpoints is not None:
                    self._checkpoints.cancel()
                await send({"type": "lifespan.shutdown.complete"})
                return

    async def _keep_checkpoints(self) -> None:
        while True:
            await asyncio.sleep(CHECKPOINT_S)
            try:
                await asyncio.to_thread(self.hub.service.checkpoint)
            except Exception:
                # A full or busy disk now says nothing about five seconds from now.
                log.exception("no checkpoint was written")


async def _body(receive: Receive) -> bytes:
    """The request's body; over the limit, nothing, which no signature fits."""
    parts: list[bytes] = []
    while True:
        message = await receive()
        if message["type"] == "http.disconnect":
            return b""
        parts.append(message.get("body", b""))
        if sum(map(len, parts)) > HELLO_BYTES_MAX:
            return b""
        if not message.get("more_body"):
            return b"".join(parts)


async def _stream(source: AsyncIterator[bytes], receive: Receive, send: Send) -> None:
    """Send server-sent events until the source ends or the client goes."""
    await send({"type": "http.response.start", "status": 200, "headers": [
        (b"content-type", b"text/event-stream; charset=utf-8"), (b"cache-control", b"no-store"),
        (b"x-accel-buffering", b"no"),
    ]})

    async def watch() -> None:
        while (await receive())["type"] != "http.disconnect":
            pass

    async def pump() -> None:
        async for chunk in source:
            await send({"type": "http.response.body", "body": chunk, "more_body": True})

    tasks = {asyncio.create_task(watch()), asyncio.create_task(pump())}
    try:
        await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for task in tasks:
            task.cancel()
        for outcome in await asyncio.gather(*tasks, return_exceptions=True):
            # Who has gone raises OSError at the most; everything else is a fault of ours.
            if isinstance(outcome, Exception) and not isinstance(outcome, OSError):
                log.error("a feed failed", exc_info=outcome)
        closing = getattr(source, "aclose", None)
        if closing is not None:
            await closing()
        await send({"type": "http.response.body", "body": b"", "more_body": False})
