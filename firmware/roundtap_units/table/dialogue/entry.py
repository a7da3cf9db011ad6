"""Entering a result: the own button opens a way, questions are answered, the worth is shown, the button confirms."""

from copy import copy
from dataclasses import dataclass, replace
from typing import Any

from roundtap_core.errors import Problem
from roundtap_core.forms.form import (
    ANY_TIME,
    AT_TIME,
    DECIDED,
    DRAWN,
    Form,
    WalkState,
    WayToEnd,
    compose_complete,
    compose_result,
    walk_way,
    way_and_answers,
)
from roundtap_core.forms.questions import LOSER, SCORE, WINNER, Choice, Figure, Turns
from roundtap_core.records import CONCESSION, SIDES, Result, Side, other_side
from roundtap_devices.input.gestures import HOLD, REPEAT, TAP, Gesture
from roundtap_units.table.dialogue import result_text
from roundtap_units.table.dialogue.digit_wheels import FigureDial, TurnCounter, figure_text, starting_value
from roundtap_units.table.dialogue.games import drawn_side
from roundtap_units.table.dialogue.table_state import DialogueState, TableState
from roundtap_units.table.screens.lettering import map_wordings, shorter_forms
from roundtap_units.table.screens.scenes import SIGNS, FigureColumn, NameRow, Scene, Sentence

ARROWS = {"up": 1, "down": -1}
TITLE_LETTERS = 24  # a longer question has a page of its own


