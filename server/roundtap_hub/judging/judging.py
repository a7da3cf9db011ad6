"""Officials: their list, the judge's page for a phone, and warnings, disqualifications, rulings and extensions."""

import secrets
from collections.abc import Callable
from functools import partial

from flask import redirect, request, url_for
from msgspec.structs import replace
from werkzeug.wrappers import Response as AnyResponse

from roundtap_core.errors import Invalid, Problem
from roundtap_core.event import commands
from roundtap_core.event.entries import Person
from roundtap_core.event.event_flow import find_match, require_entrant
from roundtap_core.event.states import EventState, Official
from roundtap_core.names import clean_name
from roundtap_core.rulebooks.base import JUDGE, ORGANIZER
from roundtap_core.typed import next_number
from roundtap_hub.http import routes
from roundtap_hub.live import current, forms
from roundtap_hub.store.journal import PersonRecord
from roundtap_hub.views import unit_presence


@routes.route("POST /console/<event_id>/competitors/<competitor>/warn", routes.JUDGES, routes.OPEN)
@forms.shows_problem_on(forms.EVENT_PAGE, "competitors")
def warn_player(event_id: str, competitor: str) -> None:
    forms.submit_command(
        event_id, commands.GiveWarning(competitor, forms.typed_reason(), forms.signing_official(event_id))
    )


@routes.route("POST /console/<event_id>/competitors/<competitor>/propose", routes.HEADS, routes.OPEN)
@forms.shows_problem_on(forms.EVENT_PAGE, "needs")
def propose_disqualification(event_id: str, competitor: str) -> None:
    forms.submit_command(
        event_id, commands.ProposeDisqualification(competitor, forms.typed_reason(), forms.signing_official(event_id))
    )


@routes.route("POST /console/<event_id>/competitors/<competitor>/decline", routes.JUDGES, routes.OPEN)
@forms.shows_problem_on(forms.EVENT_PAGE)
def decline_proposal(event_id: str, competitor: str) -> None:
    forms.submit_command(event_id, commands.DeclineProposal(competitor, forms.signing_official(event_id)))


@routes.route(
    "POST /console/<event_id>/competitors/<competitor>/tick", routes.STAFF, routes.OPEN, only=routes.BEFORE_ROUND_1
)
@forms.shows_problem_on(forms.EVENT_PAGE, "competitors")
def record_check(event_id: str, competitor: str) -> None:
    forms.submit_command(event_id, commands.RecordCheck(competitor, forms.field("what"), forms.field("on") == "1"))


@routes.route("POST /console/<event_id>/match/<match_id>/ruling", routes.JUDGES, routes.PLAYING, routes.SHOWN_ROUND)
@forms.shows_problem_on(forms.MATCH_PAGE, "judge")
def record_ruling(event_id: str, match_id: str) -> None:
    forms.submit_command(
        event_id, commands.NoteRuling(match_id, forms.typed_reason("text"), forms.signing_official(event_id))
    )


@routes.route("POST /console/<event_id>/match/<match_id>/appeal", routes.JUDGES, routes.PLAYING, routes.SHOWN_ROUND)
@forms.shows_problem_on(forms.MATCH_PAGE, "judge")
def record_appeal(event_id: str, match_id: str) -> None:
    forms.submit_command(event_id, commands.Appeal(match_id, forms.field("competitor")))


@routes.route(
    "POST /console/<event_id>/match/<match_id>/appeal-decided", routes.HEADS, routes.PLAYING, routes.SHOWN_ROUND
)
@forms.shows_problem_on(forms.MATCH_PAGE, "judge")
def decide_appeal(event_id: str, match_id: str) -> None:
    """The head judge's decision; whether the ruling stands must be chosen, there is no default."""
    upheld = forms.field("upheld")
    if upheld not in ("0", "1"):
        raise Problem("appeal_how")
    decided = commands.DecideAppeal(
        match_id, forms.typed_reason("text"), upheld == "1", forms.signing_official(event_id)
    )
    forms.submit_command(event_id, decided)


@routes.route("POST /console/<event_id>/match/<match_id>/extension", routes.JUDGES, routes.PLAYING, routes.SHOWN_ROUND)
@forms.shows_problem_on(forms.MATCH_PAGE, "judge")
def give_extension(event_id: str, match_id: str) -> None:
    forms.submit_command(
        event_id,
        commands.TakeBackExtension(match_id, forms.signing_official(event_id))
        if forms.field("back")
        else commands.GrantExtension(
            match_id, forms.confirmed_minutes("minutes", "sure") or 0, forms.signing_official(event_id)
        ),
    )


@routes.route(
    "POST /console/<event_id>/match/<match_id>/picks",
    routes.STAFF,
    routes.PLAYING,
    routes.SHOWN_ROUND,
    routes.IN_OPEN_ROUNDS,
)
@forms.shows_problem_on(forms.EVENT_PAGE, "picks")
def record_picks(event_id: str, match_id: str) -> None:
    forms.submit_command(event_id, commands.SetPicks(match_id, forms.ticked_squads("picks"), forms.field("lets_go")))


