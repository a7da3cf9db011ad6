"""Squads at every front of the hub: what is owed stands where they are asked, what is lost before anybody confirms."""

import re

import pytest
from msgspec.structs import replace
from pages_kit import House, problem_of, text_of
from test_pages_leaving import FOUR, playing, sitting
from test_pages_my_report import Phone, hidden_in
from werkzeug.test import TestResponse

from roundtap_core.event.commands import EnterResult, MakeCut, RecordReport
from roundtap_core.event.event_flow import squads_let_go
from roundtap_core.event.states import AGREED, DISPUTE, SECOND, MatchState
from roundtap_core.records import Result, Side, SidePair, result_to_json
from roundtap_hub.views.competitors import owed_squads
from roundtap_hub.views.saved_event import full_names, saved_event

LOST = "Can no longer be fielded"

WON = {"way": "played"}
FIGURES = ({"q.score.winner": "2", "q.score.loser": "1"}, {"q.wounds.winner": "9", "q.wounds.loser": "4"})
WHOLE = Result(score=SidePair(2, 1), wounds=SidePair(9, 4), picks={"a": [1, 2], "b": [3, 4]})


@pytest.fixture
def second(house: House) -> House:
    """The last of two rounds: in the first everybody fielded A and B."""
    playing(house, "shatterpoint-premier")
    for match in ("1.1", "1.2"):
        won = Result(score=SidePair(2, 0), wounds=SidePair(5, 3), picks={"a": [1, 2], "b": [1, 2]})
        house.service.execute_one("e1", EnterResult(match, 0, won), "test")
    house.publish()
    return house


def link(house: House, competitor: str) -> str:
    return house.hub.access.links.path("e1", competitor)


@pytest.mark.parametrize("front", ["official", "phone"])
def test_where_squads_are_asked_it_stands_which_are_owed(second: House, front: str):
    a = sitting(second, "a", "2.1")
    at = {"official": "/console/e1/match/2.1/walk", "phone": f"{link(second, a)}/report"}[front]
    browser = second.organizer() if front == "official" else second.browser()
    asked = text_of(browser.get(f"{at}?way=played"))
    sides = {"official": 2, "phone": 1}[front]
    assert asked.count("You must play these squads now: C D") == sides


@pytest.mark.parametrize(
    ("picks", "lost"),
    [
        ({"winner": "12", "loser": "34"}, ["C D"]),
        ({"winner": "13", "loser": "24"}, ["D", "C"]),
        ({"winner": "34", "loser": "34"}, []),
    ],
)
def test_squads_repeated_are_told_before_they_count(second: House, picks: dict[str, str], lost: list[str]):
    """The same as at the table: "Never play D?". On the official's steps, and on a phone of one's own."""
    fields = "&".join(f"q.picks.{whose}={squad}" for whose, squads in picks.items() for squad in squads)
    end = f"?way=played&opener=a&q.score.winner=2&q.score.loser=0&q.wounds.winner=9&q.wounds.loser=3&{fields}"
    a = sitting(second, "a", "2.1")
    official = text_of(second.organizer().get(f"/console/e1/match/2.1/walk{end}"))
    assert official.count(LOST) == len(lost)
    assert all(f": {squads}" in official for squads in lost)
    phone = text_of(second.browser().get(f"{link(second, a)}/report{end}"))
    assert phone.count(LOST) == len(lost[:1])
    assert all(f": {squads}" in phone for squads in lost[:1])


def match_of(house: House) -> MatchState:
    found = house.event.find_match("1.1")
    return found[1]


def says_elsewhere(house: House, side: Side, result: Result) -> None:
    house.service.execute_one("e1", RecordReport(f"r-{side}", "1.1", side, 0, result_to_json(result), "body"), "unit")


def phones(house: House) -> tuple[Phone, Phone]:
    return Phone(house, sitting(house, "a")), Phone(house, sitting(house, "b"))


def reported(phone: Phone) -> None:
    """a has won 2:1, with A and B on its own side."""
    phone.says(phone.walked(WON, {"q.picks.winner": ["1", "2"]}, *FIGURES))


