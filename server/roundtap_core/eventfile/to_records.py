"""Parts of an event file, whose form is known to be right, as records."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from roundtap_core.records import SWISS, Competitor, Draw, Match, Result, Round, Tournament

_TUPLES = ("warnings", "members", "houses")

TOURNAMENT_RECORD = frozenset({"date", "venue", "club", "external_id", "special_rules", "effective_options",
                               "officials", "checked_in", "played_on", "cut", "finished"})
COMPETITOR_RECORD = frozenset({"disqualification", "proposed", "proposal_declined_at", "list_corrections", "ticks",
                               "declined_place"})
ROUND_RECORD = frozenset({"notes", "extra_minutes"})
MATCH_RECORD = frozenset({"decided", "log", "corrections", "lots"})
"""Keys that no rule computes with; the records keep them as they stand in the file."""


def record_of(data: dict[str, Any], keys: frozenset[str]) -> dict[str, Any] | None:
    """What `data` has of these keys; None without any."""
    return None if keys.isdisjoint(data) else {key: value for key, value in data.items() if key in keys}


def to_competitor(data: dict[str, Any]) -> Competitor:
    """The competitor."""
    values: dict[str, Any] = {
        key: tuple(value) if key in _TUPLES else value for key, value in data.items() if key not in COMPETITOR_RECORD
    }
    return Competitor(**values, record=record_of(data, COMPETITOR_RECORD))


def to_round(data: dict[str, Any], matches: Iterable[Match]) -> Round:
    """The round; its `matches` are made before."""
    draw = Draw(**data["draw"]) if "draw" in data else None
    return Round(data["number"], data.get("stage", SWISS), tuple(matches), draw, data.get("tiebreak_form"),
                 record_of(data, ROUND_RECORD))


def to_match(data: dict[str, Any], result: Result | None) -> Match:
    """The match, or bye; its result is read before."""
    values = dict(data)
    if record := record_of(data, MATCH_RECORD):
        values = {key: value for key, value in data.items() if key not in MATCH_RECORD} | {"record": record}
    if "result" in data:
        values["result"] = result
    if "picks" in data:
        values["picks"] = tuple(data["picks"])
    return Match(**values)


def to_tournament(data: dict[str, Any], competitors: Iterable[Competitor], rounds: Iterable[Round]) -> Tournament:
    """The tournament; its competitors and rounds are made before."""
    return Tournament(
        name=data["name"],
        rulebook=data["rulebook"],
        level=data.get("level"),
        options=data.get("options", {}),
        seed=data.get("seed", 0),
        competitors=tuple(competitors),
        rounds=tuple(rounds),
        record=record_of(data, TOURNAMENT_RECORD),
        cut_order=tuple(data.get("cut", {}).get("order", ())),
    )
