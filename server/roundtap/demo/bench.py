"""The bench: one page with every virtual table, its screen live, its buttons for mouse, finger and keyboard."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, MutableMapping
from dataclasses import dataclass, field
from html import escape
from importlib import resources
from pathlib import Path
from typing import Any

from roundtap_core.words import catalogue
from roundtap_hub.auth import is_here

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]

PINS = ("a", "b", "up", "down", "call")
FILES = {
    "/": ("templates/bench.html", "text/html; charset=utf-8"),
    "/static/bench.css": ("static/bench.css", "text/css; charset=utf-8"),
    "/static/bench.js": ("static/bench.js", "text/javascript; charset=utf-8"),
}
RECONNECT_S = 0.5
SHEETS_KEPT = 8
SHEET_BYTES_MAX = 8 * 1024 * 1024


@dataclass(slots=True, eq=False)
class VirtualTable:
    """The bench's end of one unit's panel socket: the latest picture, and a way to press."""

    number: int
    socket: Path
    picture: Mapping[str, Any] | None = None
    version: int = 0
    writer: asyncio.StreamWriter | None = None


@dataclass(slots=True, eq=False)
class VirtualDesk:
    """The bench's end of the virtual printer: its latest sheets, newest first, and its faults."""

    socket: Path
    sheets: list[Mapping[str, Any]] = field(default_factory=list)
    faults: tuple[str, ...] = ()
    version: int = 0
    writer: asyncio.StreamWriter | None = None


@dataclass(slots=True, eq=False)
class Bench:
    """An ASGI application over the panels of all tables and the printer's. `info` is shown on the page."""

    tables: Mapping[int, VirtualTable]
    printer: VirtualDesk | None
    info: Mapping[str, Any]
    language: str = "en"
    _changed: asyncio.Condition = field(default_factory=asyncio.Condition)
    _tasks: list[asyncio.Task[None]] = field(default_factory=list)
    _closing: bool = False

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self._lifespan(receive, send)
        elif scope["type"] == "http":
            path, method = scope["path"], scope["method"]
            if not _asked_here(scope):
                await _answer(send, 403, b"The bench is for who sits at this machine.", "text/plain; charset=utf-8")
            elif method == "POST" and path == "/press":
                await self._press(scope, receive, send)
            elif method == "POST" and path == "/printer":
                await self._to_printer(scope, receive, send)
            elif path == "/pictures":
                await self._pictures(receive, send)
            elif path == "/info":
                await _answer(send, 200, json.dumps(dict(self.info)).encode(), "application/json")
            elif path in FILES:
                name, kind = FILES[path]
                body = resources.files("roundtap.demo").joinpath(name).read_bytes()
                if path == "/":
                    body = _in_words(body.decode(), self.language).encode()
                await _answer(send, 200, body, kind)
            else:
                await _answer(send, 404, b"There is nothing here. The bench is at /", "text/plain; charset=utf-8")

    async def close(self) -> None:
        """End the pictures' streams, so that the server can stop."""
        self._closing = True
        async with self._changed:
            self._changed.notify_all()

    async def _lifespan(self, receive: Receive, send: Send) -> None:
        while True:
            message = await receive()
            if message["type"] == "lifespan.startup":
                self._tasks += [asyncio.create_task(self._follow(table)) for table in self.tables.values()]
                if self.printer:
                    self._tasks.append(asyncio.create_task(self._follow_printer(self.printer)))
                await send({"type": "lifespan.startup.complete"})
            else:
                for task in self._tasks:
                    task.cancel()
                await send({"type": "lifespan.shutdown.complete"})
                return

    async def _follow(self, table: VirtualTable) -> None:
        """Keep a connection to one panel; a unit that restarts is found again."""
        while True:
            try:
                reader, table.writer = await asyncio.open_unix_connection(str(table.socket))
                while line := await reader.readline():
                    message = json.loads(line)
                    if "frame" in message:
                        await self._show(table, message)
            except OSError:
                pass
            table.writer = None
            if table.picture is not None:
                await self._show(table, None)
            await asyncio.sleep(RECONNECT_S)

    async def _show(self, table: VirtualTable, picture: Mapping[str, Any] | None) -> None:
        async with self._changed:
            table.picture = picture
            table.version += 1
            self._changed.notify_all()

    async def _follow_printer(self, desk: VirtualDesk) -> None:
        while True:
            try:
                reader, desk.writer = await asyncio.open_unix_connection(str(desk.socket), limit=SHEET_BYTES_MAX)
                while line := await reader.readline():
                    message = json.loads(line)
                    if "faults" in message:
                        async with self._changed:
                            _take_sheet(desk, message)
                            self._changed.notify_all()
            except OSError:
                pass
            desk.writer = None
            await asyncio.sleep(RECONNECT_S)

    async def _to_printer(self, scope: Scope, receive: Receive, send: Send) -> None:
        """{"fault": "mute", "on": true} or {"tear": true}, handed to the printer as it is."""
        try:
            if dict(scope["headers"]).get(b"content-type", b"") != b"application/json":
                raise ValueError("application/json is wanted")
            order = json.loads(await _body(receive))
            if not isinstance(order, dict):
                raise ValueError("an object is wanted")
        except ValueError:
            await _answer(send, 400, b"The printer takes a fault, or a tear.", "text/plain")
            return
        if self.printer is None or self.printer.writer is None:
            await _answer(send, 503, b"The printer is switched off.", "text/plain")
            return
        self.printer.writer.write(json.dumps(order).encode() + b"\n")
        await _answer(send, 204, b"", "text/plain")

    async def _press(self, scope: Scope, receive: Receive, send: Send) -> None:
        """{"table": 3, "pin": "a", "down": true}. Only from the bench's own page: another site cannot set the type."""
        headers = dict(scope["headers"])
        try:
            if headers.get(b"content-type", b"") != b"application/json":
                raise ValueError("application/json is wanted")
            order = json.loads(await _body(receive))
            table = self.tables[order["table"]]
            if order["pin"] not in PINS or not isinstance(order["down"], bool):
                raise ValueError("pin or down")
        except (ValueError, KeyError, TypeError):
            await _answer(send, 400, b"A press names a table, a pin and down.", "text/plain")
            return
        if table.writer is None:
            await _answer(send, 503, b"This table is switched off.", "text/plain")
            return
        table.writer.write(json.dumps({"pin": order["pin"], "down": order["down"]}).encode() + b"\n")
        await _answer(send, 204, b"", "text/plain")

    async def _pictures(self, receive: Receive, send: Send) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": [
            (b"content-type", b"text/event-stream"), (b"cache-control", b"no-store")]})

        async def pump() -> None:
            async for chunk in self._changes():
                await send({"type": "http.response.body", "body": chunk, "more_body": True})

        async def watch() -> None:
            while (await receive())["type"] != "http.disconnect":
                pass

        tasks = {asyncio.create_task(pump()), asyncio.create_task(watch())}
        await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await send({"type": "http.response.body", "body": b"", "more_body": False})

    async def _changes(self) -> AsyncIterator[bytes]:
        """The latest picture of each table that changed since this reader last looked."""
        seen: dict[int, int] = {}
        paper = -1
        while not self._closing:
            if self.printer and paper != self.printer.version:
                paper = self.printer.version
                said = {"printer": {"sheets": self.printer.sheets, "faults": self.printer.faults}}
                yield f"data: {json.dumps(said)}\n\n".encode()
            for table in self.tables.values():
                if seen.get(table.number) != table.version:
                    seen[table.number] = table.version
                    yield f"data: {json.dumps({'table': table.number, 'picture': table.picture})}\n\n".encode()
            async with self._changed:
                current = all(seen.get(t.number) == t.version for t in self.tables.values())
                if not self._closing and current and (self.printer is None or paper == self.printer.version):
                    await self._changed.wait()


