"""The officials of an event: naming them, their roles, who of them plays, and who is off duty."""

from __future__ import annotations

import secrets
from collections.abc import Callable

from flask import redirect, url_for
from msgspec.structs import replace
from werkzeug.wrappers import Response as AnyResponse

from roundtap_core.errors import Invalid, Problem
from roundtap_core.event.commands import OfficialDuty, SetOfficials
from roundtap_core.event.lookups import the_entrant
from roundtap_core.event.official import Official
from roundtap_core.event.person import Person
from roundtap_core.event.state import EventState
from roundtap_core.numbers import next_number
from roundtap_core.rulebooks.base import JUDGE, ORGANIZER
from roundtap_hub.journal.journal import PersonRecord
from roundtap_hub.pages.base import actor, back_to_event, carry_out, field, mended_on, the_hub, the_moment
from roundtap_hub.pages.competitors import check_name
from roundtap_hub.pages.console import event
from roundtap_hub.policy import HEADS, IN_OPEN_ROUNDS, OPEN, ORGANIZERS, PLAYING, SHOWN_ROUND, STAFF, route


@route("POST /console/<event_id>/officials", ORGANIZERS, OPEN)
@mended_on(event)
def add_official(event_id: str) -> AnyResponse:
    """One more official. The name goes to the people, the event knows an id."""
    moment = the_moment(event_id)
    state, name = moment.state, " ".join(field("name").split())
    if not name:
        raise Invalid("no_names")
    check_name(name)
    new_id = f"o{next_number([*state.officials, *state.entrants, *moment.people], 'o')}"
    person, salt = Person(name), secrets.token_hex(16)
    new = _as_typed(Official(new_id, field("role", JUDGE), person.digest(salt)))
    return carry_out(event_id, SetOfficials((*_without_organizer(state, new), new)), "officials",
                     [PersonRecord(event_id, new_id, salt, person)])


@route("POST /console/<event_id>/officials/<official>/change", ORGANIZERS, OPEN)
@mended_on(event)
def change_official(event_id: str, official: str) -> AnyResponse:
    def changed(before: Official) -> Official:
        return _as_typed(replace(before, role=field("role", before.role)))

    return _set(event_id, official, changed)


@route("POST /console/<event_id>/officials/<official>/remove", ORGANIZERS, OPEN)
@mended_on(event)
def remove_official(event_id: str, official: str) -> AnyResponse:
    return _set(event_id, official, lambda _: None)


@route("POST /console/<event_id>/officials/<official>/duty", HEADS, OPEN)
@mended_on(event)
def duty_official(event_id: str, official: str) -> AnyResponse:
    return carry_out(event_id, OfficialDuty(official, field("on") == "1"), "officials")


def _as_typed(official: Official) -> Official:
    return replace(official, second=bool(field("second")), plays=field("plays") or None)


def _set(event_id: str, official_id: str, changed: Callable[[Official], Official | None]) -> AnyResponse:
    state = the_moment(event_id).state
    if official_id not in state.officials:
        raise Problem("unknown_official")
    new = changed(state.officials[official_id])
    others = _without_organizer(state, new) if new else tuple(state.officials.values())
    kept = tuple(new if o.id == official_id else o for o in others)
    return carry_out(event_id, SetOfficials(tuple(o for o in kept if o is not None)), "officials")


def _without_organizer(state: EventState, new: Official) -> tuple[Official, ...]:
    """There is one organizer: who was it becomes a judge when another is made it."""
    if new.role != ORGANIZER:
        return tuple(state.officials.values())
    return tuple(replace(o, role=JUDGE) if o.role == ORGANIZER and o.id != new.id else o
                 for o in state.officials.values())


@route("POST /console/<event_id>/match/<match_id>/here", STAFF, PLAYING, SHOWN_ROUND, IN_OPEN_ROUNDS)
@mended_on(event)
def is_here(event_id: str, match_id: str) -> AnyResponse:
    """An official saw somebody at the table who pressed no button: no more is made of it."""
    state = the_moment(event_id).state
    the_entrant(state, field("who"))
    the_hub().presence.seen_here(state.id, match_id, field("who"))
    if field("back"):
        return redirect(url_for("console.absent", event_id=event_id), 303)
    return back_to_event(event_id, "needs")


@route("POST /console/<event_id>/officials/<official>/person", ORGANIZERS, OPEN)
@mended_on(event)
def tie_official(event_id: str, official: str) -> AnyResponse:
    """Say with whose PIN this official logs in; nobody's where nobody is chosen."""
    if official not in the_moment(event_id).state.officials:
        raise Problem("unknown_official")
    the_hub().access.organizers.staff.tie(field("person"), event_id, official, actor())
    return back_to_event(event_id, "officials")
