"""The wall's machine: which hub it takes, its screen, address and waiting page, and a browser that is kept running."""

from __future__ import annotations

import argparse
import subprocess
from collections.abc import Callable, Mapping, Sequence
from ipaddress import ip_address
from pathlib import Path

import pytest

from roundtap_core.command_arguments import add_arguments
from roundtap_core.messages import WallPin
from roundtap_core.wire import ECHO, envelope
from roundtap_machine.addresses import own_address
from roundtap_machine.notify import StopSignal, SystemdNotifier
from roundtap_units.link.hub_choice import FoundHub
from roundtap_units.wall import proxy
from roundtap_units.wall.main import (
    ARGUMENTS,
    ASKS_WITHIN_S,
    LIVED_S,
    STARTS_WITHIN_S,
    WallBrowser,
    connected_screens,
    end_browser,
    missing_for_browser,
    run,
)
from roundtap_units.wall.proxy import HERE, MISSES, HubWatch, OwnHub, WallMemory, WallProxy, waiting_page

HUB, OTHER = ("10.42.0.1", 80), ("192.168.1.20", 8080)

UNCONFIRMED = {"roundtap": "hub", "hub": "ours", "epoch": "1", "name": "Hall", "secure": 8443}


def signed(key: bytes, **fields: str) -> Mapping[str, object]:
    return envelope(key, ECHO, {**UNCONFIRMED, **fields})


LONG = 10 * STARTS_WITHIN_S


