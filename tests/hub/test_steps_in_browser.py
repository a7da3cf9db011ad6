"""The console's next step in a real browser: double and late clicks do nothing twice and nothing early, and the button
that goes on is on the screen after every step."""

from __future__ import annotations

import shutil
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
import uvicorn
from pages_kit import PIN, House, open_house
from selenium import webdriver
from selenium.common.exceptions import JavascriptException, WebDriverException
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

from roundtap_core.event.commands import Command, DrawRound, DropCompetitor, PublishRound, SetClock
from roundtap_hub.asgi import HubApplication
from roundtap_hub.journal.clocks import Clocks
from roundtap_hub.pages.base import SETTLE_MS

CHROMEDRIVER = shutil.which("chromedriver")

pytestmark = pytest.mark.skipif(CHROMEDRIVER is None, reason="no chromedriver (apt install chromium chromium-driver)")

FLAGS = ("--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking",
         "--disable-component-update", "--disable-sync", "--lang=pl")
DESKTOP, PHONE = (1366, 768), (390, 844)
LATE_S = (0.1, 0.35, 0.9)
"""Clicks that meant what was there before: since the live change, or since the click that was meant."""
SETTLED_S = SETTLE_MS / 1000
PEOPLE = [f"Player {n:02}" for n in range(1, 25)]


class Desk:
    """One console on one screen, with the hub behind it."""

    def __init__(self, house: House, browser: webdriver.Chrome, size: tuple[int, int]) -> None:
        self.house, self.browser, self.slow = house, browser, False
        browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {
            "width": size[0], "height": size[1], "deviceScaleFactor": 1, "mobile": False})

    def until(self, true: Callable[[], Any], what: str, timeout_s: float = 20) -> Any:
        give_up = time.monotonic() + timeout_s
        while time.monotonic() < give_up:
            try:
                answer = true()
            except (JavascriptException, WebDriverException):
                # The page is being replaced.
                answer = None
            if answer:
                return answer
            time.sleep(0.01)
        raise AssertionError(f"waited for {what}; the page: {self.browser.find_element(By.ID, 'next').text}")

    def spot(self, selector: str) -> tuple[float, float] | None:
        """The middle of what a finger would press, if it is on the screen and nothing lies over it."""
        found: list[float] | None = self.browser.execute_script("""
            for (const button of document.querySelectorAll(arguments[0])) {
                if (!button.checkVisibility()) continue;
                const box = button.getBoundingClientRect();
                const x = box.left + box.width / 2, y = box.top + box.height / 2;
                const inside = box.left >= 0 && box.top >= 0 && box.right <= innerWidth && box.bottom <= innerHeight;
                return inside && button.contains(document.elementFromPoint(x, y)) ? [x, y] : null;
            }
            return null;""", selector)
        return (found[0], found[1]) if found else None

    def ready(self, selector: str = "#next .main") -> tuple[float, float]:
        """Where the button is, once the page takes clicks: it must be on the screen without anybody scrolling."""
        self.until(lambda: self.browser.execute_script(
            "return document.readyState === 'complete' && !!document.querySelector('#next:not(.settling)')"), "a step")
        spot = self.spot(selector)
        assert spot, f"{selector} is not on the screen: {self.browser.find_element(By.ID, 'next').text}"
        return spot

    def tap(self, spot: tuple[float, float]) -> None:
        for kind in ("mousePressed", "mouseReleased"):
            self.browser.execute_cdp_cmd("Input.dispatchMouseEvent", {
                "type": kind, "x": spot[0], "y": spot[1], "button": "left", "clickCount": 1})

    def taps(self, spot: tuple[float, float], since: float) -> None:
        """Late clicks at one spot, so long after `since` (the clock of this process)."""
        for late_s in LATE_S:
            time.sleep(max(0.0, since + late_s - time.monotonic()))
            if time.monotonic() - since < SETTLED_S:
                self.tap(spot)
                # A busy machine may have brought it later than it was meant: then it counted, and rightly so.
                self.slow = self.slow or time.monotonic() - since >= SETTLED_S

    def holds(self, nothing_early: bool) -> None:
        """An assertion about clicks that came in time."""
        if not nothing_early and self.slow:
            pytest.skip("this machine was too busy to press within a second")
        assert nothing_early, self.where

    @property
    def where(self) -> tuple[object, ...]:
        """How far the event is: what each press moves by exactly one."""
        event = self.house.event
        return (len(event.public_rounds), event.draft and event.draft.draw.attempt, event.clock.state,
                event.cut is not None, event.finished)

    def go(self, to: tuple[object, ...], asks: bool = False) -> None:
        """One press of the next step with all that a hasty hand adds; it leads to `to`, and no further."""
        before = self.where
        if asks:
            spot, since = self.ready(), time.monotonic()
            self.tap(spot)
            self.taps(spot, since)
            self.holds(self.where == before)
            spot = self.ready("#next .confirm[open] form button")
        else:
            spot = self.ready()
        since = time.monotonic()
        self.tap(spot)
        self.taps(spot, since)
        self.until(lambda: self.where != before, f"{before} to become {to}")
        self.holds(self.where == to)
        self.ready()
        self.holds(self.where == to)

    def results(self, finger: bool = True) -> None:
        """All results but one; then the last one comes in live, under a finger that was about to press."""
        assert self.house.event.live is not None
        self.house.play(leave_open=1)
        self.until(lambda: self.browser.find_elements(By.CSS_SELECTOR, '#next[data-step^="missing"]'), "one to miss")
        self.ready()
        last, where, number = self.house.event.live.open_matches[0], self.where, self.house.event.number
        self.house.report(last.id, "a", 100, 24)
        since = time.monotonic()
        self.house.report(last.id, "b", 100, 24)
        self.until(lambda: self.browser.find_elements(By.CSS_SELECTOR, "#next.changed"), "the live change")
        said = self.browser.find_element(By.CSS_SELECTOR, ".next-news")
        assert said.is_displayed()
        assert f" {last.match.table} " in said.text
        spot = self.spot("#next .main")
        assert spot
        if finger:
            self.taps(spot, since)
        else:
            button = self.browser.find_element(By.CSS_SELECTOR, "#next .main")
            self.browser.execute_script("arguments[0].focus()", button)
            button.send_keys(Keys.ENTER)
            button.send_keys(Keys.SPACE)
        self.holds((self.where, self.house.event.number) == (where, number + 2))
        self.ready()


