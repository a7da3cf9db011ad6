"""The next round of an event, of whatever stage: Swiss as planned, ties to be played out, what follows a cut."""

from __future__ import annotations

from typing import Any

from msgspec.structs import replace

from roundtap_core.errors import Problem
from roundtap_core.pairing.swiss_round import Pairing, pair_next, pairing_to_json
from roundtap_core.records import ELIMINATION, SECOND_SWISS, SWISS, TIEBREAK, Tournament
from roundtap_core.rounds.second_stage import is_swiss, second_stage_round
from roundtap_core.rulebooks.registry import plan, rulebook


def next_stage(tournament: Tournament) -> str:
    """"swiss", "tiebreak", "elimination" or "second-swiss".

    Without a cut Swiss rounds go on for as long as somebody asks for another, unless a tie has to be played out.
    """
    for begun in (ELIMINATION, SECOND_SWISS):
        if tournament.stage_rounds(begun):
            return begun
    try:
        swiss_rounds, cut = plan(tournament)
    except Problem:
        return SWISS
    played = len(tournament.stage_rounds(SWISS))
    # A cut that was made stands, whoever has left or declined since.
    if played >= swiss_rounds and rulebook(tournament.rulebook).tiebreak_rounds and not tournament.cut_order:
        from roundtap_core.rounds.next_tiebreak_round import open_ties

        if open_ties(tournament):
            return TIEBREAK
    if played < swiss_rounds or (played and not cut):
        return SWISS
    return SECOND_SWISS if played and is_swiss(tournament) else ELIMINATION


def next_round(tournament: Tournament, seed: int | None = None, attempt: int = 1) -> Pairing:
    """Draw it; the same arguments draw the same round, everywhere. Raises the Problems of the stage's own drawing."""
    stage = next_stage(tournament)
    if stage == SWISS:
        drawn = pair_next(tournament, seed=seed, attempt=attempt)
        planned = _planned(tournament)
        beyond = planned is not None and len(tournament.stage_rounds(SWISS)) >= planned
        return replace(drawn, notes={**drawn.notes, "beyond_plan": True}) if beyond else drawn
    if stage == SECOND_SWISS:
        return second_stage_round(tournament, seed, attempt)
    if stage == TIEBREAK:
        from roundtap_core.rounds.next_tiebreak_round import next_tiebreak_round

        return next_tiebreak_round(tournament, seed, attempt)
    # Most rounds are Swiss, and a command should start at once.
    from roundtap_core.elimination.next_games import next_elimination_round

    return next_elimination_round(tournament, seed, attempt)


def _planned(tournament: Tournament) -> int | None:
    """How many Swiss rounds the event's structure has, None where it has no line for so few."""
    try:
        return plan(tournament)[0]
    except Problem:
        return None


def round_to_print(pairing: Pairing) -> dict[str, Any]:
    """What `roundtap pair` prints: elimination games carry their numbers."""
    data = pairing_to_json(pairing)
    for match, printed in zip(pairing.matches, data["matches"], strict=True):
        if match.game is not None:
            printed["game"] = match.game
    return data
