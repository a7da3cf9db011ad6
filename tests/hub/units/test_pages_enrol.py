"""The console's walk with new units: what each page shows, whose turn is next, and a unit in another's place."""

import threading
from typing import Any

import pytest
from pages_kit import Browser, House, problem_of, text_of

from roundtap_core.errors import Invalid, Problem
from roundtap_hub.units.enrolment import EnrolResult, TypedCode

ENROL = "/console/units/enrol"
TOKEN = "t" * 32


class Tried:
    """What the desk was asked, and what it answers in place of a unit."""

    def __init__(self, house: House, monkeypatch: pytest.MonkeyPatch) -> None:
        self.asked: list[tuple[Any, ...]] = []
        self.answer: EnrolResult | Problem = EnrolResult("table-1", 1)
        self.house = house
        monkeypatch.setattr(type(house.hub.enrolment), "enrol", lambda _, *asked: self.enrol(*asked))

    def enrol(self, typed: TypedCode, actor: str, table: int | None, replace: str, mark: str) -> EnrolResult:
        self.asked.append((typed, actor, table, replace, mark))
        if isinstance(self.answer, Problem):
            raise self.answer
        return self.answer


@pytest.fixture
def tried(house: House, monkeypatch: pytest.MonkeyPatch) -> Tried:
    return Tried(house, monkeypatch)


def test_the_first_table_without_a_unit_comes_first(house: House) -> None:
    browser = house.with_event()
    browser.post("/console/e1/units", unit="unit-1", table="1")
    assert "Table 2" in text_of(browser.get(ENROL))
    assert "unit-1 is at this table" in text_of(browser.get(f"{ENROL}?table=1"))


def test_the_digits_go_to_the_desk_with_the_table_and_the_next_one_follows(house: House, tried: Tried) -> None:
    browser = house.organizer()
    browser.get(ENROL)
    answer = browser.post(ENROL, code="17 345 678", table="1")
    assert tried.asked == [(TypedCode(17, "345678"), "organizer", 1, "", "")]
    assert answer.status_code == 303
    page = text_of(browser.get(answer.headers["Location"]))
    assert "table-1 is at table 1" in page
    assert "Table 2" in page


@pytest.mark.parametrize(
    ("problem", "status"),
    [
        (Invalid("enrol_wrong"), 400),
        (Invalid("enrol_which", n=3), 400),
        (Invalid("enrol_nobody", number=17), 400),
        (Problem("enrol_used"), 409),
        (Problem("enrol_silent"), 409),
        (Problem("enrol_none_waits"), 409),
    ],
)
def test_what_went_wrong_is_told_at_the_same_table(house: House, tried: Tried, problem: Problem, status: int) -> None:
    browser = house.organizer()
    browser.get(ENROL)
    tried.answer = problem
    answer = browser.post(ENROL, code="17345678", table="7")
    assert answer.status_code == status
    assert problem_of(answer)
    assert 'name="table" value="7"' in answer.text
    assert "345678" not in answer.text.replace("17 345 678", ""), "the code is not shown to whoever looks next"


def test_what_are_no_digits_never_comes_to_the_desk(house: House, tried: Tried) -> None:
    browser = house.organizer()
    browser.get(ENROL)
    assert "two, then six" in problem_of(browser.post(ENROL, code="table 7", table="7"))
    assert browser.post(ENROL, code="17345678", table="1000").status_code == 400
    assert tried.asked == []


def test_a_new_unit_in_anothers_place_names_what_the_old_one_held(house: House, tried: Tried) -> None:
    browser = house.organizer()
    house.hub.presence.update("unit-1", house.time.ms, waiting=2)
    house.time.ms += 600_000
    page = text_of(browser.get(f"{ENROL}?replace=unit-1"))
    assert "Replace unit-1" in page
    assert "unit-1 holds unsent reports: 2" in page
    tried.answer = EnrolResult("unit-1", 4)
    answer = browser.post(ENROL, code="17345678", replace="unit-1")
    assert tried.asked[-1][2:4] == (None, "unit-1")
    assert answer.headers["Location"].endswith("/console/units#unit-unit-1")
    assert f'href="{ENROL}?replace=unit-1"' in browser.get("/console/units").text


def test_whoever_waits_is_listed_and_blinks_when_asked_to(house: House) -> None:
    room = house.hub.enrolment.room
    room.ask("m-1", TOKEN, "table", "10.0.0.7", 1, "c" * 64)
    browser = house.organizer()
    page = browser.get(ENROL)
    assert "10.0.0.7" in text_of(page)
    assert "Units waiting: 1" in text_of(browser.get("/console/units"))
    [asking] = room.listed()
    assert TOKEN not in page.text
    browser.post(f"{ENROL}/identify", mark=asking.mark, table="1")
    assert room.is_identifying(asking)
    house.time.ms += 60_000
    assert browser.post(f"{ENROL}/identify", mark=asking.mark, table="1").status_code == 409


def test_a_unit_that_has_its_key_is_put_at_the_table_on_the_way(house: House) -> None:
    browser = house.organizer()
    assert "Put unit-2 at table 3" in text_of(browser.get(f"{ENROL}?table=3"))
    browser.post(f"{ENROL}/place", unit="unit-2", table="3")
    assert house.service.snapshot.venue.tables == {"unit-2": 3}
    assert browser.post(f"{ENROL}/place", unit="nobody", table="3").status_code == 409


def test_enrolling_is_the_organizers_alone(house: House) -> None:
    for role, name in (("head_judge", "Eva Luz"), ("judge", "Kai Eich"), ("scorekeeper", "Ana Ruiz")):
        browser = house.staff(role, name)
        for answer in (browser.get(ENROL), browser.post(ENROL, code="17345678", table="1")):
            assert answer.status_code == 403, role
    assert house.browser().post(ENROL, code="17345678", table="1").status_code in (302, 303, 403)


def test_a_real_code_typed_into_the_page_goes_all_the_way(house: House) -> None:
    from spake2 import SPAKE2_B

    from roundtap_core.enrol_keys import (
        HUB_IDENTITY,
        code_password,
        commitment,
        derive_keys,
        parse_hex_message,
        unit_identity,
    )

    side = SPAKE2_B(code_password("345678"), HUB_IDENTITY, unit_identity("m-1", "table", 1))
    mine, desk = side.start(), house.hub.enrolment
    asking = desk.room.ask("m-1", TOKEN, "table", "10.0.0.7", 1, commitment(mine))
    keys: list[bytes] = []

    def unit() -> None:
        while (exchange := desk.offer_for(asking)) is None:
            pass
        confirm = exchange.answer(mine.hex())
        theirs = parse_hex_message(exchange.message)
        made = derive_keys(side.finish(theirs), exchange.about, theirs, mine)
        assert confirm == made.hub_confirms
        key = exchange.confirm(made.unit_confirms)
        assert key == made.key
        keys.append(made.key)
        desk.store(exchange, made.key)

    browser: Browser = house.organizer()
    browser.get(ENROL)
    thread = threading.Thread(target=unit)
    thread.start()
    answer = browser.post(ENROL, code=f"{asking.number} 345 678", table="5")
    thread.join()
    assert "done=table-5" in answer.headers["Location"]
    assert house.hub.units.keys["table-5"] == keys[0]
