"""What the hub uses of uvicorn beyond its API: deadlines of requests, connections taken over, a second server. And of
asyncio: TLS that keeps little memory for each connection.

What to check for another version than this one, or another Python, is in tests/kit/test_private_names.py.
"""

from __future__ import annotations

import asyncio
import copy
import socket
import ssl
from asyncio.sslproto import SSLProtocol
from collections.abc import Callable, Generator, Iterable, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, cast

import uvicorn
from uvicorn.protocols.http.auto import AutoHTTPProtocol

from roundtap_hub.http.connection_limits import FROM_UNIT, TRANSPORT, ConnectionLimits, Counted
from roundtap_hub.http.requester import client_key

HEAD_WITHIN_S = 10.0
"""From the first byte of a request to the end of its head; also for the rest of a body after its answer."""
FIRST_BYTE_WITHIN_S = 35.0  # a browser opens connections ahead of need, a unit when a player starts to enter a result
HEAD_BYTES_MAX = 32 * 1024  # a browser's head, with all cookies of a host, is a few kilobytes
REQUEST_BYTES = 2048
"""A phone's request is shorter; a longer one counts as several, by its length: its head has to be read."""
TOO_LARGE = b"HTTP/1.1 431 Request Header Fields Too Large\r\ncontent-length: 0\r\nconnection: close\r\n\r\n"

if TYPE_CHECKING:
    from uvicorn.protocols.http.h11_impl import H11Protocol as Base
else:
    Base = object


def with_timeouts(limits: ConnectionLimits, base: type[Any] = AutoHTTPProtocol) -> type[Any]:
    """A server's protocol class with clients counted by `limits`; the default is httptools' where that is installed."""
    return type(f"Guarded{base.__name__}", (TimeoutProtocol, base), {"limits": limits})


def take_over(transport: asyncio.Transport, taker: asyncio.Protocol) -> set[Any]:
    """Give a connection whose answer has begun to `taker`; its protocol is told that its client has gone. The server's
    connections, which `taker` has to leave at its end."""
    server: Any = transport.get_protocol()
    server.connection_lost(ConnectionResetError())
    server.connections.add(taker)
    transport.set_protocol(taker)
    return cast(set[Any], server.connections)


class ServerBeside(uvicorn.Server):
    """The application of another server, on its loop: that one handles signals and the lifespan. `connections`: those
    that are told when it stops."""

    def __init__(self, other: uvicorn.Config) -> None:
        config = copy.copy(other)
        config.lifespan, config.loaded = "off", False
        super().__init__(config)
        self.connections: set[Any] = self.server_state.connections

    async def listen(self, sockets: Iterable[socket.socket], made: Callable[[], asyncio.Protocol]) -> None:
        """As uvicorn's own startup, but `made` makes what a new connection begins with."""
        await super().startup([])
        loop = asyncio.get_running_loop()
        for each in sockets:
            self.servers.append(await loop.create_server(made, sock=each, backlog=self.config.backlog))

    def begin_http(self, transport: asyncio.Transport, data: bytes) -> None:
        """From now on the connection speaks HTTP, and has sent `data`."""
        made: Any = self.config.http_protocol_class
        http = made(config=self.config, server_state=self.server_state, app_state=self.lifespan.state)
        transport.set_protocol(http)
        http.connection_made(transport)
        http.data_received(data)

    @contextmanager
    def capture_signals(self) -> Generator[None, None, None]:
        yield


