"""What the wall's browser is told to show, whatever becomes of hub, page and address."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from roundtap_systemd.notify import Heartbeat, Notify
from roundtap_units.link.find_hub import FoundHub
from roundtap_units.wall.connectors import connected
from roundtap_units.wall.hub_watch import ANOTHER_AFTER_S, HERE, MISSES, HubWatch
from roundtap_units.wall.main import Memory, Wall, configured_place
from roundtap_units.wall.own_address import local_ipv4
from roundtap_units.wall.waiting_page import as_address, waiting_page
from roundtap_units.wall.wall_course import (
    ANSWERS_WITHIN_MS,
    ASK_EVERY_MS,
    LOADS_AGAIN_MS,
    LOADS_WITHIN_MS,
    Ask,
    Course,
    Load,
    StartAnew,
    Wait,
    place_of_url,
    wall_url,
)

HUB, OTHER = ("10.42.0.1", 80), ("192.168.1.20", 8080)
WALL, OTHER_WALL = "http://10.42.0.1/wall", "http://192.168.1.20:8080/wall"
OWN = "data:text/html;base64,PGh0bWw+"


def shown(at_ms: int = 0) -> Course:
    """A course whose browser shows the hub's wall."""
    course = Course(at_ms)
    course.hub_is(HUB)
    assert course.step(at_ms) == Load(WALL)
    course.navigated(WALL, False, at_ms)
    return course


def test_without_a_hub_the_machine_s_own_page_is_shown_once_and_the_wall_as_soon_as_there_is_one() -> None:
    course = Course(0)
    assert course.step(0) == Wait()
    course.navigated(OWN, False, 10)
    assert course.waits
    assert course.step(20) is None
    course.hub_is(HUB)
    assert course.step(1000) == Load(WALL)
    course.navigated(WALL, False, 1500)
    assert course.shown == HUB
    assert course.step(2000) is None


def test_a_wall_whose_hub_falls_silent_stays_and_connects_again_by_itself() -> None:
    course = shown()
    course.hub_is(None)
    for at_ms in range(0, 5 * ASK_EVERY_MS, 1000):
        course.answered(at_ms)
        assert course.step(at_ms) in (None, Ask())


def test_the_browser_s_own_page_of_errors_does_not_stay() -> None:
    course = shown()
    course.hub_is(None)
    # The page looked again while there was no hub.
    course.navigated(WALL, True, 1000)
    assert course.step(1000) == Wait()
    course.navigated(OWN, False, 1100)
    course.hub_is(HUB)
    assert course.step(LOADS_AGAIN_MS) == Load(WALL)


def test_a_page_that_fails_is_loaded_again_with_some_patience() -> None:
    course = shown()
    course.navigated(WALL, True, 1000)
    assert course.step(1000) in (None, Ask())
    assert course.step(LOADS_AGAIN_MS) == Load(WALL)
    # Under way: it is not begun again each second.
    assert course.step(LOADS_AGAIN_MS + LOADS_WITHIN_MS - 1) in (None, Ask())
    assert course.step(LOADS_AGAIN_MS + LOADS_WITHIN_MS) == Load(WALL)


def test_the_wall_goes_where_its_hub_has_gone() -> None:
    course = shown()
    course.hub_is(OTHER)
    assert course.step(LOADS_AGAIN_MS) == Load(OTHER_WALL)
    course.navigated(f"{OTHER_WALL}/e1?theme=dark", False, LOADS_AGAIN_MS + 500)
    assert course.shown == OTHER
    assert course.step(LOADS_AGAIN_MS + 600) is None


def test_a_page_that_left_the_wall_is_brought_back() -> None:
    course = shown()
    course.navigated("http://10.42.0.1/e/e1", False, 4000)
    assert course.step(4000) == Load(WALL)


def test_a_page_that_died_is_loaded_anew_and_a_browser_that_does_not_answer_is_started_anew() -> None:
    course = shown()
    course.crashed()
    assert course.step(LOADS_AGAIN_MS) == Load(WALL)
    course = shown()
    assert course.step(ASK_EVERY_MS) == Ask()
    assert course.step(ANSWERS_WITHIN_MS + 1) == Load(WALL)
    assert course.step(2 * ANSWERS_WITHIN_MS + 2) == StartAnew()


