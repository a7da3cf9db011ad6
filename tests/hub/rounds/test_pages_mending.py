"""A round changed by hand, by an organizer with a browser: chosen, looked at, done, and said wherever it is shown."""

import html
import re
from pathlib import Path
from typing import Any

import pytest
from pages_kit import PEOPLE, Browser, House, open_house, problem_of, text_of
from werkzeug.test import TestResponse
from wire_json import job_json, table_json

from roundtap_core.event.commands import CreateEvent, DrawRound, DropCompetitor, EnterCompetitor, SetClock
from roundtap_core.event.entries import VENUE, NewEntry
from roundtap_core.event.states import DRAFT, Entrant
from roundtap_hub.paper.print_jobs import derived_jobs
from roundtap_hub.store.service import Step

MEND = "/console/e1/mend"
WHY = "they share a car"


@pytest.fixture
def organizer(house: House) -> Browser:
    browser = house.with_event()
    house.publish()
    return browser


def seat(house: House, table: int, side: str = "a") -> str:
    match = next(m.match for m in house.event.rounds[-1].matches if m.match.table == table)
    return str(getattr(match, side))


def name(house: House, who: str) -> str:
    return str(house.service.snapshot.people_of("e1")[who].name)


def look(browser: Browser, **chosen: object) -> TestResponse:
    return browser.get(MEND + "?" + "&".join(f"{key}={value}" for key, value in chosen.items()))


def press(browser: Browser, shown: TestResponse, **typed: str) -> TestResponse:
    """The button of what is shown, with all that its form holds."""
    form = re.search(r'<section class="card mend-step".*?<form(.*?)</form>', shown.text, flags=re.S)
    assert form, text_of(shown)
    fields = {key: html.unescape(value) for key, value in re.findall(r'name="(\w+)" value="([^"]*)"', form[1])}
    return browser.post(
        MEND, **{**{key: value for key, value in fields.items() if key != "csrf"}, "reason": WHY, **typed}
    )


def test_two_are_chosen_looked_at_and_swapped(house: House, organizer: Browser) -> None:
    one, two, three = seat(house, 1), seat(house, 2), seat(house, 3)
    shown = look(organizer, do="swap", first=one, second=two)
    said = text_of(shown)
    assert shown.status_code == 200
    assert f"Table 1 {name(house, two)}" in said
    assert "All other tables stay the same." in said
    assert seat(house, 1) == one, "nothing is done by looking"
    done = press(organizer, shown)
    assert done.status_code == 303
    assert (seat(house, 1), seat(house, 2), seat(house, 3)) == (two, one, three)
    assert "Players swapped." in text_of(organizer.get(done.location.partition("#")[0]))


def test_by_hand_is_said_on_the_grid_the_pairings_the_match_and_the_rules(house: House, organizer: Browser) -> None:
    before = {path: organizer.get(path).text for path in ("/console/e1", "/e/e1/pairings", "/rules/e1")}
    assert not any('s-by-hand"/></svg> by hand' in text for text in before.values())
    press(organizer, look(organizer, do="swap", first=seat(house, 1), second=seat(house, 2)))
    for path in ("/console/e1", "/e/e1/pairings"):
        assert organizer.get(path).text.count('s-by-hand"/></svg> by hand') == 2, path
    match = house.event.rounds[0].matches[0].id
    assert WHY in text_of(organizer.get(f"/console/e1/match/{match}"))
    rules = text_of(house.browser().get("/rules/e1"))
    assert f"by hand Round 1, tables 1, 2 Players swapped. Reason: {WHY} organizer · #{house.event.number}" in rules


def test_the_pairings_are_another_page_when_the_sign_appears(house: House, organizer: Browser) -> None:
    """A phone that shows the pairings is told; what it shows is not kept."""
    phone = house.browser()
    assert "by hand" not in text_of(phone.get("/e/e1/pairings"))
    press(organizer, look(organizer, do="table", match=house.event.rounds[0].matches[0].id, table=9))
    assert "by hand" in text_of(phone.get("/e/e1/pairings"))


