"""When and where an event is, who holds it, and its special rules: asked, changed, announced, kept in its file."""

import io
import json
import re

import pytest
from pages_kit import Browser, House, problem_of, text_of

from roundtap_core.errors import Problem
from roundtap_core.event.commands import SetEventDetails
from roundtap_core.words import LANGUAGES

ABOUT = {
    "date": "2026-11-21",
    "venue": "Orion, Łódź",
    "club": "Orion e. V.",
    "special_rules": "Night battle:\r\nno unit sees <beyond> range 3.",
}
RULES = "Night battle:\nno unit sees <beyond> range 3."


def create(house: House, **about: str) -> Browser:
    browser = house.organizer()
    answer = browser.post(
        "/console",
        name="Winter Open",
        rulebook="shatterpoint-premier",
        color="#00785A",
        structure="own",
        swiss_rounds=2,
        **about,
    )
    assert answer.status_code == 303, problem_of(answer)
    browser.post("/console/e1/competitors", names="Ana Ruiz\nBruno Maier\nŁukasz Żak\nEva Luz")
    return browser


def test_the_new_event_s_form_asks_and_the_rules_page_shows(house: House):
    """ "Zasady przeprowadzania turnieju": the organizer states all details, special rules among them."""
    form = house.organizer().get("/console/new?rulebook=shatterpoint-premier").text
    assert re.search(r'<input name="date" type="date"', form)
    assert re.search(r'<textarea name="special_rules"[^>]* maxlength="500"', form)
    create(house, **ABOUT)
    assert house.event.about == {**ABOUT, "special_rules": RULES}
    page = house.browser().get("/rules/e1")
    for said in ("Date 2026-11-21", "Venue Orion, Łódź", "Host Orion e. V.", "Special rules Night battle:"):
        assert said in text_of(page), said
    assert "Night battle:\nno unit sees &lt;beyond&gt; range 3." in page.text


def test_all_of_it_may_stay_empty(house: House):
    create(house, date="", venue="", club="", special_rules="  ")
    assert house.event.about == {}
    page = house.browser().get("/rules/e1")
    assert "<h2>Special rules</h2>" not in page.text
    assert "Venue" not in text_of(page)


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"date": "21.11.2026"}, "“21.11.2026” is not a date"),
        ({"date": "2026-02-30"}, "“2026-02-30” is not a date"),
        ({"special_rules": "x" * 501}, "501 letters are too many. The maximum is 500"),
        ({"venue": "\u202eX"}, "invisible or control characters"),
    ],
)
def test_what_cannot_be_is_refused_and_what_was_typed_stays(house: House, wrong: dict[str, str], words: str):
    browser = house.organizer()
    answer = browser.post(
        "/console", name="Winter Open", rulebook="shatterpoint-premier", color="#00785A", **{**ABOUT, **wrong}
    )
    assert words in problem_of(answer)
    assert "e1" not in house.service.snapshot.events
    assert 'value="Orion e. V."' in answer.text
    assert re.search(r'<details class="more" open>', answer.text)


def test_it_is_changed_in_the_settings_and_an_unknown_id_stays(house: House):
    browser = create(house, **ABOUT)
    house.service.execute_one("e1", SetEventDetails({**house.event.about, "external_id": "T-4711"}), "test")
    form = browser.console().text
    assert 'action="/console/e1/about"' in form
    assert 'value="Orion, Łódź"' in form
    before = house.browser().get("/rules/e1").text.split('data-seen="')[1][:16]
    answer = browser.post(
        "/console/e1/about", date="2026-11-22", venue="", club="Orion", special_rules="No night battle."
    )
    assert answer.status_code == 303, problem_of(answer)
    assert house.event.about == {
        "date": "2026-11-22",
        "club": "Orion",
        "special_rules": "No night battle.",
        "external_id": "T-4711",
    }
    after = house.browser().get("/rules/e1").text
    assert "No night battle." in after
    assert after.split('data-seen="')[1][:16] != before


def test_special_rules_stand_once_round_1_is_published(house: House):
    """They are announced before play; venue and date may be mended later."""
    browser = create(house, **ABOUT)
    house.publish()
    assert 'name="special_rules"' not in browser.console().text
    answer = browser.post("/console/e1/about", date="2026-11-21", venue="Hall 2", special_rules="Day battle.")
    assert answer.status_code == 409
    assert "Round 1 is published" in problem_of(answer)
    assert browser.post("/console/e1/about", date="2026-11-21", venue="Hall 2").status_code == 303
    assert house.event.about == {**ABOUT, "venue": "Hall 2", "special_rules": RULES}


def test_it_leaves_in_the_file_and_comes_back(house: House):
    browser = create(house, **ABOUT)
    file = json.loads(browser.get("/console/e1/export.json").text)
    assert {key: file[key] for key in ABOUT} == {**ABOUT, "special_rules": RULES}
    browser.client.post(
        "/console/import",
        headers=browser.headers,
        data={
            "csrf": browser.token,
            "color": "#882255",
            "anyway": "1",
            "file": (io.BytesIO(json.dumps(file).encode()), "event.json"),
        },
    )
    assert house.service.snapshot.events["e2"].about == house.event.about


def test_no_program_sets_what_the_form_refuses(house: House):
    create(house)
    with pytest.raises(Problem, match="501 letters are too many"):
        house.service.execute_one("e1", SetEventDetails({"special_rules": "x" * 501}), "test")


@pytest.mark.parametrize("language", LANGUAGES)
def test_in_every_language(house: House, language: str):
    create(house, **ABOUT)
    page = text_of(house.browser(language).get("/rules/e1"))
    assert "Orion, Łódź" in page
    assert "announced.about" not in page
