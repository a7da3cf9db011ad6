"""Units and what they ask: where each stands, who goes to a table that called, and who is asked to stay."""

from __future__ import annotations

from flask import Blueprint
from werkzeug.wrappers import Response as AnyResponse

from roundtap_core.errors import Problem
from roundtap_core.event.entries import VENUE, NewEntry
from roundtap_hub.journal.service import Step
from roundtap_hub.pages.base import (
    ORGANIZER,
    back_to_event,
    field,
    mended_on,
    the_hub,
    the_moment,
    the_snapshot,
    whole_number,
)
from roundtap_hub.pages.console import event

TABLE_MAX = 999


def routes(bp: Blueprint) -> None:
    bp.add_url_rule("/<event_id>/units", "place_unit", place_unit, methods=["POST"])
    bp.add_url_rule("/<event_id>/call", "take_call", take_call, methods=["POST"])
    bp.add_url_rule("/<event_id>/call/settled", "close_call", close_call, methods=["POST"])
    bp.add_url_rule("/<event_id>/leave/refused", "refuse_leave", refuse_leave, methods=["POST"])


@mended_on(event)
def place_unit(event_id: str) -> AnyResponse:
    """Put a unit at a table; without a number it stands nowhere. Whoever stood there stands nowhere then."""
    the_moment(event_id)
    hub, unit = the_hub(), field("unit")
    table = whole_number("table", "table_number", maximum=TABLE_MAX)
    if unit not in {*hub.unit_keys, *hub.presence.units, *the_snapshot().venue.tables}:
        raise Problem("unknown_unit", unit=unit[:40])
    if table is not None and not 1 <= table <= TABLE_MAX:
        raise Problem("table_number", value=table, maximum=TABLE_MAX)
    hub.service.ask([Step(VENUE, NewEntry("unit-placed", {"unit": unit, "table": table}))], ORGANIZER)
    return back_to_event(event_id, "units")


@mended_on(event)
def take_call(event_id: str) -> AnyResponse:
    """Somebody is on the way: the table's screen says who."""
    the_moment(event_id)
    the_hub().presence.take_call(field("unit"), field("by")[:40] or ORGANIZER)
    return back_to_event(event_id)


@mended_on(event)
def close_call(event_id: str) -> AnyResponse:
    """The judge says that the call is settled: the table's screen goes back to its match."""
    the_moment(event_id)
    the_hub().presence.close_call(field("unit"))
    return back_to_event(event_id)


@mended_on(event)
def refuse_leave(event_id: str) -> AnyResponse:
    """Whoever asked to leave stays; their table says so."""
    the_moment(event_id)
    the_hub().presence.refuse_leave(field("unit"), field("side"))
    return back_to_event(event_id)
