"""The hub's second listener: the same application over TLS, on the same loop, beside the plain one."""

from __future__ import annotations

import asyncio
import contextlib
import copy
import functools
import logging
import socket
import ssl
from collections.abc import Generator
from typing import Any

import uvicorn

from roundtap_core.errors import Problem
from roundtap_hub.tls import Certificates

log = logging.getLogger(__name__)

HANDSHAKE_WITHIN_S = 10.0
GOODBYE_WITHIN_S = 5.0
LOOK_EVERY_S = 30.0


class SecureServer(uvicorn.Server):
    """Serves beside another server, which hears the signals and keeps the application's lifespan."""

    def __init__(self, plain: uvicorn.Config, certificates: Certificates) -> None:
        config = copy.copy(plain)
        config.lifespan, config.loaded = "off", False
        super().__init__(config)
        self._certificates = certificates
        self._context = certificates.context()
        self._beside: list[asyncio.Task[None]] = []

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """As its own, but with a deadline for whoever begins a handshake and never ends it."""
        await super().startup([])
        loop = asyncio.get_running_loop()
        made: Any = self.config.http_protocol_class
        protocol = functools.partial(made, config=self.config, server_state=self.server_state,
                                     app_state=self.lifespan.state)
        for each in sockets or []:
            self.servers.append(await loop.create_server(
                protocol, sock=each, ssl=self._context, backlog=self.config.backlog,
                ssl_handshake_timeout=HANDSHAKE_WITHIN_S, ssl_shutdown_timeout=GOODBYE_WITHIN_S))
        self._beside.append(asyncio.create_task(keep_certificate(self._certificates, self._context)))

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        for task in self._beside:
            task.cancel()
        await super().shutdown(sockets)

    @contextlib.contextmanager
    def capture_signals(self) -> Generator[None, None, None]:
        yield


async def keep_certificate(certificates: Certificates, context: ssl.SSLContext) -> None:
    """The machine got another address, or another name: a certificate for it, without a restart."""
    while True:
        await asyncio.sleep(LOOK_EVERY_S)
        try:
            if await asyncio.to_thread(certificates.renew):
                certificates.load(context)
        except (OSError, Problem):
            log.exception("no new certificate was made; the one before goes on serving")