@pytest.mark.parametrize("said", ["https://10.42.0.1", "ftp://x", "http://", "http://:x/wall"])
def test_a_hub_at_no_address_of_a_hub_is_refused(said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    parser = argparse.ArgumentParser()
    add_arguments(parser, ARGUMENTS)
    assert run(parser.parse_args(["--hub", said, "--folder", str(tmp_path)])) == 2
    assert said in capsys.readouterr().err


class Hall:
    """Hubs by place, and what was asked."""

    def __init__(self) -> None:
        self.hubs: dict[tuple[str, int], str] = {}
        self.tried: list[tuple[tuple[str, int], ...]] = []

    def ask(self, place: tuple[str, int]) -> FoundHub | None:
        return FoundHub(place, self.hubs[place], "1", "Hall") if place in self.hubs else None

    def find(self, first: Sequence[tuple[str, int]], ask: Callable[[tuple[str, int]], FoundHub | None]) -> object:
        self.tried.append(tuple(first))
        found = (ask(place) for place in (*self.tried[-1], *self.hubs))
        return next((hub for hub in found if hub is not None), None)

    def watch(self, *configured: tuple[str, int]) -> HubWatch:
        return HubWatch(configured, self.ask, self.find)


def test_a_hub_on_this_machine_is_looked_for_after_the_one_that_was_named() -> None:
    hall = Hall()
    hall.watch(OTHER).poll()
    assert hall.tried == [(OTHER, *HERE)]


def test_a_hub_that_restarts_is_given_time_and_is_then_found_at_its_new_address() -> None:
    hall = Hall()
    hall.hubs[HUB] = "ours"
    watch = hall.watch()
    watch.poll()
    del hall.hubs[HUB]
    for _ in range(MISSES - 1):
        watch.poll()
        assert watch.hub is not None
    hall.hubs[OTHER] = "ours"
    watch.poll()
    assert watch.hub.place == OTHER


def test_a_wall_that_knows_a_hub_without_a_certificate_takes_no_other_unless_it_was_named(tmp_path: Path) -> None:
    hall = Hall()
    hall.hubs = {HUB: "ours", OTHER: "another"}
    memory = WallMemory(tmp_path / "wall.json")
    memory.keep(hub="ours")
    assert OwnHub(memory, probe=hall.ask).ask(HUB) == hall.ask(HUB)
    assert OwnHub(memory, probe=hall.ask).ask(OTHER) is None
    assert OwnHub(memory, [OTHER], probe=hall.ask).ask(OTHER) == hall.ask(OTHER)


def test_a_hub_is_looked_for_where_it_was_and_then_where_its_standbys_are() -> None:
    hall = Hall()
    hall.hubs[HUB] = "ours"
    watch = hall.watch()
    watch.poll()
    watch.standbys = (OTHER,)
    hall.hubs = {OTHER: "ours"}
    for _ in range(MISSES):
        watch.poll()
    assert hall.tried[-1] == (HUB, OTHER, *HERE)
    assert watch.hub.place == OTHER


def test_who_a_wall_is_outlives_restarts_and_spoilt_files(tmp_path: Path) -> None:
    path = tmp_path / "wall.json"
    WallMemory(path).keep(display="abcdefghijklmnop.C", hub="ours", seals=("1",))
    assert WallMemory(path).pin == WallPin(display="abcdefghijklmnop.C", hub="ours", seals=("1",))
    for spoilt in (b"", b"[]", b"\xff\xfe", b'{"display": 1}', b'{"display": "a\\r\\nb", "hub": "ours"}'):
        path.write_bytes(spoilt)
        assert WallMemory(path).pin == WallPin()


def test_a_wall_that_is_told_another_hub_is_set_up_anew(tmp_path: Path) -> None:
    path = tmp_path / "wall.json"
    WallMemory(path, "http://10.0.0.1").keep(display="abcdefghijklmnop.C", hub="ours", wall="w", key=64 * "0")
    assert WallMemory(path, "http://10.0.0.1").pin.key
    for other in ("http://10.0.0.2", ""):
        assert WallMemory(path, other).pin == WallPin(display="abcdefghijklmnop.C", told=other)


def test_a_machine_that_gives_no_key_is_not_believed_and_costs_the_wall_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(proxy, "send_request", lambda *_: (404, {"error": "no such address"}))
    memory = WallMemory(tmp_path / "wall.json")
    memory.keep(display="abcdefghijklmnop.C")
    claims = FoundHub(HUB, "ours", "1", "Hall", secure=8443)
    assert OwnHub(memory, probe=lambda _: claims).ask(HUB) is None
    assert memory.pin == WallPin(display="abcdefghijklmnop.C")


@pytest.mark.parametrize(
    ("answer", "hub", "trouble"),
    [
        (lambda key, nonce: (409, signed(key, unconfirmed=nonce)), "ours", "wall.confirm"),
        (lambda key, nonce: (409, signed(key, unconfirmed="an older one")), "ours", ""),
        (lambda key, nonce: (200, signed(key, nonce=nonce)), "ours", ""),
        (lambda key, nonce: (400, {"error": "a wrong signature"}), "ours", "wall.unknown"),
        (lambda key, nonce: (409, {"error": "to be confirmed on the console"}), "ours", "wall.confirm"),
        (lambda key, nonce: (409, {"error": "to be confirmed on the console"}), "a neighbor's", ""),
    ],
)
def test_a_wall_says_what_its_hub_waits_for_and_believes_nothing_else_of_it(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    answer: Callable[[bytes, str], tuple[int, object]],
    hub: str,
    trouble: str,
) -> None:
    """An older hub signs no 409, and anybody in the hall can answer it: so it leads to the console and no further."""
    monkeypatch.setattr(
        proxy,
        "request_json",
        lambda place, path, message: answer(bytes.fromhex(64 * "0"), message["payload"]["nonce"]),
    )
    memory = WallMemory(tmp_path / "wall.json")
    memory.keep(hub="ours", wall="w", key=64 * "0", seals=("1",))
    own = OwnHub(memory, probe=lambda place: FoundHub(place, hub, "1", "Hall", secure=8443))
    assert own.ask(HUB) is None
    assert own.trouble == trouble
    assert memory.pin.seals == ("1",)


def test_screens_are_read_from_the_kernel(tmp_path: Path) -> None:
    assert connected_screens(tmp_path / "none") == ()
    for name, status in (
        ("card1-HDMI-A-1", "disconnected"),
        ("card1-HDMI-A-2", "connected"),
        ("card1-Writeback-1", "connected"),
    ):
        (tmp_path / name).mkdir()
        (tmp_path / name / "status").write_text(f"{status}\n")
    (tmp_path / "card1").mkdir()
    assert connected_screens(tmp_path) == ("HDMI-A-2",)
    (tmp_path / "card1-HDMI-A-2/status").write_text("disconnected\n")
    assert connected_screens(tmp_path) == ()


def test_an_address_without_a_way_out_is_one_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("roundtap_machine.addresses.PROBE_ADDRESS", ("255.255.255.255", 9))
    here = [ip_address(each) for each in ("127.0.0.1", "fe80::1", "169.254.7.7", "169.254.7.8")]
    assert own_address(lambda: here) == "169.254.7.7"
    assert own_address(lambda: here[:2]) == ""


def test_the_machine_s_own_page_says_what_is_missing_in_its_language_or_in_all() -> None:
    assert "This screen has no network" in waiting_page("en", "", "")
    assert "192.168.1.33" in waiting_page("de", "192.168.1.33", "")
    assert "Keine Antwort unter http://10.0.0.1" in waiting_page("de", "192.168.1.33", "http://10.0.0.1")
    of_all = waiting_page("", "192.168.1.33", "<b>")
    assert "Confirm this wall on its console" in waiting_page("en", "192.168.1.33", "", "wall.confirm")
    for text in ("Looking for the hub", "Buscando el hub", "Suche den Hub", "Szukam huba", "&lt;b&gt;"):
        assert text in of_all
    assert "<script" not in of_all


class Evening(StopSignal):
    """A clock that goes on only while somebody waits, and somebody who stops the wall after so many seconds."""

    def __init__(self, ends_s: float) -> None:
        self.s, self._ends_s = 0.0, ends_s

    def is_set(self) -> bool:
        return self.s >= self._ends_s

    def wait(self, timeout_s: float) -> None:
        self.s += timeout_s


class Browsers:
    """In Chromium's place: each lives for so long, and its page asks for something for so long."""

    def __init__(self, evening: Evening, proxy: WallProxy, lives_s: float, asks_s: float) -> None:
        self.begun_s: list[float] = []
        self.words: Sequence[str] = ()
        self.ended = 0
        self._evening, self._proxy, self._lives_s, self._asks_s = evening, proxy, lives_s, asks_s

    def __call__(self, words: Sequence[str], **_: object) -> Browsers:
        self.begun_s.append(self._evening.s)
        self.words = words
        return self

    def poll(self) -> int | None:
        age_s = self._evening.s - self.begun_s[-1]
        if age_s < self._asks_s:
            self._proxy.last_request_s = self._evening.s
        return 0 if age_s >= self._lives_s else None

    def end(self, _: object) -> None:
        self.ended += 1


class Told(SystemdNotifier):
    """What is said to systemd of this service, and when."""

    def __init__(self, evening: Evening) -> None:
        super().__init__({})
        self.said: list[tuple[float, str]] = []
        self._evening = evening

    def say(self, trouble: object) -> None:
        self.said.append((self._evening.s, str(trouble)))


def kept(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    evening: Evening,
    lives_s: float,
    asks_s: float,
    told: SystemdNotifier | None = None,
) -> Browsers:
    """The browsers of an evening."""
    with WallProxy(Hall().watch(), WallMemory(tmp_path / "wall.json"), str, lambda: evening.s) as proxy:
        browsers = Browsers(evening, proxy, lives_s, asks_s)
        monkeypatch.setattr("subprocess.Popen", browsers)
        monkeypatch.setattr("roundtap_units.wall.main.end_browser", browsers.end)
        monkeypatch.setattr("shutil.which", lambda name, path=None: f"/usr/bin/{name}")
        environment = {"RUNTIME_DIRECTORY": str(tmp_path), "WLR_BACKENDS": "headless"}
        WallBrowser(proxy, told or SystemdNotifier({}), evening, lambda: evening.s).run(False, environment)
        assert browsers.words[:4] == ["cage", "-d", "--", "/usr/bin/chromium"]
        assert "--kiosk" in browsers.words
        assert browsers.words[-1] == proxy.url
        assert browsers.ended == len(browsers.begun_s)
    return browsers


def test_a_browser_that_ends_at_once_is_started_again_later_and_later(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert kept(tmp_path, monkeypatch, Evening(200), 0, LONG).begun_s == [0, 4, 12, 28, 60, 120, 180]


def test_a_browser_that_ends_at_once_is_reported_until_one_has_lived(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The report was taken back at each start, so that the doctor's verdict came and went."""
    evening = Evening(200)
    told = Told(evening)
    kept(tmp_path, monkeypatch, evening, 0, LONG, told)
    assert len(told.said) == 7
    assert all("ends as soon as it is started" in trouble for _, trouble in told.said)
    told.said.clear()
    evening = told._evening = Evening(300)
    kept(tmp_path, monkeypatch, evening, LONG, LONG, told)
    assert told.said == [(LIVED_S + 1, "")], "once, when it has lived"


def test_one_that_has_lived_is_started_again_soon(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert kept(tmp_path, monkeypatch, Evening(250), 100, LONG).begun_s == [0, 102, 204]


def test_one_whose_page_asks_for_nothing_is_started_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first, second = kept(tmp_path, monkeypatch, Evening(STARTS_WITHIN_S + 60), LONG, 0).begun_s
    assert STARTS_WITHIN_S < second - first <= STARTS_WITHIN_S + 5
    # It crashed soon after it had begun.
    first, second = kept(tmp_path, monkeypatch, Evening(60), LONG, 10).begun_s
    assert 10 + ASKS_WITHIN_S - 1 <= second - first <= 10 + ASKS_WITHIN_S + 5


def test_one_whose_page_lives_is_left_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert kept(tmp_path, monkeypatch, Evening(LONG), LONG, LONG).begun_s == [0]


def test_what_is_missing_is_said_once_and_waited_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    programs: set[str] = set()
    monkeypatch.setattr("shutil.which", lambda name, path=None: name if name in programs else None)
    monkeypatch.setattr("roundtap_units.wall.main.connected_screens", lambda: ())

    class Assembling(Evening):
        def wait(self, timeout_s: float) -> None:
            super().wait(timeout_s)
            if self.s == 30:
                programs.update(("cage", "chromium"))

    evening = Assembling(60)
    with WallProxy(Hall().watch(), WallMemory(tmp_path / "wall.json"), str, lambda: evening.s) as proxy:
        WallBrowser(proxy, SystemdNotifier({}), evening, lambda: evening.s).run(
            False, {"RUNTIME_DIRECTORY": str(tmp_path)}
        )
    no_programs, no_screen = caplog.messages
    # A hub need not have them, a wall must: `roundtap_machine.services`.
    assert no_programs.startswith("waiting: ")
    assert "no cage and no chromium" in no_programs
    assert "no screen is connected" in no_screen
    assert missing_for_browser(True, {}) == ""
    monkeypatch.setattr("roundtap_units.wall.main.NEW_PIN", tmp_path / "new-pin")
    (tmp_path / "new-pin").touch()
    assert missing_for_browser(True, {}).startswith("waiting: the new hub's PIN")


def test_with_the_browser_ends_all_that_it_started() -> None:
    with subprocess.Popen(
        ["sh", "-c", "sleep 600 & echo $!; wait"], stdout=subprocess.PIPE, start_new_session=True
    ) as browser:
        assert browser.stdout.readline()
        end_browser(browser)
        # Nobody holds its pipe any more.
        assert browser.stdout.read() == b""
