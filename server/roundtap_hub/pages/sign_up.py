"""Players enter themselves: one form on their own phone, while the organizer has opened it; it ends at their own page.
"""

from __future__ import annotations

import secrets
from urllib.parse import urlsplit

from flask import Blueprint, abort, redirect, request
from werkzeug.wrappers import Response as AnyResponse

from roundtap_core.errors import Invalid, Problem
from roundtap_core.event.commands import EnterCompetitor
from roundtap_core.event.people.decide import refuse_signing_up
from roundtap_core.lists.parts import fold
from roundtap_core.names import fit_name, shorten
from roundtap_core.numbers import next_number
from roundtap_core.records import Competitor
from roundtap_hub.pages import visit
from roundtap_hub.pages.base import field, mended_on, page, the_hub, the_moment
from roundtap_hub.pages.competitors import refuse_broken_teams, team
from roundtap_hub.pages.new_event import enrol
from roundtap_hub.policy import EVERYBODY, OPEN, SEEN, route
from roundtap_hub.views.event_at import EventAt

ACTOR = "sign-up"
"""How entries name who entered themselves."""
FORM_BYTES, FORM_LETTERS = 16, 64


def guard(bp: Blueprint) -> None:
    """No form here carries a mark: nobody is logged in, and whoever asks speaks for themselves. A form on another
    site's page is no use, though."""

    @bp.before_request
    def check() -> None:
        origin = request.headers.get("Origin")
        if request.method == "POST" and origin is not None and urlsplit(origin).netloc != request.host:
            abort(403)


def personal_page(event_id: str, competitor: str) -> str:
    """Where it ends: the person's own page, which nobody else has."""
    return the_hub().access.links.give(event_id, competitor, ACTOR)


@route("GET /join/<event_id>", EVERYBODY, SEEN)
def join(event_id: str) -> AnyResponse:
    """The form, or why there is none."""
    moment = the_moment(event_id)
    closed: Problem | None = None
    try:
        refuse_signing_up(moment.state)
    except Problem as problem:
        closed = problem
    # Given with the form, so that it is there when the form comes.
    visit.phone()
    form = field("form")[:FORM_LETTERS] or secrets.token_urlsafe(FORM_BYTES)
    return page("sign_up.html", state=moment.state, rulebook=moment.state.rulebook, closed=closed, form=form,
                organizer=False, csrf=lambda: "", sent_ms="", full_names=bool(moment.state.options.get("full_names")))


@route("POST /join/<event_id>", EVERYBODY, OPEN)
@mended_on(join)
def sign_up(event_id: str) -> AnyResponse:
    """Entered, and on to the own page. The same form again leads to the same page: an answer may be lost."""
    hub, form = the_hub(), field("form")[:FORM_LETTERS]
    before = hub.hall.sign_ups.answered(event_id, form)
    if before is not None and before in the_moment(event_id).state.entrants:
        return redirect(personal_page(event_id, before), 303)
    refuse_signing_up(the_moment(event_id).state)
    if not hub.hall.sign_ups.admits(request.remote_addr or ""):
        raise Problem("sign_up_wait")
    competitor = _enter(the_moment(event_id))
    hub.hall.sign_ups.entered(event_id, form, competitor, visit.phone(), request.remote_addr or "")
    return redirect(personal_page(event_id, competitor), 303)


def _enter(moment: EventAt) -> str:
    state = moment.state
    name = fit_name(field("name"))
    if not name:
        raise Invalid("no_names")
    if any(fold(moment.people[who].name) == fold(name) for who in state.entrants if who in moment.people):
        raise Problem("sign_up_twice", name=name)
    members, captain = team() if state.rulebook.team_size > 1 else ((), None)
    if state.rulebook.team_size > 1:
        refuse_broken_teams(moment, {name: (members, captain)})
    # Where full names are shown, whoever does not want that is shown as everywhere else.
    shown_short = bool(state.options.get("full_names")) and not field("full_name") and not members
    competitor = Competitor(
        f"p{next_number((*state.entrants, *state.removed), 'p')}", name,
        public_name=shorten(name, 1) if shown_short else None, club=fit_name(field("club")) or None,
        external_id=" ".join(field("external_id").split()) or None, came_with=fit_name(field("came_with")) or None,
        members=members, captain=captain)
    record, entrant = enrol(state.id, competitor)
    entered = the_hub().service.tell(state.id, EnterCompetitor(entrant, signed_up=True), ACTOR, [record])
    # The writer has the last word on the id.
    return str(entered[-1].data["competitor"])
