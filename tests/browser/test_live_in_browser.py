"""Public pages in a real browser: what changes is put in place, and nobody asks for anything that was told already."""

from __future__ import annotations

import json
import shutil
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from selenium import webdriver
from selenium.common.exceptions import WebDriverException
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.by import By
from test_steps_in_browser import FLAGS, PEOPLE, a_hub

from roundtap_core.event.commands import EnterResult, SetClock
from roundtap_core.records import Pair, Result

CHROMEDRIVER = shutil.which("chromedriver")

pytestmark = pytest.mark.skipif(CHROMEDRIVER is None, reason="no chromedriver (apt install chromium chromium-driver)")


@pytest.fixture
def browser() -> Iterator[webdriver.Chrome]:
    options = webdriver.ChromeOptions()
    for flag in FLAGS:
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"performance": "ALL", "browser": "ALL"})
    driver = webdriver.Chrome(options=options, service=Service(CHROMEDRIVER))
    driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {
        "width": 390, "height": 844, "deviceScaleFactor": 1, "mobile": False})
    yield driver
    driver.quit()


def asked(browser: webdriver.Chrome) -> list[str]:
    """Paths that the browser has asked for since the last time."""
    messages = [json.loads(entry["message"])["message"] for entry in browser.get_log("performance")]
    return ["/" + message["params"]["request"]["url"].split("/", 3)[3] for message in messages
            if message["method"] == "Network.requestWillBeSent"]


def until(true: Callable[[], Any], what: str) -> None:
    give_up = time.monotonic() + 20
    while time.monotonic() < give_up:
        try:
            if true():
                return
        except WebDriverException:
            pass  # The element is being replaced.
        time.sleep(0.01)
    raise AssertionError(f"waited for {what}")


def text(browser: webdriver.Chrome, id: str) -> str:
    return browser.find_element(By.ID, id).text


def test_a_phone_follows_its_event_and_asks_for_nothing(tmp_path: Path, browser: webdriver.Chrome) -> None:
    with a_hub(tmp_path) as (house, url):
        house.with_event(PEOPLE)
        browser.get(f"{url}/e/e1/p/p3")
        times: list[str] = []
        until(lambda: times.extend(asked(browser)) or times.count("/time") == 2, "the hub's time")
        assert text(browser, "phone-clock") == ""

        house.publish()
        until(lambda: "against" in text(browser, "me"), "the table")
        until(lambda: "75:00" in text(browser, "phone-clock"), "the clock")
        assert "Round 1" in text(browser, "round").replace("Runda", "Round")

        house.service.tell("e1", SetClock("start"), "test")
        until(lambda: "74:5" in text(browser, "phone-clock"), "the clock to run")
        house.service.tell("e1", SetClock("adjust", -10 * 60_000), "test")
        until(lambda: "64:5" in text(browser, "phone-clock"), "the clock that was set")

        mine = next(m for m in house.event.live.matches if "p3" in (m.match.a, m.match.b))  # type: ignore[union-attr]
        house.report(mine.id, "a", 100, 24)
        house.report(mine.id, "b", 100, 24)
        until(lambda: "100" in text(browser, "me"), "the result")
        assert asked(browser) == []
        assert browser.get_log("browser") == []


def test_a_row_that_changed_is_the_only_one_that_is_another_element(tmp_path: Path, browser: webdriver.Chrome) -> None:
    with a_hub(tmp_path) as (house, url):
        house.with_event(PEOPLE)
        house.publish()
        browser.get(f"{url}/e/e1/pairings")
        until(lambda: "/time" in asked(browser), "the feed")
        browser.execute_script("document.querySelectorAll('[data-key]').forEach((row) => { row.was = true; });")
        house.service.tell("e1", EnterResult("1.2", 0, Result(score=Pair(77, 24))), "test")
        until(lambda: "77" in text(browser, "pairings"), "the result")
        fresh = browser.execute_script("""
            const rows = [...document.querySelectorAll("[data-key]")];
            return rows.filter((row) => !row.was).map((row) => row.dataset.key);""")
        assert fresh == ["1.2"]
        assert [path for path in asked(browser) if path.startswith("/e/")] == []


def test_what_somebody_searches_stays_searched_when_others_enter(tmp_path: Path, browser: webdriver.Chrome) -> None:
    with a_hub(tmp_path) as (house, url):
        organizer = house.with_event(PEOPLE)
        browser.get(f"{url}/e/e1")
        search = browser.find_element(By.ID, "find")
        search.send_keys("player 07")

        def shown() -> list[str]:
            return [row.text for row in browser.find_elements(By.CSS_SELECTOR, "#people li") if row.is_displayed()]

        assert len(shown()) == 1
        organizer.post("/console/e1/competitors", names="Player 07x\nZoe Z.")
        until(lambda: len(shown()) == 2, "the other one of that name")
        assert search.get_attribute("value") == "player 07"
        assert browser.switch_to.active_element == search
