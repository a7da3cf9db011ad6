"""*Results as web pages*: all that is finished, as a folder to unpack, by the names of today."""

import io
import re
from collections.abc import Iterator
from pathlib import Path
from zipfile import ZipFile

import pytest
from msgspec.structs import replace
from pages_kit import Browser, House, open_house, text_of

from roundtap_core.event.commands import ChangePerson, DrawRound, EnterResult, FinishEvent, PublishRound
from roundtap_core.records import Result, SidePair
from roundtap_core.words import LANGUAGES
from roundtap_hub.store.journal import PersonRecord
from roundtap_hub.store.service import Step

ADDRESS = "/console/results.zip"


@pytest.fixture
def house(tmp_path: Path) -> Iterator[House]:
    with open_house(tmp_path) as made:
        yield made


def play(house: House, name: str, date: str, finish: bool = True) -> str:
    """An event of four with one round; returns its id."""
    browser = house.organizer()
    fields = {"rulebook": "xwing-standard", "structure": "own", "swiss_rounds": 1, "color": "#00785A"}
    browser.post("/console", name=name, date=date, **fields)
    event = house.service.snapshot.ids[-1]
    browser.post(f"/console/{event}/competitors", names="Ana Ruiz\nBruno Maier\nŁukasz Żak\nEva Luz")
    house.service.execute_one(event, DrawRound(3), "test")
    draft = house.service.snapshot.events[event].draft
    house.service.execute_one(event, PublishRound(draft.number, draft.draw.attempt, noted="a test"), "test")
    for match in house.service.snapshot.events[event].live.matches:
        entered = EnterResult(match.id, match.revision, Result(score=SidePair(100, 24)))
        house.service.execute_one(event, entered, "test")
    if finish:
        house.service.execute_one(event, FinishEvent("the hall closes"), "test")
    return event


def site(browser: Browser) -> dict[str, str]:
    """The pages of the download, by file name."""
    answer = browser.client.get(ADDRESS, headers=browser.headers)
    assert (answer.status_code, answer.content_type) == (200, "application/zip")
    assert answer.headers["Content-Disposition"] == 'attachment; filename="results.zip"'
    with ZipFile(io.BytesIO(answer.data)) as packed:
        return {name: packed.read(name).decode() for name in packed.namelist()}


def test_the_button_is_there_once_an_event_is_finished(house: House) -> None:
    play(house, "Friday", "2026-11-20", finish=False)
    browser = house.organizer()
    assert ADDRESS not in browser.get("/console").text
    house.service.execute_one("e1", FinishEvent("the hall closes"), "test")
    page = browser.get("/console")
    assert ADDRESS in page.text
    assert "Results as web pages" in text_of(page)


def test_finished_and_archived_events_are_in_it_and_no_others(house: House) -> None:
    play(house, "Friday", "2026-11-20")
    play(house, "Archived", "2026-11-13")
    play(house, "Deleted", "2026-11-06")
    play(house, "Still on", "2026-11-27", finish=False)
    browser = house.organizer()
    browser.post("/console/e2/archive")
    browser.post("/console/e3/delete", name="Deleted")
    pages = site(browser)
    assert sorted(pages) == ["2026-11-13-archived.html", "2026-11-20-friday.html", "index.html"]
    assert re.findall(r'href="([^"]+)"', pages["index.html"]) == ["2026-11-20-friday.html", "2026-11-13-archived.html"]
    assert re.search(r"4 players · \w+ \w\. won</p>", pages["2026-11-20-friday.html"])


def test_events_at_rest_are_in_it_and_stay_at_rest(tmp_path: Path) -> None:
    with open_house(tmp_path) as house:
        for number in range(1, 6):
            play(house, f"Friday {number}", f"2026-11-0{number}")
        house.organizer().post("/console/e1/archive")
    with open_house(tmp_path) as again:
        before = set(again.service.snapshot.dormant)
        assert "e1" in before
        assert len(site(again.organizer())) == 6
        assert set(again.service.snapshot.dormant) == before


def test_names_are_those_of_today(house: House) -> None:
    play(house, "Friday", "2026-11-20")
    browser = house.organizer()
    assert "Ana R." in site(browser)["2026-11-20-friday.html"]
    person = replace(house.service.snapshot.people_of("e1")["p1"], name="Zoë Neu")
    record = PersonRecord("e1", "p1", "salt", person)
    house.service.execute([Step("e1", ChangePerson("p1", person.digest("salt")))], "test", [record])
    page = site(browser)["2026-11-20-friday.html"]
    assert "Zoë N." in page
    assert "Ana R." not in page
    assert "Ruiz" not in page


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_pages_are_in_the_language_of_the_console(house: House, language: str) -> None:
    play(house, "Friday", "2026-11-20")
    browser = house.browser(language)
    browser.enter(house.hub)
    for page in site(browser).values():
        assert f'<html lang="{language}">' in page


def test_only_organizers_have_it(house: House) -> None:
    play(house, "Friday", "2026-11-20")
    for role in ("head_judge", "judge", "scorekeeper"):
        staff = house.staff(role, name=role)
        assert ADDRESS not in staff.get("/console").text
        assert staff.get(ADDRESS).status_code == 403
    assert house.browser().get(ADDRESS).headers["Location"].startswith("/login")
