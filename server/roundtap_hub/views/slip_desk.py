"""Slips at the desk: what was said of a match before its slip came, which slips are missing, where people sit now."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from roundtap_core.event.state import EventState, MatchState
from roundtap_core.records import Result
from roundtap_core.result_json import result_to_json
from roundtap_hub.printing.slip_marks import slip_codes
from roundtap_hub.printing.slip_search import OldSlip
from roundtap_hub.views.event_at import EventAt, full_names, seats
from roundtap_hub.views.tables import ShownResult, show_result


@dataclass(frozen=True, slots=True)
class Said:
    """What is known of a match already: `name` says it, or nobody in particular where it is on record."""

    name: str
    result: Result
    shown: ShownResult


def said_before(match: MatchState, state: EventState, names: Mapping[str, str]) -> list[Said]:
    """The result on record, and what both agreed to since; else what either side has reported."""
    if match.match.result is not None:
        found = [("", match.match.result), *([("", match.second)] if match.second else [])]
    else:
        found = [(names.get(match.match.competitor(side) or "", ""), said.result)
                 for side, said in sorted(match.reports.items())]
    return [Said(name, result, show_result(result, state)) for name, result in found]


def agrees(known: Result, slip: Result) -> bool:
    """Whether a slip says nothing else: who won by which figures, and of all else what it has a place for."""
    on_record = result_to_json(known)
    return all(on_record.get(key) == value for key, value in result_to_json(slip).items())


@dataclass(frozen=True, slots=True)
class MissingSlip:
    """A match of the newest round without a result, by its code."""

    match_id: str
    table: int | None
    code: str
    a: str
    b: str


def missing_slips(moment: EventAt) -> list[MissingSlip]:
    """By table; of earlier rounds nothing is missing."""
    state, names = moment.state, full_names(moment)
    live = state.live
    if live is None:
        return []
    codes = slip_codes(state, live)
    return sorted((MissingSlip(m.id, m.match.table, codes[m.id], names[m.match.a], names[m.match.b])
                   for m in live.open_matches if m.match.b is not None), key=lambda one: one.table or 0)


@dataclass(frozen=True, slots=True)
class SeatNow:
    """Where somebody of an old slip sits in the newest round."""

    name: str
    match_id: str
    table: int | None
    across: str


def seats_now(moment: EventAt, old: OldSlip) -> list[SeatNow]:
    """Of both who stand on the slip, where its round is the newest; a later one's tables would not help."""
    rounds, names = moment.state.public_rounds, full_names(moment)
    if not rounds or rounds[-1].number != old.round:
        return []
    found: dict[str, SeatNow] = {}
    for who in (old.a, old.b):
        match = seats(moment).get(who or "")
        if who and match is not None and match.match.b is not None:
            across = match.match.b if match.match.a == who else match.match.a
            found[match.id] = SeatNow(names[who], match.id, match.match.table, names[across])
    return list(found.values())