@pytest.mark.parametrize(("url", "place"), [
    (WALL, HUB), (OTHER_WALL, OTHER), ("http://10.42.0.1/wall/e1?theme=dark", HUB), ("http://[fd00::1]/wall",
                                                                                   ("fd00::1", 80)),
    ("http://10.42.0.1/wallpaper", None), ("https://10.42.0.1/wall", None), ("about:blank", None), ("http://:x/wall",
                                                                                                    None)])
def test_which_addresses_are_a_wall(url: str, place: tuple[str, int] | None) -> None:
    assert place_of_url(url) == place
    assert place is None or place_of_url(wall_url(place)) == place


@pytest.mark.parametrize(("said", "place"), [
    ("http://192.168.1.20:8080", OTHER), ("http://10.42.0.1/wall", HUB), ("10.42.0.1", HUB), ("http://10.42.0.1/", HUB),
    ("ftp://x", None), ("http://", None)])
def test_a_hub_that_somebody_names(said: str, place: tuple[str, int] | None) -> None:
    assert configured_place(said) == place


class Hall:
    """Hubs by place, and what was asked."""

    def __init__(self) -> None:
        self.hubs: dict[tuple[str, int], str] = {}
        self.s = 0.0
        self.tried: list[tuple[tuple[str, int], ...]] = []

    def ask(self, place: tuple[str, int]) -> FoundHub | None:
        return FoundHub(place, self.hubs[place], "1", "Hall") if place in self.hubs else None

    def find(self, first: object) -> FoundHub | None:
        self.tried.append(tuple(first))  # type: ignore[call-overload]
        found = (self.ask(place) for place in (*self.tried[-1], *self.hubs))
        return next((hub for hub in found if hub is not None), None)

    def watch(self, *configured: tuple[str, int], known: str = "") -> HubWatch:
        return HubWatch(configured, known, self.find, self.ask, lambda: self.s)


def test_a_hub_on_this_machine_is_looked_for_after_the_one_that_was_named() -> None:
    hall = Hall()
    hall.watch(OTHER).look()
    assert hall.tried == [(OTHER, *HERE)]


def test_a_hub_that_restarts_is_given_time_and_is_then_found_at_its_new_address() -> None:
    hall = Hall()
    hall.hubs[HUB] = "ours"
    watch = hall.watch()
    watch.look()
    del hall.hubs[HUB]
    for _ in range(MISSES - 1):
        watch.look()
        assert watch.hub is not None
    hall.hubs[OTHER] = "ours"
    watch.look()
    assert watch.hub is not None
    assert watch.hub.place == OTHER


def test_another_hub_is_taken_only_after_a_while_and_never_in_place_of_one_that_was_named() -> None:
    hall = Hall()
    hall.hubs[OTHER] = "another"
    found_by_itself, told = hall.watch(known="ours"), hall.watch(HUB, known="ours")
    for watch in (found_by_itself, told):
        watch.look()
        assert watch.hub is None
    hall.s = ANOTHER_AFTER_S
    found_by_itself.look()
    told.look()
    assert found_by_itself.hub is not None
    assert told.hub is None


def test_a_page_that_went_to_the_standby_by_itself_is_believed() -> None:
    hall = Hall()
    hall.hubs[HUB] = "ours"
    watch = hall.watch()
    watch.look()
    hall.hubs = {OTHER: "ours"}
    watch.shown(OTHER)
    for _ in range(MISSES):
        watch.look()
    assert hall.tried[-1][0] == OTHER


def test_who_a_wall_is_outlives_restarts_and_spoilt_files(tmp_path: Path) -> None:
    path = tmp_path / "wall.json"
    Memory(path).keep("abcdefghijklmnop.C", "ours")
    assert (Memory(path).display, Memory(path).hub) == ("abcdefghijklmnop.C", "ours")
    for spoilt in (b"", b"[]", b"\xff\xfe", b'{"display": 1}'):
        path.write_bytes(spoilt)
        assert Memory(path).display == ""


