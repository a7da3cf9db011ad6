"""Writing an event file: the plain JSON of a tournament, keys in the order of their description."""

import json
from typing import Any

from msgspec.structs import asdict

from roundtap_core.records import Competitor, Match, Round, Tournament, match_to_json

FORMAT = "roundtap-event/1"

NOBODY = Competitor("", "")  # has every default; to ask msgspec for them takes 2 ms each time


def tournament_to_json(tournament: Tournament) -> dict[str, Any]:
    """The event file as plain JSON, keys in the order of its description; what has its default is left out. Reading it
    again gives the same tournament."""
    return _with_record(
        {
            "format": FORMAT,
            "name": tournament.name,
            "rulebook": tournament.rulebook,
            **({} if tournament.rules is None else {"rules": json.loads(tournament.rules)}),
            **({} if tournament.level is None else {"level": tournament.level}),
            **({"options": tournament.options} if tournament.options else {}),
            "seed": tournament.seed,
            "competitors": [_without_defaults(item) for item in tournament.competitors],
            "rounds": [round_to_json(item) for item in tournament.rounds],
        },
        tournament,
    )


def round_to_json(item: Round) -> dict[str, Any]:
    return _with_record(
        {
            "number": item.number,
            "stage": item.stage,
            **({} if item.draw is None else {"draw": asdict(item.draw)}),
            **({} if item.tiebreak_form is None else {"tiebreak_form": item.tiebreak_form}),
            "matches": [_with_record(match_to_json(match), match) for match in item.matches],
        },
        item,
    )


def _with_record(data: dict[str, Any], item: Tournament | Round | Match | Competitor) -> dict[str, Any]:
    return {**data, **(item.record or {})}


def _without_defaults(item: Competitor) -> dict[str, Any]:
    data: dict[str, Any] = {}
    for key in item.__struct_fields__:
        value = getattr(item, key)
        if value != getattr(NOBODY, key) and key != "record":
            data[key] = list(value) if isinstance(value, tuple) else value
    return _with_record(data, item)
