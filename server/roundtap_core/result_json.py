"""Conversion of results and matches to and from JSON, and the checks that need no rulebook."""

from collections.abc import Mapping
from typing import Any

from msgspec import Struct, to_builtins

from roundtap_core.errors import Invalid, Problem
from roundtap_core.limits import FIGURE, refuse_out_of_range, refuse_over_limits
from roundtap_core.records import CONCESSION, PLAYED, RULING, SIDES, Match, Result, SidePair
from roundtap_core.typed import MalformedMessage, parse_message

_WRITTEN = ("ended", "winner", "conceded_by", "initiative", "first_player", "picks", "timeout", "score", "wounds")
"""The keys in their established order."""


def result_to_json(result: Result) -> dict[str, Any]:
    """The event file's `result`; only what differs from the defaults, but always `score`."""
    data = to_builtins(result)
    return {key: data[key] for key in _WRITTEN if key == "score" or data[key] not in (None, PLAYED)}


def match_to_json(match: Match) -> dict[str, Any]:
    """A match or a bye by the event file's keys, in documented order, without unset ones."""
    data = {
        "table": match.table,
        "a": match.a,
        "b": match.b,
        "bye": match.bye,
        "absent": match.absent,
        "game": match.game,
        "picks": None if match.picks is None else list(match.picks),
        "result": None if match.result is None else result_to_json(match.result),
        "extension_minutes": match.extension_minutes,
    }
    return {key: value for key, value in data.items() if value is not None}


def result_from_json(data: object) -> Result:
    """A Result from JSON; null counts as absent. Unknown keys, wrong types and contradictions are Problems with their
    place. Figures are not limited here, so that entries from before the limits can be read."""
    if not isinstance(data, Mapping):
        raise Problem("wrong_type", expected="object")
    _refuse_unknown(data, Result, "")
    for key in ("score", "wounds"):
        if isinstance(data.get(key), Mapping):
            _refuse_unknown(data[key], SidePair, f"/{key}")
    try:
        result = parse_message(Result, {key: value for key, value in data.items() if value is not None})
    except MalformedMessage as error:
        raise error.reasons[0] from None
    refuse_contradictory(result)
    return result


def _refuse_unknown(data: Mapping[str, Any], kind: type[Struct], where: str) -> None:
    for key in data:
        if key not in kind.__struct_fields__:
            raise Problem("unknown_key", where=f"{where}/{key}", key=key, known=", ".join(kind.__struct_fields__))


def refuse_contradictory(result: Result) -> None:
    """Raise Problem for a result that contradicts itself under any rulebook."""
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


def refuse_result_limits(result: Result) -> None:
    """Raise Problem for a figure or text beyond the event file's limits."""
    for key in ("score", "wounds"):
        pair = getattr(result, key)
        for side in SIDES if pair is not None else ():
            refuse_out_of_range(pair.of(side), FIGURE, f"/{key}/{side}")
    refuse_over_limits(result.picks, "/picks")
    refuse_over_limits(result.timeout, "/timeout")
