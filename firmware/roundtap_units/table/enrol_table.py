"""A table unit without a key: what its screen shows while it asks for one, and what its buttons do meanwhile."""

from __future__ import annotations

import contextlib
import queue
from collections.abc import Callable, Iterable
from typing import Any, Protocol

from roundtap_core.words import LANGUAGES, Words
from roundtap_devices.display.screen import Screen
from roundtap_devices.input.edges import Edge
from roundtap_devices.input.gestures import ARROWS, HOLD, TAP, Gesture, Gestures
from roundtap_units.link.enrolling import BUSY, CHECKING, CODE, DONE, STOPPED, WRONG, Showing
from roundtap_units.table.screens.scenes import Page
from roundtap_units.table.screens.screens import draw

STEP_MS = 200
BLINK_MS = 250
BEEP_MS = 80
HUB_LETTERS = 14
DONE_MS = 2500
"""So long the screen says what the unit is called, before it goes to work."""


class Asking(Protocol):
    """What is shown, and what a press may do about it; `link.enrolling.Enrolling` is the real one."""

    showing: Showing

    def go_on(self) -> None: ...

    def other_hub(self) -> None: ...


class Lights(Protocol):
    """Lamp and buzzer."""

    def lamp(self, on: bool) -> None: ...

    def beep(self, now_ms: int, length_ms: int = ...) -> None: ...

    def tick(self, now_ms: int) -> None: ...


class EnrolTable:
    """Call `step` with what came in, again and again. languages: gives the words of each; keep_language: told the one
    that somebody chose. Times are the unit's monotonic milliseconds."""

    def __init__(self, asking: Asking, language: str, languages: Callable[[str], Words], facing: str, badge: Callable[
            [Words], str], screen: Screen, signals: Lights, heard: Callable[[str], None],
            keep_language: Callable[[str], None]) -> None:
        self._asking = asking
        self.language = language
        self._languages = languages
        self._facing = facing
        self._badge = badge
        self._screen = screen
        self._signals = signals
        self._heard = heard
        self._keep_language = keep_language
        self._hands = Gestures()
        self._said = ""
        self._page: Page | None = None
        self._image: Any = None
        self._beeped = False
        self._done_ms: int | None = None

    def step(self, now_ms: int, items: Iterable[object] = ()) -> None:
        """Take what came in, and draw."""
        for item in items:
            if isinstance(item, Edge):
                self._hands.edge(item)
        for gesture in self._hands.tick(now_ms):
            self._press(gesture)
        showing = self._asking.showing
        self._blink(showing, now_ms)
        page = self.page(showing, now_ms)
        if page != self._page:
            self._image, self._page = draw(page), page
            self._heard(page.says())
        self._screen.show(self._image, now_ms)
        self._signals.tick(now_ms)
        if showing.state == DONE and self._done_ms is None:
            self._done_ms = now_ms

    def over(self, now_ms: int) -> bool:
        """Whether the unit has its key, and everybody who stands there has read its name."""
        return self._done_ms is not None and now_ms - self._done_ms >= DONE_MS

    def page(self, showing: Showing, now_ms: int) -> Page:
        """What is shown now."""
        words, left_s = self._languages(self.language), max(0, showing.until_ms - now_ms + 999) // 1000
        title, big, lines, hint = words("enrol.looking"), "", (words("enrol.looking.line"),), self._language_hint(words)
        if showing.state == CODE:
            title = words("enrol.here" if showing.identify else "enrol.title")
            big = f"{showing.number}  {showing.code[:3]} {showing.code[3:]}"
            lines = (words("enrol.left", hub=showing.hub[:HUB_LETTERS], s=left_s),)
        elif showing.state == CHECKING:
            title, lines = words("enrol.checking"), (showing.hub[:HUB_LETTERS],)
        elif showing.state == WRONG:
            title, lines = words("enrol.wrong"), (words("enrol.wrong.line"),)
        elif showing.state == STOPPED:
            title, lines, hint = words("enrol.stopped"), (words("enrol.stopped.line"),), words("any_key")
        elif showing.state == BUSY:
            title, lines = words("enrol.busy"), (words("enrol.busy.line"),)
        elif showing.state == DONE:
            title, big, lines, hint = words("enrol.done"), showing.unit, (showing.hub[:HUB_LETTERS],), ""
        return Page(kind="enrol", facing=self._facing, badge=self._badge(words), title=title, big=big, lines=lines,
                    hint=hint)

    def _language_hint(self, words: Words) -> str:
        return f"▲▼ {words('enrol.language')}"

    def _press(self, gesture: Gesture) -> None:
        if self._asking.showing.state == STOPPED:
            self._asking.go_on()
        elif gesture.kind == HOLD:
            self._asking.other_hub()
        elif gesture.kind == TAP and gesture.key in ARROWS:
            at = LANGUAGES.index(self.language) + (1 if gesture.key == "down" else -1)
            self.language = LANGUAGES[at % len(LANGUAGES)]
            with contextlib.suppress(OSError):
                self._keep_language(self.language)

    def _blink(self, showing: Showing, now_ms: int) -> None:
        on = showing.identify and now_ms // BLINK_MS % 2 == 0
        self._signals.lamp(on)
        if on and not self._beeped:
            self._signals.beep(now_ms, BEEP_MS)
        self._beeped = on


def run_table(table: EnrolTable, incoming: queue.SimpleQueue[object], mono_ms: Callable[[], int],
              stopped: Callable[[], bool]) -> None:
    """Step it until the unit has its key, or `stopped`."""
    while not stopped() and not table.over(mono_ms()):
        items: list[object] = []
        with contextlib.suppress(queue.Empty):
            items.append(incoming.get(timeout=STEP_MS / 1000))
            while True:
                items.append(incoming.get_nowait())
        table.step(mono_ms(), items)
