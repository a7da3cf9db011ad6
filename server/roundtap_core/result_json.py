"""Results and matches between records and JSON, and the checks that need no rulebook."""

from __future__ import annotations

from typing import Any

from msgspec import to_builtins

from roundtap_core.errors import Invalid, Problem
from roundtap_core.limits import refuse_boundless
from roundtap_core.records import CONCESSION, PLAYED, RULING, SIDES, Match, Result
from roundtap_core.typed import Malformed, read

_WRITTEN = ("ended", "winner", "conceded_by", "initiative", "first_player", "picks", "timeout", "score", "wounds")
"""In this order, in which they have always been written."""


def result_to_json(result: Result) -> dict[str, Any]:
    """The event file's `result`; only what differs from the defaults, `score` always."""
    said = to_builtins(result)
    return {key: said[key] for key in _WRITTEN if key == "score" or said[key] not in (None, PLAYED)}


def match_to_json(match: Match) -> dict[str, Any]:
    """A match, or a bye, by the event file's keys, in the order of their description; what is not set is left out."""
    data = {
        "table": match.table, "a": match.a, "b": match.b, "bye": match.bye, "absent": match.absent, "game": match.game,
        "picks": None if match.picks is None else list(match.picks),
        "result": None if match.result is None else result_to_json(match.result),
        "extension_minutes": match.extension_minutes,
    }
    return {key: value for key, value in data.items() if value is not None}


def result_from_json(data: object) -> Result:
    """A Result from JSON; unknown keys, wrong types, contradictions, and figures and texts that no event file may hold,
    are Problems that name the place."""
    try:
        result = read(Result, data)
    except Malformed as error:
        raise error.reasons[0] from None
    refuse_contradictory(result)
    return result


def refuse_contradictory(result: Result) -> None:
    """Raise Problem for what no result says of itself, whatever the rulebook."""
    if result.ended == CONCESSION and result.conceded_by is None:
        raise Invalid("concession_by_whom", where="/conceded_by")
    if result.ended != CONCESSION and result.conceded_by is not None:
        raise Problem("conceded_without_concession", where="/conceded_by")
    if result.ended == RULING and result.winner is None:
        raise Invalid("ruling_for_whom", where="/winner")
    if result.ended != RULING and result.winner == "none":
        raise Invalid("none_without_ruling", where="/winner")
    for side in result.picks or {}:
        if side not in SIDES:
            raise Problem("unknown_key", where=f"/picks/{side}", key=side, known=", ".join(SIDES))
    refuse_boundless(result.picks, "/picks")
    refuse_boundless(result.timeout, "/timeout")
