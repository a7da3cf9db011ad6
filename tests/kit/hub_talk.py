"""A hub that notes what is said to it and what it answers, with a real table's link and a real station's beside it."""

import http.client
import json
import queue
import socket
import threading
import time
from collections.abc import Callable, Iterator, MutableMapping
from contextlib import closing, contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Any

import uvicorn
from hub_kit import hub_of, running
from uvicorn.protocols.http.h11_impl import H11Protocol

from kit import WAIT_S, wait_until
from patience import GUARD_S
from roundtap.demo.demo import make_event
from roundtap_core.version import version
from roundtap_core.wire import REPORT, REQUEST, digest, envelope, sign
from roundtap_hub.app.asgi import HubApplication
from roundtap_hub.http.connection_limits import TRANSPORT, ConnectionLimits
from roundtap_hub.http.uvicorn_private import with_timeouts
from roundtap_hub.live import browser_feed
from roundtap_hub.store.clocks import system_clocks
from roundtap_hub.store.print_book import PrintBook
from roundtap_hub.units import device_feed
from roundtap_machine.health import MachineProbe
from roundtap_units.link.hub_connection import fetch_challenge
from roundtap_units.link.link import HubAddress, HubLink
from roundtap_units.link.outbox import Outbox
from roundtap_units.link.own_health import OwnHealth
from roundtap_units.station.printer_desk import PrinterDesk, PrinterSettings, PrintLog
from roundtap_units.station.station_link import HubStationLink
from roundtap_units.unit_config import unit_words

KEYS = {"table-1": bytes(range(32)), "station-1": bytes(range(32, 64))}
Message = dict[str, Any]


def _desk(folder: Path) -> PrinterDesk:
    """A station's printer that nobody has plugged in."""
    return PrinterDesk(
        folder / "station",
        PrinterSettings(),
        unit_words("en"),
        PrintLog(folder / "station" / "printed.jsonl"),
        find=list,
    )


class Talk:
    """What went over the wire, by name: "report", "report echo", "feed view" and so on."""

    def __init__(self) -> None:
        self.said: dict[str, list[Message]] = {}

    def note(self, name: str, message: Message) -> None:
        self.said.setdefault(name, []).append(message)


class HeardTransport:
    """A page's connection, and an ear at what is written to it."""

    def __init__(self, transport: Any, hear: Callable[[bytes], None]) -> None:
        self._transport, self._hear = transport, hear

    def __getattr__(self, name: str) -> Any:
        return getattr(self._transport, name)

    def write(self, data: bytes) -> None:
        self._hear(data)
        self._transport.write(data)


class Listening:
    """The hub's application, and an ear at it."""

    def __init__(self, hub: HubApplication, talk: Talk) -> None:
        self._hub = hub
        self._talk = talk

    async def __call__(self, scope: MutableMapping[str, Any], receive: Any, send: Any) -> None:
        if scope["type"] != "http":
            await self._hub(scope, receive, send)
            return
        path, asked, answered = scope["path"], bytearray(), bytearray()
        if path == "/feed":
            scope[TRANSPORT] = HeardTransport(scope[TRANSPORT], partial(self._fed, path))

        async def hear() -> MutableMapping[str, Any]:
            message: MutableMapping[str, Any] = await receive()
            asked.extend(message.get("body", b""))
            if asked and not message.get("more_body"):
                self._asked(path, bytes(asked))
                asked.clear()
            return message

        async def say(message: MutableMapping[str, Any]) -> None:
            body = message.get("body", b"")
            if "feed" in path:
                self._fed(path, body)
            elif message["type"] == "http.response.body":
                answered.extend(body)
                if not message.get("more_body"):
                    self._answered(path, bytes(answered))
            await send(message)

        await self._hub(scope, hear, say)

    def _asked(self, path: str, body: bytes) -> None:
        self._talk.note(f"POST {path}", json.loads(body))

    def _answered(self, path: str, body: bytes) -> None:
        with suppress(ValueError):
            self._talk.note(f"answer {path}", json.loads(body))

    def _fed(self, path: str, chunk: bytes) -> None:
        event, data = "", b""
        for line in chunk.splitlines():
            if line.startswith(b"event: "):
                event = line[7:].decode()
            elif line.startswith(b"data: "):
                data = line[6:]
        if not data:
            return
        if path == "/device/feed":
            message = json.loads(data)
            self._talk.note(f"feed {message['payload']['type']}", message)
        else:
            self._talk.note(f"page {event}", json.loads(data) if data.startswith(b"{") else {"data": data.decode()})


@contextmanager
def talking(folder: Path, rulebook: str, monkeypatch: Any) -> Iterator[Talk]:
    """Everything that a table, a station and a page exchange with the hub in a round of this rulebook."""
    monkeypatch.setattr(browser_feed, "TICK_S", 0.1)
    monkeypatch.setattr(device_feed, "BEAT_S", 0.1)
    database = folder / "roundtap.db"
    make_event(database, 4, 2, rulebook, event_id="e1")
    talk, clocks = Talk(), system_clocks()
    with (
        running(database, clocks) as service,
        closing(PrintBook(f"sqlite:///{database}")) as paper,
        closing(socket.socket()) as listener,
    ):
        hub = HubApplication(hub_of(service, clocks, paper, KEYS))
        listener.bind(("127.0.0.1", 0))
        listener.listen()
        port = listener.getsockname()[1]
        server = uvicorn.Server(
            uvicorn.Config(
                Listening(hub, talk),
                loop="asyncio",
                ws="none",
                http=with_timeouts(ConnectionLimits(100, time.monotonic), H11Protocol),
                lifespan="on",
                log_config=None,
            )
        )
        thread = threading.Thread(target=lambda: server.run(sockets=[listener]))
        thread.start()
        try:
            _talk(folder, port, talk)
            yield talk
        finally:
            server.should_exit = True
            hub.close_feeds_soon()
            thread.join()


