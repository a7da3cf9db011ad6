"""A judge's call ends when somebody says so or when the result stands; a wish to leave can be refused, one by one."""

import re
from collections.abc import Iterator
from concurrent.futures import Future
from pathlib import Path

import pytest
from msgspec.structs import replace
from pages_kit import Browser, House, open_house, text_of
from wire_json import table_json

from roundtap_core.errors import Problem
from roundtap_core.event.commands import (
    AskToDrop,
    CallJudge,
    CancelCall,
    CancelDrop,
    CloseCall,
    DrawRound,
    DropCompetitor,
    EnterResult,
    FinishEvent,
    ReturnCompetitor,
    TakeCall,
)
from roundtap_core.event.requests import ECHO_GRACE_MS
from roundtap_core.messages import TableStatus
from roundtap_core.records import Result, SidePair
from roundtap_hub.http.routes import PageKey
from roundtap_hub.live.page_cache import HubNow, version_of
from roundtap_hub.units.table_api import take_status
from roundtap_hub.views.unit_presence import UnitStatus, close_call


@pytest.fixture
def house(tmp_path: Path) -> Iterator[House]:
    with open_house(tmp_path) as opened:
        yield opened


@pytest.fixture
def browser(house: House) -> Browser:
    """Round 1 is played; unit-1 stands at table 1, unit-2 at table 2."""
    browser = house.with_event()
    house.publish()
    house.place("unit-1", 1)
    house.place("unit-2", 2)
    for number in (1, 2):
        house.says(f"unit-{number}", match=f"1.{number}")
    return browser


def status(house: House, unit: str = "unit-1") -> UnitStatus:
    return house.hub.presence.units[unit]


def calls(house: House) -> dict[str, set[str]]:
    """Who calls a judge, by match."""
    return {match: set(call.sources) for match, call in house.event.calls.items()}


def call(house: House, match: str, source: str) -> None:
    house.service.execute_one("e1", CallJudge(match, source), source)


def ask(house: House, who: str, source: str = "phone") -> None:
    house.service.execute_one("e1", AskToDrop(who, source), source)


def view(house: House, unit: str = "unit-1") -> dict[str, object]:
    return table_json(house.service.snapshot, unit, status(house, unit))


# --- a call ----------------------------------------------------------------------------------------------------------


def test_the_judge_says_that_a_call_is_settled(house: House, browser: Browser):
    house.says("unit-1", call=True)
    page = text_of(browser.console())
    assert "judge called" in page
    assert "Done" in page
    assert view(house)["call"] == {"taken_by": None}
    browser.post("/console/e1/call/settled", match="1.1")
    assert view(house)["call"] is None
    assert "judge called" not in text_of(browser.console())


def test_who_says_settled_too_late_leaves_the_next_call(house: House, browser: Browser):
    house.says("unit-1", call=True)
    [since] = re.findall(r'name="since" value="(\d+)"', browser.console().text)
    browser.post("/console/e1/call/settled", match="1.1", since=since)
    assert view(house)["call"] is None
    house.says("unit-1", call=False)
    house.time.ms += 5000
    house.says("unit-1", call=True)
    browser.post("/console/e1/call/settled", match="1.1", since=since)
    assert view(house)["call"] == {"taken_by": None}


def test_a_settled_call_does_not_come_back_before_the_table_calls_anew(house: House, browser: Browser):
    """The unit's next status may still have been sent with the call in it."""
    house.says("unit-1", call=True)
    browser.post("/console/e1/call/settled", match="1.1")
    house.says("unit-1", call=True)
    assert view(house)["call"] is None
    house.says("unit-1", call=False)
    house.says("unit-1", call=True)
    assert view(house)["call"] == {"taken_by": None}


@pytest.mark.parametrize("by", ["both sides", "the judge"])
def test_a_call_ends_when_the_result_of_its_match_stands(house: House, browser: Browser, by: str):
    for unit in ("unit-1", "unit-2"):
        house.says(unit, call=True)
    house.time.ms += ECHO_GRACE_MS
    house.report("1.1", "a", 100, 24)
    assert "1.1" in calls(house)
    if by == "the judge":
        house.service.execute_one("e1", EnterResult("1.1", 0, Result(score=SidePair(100, 24))), "test")
    else:
        house.report("1.1", "b", 100, 24)
    assert "1.1" not in calls(house)
    assert "1.2" in calls(house)


