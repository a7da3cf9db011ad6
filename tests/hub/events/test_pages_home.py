"""The console's start page, the form for a new event with its levels, and help: where each line leads."""

import re

import pytest
from pages_kit import House, text_of

from roundtap_core.rulebooks.registry import RULEBOOKS
from roundtap_core.words import LANGUAGES, Words
from roundtap_hub.app.home import HELP
from roundtap_hub.events.new_event import level_lines
from roundtap_hub.http.requester import words_in


def test_a_fresh_hub_teaches_in_three_sentences_and_one_button(house: House) -> None:
    page = house.organizer().get("/console").text
    welcome = page.partition('<div class="welcome">')[2].partition("</div>")[0]
    assert len(re.findall(r"<p>[^<]+\.</p>", welcome)) == 3
    assert re.findall(r'class="button main" href="([^"]+)"', page) == ["/console/new"]


def test_events_in_play_come_first_with_their_clock_and_finished_ones_last(house: House) -> None:
    browser = house.with_event()
    house.publish()
    browser.post("/console/e1/clock", action="start")
    browser.post("/console", name="Second", rulebook="xwing-standard", color="#882255")
    page = browser.get("/console")
    assert re.findall(r'<a class="event-card[^>]* href="/console/(\w+)"', page.text) == ["e1", "e2"]
    assert 'data-clock="e1" data-state="running"' in page.text
    assert re.search(r"Running Winter Open .*Round 1 .*Not started Second", text_of(page))


def test_each_level_says_what_it_changes() -> None:
    words = words_in("en")
    keyforge = level_lines(RULEBOOKS["keyforge-archon"], words)
    assert "may play if a second official is announced" in keyforge["relaxed"]
    assert "Opaque sleeves" in keyforge["premium"]
    assert "Opaque sleeves" not in keyforge["formal"]
    warlords = level_lines(RULEBOOKS["warlords-of-terra"], words)
    assert warlords["friendly"].endswith("Lists are optional.")
    assert warlords["competitive"].endswith("Lists are required.")
    assert "do not play" in level_lines(RULEBOOKS["xwing-epic-duel"], words)["premier"]
    assert level_lines(RULEBOOKS["shatterpoint-premier"], words) == {}, "its document knows no levels"


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_two_levels_of_a_document_say_the_same(language: str) -> None:
    words: Words = words_in(language)
    for book in RULEBOOKS.values():
        lines = level_lines(book, words)
        assert len(set(lines.values())) == len(lines), book.id


def test_the_defaults_are_shown_without_opening_anything(house: House) -> None:
    page = house.organizer().get("/console/new?rulebook=xwing-standard").text
    summary = page.partition('<details class="more">')[2].partition("</summary>")[0]
    assert "75 minutes" in summary
    assert "Points per list: 100" in summary


def test_a_name_that_came_with_the_address_stands_in_the_form_of_every_game(house: House) -> None:
    page = house.organizer().get("/console/new?rulebook=xwing-standard&name=Zima+%26+Lato").text
    assert 'name="name" required maxlength="80" value="Zima &amp; Lato"' in page
    assert 'href="/console/new?rulebook=warlords-of-terra&amp;name=Zima+%26+Lato"' in page
    assert "name=Zima" not in house.organizer().get("/console/new").text


def test_what_an_event_must_state_is_not_hidden_under_more(house: House) -> None:
    page = house.organizer().get("/console/new?rulebook=warlords-of-terra").text
    assert 'name="prize_places"' in page.partition('<details class="more">')[0]
    assert page.count('name="prize_places"') == 1


def test_every_line_of_help_leads_to_a_page_that_is_there(house: House) -> None:
    browser = house.with_event()
    house.publish()
    page = browser.get("/console/help").text
    lines = re.findall(r'<div id="help-(\w+)">.*?<a href="([^"]+)">', page, flags=re.S)
    assert [name for name, _ in lines] == [name for name, *_ in HELP]
    assert len(lines) == 10
    for name, path in lines:
        assert browser.get(path).status_code == 200, name
    assert 'href="/rules/e1"' in page


def test_of_several_events_help_links_the_one_that_is_chosen(house: House) -> None:
    browser = house.with_event()
    house.publish()
    browser.post("/console", name="Second", rulebook="xwing-standard", color="#882255")
    assert '<div id="help-late"><dt>Player is late</dt>' in browser.get("/console/help").text
    assert 'href="/console/e1"' in browser.get("/console/help").text.partition('id="help-dispute"')[2][:200]
    assert 'href="/console/e2"' in browser.get("/console/help?event=e2").text.partition('id="help-dispute"')[2][:200]
