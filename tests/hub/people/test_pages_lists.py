"""Lists on the console: typed generically, each problem beside its line, saved on record, counted and marked."""

import re
from typing import Any

import pytest
from msgspec.structs import replace
from pages_kit import Browser, House, problem_of, text_of

from roundtap_core.event.commands import CreateEvent, EnterCompetitor
from roundtap_core.event.entries import Person
from roundtap_core.lists.list_form import ListTable
from roundtap_core.records import Competitor
from roundtap_core.rulebooks.registry import RULEBOOKS
from roundtap_core.words import LANGUAGES, core_words
from roundtap_hub.live.list_fields import read_list
from roundtap_hub.store.command_pipeline import person_and_entrant
from roundtap_hub.store.service import Step

ADDRESS = "/console/e1/competitor/p1/list"
SHIP = {
    "ships/0/name": "Luke Skywalker",
    "ships/0/ship": "X-Wing",
    "ships/0/points": "28",
    "ships/0/upgrades": "R2-D2, Proton Torpedoes",
}
WHOLE = {
    "faction": "Rebel",
    "damage_deck": "original",
    "obstacles/0": "asteroid-1",
    "obstacles/1": "asteroid-2",
    "obstacles/2": "debris-3",
    **SHIP,
    "ships/4/count": "2",
    "ships/4/name": "Rookie Pilot",
    "ships/4/points": "21",
}


def event_of(house: House, rulebook: str, *people: Competitor, **options: Any) -> Browser:
    """An event of that rulebook, made without its page, and an organizer's browser."""
    steps = [Step("e1", CreateEvent("Winter Open", rulebook, None, {"structure": "own", **options}, "#00785A", 7))]
    records = []
    for person in people or (Competitor("p1", "Ana Ruiz"), Competitor("p2", "Bruno Maier")):
        if RULEBOOKS[rulebook].team_size > 1 and not person.members:
            pair = (f"{person.name} A", f"{person.name} B")
            person = replace(person, members=pair, captain=pair[0])
        record, entrant = person_and_entrant("e1", person)
        records.append(record)
        steps.append(Step("e1", EnterCompetitor(entrant)))
    house.service.execute(steps, "test", records)
    return house.organizer()


def kept(house: House, competitor: str = "p1") -> Person:
    return house.service.snapshot.people["e1"][competitor]


def save(browser: Browser, address: str = ADDRESS, **changes: str) -> Any:
    """Fill in the page as it stands, then press save."""
    page = browser.get(address).text
    seen = re.search(r'name="seen" value="(\w+)"', page)
    assert seen
    return browser.post(address, **{"seen": seen[1], **changes})


def lines(page: str) -> dict[int, str]:
    """Line → what is to be mended there."""
    found = re.findall(r'scope="row" class="n">(\d+)<.*?</tr>\s*(<tr class="line-problems">.*?</tr>)?', page, re.S)
    return {int(number): " ".join(re.sub(r"<[^>]+>", " ", told).split()) for number, told in found if told}


def test_a_list_is_typed_and_stands_there_again(house: House) -> None:
    browser = event_of(house, "xwing-standard")
    assert "No list submitted. This event does not require one." in text_of(browser.get(ADDRESS))
    assert save(browser, **WHOLE).status_code == 303
    assert kept(house).list == {
        "faction": "Rebel",
        "damage_deck": "original",
        "obstacles": ["asteroid-1", "asteroid-2", "debris-3"],
        "ships": [
            {"name": "Luke Skywalker", "ship": "X-Wing", "points": 28, "upgrades": ["R2-D2", "Proton Torpedoes"]},
            {"count": 2, "name": "Rookie Pilot", "points": 21},
        ],
        "total": 70,
    }
    assert house.event.entrants["p1"].list_total == 70
    page = browser.get(ADDRESS)
    assert "All checks passed." in text_of(page)
    assert 'name="ships/1/name" value="Rookie Pilot"' in page.text
    assert 'value="R2-D2, Proton Torpedoes"' in page.text
    assert 'value="debris-3" selected' in page.text


def test_a_list_that_breaks_a_rule_is_saved_and_says_where(house: House) -> None:
    browser = event_of(house, "xwing-standard")
    save(browser, **{**WHOLE, "total": "101", "obstacles/2": "asteroid-1"})
    page = text_of(browser.get(ADDRESS))
    assert "3 errors." in page
    assert "The squad costs 101 points. The maximum is 100." in page
    assert "Obstacle 3 is the same as obstacle 1. Choose 3 different ones." in page