def _asked_here(scope: Scope) -> bool:
    """By this machine's own name: no page elsewhere whose name was made to lead here presses anything."""
    client = scope.get("client") or ("", 0)
    return is_here(client[0], dict(scope["headers"]).get(b"host", b"").decode("latin-1"))


def _in_words(page: str, language: str) -> str:
    """The page with each {{key}} in its language."""
    words = catalogue("roundtap", language)
    return re.sub(r"{{([a-z.-]+)}}", lambda key: language if key[1] == "language" else escape(words(key[1])), page)


def _take_sheet(desk: VirtualDesk, message: Mapping[str, Any]) -> None:
    """A sheet that grew replaces itself; a new one goes on top."""
    desk.faults = tuple(message["faults"])
    desk.version += 1
    if message.get("sheet") is None:
        return
    others = [sheet for sheet in desk.sheets if sheet["number"] != message["number"]]
    desk.sheets = [{"number": message["number"], "sheet": message["sheet"]}, *others][:SHEETS_KEPT]


async def _body(receive: Receive) -> bytes:
    body = b""
    while len(body) < 4096:
        message = await receive()
        body += message.get("body", b"")
        if not message.get("more_body"):
            break
    return body


async def _answer(send: Send, status: int, body: bytes, kind: str) -> None:
    await send({"type": "http.response.start", "status": status, "headers": [
        (b"content-type", kind.encode()), (b"cache-control", b"no-store"),
        (b"content-security-policy", b"default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
         b"connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"),
        (b"x-content-type-options", b"nosniff"), (b"referrer-policy", b"same-origin"),
    ]})
    await send({"type": "http.response.body", "body": body})
