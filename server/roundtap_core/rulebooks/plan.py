"""How many rounds an event has and how many go on, by its structure and who was there at the start."""

from __future__ import annotations

from roundtap_core.records import SWISS, Tournament, drawn_for
from roundtap_core.rulebooks.registry import rulebook


def plan(tournament: Tournament) -> tuple[int, int]:
    """(Swiss rounds, cut) of the event's structure, for those who were there when round 1 was drawn.

    Raises Problem("no_structure") where the table has no line for so few.
    """
    book = rulebook(tournament.rulebook)
    swiss = tournament.stage_rounds(SWISS)
    players = drawn_for(swiss[0].matches) if swiss else sum(c.active for c in tournament.competitors)
    return book.structure(players, book.options(tournament.options))
