"""The hub's pages at every moment of an event, as standing HTML: without scripts, with their styles inside."""

from __future__ import annotations

import re
import secrets
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from flask.testing import FlaskClient

from roundtap.kit.player_names import player_names
from roundtap_core.event import commands as c
from roundtap_core.event.person import Person
from roundtap_core.event.state import Entrant
from roundtap_core.records import Pair, Result
from roundtap_hub.app import create_app
from roundtap_hub.hub import Hub, hash_pin
from roundtap_hub.journal.clocks import Clocks
from roundtap_hub.journal.journal import Journal, PersonRecord
from roundtap_hub.journal.service import Service, Step
from roundtap_hub.presence import Presence
from roundtap_hub.printing.job_book import PrintBook
from roundtap_hub.static_files import StaticFiles

EVENT, CUT_EVENT, PIN = "e1", "e2", "135790"
PLAYERS = 40
WALL, DESK, PHONE = (1920, 1080), (1280, 1600), (390, 844)
SEED = 20261120
UNIT_KEYS = {unit: bytes(32) for unit in ("table-1", "table-2", "table-3", "station-1")}

STYLE = re.compile(r'<link rel="stylesheet" href="([^"]+)">')
SCRIPT = re.compile(r"<script[^>]*></script>")
TOKEN = re.compile(r'name="csrf" value="([^"]+)"')


@dataclass(frozen=True, slots=True)
class StillPage:
    """One page to be looked at, and the size of the window it is made for."""

    name: str
    html: str
    width: int
    height: int


def pages(language: str) -> Iterator[StillPage]:
    """Every page in one language, from a fresh hub to the end of an event with long names."""
    with tempfile.TemporaryDirectory(prefix="roundtap-pages-") as folder:
        url = f"sqlite:///{Path(folder) / 'roundtap.db'}"
        clock_ms = [1_000_000]
        clocks = Clocks("gallery", lambda: clock_ms[0], lambda: "2026-11-20T18:00:00+00:00")
        journal, paper = Journal(url), PrintBook(url)
        service = Service(journal, clocks)
        service.start()
        hub = Hub(service, Presence(), clocks, UNIT_KEYS, b"gallery", hash_pin(PIN), language, paper=paper)
        try:
            client = create_app(hub).test_client()
            yield from _moments(_Camera(client, language), service, clock_ms)
        finally:
            service.stop()
            journal.close()
            paper.close()


class _Camera:
    """Takes pages off a test client."""

    def __init__(self, client: FlaskClient, language: str) -> None:
        self._client = client
        self._language = language
        self._static = StaticFiles()
        self._headers = {"Accept-Language": language}

    def log_in(self) -> None:
        page = self._client.get("/login", headers=self._headers).text
        found = TOKEN.search(page)
        assert found
        self._client.post("/login", data={"csrf": found[1], "pin": PIN, "next": "/console"}, headers=self._headers)

    def take(self, name: str, path: str, size: tuple[int, int]) -> StillPage:
        answer = self._client.get(path, headers=self._headers, follow_redirects=True)
        assert answer.status_code in (200, 404), (path, answer.status_code)
        html = SCRIPT.sub("", STYLE.sub(self._inline, answer.text))
        return StillPage(name, html, *size)

    def _inline(self, link: re.Match[str]) -> str:
        file = self._static.find(link[1])
        return f"<style>{file.body.decode() if file else self._client.get(link[1]).text}</style>"


