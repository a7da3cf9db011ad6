"""An official's result form on one page, made of the rulebook's own form: its plain ways, figures and choices."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from roundtap_core.errors import Problem
from roundtap_core.forms.form import BY_FIGURES, OPENER, Form, Way
from roundtap_core.forms.questions import LOSER, WINNER, Choice, Decide, Figure, Picks, Test, squads_read
from roundtap_core.forms.walk import compose
from roundtap_core.numbers import typed_number
from roundtap_core.records import CONCESSION, RULING, SIDES, Pair, Result, Side, other
from roundtap_core.rulebooks.base import DRAW, SWISS_ROUND, Options, Rulebook, Situation

SAY_WINNER, FIRST_PLAYER = "winner", "first_player"

Typed = Mapping[str, str | list[str]]
"""What was typed, by field; squads are a list, as several boxes of one name are."""


@dataclass(frozen=True, slots=True)
class Asked:
    """One figure, asked of both sides: the widest limits of any way, so that the way itself may say what is wrong.

    `beyond`: a real figure may lie outside.
    """

    key: str
    minimum: int
    maximum: int
    beyond: bool


@dataclass(frozen=True, slots=True)
class FormView:
    """`choices` are what a way asks besides figures, without the winner; `picks` are the squads, where there are any.

    `draws`: whether a judge's ruling may be a draw. `walked`: ways that need their steps one after the other.
    `figures_tell`: whether there is a way in which nobody has to name the winner.
    """

    ways: tuple[str, ...]
    figures: tuple[Asked, ...]
    choices: tuple[Choice, ...]
    picks: Picks | None
    draws: bool
    walked: tuple[str, ...]
    figures_tell: bool


def form_view(form: Form, draws: bool = False) -> FormView:
    """What to ask an official who was told the result."""
    figures: dict[str, Asked] = {}
    choices: dict[str, Choice] = {}
    picks = None
    for way in form.ways:
        for step in way.steps:
            if isinstance(step, Choice) and step.name == FIRST_PLAYER:
                # The plain form knows who began, or does not: the lot for it belongs to the steps of a time-out.
                choices[step.name] = replace(step, options=SIDES)
            if not plain(way):
                continue
            if isinstance(step, Figure):
                figures[step.key] = _widest(step, figures.get(step.key))
            elif isinstance(step, Picks):
                picks = step
            elif isinstance(step, Choice) and step.name != SAY_WINNER:
                choices[step.name] = step
    return FormView(
        tuple(way.id for way in form.ways if plain(way) and way.ended != CONCESSION), tuple(figures.values()),
        tuple(choices.values()), picks, draws, tuple(way.id for way in form.ways if not plain(way)),
        any(way.winner == BY_FIGURES and way.ended != CONCESSION for way in form.ways),
    )


def plain(way: Way) -> bool:
    """Whether the way asks nothing but figures, squads and choices, whatever was answered before."""
    return all(isinstance(step, Figure | Picks | Test | Decide) or (isinstance(step, Choice) and step.only_if is None)
               for step in way.steps)


def _widest(step: Figure, known: Asked | None) -> Asked:
    lows = [step.minimum, *([] if step.asked else [step.default]), *([known.minimum] if known else [])]
    highs = [*(step.put_to(side).maximum for side in SIDES), *([known.maximum] if known else [])]
    return Asked(step.key, min(lows), max(highs), step.beyond or (known is not None and known.beyond))


def has_draws(book: Rulebook, options: Options, situation: Situation = SWISS_ROUND) -> bool:
    """Whether a match of this stage may end in a draw, by ruling at least."""
    drawn = Result(ended=RULING, winner=DRAW, initiative="a")
    try:
        if situation.knockout:
            book.elimination_winner(drawn, options, "a")
        else:
            book.winner(drawn, options)
    except Problem:
        return False
    return True


def read_result(book: Rulebook, options: Options, answers: Typed, situation: Situation = SWISS_ROUND) -> Result:
    """The result an official typed. Raises Problem, naming the figure, where it cannot be.

    `answers`: "ended" is a way, "concession" or "ruling"; "score.a", "score.b" and the like are figures, empty for
    none; "winner" is "", "a", "b", "draw" or "none"; "conceded_by" a side; "picks.a" a list of squads.
    """
    form = book.form(options, situation)
    ended, winner = _text(answers, "ended"), _text(answers, "winner") or None
    if ended in (CONCESSION, RULING):
        return _stated(form, ended, winner, answers)
    way = form.way(ended)
    if way is None or not plain(way):
        raise Problem("choose_how_it_ended")
    if winner == "none":
        raise Problem("none_without_ruling", where="/winner")
    result = _by_way(way, winner, answers)
    if winner is not None and result.winner != winner:
        # Who was named must be who the figures say: the rulebook tells, and refuses otherwise.
        if result.winner is not None:
            raise Problem("winner_contradicts_score", where="/winner", winner=winner, a=result.score.a,
                          b=result.score.b, right=result.winner)
        book.check_new(replace(result, winner=winner), options, situation)
    return result


def _stated(form: Form, ended: str, winner: str | None, answers: Typed) -> Result:
    """Somebody conceded, or a judge has ruled: the figures are what they are. A concession that says nothing of a
    figure has the form's."""
    conceded_by = _text(answers, "conceded_by") or None
    if ended == CONCESSION and conceded_by not in SIDES:
        raise Problem("concession_by_whom", where="/conceded_by")
    if ended == RULING and winner is None:
        raise Problem("ruling_for_whom", where="/winner")
    if ended == CONCESSION and winner is not None and winner != other("a" if conceded_by == "a" else "b"):
        raise Problem("winner_contradicts_concession", where="/winner", winner=winner,
                      right=other("a" if conceded_by == "a" else "b"))
    usual: dict[tuple[str, str], int] = {}
    asked = {figure.key for way in form.ways if way.ended == CONCESSION for figure in way.figures() if figure.asked}
    if conceded_by in SIDES and ended == CONCESSION:
        opener = other("a" if conceded_by == "a" else "b")
        sides = {WINNER: opener, LOSER: conceded_by}
        for way in form.ways:
            if way.ended == CONCESSION:
                fixed = [f for f in way.opened_by(opener).figures() if not f.asked]
                usual = {(f.key, sides[f.whose]): f.default for f in fixed}
                for f in fixed:
                    said = _number(answers, f"{f.key}.{sides[f.whose]}")
                    if said is not None and said > f.maximum and not f.beyond:
                        raise Problem("figure_fixed", value=said, right=f.default)
    pairs: dict[str, Pair] = {}
    for key in {figure.key for way in form.ways if plain(way) for figure in way.figures()}:
        typed = {side: _number(answers, f"{key}.{side}") for side in SIDES}
        found = {side: value for side in SIDES
                 if (value := _or(typed[side], usual.get((key, side)))) is not None}
        if found or (ended == CONCESSION and key in asked):
            if len(found) < len(SIDES):
                # A field left empty is no zero: half a pair is asked for, not made up.
                raise Problem("figure_missing")
            pairs[key] = Pair(found["a"], found["b"])
    return Result(
        ended=ended, winner=winner if ended == RULING else None,
        conceded_by=conceded_by if ended == CONCESSION else None,
        score=pairs.get("score", Pair()), wounds=pairs.get("wounds"),
        initiative=_choice(form, answers, "initiative"), first_player=_choice(form, answers, FIRST_PLAYER),
        picks={side: squads for side in SIDES if (squads := _squads(answers, f"picks.{side}"))} or None,
    )


