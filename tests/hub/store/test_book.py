"""The venue's book: who is who, and how persons are joined, parted and forgotten. Ids only."""

from collections.abc import Mapping
from typing import Any

import pytest

from roundtap_core.errors import Problem
from roundtap_core.event.entries import VENUE, NewEntry, Person, Timestamp, chain_entry
from roundtap_hub.store.book import BookPerson, first_id, recognize
from roundtap_hub.store.venue import Venue, apply_venue, decide_venue

FRIDAYS = ("zulu", "alpha", "mike")  # the ids of events do not show their order


def told(venue: Venue, kind: str, **data: Any) -> Venue:
    """The venue after what is decided about this entry."""
    for new in decide_venue(venue, NewEntry(kind, data)):
        entry = chain_entry(new, VENUE, venue.number + 1, venue.head, Timestamp("boot", 0), "organizer")
        venue = apply_venue(venue, entry)
    return venue


def venue_of(**persons: Mapping[str, str]) -> Venue:
    """A venue whose events had these persons, by competitor."""
    venue = Venue()
    for event in FRIDAYS:
        venue = told(venue, "event-begun", event=event)
    for event, known in persons.items():
        venue = told(venue, "people-known", event=event, persons=known)
    return venue


def seats(venue: Venue) -> dict[str, list[str]]:
    return {person: [f"{event}/{who}" for event, who in theirs] for person, theirs in venue.book.seats.items()}


def test_a_person_has_seats_the_oldest_event_first_in_whatever_order_the_events_are_learned() -> None:
    venue = venue_of(mike={"p7": "anna"}, zulu={"p1": "anna", "p2": "bert"}, alpha={"p3": "anna"})
    assert seats(venue) == {"anna": ["zulu/p1", "alpha/p3", "mike/p7"], "bert": ["zulu/p2"]}
    assert venue.book.persons["alpha", "p3"] == "anna"


def test_a_seat_keeps_its_person_and_a_person_has_one_seat_in_an_event() -> None:
    venue = venue_of(zulu={"p1": "anna"})
    assert told(venue, "people-known", event="zulu", persons={"p1": "bert"}) is venue
    assert told(venue, "people-known", event="zulu", persons={"p2": "anna"}) is venue
    after = told(venue, "people-known", event="zulu", persons={"p1": "bert", "p2": "bert"})
    assert seats(after) == {"anna": ["zulu/p1"], "bert": ["zulu/p2"]}


def test_an_entry_that_follows_another_copy_takes_no_seat_from_who_has_it() -> None:
    venue = told(venue_of(zulu={"p1": "anna", "p2": "bert"}), "person-forgotten", person="bert")
    known = NewEntry("people-known", {"event": "zulu", "persons": {"p1": "eve", "p2": "eve", "p3": "eve"}})
    after = apply_venue(venue, chain_entry(known, VENUE, venue.number + 1, venue.head, Timestamp("boot", 0), "hub"))
    assert seats(after) == {"anna": ["zulu/p1"], "eve": ["zulu/p3"]}


def test_two_are_joined_and_a_seat_is_parted_again() -> None:
    joined = told(venue_of(zulu={"p1": "anna"}, alpha={"p4": "anja"}), "people-joined", person="anna", other="anja")
    assert seats(joined) == {"anna": ["zulu/p1", "alpha/p4"]}
    parted = told(joined, "person-parted", person="anna", seat=["zulu", "p1"], new="fresh")
    assert seats(parted) == {"anna": ["alpha/p4"], "fresh": ["zulu/p1"]}
    assert told(parted, "people-joined", person="anna", other="anna") is parted


@pytest.mark.parametrize(
    ("kind", "data", "key"),
    [
        ("people-joined", {"person": "anna", "other": "nobody"}, "book_unknown_person"),
        ("people-joined", {"person": "anna", "other": "bert"}, "book_same_event"),
        ("person-parted", {"person": "bert", "seat": ["zulu", "p2"], "new": "fresh"}, "book_seat_alone"),
        ("person-parted", {"person": "anna", "seat": ["zulu", "p2"], "new": "fresh"}, "book_seat_alone"),
        ("person-parted", {"person": "anna", "seat": ["zulu", "p1"], "new": "bert"}, "book_seat_alone"),
        ("person-forgotten", {"person": "nobody"}, "book_unknown_person"),
    ],
)
def test_what_cannot_be_is_refused(kind: str, data: Mapping[str, Any], key: str) -> None:
    venue = venue_of(zulu={"p1": "anna", "p2": "bert"}, alpha={"p1": "anna"})
    with pytest.raises(Problem) as refused:
        told(venue, kind, **data)
    assert refused.value.key == key


def test_a_person_is_forgotten_with_every_seat_and_no_seat_is_known_again() -> None:
    venue = venue_of(zulu={"p1": "anna", "p2": "bert"}, alpha={"p4": "anna"})
    assert decide_venue(venue, NewEntry("person-forgotten", {"person": "anna", "seats": []}))[0].data["seats"] == [
        ["zulu", "p1"],
        ["alpha", "p4"],
    ]
    after = told(venue, "person-forgotten", person="anna")
    assert seats(after) == {"bert": ["zulu/p2"]}
    assert after.book.forgotten == {("zulu", "p1"), ("alpha", "p4")}
    assert told(after, "people-known", event="alpha", persons={"p4": "anna"}) is after


