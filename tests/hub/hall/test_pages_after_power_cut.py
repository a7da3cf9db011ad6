"""After a power cut: tables go on with what they counted, the console offers that, no clock jumps before an answer."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pages_kit import House, open_house, problem_of, text_of
from wire_json import table_json

from roundtap_core.clock import COUNTING, PAUSED, RUNNING
from roundtap_core.event.commands import GrantExtension, SetClock
from roundtap_hub.views.round_clock import table_clocks

MINUTE = 60_000
HELD_MS = 24 * MINUTE
"""What the hub knew last, some seconds before the power failed."""


@pytest.fixture
def house(tmp_path: Path) -> Iterator[House]:
    """Round 1 of three tables was running when the hub's machine was started again."""
    with open_house(tmp_path) as made:
        made.with_event()
        made.publish()
        for table in (1, 2):
            made.place(f"unit-{table}", table)
        made.service.execute_one("e1", SetClock("start"), "organizer")
        made.service.execute_one("e1", SetClock("restore", HELD_MS), "hub")
        yield made


def says(house: House, unit: str, match: str, clock_ms: int | None) -> None:
    house.hub.presence.update(unit, house.time(), connected=True, match=match, clock_ms=clock_ms)


def counted(house: House) -> Any:
    return table_clocks(house.service.snapshot, house.hub.presence.units, house.event, house.time())


def view_of(house: House, unit: str) -> Any:
    return table_json(house.service.snapshot, unit, None, house.hub.clocks.now(), set())


def test_a_table_is_told_to_go_on_with_what_it_counted(house: House) -> None:
    clock = view_of(house, "unit-1")["clock"]
    assert (clock["state"], clock["deadline_ms"], clock["remaining_ms"]) == ("counting", None, HELD_MS)
    before = view_of(house, "unit-1")
    house.time.ms += 5 * MINUTE
    assert view_of(house, "unit-1") == before


def test_the_tables_in_the_middle_say_what_the_console_offers(house: House) -> None:
    says(house, "unit-1", "1.1", 23 * MINUTE + 41_000)
    house.time.ms += 1_000
    says(house, "unit-2", "1.2", 23 * MINUTE + 42_000)
    house.time.ms += 500
    found = counted(house)
    assert (found.left_ms, found.tables, found.spread_ms) == (23 * MINUTE + 39_500, 2, 2_000)


def test_a_table_that_only_shows_what_the_hub_holds_has_counted_nothing(house: House) -> None:
    says(house, "unit-1", "1.1", HELD_MS)
    says(house, "unit-2", "1.2", None)
    assert counted(house) is None


def test_a_unit_that_stands_elsewhere_says_nothing_of_this_round(house: House) -> None:
    says(house, "unit-1", "1.2", 20 * MINUTE)
    says(house, "unit-2", "7.7", 20 * MINUTE)
    assert counted(house) is None


def test_an_extension_is_taken_off_what_its_table_counted(house: House) -> None:
    house.service.execute_one("e1", GrantExtension("1.1", 5), "organizer")
    says(house, "unit-1", "1.1", 28 * MINUTE)
    assert counted(house).left_ms == 23 * MINUTE


def test_one_press_goes_on_from_there(house: House) -> None:
    says(house, "unit-1", "1.1", 23 * MINUTE + 41_000)
    says(house, "unit-2", "1.2", 23 * MINUTE + 43_000)
    organizer = house.organizer()
    page = organizer.console()
    assert "2 tables kept the time (within 2 s of each other). Continue from there?" in text_of(page)
    assert "23:41" in text_of(page)
    house.time.ms += 11_000
    assert organizer.post("/console/e1/clock", action="continue").status_code == 303
    assert house.event.clock.state == RUNNING
    assert house.event.clock.remaining_at(house.hub.clocks.now()) == 23 * MINUTE + 30_000


def test_another_value_is_typed(house: House) -> None:
    organizer = house.organizer()
    organizer.console()
    organizer.post("/console/e1/clock", action="continue", time="22:10")
    assert house.event.clock.state == RUNNING
    assert house.event.clock.remaining_ms == 22 * MINUTE + 10_000


def test_or_it_stays_paused_where_the_tables_are(house: House) -> None:
    says(house, "unit-1", "1.1", 23 * MINUTE)
    organizer = house.organizer()
    organizer.console()
    organizer.post("/console/e1/clock", action="hold")
    assert (house.event.clock.state, house.event.clock.remaining_ms) == (PAUSED, 23 * MINUTE)


def test_without_a_table_that_knows_the_last_known_is_offered(house: House) -> None:
    organizer = house.organizer()
    assert "The last known time is 24:00" in text_of(organizer.console())
    organizer.post("/console/e1/clock", action="start")
    assert (house.event.clock.state, house.event.clock.remaining_ms) == (RUNNING, HELD_MS)


def test_it_is_answered_once(house: House) -> None:
    organizer = house.organizer()
    organizer.console()
    organizer.post("/console/e1/clock", action="continue", time="22:10")
    again = organizer.post("/console/e1/clock", action="continue", time="20:00")
    assert again.status_code == 409
    assert "The clock was already set" in problem_of(again)
    assert house.event.clock.remaining_ms == 22 * MINUTE + 10_000


def test_everybody_s_pages_show_the_last_known_in_words(house: House) -> None:
    player = next(iter(house.event.entrants))
    for path in ("/wall/e1", f"/e/e1/p/{player}"):
        page = house.browser().get(path)
        assert 'data-phase="counting"' in page.text
        assert "tables kept the time" in text_of(page)
        assert "24:00" in text_of(page)


def test_the_console_hears_of_another_count_and_not_of_time_that_passes(house: House) -> None:
    organizer = house.organizer()

    def seen() -> str:
        return organizer.console().text.split('data-seen="')[1].split('"')[0]

    nothing = seen()
    says(house, "unit-1", "1.1", 23 * MINUTE)
    first = seen()
    house.time.ms += 10_000
    says(house, "unit-1", "1.1", 23 * MINUTE - 10_000)
    assert (first != nothing, seen() == first) == (True, True)


@pytest.mark.parametrize(
    "wall", ["2026-11-23T10:00:00+00:00", "2026-11-21T10:00:00+00:00", "2016-11-22T10:00:00+00:00", None]
)
def test_the_machine_s_date_moves_no_clock(house: House, wall: str | None) -> None:
    """A day forward, a day back, ten years back, unknown: only monotonic time counts."""
    house.service.execute_one("e1", SetClock("continue", 20 * MINUTE), "organizer")
    house.time.wall = "2026-11-22T10:00:00+00:00"
    before = view_of(house, "unit-1")
    house.time.ms += MINUTE
    house.time.wall = wall
    assert view_of(house, "unit-1") == before
    assert house.event.clock.remaining_at(house.hub.clocks.now()) == 19 * MINUTE
    house.service.execute_one("e1", SetClock("adjust", MINUTE), "organizer")
    assert house.event.clock.remaining_at(house.hub.clocks.now()) == 20 * MINUTE
    assert house.event.clock.state != COUNTING
