"""How entries about officials, and of what they do, change the state."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from msgspec.structs import replace

from roundtap_core.event.entries import Entry
from roundtap_core.event.match_log import APPEAL, DECISION, EXTENSION, RULING, LogLine
from roundtap_core.event.official import Official
from roundtap_core.event.people.apply import with_entrant
from roundtap_core.event.state import EventState


def _officials(state: EventState, data: Mapping[str, Any], entry: Entry) -> EventState:
    """Who was off duty stays so. What an official is to the event stands beside the competitor, too."""
    off_duty = {o.id for o in state.officials.values() if not o.on_duty}
    officials = {
        raw["id"]: Official(raw["id"], raw["role"], raw["digest"], raw["second"], raw["plays"],
                            raw["id"] not in off_duty)
        for raw in data["officials"]
    }
    roles = {o.plays: o.role for o in officials.values() if o.plays is not None}
    entrants = {
        e.id: e if e.officials_role == roles.get(e.id) else replace(e, officials_role=roles.get(e.id))
        for e in state.entrants.values()
    }
    return replace(state, officials=officials, entrants=entrants)


def _duty(state: EventState, data: Mapping[str, Any], entry: Entry) -> EventState:
    changed = replace(state.officials[data["official"]], on_duty=data["on"])
    return replace(state, officials={**state.officials, changed.id: changed})


def _warned(state: EventState, data: Mapping[str, Any], entry: Entry) -> EventState:
    known = state.entrants[data["competitor"]].warnings
    return with_entrant(state, data["competitor"],
                        warnings=(*known, {"round": data["round"], "reason": data["reason"], "by": data["by"]}))


def _proposed(state: EventState, data: Mapping[str, Any], entry: Entry) -> EventState:
    return with_entrant(state, data["competitor"], proposed={"reason": data["reason"], "by": data["by"]})


def _declined(state: EventState, data: Mapping[str, Any], entry: Entry) -> EventState:
    return with_entrant(state, data["competitor"], proposed=None, declined_at=data["warnings"])


def _disqualified(state: EventState, data: Mapping[str, Any], entry: Entry) -> EventState:
    return with_entrant(state, data["competitor"], disqualified_after=data["after"], proposed=None,
                        disqualification={"reason": data["reason"], "by": data["by"]})


def _ruling(state: EventState, data: Mapping[str, Any], entry: Entry) -> EventState:
    return _logged(state, data["match"], LogLine(RULING, entry.number, data["by"], data["text"]))


def _appeal(state: EventState, data: Mapping[str, Any], entry: Entry) -> EventState:
    return _logged(state, data["match"], LogLine(APPEAL, entry.number, data["competitor"]))


def _decision(state: EventState, data: Mapping[str, Any], entry: Entry) -> EventState:
    return _logged(state, data["match"], LogLine(DECISION, entry.number, data["by"], data["text"], data["upheld"]))


def _extension(state: EventState, data: Mapping[str, Any], entry: Entry) -> EventState:
    """Given, or the last one taken back. (Lines that came with an event's file all have the number of one entry.)"""
    found = state.find_match(data["match"])
    if found is None:
        return state
    log, minutes = found[1].log, data["minutes"]
    if entry.kind == "extension-taken-back":
        last = max((place for place, line in enumerate(log) if line.kind == EXTENSION), default=-1)
        log, minutes = tuple(line for place, line in enumerate(log) if place != last), -minutes
    else:
        log = (*log, LogLine(EXTENSION, entry.number, data["by"], minutes=minutes))
    longer = replace(found[1].match, extension_minutes=(found[1].match.extension_minutes or 0) + minutes or None)
    return state.with_match(replace(found[1], match=longer, log=log))


def _logged(state: EventState, match_id: str, line: LogLine) -> EventState:
    found = state.find_match(match_id)
    return state if found is None else state.with_match(replace(found[1], log=(*found[1].log, line)))


APPLY_JUDGING: Mapping[str, Callable[[EventState, Mapping[str, Any], Entry], EventState]] = {
    "officials-set": _officials,
    "official-duty": _duty,
    "competitor-warned": _warned,
    "disqualification-proposed": _proposed,
    "proposal-declined": _declined,
    "competitor-disqualified": _disqualified,
    "ruling-noted": _ruling,
    "appeal-made": _appeal,
    "appeal-decided": _decision,
    "extension-granted": _extension,
    "extension-taken-back": _extension,
}