class TimeoutProtocol(Base):
    """Deadlines, mixed into one of uvicorn's protocols. A request has begun once the protocol has made its cycle."""

    limits: ConnectionLimits

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._deadline: asyncio.TimerHandle | None = None
        self._asker = ""
        self._held: list[bytes] | None = None  # data of a request that waits for the turn of its address
        self._head_bytes = 0
        self._known_cycle: object = None

    def connection_made(self, transport: Any) -> None:
        super().connection_made(transport)
        self._asker = client_key(self.client, self.server)
        self._set_deadline(FIRST_BYTE_WITHIN_S)

    def connection_lost(self, exc: Exception | None) -> None:
        self._clear_deadline()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        if self._held is not None:
            self._held.append(data)
            self.transport.pause_reading()
            return
        if not self._between_requests():
            # A body, which is bounded by its reader; or a request that was sent ahead.
            self._feed(data)
            return
        self._held = [data]
        if wait_s := self._wait_s(len(data)):
            self.loop.call_later(wait_s, self.limits.turns.run_soon, self._asker, self._resume)
        else:
            self.limits.turns.run_soon(self._asker, self._resume)

    def on_response_complete(self) -> None:
        if self.scope.get(FROM_UNIT):
            self.limits.turns.prefer(self._asker)
        super().on_response_complete()
        if self.cycle is self._known_cycle:
            self._head_bytes = 0

    def _resume(self) -> None:
        held, self._held = self._held, None
        if held is None or self.transport.is_closing():
            return
        self.transport.resume_reading()
        self._feed(b"".join(held))

    def _feed(self, data: bytes) -> None:
        between = self._between_requests()
        super().data_received(data)
        if not self._between_requests() and not self.cycle.more_body and self._is_pipelined():
            # Neither browsers nor units do so; who does not wait for answers cannot be slowed down by delaying them.
            self.transport.abort()
        elif self.cycle is not self._known_cycle:
            self._known_cycle = self.cycle
            scope: dict[str, Any] = self.cycle.scope  # type: ignore[assignment]
            scope[TRANSPORT] = self.transport
            self._head_bytes = 0
            self._clear_deadline()
        elif between and not self.transport.is_closing():
            self._head_bytes += len(data)
            if self._head_bytes > HEAD_BYTES_MAX:
                self.transport.write(TOO_LARGE)
                self.transport.close()
            elif self._head_bytes == len(data) or self._deadline is None:
                self._set_deadline(HEAD_WITHIN_S)

    def _wait_s(self, n_bytes: int) -> float:
        return self.limits.wait_s(self.client[0], max(1, n_bytes / REQUEST_BYTES)) if self.client else 0.0

    def _is_pipelined(self) -> bool:
        """Whether more came than one whole request."""
        conn = getattr(self, "conn", None)
        return bool(getattr(self, "pipeline", ())) or (conn is not None and bool(conn.trailing_data[0]))

    def _between_requests(self) -> bool:
        """Whether no request is being answered now."""
        return self.cycle is None or bool(self.cycle.response_complete)

    def _set_deadline(self, seconds: float) -> None:
        self._clear_deadline()
        self._deadline = self.loop.call_later(seconds, self.transport.abort)

    def _clear_deadline(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None


BUFFER_BYTES = 16 * 1024  # as much as a record of TLS holds
WRITE_BYTES = 4 * 1024  # encrypted at a time: OpenSSL keeps a buffer for so much with the connection, whatever was sent
SHARED_BUFFER = memoryview(bytearray(BUFFER_BYTES))
CLOSE_WITHIN_S = 5


class LeanTls(Counted, SSLProtocol):
    """asyncio's TLS without its quarter of a megabyte for each connection: what is read into the buffer is taken out at
    once, so that all connections of the loop share one. `inside` gets the connection once its handshake is done, and
    `shaken` how that has ended, at the latest after `within_s`."""

    max_size = BUFFER_BYTES
    _transport: asyncio.Transport | None

    def __init__(
        self, context: ssl.SSLContext, inside: asyncio.Protocol, shaken: asyncio.Future[None], within_s: int
    ) -> None:
        super().__init__(
            asyncio.get_running_loop(),
            inside,
            context,
            shaken,
            server_side=True,
            ssl_handshake_timeout=within_s,
            ssl_shutdown_timeout=CLOSE_WITHIN_S,
        )
        self._ssl_buffer, self._ssl_buffer_view = SHARED_BUFFER.obj, SHARED_BUFFER
        # An empty deque takes 760 bytes.
        self._write_backlog: Any = []

    def begin(self, transport: asyncio.Transport, data: bytes) -> None:
        """Take a connection whose first bytes, `data`, were read before."""
        transport.set_protocol(self)
        self.connection_made(transport)
        for at in range(0, len(data), BUFFER_BYTES):
            part = data[at : at + BUFFER_BYTES]
            self.get_buffer(len(part))[: len(part)] = part
            self.buffer_updated(len(part))
        transport.resume_reading()

    def disconnect(self) -> None:
        if self._transport is not None:
            self._transport.abort()

    def _write_appdata(self, list_of_data: Sequence[bytes]) -> None:
        for data in list_of_data:
            for at in range(0, len(data), WRITE_BYTES):
                super()._write_appdata([data[at : at + WRITE_BYTES]])
