"""What the front panel shows: addresses, fingerprint, each event's clock and what may be pressed, calls, sticks."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from typing import Any

from roundtap_core.clock import COUNTING, IDLE, RUNNING
from roundtap_core.errors import Problem
from roundtap_core.event.seen import CLOCK, mark
from roundtap_core.event.state import EventState
from roundtap_core.words import Words
from roundtap_hub.calls import calls_of
from roundtap_hub.hall_address import hall_address
from roundtap_hub.hub import Hub
from roundtap_hub.journal.copies import AWAY
from roundtap_hub.journal.snapshot import Snapshot
from roundtap_hub.policy import POLICY, refuse_in_state
from roundtap_hub.presence import UnitStatus
from roundtap_hub.public.sheet_drawing import round_named
from roundtap_hub.public_clock import public_clock
from roundtap_hub.views.round_clock import time_of_day
from roundtap_hub.views.tables_counted import tables_counted

EVENTS_MAX, CALLS_MAX, STICKS_MAX, NAME_LETTERS = 12, 12, 4, 80

START, PAUSE, RESUME, MINUTE, CONTINUE, HOLD = "start", "pause", "resume", "minute", "continue", "hold"
"""What the panel may ask of a clock. `resume` starts one that was paused; `continue` and `hold`: after a power cut, at
what the tables counted."""


def panel_view(hub: Hub, texts: Words) -> dict[str, Any]:
    """As `server/MESSAGES.md` has it. `texts`: the hub's words in the panel's language, for the names of rounds."""
    snapshot, now_ms = hub.service.snapshot, hub.clocks.mono_ms()
    events = [state for state in snapshot.events.values()
              if not state.finished and state.id not in snapshot.venue.archived | snapshot.venue.deleted]
    # Who plays stands before who will play.
    events = sorted(events, key=lambda state: (state.live is None, not state.public_rounds))[:EVENTS_MAX]
    sticks = hub.service.copies.removable() if hub.service.copies is not None else []
    plain = hall_address(hub, f"http://localhost:{hub.plain_port or 80}/")
    return {
        "wall": time_of_day(hub.clocks.wall()), "players": plain, "console": _console(hub, plain),
        "name": f"{socket.gethostname().partition('.')[0]}.local",
        "fingerprint": hub.encrypted.fingerprint if hub.encrypted is not None else "",
        "events": [_event(hub, snapshot, state, texts, now_ms) for state in events],
        "calls": list(_calls(hub, snapshot, events))[:CALLS_MAX],
        "sticks": [{"name": each.name, "state": each.state} for each in sticks
                   if each.state != AWAY][:STICKS_MAX],
        "trouble": hub.service.storage.fails,
    }


def offers_of(hub: Hub, snapshot: Snapshot, state: EventState) -> tuple[str, ...]:
    """What may be pressed at this event's clock now: what the console offers, and in the same states."""
    try:
        refuse_in_state(snapshot, POLICY["POST /console/<event_id>/clock"], state.id)
    except Problem:
        return ()
    if state.live is None or state.clock.total_ms is None:
        return ()
    if state.clock.state == COUNTING:
        return (CONTINUE, HOLD)
    first = PAUSE if state.clock.state == RUNNING else START if state.clock.state == IDLE else RESUME
    return (first, MINUTE)


def left_after_cut_ms(hub: Hub, snapshot: Snapshot, state: EventState, now_ms: int) -> int:
    """What the tables show at this moment; what the hub last knew where none does any more."""
    counted = tables_counted(snapshot, hub.presence.units, state, now_ms)
    return counted.left_ms if counted is not None else state.clock.remaining_ms or 0


def _console(hub: Hub, plain: str) -> str:
    if hub.encrypted is None:
        return ""
    host = plain.removeprefix("http://")
    # An IPv6 address has colons of its own, in brackets.
    at = host.rfind(":")
    return f"https://{host[:at] if at > host.rfind(']') else host}:{hub.encrypted.port}"


def _event(hub: Hub, snapshot: Snapshot, state: EventState, texts: Words, now_ms: int) -> dict[str, Any]:
    played = state.live or (state.public_rounds[-1] if state.public_rounds else None)
    clock = public_clock(state, state.clock, hub.clocks.now()) if state.live is not None else None
    left_ms = None
    if clock is not None and clock["state"] == COUNTING:
        left_ms = left_after_cut_ms(hub, snapshot, state, now_ms)
    return {
        "id": state.id, "name": state.name[:NAME_LETTERS],
        "round": round_named(texts, state, played.number) if played is not None else "",
        "open": len(state.live.open_matches) if state.live is not None else 0,
        "clock": None if clock is None else {
            "state": clock["state"], "deadline_ms": clock["deadline_ms"],
            "left_ms": clock["remaining_ms"] if left_ms is None else left_ms, "total_ms": clock["total_ms"],
        },
        "offers": list(offers_of(hub, snapshot, state)), "step": mark(state, CLOCK),
    }


def _calls(hub: Hub, snapshot: Snapshot, events: list[EventState]) -> Iterator[dict[str, Any]]:
    """The oldest that nobody has taken first, then the others."""
    units = hub.presence.units
    found = [{"event": state.id, "match": call.match, "unit": "", "table": call.table, "since_ms": call.since_ms,
              "taken": call.taken_by is not None}
             for state in events for call in calls_of(snapshot, units, state)]
    at_matches = {(snapshot.venue.unit_at(each["table"]) if isinstance(each["table"], int) else None)
                  for each in found}
    found += [_of_unit(snapshot, status) for status in units.values()
              if status.call_since_ms is not None and status.unit not in at_matches]
    yield from sorted(found, key=lambda call: (call["taken"], call["since_ms"], str(call["match"])))


def _of_unit(snapshot: Snapshot, status: UnitStatus) -> dict[str, Any]:
    """A unit that calls from where nobody plays."""
    return {"event": "", "match": "", "unit": status.unit, "table": snapshot.venue.tables.get(status.unit),
            "since_ms": status.call_since_ms, "taken": status.call_taken_by is not None}
