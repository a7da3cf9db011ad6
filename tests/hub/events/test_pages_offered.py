"""What the documents leave to people and the kit offers them: reached by the clicks that an official has."""

from typing import Any

from pages_kit import Browser, House, problem_of, text_of

from roundtap_core.records import Result

TWO = ["Ana Ruiz", "Bruno Maier"]
MATCH = "/console/e1/match/1.1"


def press(browser: Browser, page: str, action: str, **fields: object) -> str:
    """Send that form of that page, which has to be on it; what the page it leads to says."""
    assert f'action="{action}"' in browser.opened(page).text
    answer = browser.post(action, **fields)
    assert answer.status_code == 303, problem_of(answer)
    return text_of(browser.opened(page))


def appoint(browser: Browser, *officials: dict[str, Any]) -> None:
    for official in officials:
        press(browser, "/console/e1", "/console/e1/officials", **official)


def result(house: House) -> Result | None:
    return house.event.find_match("1.1")[1].match.result


def test_any_number_of_head_judges_and_judges_or_none(house: House):
    browser = house.with_event(rulebook="keyforge-archon", level="formal")
    appoint(browser, {"name": "Nina Wolf", "role": "organizer"})
    assert [official.role for official in house.event.officials.values()] == ["organizer"]
    appoint(
        browser,
        *(
            {"name": f"Official {n}", "role": role}
            for n, role in enumerate(("head_judge", "head_judge", "judge", "judge"))
        ),
    )
    assert len(house.event.officials) == 5


def test_where_officials_meet_a_third_one_rules(house: House):
    browser = house.with_event(TWO, rulebook="keyforge-archon", level="relaxed")
    appoint(
        browser,
        {"name": "Nina Wolf", "role": "organizer"},
        {"name": "Ida Blau", "role": "judge", "second": 1},
        {"name": "Uwe Ohm", "role": "head_judge", "second": 1},
    )
    for official, plays in (("o1", "p1"), ("o2", "p2")):
        role = house.event.officials[official].role
        second = {"second": 1} if official == "o2" else {}
        press(browser, "/console/e1", f"/console/e1/officials/{official}/change", role=role, plays=plays, **second)
    house.publish()
    assert "Uwe Ohm rules on this match" in text_of(browser.get(MATCH))


def test_opaque_sleeves_are_asked_for_at_the_premium_level(house: House):
    browser = house.with_event(TWO, rulebook="keyforge-archon", level="premium")
    assert 'name="opaque_sleeves"' in browser.get("/console/e1/competitor/p1/list").text


def test_a_card_that_is_missing_loses_the_game(house: House):
    browser = house.with_event(TWO, rulebook="keyforge-archon", level="relaxed")
    house.publish()
    press(browser, f"{MATCH}/walk?way=conceded&opener=b", f"{MATCH}/walk", revision=0, way="conceded", opener="b")
    assert house.event.rulebook.winner(result(house), house.event.options) == "b"


def test_who_left_without_a_word_is_warned_still(house: House):
    browser = house.with_event(rulebook="shatterpoint-premier")
    house.publish()
    browser.post("/console/e1/competitors/p2/drop", unknown=1)
    said = press(browser, "/console/e1", "/console/e1/competitors/p2/warn", reason="left without a word")
    assert "Warning (Round 1): left without a word" in said


def test_a_judge_of_shatterpoint_excludes_at_once(house: House):
    browser = house.with_event(rulebook="shatterpoint-premier")
    appoint(browser, {"name": "Nina Wolf", "role": "organizer"}, {"name": "Ida Blau", "role": "judge"})
    press(browser, "/console/e1", "/console/e1/competitors/p3/disqualify", reason="shouted at a player", by="o2")
    assert not house.event.entrants["p3"].active


def test_a_sanction_of_warlords_is_a_warning_a_lost_game_or_the_end_of_the_event(house: House):
    browser = house.with_event(TWO, rulebook="warlords-of-terra", level="friendly", prize_places=0)
    house.publish()
    assert "marked cards" in press(browser, "/console/e1", "/console/e1/competitors/p1/warn", reason="marked cards")
    press(
        browser,
        f"{MATCH}/walk?way=ruling_figures&q.winner=b&q.score.winner=12&q.score.loser=7",
        f"{MATCH}/walk",
        revision=0,
        way="ruling_figures",
        **{"q.winner": "b", "q.score.winner": 12, "q.score.loser": 7},
    )
    assert result(house).winner == "b"
    press(browser, "/console/e1", "/console/e1/competitors/p1/disqualify", reason="marked cards again")
    assert not house.event.entrants["p1"].active
