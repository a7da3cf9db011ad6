"""The judge's page: the calls of the hall by age, who goes there, the match by the number of its table, and back."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from pages_kit import Browser, House, open_house, problem_of, text_of
from wire_json import table_json

from roundtap_core.event.commands import CallJudge, SetClock, TakeCall
from roundtap_hub.http.routes import HEAD_JUDGE, JUDGE, SCOREKEEPER, PageKey
from roundtap_hub.live.page_cache import HubNow, version_of

HALL, FROM_HALL = "/console/judge", {"Referer": "http://localhost/console/judge"}


@pytest.fixture
def house(tmp_path: Path) -> Iterator[House]:
    with open_house(tmp_path) as opened:
        opened.with_event()
        opened.publish()
        opened.place("unit-1", 1)
        opened.place("unit-2", 2)
        for number in (1, 2):
            opened.hub.presence.update(f"unit-{number}", opened.time.ms, match=f"1.{number}")
        yield opened


@pytest.fixture
def judge(house: House) -> Browser:
    return house.staff(JUDGE, "Eva Luz")


def calls_on(browser: Browser, path: str = HALL) -> list[str]:
    """Each call as it is read."""
    page = browser.get(path).text
    cut = re.search(r'<section data-live id="calls".*?</section>', page, flags=re.S)
    assert cut
    shown = re.findall(r'<li class="call.*?</li>', cut[0], flags=re.S)
    return [" ".join(re.sub(r"<[^>]+>", " ", re.sub(r"<svg.*?</svg>", "", each, flags=re.S)).split()) for each in shown]


def test_a_judge_who_logs_in_is_at_the_calls(house: House):
    _, pin = house.hub.access.organizers.staff.add("Kai", JUDGE)
    browser = house.browser()
    browser.get("/login")
    assert browser.post("/login", pin=pin).location == HALL
    _, pin = house.hub.access.organizers.staff.add("Marta", SCOREKEEPER)
    browser = house.browser()
    browser.get("/login")
    assert browser.post("/login", pin=pin).location == "/console"


def test_calls_stand_by_age_and_those_that_somebody_has_taken_last(house: House, judge: Browser):
    house.says("unit-2", call=True)
    house.time.ms += 50_000
    house.service.execute_one("e1", CallJudge("1.1", "phone:p1"), "phone:p1")
    house.time.ms += 20_000
    first, second = calls_on(judge)
    assert first.startswith("Table 2 1:10")
    assert second.startswith("Table 1 0:20")
    assert "from the table" in first
    assert "Ana Ruiz’s phone" in second
    judge.post("/console/e1/call", match="1.2")
    first, second = calls_on(judge)
    assert first.startswith("Table 1")
    assert "Eva Luz is on the way" in second
    view = table_json(house.service.snapshot, "unit-2", house.hub.presence.units["unit-2"])
    assert view["call"] == {"taken_by": "Eva Luz"}


def test_a_button_pressed_here_leads_back_here(house: House, judge: Browser):
    house.says("unit-1", call=True)
    judge.get(HALL)
    judge.headers |= FROM_HALL
    assert judge.post("/console/e1/call", match="1.1").location == HALL
    assert judge.post("/console/e1/call/settled", match="1.1").location == HALL
    assert calls_on(judge) == []
    assert "No calls" in text_of(judge.get(HALL))


def test_from_the_match_a_judge_comes_back_to_the_calls_and_from_the_console_to_the_console(house: House):
    head, organizer = house.staff(HEAD_JUDGE, "Kai"), house.organizer()
    house.time_is_up()
    form = {"way": "time", "q.score.winner": 49, "q.score.loser": 77, "revision": 0}
    for browser, came_from, to in (
        (head, "/console/e1/match/1.1", HALL),
        (organizer, "/console/e1/match/1.2", "/console/e1"),
    ):
        browser.get(came_from)
        browser.headers["Referer"] = f"http://localhost{came_from}"
        assert browser.post(f"{came_from}/walk", **form).location == to


@pytest.mark.parametrize(("typed", "leads_to"), [("2", "/console/e1/match/1.2"), (" 1 ", "/console/e1/match/1.1")])
def test_the_number_of_a_table_opens_its_match(judge: Browser, typed: str, leads_to: str):
    for page in (HALL, "/console/e1/judge"):
        assert judge.get(f"{page}?table={typed}").location == leads_to


@pytest.mark.parametrize("typed", ["9", "x", "-1", "99999", "²"])
def test_a_number_at_which_nobody_plays_is_said_to_be_one(judge: Browser, typed: str):
    answer = judge.get(f"{HALL}?table={typed}")
    assert "has no match in this round" in problem_of(answer)


def test_what_both_sides_reported_stands_side_by_side_and_one_is_accepted(house: House, judge: Browser):
    house.report("1.1", "a", 100, 24)
    house.report("1.1", "b", 24, 100)
    page = judge.get(HALL).text
    found = re.findall(r'name="side" value="([ab])"><input type="hidden" name="number" value="(\d+)"', page)
    assert [side for side, _ in found] == ["a", "b"]
    side, number = found[1]
    judge.post("/console/e1/accept", match="1.1", side=side, number=number, revision=0)
    result = house.event.find_match("1.1")[1].match.result  # type: ignore[index]
    assert (result.score.a, result.score.b) == (24, 100)


def test_the_minutes_that_a_table_waited_are_said_where_its_extension_is_given(house: House, judge: Browser):
    house.service.execute_one("e1", SetClock("start"), "test")
    house.says("unit-1", call=True)
    house.time.ms += 250_000
    page = judge.get("/console/e1/match/1.1").text
    assert "This table called a judge 5 min ago." in page
    assert 'action="/console/e1/call/settled"' in page
    assert page.count('/warn"') == 2


def test_two_events_stand_on_one_page_each_call_with_its_event(house: House, judge: Browser):
    organizer = house.organizer()
    organizer.post(
        "/console", name="Side Cup", color="#882255", rulebook="xwing-standard", structure="own", swiss_rounds=2
    )
    organizer.post("/console/e2/competitors", names="Ada\nBo\nCleo\nDag")
    organizer.post("/console/e2/draw", attempt=0)
    draft = house.service.snapshot.events["e2"].draft
    organizer.post("/console/e2/play-on", number=1, attempt=draft.draw.attempt, reason="so")
    house.service.execute_one("e2", CallJudge("1.1", "phone:p1"), "phone:p1")
    (call,) = calls_on(judge)
    assert "Side Cup" in call
    assert calls_on(judge, "/console/e1/judge") == []
    assert len(calls_on(judge, "/console/e2/judge")) == 1
    table = house.service.snapshot.events["e2"].public_rounds[-1].matches[0].match.table
    assert judge.get(f"{HALL}?table={table}").location == "/console/e2/match/1.1"
    assert "has no match in this round" in problem_of(judge.get(f"/console/e1/judge?table={table}"))


def test_who_has_the_page_open_looks_again_when_somebody_calls(house: House):
    def version() -> str:
        return version_of(HubNow(house.hub, house.service.snapshot, house.hub.presence.units), PageKey("judge"))

    before = version()
    house.service.execute_one("e1", CallJudge("1.1", "phone:p1"), "phone:p1")
    called = version()
    house.service.execute_one("e1", TakeCall("1.1", "Eva"), "test")
    assert len({before, called, version()}) == 3


@pytest.mark.parametrize("language", ["en", "es", "de", "pl"])
def test_it_is_there_in_every_language_and_before_a_round_too(tmp_path_factory: pytest.TempPathFactory, language: str):
    with open_house(tmp_path_factory.mktemp("empty")) as empty:
        browser = empty.staff(JUDGE, language=language)
        assert browser.get(HALL).status_code == 200
        assert not re.search(r"\b(judge|need|role)\.[a-z]", text_of(browser.get(HALL)))


# --- the aid for everybody ------------------------------------------------------------------------------------------


def test_players_count_half_points_by_themselves(house: House):
    """A large ship of 46 points that has lost 7 of its 13 is worth half of it."""
    phone = house.browser()
    assert phone.get("/aid/xwing-standard").status_code == 200
    counted = phone.get("/aid/xwing-standard?aid.cost=46&aid.life=13&aid.damage=7&aid.large=1")
    assert re.search(r'<p role="status"><b>Opponent scores 23 victory points', counted.text)
    assert phone.get("/aid/nothing").status_code == 404
    assert 'href="/aid/xwing-standard"' in phone.get("/rules/e1").text
    assert 'href="/aid/xwing-standard"' in phone.get("/e/e1/p/p1").text
