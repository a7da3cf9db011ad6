"""What a slip asks on paper, made of the result form: figures to write, boxes to tick, and nothing rarely needed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec import Struct

from roundtap_core.forms.form import BY_FIGURES, DECIDED, DRAWN, OPENER, Form, Way
from roundtap_core.forms.questions import LOSER, TOLD_APART, Figure, Picks
from roundtap_core.records import CONCESSION, SIDES
from roundtap_core.words import Words

RECORDED = ("winner", "initiative", "first_player")
"""Choices that a result keeps. All others are asked by steps that few matches ever come to."""


class Ticks(Struct, frozen=True):
    """A question, and what may be ticked: "a" and "b" are the sides, all else are keys of texts. `label`: a key of a
    text, or "" where the options say it."""

    label: str
    options: tuple[str, ...]


class SlipFigure(Struct, frozen=True):
    """A number that each side writes; `label` is a key of a text. `lost`: the text of what one's own losses are called,
    where they lead to the other's points; else ""."""

    key: str
    label: str
    lost: str


def slip_figures(form: Form, words: Words) -> list[SlipFigure]:
    """What is written as a number: figures with a place of their own in a result, if anybody is asked for them."""
    asked = (figure.key for way in form.ways for figure in way.figures() if figure.asked)
    found = []
    for key in (key for key in dict.fromkeys(asked) if key in TOLD_APART):
        own, lost = f"paper.figure.{key}.{form.rulebook}", f"paper.lost.{key}.{form.rulebook}"
        found.append(SlipFigure(key, own if own in words else f"paper.figure.{key}", lost if lost in words else ""))
    return found


def slip_ticks(form: Form) -> list[Ticks]:
    """Everything to tick, from who won to whether somebody leaves."""
    return [*_won(form), *_ended(form), *_choices(form), Ticks("paper.leave", SIDES)]


def slip_picks(form: Form) -> Picks | None:
    """What each side picks for a match, where lists have squads."""
    return next((picks for way in form.ways for picks in way.picks()), None)


def margin_label(form: Form, words: Words) -> str:
    """The key of what players note as their margin, "" where the rulebook has them note none."""
    key = f"paper.margin.{form.rulebook}"
    return key if key in words else ""


def _won(form: Form) -> Iterator[Ticks]:
    """Who won, where the figures do not always tell it; a draw, where somebody has to say it."""
    if form.parallel or not any(_untold(way) for way in form.ways):
        return
    draw = ("paper.draw",) if any(way.winner == DRAWN for way in form.ways) else ()
    yield Ticks("paper.won", (*SIDES, *draw))


def _untold(way: Way) -> bool:
    return way.winner in (OPENER, DECIDED)


def _ended(form: Form) -> Iterator[Ticks]:
    """How it ended, where that changes what the result is worth.

    That is so for every way where points decide at time and do not decide before it; else for a concession.
    """
    ways = [way for way in form.ways if way.winner != DRAWN]
    conceded = [way for way in ways if way.ended == CONCESSION]
    if not form.parallel and any(map(_counted, ways)) and any(way.winner == OPENER for way in ways):
        yield Ticks("", tuple(f"form.way.{way.id}" for way in ways))
    elif conceded and form.worth and (form.parallel or not _as_destroyed(conceded[0], ways)):
        yield Ticks("paper.concedes", SIDES) if form.parallel else Ticks("", (f"form.way.{conceded[0].id}",))


def _as_destroyed(conceded: Way, ways: Sequence[Way]) -> bool:
    """Whether the same figures say it as for an ending of another kind: who concedes has lost all that is left, and the
    other's figure is fixed."""
    figures = conceded.figures()
    asked = {figure.whose for figure in figures if figure.asked}
    return asked == {LOSER} and any(
        way is not conceded and way.figures() == figures for way in ways)


def _counted(way: Way) -> bool:
    """Whether both sides' figures decide it."""
    figures = way.figures()
    return way.winner == BY_FIGURES and way.ended != CONCESSION and bool(figures) and all(map(_asked, figures))


def _asked(figure: Figure) -> bool:
    return figure.asked


def _choices(form: Form) -> Iterator[Ticks]:
    choices = [choice for way in form.ways for name in RECORDED if (choice := way.choice(name)) is not None]
    for step in {step.label: step for step in choices}.values():
        # Nobody ticks that nobody knows: the row stays empty.
        sides = tuple(option for option in step.options if option in SIDES)
        yield Ticks(step.label, sides or tuple(f"form.option.{option}" for option in step.options))