class ResultEntry(DialogueState):
    """One person's entry, made by `by`, of a way that `opener` opened: its winner, where it has one. The other's own
    button goes back: a wheel, a question, the list of ways, and out, with a confirmation. `like`: the result being
    corrected; questions start at its values."""

    def __init__(
        self,
        table: TableState,
        form: Form,
        opener: Side,
        by: Side,
        like: Result | None = None,
        way: WayToEnd | None = None,
    ) -> None:
        super().__init__(table)
        self.opener, self.by, self.like = opener, by, like
        self.known: dict[str, Any] = {}
        """What need not be asked: who began this game, how many games there were, drawn lots."""
        self.given: dict[str, Any] = {}
        self.dial: FigureDial | None = None
        self.choice: Choice | None = None
        self.turns: TurnCounter | None = None
        self.place = 0
        self.way: WayToEnd | None = None
        self.likely: dict[str, Any] = {}
        self.likely_way = ""  # the way of the result `like`, with its answers in `likely`
        self.ways = form.offered(table.time_is_up)
        if like is not None:
            way = way or self._way_of(form, like)
        self.listed = self.ways  # the ways of the list, where it is shown
        self.from_list = False
        if way is None and (form.direct or len(self.ways) == 1):
            way = self.ways[0]
        if way is not None:
            self._take(way, direct=form.direct and like is None and way is self.ways[0])

    def _way_of(self, form: Form, like: Result) -> WayToEnd | None:
        """A correction follows the rules of the moment it corrects, whatever the clock now shows."""
        if (reading := way_and_answers(form.ways, self.opener, like)) is not None:
            way, self.likely = reading
            self.likely_way = way.id
            self.ways = self.ways if way.when == ANY_TIME else form.offered(way.when == AT_TIME)
            return way
        self.ways = tuple(way for way in form.ways if way.ended == like.ended) or self.ways
        return None

    def _take(self, way: WayToEnd, direct: bool = False) -> None:
        table = self.table
        self.way, self.place, self.given = way.opened_by(self.opener), 0, {}
        first = (self.like.first_player if self.like else None) or table.first_player
        self.known = {"first_player": first} if first and table.has_choice("first_player") else {}
        # A drawn lot stands, at whichever front end.
        self.known |= {about: side for about, side in table.lots.items() if about in way.lots}
        wins = table.games.count(self.opener) + 1
        if direct and wins > 1 and table.form and table.form.games == wins and way.when == ANY_TIME:
            # Both have agreed to every game before this one.
            self.known |= {figure.name: self.likely_of(figure) for figure in way.figures() if figure.asked}
        self._next()

    # --- presses ---

    def press(self, gesture: Gesture, now_ms: int) -> None:
        kind, key = gesture.kind, gesture.key
        if kind == REPEAT and key == "down" and self.way is not None and self.other_ways and not self.begun:
            self.way, self.listed, self.place = None, self.other_ways, 0
            self.dial = self.choice = self.turns = None
        elif key == "up" and kind == TAP and self.choice is not None and self.choice.lot:
            self._draw(self.choice.name, now_ms)
        elif key in ARROWS and (kind == TAP or (kind == REPEAT and self.dial is not None)):
            self._turn(ARROWS[key])
        elif kind == HOLD and self.turns is not None and key in ("a", "b"):
            self._answer(self.turns.step.name, key)
        elif kind == HOLD and key == self.by and self.dial is not None and not self.dial.touched:
            self.dial = self.dial.stepped_in() or self.dial
        elif kind in (TAP, HOLD) and key in ("a", "b"):
            self._own_button("a" if key == "a" else "b", now_ms)

    def while_pressed(self, arrow: str) -> DialogueState:
        if self.dial is None:
            return self
        turned = copy(self)
        turned.dial = self.dial.turned(ARROWS[arrow])
        return turned

    def _draw(self, lot: str, now_ms: int) -> None:
        """A lot is no player's answer: going back withdraws it from neither."""
        self.known[lot] = drawn_side(self.table, lot, now_ms)
        self._next()

    def _turn(self, by: int) -> None:
        if self.dial is not None:
            self.dial = self.dial.turned(by)
        elif self.way is None:
            self.place = (self.place - by) % len(self.listed)
        elif self.choice is not None and not self.choice.by_button:
            self.place = (self.place - by) % len(self.choice.options)

    def _own_button(self, side: Side, now_ms: int) -> None:
        if self.choice is not None and self.choice.by_button and not self.choice.lot:
            self._answer(self.choice.name, side)
        elif self.turns is not None:
            self._turn_of(side, self.turns)
        elif side != self.by:
            self._back()
        elif self.dial is not None:
            if further := self.dial.confirmed():
                self.dial = further
            else:
                self._answer(self.dial.figure.name, self.dial.value, now_ms)
        elif self.choice is not None and self.choice.lot:
            self._draw(self.choice.name, now_ms)
        elif self.choice is not None:
            self._answer(self.choice.name, self.choice.options[self.place])
        elif self.way is None:
            self.from_list = True
            self._take(self.listed[self.place])
        else:
            self.finish(now_ms)

    def _turn_of(self, side: Side, turns: TurnCounter) -> None:
        """The player whose turn it is ends it; the other's button undoes the last one, or asks again whose it was."""
        if side != turns.whose:
            if turns.ended:
                self.turns = replace(turns, ended=turns.ended - 1)
            else:
                self._back()
            return
        self.turns = replace(turns, ended=turns.ended + 1)
        if self.turns.left <= 0:
            self._answer(turns.step.name, "")

    def _answer(self, name: str, value: Any, now_ms: int | None = None) -> None:
        self.given[name] = value
        self._next()
        if self.done and now_ms is not None and self.way is not None and self.way.winner != DECIDED:
            # The last figure's own button confirms: its worth was on the screen during dialling.
            self.finish(now_ms)

    def _next(self) -> None:
        step = self.walked.question
        self.dial = self.choice = self.turns = None
        self.place = 0
        if isinstance(step, Figure):
            self.dial = FigureDial(step, self.likely_of(step))
        elif isinstance(step, Turns):
            self.turns = TurnCounter(step, self.answers[step.first])
        elif isinstance(step, Choice):
            self.choice = step
            likely = self.likely.get(step.name)
            self.place = step.options.index(likely) if likely in step.options else 0

    def _back(self) -> None:
        if self.dial is not None and (before := self.dial.back()):
            self.dial = before
            return
        if self.given:
            self._reopen(*self.given.popitem())
        elif self.begun:
            self.table.question = ConfirmDiscard(self.table, self)
        elif self.way is not None and self.from_list:
            self.way, self.place, self.dial, self.choice = None, 0, None, None
        else:
            self.table.entry = None

    def _reopen(self, name: str, value: Any) -> None:
        self._next()
        if self.dial is not None and self.dial.figure.name == name:
            self.dial = replace(self.dial, value=value, touched=True)
        elif self.turns is not None and not value:
            self.turns = replace(self.turns, ended=self.turns.step.turns - 1)

    def finish(self, now_ms: int) -> None:
        """Report the entry, if it is possible. While a question is open there is nothing to report."""
        result = self.table.checked_result(self._result, self.by, now_ms)
        if result is None:
            self._back()
            return
        self.table.entry = None
        self.table.games.clear()
        self.table.seated.add(self.by)
        self.table.send(self.by, result)

    def _result(self) -> Result:
        assert self.way is not None
        return (
            self.like
            if self.like is not None and self._unchanged(self.like)
            else compose_complete(self.way, self.opener, self.answers)
        )

    def _unchanged(self, like: Result) -> bool:
        """Whether way and answers are those of the corrected result: buttons may show less than it holds (33:−5)."""
        if not self.done or self.way is None or self.way.id != self.likely_way:
            return False
        if self.known.get("first_player") not in (None, like.first_player):
            # The beginner is recorded here and was not before.
            return False
        return all(
            self.answers.get(question.name) == self.likely.get(question.name)
            for question in self.walked.met
            if question.asked
        )

    # --- what was entered ---

    @property
    def answers(self) -> dict[str, Any]:
        return {**self.known, **self.given}

    @property
    def walked(self) -> WalkState:
        assert self.way is not None
        return walk_way(self.way, self.answers, self.opener)

    @property
    def done(self) -> bool:
        return self.way is not None and self.walked.question is None

    @property
    def begun(self) -> bool:
        touched = self.dial is not None and self.dial.touched
        return bool(self.given) or touched or (self.turns is not None and self.turns.ended > 0)

    @property
    def other_ways(self) -> tuple[WayToEnd, ...]:
        return tuple(way for way in self.ways if self.way is None or way.id != self.way.id)

    def preview(self) -> Result:
        """The result as entered so far, for display only; unanswered questions count as they are offered."""
        assert self.way is not None
        offered = {figure.name: self.likely_of(figure) for figure in self.way.figures() if figure.asked}
        dialled = {self.dial.figure.name: self.dial.value} if self.dial is not None else {}
        return compose_result(self.way, self.opener, {**offered, **self.answers, **dialled})

    def likely_of(self, figure: Figure) -> int:
        """Where a figure starts: at the corrected one, at the games so far, else at its default."""
        figure = figure.for_side(self.side_of(figure.whose))
        value = self.likely.get(figure.name)
        if value is None and self.like is not None and figure.key == "score":
            value = self.like.score.of(self.side_of(figure.whose))
        if value is None and self.table.games and figure.key == "score":
            value = self.table.games.count(self.side_of(figure.whose))
        possible = figure.asked and value is not None and figure.minimum <= value <= figure.maximum
        if possible and value is not None:
            return int(value)
        assert self.way is not None
        return (
            starting_value(self.way, figure, self.side_of(figure.whose), self.answers)
            if figure.asked
            else figure.default
        )

    def side_of(self, whose: str) -> Side:
        return self.opener if whose == WINNER else other_side(self.opener)

    def scene(self, now_ms: int) -> Scene:
        return _scene(self)


