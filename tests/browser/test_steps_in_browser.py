"""The console's next step in a real browser: double and late clicks do nothing twice and nothing early, and the button
that goes on is on the screen after every step."""

import pytest
from hall_kit import Hall
from hand_kit import Hand
from pages_kit import PIN
from screen_kit import DESK, PHONE, Screen, Size
from selenium.webdriver.common.keys import Keys

from roundtap_core.event.commands import Command, DrawRound, DropCompetitor, PublishRound, SetClock

PEOPLE = [f"Player {n:02}" for n in range(1, 9)]


class Desk(Hand):
    """One console on one screen, of an event with everybody in it."""

    def __init__(self, screen: Screen, hall: Hall, size: Size, swiss: int = 2, cut: int = 4) -> None:
        super().__init__(screen, hall, size=size)
        self.event_id = hall.create("Winter Open", people=PEOPLE, swiss_rounds=swiss, cut=cut)
        self.look().log_in(self.url, PIN)
        screen.open(f"{self.url}/console/{self.event_id}")
        self.ready()

    @property
    def number(self) -> int:
        return self.hall.event(self.event_id).number

    def results(self, finger: bool = True) -> None:
        """All results but one; then the last one comes in live, under a finger that was about to press."""
        screen = self.screen
        self.hall.play(self.event_id, leave_open=1)
        screen.until(lambda: screen.all('#next[data-step^="missing"]'), "one to miss")
        self.ready()
        where, number = self.where(self.event_id), self.number
        last = self.hall.event(self.event_id).live.open_matches[0]  # type: ignore[union-attr]
        self.hall.report(self.event_id, last.id, "a", 100, 24)
        self.hall.report(self.event_id, last.id, "b", 100, 24)
        screen.until(lambda: screen.all('#next.changed:not([data-step^="missing"])'), "the live change")
        said = screen.one(".next-news")
        assert said.is_displayed()
        assert f" {last.match.table} " in said.text
        spot = self.in_sight("#next .main")
        if finger:
            self.late(spot)
        else:
            button = screen.one("#next .main")
            screen.run("arguments[0].focus()", button)
            button.send_keys(Keys.ENTER)
            button.send_keys(Keys.SPACE)
        assert (self.where(self.event_id), self.number) == (where, number + 2)
        self.ready()


@pytest.mark.long
@pytest.mark.parametrize(("size", "swiss", "cut"), [(PHONE, 2, 4), (DESK, 2, 4)], ids=["390x844", "1366x768"])
def test_hasty_hands_at_every_step_of_an_event_with_a_cut(
    hall: Hall,
    screen: Screen,
    size: Size,
    swiss: int,
    cut: int,
) -> None:
    desk = Desk(screen, hall, size, swiss, cut)
    event, last = desk.event_id, swiss + cut // 2
    for number in range(1, last + 1):
        made = number > swiss
        desk.next(event, (number - 1, 1, "idle", made, False))
        desk.next(event, (number, None, "idle", made, False))
        desk.next(event, (number, None, "running", made, False))
        desk.results(finger=number != 2)
        if number == 1:
            for anchor in ("needs", "missing", "grid"):
                screen.open(f"{hall.url}/console/{event}#{anchor}")
                desk.ready()
                desk.in_sight("#next .main")
        if number == swiss:
            desk.next(event, (swiss, None, "idle", True, False))
    desk.next(event, (last, None, "idle", True, True))
    assert hall.event(event).finished
    assert [played.draw.attempt for played in hall.event(event).rounds if played.draw] == [1] * last


def test_a_step_that_another_hand_brings_takes_no_late_click_either(hall: Hall, screen: Screen) -> None:
    """Two organizers, one event: what the other one did comes live, under this one's finger."""
    desk = Desk(screen, hall, DESK)

    def another_hand(*commands: Command) -> None:
        before = desk.step()
        hall.tell(desk.event_id, *commands)
        # Of two commands the first may come alone, and brings no button.
        screen.until(lambda: desk.step() not in ("", before) and screen.all("#next .main"), "the change")
        number = desk.number
        desk.late(desk.in_sight("#next .main"))
        assert desk.number == number
        assert "Too early" in screen.one("#too-soon").text
        desk.ready()
        assert desk.number == number

    another_hand(DrawRound(3))
    another_hand(DropCompetitor("p8"))
    another_hand(DrawRound(3))
    another_hand(PublishRound(1, 1))
    another_hand(SetClock("start"), SetClock("pause"))
    another_hand(SetClock("reset"))
