"""A table for a monkey: a dialogue, a hub that answers after a while, and what happened as plain steps."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any

from msgspec import UNSET

from own_games.shelf import book_behind, rules_text
from roundtap_core.records import Result, Side
from roundtap_core.rulebooks.base import MatchSituation
from roundtap_core.typed import DisplayText
from roundtap_core.view_types import (
    ClockView,
    EventOptions,
    EventView,
    MatchView,
    PerSide,
    RoundView,
    SideView,
    SituationView,
    TableView,
)
from roundtap_devices.input.gestures import Gesture
from roundtap_units.table.dialogue.dialogue import Dialogue, Saved, SendReport
from roundtap_units.table.screens.scenes import Scene
from roundtap_units.unit_config import unit_words

NAMES: dict[Side, str] = {"a": "Ana R.", "b": "Bruno M."}
WORDS = unit_words("en")
BEFORE, AT_TIME, CROSSING = "before", "at_time", "crossing"
"""When the presses come: before time is called, after it, or time is called in the middle of them."""

_FORMS: dict[Place, Any] = {}


@dataclass(frozen=True)
class Place:
    """Where a monkey sits: rulebook, stage, time, board. `games`: how many a match has at most.

    `owed`: both have squads yet to field, in their last guaranteed round.
    """

    book: str
    stage: str = "swiss"
    time: str = BEFORE
    facing: str = "opposite"
    games: int = 1
    totals: tuple[int | None, int | None] = (None, None)
    owed: bool = False

    @property
    def options(self) -> dict[str, Any]:
        given = (
            {"stages": {self.stage: {"best_of": self.games}}} if self.games != book_behind(self.book).best_of[0] else {}
        )
        return book_behind(self.book).options(given)

    @property
    def situation(self) -> MatchSituation:
        return MatchSituation(self.stage, self.totals)

    def __str__(self) -> str:
        three = f"-best-of-{self.games}" if self.games > 1 else ""
        more = f"{''.join(f'-{total}' for total in self.totals if total)}{'-owed' if self.owed else ''}"
        return f"{self.book}-{self.stage}-{self.time}-{self.facing}{three}{more}"


def places(book_id: str) -> Iterator[Place]:
    """Every stage, time state and board of a rulebook, with three games where it has them."""
    book = book_behind(book_id)
    stages = ["swiss", "elimination", "final", "third_place", *(["tiebreak"] if book.tiebreak_rounds else [])]
    for stage in stages:
        for games in book.best_of:
            if games > 1 and book_id == "warlords-of-terra" and stage not in ("final", "third_place"):
                continue
            for time in (BEFORE, AT_TIME, CROSSING):
                for facing in ("opposite", "edge"):
                    known = ((290, 300), (290, None)) if book_id == "xwing-epic-duel" else ()
                    for totals in ((None, None), *known):
                        yield Place(book_id, stage, time, facing, games, totals)
                    if book_id == "shatterpoint-premier" and stage == "swiss":
                        yield Place(book_id, stage, time, facing, games, owed=True)


@dataclass
class Step:
    """One press: what stood there, what was pressed, what stood there afterwards, and what was reported."""

    before: Scene
    gesture: Gesture
    after: Scene
    reports: list[SendReport] = field(default_factory=list)
    time_up: bool = False


def form_of(place: Place) -> Any:
    key = replace(place, time=BEFORE, facing="opposite", owed=False)
    if key not in _FORMS:
        _FORMS[key] = book_behind(place.book).form(place.options, place.situation)
    return _FORMS[key]


class MonkeyTable:
    """One table on a clock set by hand. The hub keeps the last report of each side and answers after `lag_ms`."""

    def __init__(self, place: Place, chance: random.Random, seated: bool = True) -> None:
        self.place, self.chance = place, chance
        self.dialogue = Dialogue(WORDS, place.facing, chance=lambda: chance.choice(("a", "b")))
        self.now_ms = 0
        self.clock_ms = {BEFORE: 3_000_000, AT_TIME: -1000, CROSSING: 15_000}[place.time]
        a, b = (
            SideView(DisplayText(NAMES[side]), to_field=owed if place.owed else None, must=place.owed)
            for side, owed in (("a", (3, 4)), ("b", (1, 2, 4)))
        )
        self.match = MatchView("1.1", 0, a, b)
        self.due: list[tuple[int, str, Result, Side]] = []
        self.number = 100
        self.made = 0
        self.asked_ms = -10_000
        """When the hub last put a question to the other on this screen."""
        self.dialogue.on_contact(0)
        self.show()
        if seated:
            self.dialogue.table.seated |= {"a", "b"}

    # --- the hub ---

    def show(self) -> None:
        self.dialogue.on_clock(self.clock_ms)
        self.dialogue.on_view(
            TableView(
                EventView("e", DisplayText("Event")),
                12,
                RoundView(1, 3, self.place.stage),
                self.match,
                EventOptions(self.place.options),
                form_of(self.place),
                rules_text(book_behind(self.place.book)) or UNSET,
                ClockView("running"),
                stands=SituationView(self.place.stage, PerSide(*self.place.totals)),
                rounds_left=0 if self.place.owed else 2,
            ),
            self.now_ms,
        )

    def hub_hears(self, side: Side, result: Result) -> None:
        """A report reaches the hub, from here or from a phone."""
        self.number += 1
        reports = self.match.reports.replace(**{side: result})
        agreed = reports.a is not None and reports.a == reports.b
        both = reports.a is not None and reports.b is not None
        # What was agreed first stands until a judge says otherwise, and no judge comes to this table.
        second = agreed and self.match.result not in (None, result)
        stands = agreed and not second
        state = "second" if second else "agreed" if agreed else "dispute" if both else "one-sided"
        self.match = self.match.replace(
            reports=reports,
            last=side,
            state=state,
            second=result if second else None,
            result=result if stands else self.match.result,
            number=self.number if stands else self.match.number,
        )

    def phone(self, side: Side, result: Result, after_ms: int) -> None:
        """Somebody reports by phone: the table asks the other, whatever was on its screen."""
        self.due.append((self.now_ms + after_ms, "", result, side))
        self.due.sort(key=lambda due: due[0])

    def _deliver(self) -> None:
        if not self.due or self.due[0][0] > self.now_ms:
            return
        asked = self.scene().kind == "ask"
        while self.due and self.due[0][0] <= self.now_ms:
            _, report_id, result, side = self.due.pop(0)
            self.hub_hears(side, result)
            if report_id:
                self.dialogue.on_fate(report_id, Saved(self.number), self.now_ms)
            self.show()
        if not asked and self.scene().kind == "ask":
            self.asked_ms = self.now_ms

    def _take(self) -> list[SendReport]:
        made = [effect for effect in self.dialogue.take_effects() if isinstance(effect, SendReport)]
        for effect in made:
            self.made += 1
            self.dialogue.on_stored(f"r{self.made}", effect)
            last = max([self.now_ms, *(due[0] for due in self.due)])
            self.due.append((last + self.chance.choice((30, 200, 900)), f"r{self.made}", effect.result, effect.side))
        return made

    # --- time and fingers ---

    def wait(self, ms: int) -> None:
        until = self.now_ms + ms
        while self.due and self.due[0][0] <= until:
            self.clock_ms -= self.due[0][0] - self.now_ms
            self.now_ms = self.due[0][0]
            self._deliver()
        self.clock_ms -= until - self.now_ms
        self.now_ms = until
        self.dialogue.on_clock(self.clock_ms)
        self.dialogue.tick(until)
        self._take()

    def scene(self) -> Scene:
        return self.dialogue.scene(self.now_ms)

    def press(self, kind: str, key: str, before: Scene) -> Step:
        """Press, on the screen `before`; what stands there afterwards is read at once."""
        gesture = Gesture(kind, key, self.now_ms)
        up = self.clock_ms <= 0
        self.dialogue.on_gesture(gesture, self.now_ms)
        return Step(before, gesture, self.scene(), self._take(), up)
