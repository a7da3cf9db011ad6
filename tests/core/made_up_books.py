"""Made-up rulebooks, known for the length of a test: sides with names, and everybody meets everybody."""

import pytest

from roundtap_core.rulebooks.base import Rulebook
from roundtap_core.rulebooks.registry import RULEBOOKS
from roundtap_core.rulebooks.shatterpoint import ShatterpointPremier
from roundtap_core.rulebooks.xwing_standard import XWingStandard


class Sided(XWingStandard):
    id = "sided"
    shares_sides = True


class SidedWithDraws(ShatterpointPremier):
    id = "sided-with-draws"
    shares_sides = True


class Everybody(XWingStandard):
    id = "everybody"
    everybody = True
    shares_sides = True


def know(monkeypatch: pytest.MonkeyPatch, *books: Rulebook) -> None:
    """The registry finds them by their ids, until the test is over."""
    list(RULEBOOKS)  # the list of all stays that of the kit's own
    for book in books:
        monkeypatch.setitem(RULEBOOKS._made, book.id, book)
