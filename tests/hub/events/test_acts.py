"""After each form of the console a message says what was done, with *Undo* where it can be undone; and the last of it
stands in a list."""

import re

import pytest
from pages_kit import PEOPLE, Browser, House, problem_of, text_of, words_of

from roundtap_core.event import commands as c
from roundtap_core.event.decide import APPLY
from roundtap_core.event.states import Official
from roundtap_core.records import Result, SidePair
from roundtap_core.words import LANGUAGES, catalogue
from roundtap_hub.http.routes import ROUTES

ACTS = "/console/e1/acts"


class Desk:
    """An organizer who presses, and reads what the page after it says."""

    def __init__(self, house: House, browser: Browser) -> None:
        self.house, self.browser = house, browser

    def presses(self, path: str, **fields: object) -> str:
        """The message on the page that follows."""
        self.house.time.ms += 1000
        answer = self.browser.post(f"/console/e1/{path}", **fields)
        assert answer.status_code == 303, (path, problem_of(answer))
        return self.said(answer.location)

    def said(self, path: str) -> str:
        found = self.message(path)
        return words_of(found)

    def message(self, path: str = "/console/e1") -> str:
        path = path.partition("#")[0]
        page = self.browser.get(f"{path}{'&' if '?' in path else '?'}did={self.browser.did}").text
        return "".join(re.findall(r'<div class="did"[^>]*>(.*?)</div>', page, re.S))

    def undoes(self, path: str = "/console/e1") -> str:
        """The message after *Undo* of the message before."""
        number = re.search(r'name="number" value="(\d+)"', self.message(path))
        assert number, "no Undo"
        return self.presses("undo", number=number[1])


@pytest.fixture
def desk(house: House) -> Desk:
    return Desk(house, house.with_event(PEOPLE[:4]))


@pytest.fixture
def round_1(desk: Desk) -> Desk:
    desk.house.publish()
    return desk


def name(house: House, who: str) -> str:
    return house.service.snapshot.people["e1"][who].name


# --- what is said, and undone from there ------------------------------------------------------------------------------


def test_a_drop_says_who_and_what_follows_and_is_undone(desk: Desk) -> None:
    assert desk.presses("competitors/p1/drop").startswith("Ana Ruiz dropped. Undo")
    assert "3 players, 2 rounds" in desk.said("/console/e1/players")
    assert "3 players" not in desk.said("/console/e1"), "there it stands below, as the next step"
    assert desk.undoes() == "Ana Ruiz reinstated. Undo"
    assert desk.house.event.entrants["p1"].active


def test_a_no_show_is_undone_from_its_message(round_1: Desk) -> None:
    who = round_1.house.event.find_match("1.1")[1].match.a
    said = round_1.presses("match/1.1/no-show", absent=who, back="absent")
    assert said.startswith(f"{name(round_1.house, who)} is a no-show and dropped. Undo")
    assert round_1.undoes().startswith(f"No-show undone: {name(round_1.house, who)}, table 1.")
    assert round_1.house.event.entrants[who].active


def test_publishing_is_undone_until_a_table_has_reported(desk: Desk) -> None:
    desk.presses("draw", attempt=0)
    assert desk.presses("publish", number=1, attempt=1) == "Round 1 published. Undo"
    assert desk.undoes() == "Round 1 is a draft again."
    desk.presses("publish", number=1, attempt=1)
    number = re.search(r'name="number" value="(\d+)"', desk.message())
    desk.house.report("1.1", "a", 100, 20)
    assert "Undo" not in desk.said("/console/e1")
    refused = desk.browser.post("/console/e1/undo", number=number[1])
    assert (refused.status_code, "cannot be withdrawn" in problem_of(refused)) == (409, True)


def test_an_accepted_result_says_it_and_clears_it_again(round_1: Desk) -> None:
    round_1.house.report("1.1", "a", 100, 20)
    match = round_1.house.event.find_match("1.1")[1]
    said = round_1.presses("accept", match="1.1", revision=0, side="a", number=match.reports["a"].number)
    assert said == "Result of table 1 saved. 100 : 20 Undo"
    assert round_1.undoes() == "Result of table 1 cleared. The table reports again. Undo"
    assert round_1.house.event.find_match("1.1")[1].match.result is None
    assert round_1.undoes().startswith("Result of table 1 saved. 100 : 20"), "and that, too"


def test_check_in_of_one_and_of_all(desk: Desk) -> None:
    assert desk.presses("check-in", used=1).startswith("Check-in is on. Undo")
    assert desk.presses("competitors/p1/here").startswith("Ana Ruiz checked in. Undo")
    assert desk.undoes().startswith("Ana Ruiz is no longer checked in.")
    assert desk.presses("regulars", who="awaited").startswith("4 players checked in. Undo")
    assert desk.undoes().startswith("4 players are no longer checked in.")
    assert not any(entrant.checked_in for entrant in desk.house.event.entrants.values())


def test_an_extension_and_a_call(round_1: Desk) -> None:
    assert round_1.presses("match/1.1/extension", minutes=5).startswith("Table 1: +5 min. Undo")
    assert round_1.undoes().startswith("Table 1: 5 min removed.")
    round_1.house.service.execute_one("e1", c.CallJudge("1.1", "phone:p1"), "phone:p1")
    assert round_1.presses("call", match="1.1").startswith("Table 1: judge on the way. Undo")
    assert round_1.undoes() == "Table 1: no judge is on the way any more."
    assert round_1.presses("call/settled", match="1.1").startswith("Table 1: call done. Undo")
    assert round_1.undoes() == "Table 1: the call is open again."
    assert list(round_1.house.event.calls) == ["1.1"]


