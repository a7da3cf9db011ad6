"""One open page at the browsers' feed: what it is still to be told, and who waits for that."""

from __future__ import annotations

import asyncio

from roundtap_hub.public.page_store import PageKey

WAITING_MAX = 16
"""So much may wait for a browser that reads slowly; beyond, it is told what counts: that its page changed."""

TOO_SLOW = "too-slow"
"""The version of a page that nobody knows what it shows: what comes next is to be loaded, too."""


class FeedClient:
    """`version`: what its page shows once it has taken all that it was told."""

    __slots__ = ("_saying", "_waiter", "closed", "key", "version")

    def __init__(self, key: PageKey, version: str) -> None:
        self.key = key
        self.version = version
        self.closed = False
        self._saying: list[bytes] = []
        self._waiter: asyncio.Future[None] | None = None

    def tell(self, event: bytes) -> None:
        if len(self._saying) < WAITING_MAX:
            self._saying.append(event)
            self._wake()
        else:
            self._saying.clear()
            self.tell_view(TOO_SLOW)

    def tell_view(self, version: str) -> None:
        """That the page is to be loaded."""
        self.version = version
        self.tell(f"event: view\ndata: {version}\n\n".encode())

    def take(self) -> bytes:
        """All that was said since; empty when nothing was."""
        said = self._saying[0] if len(self._saying) == 1 else b"".join(self._saying)
        self._saying.clear()
        return said

    async def news(self) -> None:
        """Returns once there is something to take, or it is closed."""
        if not self._saying and not self.closed:
            self._waiter = asyncio.get_running_loop().create_future()
            await self._waiter

    def close(self) -> None:
        self.closed = True
        self._wake()

    def _wake(self) -> None:
        if self._waiter is not None and not self._waiter.done():
            self._waiter.set_result(None)
