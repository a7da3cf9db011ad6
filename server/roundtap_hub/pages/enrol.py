"""New units: an organizer goes from table to table and types the digits that each screen shows; or replaces one."""

from __future__ import annotations

from typing import Any

from flask import redirect, request, url_for
from werkzeug.wrappers import Response as AnyResponse

from roundtap_core.errors import Invalid, Problem
from roundtap_core.event.entries import VENUE
from roundtap_hub.devices.unit_keys import TABLE
from roundtap_hub.enrolment.desk import read_typed
from roundtap_hub.journal.keyed_units import placed
from roundtap_hub.journal.service import Step
from roundtap_hub.pages.base import (
    actor,
    field,
    mended_on,
    now_ms,
    page,
    the_hub,
    the_snapshot,
    the_units,
    whole_number,
)
from roundtap_hub.policy import ORGANIZERS, route
from roundtap_hub.views.enrol_walk import TABLE_MAX, held_by, next_free, waiting_rows, walk_step


@route("GET /console/units/enrol", ORGANIZERS)
def enrol(**_: Any) -> AnyResponse:
    """One field: the digits of the unit that stands at this table, or of the one that replaces another."""
    hub, fields = the_hub(), request.form if request.method == "POST" else request.args
    replace, said = fields.get("replace", ""), fields.get("table", "")
    table = int(said) if said.isascii() and said.isdigit() and 0 < int(said) <= TABLE_MAX else None
    if replace not in hub.units.keys:
        replace = ""
    return page("enrol.html", replace=replace, role=hub.units.keys.role(replace) or TABLE,
                held=held_by(replace, the_units(), now_ms()) if replace else None,
                step=walk_step(hub, the_snapshot(), table), waiting=waiting_rows(hub, now_ms()),
                done=request.args.get("done", "")[:40], at=request.args.get("at", "")[:3])


@route("POST /console/units/enrol", ORGANIZERS)
@mended_on(enrol)
def enrol_code() -> AnyResponse:
    """The code is tried once, with the unit that shows it; then the next table's turn has come."""
    hub, replace = the_hub(), field("replace")
    table = _table()
    made = hub.units.enrolment.enrol(
        read_typed(field("code")), actor(), None if replace else table, replace, field("mark"))
    if replace:
        return redirect(url_for("console.unit_list", _anchor=f"unit-{made.unit}"), 303)
    at = {number: unit for unit, number in the_snapshot().venue.tables.items()}
    return redirect(url_for("console.enrol", table=next_free(at, table or 0), done=made.unit,
                            at=made.table or ""), 303)


@route("POST /console/units/enrol/identify", ORGANIZERS)
@mended_on(enrol)
def identify() -> AnyResponse:
    """A unit that waits blinks and beeps for some seconds."""
    if not the_hub().units.enrolment.room.identify(field("mark")):
        raise Problem("enrol_gone")
    return redirect(url_for("console.enrol", table=field("table") or None, replace=field("replace") or None), 303)


@route("POST /console/units/enrol/place", ORGANIZERS)
@mended_on(enrol)
def enrol_place() -> AnyResponse:
    """A unit that has its key already stands at this table."""
    hub, unit, table = the_hub(), field("unit"), _table()
    if unit not in hub.units.keys:
        raise Problem("unknown_unit", unit=unit[:40])
    hub.service.ask([Step(VENUE, placed(unit, table))], actor())
    at = {number: each for each, number in the_snapshot().venue.tables.items()}
    return redirect(url_for("console.enrol", table=next_free(at, table or 0), done=unit, at=table or ""), 303)


def _table() -> int | None:
    table = whole_number("table", "table_number", maximum=TABLE_MAX)
    if table is not None and not 1 <= table <= TABLE_MAX:
        raise Invalid("table_number", value=table, maximum=TABLE_MAX)
    return table
