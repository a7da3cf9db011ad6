"""What is heard when a round starts, at five minutes and at time: once, not again, and never long after."""

from __future__ import annotations

import io
import logging
import shutil
import wave
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pages_kit import House, open_house, text_of
from selenium import webdriver
from selenium.webdriver.chrome.service import Service
from test_live_in_browser import until
from test_steps_in_browser import FLAGS, a_hub

from roundtap_core.event.commands import SetClock
from roundtap_hub.hub_sound import FIVE, START, TIME, HubSound, tone

CHROMEDRIVER = shutil.which("chromedriver")
MINUTE = 60_000

# --- the hub's own audio out ------------------------------------------------------------------------------------------


class Ears:
    """A hub with an audio out that notes what it is handed; the clock goes on by hand."""

    def __init__(self, house: House) -> None:
        self.house = house
        self.broken = ""
        self.played: list[str] = []
        names = {tone(moment): moment for moment in (START, FIVE, TIME)}

        def play(sound: bytes) -> None:
            if self.broken:
                raise OSError(self.broken)
            self.played.append(names[sound])

        self.sound = HubSound(house.service, house.hub.clocks.now, play)
        object.__setattr__(house.hub, "sound", self.sound)
        self.wait(0)

    def wait(self, ms: int) -> list[str]:
        """What was heard when so much time had gone."""
        self.house.time.ms += ms
        self.played.clear()
        self.sound.look()
        self.sound.play_waiting()
        return list(self.played)

    def clock(self, action: str, delta_ms: int = 0) -> None:
        self.house.service.tell("e1", SetClock(action, delta_ms), "test")


@pytest.fixture
def ears(tmp_path: Path) -> Iterator[Ears]:
    with open_house(tmp_path) as house:
        house.with_event()
        house.publish()
        yield Ears(house)


def test_each_moment_is_heard_once(ears: Ears):
    ears.clock("start")
    assert ears.wait(250) == [START]
    assert ears.wait(250) == []
    assert ears.wait(70 * MINUTE - 501) == []
    assert ears.wait(1) == [FIVE]
    assert ears.wait(250) == []
    assert ears.wait(5 * MINUTE - 251) == []
    assert ears.wait(1) == [TIME]
    assert ears.wait(250) == []


def test_what_is_long_ago_is_not_heard_any_more(ears: Ears):
    ears.clock("start")
    assert ears.wait(3001) == []
    assert ears.wait(70 * MINUTE + 5000) == [], "nobody looked at five minutes"
    assert ears.wait(5 * MINUTE) == []


def test_a_hub_that_starts_in_the_midst_of_a_round_is_not_heard(ears: Ears):
    ears.clock("start")
    again = Ears(ears.house)
    assert again.wait(250) == []


def test_a_pause_is_no_start_and_five_minutes_come_again_only_if_they_do(ears: Ears):
    ears.clock("start")
    ears.wait(250)
    ears.clock("pause")
    ears.wait(250)
    ears.clock("start")
    assert ears.wait(250) == []
    ears.clock("set", 5 * MINUTE + 100)
    ears.wait(0)
    assert ears.wait(200) == [FIVE]
    ears.clock("pause")
    ears.wait(250)
    ears.clock("start")
    assert ears.wait(250) == []
    ears.clock("adjust", 5 * MINUTE)
    ears.wait(0)
    assert ears.wait(5 * MINUTE) == [FIVE], "minutes were added, and they are over again"


def test_the_hub_is_silenced_from_the_console(ears: Ears):
    organizer = ears.house.organizer()
    organizer.get("/console/displays")
    organizer.post("/console/displays/sound", on="0")
    ears.clock("start")
    assert ears.wait(250) == []
    organizer.post("/console/displays/sound", on="1")
    ears.wait(70 * MINUTE - 251)
    assert ears.wait(1) == [FIVE]


def test_a_missing_device_is_told_once_and_on_the_console(ears: Ears, caplog: pytest.LogCaptureFixture):
    ears.broken = "no soundcard here"
    ears.clock("start")
    with caplog.at_level(logging.ERROR):
        ears.wait(250)
        ears.wait(70 * MINUTE - 251)
        ears.wait(1)
    assert [record.getMessage() for record in caplog.records] == [
        "the hub's audio out cannot be heard: no soundcard here"]
    organizer = ears.house.organizer()
    assert "cannot be heard: no soundcard here" in text_of(organizer.get("/console/displays"))
    ears.broken = ""
    ears.wait(5 * MINUTE - 1)
    assert ears.wait(1) == [TIME]
    assert "no soundcard here" not in text_of(organizer.get("/console/displays"))


