"""Many pages of one browser: they share its six connections, one that is not seen holds none, and all are current."""

from pathlib import Path
from time import time

import pytest
import troubles_tabs
from hall_kit import Hall
from pages_kit import PIN
from screen_kit import FAKE_AUDIO, Screen

from roundtap_hub.access.personal_links import PHONE_ACTOR

PEOPLE = [f"Player {n:02}" for n in range(1, 25)]
PAGES = ("/console/{0}", "/wall/{0}", "/wall", "/e/{0}/pairings", *(f"/e/{{0}}/p/p{n}" for n in range(1, 17)))
FEEDS = 3

CAN_HIDE = """
Object.defineProperty(document, "hidden", {get: () => !!window.is_hidden});
window.hide = (hidden) => { window.is_hidden = hidden; document.dispatchEvent(new Event("visibilitychange")); };
"""
SILENT_FEED = "window.EventSource = class { addEventListener() {} close() {} }"
NOTES = "return Object.keys(localStorage).filter((key) => key.startsWith('roundtap:feed:')).length"
# What a page has noted grows old by hand alone, however slow the machine.
STOOD_STILL = f"Date.now = () => {int(time() * 1000)};"
NOTE = "localStorage.setItem(`roundtap:feed:${arguments[0]}`, JSON.stringify([Date.now() - arguments[1], '0']))"


@pytest.fixture
def hall(own_hall: Hall) -> Hall:
    """One for each test: a page that another test left may be kept by the browser, with its feed."""
    return own_hall


@pytest.fixture
def screen(screen: Screen) -> Screen:
    """One whose pages can be hidden by a word."""
    screen.language("en")
    screen.before_pages(CAN_HIDE)
    return screen


def published(hall: Hall) -> str:
    event = hall.create("Winter Open", people=PEOPLE)
    hall.publish(event)
    return event


def hidden(screen: Screen, is_hidden: bool) -> None:
    screen.run("window.hide(arguments[0])", is_hidden)


def listens(hall: Hall, screen: Screen, count: int) -> None:
    screen.until(lambda: hall.doors.listeners == count, f"{count} feeds; there are {hall.doors.listeners}")


def asks_again(screen: Screen) -> bool:
    """Its next question is due; True, for `until`."""
    screen.go_on(8000)
    return True


@pytest.mark.parametrize("beside", ["window", "tab"])
def test_twenty_pages_open_and_follow(own_hall: Hall, screen: Screen, beside: str) -> None:
    """In windows side by side all are seen; of tabs one is."""
    event = own_hall.create("Winter Open", people=PEOPLE)
    screen.log_in(own_hall.url, PIN)
    for page in PAGES:
        screen.driver.switch_to.new_window(beside)
        screen.open(own_hall.url + page.format(event))
    screen.until(lambda: own_hall.doors.listeners <= FEEDS, "as many feeds as leave room for pages")
    own_hall.publish(event)
    for handle in screen.driver.window_handles[1:]:
        screen.driver.switch_to.window(handle)
        screen.until(lambda: "Round 1" in screen.text(), "the round")
        screen.until(lambda: not screen.all("body.stale"), "contact")


def test_a_page_that_is_not_seen_holds_no_feed_and_catches_up(hall: Hall, screen: Screen) -> None:
    event = hall.create("Winter Open", people=PEOPLE)
    screen.open(f"{hall.url}/e/{event}/p/p3")
    listens(hall, screen, 1)
    hidden(screen, True)
    listens(hall, screen, 0)
    assert screen.run(NOTES) == 0
    hall.publish(event)
    screen.run("window.ahead_ms += 3600000")
    screen.look_again()
    assert not screen.all("body.stale"), "nobody looks: there is nothing to be said"
    assert "Round 1" not in screen.text()
    hidden(screen, False)
    listens(hall, screen, 1)
    screen.until(lambda: "Round 1" in screen.text(), "what was missed")
    screen.until(lambda: not screen.all("body.stale") and not screen.one("#contact").is_displayed(), "contact")


def test_a_page_that_is_seen_again_is_not_taken_for_new_until_it_has_looked(hall: Hall, screen: Screen) -> None:
    screen.stand_still()
    screen.open(f"{hall.url}/e/{published(hall)}/p/p3")
    screen.until(lambda: screen.run("return window.heard_hub"), "the feed")
    hidden(screen, True)
    screen.run(SILENT_FEED)
    screen.go_on(60_000)
    hidden(screen, False)
    assert not screen.one("#contact").is_displayed(), "the answer comes sooner than anybody reads"
    screen.go_on(1000)
    screen.look_again()
    assert "Updating" in screen.one("#contact").text
    assert screen.all("body.stale")
    screen.go_on(10_000)
    screen.look_again()
    assert "No contact for 1:1" in screen.one("#contact").text


def test_a_page_that_is_seen_again_without_the_hub_says_since_when(hall: Hall, screen: Screen) -> None:
    screen.open(f"{hall.url}/e/{published(hall)}/p/p3")
    screen.until(lambda: screen.run("return window.heard_hub"), "the feed")
    hidden(screen, True)
    screen.offline()
    screen.run("window.ahead_ms += 60000")
    hidden(screen, False)
    screen.until(lambda: screen.look_again() and "No contact for 1:" in screen.one("#contact").text, "how old it is")
    screen.offline(False)
    screen.until(lambda: not screen.all("body.stale"), "the hub again")


