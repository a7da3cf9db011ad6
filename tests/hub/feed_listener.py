"""A browser at the feed: its page as a tree, changed by what it is told, loaded anew only when it is told to."""

import asyncio
import json
import re
import threading
import time
from collections.abc import Callable, MutableMapping
from typing import Any

from asgi_client import AsgiClient
from page_dom import Node, patched, tree

from patience import GUARD_S
from roundtap_hub.http.connection_limits import TRANSPORT

PATIENCE_S = GUARD_S


def joined(chunks: bytes) -> bytes:
    """What stands in the chunks of an answer (RFC 9112, 7.1), whole ones."""
    said = b""
    while chunks:
        size, _, rest = chunks.partition(b"\r\n")
        said, chunks = said + rest[: int(size, 16)], rest[int(size, 16) + 2 :]
    return said


class FeedLink:
    """The connection of a feed, and what a server keeps of it; all of it runs on the loop. `take`: what is written."""

    def __init__(self, take: Callable[[bytes], None]) -> None:
        self.write = take
        self.connections: set[Any] = set()
        self.unread_bytes = 0
        self.closed = asyncio.Event()
        self._protocol: Any = self

    def get_protocol(self) -> Any:
        return self._protocol

    def set_protocol(self, protocol: Any) -> None:
        self._protocol = protocol

    def connection_lost(self, _: Exception | None) -> None:
        """As told to a server that answers no more."""

    def resume_reading(self) -> None:
        """A browser says nothing on it."""

    def get_write_buffer_size(self) -> int:
        return self.unread_bytes

    def is_closing(self) -> bool:
        return self.closed.is_set()

    def close(self) -> None:
        if not self.is_closing():
            self.closed.set()
            asyncio.get_running_loop().call_soon(self._protocol.connection_lost, None)

    def abort(self) -> None:
        self.closed.set()


class Listener:
    """One page with its feed, which has greeted it. `events`: (name, data) as they came, without ticks; `loads`: how
    often it was loaded."""

    def __init__(self, client: AsgiClient, path: str, language: str = "en", cookie: str = "", **query: str) -> None:
        self.client, self.path, self.language, self.cookie = client, path, language, cookie
        self.events: list[tuple[str, str]] = []
        self.loads = 0
        self._heard = threading.Condition()
        self._messages = 0
        self._rest = b""
        self._link = FeedLink(self._take)
        self._greeted = threading.Event()
        self.load()
        [body] = (node for node in self.page.find() if node.tag == "body")
        asked = {"lang": language, "variant": body.attributes.get("data-variant"), "seen": self.seen, **query}
        feed = f"{body.attributes['data-feed']}&" + "&".join(f"{k}={v}" for k, v in asked.items() if v is not None)
        self.stream = asyncio.run_coroutine_threadsafe(self._listen(feed), client.loop)
        self.stream.add_done_callback(lambda _: self._greeted.set())
        assert self._greeted.wait(PATIENCE_S), "no greeting"
        if self.stream.done():
            self.stream.result()

    @property
    def seen(self) -> str:
        [body] = (node for node in self.page.find() if node.tag == "body")
        return body.attributes["data-seen"] or ""

    def load(self) -> None:
        self.page: Node = tree(
            self.client.get(
                self.path, accept_language=self.language, **({"cookie": self.cookie} if self.cookie else {})
            ).text
        )
        self.loads += 1

    def until(self, true: Callable[[], object], what: str) -> None:
        """Until `true()`, asked again after each message. It is asked without the lock: it may load a page, and the
        loop that answers must be able to hand on a message meanwhile."""
        end_s = time.monotonic() + PATIENCE_S
        while True:
            with self._heard:
                heard = self._messages
            if true():
                return
            with self._heard:
                assert self._heard.wait_for(
                    lambda heard=heard: self._messages > heard,  # type: ignore[misc]
                    end_s - time.monotonic(),
                ), (what, self.events)

    def named(self, name: str) -> list[Any]:
        return [json.loads(data) if data.startswith("{") else data for said, data in self.events if said == name]

    def show(self) -> None:
        """All that was told is put in place, as static/live.js does."""
        with self._heard:
            events, self.events = self.events, []
        for name, data in events:
            if name == "patch" and json.loads(data)["from"] == self.seen:
                self.page = patched(self.page, data)
            elif (name == "view" and data != self.seen) or (name == "patch" and json.loads(data)["to"] != self.seen):
                self.load()

    def close(self) -> None:
        self.client.loop.call_soon_threadsafe(self._link.close)
        self.stream.result(PATIENCE_S)

    async def _listen(self, address: str) -> None:
        path, _, query = address.partition("?")
        scope = {
            "type": "http",
            "method": "GET",
            "path": path,
            "query_string": query.encode(),
            TRANSPORT: self._link,
            "headers": [(b"cookie", self.cookie.encode())] if self.cookie else [],
        }

        async def send(message: MutableMapping[str, Any]) -> None:
            assert message["status"] == 200

        await self.client.application(scope, None, send)
        await self._link.closed.wait()

    def _take(self, chunks: bytes) -> None:
        said = joined(chunks)
        *whole, self._rest = (self._rest + said).split(b"\n\n")
        with self._heard:
            for event in whole:
                found = re.fullmatch(r"event: (\w+)\ndata: (.*)", event.decode())
                if found and found[1] != "tick":
                    self.events.append((found[1], found[2]))
            self._messages += 1
            self._heard.notify_all()
        if said:
            self._greeted.set()