def test_twice_is_refused_with_what_to_do_instead(desk: Desk) -> None:
    desk.presses("check-in", used=1)
    desk.presses("competitors/p1/here")
    number = re.search(r'name="number" value="(\d+)"', desk.message())[1]
    desk.presses("undo", number=number)
    again = desk.browser.post("/console/e1/undo", number=number)
    assert again.status_code == 409
    assert "It was undone, or something followed. Change it at the player" in problem_of(again)


def test_undo_leads_back_to_the_page_of_its_message(desk: Desk) -> None:
    desk.presses("check-in", used=1)
    number = re.search(r'name="number" value="(\d+)"', desk.message())[1]
    answer = desk.browser.client.post(
        "/console/e1/undo",
        data={"csrf": desk.browser.token, "number": number},
        headers={"Referer": "http://localhost/console/e1/check-in?did=e1.9"},
    )
    assert answer.location.startswith("/console/e1/check-in?did=e1.")


# --- where and how long a message stands ------------------------------------------------------------------------------


def test_it_is_gone_with_the_next_act_with_the_next_page_and_when_it_is_no_news(desk: Desk) -> None:
    desk.presses("competitors/p1/drop")
    old = desk.browser.did
    assert desk.presses("competitors/p2/drop").startswith("Bruno Maier dropped.")
    assert "dropped" not in text_of(desk.browser.get("/console/e1/standings"))[:400]
    desk.browser.did = old
    desk.house.time.ms += 10 * 60_000
    assert desk.said("/console/e1") == ""


@pytest.mark.parametrize(
    "made_up", ["e1.999", "e1.x", "e9.1", "nothing.5", "here.99999999999", ".", "e1.1.1", "saved.-5"]
)
def test_an_address_that_somebody_made_up_says_nothing(desk: Desk, made_up: str) -> None:
    assert 'id="did" role="status" data-live></div>' in desk.browser.get(f"/console/e1?did={made_up}").text


def test_it_is_outside_of_what_a_live_page_asks_for(desk: Desk) -> None:
    desk.presses("competitors/p1/drop")
    page = desk.browser.get(f"/console/e1?did={desk.browser.did}").text
    seen = re.search(r'data-seen="([^"]+)"', page)[1]
    desk.house.service.execute_one("e1", c.DropCompetitor("p2"), "organizer")
    patch = desk.browser.get(f"/console/e1?did={desk.browser.did}&since={seen}").get_json()
    assert "whole" not in patch
    assert not any(change["id"] == "did" for change in patch["regions"])


def test_who_may_not_do_it_may_not_undo_it(house: House, desk: Desk) -> None:
    desk.presses("competitors/p1/drop")
    number = re.search(r'name="number" value="(\d+)"', desk.message())[1]
    pin = house.hub.access.organizers.staff.add("Jo", "judge", "organizer")[1]
    judge = house.browser()
    judge.enter(house.hub, pin)
    assert judge.post("/console/e1/undo", number=number).status_code == 403
    assert 'action="/console/e1/undo"' not in judge.get(ACTS).text
    assert not house.event.entrants["p1"].active


# --- the list ---------------------------------------------------------------------------------------------------------


def test_the_last_twenty_acts_with_time_and_who_also_after_a_restart(house: House, desk: Desk) -> None:
    for number in range(21):
        desk.presses("competitors/p1/rename", name=f"Ana Ruiz {number}")
    desk.presses("competitors/p2/drop")
    rows = re.findall(r'<li data-key="\d+">(.*?)</li>', desk.browser.get(ACTS).text, re.S)
    assert len(rows) == 20
    assert words_of(rows[0]) == "0:00 Bruno Maier dropped. organizer Undo"
    assert words_of(rows[1]).startswith("0:01 Details of Ana Ruiz 20 saved. organizer")
    house.hub.times._known.clear()
    assert len(re.findall(r'<li data-key="\d+">', desk.browser.get(ACTS).text)) == 20
    assert f'data-open="{ACTS}"' in desk.browser.get("/console/e1").text


def test_what_players_and_units_do_is_no_act_of_the_staff(round_1: Desk) -> None:
    round_1.house.report("1.1", "a", 100, 20)
    round_1.house.service.execute_one("e1", c.CallJudge("1.2", "phone:p1"), "phone:p1")
    assert "Table" not in re.sub(r"(?s).*<ol class=\"acts\">|</ol>.*", "", round_1.browser.get(ACTS).text)


# --- every kind has its words, every form its message -----------------------------------------------------------------

BY_OTHERS = {
    "report": "units and phones say it",
    "call-cancelled": "who has called",
    "drop-cancelled": "who has asked",
}


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_kind_of_entry_has_its_words(language: str) -> None:
    words = catalogue("roundtap_hub", language)
    assert {kind for kind in APPLY if f"did.{kind}" not in words} == set(BY_OTHERS)
    known = {*APPLY, "saved", "unchanged", "here", "call"}
    keys = {key.removeprefix("did.").partition(".")[0] for key in words._texts if key.startswith("did.")}
    assert keys <= known


SHOWS, ASKS = "the page itself shows it", "it only asks, and what follows is an act"
SILENT = {
    "POST /console": "",
}


FORMS = [address for address in ROUTES if address.startswith("POST /console/<event_id>")]
"""All forms of an event."""


def official(desk: Desk) -> None:
    officials = (Official("o1", "organizer"), Official("o2", "judge"))
    desk.house.service.execute_one("e1", c.SetOfficials(officials), "test")


def result(desk: Desk, match: str = "1.1", a: int = 100, b: int = 20) -> None:
    found = desk.house.event.find_match(match)[1]
    command = c.EnterResult(match, found.revision, Result(score=SidePair(a, b)))
    desk.house.service.execute_one("e1", command, "test")
