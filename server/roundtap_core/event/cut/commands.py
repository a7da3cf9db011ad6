"""What is asked about the cut. Plain data."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class MakeCut:
    """The Swiss rounds are over: note who goes on."""


@dataclass(frozen=True, slots=True)
class WithdrawCut:
    """Back to the standings, while no elimination round is published."""


@dataclass(frozen=True, slots=True)
class AcceptPlace:
    """Who was offered a place that became free in the cut takes it."""

    competitor: str


@dataclass(frozen=True, slots=True)
class PassOver:
    """The next stage goes on with those present: all of `absent`, and nobody else, are passed over for it."""

    absent: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class DeclinePlace:
    """Who was offered a place does not want it."""

    competitor: str
