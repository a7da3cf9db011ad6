"""The server's HTTP protocol with deadlines: a request's head comes soon and is short, or the connection ends."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

from roundtap_hub.doors import Doors

HEAD_WITHIN_S = 10.0
"""From the first byte of a request to the end of its head, and for what is left of a body after its answer."""
FIRST_BYTE_WITHIN_S = 35.0
"""A browser opens connections ahead of need, and a unit when somebody begins to enter a result."""
HEAD_BYTES_MAX = 32 * 1024
"""A browser's head, with all cookies of a host, is a few kilobytes."""
QUESTION_BYTES = 2048
"""A phone's question is shorter; a longer one counts for as many as it is long: a head has to be read."""
PIPELINED_MAX = 8
"""Questions sent ahead of their answers on one connection: no browser does that, and no unit."""
TOO_LARGE = (b"HTTP/1.1 431 Request Header Fields Too Large\r\ncontent-length: 0\r\nconnection: close\r\n\r\n")

if TYPE_CHECKING:
    from uvicorn.protocols.http.h11_impl import H11Protocol as Base
else:
    Base = object


def best_protocol() -> type[Any]:
    """httptools where it can be imported; h11, which runs everywhere, where not."""
    try:
        from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

        return HttpToolsProtocol
    except ImportError:
        from uvicorn.protocols.http.h11_impl import H11Protocol

        return H11Protocol


def guarded(doors: Doors, base: type[Any] | None = None) -> type[Any]:
    """The protocol class of a server whose clients are counted by `doors`."""
    found = base or best_protocol()
    return type(f"Guarded{found.__name__}", (_Guard, found), {"doors": doors})


class _Guard(Base):
    """Mixed into one of the server's protocols. A request counts as begun when the protocol has made its cycle."""

    doors: Doors

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._deadline: asyncio.TimerHandle | None = None
        self._held: list[bytes] | None = None
        """What came from an address that asks too much, until its turn."""
        self._head_bytes = 0
        self._known_cycle: object = None

    def connection_made(self, transport: Any) -> None:
        super().connection_made(transport)
        self._end_within(FIRST_BYTE_WITHIN_S)

    def connection_lost(self, exc: Exception | None) -> None:
        self._no_deadline()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        if self._held is not None:
            self._held.append(data)
            return
        between = self._between_requests()
        # What belongs to a body is bounded by whoever reads it.
        wait_s = self._wait_s(len(data)) if between or not self.cycle.more_body else 0.0
        if wait_s and not between:
            self.transport.abort()
            return
        if wait_s:
            self._held = [data]
            self.transport.pause_reading()
            self.loop.call_later(wait_s, self._go_on)
            return
        self._take(data)

    def on_response_complete(self) -> None:
        if self._asked_ahead() and self._wait_s(0):
            # Whoever waits for no answer cannot be made to wait for one.
            self.transport.abort()
            return
        super().on_response_complete()
        if self.cycle is self._known_cycle:
            self._head_bytes = 0

    def _go_on(self) -> None:
        held, self._held = self._held, None
        if held is None or self.transport.is_closing():
            return
        self.transport.resume_reading()
        self._take(b"".join(held))

    def _take(self, data: bytes) -> None:
        between = self._between_requests()
        super().data_received(data)
        if self.cycle is not self._known_cycle:
            self._known_cycle = self.cycle
            self._head_bytes = 0
            self._no_deadline()
            if len(getattr(self, "pipeline", ())) > PIPELINED_MAX:
                self.transport.abort()
        elif between and not self.transport.is_closing():
            self._head_bytes += len(data)
            if self._head_bytes > HEAD_BYTES_MAX:
                self.transport.write(TOO_LARGE)
                self.transport.close()
            elif self._head_bytes == len(data) or self._deadline is None:
                self._end_within(HEAD_WITHIN_S)

    def _wait_s(self, n_bytes: int) -> float:
        return self.doors.wait_s(self.client[0], max(1, n_bytes / QUESTION_BYTES)) if self.client else 0.0

    def _asked_ahead(self) -> bool:
        """Whether the next question has come already, before this one was answered."""
        conn = getattr(self, "conn", None)
        return bool(getattr(self, "pipeline", ())) or (conn is not None and bool(conn.trailing_data[0]))

    def _between_requests(self) -> bool:
        """Whether what comes now belongs to no request that somebody answers."""
        return self.cycle is None or bool(self.cycle.response_complete)

    def _end_within(self, seconds: float) -> None:
        self._no_deadline()
        self._deadline = self.loop.call_later(seconds, self._end)

    def _no_deadline(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None

    def _end(self) -> None:
        self._deadline = None
        if not self.transport.is_closing():
            self.transport.abort()
