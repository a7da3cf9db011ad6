"""One final ranking on every surface: wall, phones, console, paper, spreadsheet; and who is no longer there."""

import csv
import io
import re

import pytest
from flask.testing import FlaskClient
from pages_kit import House, problem_of, text_of
from wire_json import job_json

from roundtap_core.elimination.ranking import final_ranking
from roundtap_core.event.commands import AskToDrop, Disqualify, DropCompetitor, EnterResult, FinishEvent
from roundtap_core.event.event_flow import current_seeds
from roundtap_core.event.states import tournament_of
from roundtap_core.eventfile.read import parse_event_file
from roundtap_core.records import Result, SidePair
from roundtap_hub.paper.print_jobs import STANDINGS
from roundtap_hub.store.print_book import PrintJob
from roundtap_hub.views.saved_event import SavedEvent, shown_names

NAMES = [
    "Ana Ruiz",
    "Bruno Maier",
    "Cira Vega",
    "Dora Lang",
    "Eva Luz",
    "Fritz Kern",
    "Gil Soto",
    "Hana Nowak",
    "Ida Roth",
    "Jan Wolski",
    "Kai Eich",
]


def played(house: House) -> None:
    house.publish()
    for i, match in enumerate(m for m in house.event.live.open_matches):
        house.service.execute_one(
            "e1", EnterResult(match.id, match.revision, Result(score=SidePair(100, 7 * i))), "test"
        )


def names_of(house: House) -> dict[str, str]:
    return shown_names(moment(house))


def moment(house: House) -> SavedEvent:
    return SavedEvent(house.event, house.service.snapshot.people["e1"])


@pytest.fixture
def ended(house: House) -> House:
    """Eleven: one never plays, one is put out in round 2, a semi-finalist leaves before the final."""
    browser = house.with_event(NAMES, cut=4, third_place_match="1")
    house.service.execute_one("e1", DropCompetitor("p11"), "test")
    house.publish()
    house.play()
    house.publish()
    out = house.event.live.matches[0].match.a  # type: ignore[union-attr]
    house.service.execute_one("e1", Disqualify(out, "weighted dice"), "test")
    house.play()
    browser.post("/console/e1/cut")
    played(house)
    loser = house.event.rounds[2].matches[0].match.b
    house.service.execute_one("e1", DropCompetitor(loser or ""), "test")
    played(house)
    house.service.execute_one("e1", FinishEvent("the hall closes"), "test")
    return house


def in_order(text: str, names: dict[str, str], wanted: list[str]) -> list[str]:
    """Those of `wanted` as they come in a text."""
    found = [(text.index(names[who]), who) for who in wanted if names[who] in text]
    return [who for _, who in sorted(found)]


def lines_of(page: str, pattern: str) -> str:
    found = re.search(pattern, page, flags=re.S)
    assert found, pattern
    return found[0]


def test_every_surface_shows_the_same_final_ranking(ended: House):
    names = names_of(ended)
    ranking = final_ranking(tournament_of(ended.event))
    order = [placed.competitor for placed in ranking]
    assert [p.status for p in ranking].count("disqualified") == 1
    assert (ranking[-1].status, ranking[-1].rank) == ("disqualified", None)
    assert [p.reached for p in ranking[:4]] == ["champion", "final", "semi-final", "semi-final"]
    assert "dropped" in [p.status for p in ranking[:4]]
    assert "p11" not in order

    browser, organizer = ended.browser(), ended.organizer()
    shown = {
        "phones": lines_of(browser.get("/e/e1/standings").text, r'<section data-live id="final">.*?</section>'),
        "wall": re.sub(r"<svg.*?</svg>", "", browser.get("/wall/e1").text, flags=re.S),
        "console": lines_of(
            organizer.get("/console/e1/standings").text, r'<section data-live id="final">.*?</section>'
        ),
    }
    full = {who: person.name for who, person in ended.service.snapshot.people["e1"].items()}
    for surface, text in shown.items():
        assert in_order(text, full if surface == "console" else names, order) == order, surface
        assert names.get("p11", "?") not in text, surface
        assert "disqualified" in text, surface
        assert ">dropped<" in text, surface

    sheet = list(csv.DictReader(io.StringIO(organizer.get("/console/e1/standings.csv").text.lstrip("\ufeff"))))
    by_name = {name: who for who, name in full.items()}
    assert [by_name[row["full_name"]] for row in sheet] == order
    assert [row["rank"] for row in sheet] == [*map(str, range(1, len(order))), ""]

    paper = job_json(PrintJob("job", "e1", STANDINGS, 0), ended.service.snapshot, "http://hub")
    assert paper["final"]
    assert [row["name"] for row in paper["rows"]] == [names[who] for who in order]
    assert [row["rank"] for row in paper["rows"]] == [p.rank for p in ranking]
    assert [row["reached"] for row in paper["rows"]] == [p.reached for p in ranking]
    assert [row["status"] for row in paper["rows"]] == [p.status for p in ranking]

    file = parse_event_file(organizer.get("/console/e1/export.json").text)
    assert [(p.rank, p.competitor, p.status) for p in final_ranking(file)] == [
        (p.rank, p.competitor, p.status) for p in ranking
    ]

    for placed in ranking:
        page = text_of(browser.get(f"/e/e1/p/{placed.competitor}"))
        if placed.rank is None:
            assert "You are disqualified. You are listed last" in page
        elif placed.rank > 1:
            assert f"Rank {placed.rank}" in page