def test_neither_a_dispute_ends_a_call_nor_a_result_that_came_with_it(house: House, browser: Browser):
    house.says("unit-1", call=True)
    house.report("1.1", "a", 100, 24)
    house.report("1.1", "b", 24, 100)
    assert "1.1" in calls(house)
    house.says("unit-2", call=True)
    house.report("1.2", "a", 100, 24)
    house.report("1.2", "b", 100, 24)
    assert "1.2" in calls(house)
    house.time.ms += 2 * ECHO_GRACE_MS
    house.service.execute_one("e1", DropCompetitor("p6"), "test")
    assert "1.2" in calls(house)


# --- calls by phone ---------------------------------------------------------------------------------------------------


def test_a_phone_s_call_and_the_table_s_are_one(house: House, browser: Browser):
    call(house, "1.1", "phone:p3")
    house.time.ms += 60_000
    house.says("unit-1", call=True)
    assert calls(house) == {"1.1": {"phone:p3", "unit:unit-1"}}
    assert text_of(browser.console()).count("judge called 1:00") == 1
    browser.post("/console/e1/call", match="1.1")
    one = house.event.calls["1.1"]
    assert (one.taken_by, house.time.ms - one.since.mono_ms) == ("organizer", 60_000)
    assert view(house)["call"] == {"taken_by": "organizer"}
    assert "organizer is on the way" in text_of(browser.console())
    browser.post("/console/e1/call/settled", match="1.1")
    assert calls(house) == {}
    assert view(house)["call"] is None


def test_a_call_is_open_as_long_as_anybody_wants_a_judge(house: House, browser: Browser):
    for who in ("phone:p3", "phone:p4"):
        call(house, "1.1", who)
    for who in ("phone:p3", "phone:p9"):
        house.service.execute_one("e1", CancelCall("1.1", who), who)
    assert calls(house) == {"1.1": {"phone:p4"}}
    house.service.execute_one("e1", CancelCall("1.1", "phone:p4"), "phone:p4")
    assert calls(house) == {}
    assert "judge called" not in text_of(browser.console())


def test_the_table_is_not_told_of_a_call_that_its_unit_could_not_take_back(house: House, browser: Browser):
    call(house, "1.1", "phone:p3")
    assert view(house)["call"] is None


@pytest.mark.parametrize("by", ["both sides", "the judge"])
def test_a_phone_s_call_ends_when_the_result_stands_and_a_later_one_does_not(house: House, browser: Browser, by: str):
    for match in ("1.1", "1.2"):
        call(house, match, "phone:p1")
    house.report("1.1", "a", 100, 24)
    assert len(calls(house)) == 2
    if by == "the judge":
        house.service.execute_one("e1", EnterResult("1.1", 0, Result(score=SidePair(100, 24))), "test")
    else:
        house.report("1.1", "b", 100, 24)
    assert list(calls(house)) == ["1.2"]
    house.time.ms += 1
    call(house, "1.1", "phone:p1")
    assert len(calls(house)) == 2
    house.play()
    house.service.execute_one("e1", FinishEvent("the hall closes"), "test")
    assert calls(house) == {}, "of an event that is over nothing is asked for"


def test_whoever_looks_at_console_wall_or_phone_looks_again_when_a_phone_calls(house: House, browser: Browser):
    who = sitting(house)["a"]
    pages = ("console/e1", "wall/e1", f"p/e1/{who}")

    def versions() -> list[str]:
        return [
            version_of(HubNow(house.hub, house.service.snapshot, house.hub.presence.units), PageKey.parse(page))
            for page in pages
        ]

    before = versions()
    call(house, "1.1", f"phone:{who}")
    called = versions()
    house.service.execute_one("e1", TakeCall("1.1", "Eva"), "test")
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
    house.says("unit-1", leave="ab")
    assert wishes(house, browser) == ["a", "b"]


def test_a_refused_wish_is_gone_from_the_console_and_said_at_the_table(house: House, browser: Browser):
    house.says("unit-1", leave="ab")
    assert view(house)["leave_refused"] == []
    browser.post("/console/e1/leave/refused", who=sitting(house)["b"])
    assert wishes(house, browser) == ["a"]
    assert view(house)["leave_refused"] == ["b"]
    assert all(entrant.active for entrant in house.event.entrants.values())
    house.says("unit-1", leave="a")
    assert view(house)["leave_refused"] == ["b"]


