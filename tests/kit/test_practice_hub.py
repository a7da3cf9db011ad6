"""Practice beside a running event, as real processes: over HTTPS, in the organizer's own browser and nobody else's."""

import asyncio
import base64
import http.client
import json
import os
import re
import signal
import ssl
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import Any

import pytest
from PIL import Image

from kit import WAIT_S, Kit, Table, wait_until
from roundtap.demo.bench import ORDERS
from roundtap.demo.demo import NICENESS, OOM_SCORE, make_event
from roundtap.demo.practice import IDLE_S, PracticeFront
from roundtap_core.event.entries import VENUE
from roundtap_hub.app.practice_hub import PORT_ABOVE
from roundtap_hub.http.requester import SECURE_SESSION
from roundtap_units.table.screens.scenes import TextScene
from roundtap_units.table.screens.screens import draw_scene
from roundtap_units.unit_config import unit_words
from test_https import KIT, Browser

ORDER = {"Content-Type": "application/json"}


class PracticeRun:
    """A hub with an event in play, its organizer, and the practice hub that they started. `game`: the fields of a
    store's own game that is tried."""

    def __init__(
        self, folder: Path, running: Kit | None = None, game: Mapping[str, str] = MappingProxyType({})
    ) -> None:
        self.game = game
        self.kit = running or KIT(folder)
        if running is None:
            self.kit.start_hub()
        self.organizer = Browser(self.kit)
        assert self.organizer.log_in() == 303
        self.before = self.kit.entries()
        self.start()
        self.there = self.browser(self.organizer.cookies)
        self.paths: dict[str, str] = json.loads(self.there.ask("GET", "/practice/info")[2])["paths"]

    def start(self) -> None:
        form, path = {"csrf": self.organizer.token("/console"), **self.game}, "games/try" if self.game else "practice"
        assert self.organizer.ask("POST", f"/console/{path}", form)[0] == 303
        self.address = wait_until(self._address, "the practice hub", every_s=0.2)

    def _address(self) -> str:
        page = self.organizer.ask("GET", "/console/practice")[2]
        found = re.search(r'class="button main" href="([^"]+/practice/)"', page)
        return found[1] if found else ""

    def browser(self, cookies: dict[str, str]) -> Browser:
        """A browser at the practice hub; it trusts the real hub's certificate, which that shows."""
        made = Browser(self.kit)
        made.port += PORT_ABOVE
        made.cookies = dict(cookies)
        return made

    first_pictures: list[dict[str, Any]]

    def lend(self, unit: str, **fields: str) -> None:
        """Send the hub's table unit to practise; with `back`, call it back."""
        form = {"csrf": self.organizer.token("/console/practice"), "unit": unit, **fields}
        assert self.organizer.ask("POST", "/console/practice/units", form)[0] == 303

    def wait_for_free_unit(self) -> None:
        wait_until(lambda: "Use in practice" in self.organizer.ask("GET", "/console/practice")[2], "a free unit")

    def steps_done(self) -> int:
        """How many steps the guide has ticked."""
        return int(self.pictures(lambda found: found and "guide" in found[-1])[-1]["guide"]["now"])

    def pictures(self, ends: Callable[[list[dict[str, Any]]], object]) -> list[dict[str, Any]]:
        """What the event stream says first."""
        with closing(
            http.client.HTTPSConnection("localhost", self.there.port, context=self.there.context, timeout=WAIT_S)
        ) as line:
            line.request(
                "GET",
                "/practice/pictures",
                headers={"Cookie": "; ".join(f"{name}={value}" for name, value in self.there.cookies.items())},
            )
            answer, found = line.getresponse(), []
            while not ends(found):
                said = answer.readline()
                if said.startswith(b"data: "):
                    found.append(json.loads(said[6:]))
            return found


def tables_showing(found: list[dict[str, Any]], begins: str = "") -> dict[int, dict[str, Any]]:
    """The last picture of each table whose text begins so."""
    return {
        each["table"]: each["picture"]
        for each in found
        if each.get("picture") and each["picture"]["text"].startswith(begins)
    }


