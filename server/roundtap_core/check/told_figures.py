"""Results that their own figures exclude: a time-out whose record tells otherwise, a game that cannot have ended so.

All of it follows from the rulebook's form, the same that tables and pages walk through: what it asks at time is asked
again of the record. Where the record stops before the form decides, nothing is said.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
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
    Form,
    Picks,
    Test,
    Turns,
    Way,
)
from roundtap_core.forms.walk import Walk, walk
from roundtap_core.records import PLAYED, SIDES, Pair, Result, Side
from roundtap_core.rulebooks.base import DRAW, Options, Rulebook, Situation

SCORE = "score"
BY = "decided_by"
LOT = "lot"
_SIDE: Mapping[str, Side] = {WINNER: "a", LOSER: "b"}
"""The record is walked through with a as the opener."""


def told_problems(book: Rulebook, result: Result, options: Options, situation: Situation) -> Iterator[Problem]:
    """What is wrong, with places below the result. The result is one that `check_new` takes."""
    form = book.form(options, situation)
    if result.timeout is not None:
        refused = list(_unfit(form, result))
        yield from refused
        if not refused:
            yield from _contradicted(book, form, result, options)
    if result.ended == PLAYED:
        yield from _unfinished(form, result)
        if book.winner(result, options) == DRAW and not _drawn_before_time(form):
            yield Problem("draw_before_time", where="/winner")


# What a game that was played out must have come to.

def _unfinished(form: Form, result: Result) -> Iterator[Problem]:
    """Played out, some side has what wins the match; 0:0 in a match of games is a score that nobody told."""
    needed = _games_needed(form)
    if needed is not None and result.score == Pair() and result.winner is not None:
        return
    needed = needed if needed is not None else _needed_before_time(form)
    if needed is not None and needed not in (result.score.a, result.score.b):
        yield Problem("not_played_out", where="/score", a=result.score.a, b=result.score.b, right=needed)


def _games_needed(form: Form) -> int | None:
    """How many won games end the match, where the score counts games."""
    fixed = {(f.minimum, f.maximum) for f in _figures(form, PLAYED) if f.key == SCORE and f.whose == WINNER}
    return form.games if fixed == {(form.games, form.games)} else None


def _needed_before_time(form: Form) -> int | None:
    """The score that wins before time, where time alone gives the last of it to somebody ahead in something else."""
    late = any(isinstance(step, Bonus) and step.gives == SCORE for way in form.ways for step in way.steps)
    return max(f.maximum for f in _figures(form, PLAYED) if f.key == SCORE) if late else None


def _figures(form: Form, ended: str) -> list[Figure]:
    return [figure for way in form.ways if way.ended == ended for figure in way.figures()]


def _drawn_before_time(form: Form) -> bool:
    """Whether a game can be drawn before time is called, by figures or because nobody is left."""
    return any(way.winner in (BY_FIGURES, DRAWN) for way in form.offered(False) if way.ended == PLAYED)


# What a time-out's record is made of.

def _unfit(form: Form, result: Result) -> Iterator[Problem]:
    """Keys that no step of the form knows, and values that are no answer to it."""
    ways = [way for way in form.ways if way.ended == result.ended] or list(form.ways)
    steps = [step for way in ways for step in way.steps]
    figures = {step.key: step for step in steps if isinstance(step, Figure)}
    # A winner of the last turns may have won by what the ways before time ask about (Warlords: why life was no help).
    choices = {step.name: step.options for way in form.ways for step in way.steps if isinstance(step, Choice)}
    # "house.winner" and "house.loser": each side makes its own, and both stand under "house".
    each = {name.partition(".")[0] for name in choices if "." in name}
    options: dict[str, tuple[str, ...]] = {name: of for name, of in choices.items() if "." not in name}
    options |= {step.name: SIDES for step in steps if isinstance(step, Turns)}
    options |= {f"{name}_by": (LOT,) for name, of in options.items() if LOT in of}
    options[BY] = tuple(step.id for step in steps if isinstance(step, Exchange | Bonus | Test | Decide))
    for key, value in (result.timeout or {}).items():
        where = f"/timeout/{key}"
        if key in figures:
            yield from _unfit_figures(figures[key], value, where)
        elif key in each:
            yield from _unfit_choices(value, where)
        elif key not in options:
            yield Problem("unknown_key", where=where, key=key, known=", ".join([*figures, *sorted(each), *options]))
        elif value not in options[key]:
            yield Problem("not_one_of", where=where, value=value, options=", ".join(options[key]))


def _unfit_choices(value: object, where: str) -> Iterator[Problem]:
    """What each side picked, in words; more than the form offers may have been picked."""
    if not isinstance(value, dict):
        yield Problem("wrong_type", where=where, expected="object")
        return
    for side, picked in value.items():
        if side not in SIDES:
            yield Problem("unknown_key", where=f"{where}/{side}", key=side, known=", ".join(SIDES))
        elif not isinstance(picked, str):
            yield Problem("wrong_type", where=f"{where}/{side}", expected="string")


def _unfit_figures(figure: Figure, value: object, where: str) -> Iterator[Problem]:
    if not isinstance(value, dict):
        yield Problem("wrong_type", where=where, expected="object")
        return
    for side, n in value.items():
        if side not in SIDES:
            yield Problem("unknown_key", where=f"{where}/{side}", key=side, known=", ".join(SIDES))
        elif not isinstance(n, int) or isinstance(n, bool):
            yield Problem("wrong_type", where=f"{where}/{side}", expected="integer")
        elif not figure.beyond and not figure.minimum <= n <= figure.maximum:
            yield Problem("figure_out_of_range", where=f"{where}/{side}", value=n, minimum=figure.minimum,
                          maximum=figure.maximum)


# What it comes to.

@dataclass(frozen=True, slots=True)
class _Outcome:
    """What one reading of the record comes to; `winner` None where the figures tell it."""

    winner: str | None
    score: Pair | None
    step: str | None


def _contradicted(book: Rulebook, form: Form, result: Result, options: Options) -> Iterator[Problem]:
    """A problem where every reading of the record ends otherwise than the result; none where one is left open."""
    told = result.timeout or {}
    outcomes: list[_Outcome] = []
    for way in form.ways:
        if way.ended != result.ended or way.winner == OPENER or not _decides(way):
            continue
        opened = way.opened_by("a")
        for score in _scores_before(opened, result):
            for outcome in _outcomes(opened, result, _told_answers(opened, result, score)):
                if outcome is None:
                    return
                outcomes.append(outcome)
    stated = book.winner(result, options)
    by = told.get(BY)
    problems = [_differs(outcome, stated, result, by) for outcome in outcomes]
    if problems and None not in problems:
        # The reading that is least wrong names what to mend.
        order = ("timeout_step", "timeout_score", "timeout_winner")
        yield min((p for p in problems if p is not None), key=lambda problem: order.index(problem.key))


def _decides(way: Way) -> bool:
    return any(isinstance(step, Test | Decide | Bonus) for step in way.steps)


def _differs(outcome: _Outcome, stated: str, result: Result, by: str | None) -> Problem | None:
    if outcome.winner is not None and outcome.winner != stated:
        return Problem("timeout_winner", where="/winner", winner=stated, right=outcome.winner)
    if outcome.score is not None and outcome.score != result.score and (
            outcome.winner is None or result.score != Pair()):
        return Problem("timeout_score", where="/score", a=result.score.a, b=result.score.b, right_a=outcome.score.a,
                       right_b=outcome.score.b)
    if by is not None and by != outcome.step:
        return Problem("timeout_step", where=f"/timeout/{BY}", value=by, right=outcome.step or "–")
    return None


def _scores_before(way: Way, result: Result) -> list[Pair]:
    """The scores there may have been before the time-out gave a game or a struggle; the recorded one comes first."""
    told = (result.timeout or {}).get(SCORE)
    if told is not None:
        return [Pair(told.get("a", 0), told.get("b", 0))]
    gives = any((isinstance(step, Test | Decide) and step.award == SCORE)
                or (isinstance(step, Bonus) and step.gives == SCORE) for step in way.steps)
    score = result.score
    if not gives:
        return [score]
    before = [score, Pair(score.a - 1, score.b), Pair(score.a, score.b - 1)]
    tops = {f.whose: f.maximum for f in way.figures() if f.key == SCORE}
    return [pair for pair in before if all(
        0 <= pair.of(side) <= tops.get(whose, pair.of(side)) for whose, side in _SIDE.items())]


def _told_answers(way: Way, result: Result, score: Pair) -> dict[str, Any]:
    """The record as answers to the way's questions, as far as it goes."""
    told = result.timeout or {}
    answers: dict[str, Any] = {}
    for step in way.steps:
        if isinstance(step, Figure):
            side = _SIDE[step.whose]
            if step.key == SCORE:
                answers[step.name] = score.of(side)
            elif step.key in told:
                answers[step.name] = told[step.key].get(side, 0)
            elif step.key == "wounds":
                answers[step.name] = (result.wounds or Pair()).of(side)
            elif step.key in _nobodys(way, told):
                answers[step.name] = 0
        elif isinstance(step, Choice):
            known = {"winner": result.winner, "initiative": result.initiative, "first_player": result.first_player,
                     "first_player_lot": result.first_player}
            key, _, whose = step.name.partition(".")
            value = told.get(f"{key}_by", told.get(key, known.get(key)))
            if whose and isinstance(value, dict):
                value = value.get(_SIDE[whose])
            if value in step.options:
                answers[step.name] = value
        elif isinstance(step, Turns):
            # Nobody won in them, if figures were counted afterwards.
            if step.name in told:
                answers[step.name] = told[step.name]
            elif _figures_told(way, told) or result.winner == DRAW:
                answers[step.name] = ""
        elif isinstance(step, Picks):
            answers[step.name] = list(range(1, step.take + 1))
    return answers