@dataclass(eq=False)
class ConfirmDiscard(DialogueState):
    """The other's button on the first question of a begun entry: once more drops it, anything else continues."""

    entry: ResultEntry

    def tap(self, key: str, now_ms: int) -> None:
        self.table.question = None
        if key == other_side(self.entry.by):
            self.table.entry = None

    def scene(self, now_ms: int) -> Scene:
        words, by = self.table.words, self.entry.by
        return self.table.page(
            "drop",
            other_side(by),
            words("drop.title"),
            words("drop.line", sign=SIGNS[other_side(by)]),
            hint=words("drop.keep", sign=SIGNS[by]),
        )


# --- what an entry shows ---


def _scene(entry: ResultEntry) -> Scene:
    table, words, own = entry.table, entry.table.words, SIGNS[entry.by]
    if entry.way is None:
        names = [way_line(table, way, entry.opener) for way in entry.listed]
        return list_scene(
            table, "way", entry.by, words("entry.how"), names, entry.place, words("entry.choose", sign=own)
        )
    if entry.turns is not None:
        return _turns(entry)
    if entry.choice is not None and not entry.choice.by_button:
        names = [_option(table, entry.choice, option) for option in entry.choice.options]
        return list_scene(
            table, "choice", entry.by, _label(entry, entry.choice), names, entry.place, words("entry.choose", sign=own)
        )
    if entry.choice is not None and (
        (entry.way.figures() and not entry.walked.figures) or len(words(entry.choice.label)) > TITLE_LETTERS
    ):
        return table.page(
            "choice",
            entry.by,
            words(entry.choice.label),
            *(NameRow(table.signed_name(side)) for side in SIDES),
            hint=_choice_hint(table, entry.choice),
        )
    title, hint, info = "", words("entry.ok", sign=own), _worth(entry)
    if entry.choice is not None:
        title, hint, info = words(entry.choice.label), _choice_hint(table, entry.choice), ""
    elif entry.dial is not None:
        title, hint = _figure_label(entry, entry.dial.figure), _dial_hint(entry, entry.dial)
    else:
        title = _confirm_note(entry)
        if entry.walked.decided_by not in (None, SCORE) and not info:
            info = words("entry.decides")
    if (
        entry.other_ways
        and not entry.begun
        and table.form is not None
        and table.form.direct
        and (entry.dial is None or not _steps_in(entry.dial))
    ):
        hint = f"{hint}  {words('entry.others')}"
    return table.figures("entry", entry.by, lambda side: _column(entry, side), title=title, info=info, hint=hint)


