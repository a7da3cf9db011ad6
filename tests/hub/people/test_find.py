"""Tables and people found from any page of the console: by number, by part of a name, in all events of the hall."""

import re

import pytest
from pages_kit import PEOPLE, Browser, House, text_of

from roundtap_core.event.commands import DropCompetitor

FIND = "/console/e1/find"


def links(browser: Browser, address: str) -> list[str]:
    found = re.search(r'<ul class="found" id="found">(.*?)</ul>', browser.get(address).text, re.S)
    assert found
    return re.findall(r'href="(/[^"]+)"', found[1])


@pytest.mark.parametrize("query", ["szczep", "WISNIEWSKA", "wiśniewska-szczepańska", "aleks wis"])
def test_a_person_is_found_by_any_part_of_the_name_and_without_accents(browser: Browser, query: str):
    assert links(browser, f"{FIND}?q={query}") == ["/console/e1/players#person-p6"]


def test_a_person_s_table_and_opponent_stand_beside_the_name(house: House, browser: Browser):
    match = next(m.match for m in house.event.live.matches if "p3" in (m.match.a, m.match.b))
    other = PEOPLE[int((match.b if match.a == "p3" else match.a)[1:]) - 1]
    assert f"Łukasz Żak Table {match.table}, against {other}" in text_of(browser.get(f"{FIND}?q=lukasz"))
    house.service.execute_one("e1", DropCompetitor("p3"), "test")
    assert links(browser, f"{FIND}?q=lukasz") == ["/console/e1/players#person-p3"]


def test_a_table_is_found_by_its_number(house: House, browser: Browser):
    match = next(m for m in house.event.live.matches if m.match.table == 2)
    assert links(browser, f"{FIND}?q=2") == [f"/console/e1/match/{match.id}"]


def test_all_events_of_the_hall_are_looked_through_this_one_first(house: House, browser: Browser):
    browser.post("/console", name="Sunday", color="#882255", rulebook="keyforge-archon")
    browser.post("/console/e2/competitors", names="Ana Ruiz\nIda Groß\nÍñigo Núñez")
    assert links(browser, f"{FIND}?q=ana+r") == ["/console/e1/players#person-p1", "/console/e2/players#person-p1"]
    assert links(browser, "/console/e2/find?q=ana+r") == [
        "/console/e2/players#person-p1",
        "/console/e1/players#person-p1",
    ]
    assert links(browser, "/console/find?q=gross") == ["/console/e2/players#person-p2"]
    assert links(browser, "/console/find?q=inigo+nunez") == ["/console/e2/players#person-p3"]
    assert "Ida Groß Sunday" in text_of(browser.get(f"{FIND}?q=gross"))


def test_nothing_fits_is_said(browser: Browser):
    assert "Nothing matches “zzz”" in text_of(browser.get(f"{FIND}?q=zzz"))
    assert links(browser, f"{FIND}?q=") == []


def test_every_page_of_the_console_has_the_field_and_lists_have_one_of_their_own(browser: Browser):
    for page in ("/console", "/console/e1", "/console/e1/officials", "/console/e1/match/1.1", "/console/units"):
        assert 'id="find-all"' in browser.get(page).text
    for page, filtered in (("/e/e1/pairings", "#pairs"), ("/e/e1/standings", ".ranked")):
        answer = browser.get(page)
        assert 'id="find-all"' not in answer.text
        assert f'data-filter="{filtered}"' in answer.text
    pairings = browser.get("/e/e1/pairings")
    found = browser.get("/e/e1/pairings?q=lukasz")
    assert "Łukasz" in text_of(found)
    assert 0 < found.text.count("data-text=") < pairings.text.count("data-text=")
    assert "Łukasz" in text_of(browser.get("/e/e1?q=lukasz"))
