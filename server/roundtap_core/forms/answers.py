"""The answers by which a way of the form tells a result: `compose` backwards, for corrections and for fingers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from roundtap_core.errors import Problem
from roundtap_core.forms.form import LOSER, WINNER, Choice, Decide, Figure, Picks, Test, Turns, Way
from roundtap_core.forms.walk import BY_LOT, FIRST_PLAYER_BY, FIRST_PLAYER_LOT, compose
from roundtap_core.records import SIDES, Pair, Result, Side, other

Answers = dict[str, Any]


def way_and_answers(ways: Sequence[Way], opener: Side, result: Result) -> tuple[Way, Answers] | None:
    """The first of the ways that says exactly this result, else the first that says nothing else, and its answers."""
    told = [(way, answers) for way in ways if (answers := answers_of(way, opener, result)) is not None]
    exact = [(way, answers) for way, answers in told
             if replace(compose(way, opener, answers), first_player=result.first_player) == result]
    return next(iter((*exact, *told)), None)


def answers_of(way: Way, opener: Side, result: Result) -> Answers | None:
    """Answers with which `compose` makes `result`, or None: this way cannot say it when `opener` opens.

    What a result does not record is made up so that the winner is right: whose turn it was, which squads. A figure
    outside the limits counts as the limit where buttons show "20+".
    """
    if result.ended != way.ended:
        return None
    result = _as_buttons_say(way, opener, result)
    for answers in _candidates(way, opener, result):
        try:
            made = compose(way, opener, answers)
        except Problem:
            continue
        if _same(made, result) and all(_on_buttons(figure, answers) for figure in way.opened_by(opener).figures()):
            return answers
    return None


def _as_buttons_say(way: Way, opener: Side, result: Result) -> Result:
    score = result.score
    for figure in way.opened_by(opener).figures():
        if figure.beyond and figure.key == "score":
            side = opener if figure.whose == WINNER else other(opener)
            most = figure.maximum if figure.asked else score.of(side)
            score = replace(score, **{side: max(figure.minimum, min(most, score.of(side)))})
    return replace(result, score=score)


def _on_buttons(figure: Figure, answers: Answers) -> bool:
    value: int = answers.get(figure.name, figure.default)
    return figure.minimum <= value <= figure.maximum


def _candidates(way: Way, opener: Side, result: Result) -> Iterator[Answers]:
    """As recorded; then with the game taken off that a deciding step has added to the score."""
    winner: Side = "b" if result.winner == "b" else "a" if result.winner == "a" else opener
    plain = _answers(way, opener, result, winner)
    yield plain
    for key in {step.award for step in way.steps if isinstance(step, Test | Decide) and step.award}:
        name = f"{key}.{WINNER if winner == opener else LOSER}"
        if plain.get(name, 0) > 0:
            yield {**plain, name: plain[name] - 1}


def _answers(way: Way, opener: Side, result: Result, winner: Side) -> Answers:
    sides: dict[str, Side] = {WINNER: opener, LOSER: other(opener)}
    told = result.timeout or {}
    given: Answers = {}
    for step in way.opened_by(opener).steps:
        if isinstance(step, Figure):
            side = sides[step.whose]
            pair = {"score": result.score, "wounds": result.wounds}.get(step.key)
            value = told.get(step.key, {}).get(side, pair.of(side) if pair else None)
            if value is not None and step.asked:
                given[step.name] = value
        elif isinstance(step, Picks):
            given[step.name] = (result.picks or {}).get(sides[step.whose]) or list(range(1, step.take + 1))
        elif isinstance(step, Turns):
            given[step.name] = told.get(step.name, "" if told or result.winner not in SIDES else winner)
        elif isinstance(step, Choice):
            given[step.name] = _choice(step, result, winner, sides)
    return given


def _choice(step: Choice, result: Result, winner: Side, sides: Mapping[str, Side]) -> Any:
    timeout = result.timeout or {}
    by_lot = timeout.get(FIRST_PLAYER_BY) == BY_LOT
    recorded = {"winner": result.winner, "initiative": result.initiative, FIRST_PLAYER_LOT: result.first_player,
                "first_player": BY_LOT if by_lot else result.first_player}
    if step.whose is not None:
        told = timeout.get(step.key, {}).get(sides[step.whose])
    else:
        told = timeout.get(step.name, recorded.get(step.name))
    if told in step.options:
        return told
    return winner if step.by_button else step.options[0]


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
