"""The rulebooks, one module each; `rulebook(ID)` finds one by the id used everywhere, `plan` what it has planned.

Each module is imported when its rulebook is first asked for: a command that reads an event file needs one of them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from importlib import import_module

from roundtap_core.errors import Invalid, Problem
from roundtap_core.records import SWISS, Tournament, drawn_for
from roundtap_core.rulebooks.base import Rulebook


class Rulebooks(Mapping[str, Rulebook]):
    """The rulebooks by id, in the order in which they are offered. Ids cost nothing; a rulebook, or `items`, imports.

    `places`: each id's module in this package, and the name of its class there. Any thread may ask.
    """

    def __init__(self, places: Mapping[str, tuple[str, str]]) -> None:
        self._places = places
        self._made: dict[str, Rulebook] = {}

    def __getitem__(self, rulebook_id: str) -> Rulebook:
        found = self._made.get(rulebook_id)
        if found is None:
            module, name = self._places[rulebook_id]
            made: Rulebook = getattr(import_module(f"{__package__}.{module}"), name)()
            # Two threads may make one each; everybody gets the same.
            found = self._made.setdefault(rulebook_id, made)
        return found

    def __contains__(self, rulebook_id: object) -> bool:
        return rulebook_id in self._places

    def __iter__(self) -> Iterator[str]:
        return iter(self._places)

    def __len__(self) -> int:
        return len(self._places)


RULEBOOKS = Rulebooks({
    "xwing-standard": ("xwing_standard", "XWingStandard"),
    "xwing-epic-duel": ("xwing_epic", "XWingEpicDuel"),
    "xwing-epic-team": ("xwing_epic", "XWingEpicTeam"),
    "keyforge-archon": ("keyforge", "KeyForgeArchon"),
    "keyforge-sealed": ("keyforge", "KeyForgeSealed"),
    "warlords-of-terra": ("warlords", "WarlordsOfTerra"),
    "shatterpoint-premier": ("shatterpoint", "ShatterpointPremier"),
})


def rulebook(rulebook_id: str) -> Rulebook:
    """The rulebook, or Problem("unknown_rulebook") that lists those there are."""
    try:
        return RULEBOOKS[rulebook_id]
    except (KeyError, TypeError):
        raise Invalid("unknown_rulebook", where="/rulebook", value=rulebook_id, known=", ".join(RULEBOOKS)) from None


def plan(tournament: Tournament) -> tuple[int, int]:
    """(Swiss rounds, cut) of the event's structure, for those who were there when round 1 was drawn.

    Raises Problem("no_structure") where the table has no line for so few.
    """
    book = rulebook(tournament.rulebook)
    swiss = tournament.stage_rounds(SWISS)
    players = drawn_for(swiss[0].matches) if swiss else sum(c.active for c in tournament.competitors)
    return book.structure(players, book.options(tournament.options))


def known_plan(tournament: Tournament) -> tuple[int, int] | None:
    """The same; None where the table has no line for so few."""
    try:
        return plan(tournament)
    except Problem:
        return None
