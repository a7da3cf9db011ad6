"""The store's own games on the console: beside the seven for a new event, and in the form that makes them."""

import re
from io import BytesIO

import pytest
from pages_kit import Browser, House, problem_of, text_of
from werkzeug.test import TestResponse

from roundtap_core.event.commands import EnterResult
from roundtap_core.event.entries import VENUE, NewEntry
from roundtap_core.records import Result
from roundtap_core.rulebooks.own_rules import Rules, read_rules, rules_data, rules_id, rules_json
from roundtap_core.rulebooks.own_words import rules_in_words
from roundtap_core.words import core_words
from roundtap_hub.store.service import Step
from roundtap_hub.store.venue import GAME_REMOVED, GAME_SAVED

DRAFTS = 'format = "roundtap-rules/1"\nname = "Draft night"\n[match]\nreport = "winner"\n[points]\nwin = 3\n'


def rules(text: str = DRAFTS) -> Rules:
    read, faults, _ = read_rules(text)
    assert read is not None, faults
    return read


def keep(house: House, *texts: str) -> list[str]:
    """The store has these games; their ids."""
    made = [rules(text) for text in texts or (DRAFTS,)]
    for each in made:
        house.service.execute([Step(VENUE, NewEntry(GAME_SAVED, {"rules": rules_data(each)}))], "test")
    return [rules_id(each) for each in made]


def new_event(browser: Browser, rulebook: str, **fields: object) -> TestResponse:
    return browser.post("/console", name="Friday 1", rulebook=rulebook, color="#00785A", **fields)


# --- a new event ------------------------------------------------------------------------------------------------------


def test_an_own_game_stands_beside_the_seven_and_its_event_keeps_the_rules(house: House):
    browser, [game] = house.organizer(), keep(house)
    page = browser.get(f"/console/new?rulebook={game}")
    assert "Games of this store Draft night" in text_of(page)
    assert 'name="level"' not in page.text, "a game without levels is not asked for one"
    assert new_event(browser, game).status_code == 303
    assert (house.event.rulebook_id, house.event.rules) == (game, rules_json(rules()))
    assert house.event.rulebook.title == "Draft night"


@pytest.mark.parametrize("what", ["changed", "removed"])
def test_a_game_that_was_changed_meanwhile_is_refused_and_the_list_shown_anew(house: House, what: str):
    browser, [game] = house.organizer(), keep(house)
    browser.get(f"/console/new?rulebook={game}")
    if what == "changed":
        keep(house, DRAFTS.replace("win = 3", "win = 2"))
    else:
        house.service.execute([Step(VENUE, NewEntry(GAME_REMOVED, {"name": "Draft night"}))], "test")
    answer = new_event(browser, game)
    assert (answer.status_code, answer.text.count(game)) == (409, 0)
    assert "Nothing was done" in problem_of(answer)
    assert "e1" not in house.service.snapshot.events


def test_thirty_own_games_are_one_line_to_choose_from(house: House):
    browser = house.organizer()
    ids = keep(house, *(DRAFTS.replace("Draft", f"Game {n:02}") for n in range(30)))
    page = browser.get(f"/console/new?rulebook={ids[7]}").text
    own = page.partition('id="own"')[2].partition("</nav>")[0]
    assert "<a " not in own
    assert re.findall(r'<option value="([^"]+)"', own) == ids
    assert re.findall(r'<option value="([^"]+)" selected', own) == [ids[7]]
    assert "Game 07 night" in page.partition('id="new"')[0]


def test_every_page_of_its_event_is_there(house: House):
    browser, [game] = house.organizer(), keep(house)
    new_event(browser, game, structure="own", swiss_rounds=2)
    browser.post("/console/e1/competitors", names="\n".join(("Ana Ruiz", "Bruno Maier", "Eva Luz", "Kai Eich")))
    house.publish()
    for path in (
        "/console", "/console/e1", "/console/e1/players", "/console/e1/standings", "/console/e1/paper",
        "/console/e1/event", "/console/e1/match/1.1", "/console/e1/print/emergency",
        "/console/e1/standings.csv", "/console/help", "/rules/e1", "/e/e1", "/e/e1/standings", "/e/e1/pairings",
        "/wall/e1", "/print/e1/standings",
    ):  # fmt: skip
        answer = browser.get(path)
        assert answer.status_code == 200, (path, problem_of(answer))


def test_an_event_file_takes_its_rules_along(house: House):
    browser, [game] = house.organizer(), keep(house)
    new_event(browser, game)
    file = browser.get("/console/e1/export.json").get_data()
    answer = browser.post("/console/import", color="#00785A", file=(BytesIO(file), "e1.json"))
    assert answer.status_code == 303, problem_of(answer)
    assert house.service.snapshot.events["e2"].rules == rules_json(rules())


def test_an_event_that_was_put_away_still_names_its_game(house: House):
    browser, [game] = house.organizer(), keep(house)
    new_event(browser, game)
    browser.post("/console/e1/archive")
    assert "Draft night" in text_of(browser.get("/console/archived"))


def test_the_rules_page_says_what_is_computed_and_that_no_document_was_compared(house: House):
    browser, [game] = house.organizer(), keep(house, 'note = "Bring sleeves."\n' + DRAFTS)
    new_event(browser, game)
    page = browser.get("/rules/e1")
    said = text_of(page)
    assert "Draft night Rules of this store. Not checked against a publisher's document. Bring sleeves." in said
    assert "What Roundtap computes" in said
    assert 'id="clauses"' not in page.text
    for sentence in rules_in_words(rules(), core_words("en")):
        assert sentence in said
        assert sentence in text_of(browser.get("/console/e1/print/emergency"))


@pytest.mark.parametrize("path", ["/e/e1/standings", "/wall/e1", "/console/e1/standings"])
def test_a_tiebreaker_has_the_name_that_the_store_gave_it(house: House, path: str):
    """Also one that stands there twice, and in the reader's language."""
    named = '[[tiebreakers]]\nby = "opponents_points"\nlabel = { en = "Foes", de = "Gegner" }\ncut_lowest = 1\n'
    browser, [game] = house.organizer(), keep(house, DRAFTS + named + named.replace("Foes", "All foes"))
    new_event(browser, game, structure="own", swiss_rounds=1)
    browser.post("/console/e1/competitors", names="Ana Ruiz\nBruno Maier")
    house.publish()
    house.service.execute_one("e1", EnterResult("1.1", 0, Result(winner="a"), reason="a test"), "test")
    browser.post("/console/e1/finish")
    page = text_of(browser.get(path))
    assert "Foes" in page
    assert "All foes" in page
    assert "Gegner" in text_of(browser.get(f"{path}?lang=de"))