@pytest.fixture(scope="module")
def practising(tmp_path_factory: pytest.TempPathFactory) -> Iterator[PracticeRun]:
    made = PracticeRun(tmp_path_factory.mktemp("practice"))
    made.first_pictures = made.pictures(lambda found: len(tables_showing(found, "Table ")) == 2)
    yield made
    made.kit.stop()


def corner(screen: Image.Image) -> bytes:
    """The part of a unit's screen where its badge is."""
    return screen.convert("1").crop((76, 0, 128, 12)).tobytes()


def post(browser: Browser, path: str, body: str, headers: dict[str, str]) -> int:
    with closing(
        http.client.HTTPSConnection("localhost", browser.port, context=browser.context, timeout=WAIT_S)
    ) as line:
        cookies = "; ".join(f"{name}={value}" for name, value in browser.cookies.items())
        line.request("POST", path, body, {"Cookie": cookies, **headers})
        return line.getresponse().status


def test_it_opens_in_the_browser_that_started_it_by_the_name_that_it_was_asked_by(practising: PracticeRun) -> None:
    assert practising.address == f"https://localhost:{practising.there.port}/practice/"
    status, headers, page = practising.there.ask("GET", "/practice/")
    assert (status, 'id="guide"' in page) == (200, True)
    assert "frame-src 'self';" in headers["Content-Security-Policy"]
    assert headers["Content-Security-Policy"].endswith("frame-ancestors 'none'")
    assert not [said for said in practising.there.said if said.startswith(SECURE_SESSION)], (
        "no session of its own: that would end the one at the hub"
    )


def test_every_screen_says_that_it_is_practice(practising: PracticeRun) -> None:
    for name, path in practising.paths.items():
        status, headers, page = practising.there.ask("GET", path)
        assert (status, "Practice: nothing here counts." in page) == (200, True), name
        assert headers["Content-Security-Policy"].endswith("frame-ancestors 'self'"), name
    badge = unit_words("en")("badge.practice")
    label = corner(draw_scene(TextScene(kind="idle", facing="edge", badge=badge, title="")))
    for picture in tables_showing(practising.first_pictures, "Table ").values():
        assert corner(Image.frombytes("1", (128, 64), base64.b64decode(picture["frame"]))) == label


def test_what_is_played_there_never_reaches_the_hub(practising: PracticeRun) -> None:
    there, event = practising.there, practising.paths["console"]
    token = there.token(event)
    assert there.ask("POST", f"{event}/publish", {"csrf": token, "number": "1", "attempt": "1"})[0] == 303
    assert post(there, "/practice/press", '{"table": 1, "pin": "a", "down": true}', ORDER) == 204
    assert post(there, "/practice/press", '{"table": 1, "pin": "a", "down": false}', ORDER) == 204
    assert practising.kit.entries() == practising.before
    assert practising.kit.event not in there.ask("GET", "/console")[2]
    # The form of one hub is worth nothing at the other, though both know the session.
    assert practising.organizer.ask("POST", "/console/practice/end", {"csrf": token})[0] == 403


def test_a_player_neither_sees_nor_presses_nor_logs_in(practising: PracticeRun) -> None:
    forged = {name: f"{value[:-4]}AAAA" for name, value in practising.organizer.cookies.items()}
    for cookies in ({}, forged):
        player = practising.browser(cookies)
        for path in ("/practice/", "/practice/bench", "/practice/info", "/practice/pictures"):
            status, _, text = player.ask("GET", path)
            assert (status, "/me/" in text) == (403, False), path
        for path in ORDERS:
            assert post(player, f"/practice{path}", '{"table": 1, "pin": "a", "down": true}', ORDER) == 403, path
        assert player.ask("GET", practising.paths["console"])[1]["Location"].startswith("/login")
        assert player.ask("GET", "/login")[1]["Location"] == "/practice/", "nobody logs in here"
        real = Browser(practising.kit)
        real.cookies = dict(cookies)
        for path in ("/console/practice", "/console/practice/end"):
            assert real.ask("POST", path)[1]["Location"] == "/login?next=/console", path


def test_a_logout_there_leaves_the_hub_s_session_alone(practising: PracticeRun) -> None:
    for method, path in (("GET", "/login"), ("POST", "/login"), ("POST", "/logout")):
        status, headers, _ = practising.there.ask(method, path)
        assert (status, headers["Location"], headers["Set-Cookie"]) == (303, "/practice/", None)
    assert "/logout" not in practising.there.ask("GET", practising.paths["console"])[2]


