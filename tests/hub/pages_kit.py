"""What the tests of the pages share: a hub on a real journal, with a clock that stands still, and a browser."""

import html
import re
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from pathlib import Path
from random import Random
from typing import Any

from flask import Flask, before_render_template, template_rendered
from flask.testing import FlaskClient
from hub_kit import Journal, Service, hub_of
from werkzeug.test import TestResponse

from faults import fails
from roundtap_core.clock import RUNNING
from roundtap_core.event.commands import DrawRound, EnterResult, PublishRound, RecordReport, SetClock, SetOfficials
from roundtap_core.event.entries import VENUE, NewEntry
from roundtap_core.event.states import EventState, Official
from roundtap_core.messages import TableStatus
from roundtap_core.randomness import SEED_BITS
from roundtap_core.records import Result, SidePair, result_to_json
from roundtap_hub.access.staff import csrf_token_of
from roundtap_hub.app import flask_app
from roundtap_hub.app.hub import Hub
from roundtap_hub.http.requester import session_cookie
from roundtap_hub.http.routes import find_route
from roundtap_hub.store.clocks import Clocks
from roundtap_hub.store.login_pins import hash_pin
from roundtap_hub.store.service import Step
from roundtap_hub.units.table_api import take_status
from roundtap_hub.views.unit_presence import UnitStatus

PIN = "246810"
PEOPLE = ["Ana Ruiz", "Bruno Maier", "Łukasz Żak", "Eva Luz", "Kai Eich", "Aleksandra Wiśniewska-Szczepańska"]


LEADS_ON = {
    "POST /console/<event_id>/match/<match_id>/walk": "the next step of the wizard",
    "POST /console/<event_id>/match/<match_id>/walk/lot": "the wizard goes on with what the lot said",
    "POST /console/<event_id>/accept": "to the wizard, where squads are missing",
    "POST /console/<event_id>/check-in/name": "which of several is meant",
    "POST /console/practice": "to the page on which the practice hub is waited for",
    "POST /console/games/try": "to the page on which the practice hub is waited for",
    "POST /console/units/enrol": "to the next table, where it says which unit is enrolled",
    "POST /console/<event_id>/again": "to the event that the first press made",
}
"""Forms of the console that may lead to a page on which nothing is said to be done, and what they do then."""

ASKS_FIRST = ("/login", "/console/outcome/")
"""Pages that come before anything is done, or before it is known to be."""


def here(moment: str) -> str:
    """That time of day of that day ("2026-11-27T18:00:00") in the time zone of the machine that tests, as `wall`."""
    return datetime.fromisoformat(moment).astimezone().isoformat()


@dataclass
class Time:
    """The hub's monotonic clock, moved by hand."""

    ms: int = 1_000_000
    wall: str | None = None

    def __call__(self) -> int:
        return self.ms


