"""Public pages in a real browser: what changes is put in place, and nobody asks for anything that was told already."""

import pytest
from hall_kit import Hall
from screen_kit import PHONE, Screen
from selenium import webdriver
from selenium.webdriver.common.by import By

from roundtap_core.event.commands import EnterResult, SetClock
from roundtap_core.records import Result, SidePair

PEOPLE = [f"Player {n:02}" for n in range(1, 25)]


@pytest.fixture
def screen(screen: Screen) -> Screen:
    """On a phone that asks in English; what it asked for before is forgotten."""
    screen.language("en")
    screen.size(PHONE)
    screen.asked()
    return screen


def text(browser: webdriver.Chrome, id: str) -> str:
    return browser.find_element(By.ID, id).text


def test_a_phone_follows_its_event_and_asks_for_nothing(hall: Hall, screen: Screen) -> None:
    url, browser = hall.url, screen.driver
    event = hall.create("Winter Open", people=PEOPLE)
    browser.get(f"{url}/e/{event}/p/p3")
    screen.until(lambda: screen.run("return window.heard_hub"), "the hub's time")
    assert "/time" not in screen.asked(), "the feed says it"
    assert text(browser, "phone-clock") == ""

    hall.publish(event)
    screen.until(lambda: "against" in text(browser, "me"), "the table")
    screen.until(lambda: "75:00" in text(browser, "phone-clock"), "the clock")
    assert "Round 1" in text(browser, "round")

    hall.tell(event, SetClock("start"))
    screen.until(lambda: "74:" in text(browser, "phone-clock"), "the clock to run")
    hall.tell(event, SetClock("adjust", -10 * 60_000))
    screen.until(lambda: "64:" in text(browser, "phone-clock"), "the clock that was set")

    mine = next(m for m in hall.event(event).live.matches if "p3" in (m.match.a, m.match.b))  # type: ignore[union-attr]
    hall.report(event, mine.id, "a", 100, 24)
    hall.report(event, mine.id, "b", 100, 24)
    screen.until(lambda: "100" in text(browser, "me"), "the result")
    assert screen.asked() == []
    assert screen.complaints() == []


def test_a_row_that_changed_is_the_only_one_that_is_another_element(hall: Hall, screen: Screen) -> None:
    url, browser = hall.url, screen.driver
    event = hall.create("Winter Open", people=PEOPLE)
    hall.publish(event)
    browser.get(f"{url}/e/{event}/pairings")
    screen.until(lambda: screen.run("return window.heard_hub"), "the feed")
    screen.asked()
    browser.execute_script("document.querySelectorAll('[data-key]').forEach((row) => { row.was = true; });")
    hall.tell(event, EnterResult("1.2", 0, Result(score=SidePair(100, 24))))
    screen.until(lambda: "100" in text(browser, "pairings"), "the result")
    fresh = browser.execute_script("""
        const rows = [...document.querySelectorAll("[data-key]")];
        return rows.filter((row) => !row.was).map((row) => row.dataset.key);""")
    assert fresh == ["1.2"]
    assert [path for path in screen.asked() if path.startswith("/e/")] == []


def test_what_somebody_searches_stays_searched_when_others_enter(hall: Hall, screen: Screen) -> None:
    url, browser = hall.url, screen.driver
    event = hall.create("Winter Open", people=PEOPLE)
    browser.get(f"{url}/e/{event}")
    search = browser.find_element(By.ID, "find")
    search.send_keys("player 07")

    def shown() -> list[str]:
        return [row.text for row in browser.find_elements(By.CSS_SELECTOR, "#people li") if row.is_displayed()]

    assert len(shown()) == 1
    hall.house.organizer().post(f"/console/{event}/competitors", names="Player 07x\nZoe Z.")
    screen.until(lambda: len(shown()) == 2, "the other one of that name")
    assert search.get_attribute("value") == "player 07"
    assert browser.switch_to.active_element == search


def test_a_browser_that_lets_no_page_remember_anything_follows_all_the_same(hall: Hall, screen: Screen) -> None:
    screen.before_pages("""Object.defineProperty(window, "sessionStorage", {
        get() { throw new DOMException("kept by nobody", "SecurityError"); }});""")
    event = hall.create("Winter Open", people=PEOPLE)
    screen.driver.get(f"{hall.url}/e/{event}")
    screen.until(lambda: screen.run("return window.heard_hub"), "the hub's time")
    hall.publish(event)
    screen.until(lambda: "Round 1" in text(screen.driver, "round"), "the round")
    assert screen.complaints() == []
