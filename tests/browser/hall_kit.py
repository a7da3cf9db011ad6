"""A hub that browsers reach, with an event in every state that a page can be seen in."""

import asyncio
import socket
import threading
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import Future
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from threading import Event
from time import monotonic
from typing import Any
from urllib.parse import parse_qs, urlsplit

import uvicorn
from pages_kit import Browser, House, Time, open_house

from patience import GUARD_S
from roundtap.kit.player_names import player_names
from roundtap_core.event import commands as c
from roundtap_core.event.entries import VENUE, NewEntry
from roundtap_core.event.states import EventState, Official
from roundtap_core.records import Result, SidePair, result_to_json
from roundtap_hub.access.unit_keys import STATION, TABLE
from roundtap_hub.app.asgi import HubApplication
from roundtap_hub.app.error_pages import PENDING_COMMANDS
from roundtap_hub.http.connection_limits import ConnectionLimits
from roundtap_hub.http.http_answers import Receive, Scope, Send
from roundtap_hub.http.tls import HttpsInfo
from roundtap_hub.http.uvicorn_private import with_timeouts
from roundtap_hub.store.print_book import PrintBook
from roundtap_hub.store.service import Step

FINGERPRINT = " ".join(["A1B2 C3D4 E5F6 0718"] * 4)
UNITS = ("unit-1", "unit-2", "unit-3", "unit-4", "station-1")


class Running(Time):
    """The clock of this machine, set ahead by hand; or one that stands still, for what must not take a slow machine's
    time."""

    ahead_ms = 0
    _still_ms: int | None = None

    def __call__(self) -> int:
        return (int(monotonic() * 1000) if self._still_ms is None else self._still_ms) + self.ahead_ms

    def stand_still(self) -> None:
        self._still_ms = int(monotonic() * 1000)


class Doors:
    """Who comes to a hub, and how many of them listen to its feed. `asked`: the path of each request and the client's
    port, which is its connection. `answers`: the path of each form that leads on, and the act that the page there will
    tell of, or ""."""

    def __init__(self, application: HubApplication) -> None:
        self.application = application
        self.asked: list[tuple[str, int]] = []
        self.answers: list[tuple[str, str]] = []
        self.slow = Event()
        """Set, unless forms that lead on are to be answered late: when it is set again."""
        self.slow.set()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def noted(said: Any) -> None:
            leads_to = dict(said.get("headers", ())).get(b"location") or dict(said.get("headers", ())).get(b"Location")
            if leads_to and scope["method"] == "POST":
                query = parse_qs(urlsplit(leads_to.decode()).query)
                self.answers.append((scope["path"], query.get("did", [""])[0]))
                await asyncio.to_thread(self.slow.wait, GUARD_S)
            await send(said)

        if scope["type"] == "http":
            self.asked.append((scope["path"], scope["client"][1]))
        await self.application(scope, receive, noted)

    @property
    def listeners(self) -> int:
        return len(self.application.browsers.clients())


@dataclass
class Hall:
    """One hub on one port, with the clock of this machine, set ahead by hand."""

    house: House
    url: str
    doors: Doors
    time: Running
    events: dict[str, str] = field(default_factory=dict)
    """Event id by the name of its state."""
    heard: dict[str, str] = field(default_factory=dict)
    """The messages that were read, by the act that they tell of (hand_kit.py)."""
    undone: Counter[str] = field(default_factory=Counter)
    """The kinds of acts that were undone."""
    refused: list[str] = field(default_factory=list)
    """What was said to those who wanted to undo too late."""

    def event(self, event_id: str) -> EventState:
        found = self.house.service.snapshot.event(event_id)
        assert found
        return found

    def tell(self, event_id: str, *commands: c.Command) -> None:
        for command in commands:
            self.house.service.execute_one(event_id, command, "test")

    def create(self, name: str, rulebook: str = "xwing-standard", people: Sequence[str] = (), **options: object) -> str:
        """An event made by the console's own form; its id."""
        organizer: Browser = self.house.organizer()
        before = set(self.house.service.snapshot.ids)
        fields = {"structure": "own", "swiss_rounds": 2, "color": "#00785A", **options}
        answer = organizer.post("/console", name=name, rulebook=rulebook, **fields)
        made = set(self.house.service.snapshot.ids) - before
        assert len(made) == 1, answer.text
        event_id = made.pop()
        if people:
            organizer.post(f"/console/{event_id}/competitors", names="\n".join(people))
        return event_id

    def draw(self, event_id: str) -> None:
        event = self.event(event_id)
        if event.rulebook.judge_required and not event.officials:
            self.tell(event_id, c.SetOfficials((Official("o0", "organizer"),)))
        self.tell(event_id, c.DrawRound(11))

    def publish(self, event_id: str) -> None:
        """Draw the next round, where it is not drawn, and publish it."""
        if self.event(event_id).draft is None:
            self.draw(event_id)
        draft = self.event(event_id).draft
        assert draft
        assert draft.draw
        self.tell(event_id, c.PublishRound(draft.number, draft.draw.attempt, noted="a test"))

    def play(self, event_id: str, leave_open: int = 0) -> None:
        """Side a wins what is open."""
        live = self.event(event_id).live
        assert live
        open_matches = [match for match in live.open_matches if match.match.b]
        for match in open_matches[: len(open_matches) - leave_open]:
            self.tell(event_id, c.EnterResult(match.id, match.revision, Result(score=SidePair(100, 24))))

    def report(self, event_id: str, match: str, side: str, a: int, b: int) -> None:
        said = result_to_json(Result(score=SidePair(a, b)))
        self.tell(event_id, c.RecordReport(f"{match}{side}{a}{b}", match, side, 0, said, "body"))  # type: ignore[arg-type]

    def place(self, unit: str, table: int) -> None:
        self.house.service.execute([Step(VENUE, NewEntry("unit-placed", {"unit": unit, "table": table}))], "test")

    def outcome(self) -> str:
        """The address of something that was pressed and of which nobody knows yet what became of it."""
        return f"/console/outcome/{self.house.app.extensions[PENDING_COMMANDS].add(Future(), '')}"