def test_each_side_says_its_own_squads_and_the_other_is_asked_nothing_else(house: House):
    playing(house, "shatterpoint-premier")
    ana, bruno = phones(house)
    assert text_of(ana.walked(WON)).count("Squads") == 1
    reported(ana)
    assert match_of(house).reports["a"].result == replace(WHOLE, picks={"a": [1, 2]})
    asked = bruno.client.get(f"{bruno.me}/report", query_string=hidden_in(bruno.home(), "get"))
    assert "Squads" in text_of(asked)
    end = bruno.client.get(f"{bruno.me}/report", query_string={**hidden_in(asked, "get"), "q.picks.loser": ["3", "4"]})
    assert "2:1" in text_of(end)
    bruno.says(end)
    match = match_of(house)
    assert (match.state, match.match.result) == (AGREED, WHOLE)


def test_who_says_other_squads_of_the_other_side_differs(house: House):
    """At a table both were said; a phone's own word on its own squads is not written over."""
    playing(house, "shatterpoint-premier")
    reported(phones(house)[0])
    says_elsewhere(house, "b", replace(WHOLE, picks={"a": [1, 3], "b": [3, 4]}))
    assert match_of(house).state == DISPUTE


def test_a_correction_of_the_own_squads_is_asked_of_the_other_again(house: House):
    playing(house, "shatterpoint-premier")
    ana, bruno = phones(house)
    reported(ana)
    says_elsewhere(house, "b", replace(WHOLE, picks={"b": [3, 4]}))
    assert match_of(house).state == AGREED
    ana.says(ana.walked(WON, {"q.picks.winner": ["1", "3"]}, *FIGURES))
    assert match_of(house).state == DISPUTE
    bruno.says(bruno.home())
    match = match_of(house)
    assert (match.state, match.match.result.picks) == (SECOND, {"a": [1, 2], "b": [3, 4]})


def test_an_official_who_takes_one_side_s_word_is_asked_for_the_other_s_squads(house: House):
    browser = playing(house, "shatterpoint-premier")
    reported(phones(house)[0])
    said = match_of(house).reports["a"]
    answer = browser.post("/console/e1/accept", match="1.1", side="a", number=str(said.number), revision="0")
    assert answer.status_code == 303
    asked = browser.get(answer.headers["Location"]).text
    assert ("q.picks.loser" in asked, 'type="checkbox" name="q.picks.winner"' in asked) == (True, False)


def test_the_short_line_tells_what_is_lost(second: House):
    table = second.event.find_match("2.1")[1].match.table  # type: ignore[index]
    shown = text_of(second.organizer().get(f"/console/e1/entry?table={table}&text=12+34+2+0+9+3"))
    assert f"{LOST}" in shown
    assert ": C D" in shown


def test_who_has_a_bye_says_which_squads_it_fields(house: House):
    browser = playing(house, "shatterpoint-premier", FOUR + "\nKai Eich")
    alone = next(m for m in house.event.live.matches if m.match.bye)  # type: ignore[union-attr]
    phone, at = house.browser(), link(house, alone.match.a)
    assert "Bye: pick 2 squads" in text_of(phone.get(at))
    assert "2" in problem_of(phone.post(f"{at}/picks", picks=["1"]))
    assert phone.post(f"{at}/picks", picks=["1", "4"]).status_code == 303
    assert house.event.find_match(alone.id)[1].match.picks == (1, 4)  # type: ignore[index]
    assert "squads for the bye missing" not in text_of(browser.console())
    other = link(house, sitting(house, "a"))
    assert "Bye: pick" not in text_of(phone.get(other))
    assert phone.post(f"{other}/picks", picks=["1", "4"]).status_code == 404


