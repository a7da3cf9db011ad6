"""Who may do what, in which language, and what a page says when something is wrong."""

from concurrent.futures import Future

import pytest
from pages_kit import PIN, House, page_fails, problem_of, text_of

from faults import fails
from roundtap_core.errors import Problem
from roundtap_core.event.entries import Entry
from roundtap_hub.store.service import HubStopped, OutcomeUnknown


def test_a_fresh_hub_says_how_to_begin(house: House):
    page = text_of(house.browser().get("/"))
    assert "This hub is ready" in page
    assert "New event" in page


def test_the_only_event_is_where_phones_land(house: House):
    house.with_event()
    assert house.browser().get("/").location == "/e/e1"


@pytest.mark.parametrize(
    "path",
    [
        "/console",
        "/console/e1",
        "/console/e1/match/1.1",
        "/console/e1/export.json",
        "/console/e1/standings.csv",
    ],
)
def test_the_console_asks_for_the_pin_first(house: House, path: str):
    house.with_event()
    answer = house.browser().get(path)
    assert answer.status_code == 302
    assert answer.location.startswith("/login?next=")


def test_every_console_form_asks_for_the_pin(house: House):
    """All of them, from the application's own list: a new one cannot be forgotten."""
    house.with_event()
    stranger = house.browser()
    stranger.get("/login")
    before = house.event.number
    for rule in house.app.url_map.iter_rules():
        if rule.endpoint.startswith("console.") and "POST" in (rule.methods or ()):
            path = rule.rule.replace("<event_id>", "e1").replace("<match_id>", "1.1").replace("<competitor>", "p1")
            assert stranger.post(path).location.startswith("/login"), path
    assert house.event.number == before


def test_every_form_needs_the_page_it_came_from(house: House):
    browser = house.with_event()
    assert browser.client.post("/console/e1/draw", data={"attempt": 0}).status_code == 403
    assert (
        browser.client.post(
            "/console/e1/draw", data={"csrf": browser.token}, headers={"Origin": "http://evil.example"}
        ).status_code
        == 403
    )
    assert browser.client.post("/login", data={"pin": PIN}).status_code == 403
    assert house.event.draft is None


def test_a_wrong_pin_says_so_and_the_sixth_waits(house: House):
    browser = house.browser()
    browser.get("/login")
    for _ in range(5):
        answer = browser.post("/login", pin="000000")
        assert answer.status_code == 400
        assert "Wrong PIN" in problem_of(answer)
    assert "Wait 30 seconds" in problem_of(browser.post("/login", pin=PIN))
    house.time.ms += 30_000
    assert browser.post("/login", pin=PIN, next="/console/e1").location == "/console/e1"


def test_logging_out_closes_the_console(house: House):
    browser = house.organizer()
    browser.post("/logout")
    assert browser.get("/console").location.startswith("/login")


@pytest.mark.parametrize(
    ("language", "title"),
    [
        ("es", "Busca tu nombre"),
        ("de-DE,de;q=0.9", "Finde deinen Namen"),
        ("pl", "Znajdź swoje nazwisko"),
        ("xx", "Find your name"),
    ],
)
def test_pages_speak_the_browsers_language(house: House, language: str, title: str):
    house.with_event()
    assert title in text_of(house.browser(language).get("/e/e1"))


def test_a_language_chosen_by_hand_is_remembered(house: House):
    house.with_event()
    browser = house.browser("de")
    browser.get("/e/e1?lang=pl")
    assert "Znajdź swoje nazwisko" in text_of(browser.get("/e/e1"))


def test_problems_are_translated(house: House):
    house.with_event()
    browser = house.browser("pl")
    browser.log_in()
    assert "Nie ma wersji roboczej" in problem_of(browser.post("/console/e1/discard"))


@pytest.mark.parametrize("path", ["/nothing", "/e/e9", "/e/e1/p/p99", "/console/e9", "/wall/e9"])
def test_what_is_not_there_is_a_page_with_a_way_on(house: House, path: str):
    browser = house.with_event()
    answer = browser.get(path)
    assert answer.status_code == 404
    assert "Page not found" in text_of(answer)
    assert "Start page" in text_of(answer)


def test_a_bug_is_a_page_without_a_stack_trace(house: House):
    with page_fails("standings.html"):
        answer = house.with_event().get("/e/e1/standings")
    assert answer.status_code == 500
    assert "Internal error" in text_of(answer)
    assert "wires crossed" not in answer.text
    assert "Traceback" not in answer.text


def test_pages_load_nothing_from_elsewhere_and_run_no_script_of_their_own(house: House):
    browser = house.with_event()
    house.publish()
    for path in (
        "/",
        "/login",
        "/console",
        "/console/e1",
        "/console/e1/match/1.1",
        "/wall/e1",
        "/e/e1",
        "/e/e1/p/p1",
        "/e/e1/standings",
        "/e/e1/pairings",
    ):
        answer = browser.get(path)
        if answer.status_code == 302:
            continue
        for foreign in ("http://", "https://", ' style="', " onclick"):
            assert foreign not in answer.text, path


def test_names_are_text_whatever_they_hold(house: House):
    browser = house.with_event(["<script>alert(1)</script> Ruiz", "=HYPERLINK(1) Maier", "Eva Luz", "Kai Eich"])
    house.publish()
    house.play()
    for path in ("/console/e1", "/e/e1", "/wall/e1", "/e/e1/standings"):
        assert "<script>alert" not in browser.get(path).text
    assert "'=HYPERLINK" in browser.get("/console/e1/standings.csv").text


def test_a_page_after_a_problem_stands_under_its_own_address(house: House):
    """So that its feed, and a reload, show the page and do not send the form again."""
    browser = house.with_event()
    answer = browser.post("/console/e1/discard")
    assert 'data-address="/console/e1"' in answer.text


def test_a_press_that_may_or_may_not_be_saved_says_just_that(house: House):
    """A writer whose disk does not answer answers nobody: "nothing changed" might be untrue. The page looks again
    by itself, and says what became of it; to load it again presses no button again."""
    organizer = house.with_event()
    answer: Future[list[Entry]] = Future()
    house.service.meanwhile = fails(OutcomeUnknown(answer))
    sent_on = organizer.post("/console/e1/competitors", names="Kim Who")
    assert sent_on.status_code == 303
    waits = organizer.get(sent_on.location)
    assert waits.status_code == 202
    assert "Not confirmed yet" in text_of(waits)
    assert "othing changed" not in text_of(waits)
    assert 'http-equiv="refresh"' in waits.text

    answer.set_result([])
    done = organizer.get(sent_on.location)
    assert "Saved" in text_of(done)
    assert 'href="/console/e1"' in done.text
    assert 'http-equiv="refresh"' not in done.text


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (Problem("not_saved"), "Not done"),
        (HubStopped(), "Outcome unknown"),
    ],
)
def test_how_it_ended_is_said(house: House, error: Exception, said: str):
    organizer = house.with_event()
    answer: Future[list[Entry]] = Future()
    answer.set_exception(error)
    house.service.meanwhile = fails(OutcomeUnknown(answer))
    sent_on = organizer.post("/console/e1/competitors", names="Kim Who")
    assert said in text_of(organizer.get(sent_on.location))
    assert organizer.get("/console/outcome/nothing").status_code == 404
