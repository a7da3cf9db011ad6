"""Pages whose scripts do not run: no clock looks as if it ran, and the page is loaded anew until they do."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from hall_kit import Hall
from older_browsers import REMOVED
from screen_kit import PHONE, PICTURES, WALL, Screen

import roundtap_hub
from roundtap_core.event.commands import SetClock

PEOPLE = [f"Player {n:02}" for n in range(1, 25)]
NOTE = re.compile(r"\d+:\d\d\s+at 17:05")
STATIC = Path(roundtap_hub.__file__).parent / "static"


@pytest.fixture
def screen(hall: Hall, screen: Screen) -> Iterator[Screen]:
    screen.language("en")
    hall.time.wall = "2026-05-03T17:05:00+00:00"
    yield screen
    hall.time.wall = None
    screen.cdp("Network.setBlockedURLs", {"urls": []})


def in_a_while(screen: Screen) -> bool:
    """What a page does every fifteen seconds; True, for `until`."""
    screen.run("window.roundtapPlain()")
    return True


def shows(screen: Screen, clock: str, minutes: int) -> None:
    screen.until(lambda: in_a_while(screen) and f"{minutes}:" in screen.one(clock).text, f"{minutes} minutes")


def counted(screen: Screen, clock: str) -> None:
    screen.until(lambda: re.fullmatch(r"\d+:\d\d", screen.one(clock).text.strip()), "a clock that is counted")


def playing(hall: Hall) -> str:
    event = hall.create("Winter Open", people=PEOPLE)
    hall.publish(event)
    hall.tell(event, SetClock("start"))
    return event


def pages(event: str) -> dict[str, str]:
    """Path → what holds its clock."""
    return {f"/wall/{event}": "main .clock, #time .clock", f"/e/{event}/p/p1": "#phone-clock .clock"}


@pytest.mark.parametrize(
    "unread", ["*/static/wall.*", "*/static/wall_fit.*", "*/static/live.*", "*/static/clock.*", "*/static/phone.*.js"]
)
def test_a_page_whose_script_is_not_read_goes_on_by_loading_itself_anew(
    hall: Hall, screen: Screen, unread: str
) -> None:
    event = playing(hall)
    path, clock = list(pages(event).items())["phone" in unread]
    screen.size(PHONE if "phone" in unread else WALL)
    screen.cdp("Network.setBlockedURLs", {"urls": [unread]})
    screen.open(hall.url + path)
    is_counted = unread in ("*/static/wall.*", "*/static/wall_fit.*", "*/static/live.*")
    for minutes in (64, 54):
        hall.tell(event, SetClock("adjust", -10 * 60_000))
        shows(screen, clock, minutes)
        assert is_counted or NOTE.search(screen.one(clock).text), screen.one(clock).text
    if PICTURES:
        screen.driver.save_screenshot(f"{PICTURES}/unread-{unread[9:14]}.png")


def test_a_page_without_feeds_goes_on_by_loading_itself_anew(hall: Hall, screen: Screen) -> None:
    event = playing(hall)
    screen.before_pages(REMOVED["EventSource"])
    for path, clock in pages(event).items():
        screen.open(hall.url + path)
        hall.tell(event, SetClock("adjust", -10 * 60_000))
        shows(screen, clock, 64 if path.startswith("/wall") else 54)


def test_a_hub_that_is_away_takes_no_page_that_loads_itself_anew(hall: Hall, screen: Screen) -> None:
    event = playing(hall)
    screen.cdp("Network.setBlockedURLs", {"urls": ["*/static/clock.*"]})
    screen.open(f"{hall.url}/wall/{event}")
    screen.run("window.same_page = true")
    screen.offline()
    screen.asked()
    in_a_while(screen)
    screen.until(lambda: "/time" in screen.asked(), "the question whether the hub is there")
    assert screen.run("return window.same_page")
    screen.offline(False)
    in_a_while(screen)
    screen.until(lambda: not screen.run("return window.same_page"), "the page anew")


def test_a_page_whose_scripts_run_stays(hall: Hall, screen: Screen) -> None:
    event = playing(hall)
    for path, clock in pages(event).items():
        screen.open(hall.url + path)
        screen.until(lambda: screen.run("return window.heard_hub"), "the feed")
        counted(screen, clock)
        screen.asked()
        screen.run("window.same_page = true")
        in_a_while(screen)
        assert screen.run("return window.same_page")
        assert "/time" not in [path.split("?")[0] for path in screen.asked()] or "wall" in path


def test_where_no_script_may_run_the_page_says_when_it_was_made(hall: Hall, screen: Screen) -> None:
    event = playing(hall)
    screen.cdp("Emulation.setScriptExecutionDisabled", {"value": True})
    for path, clock in pages(event).items():
        screen.open(hall.url + path)
        assert NOTE.search(screen.one(clock).text)
        assert screen.all("noscript"), "it is loaded anew by the browser"
        assert screen.unfit() == []


def test_what_the_oldest_browsers_run_is_in_words_that_they_know() -> None:
    assert not re.search(
        r"=>|`|\b(?:let|const|async|class|of)\b", (STATIC / "plain.js").read_text(encoding="utf-8").partition("\n")[2]
    )
