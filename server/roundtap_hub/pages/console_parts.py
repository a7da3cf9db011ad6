"""The console's parts that are opened on demand, each a page of its own: a player's forms, officials, units."""

from __future__ import annotations

from typing import Any

from flask import abort, request
from werkzeug.wrappers import Response as AnyResponse

from roundtap_core.errors import Problem
from roundtap_core.event.people.decide import refuse_return
from roundtap_core.event.people.leave import ended_by_leaving, is_going, leaving_undone, what_leaving_does
from roundtap_hub.journal.person_rows import is_damaged
from roundtap_hub.pages.base import now_ms, page, the_hub, the_moment, the_snapshot, words
from roundtap_hub.policy import SEEN, STAFF, route
from roundtap_hub.views.competitors import entered, roster
from roundtap_hub.views.event_at import EventAt, full_names
from roundtap_hub.views.judging import desk_of
from roundtap_hub.views.units import table_units, unit_rows

OFFICIALS, UNITS = "officials", "units"


@route("GET /console/<event_id>/person/<competitor>", STAFF, SEEN)
def person(event_id: str, competitor: str) -> AnyResponse:
    """Everything that may be done about one player."""
    moment = the_moment(event_id)
    if competitor not in moment.state.entrants:
        abort(404)
    said = person_context(moment, competitor)
    return _part(moment, "person_forms.html", f"person-{competitor}", said["p"].name, desk=desk_of(moment), **said)


@route("GET /console/<event_id>/officials", STAFF, SEEN)
def officials(event_id: str) -> AnyResponse:
    """Who runs the event, and as whom they play."""
    moment = the_moment(event_id)
    return _part(moment, "officials_forms.html", OFFICIALS, words()("officials.title"),
                 desk=desk_of(moment), roster=roster(moment))


@route("GET /console/<event_id>/units", STAFF, SEEN)
def units(event_id: str) -> AnyResponse:
    """Where each table unit stands."""
    hub = the_hub()
    snapshot, heard = the_snapshot(), hub.presence.units
    rows = unit_rows(snapshot, table_units(hub, snapshot, heard), heard, now_ms())
    return _part(the_moment(event_id), "units_forms.html", UNITS, words()("units.title"), unit_rows=rows)


def _part(moment: EventAt, part: str, place: str, title: str, **context: Any) -> AnyResponse:
    state = moment.state
    return page("console_part.html", feed=f"console/{state.id}", state=state, rulebook=state.rulebook, part=part,
                place=place, title=title, **context)


def person_context(moment: EventAt, competitor: str) -> dict[str, Any]:
    """What `person_forms.html` shows beyond the event itself."""
    state, person, names = moment.state, moment.people.get(competitor), full_names(moment)
    leaving = what_leaving_does(state, competitor)
    return {"p": entered(moment, competitor), "person": person, "damaged_person": is_damaged(competitor, person),
            "leaving": leaving, "to": names.get(leaving.opponent, leaving.opponent),
            "going": is_going(state, competitor), "stays_out": _stays_out(moment, competitor),
            "plays_again": ended_by_leaving(state, competitor) if leaving_undone(state, competitor) else None}


def _stays_out(moment: EventAt, competitor: str) -> str:
    """Why somebody who has left cannot come back; "" for who can."""
    try:
        refuse_return(moment.state, moment.state.entrants[competitor])
    except Problem as problem:
        return problem.say(words())
    return ""


def opened_part(moment: EventAt) -> str:
    """The place of the part whose form has just been refused: the page that answers shows it open, as it was typed."""
    asked = request.view_args or {}
    if request.method != "POST":
        return ""
    if asked.get("competitor") in moment.state.entrants:
        return f"person-{asked['competitor']}"
    return next((place for place, endpoints in _FORMS.items() if request.endpoint in endpoints), "")


_FORMS = {
    OFFICIALS: tuple(f"console.{what}_official" for what in ("add", "change", "remove", "duty")),
    UNITS: ("console.place_unit",),
}
