"""A player's phone in a real browser: what cannot be sent says so, waits, and is said once the hub is back."""

import json
import re
from typing import Any

from hall_kit import Hall
from phone_hands import another_phone
from screen_kit import FAKE_AUDIO, NARROW, PHONE, Screen
from selenium import webdriver
from selenium.webdriver.common.by import By

from roundtap_core.event.commands import SetClock
from roundtap_core.event.states import MatchState
from roundtap_core.records import SidePair

PEOPLE = [f"Player {n:02}" for n in range(1, 25)]

FELT = """
    window.felt = 0;
    Object.defineProperty(navigator, "vibrate", { value: () => { window.felt += 1; return true; } });
"""
ROUND, TIME, REPORTED = [660, 880], [880, 880, 660], [660, 990]

QUIET = """
    AudioContext.prototype.resume = function () {
        this.state = window.pressed ? "running" : "suspended";
        return Promise.resolve();
    };
    addEventListener("click", () => { window.pressed = true; }, true);
"""


def kept(browser: webdriver.Chrome) -> list[Any]:
    """What this phone has said and nobody has answered."""
    return [
        json.loads(each)
        for each in browser.execute_script(
            "return Object.keys(localStorage).filter((key) => key.startsWith('roundtap:unsent:'))"
            ".map((key) => localStorage.getItem(key))"
        )
    ]


def test_a_button_that_waits_longer_than_a_second_says_that_the_hub_is_busy(own_hall: Hall, screen: Screen) -> None:
    house = own_hall.house
    screen.size(NARROW)
    house.with_event(PEOPLE)
    house.publish()
    screen.open(own_hall.url + house.hub.access.links.path("e1", house.event.live.matches[0].match.a) + "?lang=en")
    screen.whole()
    screen.cdp(
        "Network.emulateNetworkConditions",
        {"offline": False, "latency": 6000, "downloadThroughput": -1, "uploadThroughput": -1},
    )
    # The browser answers nobody while it goes to another page: the page itself notes what it shows meanwhile.
    screen.driver.execute_script("""
        const sign = document.getElementById("contact");
        setTimeout(() => sessionStorage.setItem("shown", sign.hidden ? "" : sign.innerText), 2500);
        document.querySelector("#my-call form").requestSubmit();""")
    screen.until(lambda: "Judge called" in screen.driver.find_element(By.ID, "my-call").text, "the answer")
    assert "The hub is busy" in screen.driver.execute_script("return sessionStorage.getItem('shown')")
    assert not screen.driver.find_element(By.ID, "contact").is_displayed()
    screen.offline(False)


def test_a_report_without_contact_waits_on_the_phone_and_is_said_once(own_hall: Hall, screen: Screen) -> None:
    house, url, browser = own_hall.house, own_hall.url, screen.driver
    screen.size(NARROW)
    house.with_event(PEOPLE)
    house.publish()
    house.time_is_up()

    def match() -> MatchState:
        return house.event.live.matches[0]

    seat = match().match
    assert seat.b is not None
    ana, bruno = (url + house.hub.access.links.path("e1", who) for who in (seat.a, seat.b))
    screen.open(f"{ana}/report?lang=en")
    # Without contact no question is lost: the page stays as it is, and says so.
    screen.offline()
    screen.click("button[value=time]")
    screen.until(lambda: "Nothing was sent. Try again" in browser.find_element(By.ID, "unsent").text, "the words")
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


