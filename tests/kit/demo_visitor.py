"""Somebody at the demo's hall: reads the guide's step, and presses what it lights up."""

import re
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial

from selenium.common.exceptions import WebDriverException
from selenium.webdriver.common.actions.action_builder import ActionBuilder
from selenium.webdriver.common.by import By
from selenium.webdriver.remote.webdriver import WebDriver
from selenium.webdriver.remote.webelement import WebElement

from kit import READ_S, end, free_port, read_until, wait_until
from roundtap.kit.virtual_kit import start_roundtap

AGAIN_S = 20.0
"""Press again if nothing has happened for this long: the page changed under the finger."""
NAMED_S = 10.0
EVERY_S = 0.1
NAMES = "#steps [aria-current] p b"
"""What the current step calls by its name, in the order in which it is to be pressed."""
WHERE = """
const named = [...document.querySelectorAll("main :is(button, a, summary)")].filter((each) =>
    each.innerText.includes(arguments[0]) && !each.disabled && !each.closest(".settling"));
for (const each of named.sort((one, other) => one.innerText.length - other.innerText.length)) {
    each.scrollIntoView({ block: "nearest", behavior: "instant" });
    const { x, y, width, height } = each.getBoundingClientRect();
    const [left, top] = [x + width / 2, y + height / 2];
    if (each.contains(document.elementFromPoint(left, top))) return [left, top];
}
return null;"""
"""The middle of what is called so, where nothing lies over it and it takes presses: for a moment after a change nothing
does. Of several the one with the shortest name."""


@contextmanager
def running_demo(*arguments: str) -> Iterator[str]:
    """A running demo: the one address that it prints."""
    process = start_roundtap("demo", "--port", str(free_port()), *arguments, stdout=subprocess.PIPE, text=True)
    said = read_until(process, "Ctrl-C")
    addresses = re.findall(r"http\S+", said)
    assert len(addresses) == 1, said
    yield addresses[0]
    assert end(process) == 0


class Visitor:
    """Somebody who reads the guide's step and presses what it lights up."""

    def __init__(self, browser: WebDriver, page: str) -> None:
        self.browser = browser
        self.presses = 0
        browser.set_window_size(1366, 768)
        browser.get(page)
        wait_until(lambda: self.step, "the guide")

    @property
    def step(self) -> tuple[str, str]:
        """The current step and what is lit for it."""
        found: tuple[str, str] = tuple(
            self.browser.execute_script("""
            const lit = document.querySelector(".lit");
            const step = document.querySelector("#steps [aria-current]");
            return [step ? step.textContent : "", lit ? (lit.closest("[data-unit]") || lit).dataset.unit + lit.id +
                    lit.dataset.pin : ""];""")
        )
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

        wait_until(moved_on, f"the step after {before}", every_s=EVERY_S)

    def _press_lit(self) -> None:
        try:
            lit = self.browser.find_element(By.CSS_SELECTOR, ".lit")
            if lit.tag_name == "button":
                time.sleep(READ_S)
                lit.click()
                self.presses += 1
                return
            frame = lit.find_element(By.TAG_NAME, "iframe")
            for name in [each.text for each in self.browser.find_elements(By.CSS_SELECTOR, NAMES)]:
                wait_until(partial(self._press_named, frame, name), name, NAMED_S, EVERY_S)
                self.presses += 1
        except (WebDriverException, AssertionError):
            return
        finally:
            self.browser.switch_to.default_content()

    def _press_named(self, frame: WebElement, name: str) -> bool:
        """Whether something that is called so could be pressed, with the mouse."""
        self.browser.switch_to.frame(frame)
        at = self.browser.execute_script(WHERE, name)
        self.browser.switch_to.default_content()
        if at is None:
            return False
        # The driver's own click goes beside what stands in a frame that is shown smaller.
        x, y = self.browser.execute_script(
            """
            const [frame, x, y] = arguments, box = frame.getBoundingClientRect(), scale = box.width / frame.offsetWidth;
            return [box.x + x * scale, box.y + y * scale];""",
            frame,
            *at,
        )
        finger = ActionBuilder(self.browser)
        finger.pointer_action.move_to_location(round(x), round(y)).pointer_down().pointer_up()
        finger.perform()
        return True
