"""Dialling a figure digit by digit: wheels that wrap, start at the likely value, and never leave the limits."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from roundtap_core.forms.form import WayToEnd
from roundtap_core.forms.questions import Figure, Turns
from roundtap_core.records import SIDES, Side, other_side


def figure_text(figure: Figure, value: int) -> str:
    """The figure as buttons show it: "20+" and "≤0" where it may lie beyond its limits."""
    if figure.beyond and value <= figure.minimum:
        return f"≤{value}"
    return f"{value}+" if figure.beyond and value >= figure.maximum else str(value)


@dataclass(frozen=True, slots=True)
class FigureDial:
    """A figure being set. `at` is the wheel that turns; `touched` once it was changed or stepped into."""

    figure: Figure
    value: int
    at: int = 0
    touched: bool = False

    def turned(self, by: int) -> "FigureDial":
        """The wheel one place on (`by` = 1 or -1), wrapping; lower digits are kept where the limits allow. Below the
        lowest comes the highest single digit: one slip on 0 is 90, never the whole 100."""
        places = self._places()
        at = places.index(self.digits()[self.at]) + by
        if at < 0 and self.figure.wheels[self.at] > 1:
            places = [digit for digit in places if digit < 10] or places
        digit = places[at % len(places)]
        head = self._head() + digit * self.figure.wheels[self.at]
        tail = self.value - self._head() - self.digits()[self.at] * self.figure.wheels[self.at]
        value = head + tail
        if not self.figure.minimum <= value <= self.figure.maximum:
            value = min(max(head, self.figure.minimum), self.figure.maximum)
        return replace(self, value=value, touched=True)

    def confirmed(self) -> "FigureDial | None":
        """After the own button: the next wheel that has a choice, or None: the figure is finished. Untouched, one press
        takes the whole figure as it stands: 0 needs no press of an arrow."""
        return self.stepped_in() if self.touched else None

    def stepped_in(self) -> "FigureDial | None":
        """The next wheel even if nothing was touched: the way to 5, whose tens are the offered 0."""
        for at in range(self.at + 1, len(self.figure.wheels)):
            further = replace(self, at=at, touched=True)
            if len(further._places()) > 1:
                return further
        return None

    def back(self) -> "FigureDial | None":
        return replace(self, at=self.at - 1) if self.at else None

    def shown(self) -> tuple[tuple[str, ...], int | None]:
        """The figure in parts, and which part turns: (("2", "4"), 0); untouched: (("0",), -1)."""
        if not self.touched:
            return (figure_text(self.figure, self.value),), -1
        if figure_text(self.figure, self.value) != str(self.value):
            return (figure_text(self.figure, self.value),), 0
        digits = self.digits()
        return tuple(str(digit) for digit in digits), self.at

    def digits(self) -> list[int]:
        rest, digits = self.value, []
        for wheel in self.figure.wheels[:-1]:
            digits.append(rest // wheel)
            rest -= digits[-1] * wheel
        return [*digits, rest // self.figure.wheels[-1]]

    def _head(self) -> int:
        pairs = zip(self.digits()[: self.at], self.figure.wheels, strict=False)
        return sum(digit * wheel for digit, wheel in pairs)

    def _places(self) -> list[int]:
        """The digits this wheel can show with a figure within the limits left."""
        wheels, figure = self.figure.wheels, self.figure
        wheel, head = wheels[self.at], self._head()
        rest = wheel - wheels[-1]
        digits = (
            range(figure.minimum // wheel, figure.maximum // wheel + 1)
            if self.at == 0
            else range(wheels[self.at - 1] // wheel)
        )
        return [d for d in digits if head + d * wheel <= figure.maximum and head + d * wheel + rest >= figure.minimum]


@dataclass(frozen=True, slots=True)
class TurnCounter:
    """The last turns after time: whose it is and how many are left; the own button ends it, held it means "I have won".
    `ended` of the step's turns are over; they alternate from `first`."""

    step: Turns
    first: Side
    ended: int = 0

    @property
    def whose(self) -> Side:
        return self.first if self.ended % 2 == 0 else other_side(self.first)

    @property
    def left(self) -> int:
        return self.step.turns - self.ended


def starting_value(way: WayToEnd, figure: Figure, side: Side, answers: Mapping[str, Any]) -> int:
    """Where a figure of `side` starts: the loser of the last turns usually has nothing left."""
    won = next((answers.get(step.name) for step in way.steps if isinstance(step, Turns)), None)
    return figure.minimum if figure.beyond and won in SIDES and won != side else figure.default
