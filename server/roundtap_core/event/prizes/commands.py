"""What is asked about prizes. Plain data."""

from __future__ import annotations

from msgspec import Struct

from roundtap_core.event.prize import ACTIVE, Prize
from roundtap_core.typed import Count, Exact, IdOrEmpty, Prose


class SetPrizes(Struct, frozen=True):
    """The whole list, in place of the one before."""

    prizes: tuple[Prize, ...]


class DrawDoorPrize(Struct, frozen=True):
    """Draw `count` winners of a door prize by `seed`. `again`: who has won one may win another. `seen`: how many draws
    were known to who pressed the button, so that nobody draws twice."""

    what: Prose
    count: Count
    seed: Exact
    among: IdOrEmpty = ACTIVE
    again: bool = False
    seen: Exact | None = None
