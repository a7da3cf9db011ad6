"""The venue's book: who has played here; and its leagues: a name, rules, and the events that are added up.

A person is an id and the seats it had; names are the rows of those seats.

Of teams the team is known, not its members. What is written on an evening (travel groups, notes, who has paid) stays
there.
"""

import hashlib
import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from msgspec import structs

from roundtap_core.errors import Problem
from roundtap_core.event.entries import Entry, NewEntry, Person
from roundtap_core.lists.list_form import fold
from roundtap_core.standings.standings import LeagueRules

BOOK_KINDS = ("people-known", "people-joined", "person-parted", "person-forgotten")
PEOPLE_KNOWN, PEOPLE_JOINED, PERSON_PARTED, PERSON_FORGOTTEN = BOOK_KINDS
LEAGUE_KINDS = LEAGUE_SAVED, LEAGUE_REMOVED = ("league-saved", "league-removed")
ID_LETTERS = 12

Seat = tuple[str, str]  # (event, competitor)


@dataclass(frozen=True)
class Book:
    """Everybody who has played here, by ids only."""

    persons: Mapping[Seat, str] = field(default_factory=dict)
    forgotten: frozenset[Seat] = frozenset()  # seats whose person was forgotten
    former: frozenset[str] = frozenset()  # ids of forgotten persons, which no older file brings back
    spelled: frozenset[Seat] = frozenset()  # of persons who were joined, the seats with the other spellings
    events: Mapping[str, Any] = field(default_factory=dict)  # events that it has heard of, and what orders them
    read: frozenset[str] = frozenset()  # events all of whose players it has taken: they were over

    @cached_property
    def seats(self) -> Mapping[str, tuple[Seat, ...]]:
        """`persons`, the other way round: the oldest seat first."""
        seats: dict[str, tuple[Seat, ...]] = {}
        for seat in sorted(self.persons, key=lambda seat: (self.events.get(seat[0], ()), seat)):
            seats[self.persons[seat]] = (*seats.get(self.persons[seat], ()), seat)
        return seats


@dataclass(frozen=True, slots=True)
class BookPerson:
    """A person of the book: `person` is the row of the newest seat that has one, `last_event` its event; `spellings`:
    rows of those who were joined, by their seats."""

    id: str
    person: Person
    seats: tuple[Seat, ...]
    last_event: str
    spellings: Mapping[Seat, Person] = field(default_factory=dict)


def first_id(seat: Seat) -> str:
    """The id of a person who is met at this seat: the same on every hub that reads the same entries."""
    return hashlib.sha256("\n".join(("roundtap/book/1", *seat)).encode()).hexdigest()[:ID_LETTERS]


def recognize(
    event_id: str,
    people: Mapping[str, Person],
    known: Iterable[BookPerson],
    taken: Collection[str] = (),
    *,
    of_game: Collection[str],
) -> dict[str, str]:
    """The person of each of an event's `people`, by competitor: the one with the same external id, else with the same
    name, unless both have other external ids; else a new one. Other games have other ids: outside the events `of_game`
    one counts with the same name only. `known`: the newest first, who wins where several fit; `taken`: persons who have
    another seat there. Two of one event are two persons."""
    asked, found = {who: _keys(person) for who, person in people.items()}, dict[str, str]()
    for kind in ("id", "both", "name"):
        for each in known:
            rows = {**each.spellings, (each.last_event, ""): each.person}
            keys = {
                key
                for (event, _), row in rows.items()
                for key in _keys(row)
                if key[0] == kind and (kind != "id" or event in of_game)
            }
            for who, theirs in asked.items():
                if keys & theirs and who not in found and each.id not in {*taken, *found.values()}:
                    ids = {each.person.external_id, people[who].external_id} - {None, ""}
                    found |= {who: each.id} if kind != "name" or len(ids) < 2 else {}
    return {competitor: found.get(competitor) or first_id((event_id, competitor)) for competitor in people}


def _keys(person: Person) -> set[tuple[str, ...]]:
    return {("name", fold(person.name))} | (
        {("id", person.external_id), ("both", person.external_id, fold(person.name))} if person.external_id else set()
    )


