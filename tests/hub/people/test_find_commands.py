"""What is typed into the console's search to be done: a drop, five minutes more, a no-show, a check-in, a place."""

import html
import re

import pytest
from pages_kit import Browser, House, text_of

from roundtap_core.event.commands import DropCompetitor, FinishEvent, SetCheckIn, SetClock

FIND = "/console/e1/find"


def rows(browser: Browser, query: str, event: str = "e1") -> list[str]:
    """Where each row that does something is sent."""
    page = browser.get(f"/console/{event}/find?q={query}").text
    found = re.search(r'<ul class="found" id="found">(.*?)</ul>', page, re.S)
    assert found
    return re.findall(r'<form method="post" action="([^"]+)"', found[1])


def every_row(browser: Browser, query: str) -> int:
    return browser.get(f"{FIND}?q={query}").text.partition('id="found"')[2].count("<li>")


def press(house: House, browser: Browser, query: str) -> None:
    """The only row, as its form is."""
    page = browser.get(f"{FIND}?q={query}").text
    [form] = re.findall(r'<form method="post" action="([^"]+)">(.*?)</form>', page[page.index('id="found"') :], re.S)
    fields = dict(re.findall(r'<input type="hidden" name="([^"]+)" value="([^"]*)">', form[1]))
    assert browser.post(form[0], **fields).status_code in (200, 303)


def test_a_drop_says_what_it_does_and_is_the_form_that_the_player_s_row_has(house: House, browser: Browser) -> None:
    assert rows(browser, "drop+szczep") == ["/console/e1/competitors/p6/drop"]
    assert "Drop player: Aleksandra Wiśniewska-Szczepańska" in text_of(browser.get(f"{FIND}?q=drop+szczep"))
    assert "Concedes the open match" in text_of(browser.get(f"{FIND}?q=drop+szczep"))
    page = browser.get(f"{FIND}?q=drop+szczep").text
    assert 'name="step" value="' in page
    assert 'name="csrf" value="' in page


@pytest.mark.parametrize(
    ("query", "language"), [("wycofaj+szczep", "pl"), ("aussteigen+szczep", "de"), ("DROP+szczep", "de")]
)
def test_a_command_is_typed_in_the_reader_s_language_or_in_english(browser: Browser, query: str, language: str) -> None:
    browser.headers = {"Accept-Language": language}
    assert rows(browser, query) == ["/console/e1/competitors/p6/drop"]


def test_a_name_that_may_be_several_gives_a_row_each_and_one_who_left_none(house: House, browser: Browser) -> None:
    assert rows(browser, "drop+e") == [f"/console/e1/competitors/{who}/drop" for who in ("p2", "p4", "p5", "p6")]
    house.service.execute_one("e1", DropCompetitor("p2"), "test")
    assert len(rows(browser, "drop+e")) == 3
    assert rows(browser, "drop+zzz") == []
    assert rows(browser, "drop") == []
    assert "Nothing matches “drop zzz”" in text_of(browser.get(f"{FIND}?q=drop+zzz"))


def test_minutes_and_a_table_are_an_extension(house: House, browser: Browser) -> None:
    house.service.execute_one("e1", SetClock("start"), "test")
    match = next(m for m in house.event.live.matches if m.match.table == 2)
    assert rows(browser, "%2B5+2") == [f"/console/e1/match/{match.id}/extension"]
    assert "+5 min at table 2" in text_of(browser.get(f"{FIND}?q=%2B5+2"))
    press(house, browser, "%2B20+2")
    assert {m.match.table: m.match.extension_minutes for m in house.event.live.matches}[2] == 20
    assert rows(browser, "%2B5+99") == []
    assert rows(browser, "%2B05+02") == [f"/console/e1/match/{match.id}/extension"]
    assert rows(browser, "%2B0+2") == rows(browser, "%2B61+2") == [], "what would be refused is not offered"


def test_what_acts_stands_alone_whoever_of_another_event_has_the_same_figures_or_letters(
    house: House, browser: Browser
) -> None:
    """One Enter does the only row (static/find.js); a second row would have to be chosen first."""
    house.service.execute_one("e1", SetClock("start"), "test")
    browser.post("/console", name="Sunday", color="#882255", rulebook="keyforge-archon")
    browser.post("/console/e2/competitors", names="Player 05\nDropka Szczepan\n2 Fast 5 Furious")
    for query in ("%2B5+2", "drop+szczep"):
        assert len(rows(browser, query)) == 1
        assert every_row(browser, query) == 1
    assert "Player 05 Sunday" in text_of(browser.get(f"{FIND}?q=5")), "a number alone finds people, too"
    assert "Dropka Szczepan Sunday" in text_of(browser.get(f"{FIND}?q=dropka"))
    for query in (f"{FIND}?q=%2B5+25", "/console/find?q=%2B5+2"):
        assert "Nothing matches “+5 2" in text_of(browser.get(query)), "no table of that number, or of no event"


def test_a_no_show_and_a_check_in_are_offered_to_those_they_can_be_about(house: House, browser: Browser) -> None:
    match = next(m for m in house.event.live.matches if "p6" in (m.match.a, m.match.b))
    assert rows(browser, "no-show+szczep") == [f"/console/e1/match/{match.id}/no-show"]
    assert rows(browser, "here+szczep") == []
    browser.post("/console", name="Sunday", color="#882255", rulebook="keyforge-archon")
    browser.post("/console/e2/competitors", names="Ana Ruiz\nIda Groß")
    house.service.execute_one("e2", SetCheckIn(True), "test")
    assert rows(browser, "here+ana", "e2") == ["/console/e2/competitors/p1/here"]
    press(house, browser, "no-show+szczep")
    assert not house.event.entrants["p6"].active
    assert rows(browser, "drop+szczep") == rows(browser, "no-show+szczep") == []
    house.play()
    house.service.execute_one("e1", FinishEvent("the hall closes"), "test")
    assert rows(browser, "drop+ana") == []


def test_a_late_entry_is_asked_for_an_opponent_where_check_in_asks(house: House) -> None:
    """A press on the row would be a loss that no official chose."""
    browser = house.with_event(check_in=True)
    house.service.execute_one("e1", SetCheckIn(True), "test")
    for who in ("p1", "p2", "p3", "p4"):
        browser.post(f"/console/e1/competitors/{who}/here")
    house.publish()
    assert rows(browser, "here+szczep") == []
    page = browser.get(f"{FIND}?q=here+szczep").text
    [link] = re.findall(r'href="(/console/e1/check-in[^"]*)"', page[page.index('id="found"') :])
    assert 'name="meets"' in browser.get(html.unescape(link)).text


def test_a_place_is_named_by_its_beginning(browser: Browser) -> None:
    for query, language in (("standings", "en"), ("stand", "pl"), ("klasyf", "pl"), ("KLASYF", "pl")):
        browser.headers = {"Accept-Language": language}
        page = browser.get(f"{FIND}?q={query}").text
        assert 'href="/console/e1/standings"><b>' in page, query
    assert 'href="/console/e1/standings"><b>' not in browser.get(f"{FIND}?q=st").text


def test_nobody_is_offered_what_their_role_may_not(house: House, browser: Browser) -> None:
    house.service.execute_one("e1", SetClock("start"), "test")
    may = {
        role: (len(rows(house.staff(role, role), "drop+szczep")), len(rows(house.staff(role, f"{role} 2"), "%2B5+2")))
        for role in ("head_judge", "judge", "scorekeeper")
    }
    assert may == {"head_judge": (1, 1), "judge": (0, 1), "scorekeeper": (0, 0)}
