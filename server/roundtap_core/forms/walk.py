"""Walking through one way of a result form: what is asked next, which step decided, and the result in the end."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct

from roundtap_core.errors import Invalid, Problem
from roundtap_core.forms.form import BY_FIGURES, DECIDED, DRAWN, OPENER, Way
from roundtap_core.forms.questions import (
    BY_LOT,
    FIRST_PLAYER,
    FIRST_PLAYER_LOT,
    LOSER,
    SCORE,
    WINNER,
    WOUNDS,
    Answers,
    Asking,
    Draft,
    Figures,
    Question,
)
from roundtap_core.records import CONCESSION, SIDES, Pair, Result, Side, Winner, other


class Walk(Struct, frozen=True):
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
    figures: Figures = {}
    met: list[Question] = []
    # Answers to questions on the way alone: a correction may have left others behind.
    given: dict[str, object] = {}
    for step in way.steps:
        if isinstance(step, Asking):
            if not step.wanted(figures, given):
                continue
            if step.asked and step.name not in answers and not fill:
                return Walk(step, None, None, figures, tuple(met))
            step.note(answers, figures)
            given[step.name] = answers.get(step.name)
            met.append(step)
        elif (decided_for := step.apply(figures, given)) is not None:
            if step.award is not None:
                whose = _whose(decided_for, opener)
                figures[step.award, whose] = figures.get((step.award, whose), 0) + 1
            return Walk(None, step.id, decided_for, figures, tuple(met))
    return Walk(None, None, None, figures, tuple(met))


def _whose(decided_for: str, opener: Side) -> str:
    if decided_for in SIDES:
        return WINNER if decided_for == opener else LOSER
    return decided_for


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
    answers to questions that a later correction made needless are left out. Raises Problem("figure_out_of_range",
    "not_one_of", "picks_wrong").
    """
    way = way.opened_by(opener)
    sides: dict[str | None, Side] = {WINNER: opener, LOSER: other(opener), None: opener, "a": "a", "b": "b"}
    _check(way, sides, answers)
    walked = walk(way, answers, opener, fill=True)
    draft = Draft(way.bonus)
    for question in walked.met:
        question.record(answers, sides[question.whose], draft)
    chosen, timeout = draft.chosen, {**draft.figures, **draft.told}
    if timeout and walked.decided_by is not None:
        timeout["decided_by"] = walked.decided_by
    figures = {(key, sides[whose]): value for (key, whose), value in walked.figures.items()}
    decided = sides[walked.decided_for] if walked.decided_for else None
    began = chosen.get(FIRST_PLAYER) or answers.get(FIRST_PLAYER)
    return Result(
        ended=way.ended,
        winner=_winner(way, opener, decided, chosen.get("winner")),
        conceded_by=other(opener) if way.ended == CONCESSION else None,
        score=_pair(SCORE, figures) or Pair(),
        wounds=_pair(WOUNDS, figures),
        initiative=chosen.get("initiative"),
        first_player=chosen.get(FIRST_PLAYER_LOT) if began == BY_LOT else began,
        picks={side: draft.picks[side] for side in SIDES if side in draft.picks} or None,
        timeout=timeout or None,
    )


def _winner(way: Way, opener: Side, decided: Side | None, chosen: Side | None) -> Winner | None:
    """What is recorded as `winner`: nothing where the figures tell."""
    return {BY_FIGURES: chosen, OPENER: opener, DRAWN: "draw", DECIDED: decided or "draw"}[way.winner]


def _pair(key: str, figures: Mapping[tuple[str, Side], int]) -> Pair | None:
    if all((key, side) not in figures for side in SIDES):
        return None
    return Pair(*(figures.get((key, side), 0) for side in SIDES))


def _check(way: Way, sides: Mapping[str | None, Side], answers: Answers) -> None:
    if way.choice(FIRST_PLAYER) is None and answers.get(FIRST_PLAYER) not in (None, *SIDES):
        raise Invalid("not_one_of", where=f"/result/{FIRST_PLAYER}", value=answers[FIRST_PLAYER],
                      options=", ".join(SIDES))
    for question in way.questions:
        if question.name in answers:
            question.check(answers[question.name], sides[question.whose])
