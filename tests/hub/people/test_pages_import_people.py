"""People from a table, in the browser: looked at before anything is kept, then all that are ticked, or none."""

import html
import io
import re

import pytest
from pages_kit import Browser, House, problem_of, text_of
from sheet_kit import xlsx
from werkzeug.test import TestResponse

from roundtap_core.event.entries import Person

TABLE = (
    "Name\tClub\tID\tPaid\tList\tTable\nNina Wolf\tMilan\t7\tyes\thttps://x.example/7\t\n"
    "Ana Ruiz\tFalken\t\tyes\t\t\nZoe\t\t\tmaybe\t\t\nKai\t\t\t\t\tx\n"
)


def fields_of(page: TestResponse) -> dict[str, str | list[str]]:
    """What the form of the page would send as it is."""
    form = page.text.partition('class="import"')[2].partition("</form>")[0]
    sent: dict[str, str | list[str]] = {
        name: html.unescape(value)
        for name, value in re.findall(r'name="(table|mark|sheets|shown|heading_was)" value="([^"]*)"', form)
    }
    for name, inside in re.findall(r'<select [^>]*name="([^"]+)"[^>]*>(.*?)</select>', form):
        chosen = re.search(r'value="([^"]*)" selected', inside)
        sent[name] = chosen[1] if chosen else ("0" if name == "heading" else "")
    sent["take"] = re.findall(r'name="take" value="(\d+)" checked', form)
    return sent


def pasted(browser: Browser, text: str = TABLE) -> TestResponse:
    browser.get("/console/e1/import")
    return browser.post("/console/e1/import/table", pasted=text)


def known(house: House) -> dict[str, Person]:
    people = house.service.snapshot.people["e1"]
    return {people[who].name: people[who] for who in house.event.entrants}


def test_a_pasted_table_is_shown_row_by_row_and_nobody_is_entered_before_that(house: House) -> None:
    browser = house.with_event()
    shown = pasted(browser)
    said = text_of(shown)
    assert "2 new · 1 already registered · 1 with errors" in said
    assert "already registered. Select to change: club, paid" in said
    assert "row 5 “x” is not a table" in said
    assert len(house.event.entrants) == 6
    answer = browser.post("/console/e1/import/people", **fields_of(shown))
    assert answer.status_code == 303
    assert known(house)["Nina Wolf"] == Person(
        "Nina Wolf", club="Milan", external_id="7", paid=True, list_link="https://x.example/7"
    )
    assert known(house)["Ana Ruiz"] == Person("Ana Ruiz"), "only what is ticked"
    assert known(house)["Zoe"] == Person("Zoe", note="maybe"), "what is no payment is a note"


def test_who_is_here_is_changed_where_that_is_ticked_and_all_comes_at_once(house: House) -> None:
    browser = house.with_event()
    sent = fields_of(pasted(browser))
    before = house.event.number
    browser.post("/console/e1/import/people", **{**sent, "take": ["2", "3", "5", "99"]})
    assert known(house)["Ana Ruiz"] == Person("Ana Ruiz", club="Falken", paid=True)
    assert [house.event.number - before, len(house.event.entrants)] == [2, 7]


def test_pressed_twice_nobody_is_entered_twice(house: House) -> None:
    browser = house.with_event()
    sent = fields_of(pasted(browser))
    browser.post("/console/e1/import/people", **sent)
    again = browser.post("/console/e1/import/people", **sent)
    assert again.status_code == 409
    assert "have changed, so nobody was registered" in problem_of(again)
    assert len(house.event.entrants) == 8


def test_other_columns_are_shown_before_they_count(house: House) -> None:
    browser = house.with_event()
    sent = {**fields_of(pasted(browser, "A1 Nina\tB1 Milan\n")), "column_0": "club", "column_1": "name"}
    answer = browser.post("/console/e1/import/people", **sent)
    assert "have changed, so nobody was registered" in problem_of(answer)
    assert fields_of(answer)["column_1"] == "name"
    browser.post("/console/e1/import/people", **fields_of(answer))
    assert known(house)["B1 Milan"].club == "A1 Nina"


def test_columns_are_shown_anew_without_a_script(house: House) -> None:
    browser = house.with_event()
    sent = {**fields_of(pasted(browser)), "column_1": "note"}
    shown = browser.post("/console/e1/import/table", **sent)
    assert fields_of(shown)["column_1"] == "note"
    nameless = browser.post("/console/e1/import/table", **{**sent, "column_0": ""})
    assert nameless.status_code == 400
    assert "Which column is the name?" in problem_of(nameless)
    assert "Nina Wolf" in text_of(nameless)


