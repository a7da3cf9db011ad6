"""Squads that somebody still has to field, as pages tell it: by letters, and whether every pick left is one of them."""

from __future__ import annotations

from roundtap_core.errors import Problem
from roundtap_core.event.state import PUBLISHED, EventState, tournament_of
from roundtap_core.lists.squads import fielded, letter, to_field
from roundtap_core.records import SWISS


def told_squads(state: EventState, competitor: str) -> tuple[str, bool]:
    """The letters of the squads somebody has not fielded yet, "C D", and whether every pick left has to be of them."""
    squads = state.rulebook.squads
    if squads is None:
        return "", False
    tournament = tournament_of(state)
    swiss = [played for played in state.public_rounds if played.stage == SWISS]
    try:
        left = max(0, state.swiss_rounds - len(swiss))
    except Problem:
        left = 0
    open_now = any(competitor in (m.match.a, m.match.b) and not (m.match.result or m.match.picks)
                   for m in swiss[-1].matches) if swiss and swiss[-1].status == PUBLISHED else False
    owed = to_field(squads.listed, squads.taken, fielded(tournament.rounds).get(competitor, ()), left + open_now)
    return " ".join(map(letter, owed.squads)), owed.must
