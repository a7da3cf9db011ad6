"""The people of this venue: who has played here, who is joined and parted, and who is forgotten."""

import secrets

from flask import abort, redirect, request, url_for
from werkzeug.wrappers import Response as AnyResponse

from roundtap_core.errors import Invalid
from roundtap_core.event.entries import NewEntry
from roundtap_core.name_search import find, fold, search_text
from roundtap_hub.http.routes import ORGANIZERS, route
from roundtap_hub.live import current, forms
from roundtap_hub.live.render import place_page
from roundtap_hub.store.book import ID_LETTERS, PEOPLE_JOINED, PERSON_FORGOTTEN, PERSON_PARTED, BookPerson
from roundtap_hub.store.command_pipeline import refuse_forgetting
from roundtap_hub.store.snapshots import EventSummary, summary_of


def people_by_name() -> list[BookPerson]:
    """Everybody in the book."""
    return sorted(current.snapshot().known_people(), key=lambda each: fold(each.person.name))


def searched(person: BookPerson) -> str:
    """All names and the id that a person is found by."""
    rows = (person.person, *person.spellings.values())
    return search_text(*(text for each in rows for text in (each.name, each.public_name, each.external_id)))


def event_line(event_id: str) -> EventSummary:
    """Name and date of an event."""
    snapshot = current.snapshot()
    if (state := snapshot.events.get(event_id)) is not None:
        return summary_of(state)
    return snapshot.dormant.get(event_id) or EventSummary(event_id, 0, "", event_id, "", "")


@route("GET /console/people", ORGANIZERS)
def people_page() -> AnyResponse:
    """All persons by name; `q`: part of a name."""
    query, snapshot = request.args.get("q", "")[: forms.NAME_LETTERS], current.snapshot()
    return place_page(
        "book.html",
        "people",
        people=find(query, people_by_name(), searched),
        query=query,
        searched=searched,
        event=event_line,
        unread=len(snapshot.unread_events()),
        copied_at=snapshot.venue.copied_at,
    )


def known_person(person: str) -> BookPerson:
    """This person; 404 for one who was joined or forgotten meanwhile."""
    return next((each for each in people_by_name() if each.id == person), None) or abort(404)


@route("GET /console/people/<person>", ORGANIZERS)
def known_person_page(person: str) -> AnyResponse:
    """A person's evenings, and who else they may be."""
    one = known_person(person)
    return place_page(
        "book_person.html",
        "people",
        one=one,
        rows=current.snapshot().people_at(one.seats),
        others=[each for each in people_by_name() if each.id != person],
        event=event_line,
    )


@route("POST /console/people/<person>/join", ORGANIZERS)
@forms.shows_problem_on(known_person_page)
def join_people(person: str) -> None:
    forms.add_venue_entry(NewEntry(PEOPLE_JOINED, {"person": person, "other": forms.field("other")}))


@route("POST /console/people/<person>/part", ORGANIZERS)
@forms.shows_problem_on(known_person_page)
def part_person(person: str) -> None:
    seat, new = [forms.field("event"), forms.field("competitor")], secrets.token_hex(ID_LETTERS // 2)
    forms.add_venue_entry(NewEntry(PERSON_PARTED, {"person": person, "seat": seat, "new": new}))


@route("POST /console/people/<person>/forget", ORGANIZERS)
@forms.shows_problem_on(known_person_page)
def forget_person(person: str) -> AnyResponse:
    """The name is gone when this answers: in every event "Player 3 (forgotten)" stands instead."""
    one = known_person(person)
    if forms.field("name").casefold() != one.person.name.strip().casefold():
        raise Invalid("person_not_typed", where="/name", typed=forms.field("name")[:80], name=one.person.name)
    refuse_forgetting(current.snapshot(), person)
    if (paper := current.hub().paper) is not None:
        # First: should the hub die in between, print orders are lost, but no name stays on one.
        for event_id, _ in one.seats:
            paper.forget(event_id)
    forms.add_venue_entry(NewEntry(PERSON_FORGOTTEN, {"person": person}))
    return redirect(url_for("console.people_page"), 303)
