"""The people of this venue: who has played here, who is joined and parted, and who is forgotten. And regulars: people
of the venue's book on the check-in page, the likely ones first; one tap enters them.

A team event has the teams of the book, any other event the players: members of teams are not in the book.
"""

import re
import secrets
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from flask import abort, redirect, request, url_for
from msgspec import structs
from werkzeug.wrappers import Response as AnyResponse

from roundtap_core.errors import Invalid, Problem
from roundtap_core.event import commands
from roundtap_core.event.entries import NewEntry, Person
from roundtap_core.event.states import Entrant, EventState, not_yet_present, seated_ids
from roundtap_core.names import find, fold, is_found, search_text
from roundtap_core.records import Competitor
from roundtap_core.typed import next_number
from roundtap_hub.http import routes
from roundtap_hub.live import current, forms
from roundtap_hub.live.render import place_page
from roundtap_hub.store.book import ID_LETTERS, PEOPLE_JOINED, PERSON_FORGOTTEN, PERSON_PARTED, BookPerson
from roundtap_hub.store.command_pipeline import known_steps, person_and_entrant, refuse_forgetting
from roundtap_hub.store.journal import PersonRecord
from roundtap_hub.store.service import Step
from roundtap_hub.store.snapshots import EventSummary
from roundtap_hub.views.round_clock import DATE_ALONE, time_of_day
from roundtap_hub.views.saved_event import EventLine, SavedEvent, known_events, name_sort_key

RECENT_MS = 8 * 7 * 86_400_000
SHOWN = 36

NUMBERED = re.compile(r" \(\d+\)$")  # the number that tells namesakes apart, which no one types


@dataclass(frozen=True, slots=True)
class Regular:
    """A person of the book, for one event. `competitor`: as whom they are entered there, "" for who is not; `here`:
    entered and present; `evenings`: the places in the order of events of the recent ones they played, oldest first."""

    known: BookPerson
    name: str
    competitor: str
    here: bool
    evenings: tuple[tuple[int, int, str], ...]


def namesakes(typed: str, rows: Sequence[Any]) -> list[Any]:
    """Rows with exactly this name."""
    return [each for each in rows if fold(NUMBERED.sub("", each.name)) == fold(typed)]


def find_by_name(typed: str, rows: Sequence[Any]) -> list[Any]:
    """Rows that a few letters mean: with exactly this name, else those where every word begins a part of the name."""
    same = namesakes(typed, rows)
    if same or not fold(typed):
        return same
    return [each for each in rows if is_found(typed, search_text(each.name), begins=True)]


def regulars(event: SavedEvent) -> list[Regular]:
    """Everybody in the book whom this event can have: who came most often in the eight weeks before its day first, then
    who came last. Being entered changes nobody's place. An event without a date has the day of its making; where no
    day is known, it counts."""
    state, snapshot = event.state, current.snapshot()
    known = [each for each in snapshot.known_people() if bool(each.person.members) == (state.rulebook.team_size > 1)]
    persons, waiting = snapshot.venue.book.persons, not_yet_present(state)
    seated = {persons[state.id, who]: who for who in state.entrants if (state.id, who) in persons}
    others = {who: event.people[who] for who in state.entrants if who not in seated.values() and who in event.people}
    entered = {person: who for who, person in snapshot.recognized(state, others, known, seated).items()} | seated
    since = time_of_day(state.about.get("date") or current.hub().clocks.wall(), -RECENT_MS, DATE_ALONE)
    days = {
        line.id: line.date or snapshot.venue.begun_at.get(line.id)
        for line in known_events(snapshot)
        if line.finished and line.id != state.id
    }
    recent = {each for each, day in days.items() if not (on := time_of_day(day, form=DATE_ALONE)) or on >= since}
    rows = (
        Regular(
            each,
            each.person.name,
            entered.get(each.id, ""),
            each.id in entered and entered[each.id] not in waiting,
            tuple(snapshot.venue.age(evening) for evening, _ in each.seats if evening in recent),
        )
        for each in sorted(known, key=lambda each: name_sort_key(each.person.name))
    )
    return sorted(rows, key=lambda row: (len(row.evenings), row.evenings[-1:]), reverse=True)


def last_evening(event: SavedEvent, rows: Iterable[Regular]) -> tuple[str, list[Regular]]:
    """The name of the last finished event of the same game, and who of `rows` played there."""
    snapshot, game = current.snapshot(), (event.state.rulebook_id, event.state.rules)
    same = [line.id for line in known_events(snapshot) if line.finished and (line.rulebook_id, line.rules) == game]
    before = (snapshot.event(same[-1]) if same else None) or event.state
    played = {(before.id, who) for who in seated_ids(before)}
    return before.name, [row for row in rows if not played.isdisjoint(row.known.seats)]


def check_in_steps(state: EventState, competitor: str, meets: str | None = None) -> list[Step]:
    """Checking in at the desk also confirms the entry."""
    arrival = (commands.CheckIn, commands.ConfirmEntry) if state.check_in else (commands.ConfirmEntry,)
    return [Step(state.id, each(competitor, meets=meets)) for each in arrival]


