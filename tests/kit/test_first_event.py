"""The README's first event in a real browser: the bench by mouse and keyboard, the console's one next step."""

from __future__ import annotations

import re
import subprocess
import time
from collections.abc import Iterator

import pytest
from selenium import webdriver
from selenium.common.exceptions import StaleElementReferenceException
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

from kit import READ_S, end, free_port, read_until, wait_until
from roundtap.kit.leash import start_roundtap


@pytest.fixture
def demo() -> Iterator[tuple[str, str, str]]:
    """A running demo with two tables and four players: bench address, console address, PIN."""
    process = start_roundtap("demo", "--port", str(free_port()), "--tables", "2", "--players", "4",
                             stdout=subprocess.PIPE, text=True)
    said = read_until(process, "Ctrl-C")
    bench = re.search(r"Bench.*?(http\S+)", said)
    console = re.search(r"Console.*?(http\S+)\s+PIN (\d+)", said)
    assert bench
    assert console
    yield bench[1], console[1], console[2]
    assert end(process) == 0


BUTTONS = "#next:not(.settling) .main, #next:not(.settling) .confirm[open] button"
"""The next step once it takes presses, and its answer where it asks once more."""


class Evening:
    """Two tabs, as a person has them: the bench and the console."""

    def __init__(self, browser: webdriver.Chrome, bench: str, console: str, pin: str) -> None:
        self.browser = browser
        browser.get(bench)
        self.bench_tab = browser.current_window_handle
        browser.switch_to.new_window("tab")
        self.console_tab = browser.current_window_handle
        browser.get(console)
        asked = wait_until(lambda: browser.find_elements(By.NAME, "pin"), "the console to ask for the PIN")
        asked[0].send_keys(pin, Keys.ENTER)
        wait_until(lambda: self._links("Friday night"), "the event on the console")
        self._links("Friday night")[0].click()

    def _links(self, text: str) -> list[webdriver.remote.webelement.WebElement]:
        return self.browser.find_elements(By.PARTIAL_LINK_TEXT, text)

    def table(self, number: int) -> webdriver.remote.webelement.WebElement:
        self.browser.switch_to.window(self.bench_tab)
        boxes = wait_until(
            lambda: self.browser.find_elements(By.CSS_SELECTOR, f'.table[data-number="{number}"]'), "the table")
        return boxes[0]

    def says(self, number: int, words: str) -> None:
        box = self.table(number).find_element(By.CSS_SELECTOR, ".words")
        try:
            wait_until(lambda: words in (box.get_attribute("textContent") or ""), f"table {number} to say {words!r}")
        except AssertionError as error:
            raise AssertionError(f"{error}; it says {box.get_attribute('textContent')!r}") from None

    def click(self, number: int, *pins: str) -> None:
        for pin in pins:
            if "?" in (self.table(number).find_element(By.CSS_SELECTOR, ".words").get_attribute("textContent") or ""):
                time.sleep(READ_S)
            self.table(number).find_element(By.CSS_SELECTOR, f'[data-pin="{pin}"]').click()

    def type(self, number: int, *keys: str) -> None:
        """Choose the table by its number, then press its buttons by keyboard."""
        self.table(number)
        ActionChains(self.browser).send_keys(str(number)).perform()
        for key in keys:
            if "?" in (self.table(number).find_element(By.CSS_SELECTOR, ".words").get_attribute("textContent") or ""):
                time.sleep(READ_S)
            ActionChains(self.browser).key_down(key).pause(0.05).key_up(key).pause(0.05).perform()

    def next_step(self, button: str) -> None:
        """Wait until the console's one button says so, and press it."""
        self.browser.switch_to.window(self.console_tab)
        wait_until(lambda: self._press_main(button), f"the button {button!r}")

    def _press_main(self, button: str) -> bool:
        try:
            for main in self.browser.find_elements(By.CSS_SELECTOR, BUTTONS):
                if button in main.text:
                    main.click()
                    return True
        except StaleElementReferenceException:
            # The page changed by itself between the look and the press.
            return False
        return False


def test_a_four_player_event_from_seats_to_standings(
    demo: tuple[str, str, str], browser: webdriver.Chrome,
) -> None:
    evening = Evening(browser, *demo)
    for round_number in (1, 2, 3):
        if round_number > 1:
            evening.next_step(f"Draw round {round_number}")
            evening.next_step("Publish")
        for number in (1, 2):
            evening.says(number, "press yours")
            evening.click(number, "a", "b")
        evening.next_step("Start the clock")
        evening.says(1, "74:5")
        # Table 1 by mouse: 100:10 for the circle. Table 2 by keyboard: 100:0 for the square.
        evening.click(1, "a", "up", "a", "a")
        evening.says(1, "■ yes")
        evening.click(1, "b")
        evening.says(1, "SAVED")
        evening.type(2, "l", "l")
        evening.says(2, "● yes")
        evening.type(2, "a")
        evening.says(2, "SAVED")
    evening.next_step("Finish")
    evening.next_step("Yes: Finish")
    evening.next_step("standings")
    rows = wait_until(lambda: browser.find_elements(By.CSS_SELECTOR, "tbody tr"), "the standings")
    assert len(rows) == 4