def way_line(table: TableState, way: WayToEnd, opener: Side | None) -> str:
    """A way in a list. Without an opener yet, the player who takes the line "I concede" is it."""
    if way.ended != CONCESSION:
        return table.words(f"form.way.{way.id}")
    if opener is None:
        return table.words("endings.concede")
    names = (*shorter_forms(table.name(other_side(opener))), SIGNS[other_side(opener)])
    return Sentence.of(table.words("endings.conceded", name=name) for name in names)


def _choice_hint(table: TableState, choice: Choice) -> str:
    return table.words("lot.press" if choice.lot else "entry.whose")


def list_scene(
    table: TableState, kind: str, turn: Side | None, title: str, options: list[str], place: int, hint: str
) -> Scene:
    """A list with one line pointed at; long lists show the lines around it."""
    first = max(0, min(place - 1, len(options) - 3))
    marks = {at: "► " if at == place else "   " for at in range(first, min(first + 3, len(options)))}
    lines = [map_wordings(options[at], mark.__add__) for at, mark in marks.items()]
    return table.page(kind, turn, title, *lines, hint=hint)


def _turns(entry: ResultEntry) -> Scene:
    table, turns = entry.table, entry.turns
    assert turns is not None
    sign = SIGNS[turns.whose]
    return table.page(
        "turns",
        turns.whose,
        table.words("turns.left", n=turns.left),
        NameRow(table.signed_name(turns.whose)),
        table.words("turns.end", sign=sign),
        hint=table.words("turns.won"),
    )


def _figure_label(entry: ResultEntry, figure: Figure) -> str:
    """The name of the dialled figure, where a way has several kinds or the game wants it said; "Draw", where there will
    be no winner."""
    assert entry.way is not None
    words = entry.table.words
    if len({each.key for each in entry.way.figures()}) > 1:
        return result_text.figure_name(entry.table, figure.key)
    if entry.way.winner == DRAWN:
        return words("told.draw")
    return words(f"form.dialled.{figure.key}") if f"form.dialled.{figure.key}" in words else ""


