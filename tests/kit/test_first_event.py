"""An event in a real browser: the bench by mouse and keyboard, the console's one next step."""

import re
import subprocess
import time
from collections.abc import Callable, Iterator

import pytest
from selenium import webdriver
from selenium.common.exceptions import (
    ElementClickInterceptedException,
    ElementNotInteractableException,
    StaleElementReferenceException,
)
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

from kit import READ_S, end, free_port, read_until, wait_until
from roundtap.kit.virtual_kit import start_roundtap

BUTTONS = "main:not(.settling) #next:not(.settling) :is(.main, .confirm[open] button.danger)"
"""The next step once it takes presses, and its answer where it asks once more."""
CHANGED = (StaleElementReferenceException, ElementClickInterceptedException, ElementNotInteractableException)
"""The page changed by itself between the look and the press."""
AGAIN_S = 15.0
"""Press again if nothing has happened for this long."""
CLOCK = re.compile(r"\d+:\d\d")
SEATED, RUNS, ANSWER = r"^● [^|]+ \| 75:00 \|", r"7[0-5]:\d\d \| Won\?", "Right?"


@pytest.fixture
def demo() -> Iterator[tuple[str, str, str]]:
    """A running demo of X-Wing with two tables and four players: bench address, console address, PIN."""
    port = free_port()
    process = start_roundtap(
        "demo", "--port", str(port), "--rulebook", "xwing-standard", stdout=subprocess.PIPE, text=True
    )
    said = read_until(process, "Ctrl-C")
    pin = re.search(r"PIN is (\d+)", said)
    assert pin
    yield f"http://127.0.0.1:{port + 1}/bench", f"http://127.0.0.1:{port}/console", pin[1]
    assert end(process) == 0


class Evening:
    """Two tabs, as a person has them: the bench and the console."""

    def __init__(self, browser: webdriver.Chrome, bench: str, console: str, pin: str) -> None:
        self.browser = browser
        browser.get(bench)
        self.bench_tab = browser.current_window_handle
        browser.switch_to.new_window("tab")
        self.console_tab = browser.current_window_handle
        browser.get(console)
        try:
            asked = wait_until(lambda: browser.find_elements(By.NAME, "pin"), "the console to ask for the PIN")
        except AssertionError as error:
            shown = browser.find_element(By.TAG_NAME, "body").text
            raise AssertionError(f"{error}; {browser.current_url} says: {shown[:600]!r}") from None
        asked[0].send_keys(pin, Keys.ENTER)
        wait_until(lambda: self._stands("Start clock") or self._press("a", "Friday night"), "the event's console")

    def _show(self, tab: str) -> None:
        """A tab that nobody sees follows nothing."""
        self.browser.switch_to.window(tab)
        self.browser.execute_cdp_cmd("Page.bringToFront", {})

    def table(self, number: int) -> webdriver.remote.webelement.WebElement:
        self._show(self.bench_tab)
        boxes = wait_until(
            lambda: self.browser.find_elements(By.CSS_SELECTOR, f'.table[data-number="{number}"]'), "the table"
        )
        return boxes[0]

    def _words(self, number: int) -> str:
        return self.table(number).find_element(By.CSS_SELECTOR, ".words").get_attribute("textContent") or ""

    def says(self, number: int, words: str) -> None:
        """`words`: a regular expression."""
        self._until(number, words, lambda: None)

    def click(self, number: int, pin: str, then: str) -> None:
        """Press a button by mouse, until the table says what comes of it: a regular expression."""
        self._until(number, then, self.table(number).find_element(By.CSS_SELECTOR, f'[data-pin="{pin}"]').click)

    def type(self, number: int, key: str, then: str) -> None:
        """Choose the table by its number, then press its button by keyboard, until it says what comes of it."""

        def finger() -> None:
            ActionChains(self.browser).send_keys(str(number)).perform()
            ActionChains(self.browser).key_down(key).pause(0.05).key_up(key).pause(0.05).perform()

        self._until(number, then, finger)

    def _until(self, number: int, then: str, finger: Callable[[], None]) -> None:
        if ANSWER in self._words(number):
            time.sleep(READ_S)
        pressed_s, shown = float("-inf"), CLOCK.sub("", self._words(number))

        def comes() -> bool:
            nonlocal pressed_s
            words = self._words(number)
            if re.search(then, words):
                return True
            if time.monotonic() - pressed_s > AGAIN_S and CLOCK.sub("", words) == shown:
                finger()
                pressed_s = time.monotonic()
            return False

        try:
            wait_until(comes, f"table {number} to say {then!r}")
        except AssertionError as error:
            raise AssertionError(f"{error}; it says {self._words(number)!r}") from None

    def next_step(self, button: str, then: str) -> None:
        """Press the console's one button that says so, until `then` stands there: who pressed while the page changed
        under their finger presses again."""
        self._show(self.console_tab)
        wait_until(lambda: self._stands(then) or self._press(BUTTONS, button), f"{then!r} after the button {button!r}")

    def _stands(self, words: str) -> bool:
        try:
            return any(words in each.text for each in self.browser.find_elements(By.CSS_SELECTOR, "#next, h1"))
        except CHANGED:
            return False

    def _press(self, among: str, words: str) -> None:
        try:
            for each in self.browser.find_elements(By.CSS_SELECTOR, among):
                if words in each.text:
                    each.click()
                    return
        except CHANGED:
            return


@pytest.mark.parametrize("rounds", [1, pytest.param(3, marks=pytest.mark.long)], ids=["one round", "all rounds"])
def test_a_four_player_event_from_seats_to_standings(
    demo: tuple[str, str, str],
    browser: webdriver.Chrome,
    rounds: int,
) -> None:
    """So many rounds by hand, and the draw of the next one or the standings."""
    evening = Evening(browser, *demo)
    for round_number in range(1, rounds + 1):
        for number in (1, 2):
            evening.click(number, "a", then=r"✓ .*press button")
            evening.click(number, "b", then=SEATED)
        evening.next_step("Start clock", then="2 results missing")
        # Table 1 by mouse: 100:10 for the circle. Table 2 by keyboard: 100:0 for the square.
        evening.says(1, RUNS)
        evening.click(1, "a", then=r" 100 \| 0 .*● OK")
        evening.click(1, "up", then=r" 100 \| 10 .*● next")
        evening.click(1, "a", then="● OK")
        evening.click(1, "a", then="■ yes")
        evening.click(1, "b", then="SAVED")
        evening.says(2, RUNS)
        evening.type(2, "l", then=r" 0 \| 100 .*■ OK")
        evening.type(2, "l", then="● yes")
        evening.type(2, "a", then="SAVED")
        if round_number < 3:
            evening.next_step(f"Draw round {round_number + 1}", then=f"Round {round_number + 1} is drawn")
        if round_number < rounds:
            evening.next_step("Publish", then=f"Start the clock for round {round_number + 1}")
    if rounds < 3:
        return
    evening.next_step("Finish", then="Yes: Finish")
    evening.next_step("Yes: Finish", then="The event is finished")
    evening.next_step("standings", then="Final standings")
    rows = wait_until(lambda: browser.find_elements(By.CSS_SELECTOR, "tbody tr"), "the standings")
    assert len(rows) == 4
