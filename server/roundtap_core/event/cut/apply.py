"""How the cut's entries change the state."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from msgspec.structs import replace

from roundtap_core.elimination.cut import Cut
from roundtap_core.event.entries import Entry
from roundtap_core.event.state import EventState


def _made(state: EventState, data: Mapping[str, Any], entry: Entry) -> EventState:
    return replace(state, cut=Cut(data["size"], tuple(data["order"]), tuple(data["seeds"])))


def _withdrawn(state: EventState, data: Mapping[str, Any], entry: Entry) -> EventState:
    return replace(state, cut=None)


def _accepted(state: EventState, data: Mapping[str, Any], entry: Entry) -> EventState:
    if state.cut is None:
        return state
    return replace(state, cut=replace(state.cut, seeds=(*state.cut.seeds, data["competitor"])))


def _declined(state: EventState, data: Mapping[str, Any], entry: Entry) -> EventState:
    if state.cut is None:
        return state
    return replace(state, cut=replace(state.cut, declined=(*state.cut.declined, data["competitor"])))


def _passed_over(state: EventState, data: Mapping[str, Any], entry: Entry) -> EventState:
    if state.cut is None:
        return state
    return replace(state, cut=replace(state.cut, absent=tuple(data["absent"])))


APPLY_CUT: Mapping[str, Callable[[EventState, Mapping[str, Any], Entry], EventState]] = {
    "cut-made": _made,
    "cut-withdrawn": _withdrawn,
    "place-accepted": _accepted,
    "place-declined": _declined,
    "absent-passed-over": _passed_over,
}
