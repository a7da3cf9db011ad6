"""A network that a hall deserves: resets, cut answers, requests twice, delays, a portal's 200, silence; seeded."""

import asyncio
import random
import socket
import threading
from collections import Counter
from collections.abc import Mapping
from contextlib import closing
from dataclasses import dataclass

PORTAL = b'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 15\r\n\r\n{"saved": true}'
"""What a stranger's access point says to everything."""


@dataclass(frozen=True, slots=True)
class Faults:
    """How often each request meets one of them, of 1; what is left over passes."""

    reset: float = 0.2
    """The connection ends, before the request reached the hub or after: nobody knows."""
    cut: float = 0.05
    """A part of the answer comes."""
    twice: float = 0.1
    """The request reaches the hub twice; one answer comes back."""
    late: float = 0.15
    """Up to `late_s` on the way."""
    portal: float = 0.05
    silent: float = 0.05
    """The hub is never asked, and nobody says so."""
    late_s: float = 3.0


CALM = Faults(0, 0, 0, 0, 0, 0)


class HostileNetwork:
    """Stands between units and hub: listens on `port`, and hands on to `hub_port`. In a thread of its own.

    `faults` may be changed at any time, `down` cuts everything off; `met` counts what happened.
    """

    def __init__(self, hub_port: int, seed: int, faults: Faults = CALM) -> None:
        self.hub_port = hub_port
        self.faults = faults
        self.down = False
        self.met: Counter[str] = Counter()
        self._chance = random.Random(seed)
        self._open: set[asyncio.StreamWriter] = set()
        self._loop = asyncio.new_event_loop()
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._listener.getsockname()[1]
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def close(self) -> None:
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()

    def cut_all(self) -> None:
        """Every connection ends now."""
        self._loop.call_soon_threadsafe(lambda: [writer.transport.abort() for writer in list(self._open)])

    def _run(self) -> None:
        asyncio.set_event_loop(self._loop)
        with closing(self._loop.run_until_complete(asyncio.start_server(self._serve, sock=self._listener))):
            self._loop.run_forever()
        for task in asyncio.all_tasks(self._loop):
            task.cancel()
        self._loop.run_until_complete(asyncio.sleep(0))
        self._loop.close()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._open.add(writer)
        try:
            while await self._one(reader, writer):
                pass
        except (OSError, asyncio.IncompleteReadError, asyncio.LimitOverrunError, asyncio.CancelledError, ValueError):
            pass
        finally:
            self._open.discard(writer)
            writer.transport.abort()

    async def _one(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        """One request and its answer; whether the connection goes on."""
        head = await reader.readuntil(b"\r\n\r\n")
        request = head + await reader.readexactly(_length(_fields(head)))
        fate = self._fate()
        self.met[fate] += 1
        if self.down or fate == "silent":
            await asyncio.sleep(3600)
        if fate == "portal":
            writer.write(PORTAL)
            return True
        if fate == "late":
            await asyncio.sleep(self._chance.uniform(0.05, self.faults.late_s))
        if fate == "reset" and self._chance.random() < 0.5:
            return False
        if fate == "twice":
            await self._said_beside(request)
        return await self._handed_on(request, writer, fate)

    async def _handed_on(self, request: bytes, writer: asyncio.StreamWriter, fate: str) -> bool:
        from_hub, to_hub = await asyncio.open_connection("127.0.0.1", self.hub_port)
        self._open.add(to_hub)
        try:
            to_hub.write(request)
            head = await from_hub.readuntil(b"\r\n\r\n")
            if fate == "reset":
                return False
            fields = _fields(head)
            if b"content-length" not in fields:
                writer.write(head)
                await self._streamed(from_hub, writer, fate)
                return False
            answer = head + await from_hub.readexactly(_length(fields))
            if fate == "cut":
                writer.write(answer[: self._chance.randrange(len(answer))])
                await writer.drain()
                return False
            writer.write(answer)
            await writer.drain()
            return fields.get(b"connection") != b"close"
        finally:
            self._open.discard(to_hub)
            to_hub.transport.abort()

    async def _streamed(self, from_hub: asyncio.StreamReader, writer: asyncio.StreamWriter, fate: str) -> None:
        """A feed: it may be cut after a while, or its messages be held up."""
        left = self._chance.randrange(2000, 20_000) if fate in ("cut", "twice") else None
        while part := await from_hub.read(4096):
            if fate == "late":
                await asyncio.sleep(self._chance.uniform(0, 0.3))
            if left is not None:
                part, left = part[:left], left - len(part)
            writer.write(part)
            await writer.drain()
            if self.down or (left is not None and left <= 0):
                return

    async def _said_beside(self, request: bytes) -> None:
        try:
            _, again = await asyncio.open_connection("127.0.0.1", self.hub_port)
        except OSError:
            return
        again.write(request)
        self._loop.call_later(1.0, again.transport.abort)

    def _fate(self) -> str:
        drawn, faults = self._chance.random(), self.faults
        for name in ("reset", "cut", "twice", "late", "portal", "silent"):
            drawn -= getattr(faults, name)
            if drawn < 0:
                return name
        return "passed"


def _fields(head: bytes) -> Mapping[bytes, bytes]:
    lines = head.split(b"\r\n")[1:]
    return {name.strip().lower(): value.strip().lower() for name, _, value in (line.partition(b":") for line in lines)}


def _length(fields: Mapping[bytes, bytes]) -> int:
    return int(fields.get(b"content-length", b"0"))