@pytest.mark.parametrize("page", ["/wall", "/e/{}/p/p3"])
def test_what_is_to_be_heard_or_hangs_on_a_wall_keeps_its_feed(hall: Hall, screen: Screen, page: str) -> None:
    screen.before_pages(FAKE_AUDIO)
    screen.open(hall.url + page.format(published(hall)))
    if "/p/" in page:
        screen.click("#alerts button")
    listens(hall, screen, 1)
    hidden(screen, True)
    screen.run("window.dispatchEvent(new Event('pagehide'))")
    listens(hall, screen, 0)
    screen.run("window.dispatchEvent(new PageTransitionEvent('pageshow', {persisted: true}))")
    listens(hall, screen, 1)
    hidden(screen, True)
    assert hall.doors.listeners == 1
    assert screen.run(NOTES) == 1


def test_a_page_that_only_sounds_is_no_sign_of_its_player_until_it_is_seen(hall: Hall, screen: Screen) -> None:
    screen.before_pages(FAKE_AUDIO)
    event = hall.create("Winter Open", people=PEOPLE)
    screen.open(hall.url + hall.house.hub.access.links.path(event, "p3"))
    screen.click("#alerts button")
    listens(hall, screen, 1)
    hidden(screen, True)
    hall.publish(event)
    screen.until(lambda: "Round 1" in screen.text(), "the round")
    assert not hall.house.hub.presence.seen_at_table
    hidden(screen, False)
    presence = hall.house.hub.presence
    screen.until(lambda: [who for _, _, who in presence.seen_at_table] == [f"{PHONE_ACTOR}p3"], "a sign of the player")


def test_a_page_beyond_the_three_asks_and_takes_the_place_of_one_that_was_killed(hall: Hall, screen: Screen) -> None:
    screen.before_pages(STOOD_STILL)
    event = hall.create("Winter Open", people=PEOPLE)
    screen.open(f"{hall.url}/e/{event}")
    for other in range(FEEDS):
        screen.run(NOTE, other, 0)
    screen.stand_still()
    screen.open(f"{hall.url}/e/{event}/p/p3")
    screen.until(lambda: screen.run("return window.heard_hub"), "the hub's time")
    listens(hall, screen, 0)
    hall.publish(event)
    assert "Round 1" not in screen.text()
    screen.until(lambda: asks_again(screen) and "Round 1" in screen.text(), "what it asked for")
    assert hall.doors.listeners == 0
    # No page that lives is silent for so long.
    screen.run(NOTE, 1, 13_000)
    screen.until(lambda: asks_again(screen) and hall.doors.listeners == 1, "the place that is free")
    assert screen.run(NOTES) == FEEDS


def test_what_one_page_hears_the_others_ask_for_at_once(hall: Hall, screen: Screen) -> None:
    screen.before_pages(STOOD_STILL)
    event = hall.create("Winter Open", people=PEOPLE)
    screen.open(f"{hall.url}/e/{event}")
    for other in range(FEEDS):
        screen.run(NOTE, other, 0)
    screen.stand_still()
    screen.open(f"{hall.url}/e/{event}/p/p3")
    screen.until(lambda: screen.run("return window.heard_hub"), "the hub's time")
    hall.publish(event)
    screen.run("window.dispatchEvent(new StorageEvent('storage', {key: 'roundtap:news', newValue: 'new'}))")
    screen.until(lambda: "Round 1" in screen.text(), "the news")


def test_who_is_seen_comes_before_who_is_only_heard(hall: Hall, screen: Screen) -> None:
    screen.before_pages(FAKE_AUDIO)
    screen.before_pages(STOOD_STILL)
    event = published(hall)
    screen.open(f"{hall.url}/e/{event}/p/p3")
    screen.click("#alerts button")
    hidden(screen, True)
    for other in range(FEEDS):
        screen.run("localStorage.setItem('roundtap:feed:' + arguments[0], JSON.stringify([Date.now(), '1']))", other)
    assert hall.doors.listeners == 1
    screen.run("window.dispatchEvent(new StorageEvent('storage', {key: 'roundtap:feed:2', newValue: 'held'}))")
    listens(hall, screen, 0)


def test_a_browser_that_keeps_nothing_has_a_feed_for_each_page(hall: Hall, screen: Screen) -> None:
    screen.before_pages("""Object.defineProperty(window, "localStorage", {
        get() { throw new DOMException("kept by nobody", "SecurityError"); }});""")
    screen.open(f"{hall.url}/e/{published(hall)}/p/p3")
    listens(hall, screen, 1)
    hidden(screen, True)
    listens(hall, screen, 0)
    hidden(screen, False)
    listens(hall, screen, 1)
    assert screen.complaints() == []


@pytest.mark.parametrize("trouble", troubles_tabs.TROUBLES, ids=lambda trouble: trouble.kind)
def test_each_trouble_that_was_tried_has_its_test(trouble: troubles_tabs.Trouble) -> None:
    name, _, function = trouble.test.partition("::")
    assert f"def {function}(" in (Path(__file__).parent / name).read_text(encoding="utf-8")