def test_a_disqualified_player_stands_last_at_once_while_the_next_round_is_played(house: House):
    house.with_event(NAMES[:6], swiss_rounds=3)
    house.publish()
    house.play()
    house.publish()
    best = house.event.live.matches[0].match.a  # type: ignore[union-attr]
    house.service.execute_one("e1", Disqualify(best, "weighted dice"), "test")
    names = names_of(house)
    for path in ("/e/e1/standings",):
        page = text_of(house.browser().get(path))
        assert page.index(names[best]) == max(page.index(name) for name in names.values())
        assert f"– {names[best]} disqualified" in page
    assert "You are disqualified" in text_of(house.browser().get(f"/e/e1/p/{best}"))


def test_who_never_played_is_in_no_standings(house: House):
    house.with_event(NAMES[:6])
    house.service.execute_one("e1", DropCompetitor("p6"), "test")
    house.publish()
    house.play()
    names = names_of(house)
    assert names["p6"] not in text_of(house.browser().get("/e/e1/standings"))
    assert names["p6"] not in text_of(house.browser().get("/wall/e1"))


# Buttons.


def test_a_no_show_is_undone_by_the_button_in_the_grid(house: House):
    browser = house.with_event(NAMES[:4])
    house.publish()
    match = house.event.live.matches[0]  # type: ignore[union-attr]
    browser.post("/console/e1/match/1.1/no-show", absent=match.match.b)
    page = browser.console().text
    full = house.service.snapshot.people["e1"][match.match.b or ""].name
    assert f"{full} is here" in page
    assert "/console/e1/match/1.1/here-after-all" in page
    browser.post("/console/e1/match/1.1/here-after-all")
    assert house.event.live.matches[0].match == match.match  # type: ignore[union-attr]
    assert f"{full} is here" not in browser.console().text


def test_nobody_came_and_came_after_all_on_the_match_page(house: House):
    browser = house.with_event(NAMES[:4])
    house.publish()
    assert "Double no-show" in text_of(browser.get("/console/e1/match/1.1"))
    browser.post("/console/e1/match/1.1/nobody-came")
    assert house.event.live.matches[0].match.result.winner == "none"  # type: ignore[union-attr]
    page = text_of(browser.get("/console/e1/match/1.1"))
    assert "Double no-show" in page
    assert "Both are here" in page
    browser.post("/console/e1/match/1.1/here-after-all")
    assert house.event.live.matches[0].match.result is None  # type: ignore[union-attr]
    assert all(entrant.active for entrant in house.event.entrants.values())
    again = browser.post("/console/e1/match/1.1/here-after-all")
    assert "This match has no no-show" in problem_of(again)


def test_where_both_have_asked_to_leave_it_says_that_nobody_wins_if_both_do(house: House):
    browser = house.with_event(NAMES[:4])
    house.publish()
    house.place("unit-1", 1)
    match = house.event.live.matches[0].match  # type: ignore[union-attr]
    for who in (match.a, match.b):
        house.service.execute_one("e1", AskToDrop(who or "", f"phone:{who}"), f"phone:{who}")
    at = f"/console/e1/competitors/{match.a}/drop"
    asked = browser.post(at)
    assert "also asked to drop. If both drop, nobody wins" in text_of(asked)
    figures = {"q.score.loser": "40", "asked": "score.loser"}
    assert browser.post(at, known=1, way="conceded", opener="b", **figures).status_code == 303
    assert "Nobody wins the match at table 1" in text_of(browser.opened())
    browser.post(f"/console/e1/competitors/{match.b}/drop")
    assert house.event.live.matches[0].match.result.winner == "none"  # type: ignore[union-attr]


def test_where_one_of_both_has_reported_the_result_stays_and_nobody_is_said_to_win_nothing(house: House):
    browser = house.with_event(NAMES[:4])
    house.publish()
    match = house.event.rounds[-1].matches[0].match
    house.report("1.1", "a", 100, 40)
    for who in (match.a, match.b):
        house.service.execute_one("e1", AskToDrop(who or "", f"phone:{who}"), f"phone:{who}")
    asked = text_of(browser.post(f"/console/e1/competitors/{match.a}/drop"))
    assert "Table 1 has a report. It counts" in asked
    assert "nobody wins" not in asked.lower()


def test_the_cut_goes_on_with_those_present_in_one_click(house: House):
    browser = house.with_event(NAMES[:8], cut=4)
    played(house)
    played(house)
    browser.post("/console/e1/cut")
    assert "Continue with those present" in text_of(browser.console())
    seeds = current_seeds(house.event)
    everybody = list(house.event.cut.order)  # type: ignore[union-attr]
    gone = {seeds[0], seeds[2], everybody[4]}
    post_lists(
        browser.client,
        "/console/e1/cut/present",
        csrf=browser,
        asked=everybody,
        present=[who for who in everybody if who not in gone],
    )
    assert list(current_seeds(house.event)) == [seeds[1], seeds[3]]
    assert all(entrant.active for entrant in house.event.entrants.values())
    page = text_of(browser.console())
    assert "Absent:" in page
    assert f"Ask {house.service.snapshot.people['e1'][everybody[5]].name}" in page


def post_lists(client: FlaskClient, path: str, csrf: object, **fields: list[str]) -> None:
    """A form whose fields come several times, which the kit's own `post` does not send."""
    found = re.search(r'name="csrf" value="([^"]+)"', client.get("/console/e1").text)
    assert found
    assert client.post(path, data={"csrf": found[1], **fields}).status_code == 303


def test_a_finished_event_is_reopened_where_it_was_finished(house: House):
    browser = house.with_event(NAMES[:4], swiss_rounds=1)
    played(house)
    browser.post("/console/e1/finish", reason="the hall closes")
    assert "Reopen event" in text_of(browser.console())
    browser.post("/console/e1/reopen")
    assert not house.event.finished
    assert "Reopen event" not in text_of(browser.console())
    assert "not finished" in problem_of(browser.post("/console/e1/reopen"))
