"""Hands that only click and type, as hasty as people are, and a ledger of what they did: what must stand afterwards."""

from collections.abc import Callable
from dataclasses import dataclass, field

from hall_kit import Hall
from screen_kit import DESK, Screen, Size
from selenium.common.exceptions import WebDriverException
from selenium.webdriver.remote.webelement import WebElement

from roundtap_hub.live.forms import CLICK_DEBOUNCE_MS

LATE_MS = (100, 350, 900)
"""Clicks that meant what was there before: so long after the page changed, by its own clock."""

SPOT = """
// The middle of what a finger would press, once it is scrolled to and nothing lies over it.
const one = arguments[0];
if (!one.checkVisibility()) return null;
one.scrollIntoView({block: "center", behavior: "instant"});
const box = one.getBoundingClientRect(), x = box.left + box.width / 2, y = box.top + box.height / 2;
const at = document.elementFromPoint(x, y);
if (!at || !(one.contains(at) || at.closest("label, summary, button, a") === one || at.contains(one))) return null;
window.pressed = false;
addEventListener("click", ({target}) => { window.pressed ||= one.contains(target) || target === at; },
                 {capture: true, once: true});
return [x, y];
"""

PRESSED = "return window.pressed !== false"
"""What `SPOT` found heard the click; a page that is there since then knows nothing of it."""

IN_SIGHT = """
// The middle of what a finger would press, if it is on the screen and nothing lies over it.
for (const button of document.querySelectorAll(arguments[0])) {
    if (!button.checkVisibility()) continue;
    const box = button.getBoundingClientRect(), x = box.left + box.width / 2, y = box.top + box.height / 2;
    const inside = box.left >= 0 && box.top >= 0 && box.right <= innerWidth && box.bottom <= innerHeight;
    return inside && button.contains(document.elementFromPoint(x, y)) ? [x, y] : null;
}
return null;
"""


@dataclass
class Ledger:
    """What was clicked, in the names that were shown: the only source of what must stand."""

    won: dict[tuple[int, frozenset[str]], str] = field(default_factory=dict)
    """(round, the two) → who won."""
    figures: dict[tuple[int, frozenset[str]], dict[str, int]] = field(default_factory=dict)

    def note(self, number: int, winner: str, loser: str, points: tuple[int, int]) -> None:
        pair = frozenset((winner, loser))
        self.won[number, pair] = winner
        self.figures[number, pair] = {winner: points[0], loser: points[1]}


class Hand:
    """Somebody at a window of their own: where they look, and their double and late clicks.

    The clocks of their pages stand still (`Screen.stand_still`): what is meant to be early is early on any machine.
    """

    def __init__(self, screen: Screen, hall: Hall, host: str = "127.0.0.1", size: Size = DESK) -> None:
        self.screen, self.hall, self.size = screen, hall, size
        self.url = hall.url.replace("127.0.0.1", host)
        """Each organizer comes by another name of the hub: a session of their own."""
        screen.driver.switch_to.new_window("tab")
        self.handle = screen.driver.current_window_handle
        self.late_clicks = 0
        screen.prepare_tab()
        screen.stand_still()

    def look(self) -> Screen:
        """To this window."""
        if self.screen.driver.current_window_handle != self.handle:
            self.screen.driver.switch_to.window(self.handle)
        self.screen.cdp("Page.bringToFront", {})
        self.screen.size(self.size)
        return self.screen

    def spot(self, one: WebElement | str) -> tuple[float, float]:
        def found() -> tuple[float, float] | None:
            element = self.screen.one(one) if isinstance(one, str) else one
            at = self.screen.run(SPOT, element)
            return (at[0], at[1]) if at else None

        spot: tuple[float, float] = self.screen.until(found, f"{one} to be where a finger can press it")
        return spot

    def tap(self, spot: tuple[float, float], count: int = 1) -> None:
        for kind in ("mousePressed", "mouseReleased"):
            self.screen.cdp(
                "Input.dispatchMouseEvent",
                {"type": kind, "x": spot[0], "y": spot[1], "button": "left", "clickCount": count},
            )

    def click(self, one: WebElement | str) -> tuple[float, float]:
        """Once, as somebody who takes their time, and sees when a live change took away what was under the finger."""

        def pressed() -> tuple[float, float] | None:
            spot = self.spot(one)
            self.tap(spot)
            try:
                return spot if self.screen.run(PRESSED) else None
            except WebDriverException:  # The page is being left.
                return spot

        spot: tuple[float, float] = self.screen.until(pressed, f"{one} to be pressed")
        return spot

    def leads(self, one: WebElement | str, what: str, true: Callable[[], object], twice: bool = False) -> None:
        """A click that leads to another page or changes this one; with `twice` it is a double click."""
        spot = self.click(one)
        if twice:
            self.tap(spot, 2)
            self.late_clicks += 1
        self.screen.until(true, what)

    def type(self, selector: str, text: str) -> None:
        one = self.screen.one(selector)
        self.click(one)
        one.clear()
        one.send_keys(text)

    # --- the next step

    def ready(self) -> None:
        """The next step is there and takes a press."""
        self.screen.until(lambda: self.screen.all("#next"), "a next step")
        self.screen.settle()
        # The hub does not believe a page that it has just sent, either.
        self.hall.time.ahead_ms += CLICK_DEBOUNCE_MS

    def in_sight(self, selector: str) -> tuple[float, float]:
        """Where it can be pressed: it must be on the screen without anybody scrolling."""
        spot = self.screen.run(IN_SIGHT, selector)
        assert spot, f"{selector} is not on the screen: {self.screen.one('#next').text}"
        return (spot[0], spot[1])

    def step(self) -> str:
        """The next step that is shown, once its page is there."""
        return str(
            self.screen.run("""const next = document.querySelector("#next");
            return document.readyState === "complete" && next ? next.dataset.step : "";""")
        )

    def where(self, event_id: str) -> tuple[object, ...]:
        """How far an event is: each step moves it by exactly one."""
        event = self.hall.event(event_id)
        return (
            len(event.public_rounds),
            event.draft and event.draft.draw.attempt,
            event.clock.state,  # type: ignore[union-attr]
            event.cut is not None,
            event.finished,
        )

    def next(self, event_id: str, to: tuple[object, ...]) -> None:
        """The next step by a double click and late ones; it leads to `to`, and no further."""
        self.look()
        self.ready()
        before, shown = self.where(event_id), self.step()
        if self.screen.all("#next .confirm"):
            spot = self.in_sight("#next .confirm > summary")
            self.tap(spot)
            self.screen.until(lambda: self.screen.all("#next.settling .confirm[open]"), "the question")
            self.tap(spot, 2)
            self.late(spot)
            assert self.where(event_id) == before
            self.ready()
            spot = self.in_sight("#next .confirm[open] form button.danger")
        else:
            spot = self.in_sight("#next .main")
        self.tap(spot)
        self.tap(spot, 2)
        self.screen.until(lambda: self.where(event_id) != before, f"{before} to become {to}")
        self.screen.until(lambda: self.step() not in ("", shown), f"the step after {shown}")
        self.late(spot)
        assert self.where(event_id) == to
        self.ready()
        assert self.where(event_id) == to

    def late(self, spot: tuple[float, float]) -> None:
        """Clicks at a spot of the page that is there now, all of them before its next step takes one."""
        gone_ms = 0
        for late_ms in LATE_MS:
            self.screen.go_on(late_ms - gone_ms)
            self.tap(spot)
            gone_ms = late_ms
            self.late_clicks += 1
