"""The hub's pages at every moment of an event."""

import secrets
import tempfile
from collections.abc import Iterator
from pathlib import Path

from gallery import day_pages, event_name, preflight_pages
from gallery.camera import Camera, StillPage
from memory_hub import hub_in_memory
from roundtap.kit.player_names import player_names
from roundtap_core.event import commands as c
from roundtap_core.event.entries import Person
from roundtap_core.event.states import Entrant
from roundtap_core.records import SIDES, Result, SidePair, result_to_json
from roundtap_hub.app.flask_app import create_app
from roundtap_hub.app.hub import Hub
from roundtap_hub.store.clocks import Clocks
from roundtap_hub.store.journal import Journal, PersonRecord
from roundtap_hub.store.login_pins import hash_pin
from roundtap_hub.store.print_book import PrintBook
from roundtap_hub.store.service import Service, Step
from roundtap_hub.views.unit_presence import Presence

EVENT, CUT_EVENT, DAY_EVENT, PIN = "e1", "e2", "e3", "135790"
PLAYERS, DAY_PLAYERS = 40, 128
WALL, DESK, PHONE = (1920, 1080), (1280, 1600), (390, 844)
SEED = 20261120
BY_HAND = 4
"""Of the matches played, the one whose result an official enters; at the others both players agree."""
UNIT_KEYS = {unit: bytes(32) for unit in ("table-1", "table-2", "table-3", "station-1")}


def pages(language: str) -> Iterator[StillPage]:
    """Every page in one language, from a fresh hub to the end of an event with long names."""
    with tempfile.TemporaryDirectory(prefix="roundtap-pages-") as folder:
        url = f"sqlite:///{Path(folder) / 'roundtap.db'}"
        clock_ms = [1_000_000]
        clocks = Clocks("gallery", lambda: clock_ms[0], lambda: "2026-11-20T18:00:00+00:00")
        journal, paper = Journal(url), PrintBook(url)
        service = Service(journal, clocks)
        service.start()
        hub = hub_in_memory(
            service, Presence(), clocks, UNIT_KEYS, b"gallery", hash_pin(PIN), language=language, paper=paper
        )
        try:
            client = create_app(hub).test_client()
            yield from _moments(Camera(client, language, PIN), hub, clock_ms)
            yield from preflight_pages.preflight(language)
        finally:
            service.stop()
            journal.close()
            paper.close()


def _moments(camera: Camera, hub: Hub, clock_ms: list[int]) -> Iterator[StillPage]:
    service = hub.service
    yield camera.take("fresh-door", "/", PHONE)
    yield camera.take("fresh-login", "/login", PHONE)
    camera.log_in()
    yield camera.take("fresh-console", "/console", DESK)
    yield camera.take("not-found", "/nowhere", PHONE)
    _create(service, camera.language)
    yield camera.take("entered-console", f"/console/{EVENT}", DESK)
    _tell(service, c.DrawRound(SEED))
    yield camera.take("draft-console", f"/console/{EVENT}", DESK)
    _tell(service, c.PublishRound(1, 1, noted="a picture"))
    yield from _all_fronts(camera, "published")
    _tell(service, c.SetClock("start"))
    clock_ms[0] += 71 * 60_000
    matches = [m for r in service.snapshot.events[EVENT].rounds for m in r.matches if m.match.b]
    for index, match in enumerate(matches[:-2]):
        result = Result(score=SidePair(100, index * 7 % 100))
        if index == BY_HAND:
            _tell(service, c.EnterResult(match.id, match.revision, result))
            continue
        for side in SIDES:
            _tell(
                service,
                c.RecordReport(f"{match.id}{side}", match.id, side, match.revision, result_to_json(result), "gallery"),
            )
    yield from _all_fronts(camera, "playing")
    yield camera.take("playing-match", f"/console/{EVENT}/match/{matches[-1].id}", DESK)
    for match in matches[-2:]:
        _tell(
            service, c.EnterResult(match.id, match.revision, Result(score=SidePair(49, 77), ended="time"), earlier=True)
        )
    yield from _all_fronts(camera, "played")
    yield camera.take("paper-console", f"/console/{EVENT}/paper", DESK)
    yield camera.take("units-console", "/console/units", DESK)
    _tell(service, c.FinishEvent("as recorded"))
    yield from _all_fronts(camera, "finished")
    yield from _elimination(camera, service)
    yield from _whole_day(camera, hub)


