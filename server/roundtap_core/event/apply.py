"""event = apply(event, entry): how each kind of entry changes the state. Nothing here refuses, draws, or reads time."""

from collections.abc import Callable, Mapping
from typing import Any

from msgspec.structs import force_setattr, replace

from roundtap_core.errors import Problem
from roundtap_core.event.cut import APPLY_CUT
from roundtap_core.event.entries import Entry
from roundtap_core.event.judging import APPLY_JUDGING
from roundtap_core.event.lookups import Step
from roundtap_core.event.mending import APPLY_MENDING
from roundtap_core.event.people import APPLY_PEOPLE
from roundtap_core.event.prizes import APPLY_PRIZES
from roundtap_core.event.requests import APPLY_REQUESTS, without_settled
from roundtap_core.event.results import APPLY_RESULTS
from roundtap_core.event.rounds import APPLY_ROUNDS
from roundtap_core.event.setup import APPLY_SETUP
from roundtap_core.event.states import EventState

Upcaster = Callable[[Mapping[str, Any]], Mapping[str, Any]]

UPCASTERS: Mapping[tuple[str, int], Upcaster] = {}
"""(kind, version) → its data as the next version's. None yet: every kind is at version 1."""

APPLY: Mapping[str, Step] = {
    **APPLY_SETUP,
    **APPLY_PEOPLE,
    **APPLY_ROUNDS,
    **APPLY_RESULTS,
    **APPLY_CUT,
    **APPLY_JUDGING,
    **APPLY_MENDING,
    **APPLY_PRIZES,
    **APPLY_REQUESTS,
}


def apply(state: EventState, entry: Entry) -> EventState:
    """The state after `entry`. Raises Problem("unknown_entry") for a kind this core does not know: an older core
    must not run an event whose facts it cannot read."""
    step = APPLY.get(entry.kind)
    if step is None:
        raise Problem("unknown_entry", where=f"{entry.stream}#{entry.number}", kind=entry.kind)
    data, version = entry.data, entry.version
    while (entry.kind, version) in UPCASTERS:
        data, version = UPCASTERS[entry.kind, version](data), version + 1
    after = step(state, data, entry)
    if after is state:
        return replace(state, number=entry.number, head=entry.hash)
    if after.calls or after.wishes:
        after = without_settled(state, after, entry)
    # Just made and not shared yet: it can be changed in place without copying its fields again.
    force_setattr(after, "number", entry.number)
    force_setattr(after, "head", entry.hash)
    return after
