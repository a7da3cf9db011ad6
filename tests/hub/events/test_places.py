"""The console's places: each has its address, title and key, and a form's answer leads back to where it stands."""

import re

import pytest
from pages_kit import Browser, House, problem_of

from roundtap_core.event.commands import CheckIn, FinishEvent, MakeCut, SetCheckIn
from roundtap_hub.http.routes import ROUTES
from roundtap_hub.views.places import EVENT, HALL, HOME, OF_EVENT, OF_HUB, PLAY, PLAYERS, PRINT, STANDINGS, place_of

TITLES = {PLAY: "Round", PLAYERS: "Players", STANDINGS: "Standings", PRINT: "Print", EVENT: "Event"}


def current(page: str) -> str:
    found = re.search(r'<nav class="places".*?<a href="([^"]+)"[^>]* aria-current="page"', page, re.S)
    assert found
    return found[1]


def number_at(page: str, path: str) -> int:
    """The number of open things that the navigation shows at a place; 0 for none."""
    found = re.search(rf'<a href="{path}"[^>]*><span>[^<]*</span>(?: <b[^>]*>(\d+)</b>)?', page)
    assert found
    return int(found[1] or 0)


@pytest.mark.parametrize("place", TITLES, ids=TITLES.values())
def test_each_place_has_its_address_title_and_mark(house: House, place) -> None:
    page = house.with_event().get(place.path("e1")).text
    assert f"<title>{TITLES[place]} · Winter Open</title>" in page
    assert current(page) == place.path("e1")
    for each in OF_EVENT:
        assert f'<a href="{each.path("e1")}" data-go="{each.letter}"' in page


def test_no_two_places_share_a_key_or_an_address() -> None:
    for places in (OF_EVENT, OF_HUB):
        letters = [place.letter for place in (*places, HOME) if place.letter and place is not HOME]
        assert len(set(letters)) == len(letters)
    assert len({place.address for place in (*OF_EVENT, *OF_HUB)}) == len({*OF_EVENT, *OF_HUB})


@pytest.mark.parametrize(
    ("path", "place"),
    [
        ("/console/e1/match/1.1", PLAY),
        ("/console/e1/entry", PLAY),
        ("/console/e1/check-in", PLAYERS),
        ("/console/e1/person/p1", PLAYERS),
        ("/console/e1/competitor/p1/list", PLAYERS),
        ("/console/e1/prizes", STANDINGS),
        ("/console/e1/slip", PRINT),
        ("/console/e1/officials", EVENT),
    ],
)
def test_every_page_of_an_event_belongs_to_a_place(house: House, path: str, place) -> None:
    browser = house.with_event()
    house.publish()
    assert current(browser.get(path).text) == place.path("e1")


def test_pages_of_the_hub_show_the_running_events(house: House) -> None:
    browser = house.with_event()
    assert 'class="places-event"' not in browser.get("/console").text
    house.publish()
    page = browser.get("/console/units").text
    assert re.search(r'<a class="places-event"[^>]* href="/console/e1"><span>Winter Open <small>Round 1', page)
    assert current(page) == HALL.address


def test_every_address_of_the_console_has_a_place() -> None:
    for address in ROUTES:
        path = address.partition(" ")[2]
        if path.startswith("/console"):
            assert place_of(path) in ((*OF_EVENT,) if "<event_id>" in path else OF_HUB), path


def test_a_form_s_problem_stands_where_it_was_sent_from(house: House) -> None:
    browser = house.with_event()
    house.publish()

    def sent_from(path: str) -> str:
        answer = browser.client.post(
            "/console/e1/competitors/p1/disqualify",
            data={"csrf": browser.token},
            headers={**browser.headers, "Referer": f"http://localhost{path}"},
        )
        assert problem_of(answer)
        shown = re.search(r' data-address="([^"]+)"', answer.text)
        assert shown
        assert current(answer.text) == shown[1] or path == PRINT.path("e1")
        return shown[1]

    assert sent_from("/console/e1") == "/console/e1"
    assert sent_from("/console/e1/players") == "/console/e1/players"
    # From elsewhere: the place of its address; a place that shows no such forms: Play.
    assert sent_from("/nowhere") == "/console/e1/players"
    assert sent_from(PRINT.path("e1")) == "/console/e1"


