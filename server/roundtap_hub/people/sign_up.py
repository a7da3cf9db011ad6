"""Sign-up by phone, and its page for the organizer, with the QR code."""

import secrets
from urllib.parse import urlsplit

from flask import Blueprint, abort, redirect, request
from msgspec.structs import replace
from werkzeug.wrappers import Response as AnyResponse

from roundtap_core.errors import Invalid, Problem
from roundtap_core.event.commands import RemoveCompetitor, SetSignUp
from roundtap_core.event.people import refuse_sign_up
from roundtap_core.event.stale_check import make_mark
from roundtap_core.lists.list_form import fold
from roundtap_core.names import clean_name, display_name, shorten_name
from roundtap_core.records import Competitor
from roundtap_hub.access.personal_links import PHONE_ACTOR
from roundtap_hub.http.qr_svg import qr_svg
from roundtap_hub.http.requester import OWN_LINK
from roundtap_hub.http.routes import EVERYBODY, HEADS_AND_DESK, OPEN, ORGANIZERS, VISIBLE, PageKey, route
from roundtap_hub.live import current, forms, render
from roundtap_hub.people.registration_desk import typed_team
from roundtap_hub.people.regulars import Regular, entering, from_book, regulars
from roundtap_hub.store.service import Step
from roundtap_hub.views.competitors import roster
from roundtap_hub.views.saved_event import SavedEvent, full_names

ACTOR = "sign-up"  # the actor of entries that players made themselves
FORM_BYTES, FORM_LETTERS = 16, 64

LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})
NAMED = 24  # the most names in one confirmation: there may be hundreds of entries, each with its own


def guard_forms(bp: Blueprint) -> None:
    """Refuse forms posted from other sites. No CSRF mark is needed: no one is logged in here."""

    @bp.before_request
    def check() -> None:
        origin = request.headers.get("Origin")
        if request.method == "POST" and origin is not None and urlsplit(origin).netloc != request.host:
            abort(403)


def personal_page_url(event_id: str, competitor: str) -> str:
    """The address of the new player's personal page."""
    return current.hub().access.links.give(event_id, competitor, ACTOR)


@route("GET /join/<event_id>", EVERYBODY, VISIBLE)
def join_page(event_id: str) -> AnyResponse:
    """The form, or why sign-up is closed."""
    event = current.event(event_id)
    closed: Problem | None = None
    try:
        refuse_sign_up(event.state)
    except Problem as problem:
        closed = problem
    # Set the cookie with the form, so that the POST has it.
    current.browser_id()
    form = forms.field("form")[:FORM_LETTERS] or secrets.token_urlsafe(FORM_BYTES)
    known = None if closed else _known_here(event)
    return render.page(
        "sign_up.html",
        state=event.state,
        rulebook=event.state.rulebook,
        closed=closed,
        known=display_name(known.known.person.to_competitor("")) if known else "",
        form=form,
        organizer=False,
        csrf=lambda: "",
        sent_ms="",
        full_names=bool(event.state.options.get("full_names")),
    )


@route("POST /join/<event_id>", EVERYBODY, OPEN)
@forms.shows_problem_on(join_page)
def submit_sign_up(event_id: str) -> AnyResponse:
    """Enter the player and redirect to their page; the same form sent again (an answer may be lost) leads there too."""
    hub, form = current.hub(), forms.field("form")[:FORM_LETTERS]
    before = hub.hall.sign_ups.answered(event_id, form)
    if before is not None and before in current.event(event_id).state.entrants:
        return redirect(personal_page_url(event_id, before), 303)
    refuse_sign_up(current.event(event_id).state)
    if not hub.hall.sign_ups.admits(request.remote_addr or ""):
        raise Problem("sign_up_wait")
    competitor = _enter(current.event(event_id))
    hub.hall.sign_ups.entered(event_id, form, competitor, current.browser_id(), request.remote_addr or "")
    return redirect(personal_page_url(event_id, competitor), 303)


def _known_here(event: SavedEvent) -> Regular | None:
    """Whose personal page this phone opened last, if the book has them and they can enter this event. Of a forgotten
    person, or of an event that was deleted, no phone has anything."""
    owner = current.hub().access.links.owner_of(request.cookies.get(OWN_LINK, ""))
    who = current.snapshot().venue.book.persons.get(owner) if owner else None
    return next((row for row in regulars(event) if row.known.id == who and not row.competitor), None) if who else None


