"""Which buttons a player presses to report a result: for rehearsals, demonstrations and counting presses."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from roundtap_core.forms import LOSER, WINNER, Choice, Figure, Form, Way, next_step
from roundtap_core.records import Result, Side, other
from roundtap_units.wheels import Dial


class Press(NamedTuple):
    """One press: a key, tapped or held. An arrow is always tapped here, one step a press: nobody's best case."""

    key: str
    kind: str = "tap"


def presses(form: Form, result: Result, winner: Side, time_is_up: bool) -> list[Press]:
    """Every press from the winner's opening to the other's agreement.

    Raises ValueError where this form cannot say this result (recorded figures above the limit, a judge's ruling).
    """
    for choice_of_way, way in enumerate(form.offered(time_is_up)):
        answers = _answers(way, result, winner)
        if answers is not None:
            opening = [Press(winner)]
            if len(form.offered(time_is_up)) > 1:
                opening += [Press("down")] * choice_of_way + [Press(winner)]
            return [*opening, *_steps(way, answers, winner), Press(other(winner))]
    raise ValueError(f"the form of {form.rulebook} cannot say {result}")


def _answers(way: Way, result: Result, winner: Side) -> dict[str, Any] | None:
    """The answers by which this way tells the result, or None if it cannot."""
    if result.ended != way.ended:
        return None
    sides = {WINNER: winner, LOSER: other(winner)}
    answers: dict[str, Any] = {}
    for figure in way.figures():
        value = result.score.of(sides[figure.whose])
        if not figure.minimum <= value <= figure.maximum or (not figure.asked and value != figure.default):
            return None
        if figure.asked:
            answers[figure.name] = value
    return {**answers, "winner": winner}


def _steps(way: Way, answers: dict[str, Any], winner: Side) -> Iterator[Press]:
    given: dict[str, Any] = {}
    step = next_step(way, given)
    confirm = False
    while step is not None:
        given[step.name] = answers[step.name]
        if isinstance(step, Figure):
            yield from _dialled(Dial(step, step.default), answers[step.name], winner)
            confirm = False
        else:
            yield from _chosen(step, answers[step.name], winner)
            confirm = True
        step = next_step(way, given)
    if confirm:
        yield Press(winner)


def _chosen(choice: Choice, answer: Any, own: Side) -> Iterator[Press]:
    if set(choice.options) == {"a", "b"}:
        yield Press(answer)
        return
    yield from [Press("down")] * choice.options.index(answer)
    yield Press(own)


def _dialled(dial: Dial | None, target: int, own: Side) -> Iterator[Press]:
    while dial is not None and (dial.value != target or dial.touched):
        up, down = _turns(dial, target, 1), _turns(dial, target, -1)
        key, turns = ("up", up) if len(up) <= len(down) else ("down", down)
        yield from [Press(key)] * len(turns)
        last = turns[-1] if turns else dial
        if turns or dial.touched:
            yield Press(own)
            dial = last.confirmed()
        else:
            yield Press(own, "hold")
            dial = dial.stepped_in()
    if dial is not None:
        yield Press(own)


def _turns(dial: Dial, target: int, by: int) -> list[Dial]:
    """The dial after each press until this wheel stands as in `target`."""
    wanted = Dial(dial.figure, target).digits()[dial.at]
    turned: list[Dial] = []
    while (turned[-1] if turned else dial).digits()[dial.at] != wanted:
        turned.append((turned[-1] if turned else dial).turned(by))
    return turned
