"""One table to be played through for pictures: a hub that says what it is told to, and presses."""

from collections.abc import Iterator
from typing import Any

from msgspec import UNSET

from gallery import event_name
from own_games.shelf import rules_text
from roundtap_core.records import SIDES, Result, Side
from roundtap_core.rulebooks.base import MatchSituation, Rulebook
from roundtap_core.rulebooks.registry import RULEBOOKS
from roundtap_core.typed import DisplayText
from roundtap_core.view_types import (
    CallView,
    ClockView,
    EventOptions,
    EventView,
    MatchView,
    NextView,
    PerSide,
    RoundView,
    SideView,
    SituationView,
    TableView,
)
from roundtap_devices.input.gestures import HOLD, REPEAT, TAP, Gesture
from roundtap_units.table.dialogue.dialogue import Dialogue, SendReport
from roundtap_units.table.dialogue.table_state import Fate
from roundtap_units.table.screens.scenes import Scene
from roundtap_units.unit_config import unit_words

Shots = Iterator[tuple[str, Scene]]
"""(name, scene) of each stop."""


class Play:
    """One table played through, with a stop at each screen."""

    def __init__(
        self,
        language: str,
        facing: str,
        names: tuple[str, str],
        book: Rulebook | None = None,
        situation: MatchSituation | None = None,
        options: dict[str, Any] | None = None,
        joystick: bool = False,
    ) -> None:
        self.joystick = joystick
        self.language, self.facing, self.names = language, facing, names
        book = book or next(iter(RULEBOOKS.values()))
        self.situation = situation or MatchSituation()
        self.options = book.options(options or {})
        self.form, self.rules = book.form(self.options, self.situation), rules_text(book) or UNSET
        self.clock_ms = 74 * 60_000 + 3000
        self.now_ms = 0
        self.ids = 0
        self.start()

    def start(self, badge: str = "") -> None:
        words = unit_words(self.language, self.joystick)
        self.table = Dialogue(words, self.facing, words(badge) if badge else "", chance=lambda: "b")
        self.table.on_contact(0)

    def view(
        self,
        state: str = "open",
        number: int | None = None,
        result: Result | None = None,
        revision: int = 0,
        clock: str = "running",
        call: CallView | None = None,
        match: bool = True,
        status: str = "published",
        round_: bool = True,
        reports: dict[str, Result] | None = None,
        next_table: int | None = None,
        clock_view: ClockView | None = None,
        to_field: dict[Side, tuple[int, ...] | None] | None = None,
        must: dict[Side, bool] | None = None,
        match_id: str = "3.7",
        table: int | None = 12,
    ) -> None:
        said, owed, last = reports or {}, to_field or {}, must or {}
        a, b = (
            SideView(DisplayText(name), to_field=owed.get(side), must=last.get(side, False))
            for side, name in zip(SIDES, self.names, strict=True)
        )
        told = MatchView(match_id, revision, a, b, state, PerSide(said.get("a"), said.get("b")), result, number)
        known = SituationView(
            self.situation.stage,
            PerSide(*self.situation.totals),
            PerSide(*self.situation.houses) if self.situation.houses else None,
        )
        self.table.on_view(
            TableView(
                EventView("e1", DisplayText(event_name(self.language))),
                table,
                RoundView(3, 5, "swiss", status) if round_ else None,
                told if match else None,
                EventOptions(self.options),
                self.form,
                self.rules,
                clock_view or ClockView(clock),
                call,
                NextView(next_table),
                known,
            ),
            self.now_ms,
        )

    def tap(self, keys: str) -> None:
        """ "a", "b", "^", "v": own buttons and arrows."""
        for key in keys:
            self.now_ms += 900
            self.table.on_gesture(Gesture(TAP, {"^": "up", "v": "down"}.get(key, key)), self.now_ms)

    def walk(self, *stops: tuple[str, str], clock_ms: int | None = None) -> Shots:
        """At each stop (keys, name): press the keys, and look. "A", "B", "V" are held; an arrow repeats meanwhile."""
        for keys, name in stops:
            for key in keys:
                if key.isupper():
                    self.now_ms += 700
                    held = Gesture(REPEAT, "down") if key == "V" else Gesture(HOLD, key.lower())
                    self.table.on_gesture(held, self.now_ms)
                else:
                    self.tap(key)
            yield name, self.shot(clock_ms)

    def store(self) -> list[str]:
        stored = []
        for effect in self.table.take_effects():
            if isinstance(effect, SendReport):
                self.ids += 1
                stored.append(f"r{self.ids}")
                self.table.on_stored(stored[-1], effect)
        return stored

    def fate(self, report_id: str, fate: Fate) -> None:
        self.table.on_fate(report_id, fate, self.now_ms)

    def shot(self, clock_ms: int | None = None) -> Scene:
        """The screen now, with so much on the clock."""
        return self.table.scene(self.now_ms, self.clock_ms if clock_ms is None else clock_ms)