def _moments(camera: _Camera, service: Service, clock_ms: list[int]) -> Iterator[StillPage]:
    yield camera.take("fresh-door", "/", PHONE)
    yield camera.take("fresh-login", "/login", PHONE)
    camera.log_in()
    yield camera.take("fresh-console", "/console", DESK)
    yield camera.take("not-found", "/nowhere", PHONE)
    _create(service)
    yield camera.take("entered-console", f"/console/{EVENT}", DESK)
    _tell(service, c.DrawRound(SEED))
    yield camera.take("draft-console", f"/console/{EVENT}", DESK)
    _tell(service, c.PublishRound(1, 1, noted="a picture"))
    yield from _all_fronts(camera, "published")
    _tell(service, c.SetClock("start"))
    clock_ms[0] += 71 * 60_000
    matches = [m for r in service.snapshot.events[EVENT].rounds for m in r.matches if m.match.b]
    for index, match in enumerate(matches[:-2]):
        _tell(service, c.EnterResult(match.id, match.revision, Result(score=Pair(100, index * 7 % 100))))
    yield from _all_fronts(camera, "playing")
    yield camera.take("playing-match", f"/console/{EVENT}/match/{matches[-1].id}", DESK)
    for match in matches[-2:]:
        _tell(service, c.EnterResult(match.id, match.revision, Result(score=Pair(49, 77), ended="time")))
    yield from _all_fronts(camera, "played")
    yield camera.take("paper-console", f"/console/{EVENT}/paper", DESK)
    yield camera.take("units-console", "/console/units", DESK)
    _tell(service, c.FinishEvent())
    yield from _all_fronts(camera, "finished")
    yield from _elimination(camera, service)


def _elimination(camera: _Camera, service: Service) -> Iterator[StillPage]:
    """Another event, from its cut to its champion."""
    _create(service, CUT_EVENT, cut=8)
    for command in (c.DrawRound(SEED), c.PublishRound(1, 1, noted="a picture")):
        _tell(service, command, CUT_EVENT)
    _settle(service)
    # The standings close the Swiss rounds; the cut is made of them.
    _tell(service, c.MakeCut(), CUT_EVENT)
    yield camera.take("cut-console", f"/console/{CUT_EVENT}", DESK)
    for number, name in ((2, "quarter-final"), (3, "semi-final"), (4, "final")):
        _tell(service, c.DrawRound(SEED), CUT_EVENT)
        _tell(service, c.PublishRound(number, 1, noted="a picture"), CUT_EVENT)
        yield camera.take(f"{name}-wall", f"/wall/{CUT_EVENT}", WALL)
        yield camera.take(f"{name}-console", f"/console/{CUT_EVENT}", DESK)
        _settle(service)
    _tell(service, c.FinishEvent(), CUT_EVENT)
    yield camera.take("champion-wall", f"/wall/{CUT_EVENT}", WALL)
    yield camera.take("champion-bracket", f"/e/{CUT_EVENT}/bracket", DESK)
    yield camera.take("champion-bracket-phone", f"/e/{CUT_EVENT}/bracket", PHONE)
    yield camera.take("champion-standings", f"/e/{CUT_EVENT}/standings", PHONE)


def _settle(service: Service) -> None:
    """A result for each match of the round in play."""
    live = service.snapshot.events[CUT_EVENT].live
    assert live
    for index, match in enumerate(live.open_matches):
        _tell(service, c.EnterResult(match.id, match.revision, Result(score=Pair(100, index * 7 % 100))), CUT_EVENT)


def _all_fronts(camera: _Camera, moment: str) -> Iterator[StillPage]:
    yield camera.take(f"{moment}-console", f"/console/{EVENT}", DESK)
    yield camera.take(f"{moment}-wall", f"/wall/{EVENT}", WALL)
    yield camera.take(f"{moment}-wall-dark", f"/wall/{EVENT}?theme=dark", WALL)
    yield camera.take(f"{moment}-find", f"/e/{EVENT}", PHONE)
    yield camera.take(f"{moment}-player", f"/e/{EVENT}/p/p6", PHONE)
    yield camera.take(f"{moment}-pairings", f"/e/{EVENT}/pairings", PHONE)
    yield camera.take(f"{moment}-standings", f"/e/{EVENT}/standings", PHONE)


def _create(service: Service, event: str = EVENT, cut: int = 0) -> None:
    people = [PersonRecord(event, f"p{i}", secrets.token_hex(8), Person(name))
              for i, name in enumerate(player_names(PLAYERS), start=1)]
    options = {"structure": "own", "swiss_rounds": 1, "cut": cut}
    create = c.CreateEvent("Winter Open", "xwing-standard", None, options, "#0072B2", SEED)
    entered = [c.EnterCompetitor(Entrant(p.competitor, p.person.digest(p.salt))) for p in people]
    commands: list[c.Command] = [create, *entered]
    service.ask([Step(event, command) for command in commands], "gallery", people)


def _tell(service: Service, command: c.Command, event: str = EVENT) -> None:
    service.tell(event, command, "gallery")
