"""Console pages and forms for units: enrolment, keys, tables, calls and wishes to leave."""

from collections.abc import Mapping
from typing import Any

from flask import current_app, g, redirect, request, url_for
from werkzeug.wrappers import Response as AnyResponse

from roundtap_core.errors import Problem
from roundtap_core.event.commands import RefuseDrop
from roundtap_hub.access.unit_keys import ROLES, TABLE
from roundtap_hub.http.routes import HEADS, ORGANIZERS, VISIBLE, route
from roundtap_hub.live import current, forms
from roundtap_hub.live.render import place_page
from roundtap_hub.store.venue import unit_placed_entry
from roundtap_hub.units.enrolment import ENROLMENT, EnrolDesk, parse_typed_code
from roundtap_hub.views.preflight_checks import key_rows
from roundtap_hub.views.tables import out_of_contact

IDENTIFY: Mapping[str, Any] = {"type": "identify"}  # the unit is to show which one it is


def enrol_desk() -> EnrolDesk:
    """The units that ask this hub for a key."""
    desk: EnrolDesk = current_app.extensions[ENROLMENT]
    return desk


@route("GET /console/units", ORGANIZERS)
def units_page(shown: str = "", key: bytes = b"") -> AnyResponse:
    """Every unit with a key: role, table, last contact, troubles. `shown`: the unit whose new `key` is shown; a reload
    does not show it again."""
    if shown:
        g.address = url_for("console.units_page")
    rows = key_rows(current.hub(), current.snapshot(), current.units(), current.now_ms())
    return place_page(
        "units.html",
        "units",
        rows=rows,
        roles=ROLES,
        waiting=len(enrol_desk().room.listed()),
        shown=shown,
        key=key.hex(),
    )


@route("POST /console/units/add", ORGANIZERS)
@forms.shows_problem_on(units_page)
def add_unit() -> AnyResponse:
    """Add a unit; its key is shown only in this answer."""
    unit = forms.field("unit")
    return units_page(unit, current.hub().units.keys.add(unit, forms.field("role", TABLE), current.actor()))


@route("POST /console/units/replace", ORGANIZERS)
@forms.shows_problem_on(units_page)
def replace_key() -> AnyResponse:
    """A new key for a unit; the previous one becomes invalid."""
    unit = forms.field("unit")
    return units_page(unit, current.hub().units.keys.replace(unit, current.actor()))


@route("POST /console/units/revoke", ORGANIZERS)
@forms.shows_problem_on(units_page)
def revoke_key() -> None:
    """Revoke a unit's key and take the unit from its table."""
    current.hub().units.keys.revoke(forms.field("unit"), current.actor())


@route("POST /console/units/seen", ORGANIZERS)
@forms.shows_problem_on(units_page)
def clear_troubles() -> None:
    """Clear a unit's troubles; they are shown again when they happen again."""
    current.hub().units.troubles.acknowledge(forms.field("unit"))


@route("POST /console/units/identify", ORGANIZERS)
@forms.shows_problem_on(units_page)
def identify_unit() -> AnyResponse:
    """Make a table unit blink and show its name for some seconds. `event`: the console to return to."""
    unit, event_id = forms.field("unit"), forms.field("event")
    if not current.hub().presence.send(unit, IDENTIFY):
        raise Problem("unit_silent", unit=unit[:40])
    forms.note_act("identify")
    if event_id:
        current.event(event_id)
        return redirect(url_for("console.event_units_page", event_id=event_id), 303)
    return redirect(url_for("console.units_page", _anchor=f"unit-{unit}"), 303)


@route("POST /console/<event_id>/units", HEADS, VISIBLE)
@forms.shows_problem_on(forms.EVENT_PAGE, "units")
def place_unit(event_id: str) -> None:
    """Put a unit at a table; without a number, at none. The unit that stood there then stands at none."""
    hub, unit, table = current.hub(), forms.field("unit"), forms.typed_table("table")
    if unit not in {*hub.units.keys, *hub.presence.units, *current.snapshot().venue.tables}:
        raise Problem("unknown_unit", unit=unit[:40])
    forms.add_venue_entry(unit_placed_entry(unit, table))


