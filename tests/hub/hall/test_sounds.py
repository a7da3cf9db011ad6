"""What is heard when a round starts, at five minutes and at time: once, not again, and never long after."""

import io
import logging
import wave
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from asgi_client import AsgiClient
from pages_kit import House, open_house, text_of

from roundtap_core.event.commands import SetClock
from roundtap_hub.app.asgi import HubApplication
from roundtap_hub.hall.hub_sound import FIVE, START, TIME, HubSound, tone_wav

MINUTE = 60_000


class Ears:
    """A hub with an audio out that notes what it is handed; the clock goes on by hand."""

    def __init__(self, house: House) -> None:
        self.house = house
        self.broken = ""
        self.played: list[str] = []
        names = {tone_wav(moment): moment for moment in (START, FIVE, TIME)}

        def play(sound: bytes) -> None:
            if self.broken:
                raise OSError(self.broken)
            self.played.append(names[sound])

        self.sound = HubSound(house.service, house.hub.clocks.now, play)
        house.hub.sound = self.sound
        self.wait(0)

    def wait(self, ms: int) -> list[str]:
        """What was heard when so much time had gone."""
        self.house.time.ms += ms
        self.played.clear()
        self.sound.check_clocks()
        self.sound.stop()
        self.sound._work()
        return list(self.played)

    def clock(self, action: str, delta_ms: int = 0) -> None:
        self.house.service.execute_one("e1", SetClock(action, delta_ms), "test")


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
    assert caplog.messages == ["the hub's audio out cannot be heard: no soundcard here"]
    organizer = ears.house.organizer()
    assert "sound does not work: no soundcard here" in text_of(organizer.get("/console/displays"))
    ears.broken = ""
    ears.wait(5 * MINUTE - 1)
    assert ears.wait(1) == [TIME]
    assert "no soundcard here" not in text_of(organizer.get("/console/displays"))


@pytest.mark.parametrize("moment", [START, FIVE, TIME])
def test_a_tone_is_a_short_wav_file_without_cracks(moment: str):
    with wave.open(io.BytesIO(tone_wav(moment))) as file:
        assert 0.3 < file.getnframes() / file.getframerate() < 4
        samples = memoryview(file.readframes(file.getnframes())).cast("h")
    assert max(samples) > 10_000
    assert abs(samples[0]) < 500
    assert abs(samples[-1]) < 2000


def test_the_sound_begins_with_the_hub_and_ends_with_it(tmp_path: Path):
    with open_house(tmp_path) as house:
        said: list[str] = []
        sound = HubSound(house.service, house.hub.clocks.now, lambda wav: None)
        house.hub.sound = sound
        sound.start, sound.stop = lambda: said.append("start"), lambda: said.append("stop")
        with closing(AsgiClient(HubApplication(house.hub), lifespan=True)):
            assert said == ["start"]
        assert said == ["start", "stop"]
