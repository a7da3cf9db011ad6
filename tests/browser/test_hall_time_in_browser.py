"""The hub's clock beside a real browser's: offered where they differ by more than a minute, set in one press."""

import time

import pytest
from hall_kit import Hall
from pages_kit import PIN
from screen_kit import Screen

from roundtap_hub.store.own_machine import HallTime
from roundtap_machine.root_steps import EARLIEST_S


class Desk:
    def __init__(self, hall: Hall, screen: Screen) -> None:
        self.screen, self.url, self.ahead_s, self.set_s = screen, hall.url, 0.0, list[int]()
        made = HallTime(
            None, "boot", hall.time, lambda: time.time() + self.ahead_s, lambda: False, lambda: True, self.ask_root
        )
        hall.house.hub.host.hall_time = made

    def ask_root(self, step: str, seconds: int) -> dict[str, bool]:
        self.set_s.append(seconds)
        self.ahead_s = seconds - time.time()
        return {"done": True}

    def offered(self) -> bool:
        self.screen.open(f"{self.url}/console")
        return self.screen.one("#hall-time").is_displayed()


@pytest.fixture
def desk(own_hall: Hall, screen: Screen) -> Desk:
    if time.time() < EARLIEST_S:
        pytest.skip("this machine's own clock is implausible")
    made = Desk(own_hall, screen)
    screen.log_in(own_hall.url, PIN)
    return made


def test_one_press_sets_a_hub_that_is_an_hour_ahead(desk: Desk) -> None:
    assert not desk.offered(), "both know what time it is"
    desk.ahead_s = 3600.0
    assert desk.offered()
    desk.screen.click("#hall-time button")
    desk.screen.until(lambda: desk.set_s, "the hour to be set")
    assert len(desk.set_s) == 1
    assert abs(desk.set_s[0] - time.time()) < 60
    assert not desk.offered()
