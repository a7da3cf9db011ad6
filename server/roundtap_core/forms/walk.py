"""Walking through one way of a result form: what is asked next, which step decided, and the result in the end."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from roundtap_core.errors import Problem
from roundtap_core.forms.form import (
    BY_FIGURES,
    DECIDED,
    DRAWN,
    LOSER,
    OPENER,
    WINNER,
    Bonus,
    Choice,
    Decide,
    Exchange,
    Figure,
    Picks,
    Question,
    Test,
    Turns,
    Way,
)
from roundtap_core.records import CONCESSION, SIDES, Pair, Result, Side, other

Answers = Mapping[str, Any]
"""Question name → answer: a number, an option of a choice, "" or a side for turns, a list of squads."""

BY_LOT, FIRST_PLAYER_BY, FIRST_PLAYER_LOT = "lot", "first_player_by", "first_player_lot"
"""Nobody knows who began: then a lot says who counts as first player, and `timeout` records that it did."""

TOLD_APART = ("score", "wounds")
"""Figures that have a place of their own in a result; all others are what a time-out resolver was told."""


@dataclass(frozen=True, slots=True)
class Walk:
    """How far the answers lead. `question`: what is asked next, None at the end. `decided_by`: the id of the step
    that decided, and for whom ("winner" and "loser" as in forms, or a side); None while nothing did.

    `figures`: every figure met so far, after exchanges: {("keys", "winner"): 2}.
    """

    question: Question | None
    decided_by: str | None
    decided_for: str | None
    figures: Mapping[tuple[str, str], int]
    met: tuple[Question, ...]


def walk(way: Way, answers: Answers, opener: Side = "a", fill: bool = False) -> Walk:
    """Follow the steps as far as the answers go; with `fill`, what is not answered yet counts at its default."""
    figures: dict[tuple[str, str], int] = {}
    met: list[Question] = []
    # Answers to questions on the way alone: a correction may have left others behind.
    given: dict[str, Any] = {}
    for step in way.steps:
        if isinstance(step, Figure):
            if not wanted(step, figures, given):
                continue
            if step.asked and step.name not in answers and not fill:
                return Walk(step, None, None, figures, tuple(met))
            figures[step.key, step.whose] = answers.get(step.name, step.default)
            met.append(step)
        elif isinstance(step, Choice | Turns | Picks):
            if isinstance(step, Choice) and not wanted(step, figures, given):
                continue
            if step.name not in answers and not fill:
                return Walk(step, None, None, figures, tuple(met))
            met.append(step)
            given[step.name] = answers.get(step.name)
        elif (decided_for := _rule(step, figures, given)) is not None:
            assert isinstance(step, Test | Decide)
            if step.award is not None:
                whose = _whose(decided_for, opener)
                figures[step.award, whose] = figures.get((step.award, whose), 0) + 1
            return Walk(None, step.id, decided_for, figures, tuple(met))
    return Walk(None, None, None, figures, tuple(met))


def wanted(question: Choice | Figure, figures: Mapping[tuple[str, str], int], answers: Answers) -> bool:
    """Whether the question is asked, after these figures of both sides and these answers (see `only_if`)."""
    if question.only_if is None:
        return True
    name, value = question.only_if
    if isinstance(value, str):
        return bool(answers.get(name) == value)
    return sum(figures.get((name, whose), 0) for whose in (WINNER, LOSER)) == value


def _whose(decided_for: str, opener: Side) -> str:
    if decided_for in SIDES:
        return WINNER if decided_for == opener else LOSER
    return decided_for


def _rule(step: Exchange | Bonus | Test | Decide, figures: dict[tuple[str, str], int], answers: Answers) -> str | None:
    """Apply a rule to the figures; whom it decides for."""
    if isinstance(step, Exchange):
        for whose in (WINNER, LOSER):
            if figures.get((step.costs, whose), 0) >= step.price:
                figures[step.costs, whose] -= step.price
                figures[step.gives, whose] = figures.get((step.gives, whose), 0) + 1
        return None
    if isinstance(step, Decide):
        named = answers.get(step.by)
        return named if named in SIDES else None
    counted = step.counts if isinstance(step, Test) else (step.counts,)
    one, two = (sum(figures.get((key, whose), 0) for key in counted) for whose in (WINNER, LOSER))
    ahead = None if one == two else WINNER if one > two else LOSER
    if isinstance(step, Test):
        return ahead
    if ahead is not None:
        figures[step.gives, ahead] = figures.get((step.gives, ahead), 0) + 1
    return None


def next_step(way: Way, answers: Answers) -> Question | None:
    """The first question still to be answered, or None when the way is complete."""
    return walk(way, answers).question


def told(way: Way, opener: Side, answers: Answers) -> Result:
    """The result that `answers` describe, as `compose`, for the record: nothing in it is a default that nobody was
    asked about. Raises Problem("question_open") while a question is open."""
    question = walk(way.opened_by(opener), answers, opener).question
    if question is not None:
        raise Problem("question_open", where=f"/result/{question.name}", question=question.name)
    return compose(way, opener, answers)


def compose(way: Way, opener: Side, answers: Answers) -> Result:
    """The result that `answers` describe, when `opener` pressed the own button first.

    What is not answered counts at its default, so that the worth can be shown meanwhile (`told` is for the record);
    answers to questions that a
    later correction made needless are left out. Raises Problem("figure_out_of_range", "not_one_of", "picks_wrong").
    """
    way = way.opened_by(opener)
    sides: dict[str, Side] = {WINNER: opener, LOSER: other(opener), "a": "a", "b": "b"}
    _check(way, sides, answers)
    walked = walk(way, answers, opener, fill=True)
    side = sides[walked.decided_for] if walked.decided_for else None
    figures = {(key, sides[whose]): value for (key, whose), value in walked.figures.items()}
    chosen = {question.name: answers.get(question.name) for question in walked.met
              if isinstance(question, Choice | Turns)}
    picks = {sides[question.whose]: sorted(answers[question.name]) for question in walked.met
             if isinstance(question, Picks) and answers.get(question.name)}
    return Result(
        ended=way.ended,
        winner=_winner(way, opener, side, chosen.get("winner")),
        conceded_by=other(opener) if way.ended == CONCESSION else None,
        score=_pair("score", figures) or Pair(),
        wounds=_pair("wounds", figures),
        initiative=chosen.get("initiative"),
        first_player=_first_player(chosen, answers),
        picks={key: picks[key] for key in SIDES if key in picks} or None,
        timeout=_told(way, sides, answers, chosen, walked),
    )


def _first_player(chosen: Mapping[str, Any], answers: Answers) -> str | None:
    """Who began: as it was told, or as a lot found where nobody knew any more."""
    told = chosen.get("first_player") or answers.get("first_player")
    return chosen.get(FIRST_PLAYER_LOT) if told == BY_LOT else told


def _winner(way: Way, opener: Side, decided: Side | None, chosen: str | None) -> str | None:
    """What is recorded as `winner`: nothing where the figures tell."""
    return {BY_FIGURES: chosen, OPENER: opener, DRAWN: "draw", DECIDED: decided or "draw"}[way.winner]


def _pair(key: str, figures: Mapping[tuple[str, Side], int]) -> Pair | None:
    if all((key, side) not in figures for side in SIDES):
        return None
    return Pair(*(figures.get((key, side), 0) for side in SIDES))


def _told(way: Way, sides: Mapping[str, Side], answers: Answers, chosen: Mapping[str, Any],
          walked: Walk) -> dict[str, Any] | None:
    """What a resolver was told, as it was told (before any exchange), and the step that decided."""
    told: dict[str, Any] = {}
    for question in walked.met:
        if isinstance(question, Figure) and (question.key not in TOLD_APART or any(
                isinstance(step, Bonus) and step.gives == question.key for step in way.steps)):
            value = answers.get(question.name, question.default)
            told.setdefault(question.key, {})[sides[question.whose]] = value
    for question in walked.met:
        answer = chosen.get(question.name)
        if answer in (None, "") or question.name in ("winner", "initiative", FIRST_PLAYER_LOT):
            continue
        if isinstance(question, Choice) and question.whose is not None:
            told.setdefault(question.key, {})[sides[question.whose]] = answer
        elif question.name != "first_player":
            told[question.name] = answer
        elif answer == BY_LOT:
            told[FIRST_PLAYER_BY] = BY_LOT
    if told and walked.decided_by is not None:
        told["decided_by"] = walked.decided_by
    return told or None


def _check(way: Way, sides: Mapping[str, Side], answers: Answers) -> None:
    asks = any(isinstance(step, Choice) and step.name == "first_player" for step in way.steps)
    if not asks and answers.get("first_player") not in (None, *SIDES):
        raise Problem("not_one_of", where="/result/first_player", value=answers["first_player"],
                      options=", ".join(SIDES))
    for step in way.steps:
        if not isinstance(step, Figure | Choice | Turns | Picks) or step.name not in answers:
            continue
        value = answers[step.name]
        if isinstance(step, Figure):
            _check_figure(step, sides[step.whose], value)
        elif isinstance(step, Picks):
            _check_picks(step, sides[step.whose], value)
        else:
            options = step.options if isinstance(step, Choice) else ("", *SIDES)
            if value not in options:
                raise Problem("not_one_of", where=f"/result/{step.name}", value=value,
                              options=", ".join(option for option in options if option))


def _check_figure(figure: Figure, side: Side, value: object) -> None:
    if isinstance(value, int) and not isinstance(value, bool) and (
            figure.beyond or figure.minimum <= value <= figure.maximum):
        return
    raise Problem("figure_out_of_range", where=f"/result/{figure.key}/{side}",
                  value=value, minimum=figure.minimum, maximum=figure.maximum)


def _check_picks(picks: Picks, side: Side, value: object) -> None:
    good = isinstance(value, list | tuple) and all(
        type(squad) is int and 1 <= squad <= picks.of for squad in value
    ) and len(set(value)) == len(value) == picks.take
    if not good:
        raise Problem("picks_wrong", where=f"/result/picks/{side}", take=picks.take, of=picks.of)
