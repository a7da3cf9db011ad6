"""What is asked about prizes. Plain data."""

from __future__ import annotations

from msgspec import Struct

from roundtap_core.event.prize import ACTIVE, Prize


class SetPrizes(Struct, frozen=True):
    """The whole list, in place of the one before."""

    prizes: tuple[Prize, ...]


class DrawDoorPrize(Struct, frozen=True):
    """Draw `count` winners of a door prize by `seed`. `again`: who has won one may win another. `seen`: how many draws
    were known to who pressed the button, so that nobody draws twice."""

    what: str
    count: int
    seed: int
    among: str = ACTIVE
    again: bool = False
    seen: int | None = None