@route("POST /console/<event_id>/leave/refused", HEADS, VISIBLE)
@forms.shows_problem_on(forms.EVENT_PAGE)
def refuse_leave(event_id: str) -> None:
    """Refuse a wish to leave; the table shows that."""
    forms.submit_command(event_id, RefuseDrop(forms.field("who")))


def next_free_table(after: int) -> int:
    """The next table without a unit."""
    taken = set(current.snapshot().venue.tables.values())
    return next(
        (number for number in range(after + 1, forms.MOST_TABLES + 1) if number not in taken), forms.MOST_TABLES
    )


def redirect_to_next(table: int | None, unit: str) -> AnyResponse:
    """Redirect to the next free table after this unit's."""
    return redirect(url_for("console.enrol_page", table=next_free_table(table or 0), done=unit, at=table or ""), 303)


@route("GET /console/units/enrol", ORGANIZERS)
def enrol_page(**_: Any) -> AnyResponse:
    """The page with a field for the code of the unit at this table, else the first without one; or of the unit that
    replaces another. `stands`: the unit that is there already; `unanswered`: reports on the disk of the replaced one;
    `homeless`: units with a key and no table yet; `known`: waiting units' previous names."""
    hub, fields = current.hub(), forms.sent_fields()
    replace, number = fields.get("replace", ""), fields.get("table", "")
    is_number = number.isascii() and number.isdigit()
    table = int(number) if is_number and 0 < int(number) <= forms.MOST_TABLES else None
    keys, room, placed = hub.units.keys, enrol_desk().room, current.snapshot().venue.tables
    if replace not in keys:
        replace = ""
    wanted, status = table or next_free_table(0), current.units().get(replace)
    heard = status if status is not None and status.contact_ms else None
    return place_page(
        "enrol.html",
        "units",
        replace=replace,
        role=keys.role(replace) or TABLE,
        unanswered=heard.waiting if heard else 0,
        silent=heard is None or out_of_contact(heard, current.now_ms()),
        table=wanted,
        last=forms.MOST_TABLES,
        stands=next((unit for unit, number in placed.items() if number == wanted), ""),
        homeless=sorted(unit for unit in keys if keys.role(unit) == TABLE and unit not in placed),
        waiting=room.listed(),
        room=room,
        known=current.snapshot().venue.unit_ids,
        done=request.args.get("done", "")[:40],
        at=request.args.get("at", "")[:3],
    )


@route("POST /console/units/enrol", ORGANIZERS)
@forms.shows_problem_on(enrol_page)
def submit_enrol_code() -> AnyResponse:
    """Try the code once, with the unit that shows it; then continue with the next table."""
    replace, table = forms.field("replace"), forms.typed_table("table")
    made = enrol_desk().enrol(
        parse_typed_code(forms.field("code")), current.actor(), None if replace else table, replace, forms.field("mark")
    )
    if replace:
        forms.note_act("saved")
        return redirect(url_for("console.units_page", _anchor=f"unit-{made.unit}"), 303)
    return redirect_to_next(table, made.unit)


@route("POST /console/units/enrol/identify", ORGANIZERS)
@forms.shows_problem_on(enrol_page)
def identify_new_unit() -> AnyResponse:
    """Make a waiting unit blink and beep for some seconds."""
    if not enrol_desk().room.identify(forms.field("mark")):
        raise Problem("enrol_gone")
    forms.note_act("identify")
    return redirect(
        url_for("console.enrol_page", table=forms.field("table") or None, replace=forms.field("replace") or None), 303
    )


@route("POST /console/units/enrol/place", ORGANIZERS)
@forms.shows_problem_on(enrol_page)
def place_new_unit() -> AnyResponse:
    """Put a unit that already has a key at this table."""
    unit, table = forms.field("unit"), forms.typed_table("table")
    if unit not in current.hub().units.keys:
        raise Problem("unknown_unit", unit=unit[:40])
    forms.add_venue_entry(unit_placed_entry(unit, table))
    return redirect_to_next(table, unit)
