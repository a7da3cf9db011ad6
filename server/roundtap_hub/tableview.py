"""What a table is shown: the view of its match, as public as the table itself."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from roundtap_core.clock import RUNNING, Clock
from roundtap_core.errors import Problem
from roundtap_core.event.course import match_clock, planned_in_all
from roundtap_core.event.state import CLOSED, PUBLISHED, EventState, MatchState, RoundState
from roundtap_core.forms import form_to_json
from roundtap_core.results import result_to_json
from roundtap_core.rulebooks import rulebook
from roundtap_core.wire import canonical
from roundtap_hub.hall import UnitStatus
from roundtap_hub.service import Snapshot

View = dict[str, Any]


def table_view(snapshot: Snapshot, unit: str, status: UnitStatus | None = None) -> View:
    """The view of the table where `unit` stands; without a table, or without an event, most of it is null."""
    table = snapshot.venue.tables.get(unit)
    found = find_table(snapshot, table) if table is not None else None
    call = None
    if status is not None and status.call_since_ms is not None:
        call = {"taken_by": status.call_taken_by}
    finished = [state.id for state in snapshot.events.values() if state.finished]
    if found is None:
        return {"table": table, "finished": finished, "event": None, "round": None, "match": None, "options": {},
                "form": None, "clock": clock_view(Clock()), "call": call, "next": None}
    state, round_state, match = found
    options = state.options
    return {
        "table": table,
        "finished": finished,
        "event": {"id": state.id, "name": state.name, "color": state.color, "rulebook": state.rulebook_id},
        "round": {"number": round_state.number, "of": _planned_rounds(state, round_state.number),
                  "stage": round_state.stage, "status": round_state.status} if round_state else None,
        "match": _match_view(round_state, match, snapshot.names[state.id])
        if match and round_state else None,
        "options": options,
        "form": _form(state.rulebook_id, canonical(options)),
        "clock": clock_view(match_clock(state, round_state, match) if round_state and match else state.clock),
        "call": call,
        "next": None,
    }


def find_table(snapshot: Snapshot, table: int) -> tuple[EventState, RoundState | None, MatchState | None] | None:
    """The event and match that a table belongs to now: a round in play first, then the last one that closed."""
    best: tuple[EventState, RoundState | None, MatchState | None] | None = None
    for state in snapshot.events.values():
        if state.finished:
            continue
        rounds = state.public_rounds
        latest = rounds[-1] if rounds else None
        match = next((m for m in latest.matches if m.match.table == table), None) if latest else None
        if match and latest and latest.status == PUBLISHED:
            return state, latest, match
        if best is None or (match and best[2] is None):
            best = (state, latest, match)
    return best


def _planned_rounds(state: EventState, at_least: int) -> int | None:
    """How many rounds there will be; None where an imported event is too small for its structure to say."""
    try:
        return max(planned_in_all(state), at_least)
    except Problem:
        return None


@lru_cache(maxsize=16)
def _form(rulebook_id: str, options: bytes) -> View:
    """The form as it travels; the same for every table of an event, and nobody changes it."""
    return form_to_json(rulebook(rulebook_id).form(json.loads(options)))


def _match_view(round_state: RoundState, match: MatchState, names: Mapping[str, str]) -> View:
    standing = match.match.result
    return {
        "id": match.id,
        "revision": match.revision,
        "a": {"name": names[match.match.a]},
        "b": {"name": names[match.match.b]} if match.match.b else None,
        "state": CLOSED if round_state.status == CLOSED else match.state,
        "reports": {
            side: result_to_json(match.reports[side].result) if side in match.reports else None
            for side in ("a", "b")
        },
        "last": max(match.reports, key=lambda side: match.reports[side].number) if match.reports else None,
        "result": result_to_json(standing) if standing else None,
        "number": match.number,
    }


def clock_view(clock: Clock) -> View:
    """The clock as it travels: a running one as a deadline on the hub's monotonic clock, so that it needs no resend."""
    deadline_ms = None
    if clock.state == RUNNING and clock.remaining_ms is not None:
        deadline_ms = clock.anchor.mono_ms + clock.remaining_ms
    return {"state": clock.state, "deadline_ms": deadline_ms, "remaining_ms": clock.remaining_ms,
            "total_ms": clock.total_ms}
