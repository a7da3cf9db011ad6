"""What an entry shows: the list of ways, the question that is asked, the figures, and what is about to be confirmed."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Protocol

from roundtap_core.errors import Problem
from roundtap_core.forms.form import DECIDED, DRAWN, Way
from roundtap_core.forms.questions import LOSER, WINNER, Choice, Figure
from roundtap_core.forms.walk import Walk
from roundtap_core.records import CONCESSION, SIDES, Result, Side, other
from roundtap_units.table.dialogue import result_text
from roundtap_units.table.dialogue.digit_wheels import Counter, Dial, spoken
from roundtap_units.table.dialogue.table_state import TableState
from roundtap_units.table.screens.lettering import shorter_forms
from roundtap_units.table.screens.scenes import SIGNS, Column, Figures, Row, Scene

NAME_LETTERS = 11
"""So many fit into a line of a list before "conceded"."""


class Entering(Protocol):
    """What a scene reads of an entry; `entry.Entry` is the one there is."""

    table: TableState
    opener: Side
    by: Side
    way: Way | None
    listed: tuple[Way, ...]
    place: int
    given: dict[str, Any]
    dial: Dial | None
    choice: Choice | None
    turns: Counter | None

    @property
    def answers(self) -> Mapping[str, Any]: ...

    @property
    def walked(self) -> Walk: ...

    @property
    def done(self) -> bool: ...

    @property
    def begun(self) -> bool: ...

    @property
    def others(self) -> tuple[Way, ...]: ...

    def preview(self) -> Result: ...

    def unset(self, figure: Figure) -> bool: ...

    def likely_of(self, figure: Figure) -> int: ...


def scene(entry: Entering) -> Scene:
    table, words, own = entry.table, entry.table.words, SIGNS[entry.by]
    if entry.way is None:
        names = [way_line(table, way, entry.opener) for way in entry.listed]
        return listed(table, "way", entry.by, words("entry.how"), names, entry.place, words("entry.choose", sign=own))
    if entry.turns is not None:
        return _turns(entry)
    if entry.choice is not None and not entry.choice.by_button:
        names = [_option(table, entry.choice, option) for option in entry.choice.options]
        return listed(table, "choice", entry.by, _label(entry, entry.choice), names, entry.place,
                      words("entry.choose", sign=own))
    if entry.choice is not None and entry.way.figures() and not entry.walked.figures:
        return table.page("choice", entry.by, words(entry.choice.label), *(Row(table.signed(side)) for side in SIDES),
                          hint=_choice_hint(table, entry.choice))
    title, hint, info = "", words("entry.ok", sign=own), _worth(entry)
    if entry.choice is not None:
        title, hint, info = words(entry.choice.label), _choice_hint(table, entry.choice), ""
    elif entry.dial is not None:
        title, hint = _asked(entry, entry.dial.figure), _dial_hint(entry, entry.dial)
    else:
        title = _about_to_confirm(entry)
        if entry.walked.decided_by is not None and not info:
            info = words("entry.decides")
    if entry.others and not entry.begun and table.form is not None and table.form.direct \
            and (entry.dial is None or not _steps_in(entry.dial)):
        hint = f"{hint}  {words('entry.others')}"
    return figures(table, "entry", entry.by, lambda side: _column(entry, side), title=title, info=info, hint=hint)


def way_line(table: TableState, way: Way, opener: Side | None) -> str:
    """A way in a list. Nobody has opened the report yet: whoever takes the line "I concede" does."""
    if way.ended != CONCESSION:
        return table.words(f"form.way.{way.id}")
    if opener is None:
        return table.words("endings.concede")
    names = list(shorter_forms(table.name(other(opener))))
    return table.words("endings.conceded", name=next((name for name in names if len(name) <= NAME_LETTERS), names[-1]))


def _choice_hint(table: TableState, choice: Choice) -> str:
    return table.words("lot.press" if choice.lot else "entry.whose")


def listed(table: TableState, kind: str, turn: Side | None, title: str, options: list[str], place: int,
           hint: str) -> Scene:
    """A list with one line pointed at; long lists show the lines around it."""
    first = max(0, min(place - 1, len(options) - 3))
    lines = [("► " if at == place else "   ") + options[at] for at in range(first, min(first + 3, len(options)))]
    return table.page(kind, turn, title, *lines, hint=hint)


def figures(
    table: TableState, kind: str, turn: Side, column: Callable[[Side], Column], *, title: str, info: str, hint: str,
    note: str = "",
) -> Scene:
    """A scene of two figures, turned to one person."""
    left = table.first(turn)
    return Figures(kind=kind, facing=table.facing, mark=table.mark, badge=table.badge, turn=turn, title=title,
                   left=column(left), right=column(other(left)), info=info, hint=hint, clock=table.clock,
                   note=note)


def _turns(entry: Entering) -> Scene:
    table, turns = entry.table, entry.turns
    assert turns is not None
    sign = SIGNS[turns.whose]
    return table.page("turns", turns.whose, table.words("turns.left", n=turns.left), Row(table.signed(turns.whose)),
                      table.words("turns.end", sign=sign), hint=table.words("turns.won"))


def _asked(entry: Entering, figure: Figure) -> str:
    """What is dialled, where a way has figures of several kinds; "Draw", where nobody is going to win."""
    assert entry.way is not None
    if len({each.key for each in entry.way.figures()}) > 1:
        return result_text.label(entry.table, figure.key)
    return entry.table.words("told.draw") if entry.way.winner == DRAWN else ""


def _about_to_confirm(entry: Entering) -> str:
    """What decided, or what the choices were: "Final salvo ●"."""
    words, walked = entry.table.words, entry.walked
    assert entry.way is not None
    if entry.way.winner == DECIDED and walked.decided_by is not None:
        return words(f"step.{walked.decided_by}")
    if entry.way.winner == DECIDED:
        return words("told.draw")
    chosen = ", ".join(_chosen(entry.table, step, entry.given[step.name]) for step in entry.way.steps
                       if isinstance(step, Choice) and step.name in entry.given)
    return chosen or (words("told.draw") if entry.way.winner == DRAWN else "")


def _label(entry: Entering, choice: Choice) -> str:
    """What is asked; where each side makes its own choice, whose it is: "● House chosen"."""
    label = entry.table.words(choice.label)
    if choice.whose is None:
        return label
    return f"{SIGNS[entry.opener if choice.whose == WINNER else other(entry.opener)]} {label}"


def _chosen(table: TableState, choice: Choice, option: str) -> str:
    """A question that was answered, as a statement where there is one: "initiative ●"."""
    if choice.by_button and f"told.{choice.name}" in table.words:
        return table.words(f"told.{choice.name}", sign=_option(table, choice, option))
    return f"{table.words(choice.label)} {_option(table, choice, option)}"


def _option(table: TableState, choice: Choice, option: str) -> str:
    if choice.by_button:
        return SIGNS["a" if option == "a" else "b"]
    if option in SIDES:
        return str(table.signed("a" if option == "a" else "b"))
    # A house is called what the deck's card calls it.
    key = f"form.option.{option}"
    return table.words(key) if key in table.words else option


def _dial_hint(entry: Entering, dial: Dial) -> str:
    words, own = entry.table.words, SIGNS[entry.by]
    if _steps_in(dial):
        return f"{words('entry.ones', sign=own)}  {words('entry.ok', sign=own)}"
    return words("entry.next" if dial.touched and dial.confirmed() else "entry.ok", sign=own)


def _steps_in(dial: Dial) -> bool:
    """Whether holding the button goes straight to the ones: this hint leaves no room for another."""
    return not dial.touched and dial.stepped_in() is not None and dial.value == 0


def _column(entry: Entering, side: Side) -> Column:
    wheels, active, unset = _wheels(entry, side)
    return Column(SIGNS[side], entry.table.name(side), wheels, active, unset)


def _wheels(entry: Entering, side: Side) -> tuple[tuple[str, ...], int | None, bool]:
    """The figure in parts, which of them turns, and whether nobody has set it."""
    assert entry.way is not None
    whose = WINNER if side == entry.opener else LOSER
    if entry.dial is not None and entry.dial.figure.whose == whose:
        return *entry.dial.shown(), not entry.dial.touched
    if not entry.way.figures() or (entry.done and entry.way.winner == DECIDED):
        return (result_text.figure(entry.table, entry.preview(), side),), None, False
    met = [step for step in entry.walked.met if isinstance(step, Figure)]
    key = entry.dial.figure.key if entry.dial else met[-1].key if met else entry.way.figures()[0].key
    shown = next((each for each in entry.way.figures() if (each.key, each.whose) == (key, whose)), None)
    if shown is None:
        return ("",), None, False
    return (spoken(shown, entry.answers.get(shown.name, entry.likely_of(shown))),), None, entry.unset(shown)


def _worth(entry: Entering) -> str:
    """What the figures on the screen are worth, also while they are still being dialled."""
    try:
        return result_text.worth(entry.table, entry.preview(), entry.by)
    except Problem:
        return ""
