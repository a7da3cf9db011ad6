"""A judge's call ends when somebody says so or when the result stands; a wish to leave can be refused, one by one."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from pages_kit import Browser, House, open_house, text_of

from roundtap_core.event.commands import DropCompetitor, EnterResult
from roundtap_core.records import Pair, Result
from roundtap_hub.devices.calls import ECHOED_MS, close_settled_calls
from roundtap_hub.devices.table_view import table_view
from roundtap_hub.presence import Presence, UnitStatus


@pytest.fixture
def house(tmp_path: Path) -> Iterator[House]:
    with open_house(tmp_path) as opened:
        opened.service.listen(lambda snapshot, entries: close_settled_calls(opened.hub.presence, snapshot, entries))
        yield opened


@pytest.fixture
def browser(house: House) -> Browser:
    """Round 1 is played; unit-1 stands at table 1, unit-2 at table 2."""
    browser = house.with_event()
    house.publish()
    house.place("unit-1", 1)
    house.place("unit-2", 2)
    for number in (1, 2):
        says(house, f"unit-{number}", match=f"1.{number}")
    return browser


def says(house: House, unit: str, **said: object) -> None:
    house.hub.presence.heard(unit, house.time.ms, **said)


def status(house: House, unit: str = "unit-1") -> UnitStatus:
    return house.hub.presence.units[unit]


def view(house: House, unit: str = "unit-1") -> dict[str, object]:
    return table_view(house.service.snapshot, unit, status(house, unit))


# --- a call ----------------------------------------------------------------------------------------------------------


def test_the_judge_says_that_a_call_is_settled(house: House, browser: Browser):
    says(house, "unit-1", call=True)
    page = text_of(browser.get("/console/e1"))
    assert "judge wanted" in page
    assert "Settled" in page
    assert view(house)["call"] == {"taken_by": None}
    browser.post("/console/e1/call/settled", unit="unit-1")
    assert view(house)["call"] is None
    assert "judge wanted" not in text_of(browser.get("/console/e1"))


def test_a_settled_call_does_not_come_back_before_the_table_calls_anew(house: House, browser: Browser):
    """The unit's next status may still have been sent with the call in it."""
    says(house, "unit-1", call=True)
    browser.post("/console/e1/call/settled", unit="unit-1")
    says(house, "unit-1", call=True)
    assert view(house)["call"] is None
    says(house, "unit-1", call=False)
    says(house, "unit-1", call=True)
    assert view(house)["call"] == {"taken_by": None}


@pytest.mark.parametrize("by", ["both sides", "the judge"])
def test_a_call_ends_when_the_result_of_its_match_stands(house: House, browser: Browser, by: str):
    for unit in ("unit-1", "unit-2"):
        says(house, unit, call=True)
    house.time.ms += ECHOED_MS
    house.report("1.1", "a", 100, 24)
    assert status(house).call_since_ms is not None
    if by == "the judge":
        house.service.tell("e1", EnterResult("1.1", 0, Result(score=Pair(100, 24))), "test")
    else:
        house.report("1.1", "b", 100, 24)
    assert status(house).call_since_ms is None
    assert status(house, "unit-2").call_since_ms is not None


def test_neither_a_dispute_ends_a_call_nor_a_result_that_came_with_it(house: House, browser: Browser):
    says(house, "unit-1", call=True)
    house.report("1.1", "a", 100, 24)
    house.report("1.1", "b", 24, 100)
    assert status(house).call_since_ms is not None
    says(house, "unit-2", call=True)
    house.report("1.2", "a", 100, 24)
    house.report("1.2", "b", 100, 24)
    assert status(house, "unit-2").call_since_ms is not None
    house.time.ms += 2 * ECHOED_MS
    house.service.tell("e1", DropCompetitor("p6"), "test")
    assert status(house, "unit-2").call_since_ms is not None


# --- leaving ---------------------------------------------------------------------------------------------------------


def wishes(house: House, browser: Browser) -> list[str]:
    page = text_of(browser.get("/console/e1"))
    people = house.service.snapshot.people["e1"]
    match = house.event.live.matches[0].match  # type: ignore[union-attr]
    return [side for side, who in (("a", match.a), ("b", match.b)) if f"{people[who].name} wants to leave" in page]


def test_both_wishes_of_one_table_arrive(house: House, browser: Browser):
    says(house, "unit-1", leave=frozenset("ab"))
    assert wishes(house, browser) == ["a", "b"]


def test_a_refused_wish_is_gone_from_the_console_and_said_at_the_table(house: House, browser: Browser):
    says(house, "unit-1", leave=frozenset("ab"))
    assert view(house)["leave_refused"] == []
    browser.post("/console/e1/leave/refused", unit="unit-1", side="b")
    assert wishes(house, browser) == ["a"]
    assert view(house)["leave_refused"] == ["b"]
    assert all(entrant.active for entrant in house.event.entrants.values())
    says(house, "unit-1", leave=frozenset("a"))
    assert view(house)["leave_refused"] == ["b"]


def test_who_asks_anew_is_heard_anew_and_the_next_match_knows_nothing_of_it(house: House, browser: Browser):
    says(house, "unit-1", leave=frozenset("b"))
    browser.post("/console/e1/leave/refused", unit="unit-1", side="b")
    says(house, "unit-1", leave=frozenset())
    says(house, "unit-1", leave=frozenset("b"))
    assert wishes(house, browser) == ["b"]
    browser.post("/console/e1/leave/refused", unit="unit-1", side="b")
    says(house, "unit-1", match="2.1", leave=frozenset())
    assert view(house)["leave_refused"] == []


def test_letting_go_says_what_it_does_to_the_open_match(house: House, browser: Browser):
    match = house.event.live.matches[0].match  # type: ignore[union-attr]
    other = house.service.snapshot.people["e1"][match.a].name
    says(house, "unit-1", leave=frozenset("b"))
    page = text_of(browser.get("/console/e1"))
    assert f"The match at table 1 is still open: it counts as conceded to {other}." in page


def test_only_a_wish_that_was_said_can_be_refused():
    presence = Presence()
    presence.refuse_leave("unit-9", "a")
    presence.close_call("unit-9")
    presence.heard("unit-1", 1)
    presence.refuse_leave("unit-1", "a")
    presence.close_call("unit-1")
    assert presence.units == {"unit-1": UnitStatus("unit-1", 1)}