def _nobodys(way: Way, told: Mapping[str, Any]) -> set[str]:
    """Figures that were nobody's, since another that is told is asked only then."""
    conditions = [getattr(step, "only_if", None) for step in way.steps if isinstance(step, Figure) and step.key in told]
    return {condition[0] for condition in conditions if condition is not None and condition[1] == 0}


def _figures_told(way: Way, told: Mapping[str, Any]) -> set[str]:
    return {figure.key for figure in way.figures()} & (told.keys() - {SCORE})


def _outcomes(way: Way, result: Result, answers: Mapping[str, Any]) -> Iterator[_Outcome | None]:
    """What the answers come to, None where the record stops; a choice that is not on record may have been any."""
    walked = walk(way, answers)
    asked = walked.question
    if isinstance(asked, Choice | Turns):
        options = asked.options if isinstance(asked, Choice) else ("", *SIDES)
        # What each side picks for itself decides nothing.
        for option in options[:1] if "." in asked.name else options:
            yield from _outcomes(way, result, {**answers, asked.name: option})
    elif asked is not None:
        yield None
    else:
        told = _figures_told(way, result.timeout or {})
        # A reading that has no use for any figure on record is none.
        if not told or told & {question.key for question in walked.met if isinstance(question, Figure)}:
            yield _outcome(way, walked)


def _outcome(way: Way, walked: Walk) -> _Outcome:
    side = walked.decided_for if walked.decided_for in SIDES else _SIDE.get(walked.decided_for or "")
    winner = {DECIDED: side or DRAW, DRAWN: DRAW}.get(way.winner)
    figures = {whose: walked.figures.get((SCORE, whose)) for whose in (WINNER, LOSER)}
    score = None
    if any(value is not None for value in figures.values()):
        score = Pair(figures[WINNER] or 0, figures[LOSER] or 0)
    return _Outcome(winner, score, walked.decided_by)
