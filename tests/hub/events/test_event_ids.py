"""Ids of events are made by chance, and the list still has them in the order in which they began."""

import re
from pathlib import Path

from pages_kit import House, open_house

from roundtap_core.event.commands import CreateEvent
from roundtap_core.event.entries import VENUE
from roundtap_core.typed import next_number
from roundtap_hub.store.service import Step
from roundtap_hub.views.running_hub import random_event_id


def test_an_id_is_an_e_and_ten_letters_of_the_given_chance() -> None:
    assert random_event_id(lambda n: bytes(n)) == "eaaaaaaaaaa"
    assert random_event_id(lambda n: b"\xff" * n) == "e7777777777"
    assert re.fullmatch("e[a-z2-7]{10}", random_event_id())
    assert len({random_event_id() for _ in range(1000)}) == 1000


def names(house: House) -> list[str]:
    snapshot = house.service.snapshot
    return [snapshot.events[event_id].name for event_id in snapshot.ids]


def test_the_console_makes_ids_by_the_hubs_chance_and_lists_events_in_their_order(tmp_path: Path) -> None:
    with open_house(tmp_path) as house:
        browser, chance = house.organizer(), iter(("ezz", "eaa", "emm"))
        house.hub.new_event_id = lambda: next(chance)
        for name in ("First", "Second", "Third"):
            browser.post(
                "/console", name=name, color="#00785A", rulebook="xwing-standard", structure="own", swiss_rounds=2
            )

        assert list(house.service.snapshot.events) == ["ezz", "eaa", "emm"]
        assert names(house) == ["First", "Second", "Third"]
        page = browser.get("/console").text
        assert page.index("First") < page.index("Second") < page.index("Third")


def test_events_from_before_the_update_come_first_in_their_own_order(tmp_path: Path) -> None:
    with open_house(tmp_path) as house:
        for number in (10, 2):
            old = CreateEvent(f"Old {number}", "xwing-standard", None, {}, "#0072B2", 7)
            house.service.execute([Step(f"e{number}", old)], "test")
        house.hub.new_event_id = lambda: "ea"
        house.organizer().post(
            "/console", name="New", color="#00785A", rulebook="xwing-standard", structure="own", swiss_rounds=2
        )

        assert names(house) == ["Old 2", "Old 10", "New"]
        assert [entry.kind for entry in house.service.journal.entries(VENUE)][-1] == "event-begun"


def test_an_event_that_is_refused_did_not_begin(tmp_path: Path) -> None:
    with open_house(tmp_path) as house:
        house.organizer().post("/console", name="", color="#00785A", rulebook="xwing-standard")

        assert not house.service.snapshot.venue.begun


def test_an_id_that_ends_in_a_digit_that_is_no_number_is_counted_over():
    assert next_number(["p1", "p²", "p٣", "x9"], "p") == 4
