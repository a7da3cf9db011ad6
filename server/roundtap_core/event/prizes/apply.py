"""How entries about prizes change the state."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from msgspec.structs import replace

from roundtap_core.event.entries import Entry
from roundtap_core.event.prize import DoorPrize, Prize
from roundtap_core.event.state import EventState


def _set(state: EventState, data: Mapping[str, Any], entry: Entry) -> EventState:
    return replace(state, prizes=tuple(Prize(**prize) for prize in data["prizes"]))


def _drawn(state: EventState, data: Mapping[str, Any], entry: Entry) -> EventState:
    made = DoorPrize(entry.number, data["what"], data["among"], data["again"], data["seed"], tuple(data["pool"]),
                     tuple(data["winners"]))
    return replace(state, door_prizes=(*state.door_prizes, made))


APPLY_PRIZES: Mapping[str, Callable[[EventState, Mapping[str, Any], Entry], EventState]] = {
    "prizes-set": _set,
    "door-prize-drawn": _drawn,
}
