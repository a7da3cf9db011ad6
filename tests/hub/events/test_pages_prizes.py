"""Prizes on the console: typed one a line, shown with final names, door prizes drawn and kept."""

import pytest
from pages_kit import PEOPLE, Browser, House, problem_of, text_of

from roundtap_core.event.commands import FinishEvent
from roundtap_core.event.states import Prize
from roundtap_core.randomness import lot_number

PRIZES = "/console/e1/prizes"
LIST = "1: trophy\n2-3: booster\nbest newcomer: playmat"


@pytest.fixture
def browser(house: House) -> Browser:
    return house.with_event(swiss_rounds=1)


def test_a_list_is_typed_one_prize_a_line(house: House, browser: Browser):
    assert browser.post(PRIZES, list=LIST).status_code == 303
    assert house.event.prizes == (
        Prize("trophy", 1, 1),
        Prize("booster", 2, 3),
        Prize("playmat", category="best newcomer"),
    )
    page = text_of(browser.get(PRIZES))
    assert "Rank 1 trophy known after the event" in page
    assert "Rank 2–3 booster" in page


@pytest.mark.parametrize("line", ["trophy", "1:", ": trophy", "3-2: trophy"])
def test_a_line_that_says_not_for_whom_is_told_and_kept(house: House, browser: Browser, line: str):
    answer = browser.post(PRIZES, list=f"1: trophy\n{line}")
    assert answer.status_code == 400
    assert "enter the rank or reason" in problem_of(answer)
    assert f"1: trophy\n{line}</textarea>" in answer.text
    assert house.event.prizes == ()


def test_prizes_have_their_names_when_the_event_is_over(house: House, browser: Browser):
    browser.post(PRIZES, list=LIST)
    browser.post(f"{PRIZES}/winner", prize=2, what="playmat", competitor="p6")
    house.publish()
    house.play()
    assert "known after the event" in text_of(browser.get(PRIZES))
    house.service.execute_one("e1", FinishEvent("the hall closes"), "test")
    page = text_of(browser.get(PRIZES))
    assert f"best newcomer playmat {PEOPLE[5]}" in page
    assert "known after" not in page
    # Typing the list again leaves who was chosen.
    browser.post(PRIZES, list=LIST.replace("trophy", "cup"))
    assert house.event.prizes[2].competitor == "p6"
    answer = browser.post(f"{PRIZES}/winner", prize=0, what="trophy", competitor="p6")
    assert "has changed" in problem_of(answer)


def test_a_draw_stands_with_its_seed_and_is_not_drawn_twice(house: House, browser: Browser):
    assert browser.post(f"{PRIZES}/draw", what="dice", count=2, among="active", seen=0).status_code == 303
    draw = house.event.door_prizes[0]
    assert list(draw.winners) == sorted(draw.pool, key=lambda who: lot_number(draw.seed, who))[:2]
    page = text_of(browser.get(PRIZES))
    assert f"drawn among 6 · record {draw.number} · seed {draw.seed}" in page
    assert all(PEOPLE[int(who[1:]) - 1] in page for who in draw.winners)
    answer = browser.post(f"{PRIZES}/draw", what="dice", count=2, among="active", seen=0)
    assert "just drawn" in problem_of(answer)
    assert len(house.event.door_prizes) == 1
    assert "all active players (4)" in text_of(browser.get(PRIZES))
