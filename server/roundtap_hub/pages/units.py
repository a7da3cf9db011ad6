"""Units: their keys, where each stands, who goes to a table that called, and who is asked to stay."""

from __future__ import annotations

from flask import g, redirect, url_for
from werkzeug.wrappers import Response as AnyResponse

from roundtap_core.errors import Invalid, Problem
from roundtap_core.event.entries import VENUE
from roundtap_hub.devices.unit_keys import ROLES, TABLE
from roundtap_hub.journal.rights import placed
from roundtap_hub.journal.service import Step
from roundtap_hub.pages.base import (
    actor,
    back_to_event,
    field,
    mended_on,
    now_ms,
    page,
    the_hub,
    the_moment,
    the_name,
    the_snapshot,
    the_units,
    whole_number,
)
from roundtap_hub.pages.console import event
from roundtap_hub.policy import HEADS, JUDGES, ORGANIZERS, SEEN, route
from roundtap_hub.views.units import key_rows

TABLE_MAX = 999


@route("GET /console/units", ORGANIZERS)
def unit_list(**_: str) -> AnyResponse:
    """Every unit with a key: what it may do, where it stands, when it was heard, what is odd about it."""
    return _listed()


@route("POST /console/units/add", ORGANIZERS)
@mended_on(unit_list)
def add_unit() -> AnyResponse:
    """A unit and its key, which is on this answer and nowhere else but in the hub's journal."""
    unit, role = field("unit"), field("role", TABLE)
    key = the_hub().units.keys.add(unit, role, actor())
    return _listed(unit, key)


@route("POST /console/units/replace", ORGANIZERS)
@mended_on(unit_list)
def replace_key() -> AnyResponse:
    """Another key for a unit; with the one before it nobody gets in any more, from now on."""
    unit = field("unit")
    key = the_hub().units.keys.replace(unit, actor())
    return _listed(unit, key)


@route("POST /console/units/revoke", ORGANIZERS)
@mended_on(unit_list)
def revoke_key() -> AnyResponse:
    """A unit that is not one of this hub's any more; it stands nowhere then."""
    the_hub().units.keys.revoke(field("unit"), actor())
    return redirect(url_for("console.unit_list"), 303)


@route("POST /console/units/seen", ORGANIZERS)
@mended_on(unit_list)
def unit_seen() -> AnyResponse:
    """Somebody has looked at what is odd about a unit: it is told again when it happens again."""
    the_hub().units.troubles.seen(field("unit"))
    return redirect(url_for("console.unit_list"), 303)


@route("POST /console/units/identify", ORGANIZERS)
@mended_on(unit_list)
def identify_unit() -> AnyResponse:
    """A table unit blinks and says its name for some seconds. `event`: whose console it was asked on."""
    unit, event_id = field("unit"), field("event")
    if not the_hub().presence.identify(unit):
        raise Problem("unit_silent", unit=unit[:40])
    if event_id:
        the_moment(event_id)
        return redirect(url_for("console.units", event_id=event_id), 303)
    return redirect(url_for("console.unit_list", _anchor=f"unit-{unit}"), 303)


def _listed(shown: str = "", key: bytes = b"") -> AnyResponse:
    """The page. `shown`: the unit whose new key stands on it, this once; to load it again shows it no more."""
    hub = the_hub()
    if shown:
        g.address = url_for("console.unit_list")
    return page("units.html", rows=key_rows(hub, the_snapshot(), the_units(), now_ms()), roles=ROLES, shown=shown,
                key=key.hex())


@route("POST /console/<event_id>/units", HEADS, SEEN)
@mended_on(event)
def place_unit(event_id: str) -> AnyResponse:
    """Put a unit at a table; without a number it stands nowhere. Whoever stood there stands nowhere then."""
    the_moment(event_id)
    hub, unit = the_hub(), field("unit")
    table = whole_number("table", "table_number", maximum=TABLE_MAX)
    if unit not in {*hub.units.keys, *hub.presence.units, *the_snapshot().venue.tables}:
        raise Problem("unknown_unit", unit=unit[:40])
    if table is not None and not 1 <= table <= TABLE_MAX:
        raise Invalid("table_number", value=table, maximum=TABLE_MAX)
    hub.service.ask([Step(VENUE, placed(unit, table))], actor())
    return back_to_event(event_id, "units")


@route("POST /console/<event_id>/call", JUDGES, SEEN)
@mended_on(event)
def take_call(event_id: str) -> AnyResponse:
    """Somebody is on the way: the table's screen says who. `unit`: one that calls from where nobody plays."""
    the_moment(event_id)
    if field("match"):
        the_hub().hall.calls.take(event_id, field("match"), the_name())
    else:
        the_hub().presence.take_call(field("unit"), the_name())
    return back_to_event(event_id)


@route("POST /console/<event_id>/call/settled", JUDGES, SEEN)
@mended_on(event)
def close_call(event_id: str) -> AnyResponse:
    """The judge says that the call is settled, the one that they saw: the table's screen goes back to its match."""
    the_moment(event_id)
    since = whole_number("since")
    if field("match"):
        the_hub().hall.calls.close_shown(event_id, field("match"), since)
    else:
        the_hub().presence.close_call(field("unit"), since)
    return back_to_event(event_id)


@route("POST /console/<event_id>/leave/refused", HEADS, SEEN)
@mended_on(event)
def refuse_leave(event_id: str) -> AnyResponse:
    """Whoever asked to leave stays; their table says so."""
    the_moment(event_id)
    the_hub().hall.wishes.refuse(event_id, field("who"))
    return back_to_event(event_id)
