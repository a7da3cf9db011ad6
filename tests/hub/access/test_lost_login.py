"""A login that has ended keeps what was typed, and leads back there: for the same person alone, and sends nothing."""

import html
import re
from contextlib import closing

import pytest
from asgi_client import AsgiClient
from pages_kit import PIN, Browser, House, problem_of, text_of
from werkzeug.test import TestResponse

from roundtap_hub.access.staff import IDLE_MS
from roundtap_hub.app.asgi import HubApplication

FIELD = re.compile(r'<input type="hidden" name="([^"]*)" value="([^"]*)">')
SAID = "/console/announcements"
PASTED = "Name;Club\nAna O’Brien;León\nŁukasz Żak;Łódź\n"

FORMS: dict[str, tuple[str, str, dict[str, str], list[str]]] = {
    "people by name": ("/console/e1/players", "/console/e1/competitors", {"names": "Zoe Z.\nYan Y."}, ["Zoe", "Yan"]),
    "a pasted list": ("/console/e1/import", "/console/e1/import/table", {"pasted": PASTED}, ["O’Brien;León", "Łódź"]),
    "an announcement": (SAID, f"{SAID}/say", {"text": "Lunch at one", "kind": "line"}, ["Lunch at one"]),
    "a new event": ("/console/new", "/console", {"name": "Spring Open", "rulebook": "xwing-standard"}, ["Spring"]),
    "prizes": ("/console/e1/prizes", "/console/e1/prizes", {"list": "1: a cup\n2: a mat"}, ["a cup", "a mat"]),
}  # fmt: skip


@pytest.fixture
def person(house: House) -> Browser:
    """Somebody who has logged in by the form, in an event before play."""
    house.with_event()
    browser = house.browser()
    browser.log_in()
    return browser


def pressed(browser: Browser, page: str, form: str, **fields: object) -> TestResponse:
    """As a browser sends a form: with the page it comes from."""
    referrer = f"http://localhost{page}"
    data = {"csrf": browser.token, **fields}
    answer: TestResponse = browser.client.post(form, data=data, headers={**browser.headers, "Referer": referrer})
    return answer


def logged_in_at(browser: Browser, login: TestResponse, pin: str = PIN) -> TestResponse:
    """With what this login page carries."""
    carried: dict[str, list[str]] = {}
    for name, text in FIELD.findall(login.text):
        carried.setdefault(name, []).append(html.unescape(text))
    answer: TestResponse = browser.client.post(
        "/login", data={**carried, "pin": pin}, headers={**browser.headers, "Referer": "http://localhost/login"}
    )
    found = re.search(r'name="csrf" value="([^"]+)"', answer.text)
    browser.token = found[1] if found else ""
    return answer


@pytest.mark.parametrize("kind", FORMS)
def test_what_was_typed_is_there_after_the_login_and_is_sent_by_the_next_press(
    house: House, person: Browser, kind: str
) -> None:
    page, form, fields, shown = FORMS[kind]
    person.get(page)
    house.time.ms += IDLE_MS + 1
    before = house.service.snapshot
    login = pressed(person, page, form, **fields)
    assert login.status_code == 401
    assert "your form is back" in text_of(login)
    again = logged_in_at(person, login)
    assert "Nothing was saved" in problem_of(again)
    assert all(html.escape(text) in again.text or text in again.text for text in shown), text_of(again)
    assert house.service.snapshot.ids == before.ids
    assert house.event.number == before.events["e1"].number
    assert pressed(person, page, form, **fields).status_code in (200, 303)


def test_every_form_leads_back_and_does_nothing(house: House, person: Browser) -> None:
    """All of them, from the application's own list: a new one cannot be forgotten."""
    house.publish()
    before = house.event.number
    for rule in house.app.url_map.iter_rules():
        if rule.endpoint.startswith("console.") and "POST" in (rule.methods or ()):
            path = rule.rule.replace("<event_id>", "e1").replace("<match_id>", "1.1").replace("<competitor>", "p1")
            house.time.ms += IDLE_MS + 1
            login = pressed(person, "/console/e1", path, reason="typed before")
            assert login.status_code == 401, path
            answer = logged_in_at(person, login)
            assert answer.location == "/console/e1" or "problem" in answer.text, (path, answer.status)
            assert answer.status_code in (303, 403, 404, 409), (path, answer.status)
    assert house.event.number == before


