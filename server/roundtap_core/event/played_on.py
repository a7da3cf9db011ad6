"""What was missing when round 1 was published, and was played on with knowingly."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class OpenPoint:
    """One thing that the rulebook wants before round 1; `who` is the competitor it is about, "" where nobody is."""

    kind: str
    who: str = ""

    def __str__(self) -> str:
        return f"{self.kind}:{self.who}" if self.who else self.kind


@dataclass(frozen=True, slots=True)
class PlayedOn:
    """One such decision: in which entry, what was missing, why it was played on, who said so, and the wall time where
    the hub knew one."""

    number: int
    points: tuple[OpenPoint, ...]
    reason: str
    by: str
    wall: str | None = None
