"""An event file whose form is known to be right, as records."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from msgspec import UNSET, to_builtins

from roundtap_core.eventfile import file_types
from roundtap_core.records import SWISS, Competitor, Draw, Match, Result, Round, Tournament

_TUPLES = ("warnings", "members", "houses")

TOURNAMENT_RECORD = ("date", "venue", "club", "external_id", "special_rules", "effective_options", "officials",
                     "checked_in", "played_on", "cut", "finished")
COMPETITOR_RECORD = ("disqualification", "proposed", "proposal_declined_at", "list_corrections", "ticks",
                     "declined_place")
ROUND_RECORD = ("notes", "extra_minutes")
MATCH_RECORD = ("decided", "lots", "corrections", "log")
"""Keys that no rule computes with; the records keep them as they stand in the file."""


def to_tournament(event: file_types.Event, results: Iterable[Result]) -> Tournament:
    """The tournament. `results`: those of its matches, read before, in the file's order."""
    read = iter(results)
    return Tournament(
        name=event.name,
        rulebook=event.rulebook,
        level=event.level or None,
        options=to_builtins(event.options or {}),
        seed=event.seed or 0,
        competitors=tuple(map(_competitor, event.competitors)),
        rounds=tuple(_round(played, read) for played in event.rounds or ()),
        record=_record(event, TOURNAMENT_RECORD),
        cut_order=tuple(event.cut.order) if event.cut else (),
    )


def _record(item: file_types.StrictMessage, keys: Iterable[str]) -> dict[str, Any] | None:
    """What `item` has of these keys; None without any."""
    said = {key: value for key in keys if (value := getattr(item, key)) is not UNSET}
    return to_builtins(said) if said else None


def _competitor(one: file_types.Competitor) -> Competitor:
    values = to_builtins(one)
    record = {key: values.pop(key) for key in COMPETITOR_RECORD if key in values}
    values |= {key: tuple(values[key]) for key in _TUPLES if key in values}
    return Competitor(**values, record=record or None)


def _round(played: file_types.Round, results: Iterator[Result]) -> Round:
    draw = Draw(**to_builtins(played.draw)) if played.draw else None
    return Round(played.number, played.stage or SWISS, tuple(_match(entry, results) for entry in played.matches), draw,
                 played.tiebreak_form or None, _record(played, ROUND_RECORD))


def _match(entry: file_types.Entry, results: Iterator[Result]) -> Match:
    return Match(
        entry.a, entry.b or None, entry.table or None, entry.bye or None, next(results) if entry.result else None,
        entry.game or None, None if entry.extension_minutes is UNSET else entry.extension_minutes,
        None if entry.picks is UNSET else tuple(entry.picks), entry.absent or None, _record(entry, MATCH_RECORD))
