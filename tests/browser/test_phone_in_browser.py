"""A player's phone in a real browser: what cannot be sent says so, waits, and is said once the hub is back."""

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

from roundtap_core.event.state import MatchState
from roundtap_core.records import Pair

CHROMEDRIVER = shutil.which("chromedriver")

pytestmark = pytest.mark.skipif(CHROMEDRIVER is None, reason="no chromedriver (apt install chromium chromium-driver)")


@pytest.fixture
def browser() -> Iterator[webdriver.Chrome]:
    options = webdriver.ChromeOptions()
    for flag in FLAGS:
        options.add_argument(flag)
    driver = webdriver.Chrome(options=options, service=Service(CHROMEDRIVER))
    driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {
        "width": 320, "height": 640, "deviceScaleFactor": 1, "mobile": False})
    driver.execute_cdp_cmd("Network.enable", {})
    yield driver
    driver.quit()


def until(true: Callable[[], Any], what: str) -> None:
    give_up = time.monotonic() + 30
    while time.monotonic() < give_up:
        try:
            if true():
                return
        except WebDriverException:
            pass  # The element is being replaced.
        time.sleep(0.02)
    raise AssertionError(f"waited for {what}")


def contact(browser: webdriver.Chrome, there: bool) -> None:
    browser.execute_cdp_cmd("Network.emulateNetworkConditions", {
        "offline": not there, "latency": 0, "downloadThroughput": -1, "uploadThroughput": -1})


def kept(browser: webdriver.Chrome) -> list[Any]:
    """What this phone has said and nobody has answered."""
    return [json.loads(each) for each in browser.execute_script(
        "return Object.keys(localStorage).filter((key) => key.startsWith('roundtap:unsent:'))"
        ".map((key) => localStorage.getItem(key))")]


def test_a_report_without_contact_waits_on_the_phone_and_is_said_once(
        tmp_path: Path, browser: webdriver.Chrome) -> None:
    with a_hub(tmp_path) as (house, url):
        house.with_event(PEOPLE)
        house.publish()

        def match() -> MatchState:
            assert house.event.live is not None
            return house.event.live.matches[0]

        seat = match().match
        assert seat.b is not None
        ana, bruno = (url + house.hub.links.path("e1", who) for who in (seat.a, seat.b))
        browser.get(f"{ana}/report?lang=en")
        # Without contact no question is lost: the page stays as it is, and says so.
        contact(browser, there=False)
        browser.find_element(By.CSS_SELECTOR, "button[value=time]").click()
        until(lambda: "nothing of it was said yet" in browser.find_element(By.ID, "unsent").text, "the words for that")
        contact(browser, there=True)
        until(lambda: browser.find_element(By.CSS_SELECTOR, "button[value=time]").is_enabled(), "the button")
        browser.find_element(By.CSS_SELECTOR, "button[value=time]").click()
        until(lambda: browser.find_elements(By.NAME, "q.score.winner"), "the figures")
        browser.find_element(By.NAME, "q.score.winner").send_keys("90")
        browser.find_element(By.NAME, "q.score.loser").send_keys("60")
        browser.find_element(By.CSS_SELECTOR, ".walk button.main").click()
        until(lambda: browser.find_elements(By.CSS_SELECTOR, "form[data-report]"), "the result")

        contact(browser, there=False)
        browser.find_element(By.CSS_SELECTOR, "form[data-report] button").click()
        until(lambda: "Not sent yet: keep this page open" in browser.find_element(By.ID, "unsent").text, "the truth")
        assert "Saved" not in browser.find_element(By.TAG_NAME, "body").text
        [waits] = kept(browser)
        assert not match().reports

        contact(browser, there=True)
        until(lambda: "Saved #" in browser.find_element(By.ID, "unsent").text, "the hub's word")
        entry = match().reports["a"]
        assert entry.result.score == Pair(90, 60)
        assert f"Saved #{entry.number}" in browser.find_element(By.ID, "unsent").text
        assert kept(browser) == []

        # A page that was closed in between: what waits on the phone is said when the page is opened again.
        browser.get(f"{bruno}?lang=en")
        until(lambda: "is that right?" in browser.find_element(By.ID, "my-match").text, "the question")
        contact(browser, there=False)
        browser.find_element(By.CSS_SELECTOR, "#my-match form[data-report] button").click()
        until(lambda: "Not sent yet" in browser.find_element(By.ID, "unsent").text, "the truth")
        [yes] = kept(browser)
        assert yes["agrees_id"]
        assert yes["report_id"] != waits["report_id"]
        browser.get("about:blank")
        contact(browser, there=True)
        browser.get(bruno)
        until(lambda: match().state == "agreed", "both to agree")
        until(lambda: "Saved #" in browser.find_element(By.ID, "unsent").text, "the hub's word")
        assert kept(browser) == []
        assert browser.execute_script("return document.documentElement.scrollWidth") <= 320
