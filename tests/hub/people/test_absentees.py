"""When the announced limit is over the console says who has not sat down, with one button for each thing to do."""

import re

import pytest
from asgi_client import AsgiClient
from pages_kit import PEOPLE, PIN, Browser, House, text_of, words_of

from roundtap_core.event.commands import SetClock
from roundtap_core.words import catalogue
from roundtap_hub.app.asgi import HubApplication
from roundtap_hub.http.requester import session_cookie

MINUTE = 60_000
NOBODY = catalogue("roundtap_hub", "en")("absent.nobody")
PAGE = "/console/e1/absent"


@pytest.fixture
def browser(house: House) -> Browser:
    """Round 1 is played; at table 1 only the circle has sat down, table 2 has no unit."""
    browser = house.with_event(PEOPLE[:4], late_minutes=10)
    house.publish()
    house.place("unit-1", 1)
    house.hub.presence.update("unit-1", house.time.ms, match="1.1", seated=frozenset("a"))
    house.service.execute_one("e1", SetClock("start"), "test")
    return browser


def names(house: House) -> tuple[str, str]:
    match = house.event.find_match("1.1")[1].match
    people = house.service.snapshot.people["e1"]
    return people[match.a].name, people[match.b].name


def absent(browser: Browser) -> list[str]:
    return re.findall(r'<input type="hidden" name="absent" value="([^"]+)"', browser.console().text)


def test_nobody_is_late_before_the_limit(house: House, browser: Browser):
    house.time.ms += 10 * MINUTE - 1
    assert absent(browser) == []
    house.time.ms += 1
    assert absent(browser) == [house.event.find_match("1.1")[1].match.b]
    assert f"1 not seen yet 0:00 {names(house)[1]} All here" in text_of(browser.console())


def test_is_here_ends_it_and_no_show_gives_the_other_the_bye(house: House, browser: Browser):
    house.time.ms += 11 * MINUTE
    late = absent(browser)[0]
    assert browser.post("/console/e1/here", who=f"1.1 {late}").status_code == 303
    assert absent(browser) == []
    assert house.event.find_match("1.1")[1].match.bye is None
    house.hub.presence.update("unit-1", house.time.ms, match="1.1", seated=frozenset())
    (other,) = absent(browser)
    assert browser.post("/console/e1/match/1.1/no-show", absent=other).status_code == 303
    assert house.event.entrants[other].dropped_after == 1
    assert absent(browser) == []


def test_who_sat_down_or_plays_is_not_reported(house: House, browser: Browser):
    house.time.ms += 20 * MINUTE
    house.hub.presence.update("unit-1", house.time.ms, seated=frozenset("ab"))
    assert absent(browser) == []
    house.hub.presence.update("unit-1", house.time.ms, seated=frozenset("a"))
    house.report("1.1", "a", 100, 20)
    assert absent(browser) == []


def test_who_calls_a_judge_is_at_the_table_also_once_the_call_is_settled(house: House, browser: Browser):
    house.time.ms += 20 * MINUTE
    assert absent(browser)
    for calls in (True, False):
        house.says("unit-1", call=calls)
        assert absent(browser) == []
    # Of the next match nothing is known by that.
    house.hub.presence.update("unit-1", house.time.ms, match="1.2")
    assert house.hub.presence.status_of("unit-1").called_for == "1.1"


def test_a_clock_that_is_paused_counts_no_minutes(house: House, browser: Browser):
    house.time.ms += 5 * MINUTE
    house.service.execute_one("e1", SetClock("pause"), "test")
    house.time.ms += 30 * MINUTE
    assert absent(browser) == []


# --- the grid names them, and one page lists them ---------------------------------------------------------------------


def row(browser: Browser, match: str) -> str:
    page = browser.console().text
    return page.partition(f'data-key="{match}"')[2].partition("</li>")[0]


def test_the_grid_names_who_is_missing_at_a_table_also_after_the_start(house: House, browser: Browser):
    first, second = names(house)
    assert f"not seated: {second}" in row(browser, "1.1")
    assert "not seated: " not in row(browser, "1.2"), "nobody says anything of a table without a unit"
    house.hub.presence.update("unit-1", house.time.ms, seated=frozenset())
    assert f"not seated: {first}, {second}" in row(browser, "1.1")
    house.hub.presence.update("unit-1", house.time.ms, seated=frozenset("ab"))
    assert "not seated: " not in row(browser, "1.1")


def test_before_the_start_a_table_at_which_nobody_sits_waits(house: House, browser: Browser):
    house.service.execute_one("e1", SetClock("reset"), "test")
    house.hub.presence.update("unit-1", house.time.ms, seated=frozenset())
    assert "not seated: " not in row(browser, "1.1")
    house.hub.presence.update("unit-1", house.time.ms, seated=frozenset("b"))
    assert f"not seated: {names(house)[0]}" in row(browser, "1.1")


