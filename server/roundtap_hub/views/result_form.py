"""An official's result form, made of the rulebook's own form: its ways, figures and choices."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from roundtap_core.errors import Problem
from roundtap_core.forms import LOSER, WINNER, Choice, Figure, Form, Way, compose
from roundtap_core.records import CONCESSION, RULING, SIDES, Pair, Result, Side
from roundtap_core.rulebooks.base import Options, Rulebook

SAY_WINNER = "winner"


@dataclass(frozen=True, slots=True)
class Asked:
    """One figure, asked of both sides: the widest limits of any way, so that the way itself may say what is wrong."""

    key: str
    minimum: int
    maximum: int


@dataclass(frozen=True, slots=True)
class FormView:
    """`choices` are what a way asks besides figures, without the winner."""

    ways: tuple[str, ...]
    figures: tuple[Asked, ...]
    choices: tuple[Choice, ...]


def form_view(form: Form) -> FormView:
    """What to ask an official who was told the result."""
    figures: dict[str, Asked] = {}
    choices: dict[str, Choice] = {}
    for way in form.ways:
        for step in way.steps:
            if isinstance(step, Figure):
                known = figures.get(step.key)
                low = min(step.minimum, known.minimum) if known else step.minimum
                if not step.asked:
                    low = min(low, step.default)
                high = max(step.maximum, known.maximum) if known else step.maximum
                figures[step.key] = Asked(step.key, low, high)
            elif step.name != SAY_WINNER:
                choices[step.name] = step
    return FormView(tuple(way.id for way in form.ways), tuple(figures.values()), tuple(choices.values()))


def read_result(book: Rulebook, options: Options, answers: Mapping[str, str]) -> Result:
    """The result an official typed. Raises Problem, naming the figure, where it cannot be.

    `answers`: "ended" is a way, "concession" or "ruling"; "score.a", "score.b" and the like are figures, empty for
    none; "winner" is "", "a", "b", "draw" or "none"; "conceded_by" a side.
    """
    ended = answers.get("ended", "")
    winner = answers.get("winner") or None
    score = Pair(*(_number(answers, f"score.{side}") or 0 for side in SIDES))
    if ended == CONCESSION:
        conceded_by = answers.get("conceded_by") or None
        if conceded_by not in SIDES:
            raise Problem("concession_by_whom", where="/conceded_by")
        return Result(ended=CONCESSION, conceded_by=conceded_by, score=score)
    if ended == RULING:
        if winner is None:
            raise Problem("ruling_for_whom", where="/winner")
        return Result(ended=RULING, winner=winner, score=score)
    way = next((way for way in book.form(options).ways if way.id == ended), None)
    if way is None:
        raise Problem("choose_how_it_ended")
    result = _by_way(way, winner, answers)
    if winner in SIDES and result.winner is None:
        # Who was named must be who the figures say: the rulebook tells, and refuses otherwise.
        book.check_new(replace(result, winner=winner), options)
    return result


def _by_way(way: Way, winner: str | None, answers: Mapping[str, str]) -> Result:
    """The opener of a way is its winner: who is named, else who has the higher first figure."""
    opener: Side = "b" if winner == "b" or (winner is None and _ahead(way, answers) == "b") else "a"
    sides: dict[str, Side] = {WINNER: opener, LOSER: "b" if opener == "a" else "a"}
    given: dict[str, object] = {}
    for step in way.steps:
        if isinstance(step, Figure):
            value = _number(answers, f"{step.key}.{sides[step.whose]}")
            if value is not None and not step.asked and value != step.default:
                raise Problem("figure_fixed", value=value, right=step.default)
            if value is not None:
                given[step.name] = value
            elif step.asked:
                raise Problem("figure_missing")
        elif step.name == SAY_WINNER:
            if winner is not None:
                given[SAY_WINNER] = winner
        elif answers.get(step.name):
            given[step.name] = answers[step.name]
    return compose(way, opener, given)


def _ahead(way: Way, answers: Mapping[str, str]) -> str:
    figures = way.figures()
    if not figures:
        return "a"
    one, two = (_number(answers, f"{figures[0].key}.{side}") or 0 for side in SIDES)
    return "b" if two > one else "a"


def _number(answers: Mapping[str, str], name: str) -> int | None:
    """A whole number as typed, None where nothing was."""
    text = answers.get(name, "").strip()
    if not text:
        return None
    try:
        return int(text[:9])
    except ValueError:
        raise Problem("not_a_number", value=text[:20]) from None