def test_what_cannot_be_read_is_not_saved_and_stays_in_its_line(house: House) -> None:
    browser = event_of(house, "xwing-standard")
    answer = save(browser, **{**WHOLE, "ships/4/points": "twelve"})
    assert answer.status_code == 400
    assert "nothing was saved" in problem_of(answer)
    assert list(lines(answer.text)) == [2]
    assert "Line 2: “twelve” is not valid. Enter a whole number from 0 to 999." in lines(answer.text)[2]
    assert 'name="ships/1/points" value="twelve"' in answer.text
    assert kept(house).list is None


def test_more_lines_without_scripts_and_without_saving(house: House) -> None:
    browser = event_of(house, "xwing-standard")
    assert 'name="ships/7/name"' in browser.get(ADDRESS).text
    assert 'name="ships/8/name"' not in browser.get(ADDRESS).text
    more = save(browser, more="ships", **{"ships/lines": "8", **WHOLE})
    assert more.status_code == 200
    assert 'name="ships/15/name"' in more.text
    assert 'name="ships/1/name" value="Rookie Pilot"' in more.text
    assert kept(house).list is None
    assert save(browser, more="ships", **{"ships/lines": "9999999"}).status_code == 200


def test_after_round_1_is_published_a_list_is_only_corrected_with_a_reason_on_record(house: House) -> None:
    browser = event_of(house, "xwing-standard", swiss_rounds=2)
    save(browser, **WHOLE)
    before = house.event.entrants["p1"].digest
    house.publish()
    refused = save(browser, **{**WHOLE, "ships/0/points": "27"})
    assert refused.status_code == 400
    assert "reason is required" in problem_of(refused)
    assert 'name="ships/0/points" value="27"' in refused.text
    save(browser, reason="R2-D2 costs 3", **{**WHOLE, "ships/0/points": "27"})
    assert house.event.entrants["p1"].digest != before
    assert "Corrections Round 1: R2-D2 costs 3" in text_of(browser.get(ADDRESS))


def test_saving_a_list_as_it_stands_is_no_correction(house: House) -> None:
    browser = event_of(house, "xwing-standard", swiss_rounds=2)
    save(browser, **WHOLE)
    house.publish()
    number = house.event.number
    assert save(browser, **WHOLE, total="70").status_code == 303
    assert browser.said(ADDRESS) == "Nothing had to be changed."
    assert house.event.number == number


def test_two_officials_at_one_list_do_not_overwrite_each_other_unknowingly(house: House) -> None:
    browser = event_of(house, "xwing-standard")
    stale = re.search(r'name="seen" value="(\w+)"', browser.get(ADDRESS).text)
    assert stale
    save(browser, **WHOLE)
    answer = browser.post(ADDRESS, seen=stale[1], faction="Imperial")
    assert answer.status_code == 409
    assert "Someone else changed this list" in problem_of(answer)
    assert kept(house).list["faction"] == "Rebel"  # type: ignore[index]
    again = re.search(r'name="seen" value="(\w+)"', answer.text)
    assert again
    browser.post(ADDRESS, seen=again[1], faction="Imperial")
    assert kept(house).list == {"faction": "Imperial"}


def test_missing_and_wrong_lists_are_counted_and_marked_among_the_players(house: House) -> None:
    browser = event_of(
        house,
        "xwing-standard",
        Competitor("p1", "Ana Ruiz", list={"total": 101}),
        Competitor("p2", "Bruno Maier"),
        Competitor("p3", "Łukasz Żak", dropped_after=0),
        Competitor("p4", "Eva Luz"),
        lists_required=True,
    )
    page = text_of(browser.console())
    assert "2 lists missing" in page
    assert "1 list with errors" in page
    assert "Ana Ruiz Ana R. list has errors" in page
    assert "Eva Luz Eva L. list missing" in page
    assert "List missing." in text_of(browser.get("/console/e1/competitor/p4/list"))


def test_nobody_is_marked_where_lists_are_not_required(house: House) -> None:
    browser = event_of(house, "xwing-standard")
    page = text_of(browser.console())
    assert "list missing" not in page
    assert "lists missing" not in page


def test_what_is_flagged_across_lists_is_shown_at_both_places(house: House) -> None:
    deck = {"identity": "Doctora Grandeza", "houses": ("Dis", "Logos", "Marte")}
    browser = event_of(
        house,
        "keyforge-archon",
        Competitor("p1", "Ana Ruiz", **deck),  # type: ignore[arg-type]
        Competitor("p2", "Bruno Maier", **deck),
        lists_required=False,
    )  # type: ignore[arg-type]
    assert "1 list to check" in text_of(browser.console())
    page = text_of(browser.get("/console/e1/competitor/p2/list"))
    assert "“Doctora Grandeza” is also Ana Ruiz's deck" in page


