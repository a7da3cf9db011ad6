"""A walk through everything on a board, with a person at it: each button, light, buzzer and the screen, one by one.

What answers is ticked off; what does not is named at the end, with the pins to look at. It runs on the real pins and on
mock ones alike: whoever calls it hands in the time, the answers and the way to wait.
"""

from __future__ import annotations

import contextlib
import queue
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Protocol

from roundtap_core.words import Words
from roundtap_devices.boards import Board
from roundtap_devices.display.screen import Screen
from roundtap_devices.front import Front
from roundtap_units.wiring.board_parts import HEADER_PIN, Part, parts

PATIENCE_MS = 20_000
"""So long a button is waited for."""
STEP_MS = 50


class Person(Protocol):
    """Who stands before the board."""

    def say(self, text: str) -> None:
        """Tell them something."""

    def sees(self, question: str) -> bool:
        """Ask them whether they see or hear it."""


@dataclass(slots=True)
class Walk:
    """One walk. `wait(ms)` lets time pass; `edges` is the queue that the front's buttons fill."""

    board: Board
    front: Front
    screen: Screen
    edges: queue.SimpleQueue[Any]
    person: Person
    words: Words
    mono_ms: Callable[[], int]
    wait: Callable[[int], None]
    silent: list[str] = field(default_factory=list)

    def run(self) -> list[str]:
        """Go through it; the names of the parts that did not answer, as in a board's file."""
        words = self.words
        self.person.say(words("walk.begin", board=self.board.name))
        if self.front.deaf:
            self.person.say(self.front.reason)
        for part in parts(self.board):
            self.person.say("")
            answered = {"screen": self._screen, "button": self._button}.get(part.kind, self._signal)(part)
            if not answered:
                self.silent.append(part.name)
        self.person.say("")
        if not self.silent:
            self.person.say(words("walk.all_well"))
        for part in parts(self.board):
            if part.name in self.silent:
                self.person.say(words("walk.silent", part=words(f"wiring.part.{part.name}"), pins=_where(part)))
        return self.silent

    def _screen(self, part: Part) -> bool:
        from roundtap_units.wiring.display_card import display_card

        self.screen.show(display_card(self.board.name), self.mono_ms())
        if self.screen.blind:
            self.person.say(self.screen.said)
            return False
        return self.person.sees(self.words("walk.screen"))

    def _button(self, part: Part) -> bool:
        """Pressed, let go, and nothing else moved meanwhile."""
        words, name = self.words, self.words(f"wiring.part.{part.name}")
        if self.front.deaf:
            return False
        with contextlib.suppress(queue.Empty):
            while True:
                self.edges.get_nowait()
        self.person.say(words("walk.press", part=name))
        until_ms = self.mono_ms() + PATIENCE_MS
        pressed = False
        while self.mono_ms() < until_ms:
            try:
                edge = self.edges.get_nowait()
            except queue.Empty:
                self.wait(STEP_MS)
                continue
            if edge.key != part.name:
                self.person.say(words("walk.other", part=words(f"wiring.part.{edge.key}"), wanted=name))
                continue
            pressed = pressed or edge.down
            if pressed and not edge.down:
                self.person.say(words("walk.heard", part=name))
                return True
        self.person.say(words("walk.stuck" if pressed else "walk.nothing", part=name))
        return False

    def _signal(self, part: Part) -> bool:
        if self.front.deaf:
            return False
        signals, now_ms = self.front.signals, self.mono_ms()
        if part.kind == "buzzer":
            signals.beep(now_ms, 600)
            self.wait(700)
            self.front.tick(self.mono_ms())
            return self.person.sees(self.words("walk.buzzer"))
        if part.name == "lamp":
            signals.lamp(True)
        else:
            signals.player_lamps(part.name.removeprefix("lamp_"))
        seen = self.person.sees(self.words("walk.lamp", part=self.words(f"wiring.part.{part.name}")))
        signals.lamp(False)
        signals.player_lamps("")
        return seen


def _where(part: Part) -> str:
    """The header pins of a part: "11 (GPIO17)"."""
    return ", ".join(f"{HEADER_PIN[pin]} (GPIO{pin})" for _, pin in part.wires)
