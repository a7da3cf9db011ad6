"""What is asked to mend a round. Plain data.

Common to all: `number` of the round that was looked at; `reason` and `by` for the record; `plan`: the mark of what was
shown before it is done (mend.py). "" says nothing: then nothing may stand in the way that somebody had to be warned of.
"""

from __future__ import annotations

from msgspec import Struct

from roundtap_core.rulebooks.base import ORGANIZER


class SwapSeats(Struct, frozen=True):
    """The two of `who` take each other's places; one of them may have the bye."""

    number: int
    who: tuple[str, ...]
    reason: str
    by: str = ORGANIZER
    plan: str = ""


class MoveToTable(Struct, frozen=True):
    """The match `match` goes to `table`; where another one of the round sits there, the two exchange tables."""

    number: int
    match: str
    table: int
    reason: str
    by: str = ORGANIZER
    plan: str = ""
    busy_tables: frozenset[int] = frozenset()


class PairWaiting(Struct, frozen=True):
    """The two of `who`, who wait, meet at `table` (None: one that is fixed for them, else the lowest free one)."""

    number: int
    who: tuple[str, ...]
    reason: str
    table: int | None = None
    by: str = ORGANIZER
    plan: str = ""
    busy_tables: frozenset[int] = frozenset()


class GiveBye(Struct, frozen=True):
    """Who waits without points for this round gets the bye."""

    number: int
    competitor: str
    reason: str
    by: str = ORGANIZER
    plan: str = ""


class PairAgain(Struct, frozen=True):
    """Who waits is paired with the smallest change of what is published."""

    number: int
    reason: str = ""
    by: str = ORGANIZER
    plan: str = ""
    busy_tables: frozenset[int] = frozenset()


class UnpublishRound(Struct, frozen=True):
    """A published round that nobody has begun is taken back: it becomes a draft again, or, `withdrawn`, is gone."""

    number: int
    reason: str
    withdrawn: bool = False
    by: str = ORGANIZER
    plan: str = ""
