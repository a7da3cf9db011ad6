"""An event of four players from "New event" to its champion with Tab, Enter, arrows, letters and digits alone."""

import pytest
from hall_kit import Hall
from pages_kit import PIN
from screen_kit import Screen
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.keys import Keys

from roundtap_hub.live.forms import CLICK_DEBOUNCE_MS

NAMES = ["Aleksandra Wiśniewska-Szczepańska", "Bruno Maier", "Łukasz Żak", "Eva Luz"]
TABS_MAX = 120
"""Further than that nobody would tab."""

SEEN = """
// What has the focus: whether it is what is wanted, and whether a person sees that it has it.
const one = document.activeElement, style = getComputedStyle(one), box = one.getBoundingClientRect();
const ringed = style.outlineStyle !== "none" && parseFloat(style.outlineWidth) >= 2;
const inside = box.bottom > 0 && box.top < innerHeight && box.right > 0 && box.left < innerWidth;
const at = document.elementFromPoint((Math.max(box.left, 0) + Math.min(box.right, innerWidth)) / 2,
                                     (Math.max(box.top, 0) + Math.min(box.bottom, innerHeight)) / 2);
const shown = inside && !!at && (one.contains(at) || at.contains(one));
return [one.matches(arguments[0]), ringed, shown, one.outerHTML.slice(0, 160)];
"""


class Keyboard:
    """Nothing but keys."""

    def __init__(self, screen: Screen) -> None:
        self.screen = screen
        self.pressed = 0

    def press(self, *keys: str) -> None:
        self.pressed += sum(map(len, keys))
        self.screen.press(*keys)

    def tab_to(self, selector: str, back: bool = False) -> None:
        """Tab until it has the focus; wherever the focus stops it can be seen."""
        stops = []
        for _ in range(TABS_MAX):
            if back:
                ActionChains(self.screen.driver).key_down(Keys.SHIFT).send_keys(Keys.TAB).key_up(Keys.SHIFT).perform()
            else:
                self.press(Keys.TAB)
            wanted, ringed, shown, what = self.screen.run(SEEN, selector)
            stops.append(what)
            assert ringed or "<body" in what or "<html" in what, f"no ring around {what}"
            assert shown or "<body" in what or "<html" in what, f"the focus cannot be seen at {what}"
            if wanted:
                return
        raise AssertionError(f"{selector} was not reached: {stops[-8:]}")


@pytest.mark.long
@pytest.mark.parametrize("rounds", [1, 2])
def test_from_a_new_event_to_its_champion(own_hall: Hall, screen: Screen, rounds: int) -> None:
    hall = own_hall
    screen.stand_still()
    keys = Keyboard(screen)
    screen.open(f"{hall.url}/login?next=/console/new")
    keys.press(PIN, Keys.ENTER)
    screen.until(lambda: screen.all("#new"), "the form")

    keys.tab_to("#new [name=name]")
    keys.press("Winter Open")
    keys.tab_to("#new [name=level]")
    keys.press(Keys.SPACE)
    keys.tab_to("#new details.more > summary")
    keys.press(Keys.ENTER)
    keys.tab_to("#new [name=structure]")
    while screen.run("return document.activeElement.value") != "own":
        keys.press(Keys.ARROW_DOWN)
    keys.press(Keys.TAB, str(rounds))
    keys.tab_to("#new [name=cut]")
    while screen.run("return document.activeElement.value") != "2":
        keys.press(Keys.ARROW_DOWN)
    keys.press(Keys.ENTER)
    keys.tab_to("#new button.main")
    keys.press(Keys.ENTER)
    screen.until(lambda: screen.all("#next"), "the event")

    _settled(hall, screen)
    keys.tab_to("#next .main")
    keys.press(Keys.ENTER)
    screen.until(lambda: screen.run("return document.activeElement.name === 'names'"), "the names")
    keys.press(Keys.ENTER.join(NAMES))
    keys.tab_to("#enter form button:not([type])")
    keys.press(Keys.ENTER)
    screen.until(lambda: len(hall.event("e1").entrants) == 4, "all four")
    screen.until(lambda: screen.all("#roster li"), "the players' place")
    keys.press("gp")

    first_name, last_name = _rounds(hall, keys).split()
    assert hall.event("e1").finished
    keys.tab_to("#next .main")
    keys.press(Keys.ENTER)
    screen.until(lambda: screen.driver.current_url.endswith("/standings"), "the standings")
    assert f"{first_name} {last_name}" in screen.one("tbody tr").text
    print(f"{keys.pressed} keys for an event of four")


def _settled(hall: Hall, screen: Screen) -> None:
    """The next step is there, and takes a press on the page and at the hub."""
    screen.until(lambda: screen.all("#next"), "the next step")
    screen.settle()
    hall.time.ahead_ms += CLICK_DEBOUNCE_MS


def _rounds(hall: Hall, keys: Keyboard) -> str:
    """Draw, publish, start, results, until the event is over; who won the final, as the page has called them."""
    screen, winner = keys.screen, ""

    def step() -> str:
        """The next step, once it takes a press."""
        _settled(hall, screen)
        return str(screen.one("#next").get_attribute("data-step")).split()[0]

    for _ in range(40):
        at = step()
        if at == "finished":
            return winner
        if at == "missing":
            winner = _result(keys)
            continue
        keys.tab_to("#next .main, #next .confirm > summary")
        before = hall.event("e1").number
        keys.press(Keys.ENTER)
        if screen.run("return !!document.querySelector('#next .confirm[open]')"):
            keys.tab_to("#next .confirm form button.danger")
            step()
            keys.press(Keys.ENTER)
        screen.until(lambda before=before: hall.event("e1").number > before, f"{at} to be done")
        screen.until(lambda at=at: step() != at, f"the step after {at}")
    raise AssertionError("no end of it")


def _result(keys: Keyboard) -> str:
    """The first open table's result; who won."""
    screen = keys.screen
    keys.tab_to("#missing a")
    keys.press(Keys.ENTER)
    screen.until(lambda: screen.run("return document.activeElement.id") == "entry-text", "the line of its result")
    winner = screen.one("#entry-drawer .versus b").text
    keys.press("a24")
    screen.until(lambda: screen.all("#entry-line[data-line='a24'] form"), "what the line means")
    keys.press(Keys.ENTER)
    screen.until(lambda: screen.all("#entry-drawer .entry-done"), "the result to be saved")
    keys.press(Keys.ESCAPE)
    return winner
