"""What else a phone asks for: a judge, to leave, to be seen as there, and a list with what is wrong in it by line."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from pages_kit import House, open_house, problem_of, text_of
from test_pages_my_report import Phone, match_of, phones
from werkzeug.test import TestResponse

from roundtap_core.event.commands import (
    DrawRound,
    EnterResult,
    FinishEvent,
    GrantExtension,
    RefuseDrop,
    SetCheckIn,
    SetClock,
    TakeCall,
)
from roundtap_core.event.entries import VENUE, NewEntry
from roundtap_core.records import Result, SidePair
from roundtap_core.words import LANGUAGES
from roundtap_hub.store.service import Step


@pytest.fixture
def before(tmp_path: Path) -> Iterator[House]:
    """An event with its players in it, nothing drawn."""
    with open_house(tmp_path) as house:
        house.with_event()
        yield house


@pytest.fixture
def house(before: House) -> House:
    before.publish()
    return before


def press(phone: Phone, what: str, **fields: str) -> TestResponse:
    return phone.client.post(f"{phone.me}/{what}", data=fields, headers=phone.headers)


def part(phone: Phone, region: str) -> str:
    found = re.search(rf'id="{region}"[^>]*>(.*?)</section>', phone.home().text, re.S)
    assert found
    return " ".join(re.sub(r"<svg.*?</svg>|<[^>]+>", " ", found[1], flags=re.S).split())


# --- a judge --------------------------------------------------------------------------------------------------------


def test_a_judge_is_called_and_both_phones_say_who_comes(house: House) -> None:
    ana, bruno = phones(house)
    assert part(ana, "my-call") == "Call a judge"
    assert press(ana, "call", on="1").status_code == 303
    assert list(house.event.calls[match_of(house).id].sources) == [f"phone:{match_of(house).match.a}"]
    for phone in (ana, bruno):
        assert "Judge called to your table." in part(phone, "my-call")
    assert "Cancel call" not in part(bruno, "my-call")
    house.service.execute_one("e1", TakeCall(match_of(house).id, "Eva"), "test")
    for phone in (ana, bruno):
        assert "Eva is on the way." in part(phone, "my-call")


def test_a_slip_of_the_finger_is_taken_back(house: House) -> None:
    ana, _ = phones(house)
    press(ana, "call", on="1")
    press(ana, "call", on="0")
    assert not house.event.calls


def test_nobody_without_a_table_calls(before: House) -> None:
    answer = press(Phone(before, "p1"), "call", on="1")
    assert answer.status_code == 409
    assert "Go to a judge yourself" in problem_of(answer)


def test_a_phone_that_calls_without_end_is_told_to_wait(house: House) -> None:
    ana, _ = phones(house)
    answers = [press(ana, "call", on="1").status_code for _ in range(20)]
    assert answers[0] == 303
    assert answers[-1] == 429


# --- leaving --------------------------------------------------------------------------------------------------------


def test_leaving_is_asked_once_more_and_is_a_wish(house: House) -> None:
    ana, _ = phones(house)
    asked = ana.get(f"{ana.me}/leave")
    assert "Dropping during a match concedes it." in text_of(asked)
    assert not house.event.wishes, "asking is no wish yet"
    press(ana, "leave", on="1")
    [(who, wish)] = house.event.wishes.items()
    assert (who, wish.refused) == (match_of(house).match.a, False)
    assert "You asked to drop" in part(ana, "my-leave")
    assert house.event.entrants[who].active


def test_a_wish_that_is_refused_says_so_and_one_may_stay(house: House) -> None:
    ana, _ = phones(house)
    press(ana, "leave", on="1")
    house.service.execute_one("e1", RefuseDrop(match_of(house).match.a), "test")
    assert "asks you to stay" in part(ana, "my-leave")
    press(ana, "leave", on="1")
    assert "You asked to drop" in part(ana, "my-leave")
    press(ana, "leave", on="0")
    assert not house.event.wishes
    assert part(ana, "my-leave") == "Drop from event"


def test_who_leaves_after_the_round_is_not_offered_to_leave_once_more(house: House) -> None:
    ana, _ = phones(house)
    press(ana, "leave", on="1")
    house.organizer().post(f"/console/e1/competitors/{match_of(house).match.a}/drop", known="after")
    assert part(ana, "my-leave") == "You drop after this round. Finish your match first."


# --- being there ----------------------------------------------------------------------------------------------------


def test_whoever_is_there_says_so(before: House) -> None:
    ana = Phone(before, "p1")
    assert part(ana, "my-here") == ""
    before.service.execute_one("e1", SetCheckIn(True), "organizer")
    assert part(ana, "my-here") == "Check in"
    press(ana, "here")
    assert before.event.entrants["p1"].checked_in
    assert part(ana, "my-here") == "You are checked in."


def test_a_phone_changes_no_round_that_is_drawn(before: House) -> None:
    before.service.execute_one("e1", SetCheckIn(True), "organizer")
    for who in ("p2", "p3", "p4", "p5"):
        press(Phone(before, who), "here")
    before.service.execute_one("e1", DrawRound(11), "organizer")
    head = before.event.head
    assert "Tell the desk" in problem_of(press(Phone(before, "p1"), "here"))
    assert before.event.head == head


# --- the list -------------------------------------------------------------------------------------------------------


def list_fields(page: TestResponse) -> dict[str, str]:
    return dict(re.findall(r'<input (?:type="hidden" )?name="([^"]+)" value="([^"]*)"', page.text))


def test_a_list_is_handed_in_and_what_is_wrong_stands_at_its_line(before: House) -> None:
    ana = Phone(before, "p1")
    page = ana.get(f"{ana.me}/list")
    lines = [name for name in list_fields(page) if name.endswith("/0/points")]
    assert lines, list_fields(page)
    typed = {**list_fields(page), lines[0]: "900", lines[0].replace("points", "pilot"): "Luke Skywalker"}
    saved = press(ana, "list", **typed)
    assert saved.status_code == 303, problem_of(saved)
    shown = ana.get(saved.headers["Location"])
    assert "mend" in shown.text
    assert 'value="900"' in shown.text
    person = before.service.snapshot.people["e1"]["p1"]
    assert "900" in str(person.list)
    assert "list" in part(ana, "my-list")


def test_no_list_is_shown_or_changed_once_round_1_is_published(before: House) -> None:
    ana = Phone(before, "p1")
    page = ana.get(f"{ana.me}/list")
    before.publish()
    assert ana.get(f"{ana.me}/list").status_code == 404
    answer = press(ana, "list", **list_fields(page))
    assert answer.status_code == 409
    assert part(ana, "my-list") == ""


# --- the clock, and the end -----------------------------------------------------------------------------------------


def test_the_clock_is_one_s_own_table_s(house: House) -> None:
    ana, _ = phones(house)
    house.service.execute_one("e1", SetClock("start"), "organizer")
    house.service.execute_one("e1", GrantExtension(match_of(house).id, 4), "organizer")
    clock = re.search(r'<time class="clock[^>]*>', ana.home().text)
    assert clock
    assert 'data-more="240000"' in clock[0]
    assert 'data-total="4500000"' in clock[0], "what the feed says of the round's clock still fits"
    assert "79:00" in part(ana, "phone-clock")
    other = house.event.live.matches[1].match.a
    assert "data-more" not in Phone(house, other).home().text


def test_what_to_do_at_time_is_not_told_to_whoever_has_a_result(house: House) -> None:
    ana, _ = phones(house)
    house.time_is_up()
    assert "Time is up" in part(ana, "phone-clock")
    match = match_of(house)
    result = Result(ended="time", score=SidePair(90, 60))
    house.service.execute_one("e1", EnterResult(match.id, match.revision, result), "organizer")
    assert part(ana, "phone-clock") == ""
    other = house.event.live.matches[1].match.a
    assert "Time is up" in part(Phone(house, other), "phone-clock")


def test_the_opponent_s_record_goes_once_a_result_stands_that_it_could_be_taken_for(house: House) -> None:
    ana, _ = phones(house)
    assert "Record 0–0" in part(ana, "me")
    match = match_of(house)
    conceded = Result(ended="concession", conceded_by="a", score=SidePair(0, 0))
    house.service.execute_one("e1", EnterResult(match.id, match.revision, conceded), "organizer")
    told = part(ana, "me")
    assert "Record" not in told
    assert "You lost (concession)" in told


@pytest.mark.parametrize("language", LANGUAGES)
def test_whoever_s_event_is_over_reads_the_place_and_no_clock(house: House, language: str) -> None:
    house.service.execute_one("e1", SetClock("start"), "organizer")
    house.play()
    house.publish()
    house.service.execute_one("e1", SetClock("start"), "organizer")
    house.play()
    house.service.execute_one("e1", FinishEvent("the hall closes"), "organizer")
    for archived in (False, True):
        if archived:
            house.service.execute([Step(VENUE, NewEntry("event-archived", {"event": "e1"}))], "organizer")
        for path in ("/e/e1/p/", ""):
            texts = []
            for who in [f"p{n}" for n in range(1, 7)]:
                page = house.browser(language).get(path + who if path else house.hub.access.links.path("e1", who))
                assert page.status_code == 200
                assert 'class="clock' not in page.text
                texts.append(text_of(page))
            places = [re.search(r"(?:Rank|Puesto|Platz|Miejsce) (\d)", text) for text in texts]
            assert sorted(int(found[1]) for found in places if found) == [1, 2, 3, 4, 5, 6], texts
