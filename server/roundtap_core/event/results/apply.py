"""How entries about results change the state: reports, officials' words, who did not appear, squads at a bye."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from msgspec.structs import replace

from roundtap_core.event.entries import Entry
from roundtap_core.event.fates import Fates
from roundtap_core.event.match_log import RULING as RULING_LINE
from roundtap_core.event.match_log import LogLine
from roundtap_core.event.people.apply import with_entrant, with_missed, without_missed
from roundtap_core.event.state import PLAYS_ON, EventState, Fate, Reported
from roundtap_core.records import NO_SHOW, RULING, Match, Result, Side
from roundtap_core.result_json import result_from_json, result_to_json


def _report(state: EventState, data: Mapping[str, Any], entry: Entry) -> EventState:
    fate = Fate(data["fate"], entry.number, entry.hash, data["body"], data["reason"], data["match"])
    fates = Fates.of(state.fates).with_fate(data["report_id"], fate)
    found = state.find_match(data["match"]) if fate.fate == "accepted" or fate.reason == "elsewhere" else None
    if found is None:
        return replace(state, fates=fates)
    match = found[1]
    if fate.fate != "accepted":
        strangers = {**match.strangers, entry.actor.removeprefix("unit:"): entry.number}
        return state.with_match(replace(match, strangers=strangers), fates=fates)
    side: Side = data["side"]
    result = result_from_json(data["result"])
    said_now = Reported(result, entry.number, data["report_id"], data["body"], data.get("holder"))
    reports = _with_each_s_squads({**match.reports, side: said_now})
    result = reports[side].result
    heard = {**match.heard, side: data["serial"]} if data.get("serial") else match.heard
    said = [report.result for report in reports.values()]
    # Entries of cores before this one say no serial: with them, a second agreement replaced the first.
    stands = match.match.result if "serial" in data else None
    one_phone = stands is None and replace(match, reports=reports).one_phone
    if len(said) == 2 and said[0] == said[1] and not match.decided and stands in (None, result) and not one_phone:
        agreed = replace(match.match, result=result)
        match = replace(match, reports=reports, heard=heard, reported_mono_ms=entry.at.mono_ms, match=agreed,
                        number=entry.number)
    else:
        match = replace(match, reports=reports, heard=heard, reported_mono_ms=entry.at.mono_ms)
    return state.with_match(match, fates=fates)


def _with_each_s_squads(reports: Mapping[Side, Reported]) -> Mapping[Side, Reported]:
    """What a side has left unsaid of the other's squads is what the other says of its own, once all else is the same:
    before that, each may still say others."""
    first, *others = (replace(said.result, picks=None) for said in reports.values())
    if any(result != first for result in others):
        return reports
    own: dict[str, list[int]] = {
        side: squads for side, said in reports.items() if (squads := (said.result.picks or {}).get(side))}
    return {side: replace(said, result=replace(said.result, picks={**own, **said.result.picks}))
            if said.result.picks else said for side, said in reports.items()}


def _strangers_settled(state: EventState, data: Mapping[str, Any], entry: Entry) -> EventState:
    found = state.find_match(data["match"])
    if found is None:
        return state
    left = {unit: number for unit, number in found[1].strangers.items() if number > data["seen"]}
    return state.with_match(replace(found[1], strangers=left))


def _result_entered(state: EventState, data: Mapping[str, Any], entry: Entry) -> EventState:
    found = state.find_match(data["match"])
    if found is None:
        return state
    match = found[1]
    result = result_from_json(data["result"]) if data["result"] is not None else None
    before, corrections = match.match.result, match.corrections
    if before is not None and result != before:
        # By what stood before it later rounds were drawn, up to the newest that anybody had seen.
        corrections = (*corrections, {"was": result_to_json(before), "by": entry.actor,
                                      "after_round": state.public_rounds[-1].number,
                                      **({"reason": data["reason"]} if data.get("reason") else {})})
    now = replace(match, match=replace(match.match, result=result), reports={}, revision=match.revision + 1,
                  decided=result is not None, number=entry.number, reported_mono_ms=None, corrections=corrections,
                  strangers={}, by_leaving=data.get("left", False),
                  stood=match.stood if before in (None, result) else before)
    if data.get("reason"):
        line = LogLine(RULING_LINE, entry.number, entry.actor.partition(":")[0], data["reason"])
        now = replace(now, log=(*now.log, line))
    return state.with_match(now)


def _no_show(state: EventState, data: Mapping[str, Any], entry: Entry) -> EventState:
    """The one who came gets what a bye gives; the absent one stands in an entry of their own, and is dropped."""
    found = state.find_match(data["match"])
    if found is None:
        return state
    round_state, match = found
    present, absent = data["present"], data["absent"]
    alone = Match(present, table=None, bye=NO_SHOW, game=match.match.game, absent=absent)
    now = replace(match, match=alone, reports={}, revision=match.revision + 1, number=entry.number,
                  drawn=match.match)
    state = with_missed(state.with_match(now), absent, [round_state.number])
    return with_entrant(state, absent, dropped_after=round_state.number)


def _nobody_came(state: EventState, data: Mapping[str, Any], entry: Entry) -> EventState:
    """Both lose by a ruling, and both are dropped."""
    found = state.find_match(data["match"])
    if found is None:
        return state
    round_state, match = found
    both = match.match
    now = replace(match, match=replace(both, result=Result(ended=RULING, winner="none")), reports={},
                  revision=match.revision + 1, decided=True, number=entry.number, drawn=both)
    state = state.with_match(now)
    for who in (both.a, both.b):
        if who is not None:
            state = with_entrant(state, who, dropped_after=round_state.number)
    return state


def _no_show_undone(state: EventState, data: Mapping[str, Any], entry: Entry) -> EventState:
    """The match as it was drawn, with another revision: a table that saw the absence looks again."""
    found = state.find_match(data["match"])
    if found is None or found[1].drawn is None:
        return state
    round_state, match = found
    drawn, alone = found[1].drawn, match.match.b is None
    restored = replace(match, match=replace(drawn, table=data["table"]), reports={}, decided=False,
                       revision=match.revision + 1, number=entry.number, reported_mono_ms=None, drawn=None)
    state = state.with_match(restored)
    for who in data["absent"]:
        # Who wished to leave after this round still does.
        goes = state.entrants[who].how_left == PLAYS_ON
        state = with_entrant(state, who, dropped_after=round_state.number if goes else None)
        if alone:
            state = without_missed(state, who, round_state.number)
    return state


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
    "strangers-settled": _strangers_settled,
    "result-entered": _result_entered,
    "no-show": _no_show,
    "lot-drawn": _lot,
    "nobody-came": _nobody_came,
    "no-show-undone": _no_show_undone,
    "picks-set": _picks,
}
