"""Two agreements on one match, and reports from elsewhere: what pages show, and one press for each way out."""

import re

import pytest
from pages_kit import Browser, House, problem_of, text_of

from roundtap_core.event.commands import RecordReport
from roundtap_core.event.states import DECIDED, SECOND, MatchState


@pytest.fixture
def browser(house: House) -> Browser:
    """Both agreed to 100:24, then both to 24:100."""
    browser = house.with_event()
    house.publish()
    for a, b in ((100, 24), (24, 100)):
        for side in "ab":
            house.report("1.1", side, a, b)
    return browser


def match(house: House) -> MatchState:
    found = house.event.find_match("1.1")
    return found[1]


def forms(page: str, address: str) -> list[dict[str, str]]:
    """The fields of every form on the page that goes to this address, as a browser would send them."""
    found = re.findall(rf'<form method="post" action="{address}">(.*?)</form>', page, re.DOTALL)
    return [
        {name: value for name, value in re.findall(r'name="(\w+)" value="([^"]*)"', form) if name != "csrf"}
        for form in found
    ]


def stands(house: House) -> tuple[str, int, int]:
    result = match(house).match.result
    return match(house).state, result.score.a, result.score.b


@pytest.mark.parametrize("path", ["/console/e1", "/console/e1/match/1.1"])
def test_both_results_are_shown_and_one_press_decides(house: House, browser: Browser, path: str) -> None:
    assert stands(house) == (SECOND, 100, 24)
    answer = browser.get(path)
    page = answer.text
    assert "First result Keep 100:24" in text_of(answer).replace(" : ", ":")
    [keep], [take] = forms(page, "/console/e1/keep"), forms(page, "/console/e1/accept")

    assert browser.post("/console/e1/keep", **keep).status_code == 303

    assert stands(house) == (DECIDED, 100, 24)
    assert not match(house).corrected
    assert browser.post("/console/e1/accept", **take).status_code == 409, "what was decided meanwhile is not undone"
    assert stands(house) == (DECIDED, 100, 24)


def test_the_second_is_taken_with_one_press_and_both_are_told(house: House, browser: Browser) -> None:
    [take] = forms(browser.console().text, "/console/e1/accept")
    assert browser.post("/console/e1/accept", **take).status_code == 303
    assert stands(house) == (DECIDED, 24, 100)
    assert match(house).corrected


def test_no_round_is_drawn_before_it(house: House, browser: Browser) -> None:
    for other in ("1.2", "1.3"):
        for side in "ab":
            house.report(other, side, 100, 0)
    browser.console()
    answer = browser.post("/console/e1/draw")
    assert answer.status_code == 409
    assert "1" in problem_of(answer)
    assert house.event.draft is None


def test_the_players_read_that_a_judge_decides(house: House, browser: Browser) -> None:
    who = match(house).match.a
    page = text_of(house.browser().get(f"/e/e1/p/{who}"))
    assert "You both agreed on another result. A judge decides." in page


@pytest.mark.parametrize(
    ("language", "says"),
    [
        ("de", "widersprüchliche Ergebnisse"),
        ("es", "resultados contradictorios"),
        ("pl", "sprzeczne wyniki"),
    ],
)
def test_in_every_language(house: House, browser: Browser, language: str, says: str) -> None:
    browser.headers = {"Accept-Language": language}
    assert says in text_of(browser.get("/console/e1/match/1.1"))


# --- from elsewhere ----------------------------------------------------------------------------------------------


def test_a_report_from_elsewhere_is_told_with_where_the_unit_stands_until_it_is_settled(house: House) -> None:
    browser = house.with_event()
    house.publish()
    house.place("unit-1", 1)
    house.place("unit-2", 2)
    said = {"score": {"a": 0, "b": 100}}
    house.service.execute_one("e1", RecordReport("x", "1.1", "a", 0, said, "body"), "unit:unit-2")
    answer = browser.console()
    assert "unit-2 reported from another table" in text_of(answer)
    assert "This unit belongs to table 2." in text_of(answer)
    [settle] = forms(answer.text, "/console/e1/elsewhere")

    assert browser.post("/console/e1/elsewhere", **settle).status_code == 303

    assert "reported from another table" not in text_of(browser.console())


def test_a_unit_without_a_table_is_told_as_that(house: House) -> None:
    browser = house.with_event()
    house.publish()
    house.service.execute_one(
        "e1", RecordReport("x", "1.1", "a", 0, {"score": {"a": 0, "b": 100}}, "body"), "unit:table-9"
    )
    assert "table-9 reported from another table" in text_of(browser.console())
    assert "This unit has no table." in text_of(browser.console())