def test_who_asks_anew_is_heard_anew_and_the_next_match_knows_nothing_of_it(house: House, browser: Browser):
    house.says("unit-1", leave="b")
    browser.post("/console/e1/leave/refused", who=sitting(house)["b"])
    house.says("unit-1", leave="")
    house.says("unit-1", leave="b")
    assert wishes(house, browser) == ["b"]
    browser.post("/console/e1/leave/refused", who=sitting(house)["b"])
    house.play()
    house.publish()
    house.says("unit-1", match="2.1", leave="")
    assert view(house)["leave_refused"] == []


def test_a_wish_by_phone_and_one_at_the_table_arrive_both(house: House, browser: Browser):
    seats = sitting(house)
    ask(house, seats["a"])
    house.says("unit-1", leave="b")
    assert wishes(house, browser) == ["a", "b"]
    house.service.execute_one("e1", CancelDrop(seats["a"], "phone"), "phone")
    assert wishes(house, browser) == ["b"]


def test_a_refusal_is_told_where_it_was_asked(house: House, browser: Browser):
    who = sitting(house)["b"]
    ask(house, who)
    house.says("unit-1", leave="b")
    browser.post("/console/e1/leave/refused", who=who)
    assert view(house)["leave_refused"] == ["b"]
    assert {key: wish.refused for key, wish in house.event.wishes.items()} == {who: True}
    assert wishes(house, browser) == []
    ask(house, who)
    assert not house.event.wishes[who].refused
    assert wishes(house, browser) == ["b"]


def test_whoever_left_and_comes_back_is_not_asked_about_it_again(house: House, browser: Browser):
    who = sitting(house)["a"]
    ask(house, who)
    house.service.execute_one("e1", DropCompetitor(who), "test")
    assert house.event.wishes == {}
    house.service.execute_one("e1", ReturnCompetitor(who), "test")
    assert house.event.wishes == {}


def test_letting_go_says_what_it_does_to_the_open_match(house: House, browser: Browser):
    match = house.event.live.matches[0].match  # type: ignore[union-attr]
    other = house.service.snapshot.people["e1"][match.a].name
    house.says("unit-1", leave="b")
    page = text_of(browser.console())
    assert f"Concedes the open match at table 1 to {other}," in page


# --- what survives --------------------------------------------------------------------------------------------------


def test_a_wish_outlives_the_table_s_power(house: House, browser: Browser):
    """The unit comes back in another process, and asks for nothing."""
    house.says("unit-1", leave="b", call=True)
    house.says("unit-1", session="after the power cut", leave="", call=False)
    assert wishes(house, browser) == ["b"]
    assert "judge called" in text_of(browser.console())
    assert (view(house)["leave_asked"], view(house)["call"]) == (["b"], {"taken_by": None})


def test_who_takes_it_back_at_the_table_is_asked_no_more_in_whichever_feed(house: House, browser: Browser):
    house.says("unit-1", run="process 1", leave="b", call=True)
    house.says("unit-1", run="process 1", session="the next feed", leave="", call=False)
    assert (house.event.wishes, calls(house)) == ({}, {})


def test_a_hub_that_begins_anew_knows_who_asked_and_takes_no_old_answer_back(tmp_path: Path):
    with open_house(tmp_path) as house:
        house.with_event()
        house.publish()
        house.place("unit-1", 1)
        house.says("unit-1", match="1.1", call=True)
        call(house, "1.2", "phone:p3")
        ask(house, "p4")
    with open_house(tmp_path) as house:
        assert calls(house) == {"1.1": {"unit:unit-1"}, "1.2": {"phone:p3"}}
        assert list(house.event.wishes) == ["p4"]
        house.service.execute_one("e1", CloseCall("1.1"), "test")
    with open_house(tmp_path) as house:
        status = TableStatus("unit-1", "s", 9, "1.1", frozenset(), False, True, None, None, 0)
        take_status(house.hub, status, house.time.ms)
        house.service.execute([], "test")
        assert list(calls(house)) == ["1.2"], "its first status may be older than the answer"
        take_status(house.hub, status, house.time.ms)
        house.service.execute([], "test")
        assert list(calls(house)) == ["1.2", "1.1"]


def test_a_cancel_pressed_while_the_hub_was_down_is_taken_over_by_its_first_status(tmp_path: Path):
    with open_house(tmp_path) as house:
        house.with_event()
        house.publish()
        house.place("unit-1", 1)
        house.says("unit-1", match="1.1", call=True, leave="ab")
        call(house, "1.1", "phone:p3")
    with open_house(tmp_path) as house:
        status = TableStatus("unit-1", "s", 9, "1.1", frozenset(), False, False, ["a"], None, 0)
        take_status(house.hub, replace(status, cancelled=("call", "b")), house.time.ms)
        house.service.execute([], "test")
        assert calls(house) == {"1.1": {"phone:p3"}}
        assert list(house.event.wishes) == [sitting(house)["a"]]


