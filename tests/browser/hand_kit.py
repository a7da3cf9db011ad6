"""Hands that only click and type, as hasty as people are, and a ledger of what they did: what must stand afterwards."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field

from hall_kit import Hall
from screen_kit import DESK, Screen, Size
from selenium.webdriver.remote.webelement import WebElement

from roundtap_hub.pages.base import SETTLE_MS

LATE_S = 0.3
"""A click that meant what was there before comes so late."""

SPOT = """
// The middle of what a finger would press, once it is scrolled to and nothing lies over it.
const one = arguments[0];
if (!one.checkVisibility()) return null;
one.scrollIntoView({block: "center", behavior: "instant"});
const box = one.getBoundingClientRect(), x = box.left + box.width / 2, y = box.top + box.height / 2;
const at = document.elementFromPoint(x, y);
return at && (one.contains(at) || at.closest("label, summary, button, a") === one || at.contains(one)) ? [x, y] : null;
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
    """Somebody at a window of their own: where they look, and their double and late clicks."""

    def __init__(self, screen: Screen, hall: Hall, host: str, size: Size = DESK) -> None:
        self.screen, self.hall, self.size = screen, hall, size
        self.url = hall.url.replace("127.0.0.1", host)
        """Each organizer comes by another name of the hub: a session of their own."""
        screen.driver.switch_to.new_window("tab")
        self.handle = screen.driver.current_window_handle
        self.late_clicks = 0
        self.slow = False
        screen.prepare_tab()

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
            self.screen.cdp("Input.dispatchMouseEvent", {
                "type": kind, "x": spot[0], "y": spot[1], "button": "left", "clickCount": count})

    def click(self, one: WebElement | str) -> None:
        """Once, as somebody who takes their time."""
        self.tap(self.spot(one))

    def leads(self, one: WebElement | str, what: str, true: Callable[[], object], twice: bool = False) -> None:
        """A click that leads to another page or changes this one; with `twice` it is a double click."""
        spot = self.spot(one)
        self.tap(spot)
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
        self.screen.until(lambda: self.screen.all("#next:not(.settling)") and not self.screen.run(
            "return document.readyState !== 'complete'"), "the next step to take a press")

    def where(self, event_id: str) -> tuple[object, ...]:
        """How far an event is: each step moves it by exactly one."""
        event = self.hall.event(event_id)
        return (len(event.public_rounds), event.draft and event.draft.draw.attempt, event.clock.state,  # type: ignore[union-attr]
                event.cut is not None, event.finished)

    def next(self, event_id: str, to: tuple[object, ...]) -> None:
        """The next step by a double click and a late one; it leads to `to`, and no further."""
        self.look()
        self.ready()
        before = self.where(event_id)
        if self.screen.all("#next .confirm"):
            self._hasty("#next .confirm > summary")
            self._holds(event_id, before)
            self.ready()
            self._hasty("#next .confirm[open] form button")
        else:
            self._hasty("#next .main")
        self.screen.until(lambda: self.where(event_id) != before, f"{before} to become {to}")
        self.ready()
        self._holds(event_id, to)

    def _hasty(self, selector: str) -> None:
        """A double click, and one more as soon as something else may lie there."""
        spot, since = self.spot(selector), time.monotonic()
        self.tap(spot)
        self.tap(spot, 2)
        time.sleep(max(0.0, since + LATE_S - time.monotonic()))
        self.tap(spot)
        self.late_clicks += 2
        # A busy machine may have brought it when it counted.
        self.slow = self.slow or time.monotonic() - since > SETTLE_MS / 1000

    def _holds(self, event_id: str, expected: tuple[object, ...]) -> None:
        if self.slow and self.where(event_id) != expected:
            import pytest

            pytest.skip("this machine was too busy to press within a second")
        assert self.where(event_id) == expected
