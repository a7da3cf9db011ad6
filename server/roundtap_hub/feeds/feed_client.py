"""One open page at the browsers' feed: told at once and without a task of its own, as long as its browser reads."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Generator
from typing import Any

from roundtap_hub.http_answers import Send
from roundtap_hub.page_cache import PageKey

WAITING_MAX = 16
"""So much may wait for a browser that reads slowly; beyond, it is told what counts: that its page changed."""
TOO_SLOW = "too-slow"
"""The version of a page that nobody knows what it shows: what comes next is to be loaded, too."""


class FeedClient:
    """`version`: what its page shows once it has taken all that it was told. All methods run in the event loop.

    Sending to a thousand clients is a thousand writes to buffers that have room, and nothing that is waited for. Only
    a client whose buffer is full gets a task, which goes on from there.
    """

    __slots__ = ("_send", "_task", "_waiting", "closed", "display", "key", "sent_on", "version")

    def __init__(self, key: PageKey, version: str, send: Send) -> None:
        self.key = key
        self.version = version
        self.closed = False
        self.display = ""
        """Of which display it is the page; "": nobody's."""
        self.sent_on = False
        """Its display was told to go elsewhere."""
        self._send = send
        self._waiting: list[bytes] = []
        self._task: asyncio.Task[None] | None = None

    def tell(self, event: bytes) -> None:
        if self.closed:
            return
        if self._task is not None:
            if len(self._waiting) >= WAITING_MAX:
                self.version = TOO_SLOW
                self._waiting = [f"event: view\ndata: {TOO_SLOW}\n\n".encode()]
            else:
                self._waiting.append(event)
            return
        sending = self._said(event)
        try:
            waited_for = sending.send(None)
        except StopIteration:
            return
        except OSError:
            self.closed = True
            return
        self._task = asyncio.ensure_future(self._go_on(_Rest(sending, waited_for)))

    def tell_view(self, version: str) -> None:
        """That the page is to be loaded."""
        self.version = version
        self.tell(f"event: view\ndata: {version}\n\n".encode())

    def close(self) -> None:
        """Nothing is sent any more, and what is under way is given up."""
        self.closed = True
        if self._task is not None:
            self._task.cancel()

    def _said(self, event: bytes) -> Coroutine[Any, Any, None]:
        return self._send({"type": "http.response.body", "body": event, "more_body": True})  # type: ignore[return-value]

    async def _go_on(self, rest: _Rest) -> None:
        try:
            await rest
            while self._waiting:
                said, self._waiting = b"".join(self._waiting), []
                await self._said(said)
        except OSError:
            self.closed = True
        finally:
            self._task = None


class _Rest:
    """A coroutine that was begun by hand and waits for something, as something to wait for."""

    def __init__(self, begun: Coroutine[Any, Any, None], waited_for: Any) -> None:
        self._begun = begun
        self._waited_for = waited_for

    def __await__(self) -> Generator[Any, Any, None]:
        waited_for = self._waited_for
        while True:
            try:
                try:
                    told = yield waited_for
                except BaseException as error:
                    waited_for = self._begun.throw(error)
                else:
                    waited_for = self._begun.send(told)
            except StopIteration:
                return
