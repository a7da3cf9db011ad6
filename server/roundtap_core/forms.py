"""Result forms as data: which figures a rulebook asks, in which order, with which limits. All fronts read them.

A form has *ways* a match can end. A way begins with somebody's own button (the winner's), then takes its steps in
order: figures set on wheels, and choices. `compose` turns the answers into a `Result`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from roundtap_core.errors import Problem
from roundtap_core.records import Pair, Result, Side, other

WINNER, LOSER = "winner", "loser"
BEFORE_TIME, AT_TIME, ANY_TIME = "before_time", "at_time", "any"


@dataclass(frozen=True, slots=True)
class Figure:
    """A whole number, minimum <= n <= maximum, of the winner or the loser.

    `wheels` are the place values it is dialled by, largest first: (10, 1) dials tens, then units; the first wheel
    runs to maximum // 10, so that 100 needs no third wheel. A figure that is not `asked` keeps its default.
    """

    key: str
    whose: str
    minimum: int
    maximum: int
    default: int
    wheels: tuple[int, ...] = (10, 1)
    asked: bool = True

    @property
    def name(self) -> str:
        """What its answer is filed under: "score.loser"."""
        return f"{self.key}.{self.whose}"


@dataclass(frozen=True, slots=True)
class Choice:
    """One of a few answers, by button. With `if_equal`, asked only when those two answers are the same number.

    `label` is a key of the core's catalogue ("form.final_salvo"); a choice between "winner" sides is answered with
    the side's own button.
    """

    name: str
    label: str
    options: tuple[str, ...]
    if_equal: tuple[str, str] | None = None


@dataclass(frozen=True, slots=True)
class Way:
    """One way to end: `when` it is offered, what `ended` it records, and its steps in order of entry."""

    id: str
    when: str
    ended: str
    steps: tuple[Figure | Choice, ...]

    def figures(self) -> tuple[Figure, ...]:
        return tuple(step for step in self.steps if isinstance(step, Figure))


@dataclass(frozen=True, slots=True)
class Form:
    """All ways of one rulebook under one event's options; `worth` names the derived values shown before confirming."""

    rulebook: str
    ways: tuple[Way, ...]
    worth: tuple[str, ...] = ()

    def offered(self, time_is_up: bool) -> tuple[Way, ...]:
        """The ways a table is offered before or after time was called."""
        wanted = AT_TIME if time_is_up else BEFORE_TIME
        return tuple(way for way in self.ways if way.when in (wanted, ANY_TIME))


def next_step(way: Way, answers: Mapping[str, Any]) -> Figure | Choice | None:
    """The first step still to be asked, or None when the way is complete."""
    for step in way.steps:
        if step.name in answers:
            continue
        if isinstance(step, Figure):
            if step.asked:
                return step
        elif step.if_equal is None or _equal(way, answers, step.if_equal):
            return step
    return None


def _equal(way: Way, answers: Mapping[str, Any], names: tuple[str, str]) -> bool:
    figures = {figure.name: figure.default for figure in way.figures()}
    one, two = (answers.get(name, figures.get(name)) for name in names)
    return one is not None and one == two


def compose(way: Way, opener: Side, answers: Mapping[str, Any]) -> Result:
    """The result that `answers` describe, when `opener` (who pressed the own button first) is the winner.

    `answers` maps step names to numbers, and choices to their option; the choice "winner" to a side.
    Raises Problem("figure_out_of_range") naming the figure and its limits.
    """
    sides: dict[str, Side] = {WINNER: opener, LOSER: other(opener)}
    score: dict[str, int] = {}
    for figure in way.figures():
        value = answers.get(figure.name, figure.default)
        if not isinstance(value, int) or isinstance(value, bool) or not figure.minimum <= value <= figure.maximum:
            raise Problem("figure_out_of_range", where=f"/result/{figure.key}/{sides[figure.whose]}",
                          value=value, minimum=figure.minimum, maximum=figure.maximum)
        score[sides[figure.whose]] = value
    pair = Pair(score.get("a", 0), score.get("b", 0))
    chosen = answers.get("winner")
    if chosen not in (None, "a", "b"):
        raise Problem("not_one_of", where="/result/winner", value=chosen, options="a, b")
    return Result(ended=way.ended, winner=chosen if pair.a == pair.b else None, score=pair)


def form_to_json(form: Form) -> dict[str, Any]:
    """The form as plain JSON, as it travels in a table's view."""
    ways = [
        {"id": way.id, "when": way.when, "ended": way.ended,
         "steps": [{"step": "figure" if isinstance(step, Figure) else "choice", **asdict(step)} for step in way.steps]}
        for way in form.ways
    ]
    return {"rulebook": form.rulebook, "ways": ways, "worth": list(form.worth)}


def form_from_json(data: Mapping[str, Any]) -> Form:
    """The inverse of `form_to_json`."""
    return Form(data["rulebook"], tuple(_way(way) for way in data["ways"]), tuple(data["worth"]))


def _way(data: Mapping[str, Any]) -> Way:
    steps: list[Figure | Choice] = []
    for raw in data["steps"]:
        values = {key: value for key, value in raw.items() if key != "step"}
        if raw["step"] == "figure":
            steps.append(Figure(**{**values, "wheels": tuple(values["wheels"])}))
        else:
            equal = values["if_equal"]
            steps.append(Choice(**{**values, "options": tuple(values["options"]),
                                   "if_equal": tuple(equal) if equal else None}))
    return Way(data["id"], data["when"], data["ended"], tuple(steps))