def test_a_table_without_a_unit_is_known_once_somebody_was_seen_there(house: House, browser: Browser):
    other = house.event.find_match("1.2")[1].match
    page = browser.get(PAGE)
    assert "1 table without data" in text_of(page)
    assert NOBODY not in text_of(page), "of all tables nobody knows it yet"
    assert browser.post("/console/e1/here", who=f"1.2 {other.a}", back="absent").location == PAGE
    after = text_of(browser.get(PAGE))
    assert "without data" not in after
    people = house.service.snapshot.people["e1"]
    assert f"not seated: {people[other.b].name}" in row(browser, "1.2")
    house.time.ms += 10 * MINUTE
    assert absent(browser) == [house.event.find_match("1.1")[1].match.b, other.b]
    browser.post("/console/e1/here", who=f"1.2 {other.b}", back="absent")
    assert "not seated: " not in row(browser, "1.2")
    browser.post("/console/e1/here", who=f"1.1 {house.event.find_match('1.1')[1].match.b}", back="absent")
    assert NOBODY in text_of(browser.get(PAGE))


def test_one_list_with_one_button_each_once_the_minutes_are_over(house: House, browser: Browser):
    second = house.event.find_match("1.1")[1].match.b
    early = browser.get(PAGE)
    assert names(house)[1] in text_of(early)
    assert "10 min after the start" in text_of(early)
    assert "/no-show" not in early.text
    house.time.ms += 10 * MINUTE
    late = browser.get(PAGE)
    assert "10 min have passed since the start" in text_of(late)
    step = re.search(rf'name="step" value="(person/{second}[^"]*)"', late.text)
    assert step
    sent = {"absent": second, "back": "absent", "step": step[1]}
    assert browser.post("/console/e1/match/1.1/no-show", **sent).location == PAGE
    assert absent(browser) == []
    before = house.event.number
    assert browser.post("/console/e1/match/1.1/no-show", **sent).status_code in (404, 409)
    assert house.event.number == before, "a second click does nothing"
    browser.post("/console/e1/match/1.1/here-after-all")
    assert house.event.find_match("1.1")[1].match.b == second
    assert house.event.entrants[second].active


def test_without_a_round_in_play_nobody_is_missing(house: House):
    browser = house.with_event(PEOPLE[:4])
    assert "No round is running" in text_of(browser.get(PAGE))


# --- one card for all, and any sign of life -------------------------------------------------------------------------


def test_all_are_in_one_card_and_all_here_takes_it_away(house: House, browser: Browser) -> None:
    house.hub.presence.update("unit-1", house.time.ms, match="1.1", seated=frozenset())
    house.time.ms += 11 * MINUTE
    page = browser.get("/console/e1").text
    assert page.count('class="need need-absent"') == 1
    card = page.partition('class="need need-absent"')[2].partition("</ul></details>")[0]
    first, second = names(house)
    assert words_of(f"<li {card}").startswith(f"2 not seen yet 1:00 {first}, {second} All here One by one")
    seen = re.findall(r'name="who" value="(1\.1 p\d)"', card.partition("one-by-one")[0])
    assert len(seen) == 2
    browser.client.post("/console/e1/here", data={"csrf": browser.token, "who": seen}, headers=browser.headers)
    assert "need-absent" not in browser.get("/console/e1").text


def test_a_no_show_says_what_it_does_before_it_is_pressed_and_is_undone_from_its_message(
    house: House, browser: Browser
) -> None:
    house.time.ms += 11 * MINUTE
    first, second = names(house)
    said = text_of(browser.get("/console/e1"))
    assert f"No-show … {second} loses this match and is dropped. {first} gets a bye. You can undo this." in said
    who = absent(browser)[0]
    browser.post("/console/e1/match/1.1/no-show", absent=who)
    assert browser.said("/console/e1") == f"{second} is a no-show and dropped. Undo"


def test_nobody_is_marked_at_a_match_or_under_a_name_that_is_not_there(house: House, browser: Browser) -> None:
    for who in ("", "9.9 p1", "1.1 p99", "1.1"):
        assert browser.post("/console/e1/here", who=who).status_code in (400, 404, 409), who
    assert house.hub.presence.seen_at_table == frozenset()


def test_a_phone_opened_in_the_round_is_a_sign_of_its_player_alone(house: House, browser: Browser) -> None:
    """At a table with a unit it ends the search; at one without a unit it accuses nobody."""
    client = AsgiClient(HubApplication(house.hub), lifespan=True)
    try:
        house.time.ms += 11 * MINUTE
        late = absent(browser)[0]
        match = house.event.find_match("1.2")[1].match
        client.get(house.hub.access.links.path("e1", match.a), accept_language="en")
        assert absent(browser) == [late]
        link = house.hub.access.links.path("e1", late)
        client.get(link, accept_language="en", roundtap_unseen="1")
        assert absent(browser) == [late], "a page that looks for what changed in the background is no sign"
        client.get(link, accept_language="en")
        assert absent(browser) == []
        before = house.hub.presence.seen_at_table
        client.get(house.hub.access.links.path("e1", late), accept_language="en")
        assert house.hub.presence.seen_at_table is before, "once is enough"
        assert house.event.number == house.service.snapshot.events["e1"].number
    finally:
        client.close()


def test_an_official_who_opens_a_player_s_page_is_no_sign_of_the_player(house: House, browser: Browser) -> None:
    client = AsgiClient(HubApplication(house.hub), lifespan=True)
    try:
        house.time.ms += 11 * MINUTE
        late = absent(browser)[0]
        token = house.hub.access.organizers.log_in(PIN, "127.0.0.1", "")
        cookie = f"{session_cookie(encrypted=False, here=True)}={token}"
        path = house.hub.access.links.path("e1", late)
        client.get(path, accept_language="en", cookie=cookie, host="localhost")
        assert absent(browser) == [late]
    finally:
        client.close()
