"""Result forms as data: which questions a rulebook asks, in which order, with which limits. All fronts read them.

A form has *ways* a match can end. A way begins with somebody's own button (the winner's, where there is one), then
takes its steps in order: questions (figures, choices, turns to be counted, squads), and rules between them that may
decide, so that nothing is asked that the next step does not need. `form_walk` walks; `compose` makes the `Result`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields, replace
from typing import Any, TypeVar

from roundtap_core.records import Side, other

WINNER, LOSER = "winner", "loser"
"""Whose a figure is: of who opened the way (its winner, where it has one), or of the other."""

BEFORE_TIME, AT_TIME, ANY_TIME = "before_time", "at_time", "any"

BY_FIGURES, OPENER, DRAWN, DECIDED = "figures", "opener", "draw", "decided"
"""How a way tells the winner: the figures do (or the answer to "winner"); who opened it; nobody won; the step that
decided does, and a draw is what no step decided."""


@dataclass(frozen=True, slots=True)
class Figure:
    """A whole number, minimum <= n <= maximum, of the winner or the loser.

    `wheels` are the place values it is dialled by, largest first: (10, 1) dials tens, then units; the first wheel
    runs to maximum // 10, so that 100 needs no third wheel. A figure that is not `asked` keeps its default.
    `per_side`: maximum and default where it is a's, and where it is b's. `beyond`: the real figure may lie outside
    the limits, which then mean "or less", "or more"; buttons stop there, a keyboard does not. `only_if` (a name, a
    number): asked only if the sides' figures of that key come to that sum, as for a choice.
    """

    key: str
    whose: str
    minimum: int
    maximum: int
    default: int
    wheels: tuple[int, ...] = (10, 1)
    asked: bool = True
    per_side: tuple[int, int] | None = None
    beyond: bool = False
    only_if: tuple[str, int | str] | None = None

    @property
    def name(self) -> str:
        """What its answer is filed under: "score.loser"."""
        return f"{self.key}.{self.whose}"

    def of(self, side: Side) -> Figure:
        """The figure as it is asked about this side."""
        if self.per_side is None:
            return self
        top = self.per_side[0 if side == "a" else 1]
        # What is not asked is what it is.
        minimum = self.minimum if self.asked else top
        return replace(self, minimum=minimum, maximum=top, default=min(self.default, top), per_side=None)


@dataclass(frozen=True, slots=True)
class Choice:
    """One of a few answers, by button. `label` is a key of the core's catalogue ("form.final_salvo").

    A choice between the sides ("a", "b") is answered with the side's own button. `only_if` (a name, a value): asked
    only if an earlier choice was answered so, or the sides' figures of that key come to that sum.

    `whose`: the side that makes it, where each makes its own: its name is then "KEY.winner" or "KEY.loser", and what
    was chosen is recorded by side under KEY. `per_side`: the options where it is a's, and where it is b's.
    """

    name: str
    label: str
    options: tuple[str, ...]
    only_if: tuple[str, int | str] | None = None
    whose: str | None = None
    per_side: tuple[tuple[str, ...], tuple[str, ...]] | None = None

    @property
    def key(self) -> str:
        """What both sides' choices have in common: "house" of "house.winner"."""
        return self.name.partition(".")[0]

    def of(self, side: Side) -> Choice:
        """The choice as it is put to this side."""
        if self.per_side is None:
            return self
        return replace(self, options=self.per_side[0 if side == "a" else 1], per_side=None)

    @property
    def by_button(self) -> bool:
        return set(self.options) == {"a", "b"}


@dataclass(frozen=True, slots=True)
class Turns:
    """Turns that are played after time is called: so many, beginning with the side that answered `first`.

    The answer is "" when all are over, or the side that won meanwhile.
    """

    name: str
    label: str
    turns: int
    first: str


@dataclass(frozen=True, slots=True)
class Picks:
    """Which squads a side fields: `take` of 1..`of`. The answer is a sorted list of numbers."""

    key: str
    whose: str
    of: int
    take: int

    @property
    def name(self) -> str:
        return f"{self.key}.{self.whose}"


@dataclass(frozen=True, slots=True)
class Exchange:
    """Each side with at least `price` of one figure turns that much of it into one of another, at most once."""

    id: str
    costs: str
    price: int
    gives: str


