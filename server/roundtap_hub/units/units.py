"""Console pages and forms for units: enrolment, keys, tables, calls and wishes to leave."""

from __future__ import annotations

from typing import Any

from flask import g, redirect, request, url_for
from werkzeug.wrappers import Response as AnyResponse

from roundtap_core.errors import Problem
from roundtap_hub.access.policy import HEADS, JUDGES, ORGANIZERS, VISIBLE, route
from roundtap_hub.access.rights import unit_placed_entry
from roundtap_hub.events.console import event
from roundtap_hub.rounds.tables import out_of_contact
from roundtap_hub.serving import page_helpers
from roundtap_hub.units.enrolment import parse_typed_code
from roundtap_hub.units.unit_keys import ROLES, TABLE
from roundtap_hub.units.unit_list import key_rows


@route("GET /console/units", ORGANIZERS)
def unit_list(shown: str = "", key: bytes = b"") -> AnyResponse:
    """Every unit with a key: role, table, last contact, troubles. `shown`: the unit whose new `key` is shown; a reload
    does not show it again."""
    if shown:
        g.address = url_for("console.unit_list")
    return page_helpers.page("units.html",
                             rows=key_rows(page_helpers.current_hub(), page_helpers.current_snapshot(),
                                           page_helpers.current_units(), page_helpers.now_ms()), roles=ROLES,
                shown=shown,
                key=key.hex())


@route("POST /console/units/add", ORGANIZERS)
@page_helpers.shows_problem_on(unit_list)
def add_unit() -> AnyResponse:
    """Add a unit; its key is shown only in this answer."""
    unit = page_helpers.field("unit")
    return unit_list(unit,
                     page_helpers.current_hub().units.keys.add(unit, page_helpers.field("role", TABLE),
                                                               page_helpers.actor()))


@route("POST /console/units/replace", ORGANIZERS)
@page_helpers.shows_problem_on(unit_list)
def replace_key() -> AnyResponse:
    """A new key for a unit; the previous one becomes invalid."""
    unit = page_helpers.field("unit")
    return unit_list(unit, page_helpers.current_hub().units.keys.replace(unit, page_helpers.actor()))


@route("POST /console/units/revoke", ORGANIZERS)
@page_helpers.shows_problem_on(unit_list)
def revoke_key() -> AnyResponse:
    """Revoke a unit's key and take the unit from its table."""
    page_helpers.current_hub().units.keys.revoke(page_helpers.field("unit"), page_helpers.actor())
    return redirect(url_for("console.unit_list"), 303)


@route("POST /console/units/seen", ORGANIZERS)
@page_helpers.shows_problem_on(unit_list)
def unit_seen() -> AnyResponse:
    """Clear a unit's troubles; they are shown again when they happen again."""
    page_helpers.current_hub().units.troubles.acknowledge(page_helpers.field("unit"))
    return redirect(url_for("console.unit_list"), 303)


@route("POST /console/units/identify", ORGANIZERS)
@page_helpers.shows_problem_on(unit_list)
def identify_unit() -> AnyResponse:
    """Make a table unit blink and show its name for some seconds. `event`: the console to return to."""
    unit, event_id = page_helpers.field("unit"), page_helpers.field("event")
    if not page_helpers.current_hub().presence.identify(unit):
        raise Problem("unit_silent", unit=unit[:40])
    if event_id:
        page_helpers.current_event(event_id)
        return redirect(url_for("console.units", event_id=event_id), 303)
    return redirect(url_for("console.unit_list", _anchor=f"unit-{unit}"), 303)


@route("POST /console/<event_id>/units", HEADS, VISIBLE)
@page_helpers.shows_problem_on(event)
def place_unit(event_id: str) -> AnyResponse:
    """Put a unit at a table; without a number, at none. The unit that stood there then stands at none."""
    hub, unit, table = page_helpers.current_hub(), page_helpers.field("unit"), page_helpers.typed_table("table")
    if unit not in {*hub.units.keys, *hub.presence.units, *page_helpers.current_snapshot().venue.tables}:
        raise Problem("unknown_unit", unit=unit[:40])
    page_helpers.add_venue_entry(unit_placed_entry(unit, table))
    return page_helpers.back_to_event(event_id, "units")


@route("POST /console/<event_id>/call", JUDGES, VISIBLE)
@page_helpers.shows_problem_on(event)
def take_call(event_id: str) -> AnyResponse:
    """Take a call: the table's screen shows who is on the way. `unit`: for a call from a table without a match."""
    if page_helpers.field("match"):
        page_helpers.current_hub().hall.calls.take(event_id, page_helpers.field("match"), page_helpers.staff_name())
    else:
        page_helpers.current_hub().presence.take_call(page_helpers.field("unit"), page_helpers.staff_name())
    return page_helpers.back_to_event(event_id)


@route("POST /console/<event_id>/call/settled", JUDGES, VISIBLE)
@page_helpers.shows_problem_on(event)
def close_call(event_id: str) -> AnyResponse:
    """Settle the call that the judge saw: the table's screen returns to its match."""
    since = page_helpers.whole_number("since")
    if page_helpers.field("match"):
        page_helpers.current_hub().hall.calls.close_shown(event_id, page_helpers.field("match"), since)
    else:
        page_helpers.current_hub().presence.close_call(page_helpers.field("unit"), since)
    return page_helpers.back_to_event(event_id)


