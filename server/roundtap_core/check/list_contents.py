"""Players' lists as `roundtap check` sees them: what is wrong in each, and missing where lists are required."""

from __future__ import annotations

from collections.abc import Iterator

from roundtap_core.errors import Problem
from roundtap_core.records import Tournament
from roundtap_core.rulebooks.registry import rulebook

DECK_TWICE = "list_deck_twice"
"""What the lists together show and no reading of the rules allows; the rest is only flagged."""


def list_violations(tournament: Tournament) -> Iterator[Problem]:
    """Every competitor's, with places like "/competitors/3/list/ships/2/points"; and two decks of one name.

    Only a file that says so itself has to hold complete lists: others may have been kept on paper.
    """
    book = rulebook(tournament.rulebook)
    options = {**book.options(tournament.options), "lists_required": bool(tournament.options.get("lists_required"))}
    for place, competitor in enumerate(tournament.competitors):
        for problem in book.lists.competitor_problems(competitor, options, tournament.level):
            yield problem.at(f"/competitors/{place}")
    # Who left before the first round played with no deck.
    began = [place for place, competitor in enumerate(tournament.competitors) if competitor.left_after != 0]
    for problem in book.lists.event_warnings([tournament.competitors[place] for place in began], options):
        if problem.key == DECK_TWICE:
            _, at, rest = problem.where.split("/", 2)
            yield problem.but(f"/competitors/{began[int(at)]}/{rest}")
