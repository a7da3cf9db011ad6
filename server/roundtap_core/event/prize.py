"""A prize, and a draw of door prizes: plain records."""

from __future__ import annotations

from msgspec import Struct

from roundtap_core.typed import Line, Number, Prose, Text

ACTIVE, PLAYED, CHECKED_IN = "active", "played", "checked_in"
AMONG = (ACTIVE, PLAYED, CHECKED_IN)
"""The pools of a door prize: still in the event, has played a match, was checked in."""


class Prize(Struct, frozen=True):
    """What is won: for the places `first` to `last`, or for a `category`, whose `competitor` the organizer chooses."""

    what: Prose
    first: Number | None = None
    last: Number | None = None
    category: Line | None = None
    competitor: Text | None = None


class DoorPrize(Struct, frozen=True):
    """One draw: out of `pool` by `seed`, `winners` in the order in which they were drawn. `number`: its entry."""

    number: int
    what: str
    among: str
    again: bool
    seed: int
    pool: tuple[str, ...]
    winners: tuple[str, ...]