class Screen:
    """A browser that goes wherever it is told to, and says so."""

    attached = True

    def __init__(self, cookies: Mapping[str, str] | None = None) -> None:
        self.opened: list[str] = []
        self.given: list[Mapping[str, Any]] = []
        self._cookies = cookies or {}
        self._news: list[dict[str, Any]] = []

    def send(self, method: str, values: Mapping[str, Any], of_page: bool = True) -> int:
        if method == "Page.navigate":
            self.opened.append(str(values["url"]))
            self._news = [{"method": "Page.frameNavigated", "params": {"frame": {"url": values["url"]}}}]
        elif method == "Network.getCookies":
            found = [{"name": name, "value": value} for name, value in self._cookies.items()]
            self._news.append({"asked": method, "result": {"cookies": found}})
        elif method == "Network.setCookie":
            self.given.append(values)
        else:
            self._news.append({"asked": method, "result": {}})
        return 1

    def read(self, patience_s: float) -> list[dict[str, Any]]:
        news, self._news = self._news, []
        return news

    def end(self) -> None:
        self.opened.append("ended")


def test_the_machine_s_own_page_is_opened_again_only_when_it_has_something_else_to_say(
        tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    addresses = ["", "", "", *["192.168.1.33"] * 4]
    pages = [as_address(waiting_page("en", address, "")) for address in ("", "192.168.1.33")]
    monkeypatch.setattr("roundtap_units.wall.main.own_address", lambda: addresses[0])
    screen, turns = Screen(), iter(range(len(addresses)))

    def told_to_stop() -> bool:
        turn = next(turns, None)
        if turn:
            del addresses[0]
        return turn is None

    wall = Wall(Memory(tmp_path / "wall.json"), Hall().watch(), "en", "", Heartbeat(Notify({})), told_to_stop)
    wall._show(screen)  # type: ignore[arg-type]
    assert screen.opened == [*pages, "ended"]


def test_a_wall_asks_its_browser_who_it_is_to_the_hub_and_is_that_again_after_a_restart(
        tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def shown(screen: Screen, seconds: int) -> None:
        turns, hall = iter(range(seconds)), Hall()
        hall.hubs[HUB] = "ours"
        watch = hall.watch(HUB)
        watch.look()
        wall = Wall(Memory(path), watch, "en", "", Heartbeat(Notify({})), lambda: next(turns, None) is None)
        wall._show(screen)  # type: ignore[arg-type]

    path, at_ms = tmp_path / "wall.json", itertools.count(0, ASK_EVERY_MS)
    monkeypatch.setattr("roundtap_units.wall.main.now_ms", lambda: next(at_ms))
    first = Screen({"another": "no", "roundtap_display": "abcdefghijklmnop.C"})
    shown(first, 10)
    assert (first.opened[0], first.given) == (WALL, [])
    assert (Memory(path).display, Memory(path).hub) == ("abcdefghijklmnop.C", "ours")
    again = Screen()
    shown(again, 10)
    assert [(each["url"], each["name"], each["value"]) for each in again.given][:1] == [
        (WALL, "roundtap_display", "abcdefghijklmnop.C")]


def test_screens_are_read_from_the_kernel(tmp_path: Path) -> None:
    assert connected(tmp_path / "none") == ()
    for name, status in (("card1-HDMI-A-1", "disconnected"), ("card1-HDMI-A-2", "connected"),
                         ("card1-Writeback-1", "connected")):
        (tmp_path / name).mkdir()
        (tmp_path / name / "status").write_text(f"{status}\n")
    (tmp_path / "card1").mkdir()
    assert connected(tmp_path) == ("HDMI-A-2",)
    (tmp_path / "card1-HDMI-A-2/status").write_text("disconnected\n")
    assert connected(tmp_path) == ()


def test_an_address_without_a_way_out_is_one_too(tmp_path: Path) -> None:
    trie = tmp_path / "fib_trie"
    assert local_ipv4(trie) == []
    trie.write_text("".join(f"           |-- {each}\n              /32 host LOCAL\n"
                            for each in ("127.0.0.1", "169.254.7.7", "169.254.7.7")))
    assert local_ipv4(trie) == ["169.254.7.7"]


def test_the_machine_s_own_page_says_what_is_missing_in_its_language_or_in_all() -> None:
    assert "This screen is on no network" in waiting_page("en", "", "")
    assert "192.168.1.33" in waiting_page("de", "192.168.1.33", "")
    assert "Unter http://10.0.0.1 antwortet niemand" in waiting_page("de", "192.168.1.33", "http://10.0.0.1")
    of_all = waiting_page("", "192.168.1.33", "<b>")
    for text in ("Looking for the hub", "Buscando el hub", "Suche den Hub", "Szukam huba", "&lt;b&gt;"):
        assert text in of_all
    assert "<script" not in of_all