def test_a_wrong_pin_in_between_loses_nothing(house: House, person: Browser) -> None:
    page, form, fields, shown = FORMS["an announcement"]
    person.get(page)
    house.time.ms += IDLE_MS + 1
    wrong = logged_in_at(person, pressed(person, page, form, **fields), "00000000")
    assert "Wrong PIN" in problem_of(wrong)
    assert shown[0] in logged_in_at(person, wrong).text


def test_another_person_does_not_see_it(house: House, person: Browser) -> None:
    _, pin = house.hub.access.organizers.staff.add("Eva Luz", "organizer")
    page, form, fields, shown = FORMS["an announcement"]
    person.get(page)
    house.time.ms += IDLE_MS + 1
    answer = logged_in_at(person, pressed(person, page, form, **fields), pin)
    assert answer.location == page
    assert shown[0] not in person.get(page).text


def test_a_browser_that_nobody_was_logged_in_on_carries_nothing(house: House, person: Browser) -> None:
    stranger = house.browser()
    page, form, fields, _ = FORMS["an announcement"]
    assert logged_in_at(stranger, pressed(stranger, page, form, **fields)).location == page


def test_what_may_not_be_done_any_more_is_not_shown(house: House) -> None:
    house.with_event()
    staff = house.hub.access.organizers.staff
    eva, pin = staff.add("Eva Luz", "organizer")
    browser = house.browser()
    browser.log_in(pin)
    page, form, fields, _ = FORMS["people by name"]
    browser.get(page)
    house.time.ms += IDLE_MS + 1
    login = pressed(browser, page, form, **fields)
    staff.change_role(eva.id, "judge")
    answer = logged_in_at(browser, login, pin)
    assert answer.location == page
    assert "Zoe" not in answer.text


def test_pins_and_tokens_are_not_carried(house: House, person: Browser) -> None:
    house.time.ms += IDLE_MS + 1
    login = pressed(person, "/console", "/console/continue", pin="12345678", mark="m")
    assert [name for name, _ in FIELD.findall(login.text)] == ["csrf", "next", "form", "typed.mark"]
    assert "12345678" not in login.text


def test_another_site_s_form_is_not_carried(house: House, person: Browser) -> None:
    house.time.ms += IDLE_MS + 1
    for headers in ({"Origin": "http://evil.example"}, {"Referer": "http://evil.example/console"}, {}):
        answer = person.client.post("/console/announcements/say", data={"text": "Go home"}, headers=headers)
        assert answer.location == "/login?next=/console", headers


def test_a_list_that_is_too_long_says_so_and_leads_back(house: House, person: Browser) -> None:
    house.time.ms += IDLE_MS + 1
    page, form, _, _ = FORMS["a pasted list"]
    login = pressed(person, page, form, pasted="Ana Ruiz\n" * 5000)
    assert "enter it again" in text_of(login)
    assert len(login.text) < 20_000


def test_a_page_from_before_the_last_login_shows_what_was_typed(house: House, person: Browser) -> None:
    """Logged in again in another tab: the first one's form has an old token."""
    page, form, fields, shown = FORMS["an announcement"]
    old = person.token
    person.log_in()
    person.token = old
    answer = pressed(person, page, form, **fields)
    assert answer.status_code == 403
    assert "Nothing was saved" in problem_of(answer)
    assert shown[0] in answer.text
    assert shown[0] not in text_of(house.browser().get("/e/e1"))


def test_the_guard_lets_a_form_through_to_the_login_page(house: House) -> None:
    """On the event loop, before all pages; a file is too much."""
    house.with_event()
    with closing(AsgiClient(HubApplication(house.hub), lifespan=True)) as client:
        own = {"origin": "http://localhost", "host": "localhost"}
        answer = client.post("/console/e1/competitors", data={"names": "Zoe"}, **own)
        assert answer.status_code == 401
        assert 'name="typed.names" value="Zoe"' in answer.text
        answer = client.post("/console/e1/competitors", data={"names": "Zoe " * 20_000}, **own)
        assert answer.status_code == 302
    assert house.event.number == len(house.event.entrants) + 1
