"""The demo's guide in a real browser: whoever presses what is lit, and nothing else, sees a champion on the wall."""

from __future__ import annotations

import os
import re
import subprocess
import time
from collections.abc import Iterator
from functools import partial

import pytest
from axe_core_python.selenium import Axe
from selenium import webdriver
from selenium.common.exceptions import WebDriverException
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

from kit import READ_S, WAIT_S, end, free_port, read_until, wait_until
from roundtap.kit.child_processes import start_roundtap

AGAIN_S = 20.0
"""Press again if nothing has happened for this long: the page changed under the finger."""
NAMED_S = 10.0
STEP_S = 3 * WAIT_S
PRESSED = "main:not(.settling) :not(.settling) > :is(button, a, summary)"
"""What takes presses: a page that has just changed takes none for a moment."""
PICTURES = os.environ.get("ROUNDTAP_GUIDE_PICTURES")

# A whole event in a browser: a minute and a half, and its presses still miss at times (the cut's confirmation).
pytestmark = pytest.mark.long


class Visitor:
    """Somebody who reads the guide's step and presses what it lights up."""

    def __init__(self, browser: webdriver.Chrome, page: str) -> None:
        self.browser = browser
        self.presses = 0
        browser.set_window_size(1366, 768)
        browser.get(page)
        wait_until(lambda: self.step, "the guide")

    @property
    def step(self) -> tuple[str, str]:
        """The current step and what is lit for it."""
        found: tuple[str, str] = tuple(self.browser.execute_script("""
            const lit = document.querySelector(".lit");
            const step = document.querySelector("#steps [aria-current]");
            return [step ? step.textContent : "", lit ? (lit.closest("[data-unit]") || lit).dataset.unit + lit.id +
                    lit.dataset.pin : ""];"""))
        return found if found[0] else ("", "")

    @property
    def end(self) -> str:
        shown = self.browser.find_element(By.ID, "end")
        return shown.text if shown.is_displayed() else ""

    def follow(self) -> None:
        """One step, or a part of one: until something else is lit."""
        before, pressed_s = self.step, float("-inf")

        def moved_on() -> bool:
            nonlocal pressed_s
            if self.step != before or self.end:
                return True
            if before[1] and time.monotonic() - pressed_s > AGAIN_S:
                self._press_lit()
                pressed_s = time.monotonic()
            return False

        wait_until(moved_on, f"the step after {before}", STEP_S)

    def _press_lit(self) -> None:
        try:
            lit = self.browser.find_element(By.CSS_SELECTOR, ".lit")
            names = [each.text for each in self.browser.find_elements(By.CSS_SELECTOR, "#steps [aria-current] p b")]
            if lit.tag_name == "button":
                time.sleep(READ_S)
                lit.click()
                self.presses += 1
                return
            self.browser.switch_to.frame(lit.find_element(By.TAG_NAME, "iframe"))
            for name in names:
                wait_until(partial(self._press_named, name), name, NAMED_S)
                self.presses += 1
        except (WebDriverException, AssertionError):
            return
        finally:
            self.browser.switch_to.default_content()

    def _press_named(self, name: str) -> bool:
        """Whether something that is called so was pressed; of several the one with the shortest name."""
        try:
            there = [(each.text, each) for each in self.browser.find_elements(By.CSS_SELECTOR, PRESSED)
                     if each.is_displayed()]
            found = [each for text, each in sorted(there, key=lambda one: len(one[0])) if name in text]
            # By keyboard: the driver would click beside what stands in a frame that is shown smaller.
            for each in found[:1]:
                each.send_keys(Keys.ENTER)
            return bool(found)
        except WebDriverException:
            return False


@pytest.fixture
def demo(request: pytest.FixtureRequest) -> Iterator[str]:
    """A running demo: the one address that it prints."""
    process = start_roundtap("demo", "--port", str(free_port()), *getattr(request, "param", ()),
                             stdout=subprocess.PIPE, text=True)
    said = read_until(process, "Ctrl-C")
    addresses = re.findall(r"http\S+", said)
    assert len(addresses) == 1, said
    yield addresses[0]
    assert end(process) == 0


@pytest.mark.parametrize("demo", [("--language", "en"), pytest.param(("--language", "pl"), marks=pytest.mark.long)],
                         indirect=True)
def test_pressing_what_is_lit_leads_to_the_champion(demo: str, browser: webdriver.Chrome) -> None:
    visitor = Visitor(browser, demo)
    assert [found["help"] for found in Axe().run(browser)["violations"]] == []
    for number in range(40):
        if PICTURES:
            browser.save_screenshot(f"{PICTURES}/step{number:02}.png")
        if visitor.end:
            break
        visitor.follow()
    champion = re.match(r"\w+ \w\.", visitor.end)
    assert champion, visitor.end
    steps = browser.find_elements(By.CSS_SELECTOR, "#steps li")
    assert [each.get_attribute("class") for each in steps] == ["done"] * 14
    browser.switch_to.frame(browser.find_element(By.CSS_SELECTOR, "#wall iframe"))
    wait_until(lambda: champion[0] in browser.find_element(By.TAG_NAME, "body").text, "the champion on the wall")
    assert visitor.presses <= 30