@pytest.mark.parametrize("moment", [START, FIVE, TIME])
def test_a_tone_is_a_short_wav_file_without_cracks(moment: str):
    with wave.open(io.BytesIO(tone(moment))) as file:
        assert 0.3 < file.getnframes() / file.getframerate() < 4
        samples = memoryview(file.readframes(file.getnframes())).cast("h")
    assert max(samples) > 10_000
    assert abs(samples[0]) < 500
    assert abs(samples[-1]) < 2000


# --- a wall's browser -------------------------------------------------------------------------------------------------

FAKE = """
    window.tones = JSON.parse(sessionStorage.getItem("tones") || "[]");
    window.AudioContext = class extends EventTarget {
      constructor() {
        super();
        this.state = sessionStorage.getItem("muted") ? "suspended" : "running";
        this.currentTime = 0;
      }
      resume() { this.state = "running"; return Promise.resolve(); }
      createGain() { return { gain: { setValueAtTime() {}, linearRampToValueAtTime() {} }, connect: (to) => to }; }
      createOscillator() {
        return { frequency: { set value(hertz) {
          window.tones.push(hertz);
          sessionStorage.setItem("tones", JSON.stringify(window.tones));
        } }, connect: (to) => to, start() {}, stop() {} };
      }
    };"""
HEARD = {START: [660, 880], FIVE: [880, 880], TIME: [880, 880, 660]}


@pytest.fixture
def browser() -> Iterator[webdriver.Chrome]:
    options = webdriver.ChromeOptions()
    for flag in FLAGS:
        options.add_argument(flag)
    driver = webdriver.Chrome(options=options, service=Service(CHROMEDRIVER))
    driver.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": FAKE})
    yield driver
    driver.quit()


def tones(browser: webdriver.Chrome) -> Any:
    return browser.execute_script("return window.tones")


def looked(browser: webdriver.Chrome) -> None:
    """Some looks later: what is not heard by then is not heard."""
    browser.execute_async_script("setTimeout(arguments[0], 400)")


def left(house: House, ms: int) -> None:
    remaining = house.event.clock.remaining_at(house.hub.clocks.now())
    assert remaining is not None
    house.service.tell("e1", SetClock("adjust", ms - remaining), "test")


@pytest.mark.skipif(CHROMEDRIVER is None, reason="no chromedriver (apt install chromium chromium-driver)")
def test_a_wall_is_heard_once_a_moment_and_not_again_when_it_is_loaded_again(tmp_path: Path, browser: webdriver.Chrome):
    with a_hub(tmp_path) as (house, url):
        house.with_event()
        house.publish()
        browser.get(f"{url}/wall/e1?sound=1")
        ready = "return window.roundtap && window.roundtap.known()"
        until(lambda: browser.execute_script(ready), "the hub's time")
        heard: list[int] = []
        house.service.tell("e1", SetClock("start"), "test")
        for moment, before_ms in ((START, None), (FIVE, 5 * MINUTE + 400), (TIME, 400)):
            if before_ms is not None:
                left(house, before_ms)
            heard += HEARD[moment]
            until(lambda heard=heard: tones(browser) == heard, moment)  # type: ignore[misc]
            browser.refresh()
            until(lambda: browser.execute_script(ready), "the hub's time")
            looked(browser)
            assert tones(browser) == heard, "loaded again"
        # Long after time a wall that comes is silent.
        left(house, -4000)
        browser.execute_script("sessionStorage.clear()")
        browser.refresh()
        until(lambda: browser.execute_script(ready), "the hub's time")
        looked(browser)
        assert tones(browser) == []


@pytest.mark.skipif(CHROMEDRIVER is None, reason="no chromedriver (apt install chromium chromium-driver)")
def test_a_browser_that_keeps_quiet_says_what_to_do(tmp_path: Path, browser: webdriver.Chrome):
    with a_hub(tmp_path) as (house, url):
        house.with_event()
        house.publish()
        browser.get(f"{url}/wall/e1?sound=1")
        press = "return document.getElementById('sound-press').checkVisibility()"
        assert not browser.execute_script(press)
        browser.execute_script("sessionStorage.setItem('muted', '1')")
        browser.refresh()
        until(lambda: browser.execute_script(press), "the words")
        browser.find_element("css selector", "#sound-press button").click()
        until(lambda: not browser.execute_script(press), "silence is over")
        browser.get(f"{url}/wall/e1")
        assert not browser.execute_script("return document.getElementById('sound-press')"), "a wall without sound"
