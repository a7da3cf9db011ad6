"""The next round of an event, of whatever stage: Swiss while rounds are planned, then elimination if there is a cut."""

from __future__ import annotations

from typing import Any

from roundtap_core.elimination.cut import plan
from roundtap_core.errors import Problem
from roundtap_core.pairing import Pairing, pair_next, pairing_to_json
from roundtap_core.records import ELIMINATION, SWISS, Tournament


def next_stage(tournament: Tournament) -> str:
    """"swiss" or "elimination". Without a cut Swiss rounds go on for as long as somebody asks for another."""
    if tournament.stage_rounds(ELIMINATION):
        return ELIMINATION
    try:
        swiss_rounds, cut = plan(tournament)
    except Problem:
        return SWISS
    played = len(tournament.stage_rounds(SWISS))
    return ELIMINATION if played >= swiss_rounds and (cut or not played) else SWISS


def next_round(tournament: Tournament, seed: int | None = None, attempt: int = 1) -> Pairing:
    """Draw it; the same arguments draw the same round, everywhere. Raises the Problems of the stage's own drawing."""
    if next_stage(tournament) == SWISS:
        return pair_next(tournament, seed=seed, attempt=attempt)
    # Most rounds are Swiss, and a command should start at once.
    from roundtap_core.elimination.pairing import next_elimination_round

    return next_elimination_round(tournament, seed, attempt)


def round_to_print(pairing: Pairing) -> dict[str, Any]:
    """What `roundtap pair` prints: elimination games carry their numbers."""
    data = pairing_to_json(pairing)
    for match, printed in zip(pairing.matches, data["matches"], strict=True):
        if match.game is not None:
            printed["game"] = match.game
    return data
