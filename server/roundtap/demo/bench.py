"""The demo's two pages: the hall side by side with its guide, and the bench with every virtual table and its faults."""

import asyncio
import contextlib
import hmac
import json
import re
from collections.abc import AsyncGenerator, Callable, Iterable, Mapping
from dataclasses import dataclass, field
from html import escape
from importlib import resources
from pathlib import Path
from typing import Any

from roundtap.demo.guide import Guide
from roundtap.kit.virtual_kit import HUB, VirtualKit, unit_of
from roundtap_core.errors import Problem
from roundtap_core.words import catalogue
from roundtap_hub.access.staff import LIFE_MS
from roundtap_hub.http import http_answers
from roundtap_hub.http.requester import OWN_PAGES, cookies_in, is_local_request, session_cookie, set_cookie

PINS = ("a", "b", "up", "down", "call")
POWER, NETWORK = "power", "network"
SESSION = session_cookie(encrypted=False, here=True)
PAGES = {"/": "hall.html", "/bench": "bench.html"}
ORDERS = ("/press", "/printer", "/switch")
START = "/start/"
FILES = {
    "/static/bench.css": "text/css; charset=utf-8",
    "/static/bench.js": "text/javascript; charset=utf-8",
    "/static/hall.css": "text/css; charset=utf-8",
    "/static/hall.js": "text/javascript; charset=utf-8",
}
RECONNECT_S = 0.5
GUIDE_S = 0.3
SHEETS_KEPT = 8
SHEET_BYTES_MAX = 8 * 1024 * 1024
ORDER_BYTES_MAX, ORDER_WITHIN_S = 4096, 10.0