def _enter(event: SavedEvent) -> str:
    state, known = event.state, _known_here(event) if forms.field("known") else None
    # Where full names are shown, a player may ask for the short one.
    asks_short = bool(state.options.get("full_names")) and not forms.field("full_name")
    if known is not None:
        person = known.known.person
        kept = None if forms.field("full_name") else person.public_name
        public = display_name(person.to_competitor("")) if asks_short and not person.members else kept
        competitor = replace(from_book(known.known), public_name=public)
    elif forms.field("known"):
        # Forgotten, or entered at the desk meanwhile.
        raise Problem("step_changed_meanwhile")
    else:
        name = clean_name(forms.field("name"))
        if not name:
            raise Invalid("no_names")
        if any(fold(event.people[who].name) == fold(name) for who in state.entrants if who in event.people):
            raise Problem("sign_up_twice", name=name)
        members, captain = typed_team() if state.rulebook.team_size > 1 else ((), None)
        competitor = Competitor(
            "",
            name,
            public_name=shorten_name(name, 1) if asks_short and not members else None,
            club=clean_name(forms.field("club")) or None,
            external_id=" ".join(forms.field("external_id").split()) or None,
            came_with=clean_name(forms.field("came_with")) or None,
            members=members,
            captain=captain,
        )
    steps, people = entering(state, [competitor], signed_up=True)
    entered = current.hub().service.execute(steps, ACTOR, people)
    # The writer may have changed the id.
    return str(next(entry for entry in entered if "digest" in entry.data).data["competitor"])


@route("GET /console/<event_id>/sign-up", HEADS_AND_DESK, VISIBLE)
def sign_up_page(event_id: str) -> AnyResponse:
    """The QR code, large and printable; whether sign-up is open; who signed up."""
    event = current.event(event_id)
    state = event.state
    address = f"{current.hub_address()}/join/{event_id}"
    people, together = {each.id: each for each in roster(event)}, _sign_up_groups(event)
    return render.page(
        "sign_up_desk.html",
        feed=PageKey("console", event_id),
        state=state,
        rulebook=state.rulebook,
        address=address,
        qr=qr_svg(address, current.words()("join.qr", name=state.name)),
        only_here=urlsplit(address).hostname in LOOPBACK,
        came=[people[who] for who in together],
        together=together,
        stay=_known_at_desk(event),
        phones=current.hub().hall.sign_ups.phones(event_id),
        names=full_names(event),
        named=NAMED,
        mark=_mark,
    )


def _sign_up_groups(event: SavedEvent) -> dict[str, dict[str, list[str]]]:
    """Sign-ups, newest first, each with all by the same "phone", from the same "address", and "since" then."""
    came = [who for who, entrant in event.state.entrants.items() if entrant.sign_up is not None][::-1]
    marks, same = current.hub().hall.sign_ups.phones(event.event_id), dict[tuple[str, object], list[str]]()
    groups = {who: dict(zip(("phone", "address"), marks.get(who, (who, who)), strict=True)) for who in came}
    for who in came:
        for each in groups[who].items():
            same.setdefault(each, []).append(who)
    return {
        who: {**{each[0]: same[each] for each in groups[who].items()}, "since": came[:n]}
        for n, who in enumerate(came, start=1)
    }


def _mark(gone: list[str]) -> str:
    return make_mark("sign-ups", gone)


def _known_at_desk(event: SavedEvent) -> set[str]:
    """Players known at the desk: confirmed or checked in there (not by phone), or with notes of officials."""
    seen = {
        (entry.data["competitor"], entry.kind): entry.data.get("on", True)
        for entry in current.hub().service.entries(event.event_id)
        if entry.kind in ("entry-confirmed", "checked-in") and not entry.actor.startswith(PHONE_ACTOR)
    }
    noted = {each.id for each in roster(event) if not each.removable}
    return noted | {who for (who, _), stands in seen.items() if stands}


@route("POST /console/<event_id>/sign-up", ORGANIZERS, OPEN)
@forms.shows_problem_on(sign_up_page)
def set_sign_up(event_id: str) -> None:
    """Set sign-up to open, open with confirmation at the desk, or closed."""
    chosen = forms.field("sign_up")
    forms.submit_command(event_id, SetSignUp(chosen in ("open", "confirm"), confirm=chosen == "confirm"))


@route("POST /console/<event_id>/sign-up/remove", HEADS_AND_DESK, OPEN)
@forms.shows_problem_on(sign_up_page)
def remove_sign_ups(event_id: str) -> None:
    """Remove all sign-ups of the same phone, of the same address, or since one entry, except those known at the desk:
    all or none."""
    event, competitor = current.event(event_id), forms.field("competitor")
    together = _sign_up_groups(event)
    if competitor not in together:
        raise Problem("unknown_competitor", competitor=competitor)
    stay = _known_at_desk(event)
    gone = [who for who in together[competitor].get(forms.field("by"), ()) if who not in stay]
    if _mark(gone) != forms.field("gone"):
        # Entries have changed since the page was made: none is deleted unseen.
        raise Problem("step_changed_meanwhile")
    forms.submit_steps([Step(event_id, RemoveCompetitor(who)) for who in gone])