@routes.route("POST /console/<event_id>/officials", routes.ORGANIZERS, routes.OPEN)
@forms.shows_problem_on(forms.EVENT_PAGE, "officials")
def add_official(event_id: str) -> None:
    """Add an official: the name is stored with the people, the event knows an id."""
    event = current.event(event_id)
    state, name = event.state, clean_name(forms.field("name"))
    if not name:
        raise Invalid("no_names")
    new_id = f"o{next_number([*state.officials, *state.entrants, *event.people], 'o')}"
    person, salt = Person(name), secrets.token_hex(16)
    new = _as_typed(Official(new_id, forms.field("role", JUDGE), person.digest(salt)))
    forms.submit_command(
        event_id,
        commands.SetOfficials((*_without_organizer(state, new), new)),
        [PersonRecord(event_id, new_id, salt, person)],
    )


@routes.route("POST /console/<event_id>/officials/<official>/change", routes.ORGANIZERS, routes.OPEN)
@forms.shows_problem_on(forms.EVENT_PAGE, "officials")
def change_official(event_id: str, official: str) -> None:
    def changed(before: Official) -> Official:
        return _as_typed(replace(before, role=forms.field("role", before.role)))

    _set_official(event_id, official, changed)


@routes.route("POST /console/<event_id>/officials/<official>/remove", routes.ORGANIZERS, routes.OPEN)
@forms.shows_problem_on(forms.EVENT_PAGE, "officials")
def remove_official(event_id: str, official: str) -> None:
    _set_official(event_id, official, lambda _: None)


@routes.route("POST /console/<event_id>/officials/<official>/duty", routes.HEADS, routes.OPEN)
@forms.shows_problem_on(forms.EVENT_PAGE, "officials")
def set_official_duty(event_id: str, official: str) -> None:
    forms.submit_command(event_id, commands.OfficialDuty(official, forms.field("on") == "1"))


def _as_typed(official: Official) -> Official:
    return replace(official, second=bool(forms.field("second")), plays=forms.field("plays") or None)


def _set_official(event_id: str, official_id: str, changed: Callable[[Official], Official | None]) -> None:
    state = current.event(event_id).state
    if official_id not in state.officials:
        raise Problem("unknown_official")
    new = changed(state.officials[official_id])
    others = _without_organizer(state, new) if new else tuple(state.officials.values())
    officials = tuple(new if o.id == official_id else o for o in others)
    forms.submit_command(event_id, commands.SetOfficials(tuple(o for o in officials if o is not None)))


def _without_organizer(state: EventState, new: Official) -> tuple[Official, ...]:
    """The officials; when `new` becomes the organizer, the one before becomes a judge, as there is only one."""
    if new.role != ORGANIZER:
        return tuple(state.officials.values())
    return tuple(
        replace(o, role=JUDGE) if o.role == ORGANIZER and o.id != new.id else o for o in state.officials.values()
    )


@routes.route(
    "POST /console/<event_id>/here", routes.STAFF, routes.PLAYING, routes.SHOWN_ROUND, only=routes.IN_OPEN_ROUNDS
)
@forms.shows_problem_on(forms.EVENT_PAGE)
def mark_at_tables(event_id: str) -> AnyResponse:
    """An official saw players at their tables who pressed no button (`who`: "1.3 p5", match and player, one or more):
    they no longer count as absent."""
    state = current.event(event_id).state
    for match_id, _, who in (each.partition(" ") for each in request.form.getlist("who") or [""]):
        match = find_match(state, match_id)[1]
        current.hub().presence.mark_at_table(state.id, match.id, require_entrant(state, who).id)
    forms.note_act("here")
    if forms.field("back"):
        return redirect(url_for("console.absentees_page", event_id=event_id), 303)
    return forms.back_to_event(event_id, "needs")


@routes.route("POST /console/<event_id>/officials/<official>/person", routes.ORGANIZERS, routes.OPEN)
@forms.shows_problem_on(forms.EVENT_PAGE, "officials")
def link_official_to_staff(event_id: str, official: str) -> None:
    """Set the member of staff whose PIN this official logs in with, if any."""
    if official not in current.event(event_id).state.officials:
        raise Problem("unknown_official")
    current.hub().access.organizers.staff.link_official(forms.field("person"), event_id, official, current.actor())


@routes.route("POST /console/<event_id>/call", routes.JUDGES, routes.VISIBLE)
@forms.shows_problem_on(forms.EVENT_PAGE)
def take_call(event_id: str) -> None:
    """Take a call: the table's screen shows who is on the way. `unit`: for a call from a table without a match."""
    if forms.field("match"):
        by = current.actor() if ":" in current.actor() else current.staff_name()
        forms.submit_command(event_id, commands.TakeCall(forms.field("match"), by))
    else:
        current.hub().presence.change(forms.field("unit"), partial(unit_presence.take_call, by=current.staff_name()))
        forms.note_act("call")


@routes.route("POST /console/<event_id>/call/settled", routes.JUDGES, routes.VISIBLE)
@forms.shows_problem_on(forms.EVENT_PAGE)
def close_call(event_id: str) -> None:
    """Settle the call that the judge saw: the table's screen returns to its match."""
    since = forms.form_number("since")
    if forms.field("match"):
        forms.submit_command(event_id, commands.CloseCall(forms.field("match"), since))
    else:
        current.hub().presence.change(forms.field("unit"), partial(unit_presence.close_call, until_ms=since))
        forms.note_act("call")