def test_whoever_logs_out_of_the_hub_is_out_of_practice_too(practising: PracticeRun) -> None:
    other = Browser(practising.kit)
    assert other.log_in() == 303
    assert other.ask("GET", "/console/practice")[0] == 200
    there = practising.browser(other.cookies)
    wait_until(lambda: there.ask("GET", "/practice/")[0] == 200, "to be let in")
    assert other.ask("POST", "/logout", {"csrf": other.token("/console")})[0] == 303
    wait_until(lambda: there.ask("GET", "/practice/")[0] == 403, "to be put out")
    assert practising.there.ask("GET", "/practice/")[0] == 200


def test_the_plain_port_beside_shows_a_player_no_more(practising: PracticeRun) -> None:
    with closing(http.client.HTTPConnection("127.0.0.1", practising.kit.port + PORT_ABOVE, timeout=WAIT_S)) as line:
        cookies = "; ".join(f"{name}={value}" for name, value in practising.organizer.cookies.items())
        for path in ("/practice/", "/practice/info"):
            line.request("GET", path, headers={"Cookie": cookies, "Host": "10.42.0.1"})
            answer = line.getresponse()
            assert (answer.status, answer.read()[:3]) == (403, b"Onl"), "a session is not taken in the clear"


def test_another_site_presses_nothing_with_the_organizer_s_cookie(practising: PracticeRun) -> None:
    for path in ORDERS:
        assert (
            post(
                practising.there,
                f"/practice{path}",
                '{"table": 1, "pin": "a", "down": true}',
                {"Content-Type": "text/plain"},
            )
            == 400
        ), path


def test_nobody_frames_the_real_hub_meanwhile(practising: PracticeRun) -> None:
    for path in ("/console", "/", f"/e/{practising.kit.event}", "/login"):
        policy = practising.organizer.ask("GET", path)[1]["Content-Security-Policy"]
        assert policy.endswith("frame-ancestors 'none'"), path


def test_it_waits_behind_the_event_for_the_processor(practising: PracticeRun) -> None:
    own = practice_processes(practising.kit)
    assert len(own) == 4, "the practice hub, two tables and the print station"
    assert {os.getpriority(os.PRIO_PROCESS, int(each.name)) for each in own} == {min(19, os.nice(0) + NICENESS)}
    assert {int((each / "oom_score_adj").read_text()) for each in own} == {OOM_SCORE}


def practice_processes(kit: Kit) -> list[Path]:
    return [
        each
        for each in Path("/proc").iterdir()
        if each.name.isdigit() and str(kit.hub_folder / "practice") in _command(each)
    ]


def _command(process: Path) -> str:
    try:
        return (process / "cmdline").read_text()
    except OSError:
        return ""


def test_it_ends_with_the_hub_however_that_ends(tmp_path: Path) -> None:
    practising = PracticeRun(tmp_path)
    try:
        with closing(
            http.client.HTTPSConnection(
                "localhost", practising.there.port, context=practising.there.context, timeout=WAIT_S
            )
        ) as page:
            page.request(
                "GET",
                "/practice/pictures",
                headers={"Cookie": "; ".join(f"{name}={value}" for name, value in practising.there.cookies.items())},
            )
            assert page.getresponse().status == 200
            practising.kit.stop_hub(signal.SIGKILL)
            wait_until(lambda: not practice_processes(practising.kit), "its end")
    finally:
        practising.kit.stop()


@pytest.mark.parametrize("rounds", ["swiss", "everybody"])
def test_a_game_of_the_store_is_played_there_by_its_own_rules(tmp_path: Path, rounds: str) -> None:
    """Guided, but where everybody meets everybody and there is no final."""
    game = {"/match/report": "winner", "/points/win": "7", "/pairing/rounds": rounds, "/list/asked": "required"}
    practising = PracticeRun(tmp_path, game=game)
    try:
        there, event = practising.there, practising.paths["console"].rpartition("/")[2]
        assert "A win gives 7" in there.ask("GET", f"/rules/{event}")[2]
        publish = {"csrf": there.token(f"/console/{event}"), "number": "1", "attempt": "1"}
        assert there.ask("POST", f"/console/{event}/publish", publish)[0] == 303
        guided = rounds == "swiss"
        found = practising.pictures(
            lambda said: len(tables_showing(said)) == 2 and (not guided or said[-1].get("guide"))
        )
        assert any(each.get("guide") for each in found) == guided
    finally:
        practising.kit.stop()


