"""How entries about results change the state: reports, officials' words, who did not appear, squads at a bye."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from roundtap_core.event.entries import Entry
from roundtap_core.event.people.apply import with_missed
from roundtap_core.event.state import EventState, Fate, Reported
from roundtap_core.records import NO_SHOW, Match, Side
from roundtap_core.result_json import result_from_json


def _report(state: EventState, data: Mapping[str, Any], entry: Entry) -> EventState:
    fate = Fate(data["fate"], entry.number, entry.hash, data["body"], data["reason"], data["match"])
    state = replace(state, fates={**state.fates, data["report_id"]: fate})
    if fate.fate != "accepted":
        return replace(state, late=(*state.late, fate)) if fate.reason == "late" else state
    found = state.find_match(data["match"])
    if found is None:
        return state
    match = found[1]
    side: Side = data["side"]
    result = result_from_json(data["result"])
    reports = {**match.reports, side: Reported(result, entry.number)}
    changed = replace(match, reports=reports, reported_mono_ms=entry.at.mono_ms)
    said = [report.result for report in reports.values()]
    if len(said) == 2 and said[0] == said[1] and not match.decided:
        changed = replace(changed, match=replace(match.match, result=result), number=entry.number)
    return state.with_match(changed)


def _result_entered(state: EventState, data: Mapping[str, Any], entry: Entry) -> EventState:
    found = state.find_match(data["match"])
    if found is None:
        return state
    match = found[1]
    result = result_from_json(data["result"]) if data["result"] is not None else None
    before = match.match.result
    changed = replace(match, match=replace(match.match, result=result), reports={}, revision=match.revision + 1,
                      decided=result is not None, number=entry.number, reported_mono_ms=None,
                      stood=match.stood if before in (None, result) else before)
    return state.with_match(changed)


def _no_show(state: EventState, data: Mapping[str, Any], entry: Entry) -> EventState:
    """The one who came gets what a bye gives; the absent one stands in an entry of their own, and is dropped."""
    found = state.find_match(data["match"])
    if found is None:
        return state
    round_state, match = found
    present, absent = data["present"], data["absent"]
    changed = replace(match, match=Match(present, table=None, bye=NO_SHOW, game=match.match.game), reports={},
                      revision=match.revision + 1, number=entry.number)
    state = with_missed(state.with_match(changed), absent, [round_state.number])
    entrant = replace(state.entrants[absent], dropped_after=round_state.number)
    return replace(state, entrants={**state.entrants, absent: entrant})


def _lot(state: EventState, data: Mapping[str, Any], entry: Entry) -> EventState:
    found = state.find_match(data["match"])
    if found is None:
        return state
    return state.with_match(replace(found[1], lots={**found[1].lots, data["about"]: data["side"]}))


def _picks(state: EventState, data: Mapping[str, Any], entry: Entry) -> EventState:
    found = state.find_match(data["match"])
    if found is None:
        return state
    return state.with_match(replace(found[1], match=replace(found[1].match, picks=tuple(data["picks"]))))


APPLY_RESULTS: Mapping[str, Callable[[EventState, Mapping[str, Any], Entry], EventState]] = {
    "report": _report,
    "result-entered": _result_entered,
    "no-show": _no_show,
    "lot-drawn": _lot,
    "picks-set": _picks,
}
