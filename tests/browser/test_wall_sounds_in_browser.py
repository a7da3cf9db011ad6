"""What a wall's browser lets be heard when a round starts, at five minutes and at time: once, and never long after."""

from typing import Any

import pytest
from hall_kit import Hall
from screen_kit import FAKE_AUDIO, Screen

from roundtap_core.event.commands import SetClock
from roundtap_hub.hall.hub_sound import FIVE, START, TIME

MINUTE = 60_000
KNOWN = "return window.heard_hub && window.roundtap && window.roundtap.known()"

HEARD = {START: [660, 880], FIVE: [880, 880], TIME: [880, 880, 660]}


@pytest.fixture
def screen(screen: Screen) -> Screen:
    screen.before_pages(FAKE_AUDIO)
    return screen


def tones(screen: Screen) -> Any:
    return screen.run("return window.tones")


def looked(screen: Screen) -> None:
    """Some looks later: what is not heard by then is not heard."""
    for _ in range(4):
        screen.look_again()


def left(hall: Hall, event: str, ms: int) -> None:
    remaining = hall.event(event).clock.remaining_at(hall.house.hub.clocks.now())
    assert remaining is not None
    hall.tell(event, SetClock("adjust", ms - remaining))


def goes_on(hall: Hall, screen: Screen, ms: int) -> None:
    """The time of both, which stands still otherwise: what a slow machine hears late would not be sounded any more."""
    screen.go_on(ms)
    hall.time.ahead_ms += ms


def test_a_wall_is_heard_once_a_moment_and_not_again_when_it_is_loaded_again(own_hall: Hall, screen: Screen) -> None:
    hall = own_hall
    hall.time.stand_still()
    screen.stand_still()
    event = hall.create("Winter Open", people=["Ana Ruiz", "Bruno Maier"])
    hall.publish(event)
    screen.open(f"{hall.url}/wall/{event}?sound=1")
    screen.until(lambda: screen.run(KNOWN), "the hub's time")
    heard: list[int] = []
    hall.tell(event, SetClock("start"))
    for moment, before_ms in ((START, None), (FIVE, 5 * MINUTE + 400), (TIME, 400)):
        if before_ms is not None:
            left(hall, event, before_ms)
            goes_on(hall, screen, before_ms % MINUTE + 100)
        heard += HEARD[moment]
        screen.until(lambda heard=heard: screen.look_again() and tones(screen) == heard, moment)  # type: ignore[misc]
        screen.driver.refresh()
        screen.until(lambda: screen.run(KNOWN), "the hub's time")
        looked(screen)
        assert tones(screen) == heard, "loaded again"
    # Long after time a wall that comes is silent.
    left(hall, event, -4000)
    screen.run("sessionStorage.clear()")
    screen.driver.refresh()
    screen.until(lambda: screen.run(KNOWN), "the hub's time")
    looked(screen)
    assert tones(screen) == []


def test_a_browser_that_keeps_quiet_says_what_to_do(hall: Hall, screen: Screen) -> None:
    event = hall.create("Winter Open", people=["Ana Ruiz", "Bruno Maier"])
    hall.publish(event)
    screen.open(f"{hall.url}/wall/{event}?sound=1")
    press = "return document.getElementById('sound-press').checkVisibility()"
    assert not screen.run(press)
    screen.run("sessionStorage.setItem('muted', '1')")
    screen.driver.refresh()
    screen.until(lambda: screen.run(press), "the words")
    screen.click("#sound-press button")
    screen.until(lambda: not screen.run(press), "silence is over")
    screen.open(f"{hall.url}/wall/{event}")
    assert not screen.run("return document.getElementById('sound-press')"), "a wall without sound"