@dataclass(frozen=True, slots=True)
class Bonus:
    """The side with more of `counts` gets one more of `gives`; equal: nobody."""

    id: str
    counts: str
    gives: str


@dataclass(frozen=True, slots=True)
class Test:
    """The side with more, over all the figures it counts, has won; equal: the walk goes on.

    `award`: a figure of which the winner gets one more, where the step decides a game of several.
    """

    __test__ = False  # pytest, this is none of yours.

    id: str
    counts: tuple[str, ...]
    award: str | None = None


@dataclass(frozen=True, slots=True)
class Decide:
    """The side that the answer `by` names has won; where it names none, the walk goes on. `award`: as for Test."""

    id: str
    by: str
    award: str | None = None


Question = Figure | Choice | Turns | Picks
Rule = Exchange | Bonus | Test | Decide
Step = Question | Rule


@dataclass(frozen=True, slots=True)
class Way:
    """One way to end: `when` it is offered, what `ended` it records, and its steps in order.

    `winner`: BY_FIGURES, OPENER, DRAWN or DECIDED.
    """

    id: str
    when: str
    ended: str
    steps: tuple[Step, ...]
    winner: str = BY_FIGURES

    def figures(self) -> tuple[Figure, ...]:
        return tuple(step for step in self.steps if isinstance(step, Figure))

    def opened_by(self, opener: Side) -> Way:
        """The way with every figure as it is asked about its side, and every choice as it is put to its side."""
        sides: dict[str | None, Side] = {WINNER: opener, LOSER: other(opener)}
        return replace(self, steps=tuple(
            step.of(sides[step.whose]) if isinstance(step, Figure | Choice) and step.whose in sides else step
            for step in self.steps
        ))


@dataclass(frozen=True, slots=True)
class Form:
    """All ways of one rulebook in one situation; `worth` names the derived values shown before confirming.

    `direct`: the first way offered begins at once, the others are found behind it. `parallel`: nobody opens, each
    side answers for itself ("a" stands for the winner). `games`: how many won games end the match.
    `look_s`: for how long, in seconds, the other's list may be read before a game.
    """

    rulebook: str
    ways: tuple[Way, ...]
    worth: tuple[str, ...] = ()
    direct: bool = False
    parallel: bool = False
    games: int = 1
    look_s: int | None = None

    def offered(self, time_is_up: bool) -> tuple[Way, ...]:
        """The ways a table is offered before or after time was called."""
        wanted = AT_TIME if time_is_up else BEFORE_TIME
        return tuple(way for way in self.ways if way.when in (wanted, ANY_TIME))

    def way(self, way_id: str) -> Way | None:
        return next((way for way in self.ways if way.id == way_id), None)


# JSON, as a form travels in a table's view.

_STEPS: dict[str, type[Any]] = {
    "figure": Figure, "choice": Choice, "turns": Turns, "picks": Picks,
    "exchange": Exchange, "bonus": Bonus, "test": Test, "decide": Decide,
}
_STEP_NAMES = {made: name for name, made in _STEPS.items()}

T = TypeVar("T")


def form_to_json(form: Form) -> dict[str, Any]:
    """The form as plain JSON."""
    data = _plain(form)
    data["ways"] = [
        {**_plain(way), "steps": [{"step": _STEP_NAMES[type(step)], **asdict(step)} for step in way.steps]}
        for way in form.ways
    ]
    return data


def _plain(record: Form | Way) -> dict[str, Any]:
    return {field.name: getattr(record, field.name) for field in fields(record)}


def form_from_json(data: Mapping[str, Any]) -> Form:
    """The inverse of `form_to_json`; keys of a newer core are left alone."""
    return _record(Form, {**data, "ways": tuple(_way(way) for way in data["ways"])})


def _way(data: Mapping[str, Any]) -> Way:
    return _record(Way, {**data, "steps": tuple(_record(_STEPS[raw["step"]], raw) for raw in data["steps"])})


def _record(kind: type[T], data: Mapping[str, Any]) -> T:
    known = {field.name for field in fields(kind)}  # type: ignore[arg-type]
    return kind(**{key: _frozen(value) for key, value in data.items() if key in known})


def _frozen(value: Any) -> Any:
    return tuple(_frozen(item) for item in value) if isinstance(value, list | tuple) else value
