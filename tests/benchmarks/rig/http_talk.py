"""A lean HTTP/1.1 client for a thousand browsers in one process: keep-alive, gzip, event streams; raw sockets only."""

import asyncio
import contextlib
import time
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass

GZIP = "gzip"
LIMIT_BYTES = 4 * 1024 * 1024


class Broken(Exception):
    """The connection ended, or what came was no HTTP."""


@dataclass(slots=True)
class Answer:
    """A response: `body` as it came over the wire (still packed, where `encoding` says so)."""

    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def encoding(self) -> str:
        return self.headers.get("content-encoding", "")


class Connection:
    """One connection to 127.0.0.1, opened when it is needed and opened anew when the other side has closed it.
    `source`: the loopback address it comes from."""

    def __init__(self, port: int, source: str = "127.0.0.1") -> None:
        self._port = port
        self._source = source
        self._reader: asyncio.StreamReader | None = None
        self._writer: asyncio.StreamWriter | None = None
        self._turn = asyncio.Lock()

    async def get(self, path: str, headers: str = "") -> Answer:
        """GET, once more on a new connection where the kept one turns out closed (every browser does)."""
        return await self.send("GET", path, headers)

    async def send(self, method: str, path: str, headers: str = "", body: bytes = b"") -> Answer:
        async with self._turn:
            return await self._sent(method, path, headers, body)

    async def _sent(self, method: str, path: str, headers: str, body: bytes) -> Answer:
        kept = self._writer is not None
        try:
            return await self._once(method, path, headers, body)
        except (OSError, Broken, asyncio.IncompleteReadError):
            self.close()
            if not kept:
                raise Broken(path) from None
        try:
            return await self._once(method, path, headers, body)
        except (OSError, asyncio.IncompleteReadError) as error:
            self.close()
            raise Broken(f"{path}: {error!r}") from None

    async def stream(self, path: str) -> AsyncIterator[tuple[str, str, float]]:
        """Server-sent events as (event, data, monotonic seconds when it came), until the other side ends; Broken where
        it refuses."""
        reader = await self._write("GET", path, "Accept: text/event-stream\r\nCache-Control: no-store\r\n", b"")
        status, headers = await _head(reader)
        if status != 200 or self._writer is None:
            raise Broken(f"{path} answered {status}")
        came = _Arrivals(headers.get("transfer-encoding") == "chunked")
        self._writer.transport.pause_reading()
        # What was read beyond the head already.
        rest = bytes(getattr(reader, "_buffer", b""))
        self._writer.transport.set_protocol(came)
        if rest:
            came.data_received(rest)
        self._writer.transport.resume_reading()
        while True:
            for arrived, text in await came.events():
                event, data = "message", []
                for line in text.decode().split("\n"):
                    if line.startswith("event:"):
                        event = line[6:].strip()
                    elif line.startswith("data:"):
                        data.append(line[5:].removeprefix(" "))
                if data:
                    yield event, "\n".join(data), arrived
            if came.ended:
                return

    def close(self) -> None:
        if self._writer is not None:
            with contextlib.suppress(Exception):
                self._writer.transport.abort()
        self._reader = self._writer = None

    async def _once(self, method: str, path: str, headers: str, body: bytes) -> Answer:
        reader = await self._write(method, path, headers, body)
        status, told = await _head(reader)
        if told.get("transfer-encoding") == "chunked":
            parts = []
            while part := await _chunk(reader):
                parts.append(part)
            content = b"".join(parts)
        elif status in (204, 304):
            content = b""
        elif "content-length" in told:
            content = await reader.readexactly(int(told["content-length"]))
        else:
            content = await reader.read(LIMIT_BYTES)
            told["connection"] = "close"
        if told.get("connection", "").lower() == "close":
            self.close()
        return Answer(status, told, content)

    async def _write(self, method: str, path: str, headers: str, body: bytes) -> asyncio.StreamReader:
        if self._writer is None or self._reader is None:
            self._reader, self._writer = await asyncio.open_connection(
                "127.0.0.1", self._port, limit=LIMIT_BYTES, local_addr=(self._source, 0)
            )
        length = f"Content-Length: {len(body)}\r\n" if body else ""
        self._writer.write(
            f"{method} {path} HTTP/1.1\r\nHost: 127.0.0.1:{self._port}\r\nAccept-Language: en\r\n"
            f"Accept-Encoding: gzip\r\n{headers}{length}\r\n".encode()
            + body
        )
        return self._reader


class _Arrivals(asyncio.Protocol):
    """Notes when each event came, at the moment it is read, and has it looked at later: a thousand browsers in one
    process would else wait for one another's parsing, which no real one does."""

    LATER_S = 0.1

    def __init__(self, chunked: bool) -> None:
        self._chunked = chunked
        self._kept = b""
        self._came: list[tuple[float, bytes]] = []
        self._wake = asyncio.Event()
        self._due = False
        self.ended = False

    def data_received(self, data: bytes) -> None:
        self._came.append((time.monotonic(), data))
        if self._due:
            return
        self._due = True
        # A patch is all there is to it; for a "view" the browser goes and loads, at once.
        asyncio.get_running_loop().call_later(self.LATER_S if b"event: view" not in data else 0, self._wake.set)

    def connection_lost(self, _: Exception | None) -> None:
        self.ended = True
        self._wake.set()

    async def events(self) -> list[tuple[float, bytes]]:
        """What came since, event by event."""
        await self._wake.wait()
        self._wake.clear()
        self._due = False
        came, self._came = self._came, []
        found: list[tuple[float, bytes]] = []
        for arrived, data in came:
            self._kept += data
            found += ((arrived, text) for text in self._whole())
        return found

    def _whole(self) -> Iterator[bytes]:
        """The events that are whole in what is kept: one chunk is one event, as the hub and uvicorn send them."""
        while True:
            if self._chunked:
                head, line, rest = self._kept.partition(b"\r\n")
                size = int(head.split(b";")[0], 16) if line else 0
                if not line or len(rest) < size + 2:
                    return
                if not size:
                    self.ended = True
                    return
                text, self._kept = rest[:size], rest[size + 2 :]
                yield from (part for part in text.split(b"\n\n") if part)
            else:
                text, end, rest = self._kept.partition(b"\n\n")
                if not end:
                    return
                self._kept = rest
                yield text


async def _head(reader: asyncio.StreamReader) -> tuple[int, dict[str, str]]:
    raw = await reader.readuntil(b"\r\n\r\n")
    first, *lines = raw[:-4].decode("latin-1").split("\r\n")
    if not first.startswith("HTTP/1."):
        raise Broken(first[:40])
    told = {}
    for line in lines:
        name, _, value = line.partition(":")
        told[name.strip().lower()] = value.strip()
    return int(first.split(" ", 2)[1]), told


async def _chunk(reader: asyncio.StreamReader) -> bytes:
    size = int((await reader.readuntil(b"\r\n")).split(b";")[0], 16)
    return (await reader.readexactly(size + 2))[:-2]
