"""The venue's book: who has played here. A person is an id and the seats it had; names are the rows of those seats.

Of teams the team is known, not its members. What is written on an evening (travel groups, notes, who has paid) stays
there.
"""

import hashlib
import json
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Any

from msgspec import structs

from roundtap_core.errors import Problem
from roundtap_core.event.entries import Entry, NewEntry
from roundtap_core.event.person import Person
from roundtap_core.lists.list_form import fold

PEOPLE_KNOWN, PEOPLE_JOINED = "people-known", "people-joined"
PERSON_PARTED, PERSON_FORGOTTEN = "person-parted", "person-forgotten"
BOOK_KINDS = frozenset({PEOPLE_KNOWN, PEOPLE_JOINED, PERSON_PARTED, PERSON_FORGOTTEN})
ID_LETTERS = 12

Seat = tuple[str, str]  # (event, competitor)
Age = Callable[[str], Any]  # an event's place in the order of events


@dataclass(frozen=True, slots=True)
class Book:
    """Everybody who has played here, by ids only."""

    seats: Mapping[str, tuple[Seat, ...]] = field(default_factory=dict)  # by person, the oldest seat first
    persons: Mapping[Seat, str] = field(default_factory=dict)  # `seats`, the other way round
    forgotten: frozenset[Seat] = frozenset()  # seats whose person was forgotten
    spelled: Mapping[str, tuple[Seat, ...]] = field(default_factory=dict)
    """By person who was joined of several, the seats with other spellings."""
    events: frozenset[str] = frozenset()  # events whose players it has taken


@dataclass(frozen=True, slots=True)
class BookPerson:
    """A person of the book: `person` is the row of the newest seat that has one, `last_event` its event; `spellings`:
    rows of those who were joined."""

    id: str
    person: Person
    seats: tuple[Seat, ...]
    last_event: str
    spellings: tuple[Person, ...] = ()


def first_id(seat: Seat) -> str:
    """The id of a person who is met at this seat: the same on every hub that reads the same entries."""
    event, competitor = seat
    return hashlib.sha256(f"roundtap/book/1\n{event}\n{competitor}".encode()).hexdigest()[:ID_LETTERS]


def recognize(
    event_id: str, people: Mapping[str, Person], known: Iterable[BookPerson], taken: Collection[str] = ()
) -> dict[str, str]:
    """The person of each of an event's `people`, by competitor: the one with the same external id, else with the same
    name, unless both have other external ids; else a new one. `known`: the newest first, who wins where several fit;
    `taken`: persons who have another seat there. Two of one event are two persons."""
    alike: dict[tuple[str, str], list[BookPerson]] = {}
    for each in known:
        for key in (key for person in (each.person, *each.spellings) for key in _keys(person)):
            alike.setdefault(key, []).append(each)
    found, used = dict[str, str](), set(taken)
    for kind in ("id", "name"):
        for competitor, person in people.items():
            for key in [key for key in _keys(person) if key[0] == kind and competitor not in found]:
                for each in alike.get(key, ()):
                    if each.id not in used and not _differ(each.person, person):
                        found[competitor] = each.id
                        used.add(each.id)
                        break
    return {competitor: found.get(competitor) or first_id((event_id, competitor)) for competitor in people}


def _keys(person: Person) -> list[tuple[str, str]]:
    return [("name", fold(person.name)), *([("id", person.external_id)] if person.external_id else [])]


def _differ(one: Person, other: Person) -> bool:
    return bool(one.external_id and other.external_id) and one.external_id != other.external_id


