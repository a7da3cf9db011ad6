"""What tables hold of a match, as a restored journal reads it: a unit's last view, or a report that waits."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from roundtap_core.errors import Problem
from roundtap_core.result_json import result_from_json, result_to_json
from roundtap_hub.journal.afresh import Afresh, Heard, Pending
from roundtap_hub.journal.snapshot import Snapshot

ID_LENGTH_MAX = 64


@dataclass(frozen=True, slots=True)
class Claim:
    """What one unit holds of a match: from its last view, or from a report (`state`, `result`, `entry` are unknown)."""

    unit: str
    table: int | None
    event: str
    round: int
    mark: str
    match: str
    a: str
    b: str | None
    stage: str | None = None
    revision: int = 0
    state: str = ""
    result: Mapping[str, Any] | None = None
    entry: int = 0
    """The entry at which its result became so, as the table was told; 0: none."""


def claim_of_view(unit: str, heard: Heard) -> Claim | None:
    """A hello's `holds`; None where it holds no match, or is none that this hub can read: a unit's word is a
    stranger's until it fits."""
    held = heard.holds
    if held is None:
        return None
    try:
        claim = Claim(
            unit, _number_or_none(held.get("table")), _text(held["event"]), _number(held["round"]),
            _text(held["draw"]), _text(held["match"]), _text(held["a"]),
            None if held["b"] is None else _text(held["b"]), _text(held["stage"]), _number(held["revision"]),
            _text(held["state"]), _result(held.get("result")), _number(held.get("number") or 0))
    except (KeyError, TypeError, ValueError, Problem):
        return None
    return claim if claim.match.startswith(f"{claim.round}.") else None


def held_table(heard: Heard) -> int | None:
    """Where the unit stood, as its last view had it."""
    return _number_or_none((heard.holds or {}).get("table"))


def claim_of_report(snapshot: Snapshot, pending: Pending) -> Claim | None:
    """What a report that waits says of its match; None where it names no round."""
    said = pending.report
    afresh = snapshot.venue.afresh or Afresh()
    heard = afresh.heard.get(pending.unit)
    table = held_table(heard) if heard is not None else None
    if table is None:
        table = snapshot.venue.tables.get(pending.unit)
    try:
        claim = Claim(pending.unit, table, _text(said["event"]), _number(said["round"]), _text(said["draw"]),
                      _text(said["match"]), _text(said["a"]), _text(said["b"]))
    except (KeyError, TypeError, ValueError):
        return None
    return claim if claim.match.startswith(f"{claim.round}.") else None


def _text(value: object) -> str:
    if not isinstance(value, str) or not 0 < len(value) <= ID_LENGTH_MAX:
        raise ValueError("text")
    return value


def _number(value: object) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value < 2**53:
        raise ValueError("number")
    return value


def _number_or_none(value: object) -> int | None:
    try:
        return _number(value) or None
    except ValueError:
        return None


def _result(value: object) -> Mapping[str, Any] | None:
    """A result in the journal's own form, so that two of them are equal where they say the same."""
    if value is None:
        return None
    if not isinstance(value, dict):
        raise TypeError("result")
    return result_to_json(result_from_json(value))