def test_a_second_tap_and_a_late_one_do_nothing(house: House, organizer: Browser) -> None:
    shown = look(organizer, do="swap", first=seat(house, 1), second=seat(house, 2))
    press(organizer, shown)
    number = house.event.number
    again = press(organizer, shown)
    assert again.status_code == 409
    assert "The round has changed, and nothing was done" in problem_of(again)
    assert house.event.number == number


def test_the_second_organizer_sees_what_the_first_one_changed(house: House, organizer: Browser) -> None:
    other = house.organizer()
    one, two = seat(house, 1), seat(house, 2)
    shown = look(other, do="swap", first=one, second=seat(house, 3))
    press(organizer, look(organizer, do="swap", first=one, second=two))
    refused = press(other, shown)
    assert refused.status_code == 409
    # What it would do now is on the page: the first one sits at table 2 by now.
    assert re.search(rf"Table 2 {name(house, seat(house, 3))}", text_of(refused))
    assert press(other, refused).status_code == 303
    assert seat(house, 2) == seat(house, 2)
    assert len(house.event.rounds[0].mends) == 2


def test_a_warning_is_read_before_it_is_done(house: House, organizer: Browser) -> None:
    house.service.execute_one("e1", SetClock("start"), "test")
    one, two = seat(house, 1), seat(house, 2)
    shown = look(organizer, do="swap", first=one, second=two)
    assert "The clock is running" in text_of(shown)
    assert "Apply despite warnings" in text_of(shown)
    blind = organizer.post(MEND, do="swap", number=1, first=one, second=two, reason=WHY)
    assert blind.status_code == 409
    assert seat(house, 1) == one
    assert press(organizer, shown).status_code == 303


def test_without_a_reason_nothing_is_done(house: House, organizer: Browser) -> None:
    one = seat(house, 1)
    answer = press(organizer, look(organizer, do="swap", first=one, second=seat(house, 2)), reason=" ")
    assert answer.status_code == 400
    assert seat(house, 1) == one


@pytest.mark.parametrize(
    ("chosen", "says"),
    [
        ({"do": "swap", "first": "p1", "second": "p1"}, "the same player twice"),
        ({"do": "swap", "first": "p1"}, "Choose two players"),
        ({"do": "swap", "first": "p1", "second": "nobody"}, ""),
        ({"do": "table", "match": "1.1", "table": "first"}, "“first” is not a table"),
        ({"do": "table", "match": "1.1"}, "is not a table"),
        ({"do": "table", "match": "9.9", "table": "4"}, ""),
        ({"do": "bye", "first": "p1"}, "is not waiting"),
        ({"do": "again"}, "Nobody needs a new pairing"),
        ({"do": "everything"}, "not possible here"),
        ({"do": "swap", "first": "p1", "second": "p2", "number": "7"}, "Round 7 cannot be changed"),
    ],
)
def test_what_cannot_be_done_is_said_on_the_page(organizer: Browser, chosen: dict[str, str], says: str) -> None:
    answer = look(organizer, **chosen)
    assert answer.status_code in (400, 409)
    assert problem_of(answer)
    assert says in problem_of(answer)


def test_a_table_follows_at_once_and_says_who_sits_there(house: House, organizer: Browser) -> None:
    for unit, table in (("unit-1", 1), ("unit-2", 2)):
        house.service.execute([Step(VENUE, NewEntry("unit-placed", {"unit": unit, "table": table}))], "test")
    before = table_json(house.service.snapshot, "unit-1")["match"]
    press(organizer, look(organizer, do="swap", first=seat(house, 1), second=seat(house, 2)))
    after = table_json(house.service.snapshot, "unit-1")["match"]
    assert after["a"]["id"] == seat(house, 1) != before["a"]["id"]
    assert (after["revision"], after["draw"]) == (before["revision"] + 1, before["draw"])
    assert not after["heard"]["a"]
    house.report("1.1", "a", 100, 24)
    [fate] = house.event.fates.values()
    assert (fate.fate, fate.reason) == ("refused", "judge"), "said by those who sat here before"


