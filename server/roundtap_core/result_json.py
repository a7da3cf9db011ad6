"""Results between records and JSON, and the checks that need no rulebook."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from roundtap_core.errors import Invalid, Problem
from roundtap_core.limits import FIGURE, refuse_boundless, refuse_outside
from roundtap_core.records import CONCESSION, ENDINGS, RULING, SIDES, WINNERS, Pair, Result

KEYS = ("ended", "winner", "conceded_by", "score", "wounds", "initiative", "first_player", "picks", "timeout")


def result_to_json(result: Result) -> dict[str, Any]:
    """The event file's `result`; only what differs from the defaults, `score` always."""
    data: dict[str, Any] = {}
    if result.ended != "played":
        data["ended"] = result.ended
    for key in ("winner", "conceded_by", "initiative", "first_player", "picks", "timeout"):
        if getattr(result, key) is not None:
            data[key] = getattr(result, key)
    data["score"] = {"a": result.score.a, "b": result.score.b}
    if result.wounds is not None:
        data["wounds"] = {"a": result.wounds.a, "b": result.wounds.b}
    return data


def result_from_json(data: object) -> Result:
    """A Result from JSON; unknown keys, wrong types and contradictions are Problems that name the place."""
    if not isinstance(data, (dict, Mapping)):
        raise Problem("wrong_type", expected="object")
    if len(data) == 1 and "score" in data:
        # Most results are a score alone: there is nothing in them that could contradict itself.
        return Result(score=_pair(data["score"], "/score") or Pair())
    for key in data:
        if key not in KEYS:
            raise Problem("unknown_key", where=f"/{key}", key=key, known=", ".join(KEYS))
    ended = _one_of(data, "ended", ENDINGS, default="played")
    winner = _one_of(data, "winner", WINNERS)
    conceded_by = _one_of(data, "conceded_by", ("a", "b"))
    if ended == CONCESSION and conceded_by is None:
        raise Invalid("concession_by_whom", where="/conceded_by")
    if ended != CONCESSION and conceded_by is not None:
        raise Problem("conceded_without_concession", where="/conceded_by")
    if ended == RULING and winner is None:
        raise Invalid("ruling_for_whom", where="/winner")
    if ended != RULING and winner == "none":
        raise Invalid("none_without_ruling", where="/winner")
    return Result(
        ended=ended or "played",
        winner=winner,
        conceded_by=conceded_by,
        score=_pair(data.get("score"), "/score") or Pair(),
        wounds=_pair(data.get("wounds"), "/wounds"),
        initiative=_one_of(data, "initiative", ("a", "b")),
        first_player=_one_of(data, "first_player", ("a", "b")),
        picks=_picks(data.get("picks")),
        timeout=_object(data.get("timeout"), "/timeout"),
    )


def refuse_wild(result: Result) -> None:
    """Raise Problem where a result holds a figure or a text that no event file may hold."""
    for key in ("score", "wounds"):
        pair = getattr(result, key)
        for side in SIDES if pair is not None else ():
            refuse_outside(pair.of(side), FIGURE, f"/{key}/{side}")
    refuse_boundless(result.picks, "/picks")
    refuse_boundless(result.timeout, "/timeout")


def _picks(data: object) -> dict[str, list[int]] | None:
    picks = _object(data, "/picks")
    for side, squads in (picks or {}).items():
        if side not in ("a", "b"):
            raise Problem("unknown_key", where=f"/picks/{side}", key=side, known="a, b")
        if not isinstance(squads, list) or any(not isinstance(n, int) or isinstance(n, bool) for n in squads):
            raise Problem("wrong_type", where=f"/picks/{side}", expected="array")
    return picks


def _object(data: object, where: str) -> dict[str, Any] | None:
    if data is not None and not isinstance(data, dict):
        raise Problem("wrong_type", where=where, expected="object")
    return data


def _one_of(data: Mapping[str, Any], key: str, options: tuple[str, ...], default: str | None = None) -> str | None:
    value = data.get(key, default)
    if value is not None and value not in options:
        raise Invalid("not_one_of", where=f"/{key}", value=value, options=", ".join(options))
    return value  # type: ignore[no-any-return]


def _pair(data: object, where: str) -> Pair | None:
    if data is None:
        return None
    if not isinstance(data, (dict, Mapping)):
        raise Problem("wrong_type", where=where, expected="object")
    if len(data) == 2:
        a, b = data.get("a"), data.get("b")
        if type(a) is int and type(b) is int:
            return Pair(a, b)
    for key, value in data.items():
        if key not in ("a", "b"):
            raise Problem("unknown_key", where=f"{where}/{key}", key=key, known="a, b")
        if not isinstance(value, int) or isinstance(value, bool):
            raise Problem("wrong_type", where=f"{where}/{key}", expected="integer")
    return Pair(data.get("a", 0), data.get("b", 0))
