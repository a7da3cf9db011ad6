"""A player's phone in a real browser: what cannot be sent says so, waits, and is said once the hub is back."""

from __future__ import annotations

import json
from typing import Any

from hall_kit import Hall
from phone_hands import another_phone
from screen_kit import NARROW, Screen
from selenium import webdriver
from selenium.webdriver.common.by import By

from roundtap_core.event.states import MatchState
from roundtap_core.records import SidePair

PEOPLE = [f"Player {n:02}" for n in range(1, 25)]


def kept(browser: webdriver.Chrome) -> list[Any]:
    """What this phone has said and nobody has answered."""
    return [json.loads(each) for each in browser.execute_script(
        "return Object.keys(localStorage).filter((key) => key.startsWith('roundtap:unsent:'))"
        ".map((key) => localStorage.getItem(key))")]


def test_a_report_without_contact_waits_on_the_phone_and_is_said_once(own_hall: Hall, screen: Screen) -> None:
    house, url, browser = own_hall.house, own_hall.url, screen.driver
    screen.size(NARROW)
    house.with_event(PEOPLE)
    house.publish()
    house.time_is_up()

    def match() -> MatchState:
        assert house.event.live is not None
        return house.event.live.matches[0]

    seat = match().match
    assert seat.b is not None
    ana, bruno = (url + house.hub.access.links.path("e1", who) for who in (seat.a, seat.b))
    screen.open(f"{ana}/report?lang=en")
    # Without contact no question is lost: the page stays as it is, and says so.
    screen.offline()
    screen.click("button[value=time]")
    screen.until(lambda: "Nothing was sent" in browser.find_element(By.ID, "unsent").text, "the words for it")
    screen.offline(False)
    screen.until(lambda: browser.find_element(By.CSS_SELECTOR, "button[value=time]").is_enabled(), "the button")
    screen.click("button[value=time]")
    screen.until(lambda: browser.find_elements(By.NAME, "q.score.winner"), "the figures")
    browser.find_element(By.NAME, "q.score.winner").send_keys("90")
    browser.find_element(By.NAME, "q.score.loser").send_keys("60")
    screen.click(".walk button.main")
    screen.until(lambda: browser.find_elements(By.CSS_SELECTOR, "form[data-report]"), "the result")

    screen.offline()
    screen.click("form[data-report] button")
    screen.until(lambda: "Not sent yet. Keep this page open" in browser.find_element(By.ID, "unsent").text, "the truth")
    assert "Saved" not in browser.find_element(By.TAG_NAME, "body").text
    [waits] = kept(browser)
    assert not match().reports

    screen.offline(False)
    screen.until(lambda: "Saved #" in browser.find_element(By.ID, "unsent").text, "the hub's word")
    entry = match().reports["a"]
    assert entry.result.score == SidePair(90, 60)
    assert f"Saved #{entry.number}" in browser.find_element(By.ID, "unsent").text
    assert kept(browser) == []

    # A page that was closed in between: what waits on the phone is said when the page is opened again.
    another_phone(screen, url)
    screen.open(f"{bruno}?lang=en")
    screen.until(lambda: "reported this. Correct?" in browser.find_element(By.ID, "my-match").text, "the question")
    screen.offline()
    screen.click("#my-match form[data-report] button")
    screen.until(lambda: "Not sent yet" in browser.find_element(By.ID, "unsent").text, "the truth")
    [yes] = kept(browser)
    assert yes["agrees_id"]
    assert yes["report_id"] != waits["report_id"]
    browser.get("about:blank")
    screen.offline(False)
    screen.open(bruno)
    screen.until(lambda: match().state == "agreed", "both to agree")
    screen.until(lambda: "Saved #" in browser.find_element(By.ID, "unsent").text, "the hub's word")
    assert kept(browser) == []
    assert browser.execute_script("return document.documentElement.scrollWidth") <= 320