def test_who_played_only_in_a_deleted_event_is_in_the_book_no_more() -> None:
    venue = venue_of(zulu={"p1": "anna", "p2": "bert"}, alpha={"p1": "bert"})
    after = told(venue, "event-deleted", event="zulu")
    assert seats(after) == {"bert": ["alpha/p1"]}
    assert ("zulu", "p1") not in after.book.persons


def known(*people: tuple[str, Person]) -> list[BookPerson]:
    return [BookPerson(who, person, ((FRIDAYS[0], who),), FRIDAYS[0]) for who, person in people]


@pytest.mark.parametrize(
    ("person", "is_who"),
    [
        (Person("Zoe Łuź"), "zoe"),
        (Person("zoé  LUZ"), "zoe"),
        (Person("Zoe Łuź", external_id="77"), "zoe"),
        (Person("Zoe Married", external_id="12"), "adam"),
        (Person("Adam Nowak"), "adam"),
        (Person("Adam Nowak", external_id="13"), "new"),
        (Person("Zoe Luzz"), "new"),
    ],
)
def test_who_is_who(person: Person, is_who: str) -> None:
    book = known(("zoe", Person("Zoe Łuź")), ("adam", Person("Adam Nowak", external_id="12")))
    new = first_id(("tonight", "p9"))
    assert recognize("tonight", {"p9": person}, book, of_game=FRIDAYS)["p9"] == (new if is_who == "new" else is_who)


def test_an_id_counts_before_any_name() -> None:
    book = known(("adam", Person("Adam Nowak", external_id="12")), ("eve", Person("Ewa Nowak")))
    tonight = {"p1": Person("Adam Nowak"), "p2": Person("A. Nowak", external_id="12")}
    assert recognize("tonight", tonight, book, of_game=FRIDAYS) == {"p1": first_id(("tonight", "p1")), "p2": "adam"}


def test_two_of_one_name_in_one_event_are_two_persons_and_the_newest_comes_first() -> None:
    book = known(("newest", Person("Jan Kowalski")), ("older", Person("Jan Kowalski")))
    three = {who: Person("Jan Kowalski") for who in ("p1", "p2", "p3")}
    found = recognize("tonight", three, book, of_game=FRIDAYS)
    assert list(found.values()) == [
        "newest",
        "older",
        first_id(("tonight", "p3")),
    ]
    assert recognize("tonight", {"p1": three["p1"]}, book, taken=["newest"], of_game=FRIDAYS) == {"p1": "older"}


def test_an_event_is_read_only_once_all_its_players_are_taken() -> None:
    entered = venue_of(zulu={"p1": "anna"})
    assert entered.book.read == frozenset()
    over = told(entered, "people-known", event="zulu", persons={"p2": "bert"}, all=True)
    assert (over.book.read, seats(over)) == ({"zulu"}, {"anna": ["zulu/p1"], "bert": ["zulu/p2"]})
    assert told(over, "people-known", event="zulu", persons={}, all=True) is over


def test_of_two_who_are_joined_the_newest_seats_tell_how_they_are_spelled() -> None:
    venue = venue_of(zulu={"p1": "anna"}, alpha={"p4": "anja"}, mike={"p7": "anna"})
    joined = told(venue, "people-joined", person="anna", other="anja")
    assert joined.book.spelled == {("mike", "p7"), ("alpha", "p4")}


def test_the_ids_of_who_is_forgotten_are_not_used_again() -> None:
    """An event file that was saved before has them."""
    anna, anja = first_id(("zulu", "p1")), first_id(("alpha", "p4"))
    venue = venue_of(zulu={"p1": anna}, alpha={"p4": anja, "p5": "parted"})
    joined = told(venue, "people-joined", person=anna, other=anja)
    after = told(joined, "person-forgotten", person=anna)
    again = told(after, "people-known", event="mike", persons={"p1": anna, "p2": anja, "p3": "parted"})
    assert seats(again) == {"parted": ["alpha/p5", "mike/p3"]}


def test_who_kept_the_id_when_a_forgotten_person_was_parted_goes_on_with_it() -> None:
    anna = first_id(("zulu", "p1"))
    parted = told(
        venue_of(zulu={"p1": anna}, alpha={"p4": anna}), "person-parted", person=anna, seat=["zulu", "p1"], new="other"
    )
    after = told(parted, "person-forgotten", person="other")
    again = told(after, "people-known", event="mike", persons={"p1": anna})
    assert seats(again) == {anna: ["alpha/p4", "mike/p1"]}


@pytest.mark.parametrize(
    ("person", "is_who"),
    [
        (Person("Zoe Luz", external_id="12"), "new"),
        (Person("Adam Nowak", external_id="12"), "adam"),
        (Person("ADAM NOWAK"), "namesake"),
        (Person("Adam Nowak", external_id="13"), "namesake"),
        (Person("A. Nowak", external_id="7"), "adam"),
        (Person("A. Nowak", external_id="8"), "new"),
    ],
)
def test_another_game_s_id_counts_with_the_same_name_only(person: Person, is_who: str) -> None:
    """Adam was joined with who had an id of tonight's game, in its first Friday, and one of a third game."""
    spellings = {
        ("mike", "p1"): Person("A. Nowak", external_id="7"),
        ("alpha", "p1"): Person("Nowak", external_id="8"),
    }
    adam = BookPerson("adam", Person("Adam Nowak", external_id="12"), (("zulu", "p1"),), "zulu", spellings)
    book = [*known(("namesake", Person("Adam Nowak"))), adam]
    found = recognize("tonight", {"p9": person}, book, of_game=["mike"])["p9"]
    assert found == (first_id(("tonight", "p9")) if is_who == "new" else is_who)
