"""A lean HTTP/1.1 client for a thousand browsers in one process: keep-alive, gzip, event streams; raw sockets only."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator
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
    """One connection to 127.0.0.1, opened when it is needed and opened anew when the other side has closed it."""

    def __init__(self, port: int) -> None:
        self._port = port
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

    async def stream(self, path: str) -> AsyncIterator[tuple[str, str]]:
        """Server-sent events as (event, data), until the other side ends; Broken where it refuses."""
        reader = await self._write("GET", path, "Accept: text/event-stream\r\nCache-Control: no-store\r\n", b"")
        status, headers = await _head(reader)
        if status != 200:
            raise Broken(f"{path} answered {status}")
        chunked = headers.get("transfer-encoding") == "chunked"
        kept = b""
        while True:
            part = await (_chunk(reader) if chunked else reader.read(65536))
            if not part:
                return
            kept += part
            while (end := kept.find(b"\n\n")) >= 0:
                event, data = "message", []
                for line in kept[:end].decode().split("\n"):
                    if line.startswith("event:"):
                        event = line[6:].strip()
                    elif line.startswith("data:"):
                        data.append(line[5:].removeprefix(" "))
                kept = kept[end + 2 :]
                if data:
                    yield event, "\n".join(data)

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
            self._reader, self._writer = await asyncio.open_connection("127.0.0.1", self._port, limit=LIMIT_BYTES)
        length = f"Content-Length: {len(body)}\r\n" if body else ""
        self._writer.write(
            f"{method} {path} HTTP/1.1\r\nHost: 127.0.0.1:{self._port}\r\nAccept-Language: en\r\n"
            f"Accept-Encoding: gzip\r\n{headers}{length}\r\n".encode() + body)
        return self._reader


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
