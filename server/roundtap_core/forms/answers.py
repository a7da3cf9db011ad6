"""A stored result read back through its form: `compose` backwards, for corrections, for words, and for `check`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from roundtap_core.errors import Problem
from roundtap_core.forms.form import OPENER, Way
from roundtap_core.forms.questions import FIRST_PLAYER, LOSER, SCORE, WINNER, Picks
from roundtap_core.forms.walk import Walk, compose, walk
from roundtap_core.records import CONCESSION, SIDES, Pair, Result, Side, other

Answers = dict[str, Any]


class Reading(Struct, frozen=True):
    """One way to read a record. `walked` stops at a figure that the record does not hold; `supposed`: the answers that
    it does not hold, and that may have been these."""

    answers: Answers
    walked: Walk
    supposed: frozenset[str]


def readings(way: Way, opener: Side, result: Result) -> Iterator[Reading]:
    """Every way to read `result` as answers to `way`, which `opener` opened: what the record leaves open may have been
    any of its options, and a score may hold a game that the last step gave."""
    way = way.opened_by(opener)
    sides: dict[str | None, Side] = {WINNER: opener, LOSER: other(opener), None: opener}
    known: Answers = {}
    for question in way.questions:
        answer = question.recorded(result, sides[question.whose])
        if answer is not None:
            known[question.name] = answer
    if way.choice(FIRST_PLAYER) is None and result.first_player is not None:
        known[FIRST_PLAYER] = result.first_player
    for score in _scores_before(way, opener, result):
        scores = {figure.name: score.of(sides[figure.whose]) for figure in way.figures() if figure.key == SCORE}
        yield from _completed(way, opener, result, {**known, **scores}, frozenset())


def _completed(way: Way, opener: Side, result: Result, answers: Answers, supposed: frozenset[str]) -> Iterator[Reading]:
    walked = walk(way, answers, opener)
    question = walked.question
    winner: Side = "b" if result.winner == "b" else "a" if result.winner == "a" else opener
    possible = question.possible(winner) if question is not None else ()
    if question is None or not possible:
        yield Reading(answers, walked, supposed)
    for answer in possible:
        assert question is not None
        yield from _completed(way, opener, result, {**answers, question.name: answer}, supposed | {question.name})


def _scores_before(way: Way, opener: Side, result: Result) -> list[Pair]:
    """The scores there may have been before the last step gave a game or a struggle; the recorded one comes first."""
    told = (result.timeout or {}).get(SCORE)
    if isinstance(told, Mapping):
        return [Pair(told.get("a", 0), told.get("b", 0))]
    score, gives = result.score, SCORE in way.bonus or any(rule.award == SCORE for rule in way.rules)
    if not gives:
        return [score]
    tops = {opener if figure.whose == WINNER else other(opener): figure.maximum
            for figure in way.figures() if figure.key == SCORE}
    before = (score, Pair(score.a - 1, score.b), Pair(score.a, score.b - 1))
    return [pair for pair in before if all(0 <= pair.of(side) <= tops.get(side, pair.of(side)) for side in SIDES)]


def needs_opener(way: Way) -> bool:
    """Whether it matters for what is asked who opened the way: somebody's figures are fixed, or nobody else says
    who won."""
    if way.ended == CONCESSION or way.winner == OPENER:
        return True
    asked: dict[str, set[tuple[Any, ...]]] = {}
    for figure in way.figures():
        asked.setdefault(figure.key, set()).add((figure.asked, figure.minimum, figure.maximum))
    return any(len(kinds) > 1 for kinds in asked.values())


def answers_on_record(ways: Iterable[Way], result: Result, winner: str) -> tuple[Way, Side, Answers] | None:
    """The way, who opened it and the answers that make this very result, none of them supposed; None where no way does.
    Whoever won is the likelier opener."""
    openers: tuple[Side, ...] = ("b", "a") if winner == "b" else ("a", "b")
    for way in ways:
        if way.ended != result.ended:
            continue
        for opener in openers if needs_opener(way) else ("a",):
            for answers in _plausible(way, opener, result):
                made = _composed(way, opener, answers)
                # A winner that the figures tell may be said or left out.
                if made is not None and (made == result or (
                        made.winner is None and replace(result, winner=None) == made)):
                    return way, opener, answers
    return None


def _plausible(way: Way, opener: Side, result: Result) -> Iterator[Answers]:
    """What the record holds, without anything supposed; what it does not hold counts at its default."""
    seen: list[Answers] = []
    for reading in readings(way, opener, result):
        answers = {name: answer for name, answer in reading.answers.items() if name not in reading.supposed}
        if answers not in seen:
            seen.append(answers)
            yield answers


def way_and_answers(ways: Iterable[Way], opener: Side, result: Result) -> tuple[Way, Answers] | None:
    """The first of the ways that says exactly this result when `opener` opens, else the first that says nothing else,
    and its answers; None where none can.

    For buttons: what the record leaves open is supposed so that the winner is right, and a figure outside the limits
    counts as the limit where buttons show "20+".
    """
    found: list[tuple[Way, Answers]] = []
    for way in ways:
        if way.ended != result.ended or (answers := _on_buttons(way, opener, result)) is None:
            continue
        made = compose(way, opener, answers)
        if replace(made, first_player=result.first_player) == result:
            return way, answers
        found.append((way, answers))
    return found[0] if found else None


def _on_buttons(way: Way, opener: Side, result: Result) -> Answers | None:
    result = _as_buttons_say(way, opener, result)
    figures = way.opened_by(opener).figures()
    for reading in readings(way, opener, result):
        answers = {**{q.name: q.possible("a")[0] for q in way.questions if isinstance(q, Picks)}, **reading.answers}
        for figure in figures:
            if not figure.asked:
                answers.pop(figure.name, None)
        made = _composed(way, opener, answers)
        if made is not None and _same(made, result) and all(
                figure.minimum <= answers.get(figure.name, figure.default) <= figure.maximum for figure in figures):
            return answers
    return None


def _as_buttons_say(way: Way, opener: Side, result: Result) -> Result:
    score = result.score
    for figure in way.opened_by(opener).figures():
        if figure.beyond and figure.key == SCORE:
            side = opener if figure.whose == WINNER else other(opener)
            most = figure.maximum if figure.asked else score.of(side)
            score = replace(score, **{side: max(figure.minimum, min(most, score.of(side)))})
    return replace(result, score=score)


def _composed(way: Way, opener: Side, answers: Answers) -> Result | None:
    try:
        return compose(way, opener, answers)
    except Problem:
        return None


def _same(made: Result, result: Result) -> bool:
    """Whether nothing that `result` states was said differently."""
    told = made.timeout or {}
    return bool(
        (made.ended, made.score, made.conceded_by) == (result.ended, result.score, result.conceded_by)
        and (made.wounds or Pair()) == (result.wounds or Pair())
        and (result.winner == made.winner or None in (result.winner, made.winner))
        and result.initiative in (None, made.initiative)
        and all((made.picks or {}).get(side) == sorted(picks) for side, picks in (result.picks or {}).items())
        and all(told.get(key) == value for key, value in (result.timeout or {}).items())
    )
