"""The same people every Friday: eleven of last week's twelve come, one stays away, one is new. From the list of events
to round 1 in at most 20 presses, by keyboard alone and by mouse alone; the letters of the new name count."""

from time import monotonic

import pytest
from fridays_kit import TWELVE, four_fridays, friday
from hall_kit import Hall
from hand_kit import PRESSED, SPOT
from pages_kit import PIN, here
from screen_kit import PHONE, Screen, Size
from selenium.common.exceptions import WebDriverException
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.keys import Keys

from roundtap_core.event.states import active_ids

AWAY, NEW = "Jędrzej Ćwikła", "Ida Lis"
PRESSES_MAX = 20


class Counted:
    """Every key and every click; the page's own time, as a person has it."""

    def __init__(self, screen: Screen) -> None:
        self.screen, self.presses = screen, 0

    def keys(self, *keys: str) -> None:
        self.presses += sum(map(len, keys))
        self.screen.press(*keys)

    def back(self) -> None:
        self.presses += 1
        ActionChains(self.screen.driver).key_down(Keys.SHIFT).send_keys(Keys.TAB).key_up(Keys.SHIFT).perform()

    def click(self, selector: str) -> None:
        self.presses += 1

        def pressed() -> bool:
            spot = self.screen.run(SPOT, self.screen.one(selector))
            for kind in ("mousePressed", "mouseReleased") if spot else ():
                self.screen.cdp(
                    "Input.dispatchMouseEvent",
                    {"type": kind, "x": spot[0], "y": spot[1], "button": "left", "clickCount": 1},
                )
            try:
                return bool(spot) and bool(self.screen.run(PRESSED))
            except WebDriverException:  # The page is being left.
                return True

        self.screen.until(pressed, f"{selector} to be pressed")

    def focused(self, selector: str) -> None:
        self.screen.until(
            lambda: self.screen.run("return document.activeElement.matches(arguments[0])", selector),
            f"{selector} to have the focus",
        )


@pytest.fixture
def hand(own_hall: Hall, screen: Screen) -> Counted:
    own_hall.time.wall = here("2026-11-27T18:00:00")
    four_fridays(own_hall.house.service)
    screen.log_in(own_hall.url, PIN)
    screen.open(f"{own_hall.url}/console")
    return Counted(screen)


def entered(hall: Hall) -> dict[str, bool]:
    """Who is entered tonight, and whether they would be paired."""
    snapshot = hall.house.service.snapshot
    if "e5" not in snapshot.events:
        return {}
    state, people = snapshot.events["e5"], snapshot.people_of("e5")
    return {people[who].name: who in active_ids(state) for who in state.entrants}


def goal_is_met(hall: Hall, hand: Counted, begun: float, way: str) -> None:
    hand.screen.until(lambda: hall.event("e5").public_rounds, "round 1 to be published")
    took_s = monotonic() - begun
    playing = {name for match in hall.event("e5").public_rounds[0].matches for name in (match.match.a, match.match.b)}
    people = hall.house.service.snapshot.people_of("e5")
    assert {people[who].name for who in playing if who} == {*TWELVE, NEW} - {AWAY}
    assert hall.event("e5").name == "Friday 13"
    print(f"{way}: {hand.presses} presses, {took_s:.1f} s")
    assert hand.presses <= PRESSES_MAX


def test_by_keyboard_alone(own_hall: Hall, hand: Counted) -> None:
    screen, begun = hand.screen, monotonic()
    hand.keys("ga")
    hand.focused("#name")
    hand.keys(Keys.ARROW_DOWN, Keys.ENTER)
    screen.until(lambda: len(entered(own_hall)) == len(TWELVE), "all of last time")
    screen.until(lambda: len(screen.all(".regulars [aria-pressed=true]")) == len(TWELVE), "their buttons")
    hand.focused("#name")
    hand.keys("ję")
    screen.until(lambda: len(screen.all(".regulars button")) == 1, "the one that is meant")
    hand.keys(Keys.ARROW_DOWN, Keys.ENTER)
    screen.until(lambda: not entered(own_hall)[AWAY], "who stays away to be taken back")
    hand.focused("#name")
    screen.until(lambda: len(screen.all(".regulars button")) == len(TWELVE), "all of them again")
    hand.keys(NEW, Keys.ENTER)
    hand.focused("#new-player")
    hand.keys(Keys.ENTER)
    screen.until(lambda: entered(own_hall).get(NEW), "the new one")
    hand.focused("#name")
    hand.back()
    hand.keys(Keys.ENTER)
    screen.until(lambda: own_hall.event("e5").draft, "round 1 to be drawn")
    hand.focused("#next .main")
    screen.until(lambda: not screen.all(".settling"), "the page to take presses")
    hand.keys(Keys.ENTER)
    goal_is_met(own_hall, hand, begun, "keyboard")