class Entrance:
    """The address that logs the first browser in which opens it; for any other it leads to the page alone. `session`:
    the token of an organizer's session at the hub, "" for none."""

    def __init__(self, session: str, key: str) -> None:
        self._session, self._key = session, key
        self.path = f"{START}{key}" if session else "/"

    def use(self, key: str) -> http_answers.Headers:
        """The cookie for whoever has the key. Cookies know no ports: the hub on this machine gets it, too."""
        session = self._session if self._session and hmac.compare_digest(key.encode(), self._key.encode()) else ""
        if not session:
            return []
        self._session = ""
        return [set_cookie(SESSION, session, LIFE_MS // 1000)]


class Shown:
    """Something that the pages show, and follow: `shown` is sent at each change."""

    shown: Mapping[str, Any] = {}


class BenchTable(Shown):
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
    """An ASGI application over the panels of all tables and the printer. `info`: what the pages are told of the hub,
    whose address is "" where it is their own; `guide`: leads through the event; `kit`: whose power and network the page
    switches; `admits`: whether a request may see and press."""

    tables: Mapping[int, BenchTable]
    printer: BenchPrinter | None
    info: Mapping[str, Any]
    language: str = "en"
    kit: VirtualKit | None = None
    guide: Guide | None = None
    entrance: Entrance = field(default_factory=lambda: Entrance("", ""))
    origin: str = ""
    """The address of these pages. Reached by another name of this machine, they lead here: cookies and frames need one
    name."""
    admits: Callable[[http_answers.Scope], bool] = field(default_factory=lambda: _is_local_request)
    _switches: Shown = field(default_factory=Shown)
    _guided: Shown = field(default_factory=Shown)
    _changed: asyncio.Condition = field(default_factory=asyncio.Condition)
    _tasks: list[asyncio.Task[None]] = field(default_factory=list)
    _closing: bool = False

    async def __call__(self, scope: http_answers.Scope, receive: http_answers.Receive, send: http_answers.Send) -> None:
        if scope["type"] == "lifespan":
            await self._lifespan(receive, send)
        elif scope["type"] == "http":
            path, method = scope["path"], scope["method"]
            if not self.admits(scope):
                await self._answer(send, 403, b"Only organizers, or this machine itself, may open this page.")
            elif method == "POST" and path in ORDERS:
                await self._handle_order(path, scope, receive, send)
            elif path == "/pictures":
                await http_answers.send_events(self._event_stream(), receive, send)
            elif path == "/info":
                sent = cookies_in(http_answers.get_header(scope, b"cookie").decode("latin-1"))
                told = {**self.info, "asks_pin": bool(self.info["hub"]) and SESSION not in sent}
                await self._answer(send, 200, json.dumps(told).encode(), "application/json")
            elif (path in PAGES or path.startswith(START)) and self.origin.rpartition("/")[2] not in ("", _host(scope)):
                await self._answer(send, 307, b"", more=[(b"location", f"{self.origin}{path}".encode())])
            elif method == "GET" and path.startswith(START):
                await self._answer(
                    send,
                    303,
                    b"",
                    more=[(b"location", f"{self.origin}/".encode()), *self.entrance.use(path.removeprefix(START))],
                )
            elif path in PAGES:
                page = _translated(_file(f"templates/{PAGES[path]}").decode(), self.language)
                await self._answer(send, 200, page.encode(), "text/html; charset=utf-8")
            elif path in FILES:
                await self._answer(send, 200, _file(path.removeprefix("/")), FILES[path])
            else:
                await self._answer(send, 404, b"There is nothing here. The bench is at /bench")

    async def close(self) -> None:
        """End the event streams, so that the server can stop."""
        self._closing = True
        async with self._changed:
            self._changed.notify_all()

    @property
    def _panels(self) -> list[BenchTable]:
        return [*([self.printer] if self.printer else []), *self.tables.values()]

    async def begin(self) -> None:
        """Follow the panels and the guide, from the loop that serves the pages."""
        self._tasks += [asyncio.create_task(self._follow(front)) for front in self._panels]
        if self.kit is not None:
            for cable in self.kit.cables.values():
                await cable.start()
            await self._show_switches()
        if self.guide is not None:
            self._tasks.append(asyncio.create_task(self._lead(self.guide)))

    async def _lifespan(self, receive: http_answers.Receive, send: http_answers.Send) -> None:
        await receive()
        await self.begin()
        await send({"type": "lifespan.startup.complete"})
        await receive()
        for task in self._tasks:
            task.cancel()
        # Who comes while the loop ends would be carried by nobody, and complain of that with a traceback.
        for cable in self.kit.cables.values() if self.kit is not None else ():
            cable.close()
        await send({"type": "lifespan.shutdown.complete"})

    async def _follow(self, front: BenchTable) -> None:
        while True:
            with contextlib.suppress(OSError):
                reader, front.writer = await asyncio.open_unix_connection(front.socket, limit=SHEET_BYTES_MAX)
                while line := await reader.readline():
                    message = json.loads(line)
                    if "error" not in message:
                        await self._show(front, front.shown_after(message))
            front.writer = None
            await self._show(front, front.shown_after(None))
            await asyncio.sleep(RECONNECT_S)

    async def _lead(self, guide: Guide) -> None:
        while True:
            # A hub that just starts may hold its journal: the next look finds it.
            with contextlib.suppress(Problem):
                pictures = {number: table.shown["picture"] for number, table in self.tables.items()}
                await self._show(self._guided, {"guide": await asyncio.to_thread(guide.look, pictures)})
            await asyncio.sleep(GUIDE_S)

    async def _show(self, front: Shown, shown: Mapping[str, Any]) -> None:
        async with self._changed:
            front.shown = shown
            self._changed.notify_all()

    async def _show_switches(self) -> None:
        assert self.kit is not None
        await self._show(
            self._switches,
            {
                "switches": {
                    name: {
                        POWER: self.kit.has_power(name),
                        **({NETWORK: self.kit.cables[name].plugged_in} if name in self.kit.cables else {}),
                    }
                    for name in (HUB, *map(unit_of, self.tables))
                    if self.kit.knows(name)
                }
            },
        )

    async def _handle_order(
        self, path: str, scope: http_answers.Scope, receive: http_answers.Receive, send: http_answers.Send
    ) -> None:
        """Pass an order on. Only from the bench's own page: another site cannot set the content type."""
        order = await http_answers.read_message(scope, receive, send, ORDER_BYTES_MAX, ORDER_WITHIN_S)
        if order is None:
            return
        front, moves = None, list[dict[str, Any]]()
        try:
            message = order if http_answers.get_header(scope, b"content-type") == b"application/json" else {}
            if path == "/switch":
                await self._switch(message)
            else:
                front, moves = self._read_press(message) if path == "/press" else (self.printer, [message])
        except (ValueError, KeyError, TypeError):
            message = {}
        if not message:
            await self._answer(
                send,
                400,
                b"A press names a table, a pin and down; the printer takes a fault, or "
                b"a tear; a switch names a unit or the hub, its part, and on.",
            )
        elif path != "/switch" and (front is None or front.writer is None):
            await self._answer(send, 503, b"It is switched off.")
        else:
            if front is not None and front.writer is not None:
                front.writer.write(b"".join(json.dumps(move).encode() + b"\n" for move in moves))
            await self._answer(send, 204, b"")

    async def _switch(self, order: dict[str, Any]) -> None:
        """{"of": "table-3", "part": "network", "on": false}."""
        if self.kit is None or type(order["on"]) is not bool or order["part"] not in (POWER, NETWORK):
            raise ValueError("kit, on or part")
        if order["part"] == NETWORK:
            self.kit.cables[order["of"]].plug(order["on"])
        else:
            await asyncio.to_thread(self.kit.switch_power, order["of"], order["on"])
        await self._show_switches()

    def _read_press(self, order: dict[str, Any]) -> tuple[BenchTable, list[dict[str, Any]]]:
        """{"table": 3, "pin": "a", "down": true}, or with `tap` instead for both movements."""
        moves = (True, False) if order.get("tap") is True else (order["down"],)
        if order["pin"] not in PINS or not all(isinstance(down, bool) for down in moves):
            raise ValueError("pin or down")
        return self.tables[order["table"]], [{"pin": order["pin"], "down": down} for down in moves]

    async def _event_stream(self) -> AsyncGenerator[bytes, None]:
        seen: dict[Shown, Mapping[str, Any]] = {}
        everything: list[Shown] = [*self._panels, self._switches, self._guided]
        while not self._closing:
            for front in everything:
                if seen.get(front) != front.shown:
                    seen[front] = front.shown
                    yield f"data: {json.dumps(front.shown)}\n\n".encode()
            async with self._changed:
                if not self._closing and all(seen[front] == front.shown for front in everything):
                    await self._changed.wait()

    async def _answer(
        self,
        send: http_answers.Send,
        status: int,
        body: bytes,
        kind: str = "text/plain; charset=utf-8",
        more: Iterable[tuple[bytes, bytes]] = (),
    ) -> None:
        hub = (self.info.get("hub") or OWN_PAGES) if self.info.get("frames") else "'none'"
        policy = (
            "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
            f"frame-src {hub}; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
        )
        await http_answers.send_answer(
            send,
            status,
            kind.encode(),
            body,
            [*http_answers.NO_STORE, *http_answers.SECURITY_HEADERS, *more, (http_answers.CSP_HEADER, policy.encode())],
        )


def _host(scope: http_answers.Scope) -> str:
    return http_answers.get_header(scope, b"host").decode("latin-1")


def _is_local_request(scope: http_answers.Scope) -> bool:
    """Whether a request comes from this machine and by its own name, which defeats DNS rebinding."""
    client = scope.get("client") or ("", 0)
    return is_local_request(client[0], _host(scope))


def _file(name: str) -> bytes:
    return resources.files("roundtap.demo").joinpath(name).read_bytes()


def _translated(page: str, language: str) -> str:
    """The page with its parts, {{>table.html}}, and its texts, {{bench.title}}."""
    words = catalogue("roundtap", language)
    whole = re.sub(r"{{>([a-z.]+)}}", lambda part: _file(f"templates/{part[1]}").decode(), page)
    return re.sub(r"{{([a-z.-]+)}}", lambda key: language if key[1] == "language" else escape(words(key[1])), whole)
