"""Entering a result: the winner's button opens, figures are dialled, the worth is seen, the own button confirms."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from roundtap_core.errors import Problem
from roundtap_core.forms import LOSER, WINNER, Choice, Figure, Form, Way, compose, next_step
from roundtap_core.records import Result, Side, other
from roundtap_core.rulebooks import rulebook
from roundtap_devices.hands import HOLD, REPEAT, TAP, Gesture
from roundtap_units.dialogue_state import TableState
from roundtap_units.scenes import SIGNS, Column, Figures, Scene
from roundtap_units.wheels import Dial

TURNS = {"up": 1, "down": -1}


def begin(table: TableState, winner: Side, by: Side, like: Result | None = None) -> Entry | None:
    """An entry of a win for `winner`, made by `by`; figures start as in `like` where it has the same winner.

    None where the hub sent no form for this match.
    """
    form = table.view.form if table.view else None
    if form is None:
        return None
    known = like if like is not None and table.outcome(like, winner) == "won" else None
    return Entry(table, form, winner, by, known)


class Entry:
    """One person's entry. The other's own button goes back: a wheel, a figure, and from the first one out."""

    def __init__(self, table: TableState, form: Form, winner: Side, by: Side, like: Result | None) -> None:
        self.table = table
        self.match_id, self.revision = table.match.id, table.match.revision
        self.winner, self.by, self.like = winner, by, like
        self.ways = form.offered(table.time_is_up)
        if like is not None:
            # A correction is made by the rules of the moment it corrects, whatever the clock says by now.
            same = tuple(way for way in form.ways if way.ended == like.ended)
            self.ways = same or self.ways
        self.way: Way | None = self.ways[0] if len(self.ways) == 1 else None
        self.place = 0
        self.answers: dict[str, Any] = {}
        self.dial: Dial | None = None
        self.choice: Choice | None = None
        if self.way is not None:
            self._next()

    # --- presses ---

    def press(self, gesture: Gesture, now_ms: int) -> None:
        if gesture.kind in (TAP, REPEAT) and gesture.key in TURNS:
            self._turn(TURNS[gesture.key])
        elif gesture.kind == HOLD and gesture.key == self.by and self.dial is not None and not self.dial.touched:
            self.dial = self.dial.stepped_in() or self.dial
        elif gesture.kind in (TAP, HOLD) and gesture.key in ("a", "b"):
            self._own("a" if gesture.key == "a" else "b", now_ms)

    def _turn(self, by: int) -> None:
        if self.dial is not None:
            self.dial = self.dial.turned(by)
        elif self.way is None:
            self.place = (self.place - by) % len(self.ways)
        elif self.choice is not None and not _by_button(self.choice):
            self.place = (self.place - by) % len(self.choice.options)

    def _own(self, side: Side, now_ms: int) -> None:
        if self.choice is not None and _by_button(self.choice):
            self._answer(self.choice.name, side)
        elif side != self.by:
            self._back()
        elif self.dial is not None:
            if further := self.dial.confirmed():
                self.dial = further
            else:
                self._answer(self.dial.figure.name, self.dial.value, now_ms)
        elif self.choice is not None:
            self._answer(self.choice.name, self.choice.options[self.place])
        elif self.way is None:
            self.way, self.place = self.ways[self.place], 0
            self._next()
        else:
            self._finish(now_ms)

    def _answer(self, name: str, value: Any, now_ms: int | None = None) -> None:
        self.answers[name] = value
        self._next()
        if self.done and now_ms is not None:
            # The last figure's own button confirms: its worth was on the screen while it was dialled.
            self._finish(now_ms)

    def _next(self) -> None:
        assert self.way is not None
        step = next_step(self.way, self.answers)
        self.dial = self.choice = None
        self.place = 0
        if isinstance(step, Figure):
            self.dial = Dial(step, self._likely(step))
        else:
            self.choice = step

    @property
    def done(self) -> bool:
        return self.way is not None and self.dial is None and self.choice is None

    def _likely(self, figure: Figure) -> int:
        if self.like is None:
            return figure.default
        value = self.like.score.of(self._side(figure))
        return value if figure.minimum <= value <= figure.maximum else figure.default

    def _side(self, figure: Figure) -> Side:
        return self.winner if figure.whose == WINNER else other(self.winner)

    def _back(self) -> None:
        if self.dial is not None and (before := self.dial.back()):
            self.dial = before
            return
        if not self.answers:
            self.table.entry = None
            return
        name, value = self.answers.popitem()
        self._next()
        if self.dial is not None and self.dial.figure.name == name:
            self.dial = replace(self.dial, value=value, touched=True)

    def _finish(self, now_ms: int) -> None:
        assert self.way is not None
        view = self.table.view
        assert view is not None
        assert view.form is not None
        try:
            result = compose(self.way, self.winner, self.answers)
            book = rulebook(view.form.rulebook)
            book.check_new(result, book.options(view.options))
        except Problem as problem:
            text = problem.say(self.table.words)
            self.table.tell(now_ms, lambda: self.table.page("impossible", self.by, text))
            self._back()
            return
        self.table.entry = None
        self.table.seated.add(self.by)
        self.table.send(self.by, result)

    # --- the screen ---

    def scene(self, now_ms: int) -> Scene:
        words, own = self.table.words, SIGNS[self.by]
        if self.way is None:
            return self._listed("way", words("entry.how"), [words(f"form.way.{way.id}") for way in self.ways])
        if self.choice is not None and not _by_button(self.choice):
            options = [self._option(self.choice, option) for option in self.choice.options]
            return self._listed("choice", words(self.choice.label), options)
        title, hint = "", words("entry.ok", sign=own)
        info = self._worth()
        if self.choice is not None:
            title, hint, info = words(self.choice.label), words("entry.whose"), ""
        elif self.dial is None:
            title = self._chosen()
        elif self.dial is not None:
            hint = self._dial_hint(self.dial)
        return self.table_figures(title, info, hint)

    def table_figures(self, title: str, info: str, hint: str) -> Scene:
        """The two figures as they stand, own first."""
        return figures(self.table, "entry", self.by, self._column, title=title, info=info, hint=hint)

    def _chosen(self) -> str:
        """What the own button is about to confirm beside the figures: "Final salvo ●"."""
        assert self.way is not None
        return ", ".join(
            f"{self.table.words(step.label)} {self._option(step, self.answers[step.name])}"
            for step in self.way.steps if isinstance(step, Choice) and step.name in self.answers
        )

    def _option(self, choice: Choice, option: str) -> str:
        if _by_button(choice):
            return SIGNS["a" if option == "a" else "b"]
        return self.table.words(f"form.option.{option}")

    def _dial_hint(self, dial: Dial) -> str:
        words, own = self.table.words, SIGNS[self.by]
        ones = dial.stepped_in()
        if not dial.touched and ones is not None and dial.value == 0:
            return f"{words('entry.ones', sign=own)}  {words('entry.ok', sign=own)}"
        return words("entry.next" if dial.touched and dial.confirmed() else "entry.ok", sign=own)

    def _listed(self, kind: str, title: str, options: list[str]) -> Scene:
        lines = [("► " if place == self.place else "   ") + option for place, option in enumerate(options)]
        return self.table.page(kind, self.by, title, *lines,
                               hint=self.table.words("entry.choose", sign=SIGNS[self.by]))

    def _column(self, side: Side) -> Column:
        whose = WINNER if side == self.winner else LOSER
        wheels, active = self._wheels(whose)
        return Column(SIGNS[side], self.table.name(side), wheels, active)

    def _wheels(self, whose: str) -> tuple[tuple[str, ...], int | None]:
        if self.dial is not None and self.dial.figure.whose == whose:
            return self.dial.shown()
        assert self.way is not None
        value = next((self.answers.get(figure.name, self._likely(figure))
                      for figure in self.way.figures() if figure.whose == whose), "")
        return (str(value),), None

    def _worth(self) -> str:
        """What the figures on the screen are worth, also while they are still being dialled."""
        assert self.way is not None
        shown: Mapping[str, Any] = self.answers
        if self.dial is not None:
            shown = {**self.answers, self.dial.figure.name: self.dial.value}
        try:
            return self.table.worth(compose(self.way, self.winner, shown), self.by)
        except Problem:
            return ""


def figures(
    table: TableState, kind: str, turn: Side, column: Callable[[Side], Column], *, title: str, info: str, hint: str,
) -> Scene:
    """A scene of two figures, turned to one person."""
    left = table.first(turn)
    return Figures(kind=kind, facing=table.facing, mark=table.mark, badge=table.badge, turn=turn, title=title,
                   left=column(left), right=column(other(left)), info=info, hint=hint, clock=table.clock)


def _by_button(choice: Choice) -> bool:
    return set(choice.options) == {"a", "b"}