@contextmanager
def open_hall(folder: Path, equipped: bool = True) -> Iterator[Hall]:
    """An empty hub with paper, four table units and a station, or without any of them, on a port of its own."""
    time = Running()
    with open_house(folder, time) as house:
        if not equipped:
            house.hub.units.keys.set_local({})
        for unit in UNITS[2:] if equipped else ():
            house.hub.units.keys.add(unit, STATION if unit == UNITS[-1] else TABLE)
        house.hub.paper = PrintBook(f"sqlite:///{folder / 'roundtap.db'}")
        house.hub.access.encrypted = HttpsInfo(8443, b"-----BEGIN CERTIFICATE-----\n", FINGERPRINT)
        application = HubApplication(house.hub)
        doors = Doors(application)
        listener = socket.create_server(("127.0.0.1", 0))
        server = uvicorn.Server(
            uvicorn.Config(
                doors,
                http=with_timeouts(ConnectionLimits(100, monotonic)),
                log_config=None,
                ws="none",
                timeout_graceful_shutdown=2,
            )
        )
        pages: Future[Any] = Future()

        async def serve() -> None:
            serving = asyncio.create_task(server.serve([listener]))
            pages.set_result(await application.pages.built())
            await serving

        thread = threading.Thread(target=asyncio.run, args=(serve(),), daemon=True)
        thread.start()
        try:
            house.app = pages.result(GUARD_S)
            yield Hall(house, f"http://127.0.0.1:{listener.getsockname()[1]}", doors, time)
        finally:
            server.should_exit = True
            application.close_feeds_soon()
            thread.join(GUARD_S)
            house.hub.paper.close()


def in_every_state(hall: Hall, players: int = 9) -> None:
    """`hall.events`: an event for each state, all of them in one hall."""
    names = [*player_names(players - 1), "Aleksandra Wiśniewska-Szczepańska d. Ä."]
    cut = {"swiss_rounds": 1, "cut": 4}

    def made(state: str, rulebook: str = "xwing-standard", people: Sequence[str] = names, **options: object) -> str:
        event_id = hall.events[state] = hall.create(f"Winter Open: {state}", rulebook, people, **options)
        return event_id

    made("nobody", people=())
    made("before play")
    hall.draw(made("draft"))
    hall.publish(made("published"))
    running = made("running")
    hall.publish(running)
    hall.tell(running, c.SetClock("start"))
    troubles(hall, made("troubles"))
    played = made("played")
    hall.publish(played)
    hall.play(played)
    second = made("second round")
    for _ in range(2):
        hall.publish(second)
        hall.tell(second, c.SetClock("start"))
        hall.play(second, leave_open=2 if len(hall.event(second).public_rounds) == 2 else 0)
    for state in ("cut", "bracket draft", "bracket", "finished", "archived"):
        event = made(state, **cut)
        hall.publish(event)
        hall.play(event)
        if state == "cut":
            hall.tell(event, c.MakeCut())
            continue
        hall.tell(event, c.MakeCut())
        if state == "bracket draft":
            hall.draw(event)
            continue
        hall.publish(event)
        if state == "bracket":
            hall.play(event, leave_open=1)
            continue
        hall.play(event)
        hall.publish(event)
        hall.play(event)
        hall.tell(event, c.FinishEvent("the hall closes"))
    hall.house.service.execute([Step(VENUE, NewEntry("event-archived", {"event": hall.events["archived"]}))], "test")
    for rulebook in ("keyforge-archon", "shatterpoint-premier", "warlords-of-terra", "xwing-epic-team"):
        options = {"prize_places": 2} if rulebook == "warlords-of-terra" else {}
        people = (
            [f"Team {one}: {one}, {other}" for one, other in zip(names[:4], names[4:], strict=False)]
            if rulebook == "xwing-epic-team"
            else names
        )
        book = made(rulebook, rulebook, people, **options)
        hall.publish(book)
        hall.tell(book, c.SetClock("start"))


def troubles(hall: Hall, event: str) -> None:
    """A round in which everything happens: one-sided, two that differ, a call, a wish to leave, warned, late, gone."""
    hall.publish(event)
    hall.tell(event, c.SetClock("start"), c.SetClock("adjust", -71 * 60_000))
    live = hall.event(event).live
    assert live
    one_sided, dispute, called, leaving = [match for match in live.matches if match.match.b][:4]
    hall.report(event, one_sided.id, "a", 100, 24)
    hall.report(event, dispute.id, "a", 100, 24)
    hall.report(event, dispute.id, "b", 24, 100)
    now_ms, presence = hall.house.hub.clocks.mono_ms(), hall.house.hub.presence
    for unit, match in zip(UNITS, (one_sided, dispute, called, leaving), strict=False):
        hall.place(unit, match.match.table or 0)
        presence.update(unit, now_ms, connected=True, match=match.id, seated=frozenset("ab"))
    hall.house.says("unit-3", call=True)
    hall.house.says("unit-4", leave="b")
    bye = next((match.match.a for match in live.matches if not match.match.b), "p1")
    hall.tell(
        event,
        c.GiveWarning(one_sided.match.a, "a loud phone"),
        c.NoteRuling(dispute.id, "The die lay flat.", "judge"),
        c.Appeal(dispute.id, dispute.match.a),
        c.GrantExtension(called.id, 5),
        c.DropCompetitor(bye),
    )
