"""Writing an event file: the plain JSON of a tournament, keys in the order of their description."""

from typing import Any

from msgspec.structs import asdict, fields

from roundtap_core.records import Competitor, Match, Round, Tournament
from roundtap_core.result_json import match_to_json

FORMAT = "roundtap-event/1"


def tournament_to_json(tournament: Tournament) -> dict[str, Any]:
    """The event file as plain JSON, keys in the order of its description; what has its default is left out. Reading it
    again gives the same tournament."""
    data: dict[str, Any] = {"format": FORMAT, "name": tournament.name, "rulebook": tournament.rulebook}
    if tournament.level is not None:
        data["level"] = tournament.level
    if tournament.options:
        data["options"] = tournament.options
    data["seed"] = tournament.seed
    data["competitors"] = [_without_defaults(item) for item in tournament.competitors]
    data["rounds"] = [round_to_json(item) for item in tournament.rounds]
    return _with_record(data, tournament)


def round_to_json(item: Round) -> dict[str, Any]:
    data: dict[str, Any] = {"number": item.number, "stage": item.stage}
    if item.draw is not None:
        data["draw"] = asdict(item.draw)
    if item.tiebreak_form is not None:
        data["tiebreak_form"] = item.tiebreak_form
    data["matches"] = [_with_record(match_to_json(match), match) for match in item.matches]
    return _with_record(data, item)


def _with_record(data: dict[str, Any], item: Tournament | Round | Match | Competitor) -> dict[str, Any]:
    return {**data, **(item.record or {})}


def _without_defaults(item: Competitor) -> dict[str, Any]:
    data: dict[str, Any] = {}
    for field in fields(item):
        value = getattr(item, field.name)
        if value != field.default and field.name != "record":
            data[field.name] = list(value) if isinstance(value, tuple) else value
    return _with_record(data, item)
