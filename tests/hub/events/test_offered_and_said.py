"""What is offered where people look for it: today's date, leagues, sign-up; and a wall that has no league to show."""

from types import SimpleNamespace

import pytest
from fridays_kit import four_fridays
from pages_kit import House, here, text_of

from roundtap_core.event import commands as c
from roundtap_core.event.entries import VENUE
from roundtap_core.words import LANGUAGES
from roundtap_hub.store.book import League, league_saved
from roundtap_hub.store.service import Step

FRIDAY = here("2026-11-27T18:00:00")


def test_a_new_event_is_today_s_where_the_hub_is_sure_of_the_day(house: House) -> None:
    browser = house.organizer()
    assert 'name="date" type="date" value=""' in browser.get("/console/new").text
    house.time.wall = FRIDAY
    assert 'name="date" type="date" value="2026-11-27"' in browser.get("/console/new").text
    # What was typed is shown again as it was typed.
    again = browser.post("/console", rulebook="xwing-standard", name="", date="2026-12-24", color="#00785A")
    assert 'value="2026-12-24"' in again.text
    doubtful = SimpleNamespace(doubt=lambda: "unset", now_s=lambda: 0.0, was_set=False)
    house.hub.host.hall_time = doubtful  # type: ignore[assignment]
    assert 'name="date" type="date" value=""' in browser.get("/console/new").text


def test_an_event_s_page_names_its_leagues_as_soon_as_it_counts(house: House) -> None:
    browser = house.with_event()
    assert "Autumn" not in browser.get("/console/e1/event").text
    for id, name in (("l1", "Autumn"), ("l2", "Whole year")):
        house.service.execute([Step(VENUE, league_saved(League(id=id, name=name, events=("e1",))))], "test")
    page = browser.get("/console/e1/event").text
    assert '<a href="/league/l1">Autumn</a>' in page
    assert '<a href="/league/l2">Whole year</a>' in page
    assert house.browser().get("/league/l1").status_code == 200


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_wall_asked_for_a_league_says_where_there_is_none(house: House, language: str) -> None:
    house.with_event()
    said = {"en": "counts for no league", "de": "zählt für keine Liga", "es": "ninguna liga", "pl": "żadnej ligi"}
    wall = house.browser(language)
    assert said[language] in text_of(wall.get("/wall/e1?show=league"))
    assert said[language] not in text_of(wall.get("/wall/e1"))
    house.service.execute([Step(VENUE, league_saved(League(id="l1", name="Autumn", events=("e1",))))], "test")
    assert said[language] not in text_of(wall.get("/wall/e1?show=league"))


def test_who_looks_for_the_event_finds_where_to_sign_up_while_it_is_open(house: House) -> None:
    """The front door leads to the one event that is not over; last week's own page leads on to tonight's."""
    house.time.wall = FRIDAY
    four_fridays(house.service, ["Żaneta Kowalczyk", "Eva Luz", "Ana Ruiz"])
    last_week = house.hub.access.links.give("e4", "p1")
    house.organizer().post("/console/e4/again")
    offer = 'href="/join/e5"'
    phone = house.browser()

    def offered() -> list[bool]:
        return [offer in phone.get(page).text for page in ("/?lang=en", "/e/e5", last_week)]

    assert offered() == [False, False, False]
    house.service.execute_one("e5", c.SetSignUp(True), "test")
    assert offered() == [True, True, True]
    assert offer not in phone.get("/e/e4").text
    assert phone.get("/join/e5").status_code == 200
    house.organizer().post("/console/e5/competitors", names="One\nTwo", here=1)
    house.service.execute_one("e5", c.DrawRound(1), "test")
    assert offered() == [False, False, False]
