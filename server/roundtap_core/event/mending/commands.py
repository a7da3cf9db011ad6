"""What is asked to mend a round. Plain data.

Common to all: `number` of the round that was looked at; `reason` and `by` for the record; `plan`: the mark of what was
shown before it is done (mend.py). "" says nothing: then nothing may stand in the way that somebody had to be warned of.
"""

from __future__ import annotations

from msgspec import Struct

from roundtap_core.rulebooks.base import ORGANIZER
from roundtap_core.typed import Exact, Id, IdOrEmpty, Number, Prose, Text


class SwapSeats(Struct, frozen=True):
    """The two of `who` take each other's places; one of them may have the bye."""

    number: Exact
    who: tuple[Text, ...]
    reason: Prose
    by: Id = ORGANIZER
    plan: IdOrEmpty = ""


class MoveToTable(Struct, frozen=True):
    """The match `match` goes to `table`; where another one of the round sits there, the two exchange tables."""

    number: Exact
    match: IdOrEmpty
    table: Number
    reason: Prose
    by: Id = ORGANIZER
    plan: IdOrEmpty = ""
    busy_tables: frozenset[int] = frozenset()


class PairWaiting(Struct, frozen=True):
    """The two of `who`, who wait, meet at `table` (None: one that is fixed for them, else the lowest free one)."""

    number: Exact
    who: tuple[Text, ...]
    reason: Prose
    table: Number | None = None
    by: Id = ORGANIZER
    plan: IdOrEmpty = ""
    busy_tables: frozenset[int] = frozenset()


class GiveBye(Struct, frozen=True):
    """Who waits without points for this round gets the bye."""

    number: Exact
    competitor: Text
    reason: Prose
    by: Id = ORGANIZER
    plan: IdOrEmpty = ""


class PairAgain(Struct, frozen=True):
    """Who waits is paired with the smallest change of what is published."""

    number: Exact
    reason: Prose = ""
    by: Id = ORGANIZER
    plan: IdOrEmpty = ""
    busy_tables: frozenset[int] = frozenset()


class UnpublishRound(Struct, frozen=True):
    """A published round that nobody has begun is taken back: it becomes a draft again, or, `withdrawn`, is gone."""

    number: Exact
    reason: Prose
    withdrawn: bool = False
    by: Id = ORGANIZER
    plan: IdOrEmpty = ""