def _talk(folder: Path, port: int, talk: Talk) -> None:
    wait_until(lambda: _get(port, "/time"), "the hub")
    outbox, heard = Outbox(folder / "outbox.jsonl"), queue.SimpleQueue[Any]()
    link = HubLink(
        HubAddress("127.0.0.1", port, "table-1", KEYS["table-1"]),
        outbox,
        lambda kind, value: heard.put((kind, value)),
        health=OwnHealth(MachineProbe(folder), "ab"),
    )
    report: dict[str, Any] = {
        "report_id": "table-1-9f3a",
        "unit": "table-1",
        "event": "e1",
        "match": "1.1",
        "side": "a",
        "revision": 0,
        "result": {"score": {"a": 100, "b": 24}},
        "serial": 1,
        "agrees_to": None,
        "round": 1,
    }
    view = {}
    link.start()
    while not view:
        kind, value = heard.get(timeout=GUARD_S)
        view = value if kind == "view" else {}
    report.update(draw=view["match"]["draw"], a=view["match"]["a"]["id"], b=view["match"]["b"]["id"])
    yes = {
        **report,
        "report_id": "table-1-a04c",
        "side": "b",
        "agrees_to": {"report_id": report["report_id"], "hash": digest(report)},
    }
    for said in (report, yes):
        outbox.put(said, sign(KEYS["table-1"], REPORT, said))
    link.send_reports()
    link.send_status(
        {
            "match": "1.1",
            "seated": ["a"],
            "draft": False,
            "call": True,
            "call_ms": 91500,
            "leave": None,
            "cancelled": [],
            "clock_ms": None,
            "lot": None,
        }
    )
    station = HubStationLink(
        HubAddress("127.0.0.1", port, "station-1", KEYS["station-1"]),
        health=OwnHealth(MachineProbe(folder)),
        printer=_desk(folder).status,
    )
    wait_until(station.exchange, "the station's jobs")
    station.report(station.next_jobs()[0].id, "printed", "")
    wait_until(station.exchange, "what was printed to be told")
    _say_hello_as_twin(port)
    pages = [http.client.HTTPConnection("127.0.0.1", port) for _ in range(5)]
    for page, path, key in zip(
        pages,
        ("/wall/e1", *(f"/e/e1/p/p{n}" for n in range(1, 5))),
        ("wall/e1&variant=wall", *(f"p/e1/p{n}&variant=" for n in range(1, 5))),
        strict=True,
    ):
        page.request("GET", path, headers={"Accept-Language": "de"})
        page.getresponse().read()
        page.request("GET", f"/feed?lang=de&seen=long-ago&page={key}")
        page.getresponse()
    wait_until(lambda: "page view" in talk.said, "the page's feed")
    link.send_status(
        {
            "match": "1.1",
            "seated": ["a", "b"],
            "draft": False,
            "call": True,
            "call_ms": 91500,
            "leave": None,
            "cancelled": [],
            "clock_ms": None,
            "lot": None,
        }
    )
    for name in (
        "feed fates",
        "feed beat",
        "answer /device/status",
        "answer /device/report",
        "answer /device/time",
        "page tick",
        "page clock",
        "page patch",
    ):
        wait_until(lambda name=name: name in talk.said, name)
    wait_until(lambda: any(message["payload"]["fates"] for message in talk.said["feed fates"]), "a fate")
    wait_until(lambda: any(message["payload"]["view"]["call"] for message in talk.said["feed view"]), "the call's view")
    _get(port, "/e/e1/event.json")
    wait_until(lambda: "answer /e/e1/event.json" in talk.said, "the event for other programs")
    for page in pages:
        page.close()
    link.stop()
    outbox.close()


def _say_hello_as_twin(port: int) -> None:
    """A second unit of one name, with another data folder."""
    with closing(http.client.HTTPConnection("127.0.0.1", port, timeout=GUARD_S)) as connection:
        hello = {
            "unit": "table-1",
            "nonce": "d8304b671a92737e",
            "challenge": fetch_challenge(connection),
            "core": version(),
            "reports": [],
            "instance": "another card",
            "epoch": None,
            "heads": {},
            "holds": None,
            "damaged": 0,
        }
        connection.request(
            "POST", "/device/feed", json.dumps(envelope(KEYS["table-1"], REQUEST, hello)), {"roundtap-unit": "table-1"}
        )
        connection.getresponse().read()


def _get(port: int, path: str) -> bool:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=WAIT_S)
    try:
        connection.request("GET", path)
        return connection.getresponse().status == 200
    except OSError:
        return False
    finally:
        connection.close()