@pytest.mark.parametrize("front", ["official", "phone"])
def test_the_last_chance_of_a_squad_is_not_lost_at_a_bye_without_a_second_press(house: House, front: str):
    """The last of two rounds. A and B again: refused, and asked; other squads than those asked about are asked anew."""
    browser = playing(house, "shatterpoint-premier", FOUR + "\nKai Eich")
    alone = next(m for m in house.event.live.matches if m.match.bye)  # type: ignore[union-attr]
    browser.post(f"/console/e1/match/{alone.id}/picks", picks=["1", "2"])
    won = Result(score=SidePair(2, 0), wounds=SidePair(5, 3), picks={"a": [1, 2], "b": [1, 2]})
    for match in house.event.live.open_matches:  # type: ignore[union-attr]
        house.service.execute_one("e1", EnterResult(match.id, 0, won), "test")
    house.publish()
    alone = next(m for m in house.event.live.matches if m.match.bye)  # type: ignore[union-attr]
    name = full_names(saved_event(house.service.snapshot, "e1"))[alone.match.a]  # type: ignore[arg-type]
    at, asks = (
        (f"/console/e1/match/{alone.id}/picks", browser)
        if front == "official"
        else (f"{link(house, alone.match.a)}/picks", house.browser())
    )

    def field(*picks: str, **more: str) -> TestResponse:
        return asks.post(at, picks=list(picks), match=alone.id, **more)

    asked = field("1", "2")
    shown = f"{name if front == 'official' else name.split()[0]}"
    assert asked.status_code == 409
    assert problem_of(asked).startswith(shown)
    assert "could never field the squads C D after this." in problem_of(asked)
    assert house.event.find_match(alone.id)[1].match.picks is None  # type: ignore[index]
    [said] = re.findall(r'name="lets_go" value="([^"]*)"', asked.text)
    assert field("1", "3", lets_go=said).status_code == 409
    assert field("1", "2", lets_go=said).status_code == 303
    assert house.event.find_match(alone.id)[1].match.picks == (1, 2)  # type: ignore[index]


def test_a_form_sent_by_hand_loses_no_squad_either(second: House):
    """On the steps, and as a phone's report: what no page has asked is not taken."""
    browser = second.organizer()
    fields = {
        "way": "played",
        "revision": "0",
        "q.score.winner": "2",
        "q.score.loser": "0",
        "q.wounds.winner": "9",
        "q.wounds.loser": "3",
        "q.picks.winner": ["1", "2"],
        "q.picks.loser": ["3", "4"],
    }
    answer = browser.post("/console/e1/match/2.1/walk", **fields)
    assert "could never field the squads C D after this." in problem_of(answer)
    assert second.event.find_match("2.1")[1].match.result is None  # type: ignore[index]
    [said] = re.findall(r'name="lets_go" value="([^"]*)"', answer.text)
    assert browser.post("/console/e1/match/2.1/walk", **fields, lets_go=said).status_code == 303


@pytest.mark.parametrize("action", ["drop", "disqualify"])
def test_who_stays_when_the_opponent_leaves_is_asked_about_squads_as_well(second: House, action: str):
    """The second round of two, and both owe C and D: only who stays is named, and a second yes takes it."""
    browser = second.organizer()
    match = second.event.find_match("2.1")[1].match  # type: ignore[index]
    asked = {
        "known": "1",
        "q.score.winner": "0",
        "q.score.loser": "1",
        "q.wounds.winner": "4",
        "q.wounds.loser": "3",
        "q.picks.winner": ["1", "2"],
        "q.picks.loser": ["1", "2"],
        "reason": "as noted",
    }
    at = f"/console/e1/competitors/{match.b}/{action}"
    answer = browser.post(at, **asked)
    assert "could never field the squads C D after this." in problem_of(answer)
    [said] = re.findall(r'name="lets_go" value="([^"]*)"', answer.text)
    assert said == f"{match.a}: C D"
    assert browser.post(at, **asked, lets_go=said).status_code == 303
    assert second.event.find_match("2.1")[1].match.result.picks == {"a": [1, 2], "b": [1, 2]}  # type: ignore[index]


def test_squads_of_the_elimination_count_as_fielded(house: House):
    """Two players, one Swiss round with A and B, a final with C and D: nothing is owed any more."""
    playing(house, "shatterpoint-premier", swiss_rounds=1, cut=2)
    for match, picks in (("1.1", [1, 2]), ("1.2", [1, 2]), ("2.1", [3, 4])):
        if match == "2.1":
            house.service.execute_one("e1", MakeCut(), "test")
            house.publish()
        won = Result(score=SidePair(2, 0), wounds=SidePair(5, 3), picks={"a": picks, "b": picks})
        # One guaranteed round: C and D are let go knowingly, and come in the final all the same.
        found = house.event.find_match(match)
        lost = squads_let_go(house.event, found[0], found[1].match, {"a": picks, "b": picks})
        house.service.execute_one("e1", EnterResult(match, 0, won, lets_go=lost), "test")
    assert owed_squads(house.event, sitting(house, "a", "2.1")) == ("", False)
