"""Every round has its tab and every match its page; a correction is told to both players, at their table and phone."""

import re

from pages_kit import House, text_of
from wire_json import table_json

from roundtap_core.event.commands import DrawRound, EnterResult, MakeCut
from roundtap_core.records import Result, SidePair


def correct(house: House, match: str, a: int, b: int) -> None:
    found = house.event.find_match(match)
    assert found
    house.service.execute_one(
        "e1", EnterResult(match, found[1].revision, Result(score=SidePair(a, b)), reason="misread"), "test"
    )


def links(page: str, what: str) -> list[str]:
    return re.findall(rf'href="(/console/e1{what})"', page)


def test_every_round_and_every_match_of_an_event_with_a_cut_is_two_clicks_away(house: House):
    browser = house.with_event(cut=4)
    for number in range(1, 5):
        if number == 3:
            house.service.execute_one("e1", MakeCut(), "test")
        house.publish()
        house.play()
    page = browser.console()
    tabs = links(page.text, r"\?round=\d#grid")
    assert tabs == [f"/console/e1?round={number}#grid" for number in range(1, 5)]
    assert "Round 1 Round 2 Semi-final Final" in text_of(page)
    for tab, played in zip(tabs, house.event.public_rounds, strict=True):
        shown = browser.get(tab.partition("#")[0]).text
        wanted = [f"/console/e1/match/{m.id}" for m in played.matches if m.match.b]
        assert sorted(links(shown, r"/match/[\d.]+")) == wanted
        assert re.search(rf'round={played.number}#grid" aria-current="page"', shown)
        for match in links(shown, r"/match/[\d.]+"):
            assert "Correct result" in text_of(browser.get(match))


def test_a_round_that_is_not_there_shows_the_newest(house: House):
    browser = house.with_event()
    house.publish()
    for asked in ("7", "x", "-1", ""):
        assert links(browser.get(f"/console/e1?round={asked}").text, r"/match/[\d.]+")


def test_after_a_correction_the_console_shows_that_round(house: House):
    browser = house.with_event()
    house.publish()
    house.play()
    house.publish()
    end = browser.get("/console/e1/match/1.1/walk?way=played&opener=b&q.score.loser=24")
    assert 'name="reason" required' in end.text
    answer = browser.post(
        "/console/e1/match/1.1/walk", revision=1, way="played", opener="b", reason="misread", **{"q.score.loser": 24}
    )
    assert answer.location == "/console/e1?round=1"
    assert "corrected" in text_of(browser.console(query="?round=1"))
    assert "corrected" not in text_of(browser.console())


def test_both_players_are_told_at_their_table_while_their_match_is_there(house: House):
    house.with_event()
    house.publish()
    house.place("unit-1", 1)
    house.report("1.1", "a", 100, 20)
    house.report("1.1", "b", 100, 20)

    def told() -> tuple[bool, str, object]:
        match = table_json(house.service.snapshot, "unit-1")["match"]
        return match["corrected"], match["state"], match["result"] and match["result"]["score"]

    assert told() == (False, "agreed", {"a": 100, "b": 20})
    correct(house, "1.1", 100, 24)
    assert told() == (True, "decided", {"a": 100, "b": 24})
    house.play()
    house.service.execute_one("e1", DrawRound(1), "test")
    correct(house, "1.1", 24, 100)
    assert told() == (True, "closed", {"a": 24, "b": 100})


def test_a_judge_s_first_word_is_no_correction_and_neither_is_the_same_word_again(house: House):
    house.with_event()
    house.publish()
    for a, b, corrected in ((100, 24, False), (100, 24, False), (100, 30, True), (100, 24, True)):
        correct(house, "1.1", a, b)
        assert house.event.find_match("1.1")[1].corrected is corrected  # type: ignore[index]


def test_a_correction_is_on_both_phones_by_name_of_its_round_and_from_their_own_side(house: House):
    browser = house.with_event()
    house.publish()
    house.play()
    house.publish()
    match = house.event.find_match("1.1")[1].match  # type: ignore[index]
    before = {who: browser.get(f"/e/e1/p/{who}").text for who in (match.a, match.b)}
    correct(house, "1.1", 20, 100)
    for who, figures in ((match.a, "20 : 100"), (match.b, "100 : 20")):
        page = browser.get(f"/e/e1/p/{who}")
        assert page.text != before[who]
        said = re.search(r"Round 1, against [^:]+: corrected, (\d+ : \d+)", text_of(page))
        assert said
        assert said[1] == figures
    other = next(e for e in house.event.entrants if e not in (match.a, match.b))
    assert "corrected" not in text_of(browser.get(f"/e/e1/p/{other}"))
