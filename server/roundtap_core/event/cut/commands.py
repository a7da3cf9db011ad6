"""What is asked about the cut. Plain data."""

from __future__ import annotations

from msgspec import Struct

from roundtap_core.typed import Text


class MakeCut(Struct, frozen=True):
    """The Swiss rounds are over: note who goes on."""


class WithdrawCut(Struct, frozen=True):
    """Back to the standings, while no elimination round is published."""


class AcceptPlace(Struct, frozen=True):
    """Who was offered a place that became free in the cut takes it."""

    competitor: Text


class PassOver(Struct, frozen=True):
    """The next stage goes on with those present: all of `absent`, and nobody else, are passed over for it."""

    absent: tuple[Text, ...]


class DeclinePlace(Struct, frozen=True):
    """Who was offered a place does not want it."""

    competitor: Text