def _confirm_note(entry: ResultEntry) -> str:
    """What decided, or the choices made: "Final salvo ●"."""
    words, walked = entry.table.words, entry.walked
    assert entry.way is not None
    if entry.way.winner == DECIDED and walked.decided_by is not None:
        return words(f"step.{walked.decided_by}")
    if entry.way.winner == DECIDED:
        return words("told.draw")
    chosen = ", ".join(
        _chosen_text(entry.table, step, entry.given[step.name])
        for step in entry.way.steps
        if isinstance(step, Choice) and step.name in entry.given
    )
    return chosen or (words("told.draw") if entry.way.winner == DRAWN else "")


def _label(entry: ResultEntry, choice: Choice) -> str:
    """The question; where each side makes its own choice, whose it is: "● House chosen"."""
    label = entry.table.words(choice.label)
    if choice.whose is None:
        return label
    return f"{SIGNS[entry.opener if choice.whose == WINNER else other_side(entry.opener)]} {label}"


def _chosen_text(table: TableState, choice: Choice, option: str) -> str:
    """An answered question, as a statement where there is one: "initiative ●"."""
    if choice.by_button and f"told.{choice.name}" in table.words:
        return table.words(f"told.{choice.name}", sign=_option(table, choice, option))
    label = table.words.first(f"told.{choice.label}", choice.label)
    return f"{label} {_option(table, choice, option)}"


def _option(table: TableState, choice: Choice, option: str) -> str:
    if choice.by_button:
        return SIGNS["a" if option == "a" else "b"]
    if option in SIDES:
        return str(table.signed_name("a" if option == "a" else "b"))
    # A house is called what the deck's card calls it.
    key = f"form.option.{option}"
    return table.words(key) if key in table.words else option


def _dial_hint(entry: ResultEntry, dial: FigureDial) -> str:
    words, own = entry.table.words, SIGNS[entry.by]
    if _steps_in(dial):
        return f"{words('entry.ones', sign=own)}  {words('entry.ok', sign=own)}"
    return words("entry.next" if dial.touched and dial.confirmed() else "entry.ok", sign=own)


def _steps_in(dial: FigureDial) -> bool:
    """Whether holding the button goes straight to the ones: this hint leaves no room for another."""
    return not dial.touched and dial.stepped_in() is not None and dial.value == 0


def _column(entry: ResultEntry, side: Side) -> FigureColumn:
    wheels, active, unset = _wheels(entry, side)
    return FigureColumn(SIGNS[side], entry.table.name(side), wheels, active, unset)


def _wheels(entry: ResultEntry, side: Side) -> tuple[tuple[str, ...], int | None, bool]:
    """The figure in parts, which of them turns, and whether it is still unset."""
    assert entry.way is not None
    whose = WINNER if side == entry.opener else LOSER
    if entry.dial is not None and entry.dial.figure.whose == whose:
        return *entry.dial.shown(), not entry.dial.touched
    if not entry.way.figures() or (entry.done and entry.way.winner == DECIDED):
        return (result_text.side_figure(entry.table, entry.preview(), side),), None, False
    figures = [step for step in entry.walked.met if isinstance(step, Figure)]
    key = entry.dial.figure.key if entry.dial else figures[-1].key if figures else entry.way.figures()[0].key
    shown = next((each for each in entry.way.figures() if (each.key, each.whose) == (key, whose)), None)
    if shown is None:
        return ("",), None, False
    return (
        (figure_text(shown, entry.answers.get(shown.name, entry.likely_of(shown))),),
        None,
        shown.name not in entry.answers,
    )


def _worth(entry: ResultEntry) -> str:
    """The worth of the figures on the screen, also while they are still being dialled."""
    try:
        return result_text.worth_text(entry.table, entry.preview(), entry.by)
    except Problem:
        return ""