def restarted(kit: Kit) -> Table:
    """The front of table 1's unit, once its process has started again."""
    before = kit.tables[1]
    wait_until(lambda: not before._reader.is_alive(), "the unit's restart")
    kit.tables[1] = Table(kit.folder / "panel-1")
    return kit.tables[1]


def test_a_real_table_without_a_match_plays_along_until_its_match_is_published(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("kit.make_event", partial(make_event, published=False))
    kit = KIT(tmp_path)
    kit.start_hub()
    try:
        kit.start_table().wait_for("Friday night")
        practising = PracticeRun(tmp_path, kit)
        there, event = practising.there, practising.paths["console"]
        before = [kit.entries(stream) for stream in (kit.event, VENUE)]
        practising.wait_for_free_unit()
        practising.lend("table-1")
        restarted(kit).wait_for("| Practice")
        # A power cut makes it itself again, and the hub notices.
        kit.stop_table(1, signal.SIGKILL)
        kit.start_table().wait_for("Friday night")
        practising.wait_for_free_unit()
        practising.lend("table-1")
        table = restarted(kit)
        table.wait_for("| Practice")
        publish = {"csrf": there.token(event), "number": "1", "attempt": "1"}
        assert there.ask("POST", f"{event}/publish", publish)[0] == 303
        table.wait_for("press")
        wait_until(lambda: practising.steps_done() == 1, "the published round")
        table.tap("a", "b")
        wait_until(lambda: practising.steps_done() == 2, "the step of the seats")
        assert [kit.entries(stream) for stream in (kit.event, VENUE)] == before
        event = f"/console/{kit.event}"
        publish["csrf"] = practising.organizer.token(event)
        assert practising.organizer.ask("POST", f"{event}/publish", publish)[0] == 303
        restarted(kit).wait_for("press")
        assert [entry.kind for entry in kit.entries()[len(practising.before) :]] == ["round-published"]
        assert not (tmp_path / "unit-1" / "practice").exists()
        # The virtual unit is at its table again.
        practising.pictures(lambda found: 1 in tables_showing(found))
    finally:
        kit.stop()


def test_one_that_nobody_uses_ends_after_two_hours() -> None:
    now_s = [1000.0]
    front = PracticeFront.__new__(PracticeFront)
    front._used_s, front._now_s = 1000.0, lambda: now_s[0]
    front._is_organizer = lambda scope: scope["client"] == "organizer"  # type: ignore[method-assign]

    async def answers(*_: object) -> None:
        pass

    front._application = front._bench = answers  # type: ignore[assignment]

    def asked(method: str, path: str, client: str = "organizer") -> float:
        now_s[0] += 600
        asyncio.run(front({"type": "http", "method": method, "path": path, "client": client}, answers, answers))
        return front.left_s()

    assert asked("POST", "/practice/press") == IDLE_S == 7200.0
    assert asked("GET", "/console/e1") == 6600.0, "an open page asks by itself"
    assert asked("POST", "/e/e1/p/p1", "player") == 6000.0
    assert asked("GET", "/practice/", "player") == 5400.0
    assert asked("GET", "/practice/") == 7200.0
    now_s[0] += 7201
    assert front.left_s() < 0


def test_it_does_not_offer_to_set_the_machine_s_clock(practising: PracticeRun) -> None:
    assert [
        ('id="hall-time"' in browser.ask("GET", "/console")[2]) for browser in (practising.organizer, practising.there)
    ] == [True, False]


def test_it_shows_the_certificate_of_its_hub(practising: PracticeRun) -> None:
    shown = {
        ssl.get_server_certificate(("localhost", port)) for port in (practising.organizer.port, practising.there.port)
    }
    assert len(shown) == 1
