"""The rulebooks, one module each; `rulebook(ID)` finds one by the id used everywhere."""

from __future__ import annotations

from roundtap_core.errors import Problem
from roundtap_core.rulebooks.base import Rulebook
from roundtap_core.rulebooks.keyforge import KeyForgeArchon, KeyForgeSealed
from roundtap_core.rulebooks.shatterpoint import ShatterpointPremier
from roundtap_core.rulebooks.warlords import WarlordsOfTerra
from roundtap_core.rulebooks.xwing_epic import XWingEpicDuel, XWingEpicTeam
from roundtap_core.rulebooks.xwing_standard import XWingStandard

RULEBOOKS: dict[str, Rulebook] = {
    book.id: book for book in (
        XWingStandard(), XWingEpicDuel(), XWingEpicTeam(), KeyForgeArchon(), KeyForgeSealed(), WarlordsOfTerra(),
        ShatterpointPremier(),
    )
}


def rulebook(rulebook_id: str) -> Rulebook:
    """The rulebook, or Problem("unknown_rulebook") that lists those there are."""
    try:
        return RULEBOOKS[rulebook_id]
    except (KeyError, TypeError):
        raise Problem("unknown_rulebook", where="/rulebook", value=rulebook_id, known=", ".join(RULEBOOKS)) from None
