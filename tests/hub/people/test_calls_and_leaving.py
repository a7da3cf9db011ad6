"""A judge's call ends when somebody says so or when the result stands; a wish to leave can be refused, one by one."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from pages_kit import Browser, House, open_house, text_of

from roundtap_core.event.commands import DropCompetitor, EnterResult, FinishEvent, ReturnCompetitor
from roundtap_core.records import Result, SidePair
from roundtap_hub.serving.page_versions import page_version
from roundtap_hub.units.table_view import table_view
from roundtap_hub.units.unit_presence import (
    ECHO_GRACE_MS,
    Presence,
    UnitStatus,
    close_granted_leaves,
    close_settled_calls,
)


@pytest.fixture
def house(tmp_path: Path) -> Iterator[House]:
    with open_house(tmp_path) as opened:
        opened.service.listen(lambda snapshot, entries: close_settled_calls(opened.hub.presence, snapshot, entries))
        opened.service.listen(lambda _, entries: close_granted_leaves(opened.hub.presence, entries))
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
    house.hub.presence.update(unit, house.time.ms, **said)


def status(house: House, unit: str = "unit-1") -> UnitStatus:
    return house.hub.presence.units[unit]


def view(house: House, unit: str = "unit-1") -> dict[str, object]:
    return table_view(house.service.snapshot, unit, status(house, unit))


# --- a call ----------------------------------------------------------------------------------------------------------


def test_the_judge_says_that_a_call_is_settled(house: House, browser: Browser):
    says(house, "unit-1", call=True)
    page = text_of(browser.console())
    assert "judge called" in page
    assert "Done" in page
    assert view(house)["call"] == {"taken_by": None}
    browser.post("/console/e1/call/settled", match="1.1")
    assert view(house)["call"] is None
    assert "judge called" not in text_of(browser.console())


def test_who_says_settled_too_late_leaves_the_next_call(house: House, browser: Browser):
    says(house, "unit-1", call=True)
    [since] = re.findall(r'name="since" value="(\d+)"', browser.console().text)
    browser.post("/console/e1/call/settled", match="1.1", since=since)
    assert view(house)["call"] is None
    says(house, "unit-1", call=False)
    house.time.ms += 5000
    says(house, "unit-1", call=True)
    browser.post("/console/e1/call/settled", match="1.1", since=since)
    assert view(house)["call"] == {"taken_by": None}


def test_a_settled_call_does_not_come_back_before_the_table_calls_anew(house: House, browser: Browser):
    """The unit's next status may still have been sent with the call in it."""
    says(house, "unit-1", call=True)
    browser.post("/console/e1/call/settled", match="1.1")
    says(house, "unit-1", call=True)
    assert view(house)["call"] is None
    says(house, "unit-1", call=False)
    says(house, "unit-1", call=True)
    assert view(house)["call"] == {"taken_by": None}


@pytest.mark.parametrize("by", ["both sides", "the judge"])
def test_a_call_ends_when_the_result_of_its_match_stands(house: House, browser: Browser, by: str):
    for unit in ("unit-1", "unit-2"):
        says(house, unit, call=True)
    house.time.ms += ECHO_GRACE_MS
    house.report("1.1", "a", 100, 24)
    assert status(house).call_since_ms is not None
    if by == "the judge":
        house.service.execute_one("e1", EnterResult("1.1", 0, Result(score=SidePair(100, 24))), "test")
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
    house.time.ms += 2 * ECHO_GRACE_MS
    house.service.execute_one("e1", DropCompetitor("p6"), "test")
    assert status(house, "unit-2").call_since_ms is not None


# --- calls by phone ---------------------------------------------------------------------------------------------------


def test_a_phone_s_call_and_the_table_s_are_one(house: House, browser: Browser):
    house.hub.hall.calls.open("e1", "1.1", "phone:p3")
    house.time.ms += 60_000
    says(house, "unit-1", call=True)
    (call,) = house.hub.hall.calls.of("e1")
    assert (call.match, call.table, call.sources) == ("1.1", 1, {"phone:p3", "unit:unit-1"})
    assert text_of(browser.console()).count("judge called 1:00") == 1
    browser.post("/console/e1/call", match="1.1")
    (call,) = house.hub.hall.calls.of("e1")
    assert (call.taken_by, house.time.ms - call.since_ms) == ("organizer", 60_000)
    assert view(house)["call"] == {"taken_by": "organizer"}
    assert "organizer is on the way" in text_of(browser.console())
    browser.post("/console/e1/call/settled", match="1.1")
    assert house.hub.hall.calls.of("e1") == ()
    assert view(house)["call"] is None


def test_a_call_is_open_as_long_as_anybody_wants_a_judge(house: House, browser: Browser):
    calls = house.hub.hall.calls
    calls.open("e1", "1.1", "phone:p3")
    calls.open("e1", "1.1", "phone:p4")
    calls.cancel("e1", "1.1", "phone:p3")
    calls.cancel("e1", "1.1", "phone:p9")
    assert [call.sources for call in calls.of("e1")] == [{"phone:p4"}]
    calls.cancel("e1", "1.1", "phone:p4")
    assert calls.of("e1") == ()
    assert "judge called" not in text_of(browser.console())


def test_the_table_is_not_told_of_a_call_that_its_unit_could_not_take_back(house: House, browser: Browser):
    house.hub.hall.calls.open("e1", "1.1", "phone:p3")
    assert view(house)["call"] is None


