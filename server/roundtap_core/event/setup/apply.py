"""How entries about an event's making and its options change the state."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from msgspec.structs import replace

from roundtap_core.event.entries import Entry
from roundtap_core.event.played_on import played_on_from_json
from roundtap_core.event.state import EventState


def _created(state: EventState, data: Mapping[str, Any], entry: Entry) -> EventState:
    return replace(state, name=data["name"], rulebook_id=data["rulebook"], level=data["level"], color=data["color"],
                   given_options=data["options"], seed=data["seed"], about=data.get("about", {}))


def _about(state: EventState, data: Mapping[str, Any], entry: Entry) -> EventState:
    return replace(state, about=data["about"])


def _options(state: EventState, data: Mapping[str, Any], entry: Entry) -> EventState:
    return replace(state, given_options=data["options"])


def _played_on(state: EventState, data: Mapping[str, Any], entry: Entry) -> EventState:
    # An imported one says itself when it was decided.
    return replace(state, played_on=(*state.played_on, played_on_from_json(data, entry.number, entry.at.wall)))


APPLY_SETUP: Mapping[str, Callable[[EventState, Mapping[str, Any], Entry], EventState]] = {
    "event-created": _created,
    "about-set": _about,
    "options-set": _options,
    "played-on": _played_on,
}