def test_by_mouse_alone(own_hall: Hall, hand: Counted) -> None:
    """Letters aside: no mouse types a name."""
    screen, begun = hand.screen, monotonic()
    hand.click(".event-list.over li:first-child form[action$='/again'] button")
    screen.until(lambda: screen.all("#regulars"), "the check-in")
    hand.click("#regulars .row form button")
    screen.until(lambda: len(entered(own_hall)) == len(TWELVE), "all of last time")
    screen.until(lambda: len(screen.all(".regulars [aria-pressed=true]")) == len(TWELVE), "their buttons")
    away = next(one for one in screen.all(".regulars button") if AWAY in one.text)
    hand.click(f"[id='{away.get_attribute('id')}']")
    screen.until(lambda: not entered(own_hall)[AWAY], "who stays away to be taken back")
    hand.click("#name")
    hand.keys(NEW)
    screen.until(lambda: screen.all("#new-player"), "a button for the new name")
    hand.click("#new-player")
    screen.until(lambda: entered(own_hall).get(NEW), "the new one")
    hand.click("#check-draw button")
    screen.until(lambda: own_hall.event("e5").draft and screen.all("#next .main"), "round 1 to be drawn")
    screen.until(lambda: not screen.all(".settling"), "the page to take presses")
    hand.click("#next .main")
    goal_is_met(own_hall, hand, begun, "mouse")


def test_a_tap_moves_nothing_and_a_double_click_is_one(own_hall: Hall, hand: Counted) -> None:
    screen = hand.screen
    # The page is longer than the window from the beginning, not only once somebody is here.
    screen.size(Size(1366, 480))
    screen.stand_still()
    screen.open(f"{own_hall.url}/console")
    hand.click(".event-list.over li:first-child form[action$='/again'] button")
    screen.until(lambda: screen.all(".regulars button"), "the regulars")
    last = f"[id='{screen.all('.regulars button')[-1].get_attribute('id')}']"
    screen.run("arguments[0].scrollIntoView({block: 'center'}); window.stayed = true", screen.one(last))
    where = screen.run("return scrollY")
    hand.click(last)
    screen.until(lambda: screen.all(f"{last}[aria-pressed=true]"), "the tap to be seen")
    hand.click(last)
    screen.until(lambda: screen.run("return !document.querySelector(arguments[0]).disabled", last), "it to rest")
    assert list(entered(own_hall).values()) == [True]
    assert screen.run("return window.stayed"), "the page was not left"
    assert screen.run("return scrollY") == where
    screen.until(lambda: screen.run("return document.activeElement.matches(arguments[0])", last), "the same focus")
    screen.go_on(600)
    hand.click(last)
    screen.until(lambda: screen.all(f"{last}[aria-pressed=false]"), "a tap of its own to take it back")
    assert list(entered(own_hall).values()) == [False]


ROWS = """const buttons = [...document.querySelectorAll(".regulars button")], rows = {};
for (const one of buttons) {
  const { top, right } = one.getBoundingClientRect();
  if (right > innerWidth) throw new Error(one.textContent);
  (rows[Math.round(top)] ||= []).push(one.querySelector("span").textContent);
}
return Object.values(rows)"""


def test_on_a_phone_short_names_stand_two_to_a_row_and_a_long_one_alone(own_hall: Hall, screen: Screen) -> None:
    own_hall.time.wall = here("2026-11-27T18:00:00")
    longest = "Eve " + "X" * 76
    long_part = "Ewa Szczepańska-Brzęczyszczykiewicz"
    friday(own_hall.house.service, "Friday 5", "2026-11-13", [long_part, "Pía Núñez"])
    friday(own_hall.house.service, "Friday 12", "2026-11-20", ["Ana Ruiz", "Bo Lis", "Eva Luz", longest, "Kai Eich"])
    own_hall.house.organizer().post("/console/e1/again")
    screen.log_in(own_hall.url, PIN)
    screen.size(PHONE)
    screen.open(f"{own_hall.url}/console/e3/check-in")
    rows = [["Ana Ruiz", "Bo Lis"], ["Eva Luz"], [longest], ["Kai Eich"], [long_part], ["Pía Núñez"]]
    assert screen.run(ROWS) == rows
    own_hall.house.organizer().post("/console/e3/regulars", who="last")
    screen.until(lambda: len(screen.all(".regulars [aria-pressed=true]")) == 5, "five to be here")
    assert screen.run(ROWS) == rows