def test_paper_follows_slips_of_changed_tables_and_the_lists_of_a_round_that_is_published_again(
    house: House, organizer: Browser
) -> None:
    before = {job.id for job in derived_jobs(house.event)}
    press(organizer, look(organizer, do="swap", first=seat(house, 1), second=seat(house, 2)))
    new = [job for job in derived_jobs(house.event) if job.id not in before]
    assert [(job.kind, job.match) for job in new] == [("slip", "1.1"), ("slip", "1.2")]
    lists = next(job for job in derived_jobs(house.event) if job.kind == "pairings-table")
    content = job_json(lists, house.service.snapshot, "http://hub")
    assert [row.get("by_hand", False) for row in content["rows"]] == [True, True, False]
    press(organizer, look(organizer, do="unpublish"))
    organizer.post("/console/e1/publish", number=1, attempt=1)
    assert [job.kind for job in derived_jobs(house.event) if job.id not in before | {job.id for job in new}] == [
        "pairings-table",
        "pairings-name",
    ]


def test_who_is_left_alone_by_one_who_goes_is_paired_again(house: House, organizer: Browser) -> None:
    house.service.execute_one("e1", DropCompetitor(seat(house, 1)), "test")
    organizer.post("/console/e1/competitors", names="Late Comer")
    assert "2 players unpaired" in text_of(organizer.console())
    page = organizer.get(MEND)
    assert "2 players unpaired" in text_of(page)
    shown = look(organizer, do="again")
    assert "'s win by the opponent's drop is lost" in text_of(shown)
    assert "mend-reason" not in shown.text, "the pairing says why"
    assert press(organizer, shown, reason="").status_code == 303
    assert "Late Comer" in {name(house, seat(house, 1)), name(house, seat(house, 1, "b"))}
    rules = text_of(house.browser().get("/rules/e1"))
    assert "Re-paired with fewest changes." in rules


def test_a_round_is_taken_back_and_published_again(house: House, organizer: Browser) -> None:
    shown = look(organizer, do="unpublish")
    assert "becomes a draft again" in text_of(shown)
    done = press(organizer, shown)
    assert done.location.startswith("/console/e1")
    assert house.event.rounds[0].status == DRAFT
    assert "Round 1 is not published yet" in text_of(house.browser().get("/e/e1/pairings"))
    organizer.post("/console/e1/publish", number=1, attempt=1)
    assert house.event.live is not None


def test_a_draft_says_what_is_by_hand_and_warns_before_it_is_thrown_away(house: House) -> None:
    organizer = house.with_event()
    house.service.execute_one("e1", DrawRound(5), "test")
    assert "Manual changes are lost" not in text_of(organizer.console())
    press(organizer, look(organizer, do="swap", first=seat(house, 1), second=seat(house, 2)))
    page = organizer.console()
    assert page.text.count('s-by-hand"/></svg> by hand') == 2
    assert "Manual changes are lost" in text_of(page)


# Pairing by hand, line for line.


def pair(browser: Browser, rows: list[tuple[str, str, str]], **more: str) -> TestResponse:
    columns: dict[str, Any] = {key: [row[i] for row in rows] for i, key in enumerate(("table", "a", "b"))}
    return browser.client.post(
        "/console/e1/pair", headers=browser.headers, data={"csrf": browser.token, "reason": WHY, **columns, **more}
    )


def test_a_round_is_paired_by_typing_parts_of_names(house: House) -> None:
    organizer = house.with_event()
    organizer.get("/console/e1/pair")
    done = pair(organizer, [("7", "ana ru", "lukasz"), ("", "eva", "kai"), ("", "", ""), ("", "Bruno", "wisniewska")])
    assert done.status_code == 303, problem_of(done)
    draft = house.event.draft
    found = {m.match.table: {name(house, m.match.a), name(house, m.match.b or "")} for m in draft.matches}
    assert found == {7: {PEOPLE[0], PEOPLE[2]}, 1: {PEOPLE[3], PEOPLE[4]}, 2: {PEOPLE[1], PEOPLE[5]}}
    assert all(m.by_hand and m.by_hand["reason"] == WHY for m in draft.matches)


