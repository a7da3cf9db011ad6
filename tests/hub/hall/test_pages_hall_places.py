"""The hall's places on the console: one way between them, with what is open in each, and the worst first."""

import re
from pathlib import Path

import pytest
from pages_kit import House, text_of

from roundtap_hub.access.unit_keys import STATION
from roundtap_hub.store.print_book import PrintBook

PATHS = [
    "/console/hall",
    "/console/before-doors",
    "/console/displays",
    "/console/announcements",
    "/console/games",
    "/console/leagues",
    "/console/people",
    "/console/units",
    "/console/printer",
    "/console/hub",
]


def places_of(page: str) -> list[str]:
    return re.findall(r'href="([^"]+)"', page.partition('id="hall-places"')[2].partition("</ul>")[0])


@pytest.mark.parametrize("path", PATHS)
def test_each_page_of_the_hall_leads_to_all_others_and_says_where_it_is(house: House, path: str) -> None:
    page = house.organizer().get(path).text
    assert places_of(page) == PATHS
    assert re.findall(r'href="([^"]+)" aria-current="page"', page) == [path]


def test_a_judge_is_shown_the_places_of_a_judge(house: House) -> None:
    assert places_of(house.staff("judge").get("/console/hall").text) == [
        "/console/hall",
        "/console/before-doors",
        "/console/printer",
    ]


def test_a_failed_check_is_counted_at_its_place_and_stands_first(house: House) -> None:
    house.hub.units.keys.add("station-1", STATION)
    page = house.organizer().get("/console/hall")
    counted = re.findall(r'href="([^"]+)"[^>]*>[^<]* <b class="places-n"', page.text)
    assert "/console/printer" in counted
    rows = page.text.partition('id="hall-rows"')[2].partition("</main>")[0].split("<h2>")[1:]
    wrong = ["check-wrong" in row for row in rows]
    assert wrong == sorted(wrong, reverse=True)
    assert any(wrong)
    assert "station-1: not connected" in text_of(page)


def test_the_printer_s_page_says_what_waits_and_leads_to_the_event(house: House, tmp_path: Path) -> None:
    house.hub.paper = PrintBook(f"sqlite:///{tmp_path / 'roundtap.db'}")
    browser = house.with_event()
    house.publish()
    assert "waiting" not in text_of(browser.get("/console/printer")), "for a printer that nobody has"
    house.hub.units.keys.add("station-1", STATION)
    page = browser.get("/console/printer")
    assert 'href="/console/e1/paper"' in page.text
    assert re.search(r"\d+ jobs? waiting", text_of(page))