@pytest.mark.parametrize("by", ["both sides", "the judge"])
def test_a_phone_s_call_ends_when_the_result_stands_and_a_later_one_does_not(house: House, browser: Browser, by: str):
    for match in ("1.1", "1.2"):
        house.hub.hall.calls.open("e1", match, "phone:p1")
    house.report("1.1", "a", 100, 24)
    assert len(house.hub.hall.calls.of("e1")) == 2
    if by == "the judge":
        house.service.execute_one("e1", EnterResult("1.1", 0, Result(score=SidePair(100, 24))), "test")
    else:
        house.report("1.1", "b", 100, 24)
    assert [call.match for call in house.hub.hall.calls.of("e1")] == ["1.2"]
    house.time.ms += 1
    house.hub.hall.calls.open("e1", "1.1", "phone:p1")
    assert len(house.hub.hall.calls.of("e1")) == 2
    house.play()
    house.service.execute_one("e1", FinishEvent("the hall closes"), "test")
    assert house.hub.presence.units.asked == {}, "of an event that is over nothing is asked for"


def test_whoever_looks_at_console_wall_or_phone_looks_again_when_a_phone_calls(house: House, browser: Browser):
    who = sitting(house)["a"]
    pages = ("console/e1", "wall/e1", f"p/e1/{who}")

    def versions() -> list[str]:
        return [page_version(house.service.snapshot, house.hub.presence.units, page) for page in pages]

    before = versions()
    house.hub.hall.calls.open("e1", "1.1", f"phone:{who}")
    called = versions()
    house.hub.hall.calls.take("e1", "1.1", "Eva")
    taken = versions()
    for was, then in ((before, called), (called, taken)):
        assert all(a != b for a, b in zip(was, then, strict=True))


# --- leaving ---------------------------------------------------------------------------------------------------------


def sitting(house: House) -> dict[str, str]:
    match = house.event.live.matches[0].match  # type: ignore[union-attr]
    return {"a": match.a, "b": match.b or ""}


def wishes(house: House, browser: Browser) -> list[str]:
    page = text_of(browser.console())
    people = house.service.snapshot.people["e1"]
    match = house.event.live.matches[0].match  # type: ignore[union-attr]
    return [side for side, who in (("a", match.a), ("b", match.b)) if f"{people[who].name} wants to drop" in page]


def test_both_wishes_of_one_table_arrive(house: House, browser: Browser):
    says(house, "unit-1", leave=frozenset("ab"))
    assert wishes(house, browser) == ["a", "b"]


def test_a_refused_wish_is_gone_from_the_console_and_said_at_the_table(house: House, browser: Browser):
    says(house, "unit-1", leave=frozenset("ab"))
    assert view(house)["leave_refused"] == []
    browser.post("/console/e1/leave/refused", who=sitting(house)["b"])
    assert wishes(house, browser) == ["a"]
    assert view(house)["leave_refused"] == ["b"]
    assert all(entrant.active for entrant in house.event.entrants.values())
    says(house, "unit-1", leave=frozenset("a"))
    assert view(house)["leave_refused"] == ["b"]


def test_who_asks_anew_is_heard_anew_and_the_next_match_knows_nothing_of_it(house: House, browser: Browser):
    says(house, "unit-1", leave=frozenset("b"))
    browser.post("/console/e1/leave/refused", who=sitting(house)["b"])
    says(house, "unit-1", leave=frozenset())
    says(house, "unit-1", leave=frozenset("b"))
    assert wishes(house, browser) == ["b"]
    browser.post("/console/e1/leave/refused", who=sitting(house)["b"])
    says(house, "unit-1", match="2.1", leave=frozenset())
    assert view(house)["leave_refused"] == []


def test_a_wish_by_phone_and_one_at_the_table_arrive_both(house: House, browser: Browser):
    seats = sitting(house)
    house.hub.hall.leave_requests.ask("e1", seats["a"], "phone")
    says(house, "unit-1", leave=frozenset("b"))
    assert wishes(house, browser) == ["a", "b"]
    house.hub.hall.leave_requests.take_back("e1", seats["a"], "phone")
    assert wishes(house, browser) == ["b"]


def test_a_refusal_is_told_where_it_was_asked(house: House, browser: Browser):
    who = sitting(house)["b"]
    house.hub.hall.leave_requests.ask("e1", who, "phone")
    says(house, "unit-1", leave=frozenset("b"))
    browser.post("/console/e1/leave/refused", who=who)
    assert view(house)["leave_refused"] == ["b"]
    assert [(wish.competitor, wish.refused) for wish in house.hub.hall.leave_requests.of("e1")] == [(who, True)]
    assert wishes(house, browser) == []
    house.hub.hall.leave_requests.ask("e1", who, "phone")
    assert [wish.refused for wish in house.hub.hall.leave_requests.of("e1")] == [False]
    assert wishes(house, browser) == ["b"]


def test_whoever_left_and_comes_back_is_not_asked_about_it_again(house: House, browser: Browser):
    who = sitting(house)["a"]
    house.hub.hall.leave_requests.ask("e1", who, "phone")
    house.service.execute_one("e1", DropCompetitor(who), "test")
    assert house.hub.hall.leave_requests.of("e1") == ()
    house.service.execute_one("e1", ReturnCompetitor(who), "test")
    assert house.hub.hall.leave_requests.of("e1") == ()


def test_letting_go_says_what_it_does_to_the_open_match(house: House, browser: Browser):
    match = house.event.live.matches[0].match  # type: ignore[union-attr]
    other = house.service.snapshot.people["e1"][match.a].name
    says(house, "unit-1", leave=frozenset("b"))
    page = text_of(browser.console())
    assert f"Concedes the open match at table 1 to {other}," in page


def test_only_a_wish_that_was_said_can_be_refused():
    presence = Presence()
    presence.refuse_leave("unit-9", "a")
    presence.close_call("unit-9")
    presence.update("unit-1", 1)
    presence.refuse_leave("unit-1", "a")
    presence.close_call("unit-1")
    assert presence.units == {"unit-1": UnitStatus("unit-1", 1)}
