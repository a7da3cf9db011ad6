"""The book on PostgreSQL: what one hub joins and forgets, the others know too."""

from hub_kit import event_steps, make_event
from shared_kit import hub_on

from kit import wait_until
from roundtap_core.event.commands import EnterResult, FinishEvent
from roundtap_core.event.entries import VENUE, NewEntry, Person
from roundtap_core.records import Result, SidePair
from roundtap_hub.store.journal import PersonRecord
from roundtap_hub.store.read_model import verify_journal
from roundtap_hub.store.service import Service, Step

NAMES = ("Zoe Łuź", "Adam Nowak")
OTHER = ("Zoé Luz-Kowalska", "Eve Nowak")


def played(service: Service, event: str, names: tuple[str, ...]) -> None:
    records = [PersonRecord(event, f"p{n}", f"salt {n}", Person(name)) for n, name in enumerate(names, start=1)]
    service.execute(event_steps(event, names), "organizer", records)
    told(service, "event-archived", event=event)


def told(service: Service, kind: str, **data: object) -> None:
    service.execute([Step(VENUE, NewEntry(kind, data))], "organizer")


def ids(service: Service) -> dict[str, str]:
    return {each.person.name: each.id for each in service.snapshot.known_people()}


def test_who_is_joined_and_forgotten_by_one_hub_is_so_at_the_other(url: str) -> None:
    with hub_on(url) as first, hub_on(url) as second:
        played(first.service, "e1", NAMES)
        played(first.service, "e2", OTHER)
        wait_until(lambda: set(ids(second.service)) == {*NAMES, *OTHER}, "all four")
        assert list(second.service.snapshot.people_of("e1").values()) == [Person(name) for name in NAMES]

        told(second.service, "people-joined", person=ids(second.service)[NAMES[0]], other=ids(second.service)[OTHER[0]])
        wait_until(lambda: len(ids(first.service)) == 3, "the two who are one")
        told(first.service, "person-forgotten", person=ids(first.service)[OTHER[0]])

        gone = "Player 1 (forgotten)"
        for event, stays in (("e1", NAMES[1]), ("e2", OTHER[1])):
            wait_until(
                lambda event=event: second.service.snapshot.people_of(event)["p1"].name == gone,  # type: ignore[misc]
                "who is forgotten",
            )
            assert {each.name for each in first.journal.people()[event].values()} == {gone, stays}
        assert set(ids(second.service)) == {NAMES[1], OTHER[1]}
        assert [wrong for check in verify_journal(first.journal) for wrong in check.wrong] == []


def test_who_is_forgotten_goes_from_the_other_s_memory_of_an_event_just_finished(url: str) -> None:
    with hub_on(url) as first, hub_on(url) as second:
        for match in make_event(first.service).rounds[0].matches:
            result = EnterResult(match.id, match.revision, Result(score=SidePair(100, 24)))
            first.service.execute_one("e1", result, "organizer")
        first.service.execute_one("e1", FinishEvent("the hall closes"), "organizer")
        wait_until(lambda: len(ids(second.service)) == 4, "the players")
        assert "e1" in second.service.snapshot.events
        told(first.service, "person-forgotten", person=ids(first.service)["Ana Ruiz"])
        wait_until(lambda: "Ana R." not in second.service.snapshot.names_of("e1").values(), "who is forgotten")
        assert second.service.snapshot.names_of("e1")["p1"] == "Player 1 (forgotten)"


def test_two_hubs_read_an_earlier_event_once(url: str) -> None:
    with hub_on(url) as first, hub_on(url) as second:
        played(first.service, "e1", NAMES)
        wait_until(lambda: "e1" in second.service.snapshot.dormant, "the event")
        for hub in (second, first):
            told(hub.service, "people-known", event="e1")
        known = [entry for entry in first.journal.entries(VENUE) if entry.kind == "people-known"]
        assert len(known) == 1