def decide_book(book: Book, new: NewEntry) -> list[NewEntry]:
    """Accept one of BOOK_KINDS, or none if it changes nothing. A seat keeps its person. Who is forgotten comes by
    an older event file with the name that is in it, but as a new person: that id is not used again. Raises
    Problem("book_unknown_person", "book_seat_alone", "book_same_event")."""
    data = new.data
    if new.kind == PEOPLE_KNOWN:
        event = data["event"]
        there = {person for seat, person in book.persons.items() if seat[0] == event}
        persons = {
            competitor: person
            for competitor, person in data["persons"].items()
            if not ((event, competitor) in book.forgotten or (event, competitor) in book.persons)
            and person not in there | book.former
        }
        gone = {(event, who) for who in data.get("removed", ())} & book.persons.keys()
        some = persons or gone or ("all" in data and event not in book.read)
        return [structs.replace(new, data={**data, "persons": persons})] if some else []
    for person in (data["person"], data.get("other", data["person"])):
        if person not in book.seats:
            raise Problem("book_unknown_person")
    seats = book.seats[data["person"]]
    if new.kind == PEOPLE_JOINED:
        if data["person"] == data["other"]:
            return []
        if {event for event, _ in seats} & {event for event, _ in book.seats[data["other"]]}:
            raise Problem("book_same_event")
    if new.kind == PERSON_PARTED and (tuple(data["seat"]) not in seats or len(seats) == 1 or data["new"] in book.seats):
        raise Problem("book_seat_alone")
    # Who is forgotten has all the seats of now, whatever the page showed, and those as an official.
    more = {"seats": [*map(list, seats), *data.get("seats", ())]} if new.kind == PERSON_FORGOTTEN else {}
    return [structs.replace(new, data={**data, **more})]


def apply_book(book: Book, entry: Entry, age: Any) -> Book:
    """The book after one of BOOK_KINDS. `age`: what orders an event that it names."""
    data, event = entry.data, str(entry.data.get("event"))
    if entry.kind == PEOPLE_JOINED:
        two = data["person"], data["other"]
        newest = {seats[-1] for who, seats in book.seats.items() if who in two}
        persons = {seat: two[0] if who == two[1] else who for seat, who in book.persons.items()}
        return replace(book, persons=persons, spelled=book.spelled | newest)
    if entry.kind == PERSON_PARTED:
        return replace(book, persons={**book.persons, tuple(data["seat"]): data["new"]})
    # Who was removed from the event may come to it as another entry.
    erased = seats_forgotten([entry])
    gone = {*erased, *((event, str(who)) for who in data.get("removed", ()))}
    kept = {seat: who for seat, who in book.persons.items() if seat not in gone}
    if entry.kind == PERSON_FORGOTTEN:
        # Those who were joined had other ids, one of which may by now be of a person who is parted.
        former = book.former.union([data["person"]], map(first_id, erased)).difference(kept.values())
        return replace(book, persons=kept, forgotten=book.forgotten | gone, former=former)
    # An entry that follows another copy of this journal may name seats that are known otherwise here.
    seats = {(event, who): person for who, person in data["persons"].items() if (event, who) not in book.forgotten}
    read = book.read | ({event} if "all" in data else set())
    return replace(book, persons={**seats, **kept}, events={**book.events, event: age}, read=read)


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
    people: dict[Seat, list[tuple[str, ...]]] = {}
    for event_id, competitor, _, data in rows:
        with suppress(ValueError, TypeError, AttributeError):
            people.setdefault((event_id, competitor), []).extend(_keys(Person.from_json(json.loads(data))))
    meant = {key for seat in seats for key in people.get(seat, ())}
    return {
        seat
        for seat, keys in people.items()
        if seat in seats or seat[0] in deleted or (seat[0] not in events and not meant.isdisjoint(keys))
    }


class League(LeagueRules, frozen=True, kw_only=True):
    """`events` in the order in which they began."""

    id: str = ""
    name: str = ""
    events: tuple[str, ...] = ()


def league_saved(league: League) -> NewEntry:
    """The entry that makes the league, or changes it."""
    return NewEntry(LEAGUE_SAVED, {**structs.asdict(league), "events": list(league.events)})


Leagues = Mapping[str, League]  # by id, in the order in which they were made


def with_league(leagues: Leagues, entry: Entry | NewEntry) -> Leagues:
    """The leagues after one of LEAGUE_KINDS: what was saved last holds."""
    data = entry.data
    if entry.kind == LEAGUE_REMOVED:
        return {id: each for id, each in leagues.items() if id != data["id"]}
    return {**leagues, data["id"]: League(**{**data, "events": tuple(data["events"])})}
