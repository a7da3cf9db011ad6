"""What a whole day needs beside console, wall and lists, as pictures of 64 tables: people, phones, judges, paper."""

import io
from collections.abc import Iterator

from gallery.camera import Camera, StillPage
from roundtap.kit.player_names import player_names
from roundtap_core.event import commands as c
from roundtap_core.event.states import MatchState
from roundtap_core.records import Result, Side, SidePair, result_to_json
from roundtap_hub.app.hub import Hub
from roundtap_hub.http.routes import JUDGE

PHONE, DESK = (390, 1200), (1366, 1000)
LEFT_OPEN = 20


def before_play(camera: Camera, hub: Hub, event: str) -> Iterator[StillPage]:
    """Everybody is entered; the doors open."""
    console = f"/console/{event}"
    yield camera.take("day-sign-up", f"{console}/sign-up", DESK)
    for command in (c.SetCheckIn(True), c.SetSignUp(True)):
        hub.service.execute_one(event, command, "gallery")
    yield camera.take("day-check-in", f"{console}/check-in", DESK)
    yield camera.take("day-check-in-phone", f"{console}/check-in", PHONE)
    yield camera.take("day-join", f"/join/{event}", PHONE)
    yield camera.take("day-me-here", hub.access.links.path(event, "p6"), PHONE)
    table = "Name;Club;Bezahlt\n" + "".join(f"{name};Club {n % 7};ja\n" for n, name in enumerate(player_names(40)[30:]))
    yield camera.take("day-import", f"{console}/import", DESK)
    yield camera.send(
        "day-import-preview",
        f"{console}/import",
        f"{console}/import/table",
        DESK,
        {"file": (io.BytesIO(table.encode()), "people.csv")},
    )
    yield camera.take("day-pair", f"{console}/pair", DESK)
    hub.service.execute_one(event, c.SetCheckIn(False), "gallery")


def in_play(camera: Camera, hub: Hub, event: str) -> Iterator[StillPage]:
    """A round is played: results are in, one says something, two differ, one calls."""
    console, live = f"/console/{event}", hub.service.snapshot.events[event].live
    assert live
    *played, one, differ, calls, plays = live.matches[: -LEFT_OPEN + 4]
    for match in played:
        hub.service.execute_one(
            event, c.EnterResult(match.id, match.revision, Result(score=SidePair(100, 24))), "gallery"
        )
    words: tuple[tuple[MatchState, Side, SidePair], ...] = (
        (one, "a", SidePair(100, 24)),
        (differ, "a", SidePair(100, 24)),
        (differ, "b", SidePair(24, 100)),
    )
    for match, side, score in words:
        said = result_to_json(Result(score=score))
        hub.service.execute_one(
            event, c.RecordReport(f"{match.id}{side}", match.id, side, match.revision, said, "gallery"), "gallery"
        )
    hub.service.execute_one(event, c.CallJudge(calls.id, "table"), "gallery")
    hub.access.organizers.staff.add("Aleksandra Wiśniewska-Szczepańska", JUDGE)
    link = hub.access.links.path
    assert one.match.b
    for name, path in (
        ("pairings", f"/e/{event}/pairings"),
        ("me", link(event, plays.match.a)),
        ("me-report", f"{link(event, plays.match.a)}/report"),
        ("me-figures", f"{link(event, plays.match.a)}/report?way=played&opener=a"),
        ("me-confirm", link(event, one.match.b)),
        ("me-differ", link(event, differ.match.a)),
        ("me-done", link(event, played[0].match.a)),
        ("me-code", "/me"),
        ("judge", "/console/judge"),
        ("judge-match", f"{console}/match/{differ.id}"),
        ("link", f"{console}/competitors/p6/link"),
    ):
        yield camera.take(f"day-{name}", path, PHONE)
    for name, path in (
        ("console", console),
        ("mend", f"{console}/mend"),
        ("absent", f"{console}/absent"),
        ("slip-desk", f"{console}/slip"),
        ("entry", f"{console}/entry"),
        ("prizes", f"{console}/prizes"),
        ("person", f"{console}/person/p6"),
        ("displays", "/console/displays"),
        ("hub", "/console/hub"),
        ("print-tables", f"/print/{event}/pairings-table"),
        ("print-names", f"/print/{event}/pairings-name"),
        ("print-standings", f"/print/{event}/standings"),
        ("print-slips", f"{console}/print/slips"),
        ("print-players", f"{console}/print/players"),
        ("print-emergency", f"{console}/print/emergency"),
    ):
        yield camera.take(f"day-{name}", path, DESK)


def finished(camera: Camera, hub: Hub, event: str) -> Iterator[StillPage]:
    """It is over, on a phone too."""
    yield camera.take("day-me-finished", hub.access.links.path(event, "p6"), PHONE)
