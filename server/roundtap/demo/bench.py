"""The bench: one page with every virtual table, its live screen, and buttons for mouse, finger and keyboard."""

import asyncio
import contextlib
import json
import re
from collections.abc import AsyncIterator, Callable, Mapping
from dataclasses import dataclass, field
from html import escape
from importlib import resources
from pathlib import Path
from typing import Any

from roundtap_core.words import catalogue
from roundtap_hub.access.auth import is_local_request
from roundtap_hub.serving import http_answers

PINS = ("a", "b", "up", "down", "call")
FILES = {
    "/": ("templates/bench.html", "text/html; charset=utf-8"),
    "/static/bench.css": ("static/bench.css", "text/css; charset=utf-8"),
    "/static/bench.js": ("static/bench.js", "text/javascript; charset=utf-8"),
}
RECONNECT_S = 0.5
SHEETS_KEPT = 8
SHEET_BYTES_MAX = 8 * 1024 * 1024
ORDER_BYTES_MAX, ORDER_WITHIN_S = 4096, 10.0


class BenchTable:
    """The bench's end of one unit's panel socket. `shown`: what the page shows of it; `writer`: sends presses, None
    while the unit is off."""

    def __init__(self, number: int, socket: Path) -> None:
        self.socket = socket
        self.writer: asyncio.StreamWriter | None = None
        self.shown: Mapping[str, Any] = {"table": number, "picture": None}

    def shown_after(self, message: Mapping[str, Any] | None) -> Mapping[str, Any]:
        """What the page shows after this message of the panel's; None: it has gone."""
        return {**self.shown, "picture": message}


class BenchPrinter(BenchTable):
    """The same of the virtual printer: its latest sheets, newest first, and its faults."""

    def __init__(self, socket: Path) -> None:
        super().__init__(0, socket)
        self.shown = {"printer": {"sheets": [], "faults": []}}

    def shown_after(self, message: Mapping[str, Any] | None) -> Mapping[str, Any]:
        """A sheet that grew replaces its earlier state; a new one goes on top."""
        if message is None:
            return self.shown
        sheets = self.shown["printer"]["sheets"]
        if message["sheet"] is not None:
            others = [sheet for sheet in sheets if sheet["number"] != message["number"]]
            sheets = [{"number": message["number"], "sheet": message["sheet"]}, *others][:SHEETS_KEPT]
        return {"printer": {"sheets": sheets, "faults": message["faults"]}}


