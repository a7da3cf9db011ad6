"""When the announced limit is over the console says who has not sat down, with one button for each thing to do."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from pages_kit import PEOPLE, Browser, House, open_house, text_of

from roundtap_core.event.commands import SetClock

MINUTE = 60_000


@pytest.fixture
def house(tmp_path: Path) -> Iterator[House]:
    with open_house(tmp_path) as opened:
        yield opened


@pytest.fixture
def browser(house: House) -> Browser:
    """Round 1 is played; at table 1 only the circle has sat down, table 2 has no unit."""
    browser = house.with_event(PEOPLE[:4], late_minutes=10)
    house.publish()
    house.place("unit-1", 1)
    house.hub.presence.heard("unit-1", house.time.ms, match="1.1", seated=frozenset("a"))
    house.service.tell("e1", SetClock("start"), "test")
    return browser


def names(house: House) -> tuple[str, str]:
    match = house.event.find_match("1.1")[1].match
    people = house.service.snapshot.people["e1"]
    return people[match.a].name, people[match.b].name


def absent(browser: Browser) -> list[str]:
    return re.findall(r'<input type="hidden" name="absent" value="([^"]+)"', browser.get("/console/e1").text)


def test_nobody_is_late_before_the_limit(house: House, browser: Browser):
    house.time.ms += 10 * MINUTE - 1
    assert absent(browser) == []
    house.time.ms += 1
    assert absent(browser) == [house.event.find_match("1.1")[1].match.b]
    assert f"{names(house)[1]} has not sat down: the 10 minutes are over" in text_of(browser.get("/console/e1"))


def test_is_here_ends_it_and_no_show_gives_the_other_the_bye(house: House, browser: Browser):
    house.time.ms += 11 * MINUTE
    late = absent(browser)[0]
    assert browser.post("/console/e1/match/1.1/here", who=late).status_code == 303
    assert absent(browser) == []
    assert house.event.find_match("1.1")[1].match.bye is None
    house.hub.presence.heard("unit-1", house.time.ms, match="1.1", seated=frozenset())
    (other,) = absent(browser)
    assert browser.post("/console/e1/match/1.1/no-show", absent=other).status_code == 303
    assert house.event.entrants[other].dropped_after == 1
    assert absent(browser) == []


def test_who_sat_down_or_plays_is_not_reported(house: House, browser: Browser):
    house.time.ms += 20 * MINUTE
    house.hub.presence.heard("unit-1", house.time.ms, seated=frozenset("ab"))
    assert absent(browser) == []
    house.hub.presence.heard("unit-1", house.time.ms, seated=frozenset("a"))
    house.report("1.1", "a", 100, 20)
    assert absent(browser) == []


def test_a_clock_that_is_paused_counts_no_minutes(house: House, browser: Browser):
    house.time.ms += 5 * MINUTE
    house.service.tell("e1", SetClock("pause"), "test")
    house.time.ms += 30 * MINUTE
    assert absent(browser) == []