def test_a_phone_is_heard_and_felt_once_its_player_has_turned_that_on(own_hall: Hall, screen: Screen) -> None:
    hall, house = own_hall, own_hall.house
    screen.before_pages(FAKE_AUDIO)
    screen.before_pages(FELT)
    screen.size(PHONE)
    screen.language("en")
    house.with_event(PEOPLE)
    screen.open(hall.url + house.hub.access.links.path("e1", "p1"))
    on = "return document.querySelector('#alerts button').getAttribute('aria-pressed')"
    heard: list[int] = []

    def hears(more: list[int], what: str) -> None:
        heard.extend(more)
        screen.until(lambda: screen.run("return window.tones") == heard, what)

    assert screen.run(on) == "false"
    screen.click("#alerts button")
    hears(REPORTED, "what it will sound like")
    assert screen.run(on) == "true"
    assert screen.one("#alerts button").text == "Sound is on"
    # What was turned on stays on.
    screen.driver.refresh()
    screen.until(lambda: screen.run("return window.heard_hub"), "the feed")
    assert screen.run(on) == "true"
    house.publish()
    hears(ROUND, "the round")
    hall.tell("e1", SetClock("start"))
    screen.until(lambda: "74:" in screen.one("#phone-clock").text, "the clock")
    hall.tell("e1", SetClock("set", 3000))
    hears(TIME, "time")
    mine = next(
        match
        for match in house.event.live.matches  # type: ignore[union-attr]
        if "p1" in (match.match.a, match.match.b)
    )
    hall.report("e1", mine.id, "b" if mine.match.a == "p1" else "a", 100, 24)
    hears(REPORTED, "the opponent's report")
    assert screen.run("return window.felt") == 3
    screen.click("#alerts button")
    assert screen.run(on) == "false"
    hall.report("e1", mine.id, "a" if mine.match.a == "p1" else "b", 24, 100)
    screen.until(lambda: "Your reports differ" in screen.one("#my-match").text, "the conflict")
    assert screen.run("return window.tones") == heard


def test_a_phone_that_browsers_keep_quiet_says_so_until_a_press(own_hall: Hall, screen: Screen) -> None:
    house = own_hall.house
    screen.before_pages(FAKE_AUDIO)
    house.with_event(PEOPLE)
    address = own_hall.url + house.hub.access.links.path("e1", "p1")
    screen.open(address)
    screen.run("localStorage.setItem('roundtap:sound', '1'); sessionStorage.setItem('muted', '1')")
    screen.before_pages(QUIET)
    screen.open(address)
    on = "return document.querySelector('#alerts button').getAttribute('aria-pressed')"
    assert screen.run(on) == "false"
    screen.click("h1")
    screen.until(lambda: screen.run(on) == "true", "sound after a press anywhere")


def test_a_page_that_was_left_is_there_without_contact_and_says_how_old_it_is(own_hall: Hall, screen: Screen) -> None:
    house = own_hall.house
    house.with_event(PEOPLE)
    house.publish()
    screen.language("en")
    # Such a page cannot be kept whole: it comes from what the browser has stored.
    screen.before_pages("addEventListener('unload', () => {})")
    # The first load sets the phone's cookie, and what was sent without it is of no use with it.
    for _ in range(2):
        screen.open(own_hall.url + house.hub.access.links.path("e1", "p1"))
        screen.until(lambda: screen.run("return window.heard_hub"), "the feed")
    screen.open(own_hall.url + "/e/e1/standings")
    screen.until(lambda: screen.run("return window.heard_hub"), "the feed")
    # The page was current ten minutes ago; what came later, the browser has not stored.
    screen.run("""
        const known = JSON.parse(sessionStorage.getItem("roundtap:current"));
        const before = known.map(([version, at]) => [version, at - 600_000]);
        sessionStorage.setItem("roundtap:current", JSON.stringify(before));
    """)
    screen.offline()
    screen.driver.back()
    screen.until(lambda: screen.all("body.stale"), "the page to know that it is old")
    assert screen.all(".seat-table b")
    assert re.search(r"No contact for 1\d:\d\d", screen.one("#contact").text)
    assert screen.one(".keep-open").is_displayed()
    screen.offline(False)
    screen.until(lambda: not screen.all("body.stale"), "the hub")
    assert not screen.one(".keep-open").is_displayed()


def test_a_page_that_is_come_back_to_stands_as_it_was_left(own_hall: Hall, screen: Screen) -> None:
    """Browsers keep it whole, and it listens again."""
    house = own_hall.house
    house.with_event(PEOPLE)
    screen.before_pages("addEventListener('pageshow', ({persisted}) => { window.kept = persisted; })")
    screen.open(own_hall.url + house.hub.access.links.path("e1", "p1"))
    screen.until(lambda: screen.run("return window.heard_hub"), "the feed")
    screen.open(own_hall.url + "/e/e1/standings")
    screen.driver.back()
    screen.until(lambda: screen.run("return window.kept"), "the page that was kept")
    house.publish()
    screen.until(lambda: screen.all(".seat-table b"), "the round")