@dataclass(slots=True, eq=False)
class Bench:
    """An ASGI application over the panels of all tables and the printer. `info` is shown on the page."""
    tables: Mapping[int, BenchTable]
    printer: BenchPrinter | None
    info: Mapping[str, Any]
    language: str = "en"
    _changed: asyncio.Condition = field(default_factory=asyncio.Condition)
    _tasks: list[asyncio.Task[None]] = field(default_factory=list)
    _closing: bool = False

    async def __call__(self, scope: http_answers.Scope, receive: http_answers.Receive, send: http_answers.Send) -> None:
        if scope["type"] == "lifespan":
            await self._lifespan(receive, send)
        elif scope["type"] == "http":
            path, method = scope["path"], scope["method"]
            if not _is_local_request(scope):
                await _answer(send, 403, b"The bench is for who sits at this machine.")
            elif method == "POST" and path == "/press":
                await self._handle_order(self._read_press, scope, receive, send)
            elif method == "POST" and path == "/printer":
                await self._handle_order(lambda order: (self.printer, order), scope, receive, send)
            elif path == "/pictures":
                await http_answers.send_events(self._event_stream(), receive, send)
            elif path == "/info":
                await _answer(send, 200, json.dumps(dict(self.info)).encode(), "application/json")
            elif path in FILES:
                name, kind = FILES[path]
                body = resources.files("roundtap.demo").joinpath(name).read_bytes()
                if path == "/":
                    body = _translated(body.decode(), self.language).encode()
                await _answer(send, 200, body, kind)
            else:
                await _answer(send, 404, b"There is nothing here. The bench is at /")

    async def close(self) -> None:
        """End the event streams, so that the server can stop."""
        self._closing = True
        async with self._changed:
            self._changed.notify_all()

    @property
    def _panels(self) -> list[BenchTable]:
        return [*([self.printer] if self.printer else []), *self.tables.values()]

    async def _lifespan(self, receive: http_answers.Receive, send: http_answers.Send) -> None:
        await receive()
        self._tasks += [asyncio.create_task(self._follow(front)) for front in self._panels]
        await send({"type": "lifespan.startup.complete"})
        await receive()
        for task in self._tasks:
            task.cancel()
        await send({"type": "lifespan.shutdown.complete"})

    async def _follow(self, front: BenchTable) -> None:
        while True:
            with contextlib.suppress(OSError):
                reader, front.writer = await asyncio.open_unix_connection(front.socket, limit=SHEET_BYTES_MAX)
                while line := await reader.readline():
                    message = json.loads(line)
                    if "error" not in message:
                        await self._show(front, message)
            front.writer = None
            await self._show(front, None)
            await asyncio.sleep(RECONNECT_S)

    async def _show(self, front: BenchTable, message: Mapping[str, Any] | None) -> None:
        async with self._changed:
            front.shown = front.shown_after(message)
            self._changed.notify_all()

    async def _handle_order(self, read: Callable[[dict[str, Any]], tuple[BenchTable | None, dict[str, Any]]],
                            scope: http_answers.Scope,
                     receive: http_answers.Receive, send: http_answers.Send) -> None:
        """Pass an order on. Only from the bench's own page: another site cannot set the content type."""
        order = await http_answers.read_message(scope, receive, send, ORDER_BYTES_MAX, ORDER_WITHIN_S)
        if order is None:
            return
        try:
            is_json = http_answers.get_header(scope, b"content-type") == b"application/json"
            front, message = read(order if is_json else {})
        except (ValueError, KeyError, TypeError):
            message = {}
        if not message:
            await _answer(send, 400, b"A press names a table, a pin and down; the printer takes a fault, or a tear.")
        elif front is None or front.writer is None:
            await _answer(send, 503, b"It is switched off.")
        else:
            front.writer.write(json.dumps(message).encode() + b"\n")
            await _answer(send, 204, b"")

    def _read_press(self, order: dict[str, Any]) -> tuple[BenchTable, dict[str, Any]]:
        """{"table": 3, "pin": "a", "down": true}."""
        if order["pin"] not in PINS or not isinstance(order["down"], bool):
            raise ValueError("pin or down")
        return self.tables[order["table"]], {"pin": order["pin"], "down": order["down"]}

    async def _event_stream(self) -> AsyncIterator[bytes]:
        seen: dict[BenchTable, Mapping[str, Any]] = {}
        while not self._closing:
            for front in self._panels:
                if seen.get(front) != front.shown:
                    seen[front] = front.shown
                    yield f"data: {json.dumps(front.shown)}\n\n".encode()
            async with self._changed:
                if not self._closing and all(seen[front] == front.shown for front in self._panels):
                    await self._changed.wait()


def _is_local_request(scope: http_answers.Scope) -> bool:
    """Whether a request comes from this machine and by its own name, which defeats DNS rebinding."""
    client = scope.get("client") or ("", 0)
    return is_local_request(client[0], http_answers.get_header(scope, b"host").decode("latin-1"))


def _translated(page: str, language: str) -> str:
    words = catalogue("roundtap", language)
    return re.sub(r"{{([a-z.-]+)}}", lambda key: language if key[1] == "language" else escape(words(key[1])), page)


async def _answer(send: http_answers.Send, status: int, body: bytes, kind: str = "text/plain; charset=utf-8") -> None:
    await http_answers.send_answer(send, status, kind.encode(), body, [
        *http_answers.NO_STORE, *http_answers.SECURITY_HEADERS,
        (http_answers.CSP_HEADER, b"default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
         b"connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'")])