@contextmanager
def a_hub(folder: Path) -> Iterator[tuple[House, str]]:
    """A hub that browsers reach, on the clock of this machine."""
    with open_house(folder) as house:
        clocks = Clocks("boot", lambda: int(time.monotonic() * 1000), lambda: None)
        object.__setattr__(house.hub, "clocks", clocks)
        house.service._moments = clocks
        application = HubApplication(house.hub)
        listener = socket.create_server(("127.0.0.1", 0))
        config = uvicorn.Config(application, log_level="warning", ws="none", timeout_graceful_shutdown=2)
        server = uvicorn.Server(config)
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]}, daemon=True)
        thread.start()
        try:
            yield house, f"http://127.0.0.1:{listener.getsockname()[1]}"
        finally:
            server.should_exit = True
            application.close_feeds_soon()
            thread.join(timeout=10)


@pytest.fixture
def browser() -> Iterator[webdriver.Chrome]:
    options = webdriver.ChromeOptions()
    for flag in FLAGS:
        options.add_argument(flag)
    driver = webdriver.Chrome(options=options, service=Service(CHROMEDRIVER))
    yield driver
    driver.quit()


def at_the_desk(house: House, url: str, browser: webdriver.Chrome, size: tuple[int, int]) -> Desk:
    """Logged in at the console of an event with everybody in it."""
    house.with_event(PEOPLE, swiss_rounds=2, cut=4)
    browser.get(f"{url}/login?next=/console/e1&lang=pl")
    browser.find_element(By.NAME, "pin").send_keys(PIN, Keys.ENTER)
    desk = Desk(house, browser, size)
    desk.until(lambda: browser.find_elements(By.ID, "next"), "the console")
    return desk


@pytest.mark.parametrize("size", [DESKTOP, PHONE], ids=["1366x768", "390x844"])
def test_hasty_hands_at_every_step_of_an_event_with_a_cut(
    tmp_path: Path, browser: webdriver.Chrome, size: tuple[int, int],
) -> None:
    with a_hub(tmp_path) as (house, url):
        desk = at_the_desk(house, url, browser, size)
        for number in range(1, 5):
            cut = number > 2
            desk.go((number - 1, 1, "idle", cut, False))
            desk.go((number, None, "idle", cut, False))
            desk.go((number, None, "running", cut, False))
            desk.results(finger=number != 2)
            for anchor in ("competitors", "units", "grid"):
                browser.get(f"{url}/console/e1#{anchor}")
                desk.ready()
            if number == 2:
                desk.go((2, None, "idle", True, False), asks=True)
        desk.go((4, None, "idle", True, True), asks=True)
        assert house.event.finished
        assert [played.draw.attempt for played in house.event.rounds if played.draw] == [1, 1, 1, 1]


def test_a_step_that_another_hand_brings_takes_no_late_click_either(tmp_path: Path, browser: webdriver.Chrome) -> None:
    """Two organizers, one event: what the other one did comes live, under this one's finger."""
    with a_hub(tmp_path) as (house, url):
        desk = at_the_desk(house, url, browser, DESKTOP)
        desk.ready()

        def another_hand(*commands: Command) -> None:
            before = browser.find_element(By.ID, "next").get_attribute("data-step")
            since = time.monotonic()
            for command in commands:
                house.service.tell("e1", command, "another")
            desk.until(lambda: browser.find_element(By.ID, "next").get_attribute("data-step") != before, "the change")
            number, spot = house.event.number, desk.spot("#next .main")
            assert spot
            desk.taps(spot, since)
            desk.holds(house.event.number == number)
            desk.ready()
            desk.holds(house.event.number == number)

        another_hand(DrawRound(3))
        another_hand(DropCompetitor("p24"))
        another_hand(DrawRound(3))
        another_hand(PublishRound(1, 1))
        another_hand(SetClock("start"), SetClock("pause"))
        another_hand(SetClock("reset"))
