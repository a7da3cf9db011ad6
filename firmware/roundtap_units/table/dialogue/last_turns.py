"""The last turns after time: whose it is and how many are left; the own button ends it, held it says "I have won"."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from roundtap_core.forms.form import Way
from roundtap_core.forms.questions import Figure, Turns
from roundtap_core.records import SIDES, Side, other


@dataclass(frozen=True, slots=True)
class Counter:
    """`ended` of the step's turns are over; they alternate from `first`."""

    step: Turns
    first: Side
    ended: int = 0

    @property
    def whose(self) -> Side:
        return self.first if self.ended % 2 == 0 else other(self.first)

    @property
    def left(self) -> int:
        return self.step.turns - self.ended

    @property
    def over(self) -> bool:
        return self.left <= 0

    def ended_one(self) -> Counter:
        return replace(self, ended=self.ended + 1)

    def taken_back(self) -> Counter:
        return replace(self, ended=self.ended - 1)

    def back_at_the_last(self) -> Counter:
        return replace(self, ended=self.step.turns - 1)


def likely_left(way: Way, figure: Figure, side: Side, answers: Mapping[str, Any]) -> int:
    """Where a figure of `side` starts: who has just lost in the last turns has usually nothing left."""
    won = next((answers.get(step.name) for step in way.steps if isinstance(step, Turns)), None)
    return figure.minimum if figure.beyond and won in SIDES and won != side else figure.default
