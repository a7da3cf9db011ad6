"""Players: entered, renamed, leaving, coming back; and what a phone in the hall is shown."""

import pytest
from pages_kit import PEOPLE, House, problem_of, text_of

from roundtap_core.event.commands import EnterResult
from roundtap_core.records import Result, SidePair


def test_one_name_a_line_and_a_list_pasted_twice_is_noticed(house: House):
    browser = house.with_event()
    again = browser.post("/console/e1/competitors", names="Nina Wolf\nAna Ruiz")
    assert "“Ana Ruiz” is already registered, or is twice in the list" in problem_of(again)
    assert "Nina Wolf\nAna Ruiz</textarea>" in again.text
    assert len(house.event.entrants) == 6
    browser.post("/console/e1/competitors", names="Nina Wolf\nAna Ruiz", same_name=1)
    assert len(house.event.entrants) == 8


def test_won_bye_group_and_public_name(house: House):
    browser = house.with_event()
    browser.post("/console/e1/competitors", names="Franz Keller", public_name="Franzl", came_with="car", won_bye=1)
    entrant = house.event.entrants["p7"]
    assert entrant.won_bye
    assert entrant.came_with == "car"
    assert "Franzl" in text_of(house.browser().get("/e/e1"))


def test_whoever_comes_late_misses_round_1(house: House):
    browser = house.with_event()
    house.publish()
    assert "take a loss for round 1" in text_of(browser.console())
    browser.post("/console/e1/competitors", names="Nina Wolf")
    assert "You missed this round: a loss." in text_of(house.browser().get("/e/e1/p/p7"))


def test_a_name_is_corrected_everywhere_and_the_rest_of_the_person_stays(house: House):
    browser = house.with_event()
    browser.post("/console/e1/competitors/p2/details", name="Bruno Mayer", public_name="Brunello")
    assert house.service.snapshot.people["e1"]["p2"].name == "Bruno Mayer"
    assert "Brunello" in text_of(house.browser().get("/e/e1/p/p2"))


def test_leaving_in_a_match_says_that_it_concedes_and_to_whom(house: House):
    browser = house.with_event()
    house.publish()
    first = house.event.live.matches[0]  # type: ignore[union-attr]
    page = text_of(browser.opened())
    opponent = house.service.snapshot.people["e1"][first.match.b].name  # type: ignore[index]
    assert f"Concedes the open match at table 1 to {opponent}," in page
    browser.post(f"/console/e1/competitors/{first.match.a}/drop", known=1, **{"q.score.loser": 40})
    assert house.event.live.matches[0].match.result.conceded_by == "a"  # type: ignore[union-attr]
    assert "You are no longer in the event." in text_of(house.browser().get(f"/e/e1/p/{first.match.a}"))


def test_coming_back_says_the_price(house: House):
    browser = house.with_event(swiss_rounds=3)
    browser.post("/console/e1/competitors/p1/drop")
    house.publish()
    house.play()
    assert "Returns with a loss for 1 missed round" in text_of(browser.opened())
    browser.post("/console/e1/competitors/p1/return")
    assert house.event.entrants["p1"].active


def test_disqualification_needs_a_reason_and_is_final(house: House):
    browser = house.with_event()
    assert "reason is required" in problem_of(browser.post("/console/e1/competitors/p3/disqualify", reason=" "))
    browser.post("/console/e1/competitors/p3/disqualify", reason="stacked dice")
    assert "cannot return" in problem_of(browser.post("/console/e1/competitors/p3/return"))


def test_phones_see_short_names_the_console_whole_ones(house: House):
    browser = house.with_event()
    house.publish()
    for page in ("/e/e1", "/e/e1/pairings", "/e/e1/standings", "/wall/e1", "/e/e1/p/p6"):
        shown = text_of(house.browser().get(page))
        assert "Szczepańska" not in shown
    assert "Aleksandra Wiśniewska-Szczepańska" in text_of(browser.console())
    assert "Aleksandra W." in text_of(house.browser().get("/wall/e1"))


