"""Result forms as data: the questions of a rulebook, their order and limits. All fronts use them.

A form has *ways* a match can end. A way begins with a side's own button (the winner's, if there is one), then takes its
steps in order: questions, and rules between them that may decide, so that no needless question follows.
`walk.next_step` is what to ask next; `walk.compose_result` makes the `Result`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Annotated, Any

from msgspec import Meta, Struct, to_builtins

from roundtap_core.forms.questions import (
    LOSER,
    SCORE_KEYS,
    WINNER,
    BaseQuestion,
    Bonus,
    Choice,
    Figure,
    Picks,
    Question,
    Rule,
    Step,
)
from roundtap_core.records import CONCESSION, RULING, SIDES, Ending, Side, other_side
from roundtap_core.typed import Message, Word
from roundtap_core.words import Words

BEFORE_TIME, AT_TIME, ANY_TIME = "before_time", "at_time", "any"

BY_FIGURES, OPENER, DRAWN, DECIDED = "figures", "opener", "draw", "decided"
"""What determines a way's winner: the figures (or the answer to "winner"), its opener, no one, or the deciding step (a
draw without one)."""

RECORDED = ("winner", "initiative", "first_player")
"""Choices that a result keeps. All others are asked by steps that few matches ever come to."""


class WayToEnd(Message, frozen=True):
    """One way to end: `when` it is offered, what `ended` it records, and its steps in order."""

    id: Word
    when: Word
    ended: Ending
    steps: Annotated[tuple[Step, ...], Meta(max_length=64)]
    winner: Word = BY_FIGURES

    @property
    def questions(self) -> tuple[Question, ...]:
        return tuple(step for step in self.steps if isinstance(step, BaseQuestion))

    @property
    def rules(self) -> tuple[Rule, ...]:
        return tuple(step for step in self.steps if not isinstance(step, BaseQuestion))

    def figures(self) -> tuple[Figure, ...]:
        return tuple(step for step in self.steps if isinstance(step, Figure))

    def picks(self) -> tuple[Picks, ...]:
        return tuple(step for step in self.steps if isinstance(step, Picks))

    def choice(self, name: str) -> Choice | None:
        return next((step for step in self.steps if isinstance(step, Choice) and step.name == name), None)

    @property
    def lots(self) -> frozenset[str]:
        """The choices that the kit draws."""
        return frozenset(step.name for step in self.steps if isinstance(step, Choice) and step.lot)

    @property
    def bonus(self) -> frozenset[str]:
        """Figures that a rule adds one to, on behalf of another."""
        return frozenset(step.gives for step in self.steps if isinstance(step, Bonus))

    def opened_by(self, opener: Side) -> WayToEnd:
        """The way with every question as addressed to its side."""
        sides: dict[str | None, Side] = {WINNER: opener, LOSER: other_side(opener)}
        return self.replace(
            steps=tuple(
                step.for_side(sides[step.whose]) if isinstance(step, BaseQuestion) and step.whose in sides else step
                for step in self.steps
            )
        )

    def for_one_side(self, side: Side, opener: Side) -> WayToEnd:
        """The way as addressed to one side alone: the other picks its own squads."""
        theirs = LOSER if side == opener else WINNER
        return self.replace(
            steps=tuple(step for step in self.steps if not (isinstance(step, Picks) and step.whose == theirs))
        )


class Form(Message, frozen=True):
    """All ways of one rulebook in one situation; `worth` names the derived values shown before confirming. `direct`:
    the first way offered begins at once, the others behind it. `parallel`: no opener, each side answers for itself ("a"
    stands for the winner). `games`: won games that end the match. `look_s`: seconds to read the other's list."""

    rulebook: Word
    ways: Annotated[tuple[WayToEnd, ...], Meta(min_length=1, max_length=16)]
    worth: Annotated[tuple[Word, ...], Meta(max_length=8)] = ()
    direct: bool = False
    parallel: bool = False
    games: Annotated[int, Meta(ge=1, le=9)] = 1
    look_s: Annotated[int, Meta(ge=1, le=3600)] | None = None

    def offered(self, time_is_up: bool) -> tuple[WayToEnd, ...]:
        """The ways a table is offered before or after time was called."""
        wanted = AT_TIME if time_is_up else BEFORE_TIME
        return tuple(way for way in self.ways if way.when in (wanted, ANY_TIME))

    @property
    def lots(self) -> frozenset[str]:
        """The choices of any way that the kit draws."""
        return frozenset(name for way in self.ways for name in way.lots)

    def way(self, way_id: str) -> WayToEnd | None:
        return next((way for way in self.ways if way.id == way_id), None)


