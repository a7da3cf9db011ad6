"""New units: an organizer goes from table to table and types the digits that each screen shows; or replaces one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from flask import redirect, request, url_for
from werkzeug.wrappers import Response as AnyResponse

from roundtap_core.errors import Invalid, Problem
from roundtap_core.event.entries import VENUE
from roundtap_hub.devices.enrolment import read_typed
from roundtap_hub.devices.unit_keys import TABLE
from roundtap_hub.hub import Hub
from roundtap_hub.journal.rights import placed
from roundtap_hub.journal.service import Step
from roundtap_hub.journal.snapshot import Snapshot
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
from roundtap_hub.presence import UnitStatus
from roundtap_hub.views.tables import out_of_contact

TABLE_MAX = 999


def waiting_rows(hub: Hub, now_ms: int) -> list[dict[str, Any]]:
    """Who asks, in the order of their coming. `number`: what stands before its code; None while it shows none.
    `known_as`: its name of before."""
    room = hub.units.enrolment.room
    return [{"mark": each.mark, "number": each.number, "kind": each.kind, "address": each.address,
             "age_ms": max(0, now_ms - each.since_ms),
             "known_as": hub.service.snapshot.venue.unit_ids.get(each.unit_id, ""), "stopped": each.stopped,
             "identified": room.identifies(each)} for each in room.listed()]


def walk_step(hub: Hub, snapshot: Snapshot, table: int | None) -> dict[str, Any]:
    """The table that was asked for, else the first where no unit stands. `stands`: the unit that is there already;
    `before`, `after`: the tables beside it; `homeless`: units that have a key and no table yet."""
    at = {number: unit for unit, number in snapshot.venue.tables.items()}
    here = table or next_free(at, 0)
    return {"table": here, "stands": at.get(here, ""), "before": here - 1 if here > 1 else None,
            "after": here + 1 if here < TABLE_MAX else None,
            "homeless": sorted(unit for unit in hub.units.keys
                               if hub.units.keys.role(unit) == TABLE and unit not in snapshot.venue.tables)}


def next_free(at: Mapping[int, str], after: int) -> int:
    """The next table where no unit stands."""
    return next((number for number in range(after + 1, TABLE_MAX + 1) if number not in at), TABLE_MAX)


def held_by(unit: str, units: Mapping[str, UnitStatus], now_ms: int) -> dict[str, Any]:
    """What would be lost with a unit that is replaced: nothing that the hub has, and what its disk alone may hold, by
    what it said last. `waiting`: reports that had no answer; whether it is `silent`."""
    status = units.get(unit)
    if status is None or not status.contact_ms:
        return {"waiting": 0, "silent": True}
    return {"waiting": status.waiting, "silent": out_of_contact(status, now_ms)}


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
