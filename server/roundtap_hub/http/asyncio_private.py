"""What the hub uses of asyncio beyond its API: TLS that keeps little memory for each connection.

What to check for another Python than this one is in tests/kit/test_private_names.py.
"""

import asyncio
import ssl
from asyncio.sslproto import SSLProtocol
from collections.abc import Sequence
from typing import Any

from roundtap_hub.http.connection_limits import Counted

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