class Browser:
    """A test client that fills in forms the way a browser does: with the token of the page it looked at."""

    def __init__(self, client: FlaskClient, language: str = "en") -> None:
        self.client = client
        self.headers = {"Accept-Language": language}
        self.token = ""
        self.did = ""

    def get(self, path: str) -> TestResponse:
        answer = self.client.get(path, headers=self.headers)
        found = re.search(r'name="csrf" value="([^"]+)"', answer.text)
        if found:
            self.token = found[1]
        return answer

    def console(self, event: str = "e1", query: str = "") -> TestResponse:
        """What an organizer sees of an event: Play, and what the other places have in their main part. For forms and
        texts whose place does not matter."""
        answer = self.get(f"/console/{event}{query}")
        mains = [
            re.search(r'<main id="main">(.*?)</main>', self.get(f"/console/{event}/{place}").text, re.S)
            for place in ("players", "event")
            if answer.status_code == 200
        ]
        answer.data = answer.text.replace("</main>", "".join(found[1] for found in mains if found) + "</main>")
        del answer.text
        return answer

    def opened(self, path: str = "/console/e1") -> TestResponse:
        """A page, or an event's console, with everything opened that is opened on demand: each part is fetched where
        the page says."""
        of_event = re.fullmatch(r"/console/(e\d+)", path)
        answer = self.console(of_event[1]) if of_event else self.get(path)

        def fetched(found: re.Match[str]) -> str:
            part = re.search(r'<section [^>]*id="part">(.*?)</section>', self.get(html.unescape(found[1])).text, re.S)
            assert part, found[1]
            return f"{found[0].partition('</summary>')[0]}</summary>{part[1]}</details>"

        closed = r'<details (?:[^>]* )?data-open="([^"]+)"(?![^>]* open)[^>]*>(?:(?!</details>).)*</details>'
        answer.data = re.sub(closed, fetched, answer.text, flags=re.S)
        del answer.text
        return answer

    def post(self, path: str, **fields: object) -> TestResponse:
        """What a form is answered with; where that leads to a page, `did` is what the page will say was done."""
        answer = self.client.post(path, data={"csrf": self.token, **fields}, headers=self.headers)
        self.did = ""
        if answer.location is not None:
            leads_to = re.sub(r"[?&]did=([^#]*)", "", answer.location)
            self.did = "".join(re.findall(r"[?&]did=([^#&]*)", answer.location))
            answer.headers["Location"] = leads_to
            found = find_route("POST", path.partition("?")[0])
            silent = found is None or found[0].address in LEADS_ON or leads_to.startswith(ASKS_FIRST)
            assert self.did or silent or not path.startswith("/console"), path
        return answer

    def said(self, path: str = "/console") -> str:
        """The message about the form that was sent last, on a page after it."""
        page = self.get(f"{path}{'&' if '?' in path else '?'}did={self.did}").text
        return words_of("".join(re.findall(r'<div class="did"[^>]*>(.*?)</div>', page, re.S)))

    def log_in(self, pin: str = PIN) -> TestResponse:
        self.get("/login")
        answer = self.post("/login", pin=pin)
        self.get("/console")
        return answer

    def enter(self, hub: Hub, pin: str = PIN) -> None:
        """Logged in without the form, as most tests are."""
        token = hub.access.organizers.log_in(pin, "127.0.0.1", "")
        assert token is not None
        self.client.set_cookie(session_cookie(encrypted=False, here=True), token)
        self.token = csrf_token_of(token, hub.access.secret)


SILENT: dict[str, Any] = {"session": "s", "seq": 1, "call": False, "leave": None, "clock_ms": None, "waiting": 0}
"""The status of a unit at which nobody has pressed anything, beside its match and seats."""


