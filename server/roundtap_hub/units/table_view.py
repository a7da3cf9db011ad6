"""The view of a table's match for its unit, as public as the table itself."""

import json
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Any

from roundtap_core.clock import Clock, Instant
from roundtap_core.errors import Problem
from roundtap_core.event.event_flow import match_clock, swiss_rounds_after, total_planned_rounds
from roundtap_core.event.states import CLOSED, DISPUTE, ONE_PHONE, EventState, MatchState, RoundState
from roundtap_core.forms.form import form_to_json
from roundtap_core.records import SIDES, Side
from roundtap_core.result_json import result_to_json
from roundtap_core.rulebooks.base import MatchSituation
from roundtap_core.rulebooks.registry import rulebook
from roundtap_core.wire import canonical_json
from roundtap_hub.store.restore_gap import lacks_round_of
from roundtap_hub.store.service import Snapshot
from roundtap_hub.views.before_play import pre_game_choice, situation_at
from roundtap_hub.views.player_requests import call_of_unit, taker_name, wishes_of_unit
from roundtap_hub.views.round_clock import clock_view, public_clock
from roundtap_hub.views.tables import Found, find_table, side_view
from roundtap_hub.views.unit_status import UnitStatus

View = dict[str, Any]


def table_view(
    snapshot: Snapshot,
    unit: str,
    status: UnitStatus | None = None,
    now: Instant | None = None,
    reported: Iterable[str] = (),
) -> View:
    """The view of the table where `unit` stands; without a table, or without an event, most of it is null. `now`
    decides whether hidden extra minutes are over: players can read what a table receives. `reported`: events of which
    the unit keeps reports; the finished ones are listed, so that it may delete them. `device_feed.table_changes` has to
    cover everything else that the view depends on."""
    table = snapshot.venue.tables.get(unit)
    found = find_table(snapshot, table) if table is not None else None
    call, closed, asked, refused = own_requests(snapshot, unit, status, found)
    finished = sorted(event for event in reported if is_finished(snapshot, event))
    lost = lacks_round_of(snapshot, unit)
    if found is None:
        return {
            "table": table,
            "finished": finished,
            "event": None,
            "round": None,
            "match": None,
            "options": {},
            "situation": None,
            "rounds_left": None,
            "form": None,
            "clock": clock_view(Clock()),
            "call": call,
            "call_closed": closed,
            "call_ms": status.call_ms if status is not None else 0,
            "leave_refused": refused,
            "leave_asked": asked,
            "next": None,
            "lost_round": lost,
        }
    state, round_state, match = found
    options = state.options
    situation = MatchSituation()
    if round_state and match:
        situation = situation_at(state, snapshot.people.get(state.id, {}), round_state, match)
    return {
        "table": table,
        "finished": finished,
        "event": {"id": state.id, "name": state.name, "color": state.color, "rulebook": state.rulebook_id},
        "round": {
            "number": round_state.number,
            "of": _planned_rounds(state, round_state.number),
            "stage": round_state.stage,
            "status": round_state.status,
        }
        if round_state
        else None,
        "match": _match_view(state, round_state, match, snapshot.names[state.id]) if match and round_state else None,
        "options": options,
        "situation": _situation_view(situation),
        "rounds_left": swiss_rounds_after(state, round_state.number) if round_state else None,
        "form": _form(state.rulebook_id, canonical_json(options), situation),
        "clock": public_clock(
            state, match_clock(state, round_state, match) if round_state and match else state.clock, now
        ),
        "call": call,
        "call_closed": closed,
        "call_ms": status.call_ms if status is not None else 0,
        "leave_refused": refused,
        "leave_asked": asked,
        "next": None,
        "lost_round": lost,
    }


def is_finished(snapshot: Snapshot, event_id: str) -> bool:
    """Whether this hub knows the event and it is over: only then a unit may delete its reports."""
    if event_id in snapshot.venue.deleted:
        return True
    line = snapshot.events.get(event_id) or snapshot.dormant.get(event_id)
    return line is not None and line.finished


def own_requests(
    snapshot: Snapshot, unit: str, status: UnitStatus | None, found: Found | None
) -> tuple[View | None, bool, list[Side], list[Side]]:
    """What was asked for at this unit: `call`, whether it is settled though the unit still calls, and the sides
    whose wish to drop is recorded, or was refused."""
    call: View | None = None
    if (called := call_of_unit(snapshot, unit)) is not None:
        call = {"taken_by": taker_name(snapshot, called[2].taken_by) or None}
    elif status is not None and status.call_since_ms is not None:
        call = {"taken_by": status.call_taken_by}
    settled = call is None and status is not None and status.call_known
    wishes = wishes_of_unit(found[0], found[2], unit) if found is not None and found[2] is not None else {}
    refused = [side for side, wish in wishes.items() if wish.refused]
    return call, settled, [side for side in wishes if side not in refused], refused


def _planned_rounds(state: EventState, at_least: int) -> int | None:
    """The number of planned rounds; None where an imported event is too small for its structure."""
    try:
        return max(total_planned_rounds(state), at_least)
    except Problem:
        return None


def _situation_view(situation: MatchSituation) -> View:
    houses = (
        None
        if situation.houses is None
        else {side: list(own) for side, own in zip(SIDES, situation.houses, strict=True)}
    )
    return {"stage": situation.stage, "totals": dict(zip(SIDES, situation.totals, strict=True)), "houses": houses}


@lru_cache(maxsize=256)
def _form(rulebook_id: str, options: bytes, situation: MatchSituation) -> View:
    """The form as JSON; one shared object for all tables in the same situation, never changed."""
    return form_to_json(rulebook(rulebook_id).form(json.loads(options), situation))


def _match_view(state: EventState, round_state: RoundState, match: MatchState, names: Mapping[str, str]) -> View:
    standing = match.match.result
    return {
        "id": match.id,
        "revision": match.revision,
        "draw": round_state.mark,
        "a": {"id": match.match.a, **side_view(state, round_state, match.match.a, names)},
        "b": {"id": match.match.b, **side_view(state, round_state, match.match.b, names)} if match.match.b else None,
        "state": CLOSED if round_state.status == CLOSED else DISPUTE if match.state == ONE_PHONE else match.state,
        "reports": {
            side: result_to_json(match.reports[side].result) if side in match.reports else None for side in ("a", "b")
        },
        "last": max(match.reports, key=lambda side: match.reports[side].number) if match.reports else None,
        "heard": {side: match.heard.get(side, 0) for side in SIDES},
        "said": {
            side: {"report_id": sent.report_id, "hash": sent.body} if (sent := match.reports.get(side)) else None
            for side in SIDES
        },
        "result": result_to_json(standing) if standing else None,
        "second": result_to_json(match.second) if match.second else None,
        "number": match.number,
        "lots": dict(match.lots),
        "before_play": _before_play(state, round_state, match),
        "corrected": match.corrected,
    }


def _before_play(state: EventState, round_state: RoundState, match: MatchState) -> View | None:
    found = pre_game_choice(state, round_state, match)
    return None if found is None else {"about": found.about, "side": found.side, "lot": found.lot}