def test_a_player_finds_table_opponent_side_and_result(house: House):
    house.with_event()
    house.publish()
    match = house.event.live.matches[1]  # type: ignore[union-attr]
    mine = f"/e/e1/p/{match.match.b}"
    page = text_of(house.browser().get(mine))
    assert "Table 2" in page
    assert "your side: blue square" in page
    assert "75:00" in page
    house.report("1.2", "a", 24, 100)
    assert "waiting for confirmation" in text_of(house.browser().get(mine))
    house.report("1.2", "b", 24, 100)
    page = text_of(house.browser().get(mine))
    assert "100 : 24 You won MoV 176" in page.replace("100:24", "100 : 24")


def test_a_bye_reads_as_a_win(house: House):
    house.with_event(PEOPLE[:3])
    house.publish()
    alone = next(m for m in house.event.live.matches if m.match.bye)  # type: ignore[union-attr]
    assert "You have a bye: a win." in text_of(house.browser().get(f"/e/e1/p/{alone.match.a}"))


@pytest.mark.parametrize(
    ("language", "heading"),
    [
        ("en", "Your score sheet: margin of victory (MoV) Round 1, against "),
        ("es", "Tu margen de victoria (MoV) por ronda Ronda 1, contra "),
        ("de", "Dein Wertungsbogen, Höhe des Sieges (HdS) Runde 1, gegen "),
        ("pl", "Twój arkusz punktów, różnica zwycięstwa (MoV) Runda 1, kontra "),
    ],
)
def test_the_phone_keeps_the_score_sheet_with_the_margin_of_every_match_so_far(house: House, language, heading):
    """100:24 is 176 and 24, a bye 150; what the match in play gives is not there before its result."""
    house.with_event(PEOPLE[:3])
    house.publish()
    first = house.event.live.matches  # type: ignore[union-attr]
    pair = next(m for m in first if m.match.b).match
    alone = next(m for m in first if m.match.bye).match.a
    house.play()
    house.publish()
    visitor = house.browser()
    visitor.headers = {"Accept-Language": language}
    pages = {who: text_of(visitor.get(f"/e/e1/p/{who}")) for who in (pair.a, pair.b, alone)}
    sheets = {who: page.split(heading.split(" ")[1], 1)[1] for who, page in pages.items()}
    assert heading in pages[pair.a]
    assert ": 176" in sheets[pair.a]
    assert heading in pages[pair.b]
    assert ": 24" in sheets[pair.b]
    assert f"{heading.partition(') ')[2].partition(',')[0]}: 150" in pages[alone]


def test_in_epic_too_the_phone_keeps_the_score_sheet(house: House):
    """ "Margen de victoria": each player notes it on the score sheet."""
    house.with_event(PEOPLE[:3], rulebook="xwing-epic-duel", level="informal", lists_required=False)
    house.publish()
    alone = next(m for m in house.event.live.matches if m.match.bye).match.a  # type: ignore[union-attr]
    assert "Your score sheet: margin of victory (MoV) Round 1: 450" in text_of(house.browser().get(f"/e/e1/p/{alone}"))


def test_no_score_sheet_where_the_rulebook_has_no_margin(house: House):
    house.with_event(PEOPLE[:4], rulebook="keyforge-archon")
    house.publish()
    house.service.execute_one("e1", EnterResult("1.1", 0, Result(score=SidePair(1, 0))), "test")
    assert "score sheet" not in text_of(house.browser().get("/e/e1/p/p1"))


def test_the_search_works_without_scripts_and_without_accents(house: House):
    house.with_event()
    page = text_of(house.browser().get("/e/e1?q=lukasz"))
    assert "Łukasz Ż." in page
    assert "Ana R." not in page
    assert "No player found. Try fewer letters" in text_of(house.browser().get("/e/e1?q=zz"))


def test_standings_stand_still_while_a_round_is_half_in(house: House):
    house.with_event(swiss_rounds=2)
    house.publish()
    house.play(leave_open=1)
    assert "No round is complete yet." in text_of(house.browser().get("/e/e1/standings"))
    house.play()
    page = text_of(house.browser().get("/e/e1/standings"))
    assert "after round 1" in page
    assert "176" in page


def test_a_refusal_calls_people_by_their_names(house: House):
    browser = house.with_event()
    browser.post("/console/e1/competitors/p1/drop")
    assert problem_of(browser.post("/console/e1/competitors/p1/drop")).startswith("Ana Ruiz is no longer in the event")