def test_a_deck_stays_in_the_competitor_s_own_keys(house: House) -> None:
    browser = event_of(house, "keyforge-archon")
    save(
        browser,
        **{
            "identity": "Doctora Grandeza",
            "houses/0": "Dis",
            "houses/1": "Logos",
            "houses/2": "Marte",
            "identity_card": "1",
        },
    )
    assert (kept(house).identity, kept(house).houses) == ("Doctora Grandeza", ("Dis", "Logos", "Marte"))
    assert kept(house).list == {"identity_card": True}
    assert re.search(r'name="identity_card" value="1" checked', browser.get(ADDRESS).text)


def test_a_team_types_two_lists_that_begin_with_its_names(house: House) -> None:
    browser = event_of(
        house, "xwing-epic-team", Competitor("p1", "Falken", members=("Ana Ruiz", "Bruno Maier"), captain="Ana Ruiz")
    )
    page = browser.get(ADDRESS)
    assert 'name="players/1/player" value="Bruno Maier"' in page.text
    assert "Player 2’s list" in text_of(page)
    save(
        browser,
        **{
            "faction": "Rebel",
            "players/0/player": "Ana Ruiz",
            "players/0/captain": "1",
            "players/0/ships/0/name": "Luke Skywalker",
            "players/0/ships/0/unique": "1",
            "players/0/ships/0/points": "28",
            "players/1/player": "Bruno Maier",
            "players/1/ships/0/name": "Luke Skywalker",
            "players/1/ships/0/points": "30",
        },
    )
    page = browser.get(ADDRESS)
    assert house.event.entrants["p1"].list_total == 58
    second = page.text.partition('id="players/1/ships"')[2]
    assert "the team already has the unique name “Luke Skywalker”" in lines(second)[1]


@pytest.mark.parametrize("rulebook", RULEBOOKS)
def test_every_rulebook_s_form_is_shown_in_every_language(house: House, rulebook: str) -> None:
    browser = event_of(house, rulebook, Competitor("p1", "Ana Ruiz", list={"note": "x"}))
    form = house.event.rulebook.lists.form(house.event.options)
    for language in LANGUAGES:
        browser.headers = {"Accept-Language": language}
        page = text_of(browser.get(ADDRESS))
        for asked in (*form.shared, *form.fields, *form.lines):
            words = core_words(language)
            assert (
                words(asked.text, number=asked.number) if isinstance(asked, ListTable) else words(asked.text)
            ) in page


@pytest.mark.parametrize("rulebook", RULEBOOKS)
def test_whatever_is_typed_is_an_answer_not_a_breakdown(house: House, rulebook: str) -> None:
    browser = event_of(house, rulebook, Competitor("p1", "Ana Ruiz", list={"note": "x", "ships": 3, "players": [1]}))
    assert browser.get(ADDRESS).status_code == 200
    odd = {
        "faction": "x" * 500 + "\x00\u2028",
        "ships/lines": "-3",
        "battle/0/name": "Medusa",
        "total": "-1",
        "players/0/total": "٣",
        "squad_1/0/unique_names": ";,;",
        "more": "nowhere",
    }
    assert save(browser, **odd).status_code == 200
    assert save(browser, **{**odd, "more": ""}).status_code in (303, 400)


def test_a_finished_event_s_lists_can_still_be_looked_at(house: House) -> None:
    browser = event_of(house, "xwing-standard", swiss_rounds=1)
    save(browser, **WHOLE)
    house.publish()
    house.play()
    browser.post("/console/e1/finish", reason="the hall closes")
    assert house.event.finished
    page = browser.get(ADDRESS)
    assert "Luke Skywalker" in page.text
    assert "Save list" not in text_of(page)


def test_only_officials_see_lists_and_nobody_s_list_is_no_page(house: House) -> None:
    browser = event_of(house, "xwing-standard")
    assert house.browser().get(ADDRESS).status_code == 302
    assert browser.get("/console/e1/competitor/p9/list").status_code == 404


def test_names_with_commas_are_parted_by_semicolons() -> None:
    form = RULEBOOKS["shatterpoint-premier"].lists.form({})
    typed = {"squad_1/0/name": "Ahsoka Tano, Jedi No More", "squad_1/0/unique_names": "Ahsoka Tano, Snips; Fulcrum"}
    assert read_list(form, typed) == {
        "squad_1": [{"name": "Ahsoka Tano, Jedi No More", "unique_names": ["Ahsoka Tano, Snips", "Fulcrum"]}]
    }