def decide_book(book: Book, new: NewEntry) -> list[NewEntry]:
    """Accept one of BOOK_KINDS, or none if it changes nothing. A seat keeps its person. Raises
    Problem("book_unknown_person", "book_seat_alone", "book_same_event")."""
    data = new.data
    if new.kind == PEOPLE_KNOWN:
        event = data["event"]
        there = {person for seat, person in book.persons.items() if seat[0] == event}
        persons = {
            competitor: person
            for competitor, person in data["persons"].items()
            if (event, competitor) not in book.forgotten | book.persons.keys() and person not in there
        }
        some = persons or event not in book.events
        return [structs.replace(new, data={**data, "persons": persons})] if some else []
    for person in (data["person"], data.get("other", data["person"])):
        if person not in book.seats:
            raise Problem("book_unknown_person")
    seats = book.seats[data["person"]]
    if new.kind == PEOPLE_JOINED:
        events = {event for event, _ in seats}
        if data["person"] == data["other"]:
            return []
        if any(event in events for event, _ in book.seats[data["other"]]):
            raise Problem("book_same_event")
    if new.kind == PERSON_PARTED and (tuple(data["seat"]) not in seats or len(seats) == 1 or data["new"] in book.seats):
        raise Problem("book_seat_alone")
    if new.kind == PERSON_FORGOTTEN:
        # Whatever the page showed: the seats that the person has now.
        return [structs.replace(new, data={**data, "seats": [list(seat) for seat in seats]})]
    return [new]


def apply_book(book: Book, entry: Entry, age: Age) -> Book:
    """The book after one of BOOK_KINDS."""
    data = entry.data
    if entry.kind == PEOPLE_KNOWN:
        seats = {(data["event"], competitor): person for competitor, person in data["persons"].items()}
        # An entry that follows another copy of this journal may name seats that are known otherwise here.
        known = book.persons.keys() | book.forgotten
        after = _changed(book, {seat: person for seat, person in seats.items() if seat not in known}, age)
        return replace(after, events=book.events | {data["event"]})
    if entry.kind == PEOPLE_JOINED:
        two = [data["person"], data["other"]]
        spelled = [seat for who in two for seat in (*book.spelled.get(who, ()), *book.seats.get(who, ())[-1:])]
        after = _changed(book, dict.fromkeys(book.seats.get(data["other"], ()), data["person"]), age)
        return replace(after, spelled={**book.spelled, data["person"]: tuple(spelled)})
    if entry.kind == PERSON_PARTED:
        return _changed(book, {(data["seat"][0], data["seat"][1]): data["new"]}, age)
    gone = seats_forgotten([entry])
    return replace(_changed(book, dict.fromkeys(gone), age), forgotten=book.forgotten.union(gone))


def without_event(book: Book, event_id: str, age: Age) -> Book:
    """The book after an event was deleted: who played nowhere else is in it no more."""
    return _changed(book, dict.fromkeys(seat for seat in book.persons if seat[0] == event_id), age)


def _changed(book: Book, changes: Mapping[Seat, str | None], age: Age) -> Book:
    """The book with these seats given to other persons, or to none. Only theirs are sorted: a book has thousands."""
    persons = {**book.persons, **{seat: person for seat, person in changes.items() if person}}
    for seat in [seat for seat, person in changes.items() if not person]:
        persons.pop(seat, None)
    seats = dict(book.seats)
    concerned = {*changes.values(), *(book.persons.get(seat) for seat in changes)}
    for who in filter(None, concerned):
        theirs = {seat for seat in (*seats.get(who, ()), *changes) if persons.get(seat) == who}
        seats[who] = tuple(sorted(theirs, key=lambda seat: (age(seat[0]), seat)))
        if not theirs:
            del seats[who]
    return replace(book, seats=seats, persons=persons)


def seats_forgotten(entries: Iterable[Entry | NewEntry]) -> list[Seat]:
    """The seats whose rows these entries erase, as the person at them is forgotten."""
    return [
        (event, competitor)
        for entry in entries
        if entry.kind == PERSON_FORGOTTEN
        for event, competitor in entry.data["seats"]
    ]


def rows_to_forget(
    rows: Iterable[Sequence[Any]], seats: Collection[Seat], events: Collection[str], deleted: Collection[str] = ()
) -> set[Seat]:
    """Of another copy's rows of people (event, competitor, salt, JSON): those at `seats`, those of `deleted` events,
    and those that are called as they are in events other than `events`, which the journal here never knew."""
    people: dict[Seat, list[tuple[str, str]]] = {}
    for event_id, competitor, _, data in rows:
        with suppress(ValueError, TypeError, AttributeError):
            people.setdefault((event_id, competitor), []).extend(_keys(Person.from_json(json.loads(data))))
    meant = {key for seat in seats for key in people.get(seat, ())}
    return {
        seat
        for seat, keys in people.items()
        if seat in seats or seat[0] in deleted or (seat[0] not in events and not meant.isdisjoint(keys))
    }
