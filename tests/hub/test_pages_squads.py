"""Squads at every front of the hub: what is owed stands where they are asked, what is lost before anybody confirms."""

from __future__ import annotations

import pytest
from pages_kit import House, problem_of, text_of
from test_pages_leaving import FOUR, playing, sitting

from roundtap_core.event.commands import EnterResult, MakeCut
from roundtap_core.records import Pair, Result
from roundtap_hub.views.squads import told_squads

LOST = "Can no longer be fielded"


@pytest.fixture
def second(house: House) -> House:
    """The last of two rounds: in the first everybody fielded A and B."""
    playing(house, "shatterpoint-premier")
    for match in ("1.1", "1.2"):
        won = Result(score=Pair(2, 0), wounds=Pair(5, 3), picks={"a": [1, 2], "b": [1, 2]})
        house.service.tell("e1", EnterResult(match, 0, won), "test")
    house.publish()
    return house


def link(house: House, competitor: str) -> str:
    return house.hub.links.path("e1", competitor)


@pytest.mark.parametrize("front", ["official", "phone"])
def test_where_squads_are_asked_it_stands_which_are_owed(second: House, front: str):
    a = sitting(second, "a", "2.1")
    at = {"official": "/console/e1/match/2.1/walk", "phone": f"{link(second, a)}/report"}[front]
    browser = second.organizer() if front == "official" else second.browser()
    asked = text_of(browser.get(f"{at}?way=played"))
    assert asked.count("These squads must play now, every pick counts: C D") == 2


@pytest.mark.parametrize(("picks", "lost"), [
    ({"winner": "12", "loser": "34"}, ["C D"]), ({"winner": "13", "loser": "24"}, ["D", "C"]),
    ({"winner": "34", "loser": "34"}, []),
])
def test_squads_repeated_are_told_before_they_count(second: House, picks: dict[str, str], lost: list[str]):
    """The same as at the table: "D: never again". On the official's steps, the phone, the short line, and to whom the
    other asks whether it is right."""
    fields = "&".join(f"q.picks.{whose}={squad}" for whose, squads in picks.items() for squad in squads)
    end = f"?way=played&opener=a&q.score.winner=2&q.score.loser=0&q.wounds.winner=9&q.wounds.loser=3&{fields}"
    a = sitting(second, "a", "2.1")
    shown = {
        "official": second.organizer().get(f"/console/e1/match/2.1/walk{end}"),
        "phone": second.browser().get(f"{link(second, a)}/report{end}"),
    }
    for front, page in shown.items():
        text = text_of(page)
        assert text.count(LOST) == len(lost), front
        for squads in lost:
            assert f": {squads}" in text, front


def test_the_short_line_tells_what_is_lost(second: House):
    table = second.event.find_match("2.1")[1].match.table  # type: ignore[index]
    shown = text_of(second.organizer().get(f"/console/e1/entry?table={table}&text=12+34+2+0+9+3"))
    assert f"{LOST}" in shown
    assert ": C D" in shown


def test_who_has_a_bye_says_which_squads_it_fields(house: House):
    browser = playing(house, "shatterpoint-premier", FOUR + "\nKai Eich")
    alone = next(m for m in house.event.live.matches if m.match.bye)  # type: ignore[union-attr]
    phone, at = house.browser(), link(house, alone.match.a)
    assert "Choose 2 squads for your bye" in text_of(phone.get(at))
    assert "2" in problem_of(phone.post(f"{at}/picks", picks=["1"]))
    assert phone.post(f"{at}/picks", picks=["1", "4"]).status_code == 303
    assert house.event.find_match(alone.id)[1].match.picks == (1, 4)  # type: ignore[index]
    assert "squads of the bye are missing" not in text_of(browser.get("/console/e1"))
    other = link(house, sitting(house, "a"))
    assert "for your bye" not in text_of(phone.get(other))
    assert phone.post(f"{other}/picks", picks=["1", "4"]).status_code == 404


def test_squads_of_the_elimination_count_as_fielded(house: House):
    """Two players, one Swiss round with A and B, a final with C and D: nothing is owed any more."""
    playing(house, "shatterpoint-premier", swiss_rounds=1, cut=2)
    for match, picks in (("1.1", [1, 2]), ("1.2", [1, 2]), ("2.1", [3, 4])):
        if match == "2.1":
            house.service.tell("e1", MakeCut(), "test")
            house.publish()
        won = Result(score=Pair(2, 0), wounds=Pair(5, 3), picks={"a": picks, "b": picks})
        house.service.tell("e1", EnterResult(match, 0, won), "test")
    assert told_squads(house.event, sitting(house, "a", "2.1")) == ("", False)