def test_a_name_that_may_be_two_people_is_marked_and_an_open_quotation_mark_is_refused(house: House) -> None:
    browser = house.with_event()
    shown = pasted(browser, 'Name;Club\n"Nina Wolf;Zoe Adler";Milan\nPia Luchs;Milan\n')
    assert "Nina Wolf;Zoe Adler row 2 The name contains a line break, tab or “;”" in text_of(shown)
    assert fields_of(shown)["take"] == ["3"]
    refused = pasted(browser, 'Name;Club\n"Nina Wolf;Milan\nZoe Adler;Milan\n')
    assert "Line 2 of the table is unreadable" in problem_of(refused)
    assert "Zoe Adler;Milan" in html.unescape(refused.text), "what was pasted stays"
    assert len(house.event.entrants) == 6


def test_a_reload_shows_the_pasted_table_again(house: House) -> None:
    """A browser sends what it sent: nothing is kept by that. What would enter people is not sent again."""
    browser = house.with_event()
    shown = pasted(browser)
    refused = pasted(browser, '"Nina')
    changed = browser.post("/console/e1/import/people", **{**fields_of(shown), "mark": "another"})
    assert [re.search(r'data-address="([^"]*)"', page.text) is None for page in (shown, refused, changed)] == [
        True,
        True,
        False,
    ]


def test_a_spreadsheet_is_uploaded(house: House) -> None:
    browser = house.with_event()
    browser.get("/console/e1/import")
    shown = browser.post(
        "/console/e1/import/table", file=(io.BytesIO(xlsx([["Gracz", "Klub"], ["Łukasz Nowy", "Łódź"]])), "people.xlsx")
    )
    browser.post("/console/e1/import/people", **fields_of(shown))
    assert known(house)["Łukasz Nowy"].club == "Łódź"


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({}, "Nothing to import"),
        ({"file": (io.BytesIO(b"PK\x03\x04 damaged"), "x.xlsx")}, "spreadsheet is unreadable or of another type"),
    ],
)
def test_what_cannot_be_read_is_said_where_it_was_chosen(house: House, fields: dict[str, object], said: str) -> None:
    browser = house.with_event()
    browser.get("/console/e1/import")
    answer = browser.post("/console/e1/import/table", **fields)
    assert said in problem_of(answer)
    assert 'name="pasted"' in answer.text
    assert browser.post("/console/e1/import/people", table="", mark="x").status_code in (400, 409)


def test_what_stands_in_the_table_is_text_on_the_page(house: House) -> None:
    browser = house.with_event()
    shown = pasted(browser, 'Name\tClub\n<script>alert(1)</script>\tx"><b>x\n')
    assert "<script>alert(1)" not in shown.text
    assert 'x"><b>x' not in shown.text
    browser.post("/console/e1/import/people", **fields_of(shown))
    assert known(house)["<script>alert(1)</script>"].club == 'x"><b>x'


def test_a_late_import_says_what_it_costs_and_an_even_later_one_is_refused(house: House) -> None:
    browser = house.with_event()
    house.publish()
    shown = pasted(browser, "Nina Wolf\n")
    assert "take a loss for round 1" in text_of(shown)
    browser.post("/console/e1/import/people", **fields_of(shown))
    assert "Nina Wolf" in known(house)
    house.play()
    house.publish()
    refused = browser.post("/console/e1/import/people", **fields_of(pasted(browser, "Zoe Late\n")))
    assert "nobody can register anymore" in problem_of(refused)
    assert "Zoe Late" not in known(house)


def test_a_hundred_come_in_one_go(house: House) -> None:
    browser = house.with_event()
    shown = pasted(
        browser, "Name\tClub\n" + "\n".join(f"Aleksandra Wiśniewska-Szczepańska {n}\tKlub {n}" for n in range(100))
    )
    browser.post("/console/e1/import/people", **fields_of(shown))
    assert len(house.event.entrants) == 106


def test_an_id_that_was_taken_out_is_not_given_again(house: House) -> None:
    from roundtap_core.event.commands import RemoveCompetitor

    browser = house.with_event()
    house.service.execute_one("e1", RemoveCompetitor("p6"), "test")
    browser.post("/console/e1/import/people", **fields_of(pasted(browser, "Nina Wolf\n")))
    assert "p7" in house.event.entrants
    assert "p6" not in house.event.entrants