class House:
    """One hub and its application."""

    def __init__(self, folder: Path, time: Time | None = None) -> None:
        self._statuses: dict[str, dict[str, Any]] = {}
        self.time = time or Time()
        clocks = Clocks("boot", self.time, lambda: self.time.wall)
        self.service = Service(Journal(f"sqlite:///{folder / 'roundtap.db'}"), clocks)
        self.hub = hub_of(
            self.service,
            clocks,
            keys={"unit-1": b"k" * 32, "unit-2": b"l" * 32},
            secret=b"s" * 32,
            pin_hash=hash_pin(PIN, "salt"),
            new_event_id=self._count_event,
            # The same draws in every run.
            new_seed=partial(Random(1).getrandbits, SEED_BITS),
        )
        self.app = Flask("roundtap_hub")
        self.app.config.update(SECRET_KEY=self.hub.access.secret)
        flask_app.register_pages(self.app, self.hub)

    def _count_event(self) -> str:
        """Tests name their events in the order in which they are made: "e1", "e2"."""
        return f"e{len(self.service.snapshot.ids) + 1}"

    def drawn(self) -> list[str]:
        """The names of the templates that are drawn from now on."""
        names: list[str] = []
        self._note = lambda _, template, **__: names.append(template.name)
        template_rendered.connect(self._note)
        return names

    def browser(self, language: str = "en") -> Browser:
        return Browser(self.app.test_client(), language)

    def organizer(self) -> Browser:
        browser = self.browser()
        browser.enter(self.hub)
        return browser

    def staff(self, role: str, name: str = "Eva Luz", language: str = "en") -> Browser:
        """The browser of somebody with a PIN of their own."""
        _, pin = self.hub.access.organizers.staff.add(name, role)
        browser = self.browser(language)
        browser.enter(self.hub, pin)
        return browser

    @property
    def event(self) -> EventState:
        return self.service.snapshot.events["e1"]

    def with_event(self, people: list[str] | None = None, **options: object) -> Browser:
        """An organizer's browser, with an event and its players."""
        browser = self.organizer()
        browser.post(
            "/console",
            name="Winter Open",
            color="#00785A",
            **{"rulebook": "xwing-standard", "structure": "own", "swiss_rounds": 2, **options},
        )
        browser.post("/console/e1/competitors", names="\n".join(people or PEOPLE))
        return browser

    def publish(self) -> None:
        """Draw and publish; where the rulebook wants a judge and nobody is named, the organizer is it."""
        if self.event.rulebook.judge_required and not self.event.officials:
            self.service.execute_one("e1", SetOfficials((Official("o0", "organizer"),)), "test")
        self.service.execute_one("e1", DrawRound(11), "test")
        self.publish_draft()

    def publish_draft(self) -> None:
        draft = self.event.draft
        self.service.execute_one("e1", PublishRound(draft.number, draft.draw.attempt, noted="a test"), "test")

    def time_is_up(self, event: str = "e1") -> None:
        """The round is over at every table, hidden minutes included."""
        if self.service.snapshot.events[event].clock.state != RUNNING:
            self.service.execute_one(event, SetClock("start"), "test")
        self.service.execute_one(event, SetClock("set", -600_000), "test")

    def play(self, leave_open: int = 0) -> None:
        """Side a wins every match 100:24."""
        matches = [m for m in self.event.live.matches if m.match.b]
        for match in matches[: len(matches) - leave_open]:
            self.service.execute_one(
                "e1", EnterResult(match.id, match.revision, Result(score=SidePair(100, 24))), "test"
            )

    def report(self, match: str, side: str, a: int, b: int) -> None:
        said = result_to_json(Result(score=SidePair(a, b)))
        self.service.execute_one("e1", RecordReport(f"{match}{side}{a}{b}", match, side, 0, said, "body"), "unit")  # type: ignore[arg-type]

    def says(self, unit: str, **said: object) -> None:
        """A status of a unit, as its link brings it; what it does not name is as before. What it asks for is saved."""
        for changed in ([] if unit in self._statuses else [{}]) + [said]:
            known = self.hub.presence.status_of(unit) or UnitStatus(unit, 0)
            now = {"match": known.match, "seated": known.seated, "draft": known.draft}
            self._statuses[unit] = {**SILENT, **self._statuses.get(unit, {}), **now, **changed}
            take_status(self.hub, TableStatus(unit=unit, **self._statuses[unit]), self.time.ms)
        self.service.execute([], "test")

    def place(self, unit: str, table: int) -> None:
        self.service.execute([Step(VENUE, NewEntry("unit-placed", {"unit": unit, "table": table}))], "test")


@contextmanager
def open_house(folder: Path, time: Time | None = None) -> Iterator[House]:
    house = House(folder, time)
    house.service.start()
    try:
        yield house
    finally:
        house.service.stop()


def page_fails(name: str, bug: str = "wires crossed") -> AbstractContextManager[None]:
    """Meanwhile there is a bug in what draws this template."""
    broken = fails(RuntimeError(bug))
    return before_render_template.connected_to(lambda _, template, **__: template.name == name and broken())


def start_page_needs(browser: Browser) -> str:
    """What the console's start page asks for."""
    page = browser.get("/console").text
    return " ".join(re.sub("<[^>]+>", " ", page.partition('id="needs">')[2].partition("</div>")[0]).split())


def text_of(answer: TestResponse) -> str:
    """What a person reads on the page."""
    return words_of(answer.text)


def words_of(text: str) -> str:
    """What a person reads of this HTML."""
    body = re.sub(r"<(script|style|svg)\b.*?</\1>", " ", text, flags=re.S)
    return " ".join(html.unescape(re.sub(r"<[^>]+>", " ", body)).split())


def problem_of(answer: TestResponse) -> str:
    """The message on the page, or "" where there is none."""
    found = re.search(r'<p class="problem".*?</p>', answer.text, flags=re.S)
    return " ".join(html.unescape(re.sub(r"<[^>]+>", " ", found[0])).split()) if found else ""