def with_rulings(form: Form, outcomes: tuple[str, ...]) -> Form:
    """The form for officials: with a ruling, one of `outcomes`, alone or with figures in the widest limits."""
    by_key: dict[str, list[Figure]] = {}
    for way in form.ways:
        for figure in (each for side in SIDES for each in way.opened_by(side).figures() if each.key in SCORE_KEYS):
            by_key.setdefault(figure.key, []).append(figure)
    named = Choice("winner", "form.ruled", outcomes)
    figures = [
        Figure(key, whose, low, max(each.maximum for each in group), low, beyond=any(each.beyond for each in group))
        for key, group in by_key.items()
        for low in [min(each.minimum for each in group)]
        for whose in (WINNER, LOSER)
    ]
    rulings = [WayToEnd("ruling", ANY_TIME, RULING, (named,))]
    if figures:
        rulings.append(WayToEnd("ruling_figures", ANY_TIME, RULING, (named, *figures)))
    return form.replace(ways=(*form.ways, *rulings))


def form_to_json(form: Form) -> dict[str, Any]:
    """The form as plain JSON, as it travels in a table's view."""
    return dict(to_builtins(form))


class SlipTicks(Struct, frozen=True):
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
    keys = (figure.key for way in form.ways for figure in way.figures() if figure.asked)
    figures = []
    for key in (key for key in dict.fromkeys(keys) if key in SCORE_KEYS):
        own, lost = f"paper.figure.{key}.{form.rulebook}", f"paper.lost.{key}.{form.rulebook}"
        figures.append(SlipFigure(key, own if own in words else f"paper.figure.{key}", lost if lost in words else ""))
    return figures


def slip_ticks(form: Form) -> list[SlipTicks]:
    """Everything to tick, from the winner to leaving the event."""
    return [*_winner_ticks(form), *_ending_ticks(form), *_choices(form), SlipTicks("paper.leave", SIDES)]


def slip_picks(form: Form) -> Picks | None:
    """What each side picks for a match, where lists have squads."""
    return next((picks for way in form.ways for picks in way.picks()), None)


def margin_label(form: Form, words: Words) -> str:
    """The key of what players note as their margin, "" where the rulebook has them note none."""
    key = f"paper.margin.{form.rulebook}"
    return key if key in words else ""


def _winner_ticks(form: Form) -> Iterator[SlipTicks]:
    """The winner, where figures may not decide it; a draw, where it must be stated."""
    if form.parallel or not any(way.winner in (OPENER, DECIDED) for way in form.ways):
        return
    draw = ("paper.draw",) if any(way.winner == DRAWN for way in form.ways) else ()
    yield SlipTicks("paper.won", (*SIDES, *draw))


def _ending_ticks(form: Form) -> Iterator[SlipTicks]:
    """How it ended, where that changes what the result is worth. That is so for every way where points decide at time
    and do not decide before it; else for a concession."""
    ways = [way for way in form.ways if way.winner != DRAWN]
    conceded = [way for way in ways if way.ended == CONCESSION]
    if not form.parallel and any(map(_decided_by_figures, ways)) and any(way.winner == OPENER for way in ways):
        yield SlipTicks("", tuple(f"form.way.{way.id}" for way in ways))
    elif conceded and form.worth and (form.parallel or not _as_destroyed(conceded[0], ways)):
        yield SlipTicks("paper.concedes", SIDES) if form.parallel else SlipTicks("", (f"form.way.{conceded[0].id}",))


def _as_destroyed(conceded: WayToEnd, ways: Sequence[WayToEnd]) -> bool:
    """Whether the figures equal those of another ending: the conceding side has lost everything, and the other's figure
    is fixed."""
    figures = conceded.figures()
    sides = {figure.whose for figure in figures if figure.asked}
    return sides == {LOSER} and any(way is not conceded and way.figures() == figures for way in ways)


def _decided_by_figures(way: WayToEnd) -> bool:
    figures = way.figures()
    return (
        way.winner == BY_FIGURES
        and way.ended != CONCESSION
        and bool(figures)
        and all(figure.asked for figure in figures)
    )


def _choices(form: Form) -> Iterator[SlipTicks]:
    choices = [choice for way in form.ways for name in RECORDED if (choice := way.choice(name)) is not None]
    for step in {step.label: step for step in choices}.values():
        # An unknown answer is not ticked: the row stays empty.
        sides = tuple(option for option in step.options if option in SIDES)
        yield SlipTicks(step.label, sides or tuple(f"form.option.{option}" for option in step.options))