def _whole_day(camera: Camera, hub: Hub) -> Iterator[StillPage]:
    """A third event, of 64 tables."""
    service = hub.service
    _create(service, camera.language, DAY_EVENT, players=DAY_PLAYERS)
    yield from day_pages.before_play(camera, hub, DAY_EVENT)
    for command in (c.DrawRound(SEED), c.PublishRound(1, 1, noted="a picture"), c.SetClock("start")):
        _tell(service, command, DAY_EVENT)
    yield from day_pages.in_play(camera, hub, DAY_EVENT)
    live = service.snapshot.events[DAY_EVENT].live
    assert live
    for match in live.matches:
        if match.match.result is None:
            _tell(service, c.EnterResult(match.id, match.revision, Result(score=SidePair(49, 100))), DAY_EVENT)
    _tell(service, c.FinishEvent("as recorded"), DAY_EVENT)
    yield from day_pages.finished(camera, hub, DAY_EVENT)


def _elimination(camera: Camera, service: Service) -> Iterator[StillPage]:
    """Another event, from its cut to its champion."""
    _create(service, camera.language, CUT_EVENT, cut=8)
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
    _tell(service, c.FinishEvent("as recorded"), CUT_EVENT)
    yield camera.take("champion-wall", f"/wall/{CUT_EVENT}", WALL)
    yield camera.take("champion-bracket", f"/e/{CUT_EVENT}/bracket", DESK)
    yield camera.take("champion-bracket-phone", f"/e/{CUT_EVENT}/bracket", PHONE)
    yield camera.take("champion-standings", f"/e/{CUT_EVENT}/standings", PHONE)


def _settle(service: Service) -> None:
    """A result for each match of the round in play."""
    live = service.snapshot.events[CUT_EVENT].live
    assert live
    for index, match in enumerate(live.open_matches):
        _tell(service, c.EnterResult(match.id, match.revision, Result(score=SidePair(100, index * 7 % 100))), CUT_EVENT)


def _all_fronts(camera: Camera, moment: str) -> Iterator[StillPage]:
    yield camera.take(f"{moment}-console", f"/console/{EVENT}", DESK)
    yield camera.take(f"{moment}-wall", f"/wall/{EVENT}", WALL)
    yield camera.take(f"{moment}-wall-dark", f"/wall/{EVENT}?theme=dark", WALL)
    yield camera.take(f"{moment}-find", f"/e/{EVENT}", PHONE)
    yield camera.take(f"{moment}-player", f"/e/{EVENT}/p/p6", PHONE)
    yield camera.take(f"{moment}-pairings", f"/e/{EVENT}/pairings", PHONE)
    yield camera.take(f"{moment}-standings", f"/e/{EVENT}/standings", PHONE)


def _create(service: Service, language: str, event: str = EVENT, cut: int = 0, players: int = PLAYERS) -> None:
    people = [
        PersonRecord(event, f"p{i}", secrets.token_hex(8), Person(name))
        for i, name in enumerate(player_names(players), start=1)
    ]
    options = {"structure": "own", "swiss_rounds": 1, "cut": cut}
    create = c.CreateEvent(event_name(language), "xwing-standard", None, options, "#0072B2", SEED)
    entered = [c.EnterCompetitor(Entrant(p.competitor, p.person.digest(p.salt))) for p in people]
    commands: list[c.Command] = [create, *entered]
    service.execute([Step(event, command) for command in commands], "gallery", people)


def _tell(service: Service, command: c.Command, event: str = EVENT) -> None:
    service.execute_one(event, command, "gallery")