def test_who_is_missing_is_said_and_what_was_typed_stays(house: House) -> None:
    organizer = house.with_event()
    organizer.get("/console/e1/pair")
    rows = [("", "ana", "bruno"), ("", "", ""), ("4", "eva", "")]
    first = pair(organizer, rows)
    assert first.status_code == 409
    assert f"Not paired (3): Łukasz Żak, Kai Eich, {PEOPLE[5]}" in text_of(first)
    assert re.search(r'aria-label="Line 3, first player" value="eva"', first.text)
    plan = re.search(r'name="plan" value="(\w+)"', first.text)
    assert plan
    assert pair(organizer, rows, plan=plan[1]).status_code == 303
    assert [m.match.bye for m in house.event.draft.matches] == [None, "bye"]


def test_the_form_begins_with_the_draw(house: House) -> None:
    organizer = house.with_event()
    house.service.execute_one("e1", DrawRound(5), "test")
    page = organizer.get("/console/e1/pair").text
    assert f'value="{name(house, seat(house, 1))}"' in page.partition("pair-rows")[2]
    empty = organizer.get("/console/e1/pair?from=empty").text.partition("pair-rows")[2]
    assert name(house, seat(house, 1)) not in empty


@pytest.mark.parametrize(
    ("rows", "says"),
    [
        ([("", "nobody at all", "eva")], "Line 1: no player in this round matches “nobody at all”"),
        ([("", "a", "eva")], "Line 1: “a” matches several players"),
        ([("x", "ana", "eva")], "Line 1: “x” is not a table number"),
        ([("", "", "")], "Nobody is paired yet"),
        ([("", "ana", "ana")], ""),
        ([("3", "ana", "eva"), ("3", "kai", "bruno")], "Table 3 is taken"),
    ],
)
def test_what_is_typed_wrong_is_said_with_its_line(house: House, rows: list[tuple[str, str, str]], says: str) -> None:
    organizer = house.with_event()
    organizer.get("/console/e1/pair")
    answer = pair(organizer, rows)
    assert answer.status_code in (400, 409)
    assert problem_of(answer)
    assert says in problem_of(answer)
    assert house.event.draft is None


def test_another_events_table_is_not_to_be_had(house: House, organizer: Browser) -> None:
    """One hall: what the second event has drawn is taken, for a move as for two who wait."""
    house.service.execute([Step("e2", CreateEvent("Second", "xwing-standard", "relaxed", {}, "#0072B2", 3))], "test")
    for n in range(4):
        house.service.execute([Step("e2", EnterCompetitor(Entrant(f"q{n}", "d")))], "test")
    house.service.execute_one("e2", DrawRound(5), "test")
    theirs = sorted(m.match.table or 0 for m in house.service.snapshot.events["e2"].rounds[0].matches)
    answer = look(organizer, do="table", match="1.1", table=theirs[0])
    assert f"Table {theirs[0]} is taken" in problem_of(answer)
    for who in ("Late Comer", "Late Comer Too"):
        organizer.post("/console/e1/competitors", names=who)
    late = [who for who in house.event.entrants if who not in {f"p{n}" for n in range(1, 7)}]
    shown = look(organizer, do="pair", first=late[0], second=late[1])
    assert f"Table {max(theirs) + 1} Late Comer – Late Comer Too" in text_of(shown)


def test_sixty_four_tables_are_light_on_the_wire(tmp_path: Path) -> None:
    with open_house(tmp_path) as house:
        organizer = house.with_event([f"Aleksandra Wiśniewska-Szczepańska {n}" for n in range(128)])
        house.service.execute_one("e1", DrawRound(5), "test")
        for path in (MEND, "/console/e1/pair"):
            organizer.get(path)
            answer = organizer.client.get(path, headers={"Accept-Encoding": "gzip"})
            assert answer.headers["Content-Encoding"] == "gzip"
            assert len(answer.data) < 30_000, path