def test_a_table_is_told_that_its_call_was_closed(house: House, browser: Browser):
    """It may never have heard that the call was open."""
    house.says("unit-1", call=True)
    assert (view(house)["call"], view(house)["call_closed"]) == ({"taken_by": None}, False)
    house.service.execute_one("e1", CloseCall("1.1"), "test")
    assert (view(house)["call"], view(house)["call_closed"]) == (None, True)
    house.says("unit-1", call=False)
    assert not view(house)["call_closed"]


def test_a_call_that_was_made_again_at_once_is_a_new_one_and_the_answer_names_which_it_is_about(
    house: House, browser: Browser
):
    """The table never told that it stopped calling in between."""
    house.says("unit-1", call=True, call_ms=1000)
    house.service.execute_one("e1", CloseCall("1.1"), "test")
    assert (view(house)["call_closed"], view(house)["call_ms"]) == (True, 1000)
    house.says("unit-1", call=True, call_ms=2000)
    assert calls(house) == {"1.1": {"unit:unit-1"}}
    assert (view(house)["call"], view(house)["call_closed"]) == ({"taken_by": None}, False)
    assert view(house)["call_ms"] == 2000
    # A status that comes again changes nothing.
    number = house.event.number
    house.says("unit-1", call=True, call_ms=2000)
    assert house.event.number == number


def test_without_a_match_too_it_is_a_new_one(house: House, browser: Browser):
    house.says("unit-9", match=None, call=True, call_ms=1000)
    house.hub.presence.change("unit-9", close_call)
    assert status(house, "unit-9").call_closed
    house.says("unit-9", match=None, call=True, call_ms=2000)
    assert (status(house, "unit-9").call_closed, status(house, "unit-9").call_since_ms) == (False, house.time.ms)


def test_a_call_that_is_not_saved_yet_is_not_closed(house: House, browser: Browser, monkeypatch: pytest.MonkeyPatch):
    house.says("unit-1", call=True)
    house.service.execute_one("e1", CloseCall("1.1"), "test")
    house.says("unit-1", call=False)
    monkeypatch.setattr(house.service, "submit", lambda *_: Future())
    status = TableStatus("unit-1", "s", 9, "1.1", frozenset(), False, True, None, None, 0)
    take_status(house.hub, status, house.time.ms)
    monkeypatch.undo()
    assert (view(house)["call"], view(house)["call_closed"]) == (None, False)


def test_a_wish_stands_beside_publish_and_after_it(house: House, browser: Browser):
    who = sitting(house)["a"]
    ask(house, who)
    name = house.service.snapshot.people["e1"][who].name
    house.play()
    house.service.execute_one("e1", DrawRound(12), "test")
    page = browser.console().text
    beside = text_of_part(page, "next")
    assert "Publish round 2" in beside
    assert f"{name} wants to drop" in beside
    assert "Refuse" in beside
    house.publish_draft()
    assert f"{name} wants to drop" in text_of(browser.console())
    browser.post("/console/e1/leave/refused", who=who)
    assert f"{name} wants to drop" not in text_of(browser.console())


def test_a_unit_that_presses_without_end_fills_no_journal_and_its_last_word_counts(house: House, browser: Browser):
    before = house.event.number
    for number in range(101):
        house.says("unit-1", call=number % 2 == 0)
    assert house.event.number - before < 20
    house.time.ms += 60_000
    house.says("unit-1")
    assert "1.1" in calls(house)


def test_what_could_not_be_saved_is_taken_over_with_a_later_status(
    house: House, browser: Browser, monkeypatch: pytest.MonkeyPatch
):
    house.says("unit-1")
    with monkeypatch.context() as full:
        full.setattr(house.service, "submit", lambda *_: failed(Problem("not_saved")))
        status = TableStatus("unit-1", "s", 9, "1.1", frozenset(), False, True, None, None, 0)
        take_status(house.hub, status, house.time.ms)
    assert calls(house) == {}
    house.says("unit-1", call=True)
    assert "1.1" in calls(house)


def failed(why: Exception) -> Future[object]:
    answer: Future[object] = Future()
    answer.set_exception(why)
    return answer


def text_of_part(page: str, region: str) -> str:
    found = re.search(rf'<section class="{region}".*?</section>', page, re.S)
    assert found
    return " ".join(re.sub(r"<svg.*?</svg>|<[^>]+>", " ", found[0], flags=re.S).split())