def _or(value: int | None, usual: int | None) -> int | None:
    return usual if value is None else value


def _choice(form: Form, answers: Typed, name: str) -> str | None:
    value = _text(answers, name)
    return value if value in SIDES and any(way.choice(name) for way in form.ways) else None


def _by_way(way: Way, winner: str | None, answers: Typed) -> Result:
    """The opener of a way is its winner: who is named, else who has the higher first figure."""
    ahead = None if winner in SIDES or way.winner == OPENER else _ahead(way, answers)
    if winner not in SIDES and (way.winner == OPENER or (way.winner == BY_FIGURES and ahead is None and not any(
            figure.asked for figure in way.figures()))):
        raise Problem("winner_missing", where="/winner")
    opener: Side = "b" if winner == "b" or (winner not in SIDES and ahead == "b") else "a"
    sides: dict[str, Side] = {WINNER: opener, LOSER: other(opener)}
    given: dict[str, object] = {}
    for step in way.opened_by(opener).steps:
        if isinstance(step, Figure):
            value = _number(answers, f"{step.key}.{sides[step.whose]}")
            if value is not None and not step.asked and (
                    value > step.maximum if step.beyond else value != step.default):
                raise Problem("figure_fixed", value=value, right=step.default)
            if value is not None:
                given[step.name] = value
            elif step.asked:
                raise Problem("figure_missing")
        elif isinstance(step, Picks):
            squads = _squads(answers, f"{step.key}.{sides[step.whose]}")
            if squads:
                given[step.name] = squads
        elif isinstance(step, Choice):
            value_said = winner if step.name == SAY_WINNER else _text(answers, step.name)
            if value_said:
                given[step.name] = value_said
    first = _text(answers, FIRST_PLAYER)
    if first in SIDES:
        given[FIRST_PLAYER] = first
    return compose(way, opener, given)


def _ahead(way: Way, answers: Typed) -> Side | None:
    figures = way.figures()
    if not figures:
        return None
    one, two = (_number(answers, f"{figures[0].key}.{side}") for side in SIDES)
    if one is None and two is None:
        return None
    if one is None or two is None:
        # Nobody is ahead of a field left empty.
        raise Problem("figure_missing")
    return None if one == two else "b" if two > one else "a"


def _text(answers: Typed, name: str) -> str:
    value = answers.get(name, "")
    return (value if isinstance(value, str) else "".join(value[:1])).strip()


def _number(answers: Typed, name: str) -> int | None:
    """A whole number as typed, None where nothing was."""
    text = _text(answers, name)
    return None if not text else typed_number(text)


def _squads(answers: Typed, name: str) -> list[int]:
    value = answers.get(name, [])
    return squads_read(value if isinstance(value, list) else [value])