def from_book(known: BookPerson) -> Competitor:
    """Names, club and external id come along; what was noted on an evening stays there."""
    p = known.person
    return Competitor(
        "", p.name, p.public_name, p.club, p.external_id, members=p.members, captain=p.captain, person=known.id
    )


def _is_bare(event: SavedEvent, row: Regular) -> bool:
    """Whether one tap can enter again all that this entry holds, and no phone has its page."""
    entrant, person = event.state.entrants[row.competitor], event.people.get(row.competitor)
    earlier = current.snapshot().people_at([seat for seat in row.known.seats if seat[0] != event.event_id])
    given = [Person.of(from_book(replace(row.known, person=each))).to_json() for each in earlier.values()]
    return (
        person is not None
        and entrant == Entrant(entrant.id, entrant.digest, checked_in=entrant.checked_in)
        and not current.hub().access.links.is_given(event.event_id, entrant.id)
        and any(person.to_json().items() <= each.items() for each in given)
    )


def entering(
    state: EventState, chosen: Iterable[Competitor], here: bool = True, **more: Any
) -> tuple[list[Step], list[PersonRecord]]:
    """The steps that enter these competitors, whose ids are made here, and their rows. `more`: of EnterCompetitor."""
    first = next_number((*state.entrants, *state.removed), "p")
    competitors = [structs.replace(each, id=f"p{n}") for n, each in enumerate(chosen, start=first)]
    made = [person_and_entrant(state.id, each) for each in competitors]
    steps = [
        Step(state.id, commands.EnterCompetitor(structs.replace(entrant, checked_in=here), **more))
        for _, entrant in made
    ]
    return steps + known_steps(state.id, competitors), [record for record, _ in made]


@routes.route("POST /console/<event_id>/regulars", routes.HEADS_AND_DESK, frozenset({routes.BEFORE}))
@forms.shows_problem_on("console.check_in_page")
def check_in_regulars(event_id: str) -> None:
    """Enter and check in `who`: a person of the book, all of the "last" evening, or all who are "awaited". With `on` 0
    take that back: without check-in the entry is removed, if nothing is lost with it."""
    event, who = current.event(event_id), forms.field("who")
    state, known, waiting = event.state, regulars(event), not_yet_present(event.state)
    rows = last_evening(event, known)[1] if who == "last" else [row for row in known if row.known.id == who]
    away = waiting if who == "awaited" else [row.competitor for row in rows if row.competitor in waiting]
    if state.public_rounds or not (rows or away):
        # Late entries ask for more; and a person may have been forgotten meanwhile.
        raise Problem("step_changed_meanwhile")
    back = forms.field("on") == "0"
    taken = [row for row in rows if back and row.here]
    for row in taken if not state.check_in else ():
        if state.draft or not _is_bare(event, row):
            raise Problem("regular_in_draft" if state.draft else "regular_holds_more", name=row.name)
    steps, people = entering(state, [from_book(row.known) for row in rows if not (back or row.competitor)])
    steps += [step for each in away if not back for step in check_in_steps(state, each)]
    steps += [
        Step(state.id, commands.CheckIn(who, on=False) if state.check_in else commands.RemoveCompetitor(who))
        for who in (row.competitor for row in taken)
    ]
    forms.submit_steps(steps, people)


def people_by_name() -> list[BookPerson]:
    """Everybody in the book."""
    return sorted(current.snapshot().known_people(), key=lambda each: fold(each.person.name))


def searched(person: BookPerson) -> str:
    """All names and the id that a person is found by."""
    rows = (person.person, *person.spellings.values())
    return search_text(*(text for each in rows for text in (each.name, each.public_name, each.external_id)))


def event_line(event_id: str) -> EventLine:
    """Name and date of an event."""
    events, at_rest = current.snapshot().events, current.snapshot().dormant
    return events.get(event_id) or at_rest.get(event_id) or EventSummary(event_id, 0, "", event_id, "", "")


@routes.route("GET /console/people", routes.ORGANIZERS)
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


@routes.route("GET /console/people/<person>", routes.ORGANIZERS)
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


@routes.route("POST /console/people/<person>/join", routes.ORGANIZERS)
@forms.shows_problem_on(known_person_page)
def join_people(person: str) -> None:
    forms.add_venue_entry(NewEntry(PEOPLE_JOINED, {"person": person, "other": forms.field("other")}))
    forms.note_act("joined")


@routes.route("POST /console/people/<person>/part", routes.ORGANIZERS)
@forms.shows_problem_on(known_person_page)
def part_person(person: str) -> None:
    seat, new = [forms.field("event"), forms.field("competitor")], secrets.token_hex(ID_LETTERS // 2)
    forms.add_venue_entry(NewEntry(PERSON_PARTED, {"person": person, "seat": seat, "new": new}))
    forms.note_act("parted")


@routes.route("POST /console/people/<person>/forget", routes.ORGANIZERS)
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
    forms.note_act("forgotten")
    return redirect(url_for("console.people_page"), 303)