def test_what_was_done_leads_back_to_where_the_form_stands(house: House) -> None:
    browser = house.with_event()
    for address, fields, path in (
        ("competitors", {"names": "Max Gross", "known": 6}, "/console/e1/players#competitors"),
        ("about", {"venue": "Town hall"}, "/console/e1/event"),
        ("officials", {"name": "Eva", "role": "organizer"}, "/console/e1/event#officials"),
        ("draw", {"attempt": 0}, "/console/e1"),
    ):
        answer = browser.post(f"/console/e1/{address}", **fields)
        assert (answer.headers.get("Location"), problem_of(answer)) == (path, ""), address


def test_the_navigation_counts_who_is_awaited_and_which_lists_are_missing(house: House) -> None:
    browser = house.with_event(lists_required="1")
    assert number_at(browser.get("/console/e1").text, "/console/e1/players") == 6
    house.service.execute_one("e1", SetCheckIn(True), "test")
    house.service.execute_one("e1", CheckIn("p1", True), "test")
    assert number_at(browser.get("/console/e1/event").text, "/console/e1/players") == 11


def test_the_navigation_counts_what_needs_a_decision(house: House) -> None:
    browser: Browser = house.with_event()
    house.publish()
    assert number_at(browser.get("/console/e1/standings").text, "/console/e1") == 0
    house.report("1.1", "a", 100, 24)
    house.report("1.1", "b", 24, 100)
    assert number_at(browser.get("/console/e1/standings").text, "/console/e1") == 1


@pytest.mark.parametrize(
    "path",
    [
        "/console/e1/paper",
        "/console/e1/entry",
        "/console/e1/match/1.1",
        "/console/e1/slip",
        "/console/e1/officials",
        "/console/e1/competitor/p1/list",
    ],
)
def test_every_page_of_an_event_shows_the_same_numbers(house: House, path: str) -> None:
    browser = house.with_event()
    house.publish()
    house.report("1.1", "a", 100, 24)
    house.report("1.1", "b", 24, 100)
    assert number_at(browser.get(path).text, "/console/e1") == 1


def test_after_players_are_added_the_next_step_stands_beside_them_and_leads_to_play(house: House) -> None:
    browser = house.with_event()
    page = browser.get("/console/e1/players").text
    assert "Players: 6. Rounds: 2" in page
    assert 'action="/console/e1/draw"' in page
    answer = browser.client.post(
        "/console/e1/draw",
        data={"csrf": browser.token, "attempt": 0},
        headers={**browser.headers, "Referer": "http://localhost/console/e1/players"},
    )
    assert answer.location.partition("?did=")[0] == "/console/e1"
    assert 'action="/console/e1/draw"' not in browser.get("/console/e1/players").text


def test_between_the_cut_and_its_first_round_the_head_names_the_stage(house: House) -> None:
    browser = house.with_event(swiss_rounds=1, cut=2)
    house.publish()
    assert '<span class="round" id="round" data-live>Round 1 of 1</span>' in browser.get("/console/e1").text
    house.play()
    house.service.execute_one("e1", MakeCut(), "test")
    assert '<span class="round" id="round" data-live>Final</span>' in browser.get("/console/e1").text


def test_a_finished_event_and_every_menu_lead_to_a_new_one(house: House) -> None:
    browser = house.with_event(swiss_rounds=1)
    house.publish()
    assert 'href="/console/new"' in browser.get("/console/e1/event").text
    house.play()
    house.service.execute_one("e1", FinishEvent(""), "test")
    page = browser.get("/console/e1").text
    assert '<a class="button" href="/console/new">New event</a>' in page
    # Without a final there is one ranking, and nobody has reached anything.
    assert "Finished in" not in page + browser.get("/console/e1/standings").text