@route("POST /console/<event_id>/leave/refused", HEADS, VISIBLE)
@page_helpers.shows_problem_on(event)
def refuse_leave(event_id: str) -> AnyResponse:
    """Refuse a wish to leave; the table shows that."""
    page_helpers.current_hub().hall.leave_requests.refuse(event_id, page_helpers.field("who"))
    return page_helpers.back_to_event(event_id)


def pending_unit_rows() -> list[dict[str, Any]]:
    """The waiting units, in the order of their arrival. `number`: before the code; None while it shows none.
    `known_as`: its previous name."""
    room, known = page_helpers.current_hub().units.enrolment.room, page_helpers.current_snapshot().venue.unit_ids
    return [{"mark": each.mark, "number": each.number, "kind": each.kind, "address": each.address,
             "age_ms": max(0, page_helpers.now_ms() - each.since_ms),
             "known_as": known.get(each.unit_id, ""), "stopped": each.stopped,
             "identified": room.is_identifying(each)} for each in room.listed()]


def enrol_step(table: int | None) -> dict[str, Any]:
    """The requested table, else the first one without a unit. `stands`: the unit that is there already; `before`,
    `after`: the neighbouring tables; `homeless`: units with a key and no table yet."""
    keys, tables = page_helpers.current_hub().units.keys, page_helpers.current_snapshot().venue.tables
    at = {number: unit for unit, number in tables.items()}
    current = table or next_free_table(0)
    return {"table": current, "stands": at.get(current, ""), "before": current - 1 if current > 1 else None,
            "after": current + 1 if current < page_helpers.MOST_TABLES else None,
            "homeless": sorted(unit for unit in keys if keys.role(unit) == TABLE and unit not in tables)}


def next_free_table(after: int) -> int:
    """The next table without a unit."""
    taken = set(page_helpers.current_snapshot().venue.tables.values())
    return next((number for number in range(after + 1, page_helpers.MOST_TABLES + 1) if number not in taken),
                page_helpers.MOST_TABLES)


def redirect_to_next(table: int | None, unit: str) -> AnyResponse:
    """Redirect to the next free table after this unit's."""
    return redirect(url_for("console.enrol", table=next_free_table(table or 0), done=unit, at=table or ""), 303)


def unsaved_on_unit(unit: str) -> dict[str, Any]:
    """What may be lost with a replaced unit, by its last status. `waiting`: unanswered reports on its disk; `silent`:
    whether it is out of contact."""
    status = page_helpers.current_units().get(unit)
    if status is None or not status.contact_ms:
        return {"waiting": 0, "silent": True}
    return {"waiting": status.waiting, "silent": out_of_contact(status, page_helpers.now_ms())}


@route("GET /console/units/enrol", ORGANIZERS)
def enrol(**_: Any) -> AnyResponse:
    """The page with a field for the code of the unit at this table, or of the one that replaces another."""
    hub, fields = page_helpers.current_hub(), request.form if request.method == "POST" else request.args
    replace, number = fields.get("replace", ""), fields.get("table", "")
    is_number = number.isascii() and number.isdigit()
    table = int(number) if is_number and 0 < int(number) <= page_helpers.MOST_TABLES else None
    if replace not in hub.units.keys:
        replace = ""
    return page_helpers.page("enrol.html", replace=replace, role=hub.units.keys.role(replace) or TABLE,
                held=unsaved_on_unit(replace) if replace else None,
                step=enrol_step(table), waiting=pending_unit_rows(),
                done=request.args.get("done", "")[:40], at=request.args.get("at", "")[:3])


@route("POST /console/units/enrol", ORGANIZERS)
@page_helpers.shows_problem_on(enrol)
def enrol_code() -> AnyResponse:
    """Try the code once, with the unit that shows it; then continue with the next table."""
    replace, table = page_helpers.field("replace"), page_helpers.typed_table("table")
    made = page_helpers.current_hub().units.enrolment.enrol(
        parse_typed_code(page_helpers.field("code")), page_helpers.actor(), None if replace else table, replace,
        page_helpers.field("mark"))
    if replace:
        return redirect(url_for("console.unit_list", _anchor=f"unit-{made.unit}"), 303)
    return redirect_to_next(table, made.unit)


@route("POST /console/units/enrol/identify", ORGANIZERS)
@page_helpers.shows_problem_on(enrol)
def identify() -> AnyResponse:
    """Make a waiting unit blink and beep for some seconds."""
    if not page_helpers.current_hub().units.enrolment.room.identify(page_helpers.field("mark")):
        raise Problem("enrol_gone")
    return redirect(url_for("console.enrol", table=page_helpers.field("table") or None,
                            replace=page_helpers.field("replace") or None), 303)


@route("POST /console/units/enrol/place", ORGANIZERS)
@page_helpers.shows_problem_on(enrol)
def enrol_place() -> AnyResponse:
    """Put a unit that already has a key at this table."""
    unit, table = page_helpers.field("unit"), page_helpers.typed_table("table")
    if unit not in page_helpers.current_hub().units.keys:
        raise Problem("unknown_unit", unit=unit[:40])
    page_helpers.add_venue_entry(unit_placed_entry(unit, table))
    return redirect_to_next(table, unit)
