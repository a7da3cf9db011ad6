"""What was missing when round 1 was published, and was played on with knowingly; what an early end left out."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from msgspec import Struct

from roundtap_core.typed import Exact, Id, Line, Prose, Text


class OpenPoint(Struct, frozen=True):
    """One thing that the rulebook wants before round 1; `who` is the competitor it is about, "" where nobody is."""

    kind: Id
    who: Text = ""

    def __str__(self) -> str:
        return f"{self.kind}:{self.who}" if self.who else self.kind


class PlayedOn(Struct, frozen=True):
    """One such decision: in which entry, what was missing, why it was played on, who said so, and the wall time where
    the hub knew one."""

    number: Exact
    points: tuple[OpenPoint, ...]
    reason: Prose
    by: Id
    wall: Line | None = None

    def to_json(self) -> dict[str, Any]:
        """As the event file has it: the number is the journal's own."""
        points = [{"kind": point.kind, **({"who": point.who} if point.who else {})} for point in self.points]
        wall = {"wall": self.wall} if self.wall is not None else {}
        return {"points": points, "reason": self.reason, "by": self.by, **wall}


def played_on_from_json(data: Mapping[str, Any], number: int = 0, wall: str | None = None) -> PlayedOn:
    """What `to_json` wrote, or the entry's data; `wall` where the data says none."""
    points = tuple(OpenPoint(point["kind"], point.get("who", "")) for point in data["points"])
    return PlayedOn(number, points, data["reason"], data["by"], data.get("wall", wall))
