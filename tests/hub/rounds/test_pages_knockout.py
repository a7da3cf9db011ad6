"""From the last Swiss round to the champion through the pages, as an organizer would press it."""

import io
import json
import re

import pytest
from fronts_seats import forms_of
from pages_kit import House, problem_of, text_of

from roundtap_core.event.commands import DropCompetitor, EnterResult, MakeCut
from roundtap_core.event.event_flow import current_seeds, squads_let_go
from roundtap_core.eventfile.read import parse_event_file
from roundtap_core.records import Result, SidePair
from roundtap_hub.http.routes import PageKey
from roundtap_hub.live.page_cache import HubNow, version_of

TWENTY = [
    f"{first} {last}"
    for first in ("Ana", "Bruno", "Łukasz", "Eva", "Kai")
    for last in ("Ruiz", "Maier", "Żak", "Wiśniewska-Szczepańska")
]


def swiss_played(house: House, rounds: int = 4) -> None:
    """Margins differ from table to table, so that no lot decides."""
    for number in range(1, rounds + 1):
        house.publish()
        for i, match in enumerate(m for m in house.event.live.matches if m.match.b):
            result = Result(score=SidePair(100, (7 * i + 3 * number) % 90))
            house.service.execute_one("e1", EnterResult(match.id, match.revision, result), "test")


def cut_made(house: House, **options: object) -> None:
    house.with_event(TWENTY, **{"structure": "basic", "swiss_rounds": "", **options})
    swiss_played(house)
    browser = house.organizer()
    assert browser.post("/console/e1/cut").status_code == 303


def test_twenty_players_four_swiss_rounds_and_a_cut_to_four(house: House):
    browser = house.with_event(TWENTY, structure="basic", swiss_rounds="", third_place_match="1")
    assert "Players: 20. Rounds: 4" in text_of(browser.console())
    swiss_played(house)
    page = text_of(browser.console())
    assert "All 4 Swiss rounds are over. The top 4 advance." in page
    browser.post("/console/e1/cut")
    page = text_of(browser.console())
    assert "Next: Semi-final." in page
    assert "4 of 4 spots" in page

    browser.post("/console/e1/draw", attempt=0)
    page = text_of(browser.console())
    assert "Semi-final: draft" in page
    assert "Draw again" not in page
    assert "Semi-final: review, then publish." in page
    again = browser.post("/console/e1/draw", attempt=1)
    assert "cannot be drawn again" in problem_of(again)
    browser.post("/console/e1/publish", number=5, attempt=1)
    page = text_of(browser.console())
    assert "Semi-final: pairings are published. Start the clock once most players are seated." in page
    assert house.event.clock.total_ms == 75 * 60_000
    for match in ("5.1", "5.2"):
        browser.post(f"/console/e1/match/{match}/walk", revision=0, way="played", opener="a", **{"q.score.loser": 10})
    assert "Next: Final." in text_of(browser.console())

    browser.post("/console/e1/draw", attempt=0)
    assert "Third place" in text_of(browser.console())
    browser.post("/console/e1/publish", number=6, attempt=1)
    assert house.event.clock.total_ms == 120 * 60_000
    browser.post("/console/e1/match/6.2/walk", revision=0, way="played", opener="a", **{"q.score.loser": 20})
    browser.post("/console/e1/match/6.1/walk", revision=0, way="played", opener="b", **{"q.score.loser": 50})
    winner = house.event.rounds[-1].matches[0].match.b
    name = TWENTY[int(winner[1:]) - 1]
    assert f"{name} wins the event." in text_of(browser.console())
    browser.post("/console/e1/finish", reason="the hall closes")
    assert "The event is finished" in text_of(browser.console())

    standings = text_of(house.browser().get("/e/e1/standings"))
    assert standings.index("Final standings") < standings.index("Champion") < standings.index("Swiss standings")
    # The record beside the places counts the Swiss rounds alone, and says so.
    assert standings.count("Points (Swiss) W–L") == 1
    assert "You won the event." in text_of(house.browser().get(f"/e/e1/p/{winner}"))
    exported = browser.get("/console/e1/export.json").text
    assert [r.stage for r in parse_event_file(exported).rounds] == ["swiss"] * 4 + ["elimination"] * 2
    browser.client.post(
        "/console/import",
        data={"csrf": browser.token, "color": "#882255", "file": (io.BytesIO(exported.encode()), "event.json")},
    )
    assert json.loads(browser.get("/console/e2/export.json").text) == json.loads(exported)
    # It is finished there, too.
    assert "The event is finished" in text_of(browser.console("e2"))


def test_somebody_leaves_before_the_first_game_and_the_next_is_asked(house: House):
    cut_made(house)
    browser = house.organizer()
    seeds = current_seeds(house.event)
    order = house.event.cut.order if house.event.cut else ()
    names = {f"p{n}": name for n, name in enumerate(TWENTY, start=1)}
    browser.post(f"/console/e1/competitors/{seeds[1]}/drop")
    page = text_of(browser.console())
    assert f"A spot in the cut is free. Ask {names[order[4]]} to accept or decline." in page
    assert f"A spot is free. Ask {names[order[4]]}, rank 5 in the standings. They would be seed 4." in page
    assert "A spot in the cut is free for you." in text_of(house.browser().get(f"/e/e1/p/{order[4]}"))
    refused = browser.post("/console/e1/draw", attempt=0)
    assert "Enter the answer first" in problem_of(refused)
    browser.post("/console/e1/cut/declined", competitor=order[4])
    page = text_of(browser.console())
    assert f"Declined: {names[order[4]]}" in page
    assert f"Ask {names[order[5]]}, rank 6 in the standings" in page
    stale = browser.post("/console/e1/cut/accepted", competitor=order[4])
    assert "not offered to them" in problem_of(stale)
    browser.post("/console/e1/cut/accepted", competitor=order[5])
    assert current_seeds(house.event) == (seeds[0], seeds[2], seeds[3], order[5])
    assert "as seed 4" in text_of(house.browser().get(f"/e/e1/p/{order[5]}"))
    browser.post("/console/e1/draw", attempt=0)
    browser.post("/console/e1/publish", number=5, attempt=1)
    assert "spot in the cut is free" not in text_of(browser.console())
    assert "You declined a spot in the cut" in text_of(house.browser().get(f"/e/e1/p/{order[4]}"))


def test_leaving_a_published_semi_final_says_what_it_does_and_is_undone(house: House):
    cut_made(house)
    browser = house.organizer()
    browser.post("/console/e1/draw", attempt=0)
    browser.post("/console/e1/publish", number=5, attempt=1)
    seeds = current_seeds(house.event)
    at = f"/console/e1/competitors/{seeds[0]}"
    page = text_of(browser.post(f"{at}/drop"))
    assert "The spot in the cut goes to the next player" in page
    assert "Concedes the open match" not in page
    assert house.event.live is not None, "nobody has left on one press"
    browser.post(f"{at}/drop", known=1)
    assert house.event.live is None
    assert "Reinstate" in text_of(browser.get(f"/console/e1/person/{seeds[0]}"))
    assert browser.post(f"{at}/return").status_code == 303
    assert current_seeds(house.event) == seeds
    browser.post(f"{at}/drop")
    browser.post("/console/e1/cut/accepted", competitor=house.event.cut.order[4])
    page = text_of(browser.get(f"/console/e1/person/{seeds[0]}"))
    assert "would compete for 4 spots" in page
    assert "Reinstate" not in page


def test_who_missed_the_cut_may_drop_until_the_bracket_is_played(house: House):
    cut_made(house)
    seeds, order = current_seeds(house.event), house.event.cut.order if house.event.cut else ()

    def may_drop(who: str) -> bool:
        return "Drop from event" in text_of(house.browser().get(house.hub.access.links.path("e1", who)))

    assert [may_drop(who) for who in (seeds[0], order[-1])] == [True, True], "each may be asked to take a place"
    house.publish()
    assert [may_drop(who) for who in (seeds[0], order[-1])] == [True, False]


def test_a_second_stage_of_swiss_rounds_has_no_semi_final(house: House):
    browser = house.with_event(
        TWENTY, rulebook="shatterpoint-premier", structure="own", swiss_rounds=1, cut=4, second_stage="second-swiss"
    )
    house.publish()
    for match in house.event.live.matches:  # type: ignore[union-attr]
        if match.match.b:
            result = Result(score=SidePair(2, 0), wounds=SidePair(4, 1), picks={"a": (1, 2), "b": (3, 4)})
            played = house.event.live
            assert played is not None
            lost = squads_let_go(house.event, played, match.match, {"a": (1, 2), "b": (3, 4)})
            entered = EnterResult(match.id, match.revision, result, lets_go=lost)
            house.service.execute_one("e1", entered, "test")
    house.service.execute_one("e1", MakeCut(), "test")
    assert "Semi-final" not in text_of(browser.console())


def test_the_cut_is_taken_back(house: House):
    cut_made(house)
    browser = house.organizer()
    browser.post("/console/e1/cut/back")
    assert house.event.cut is None
    assert "The top 4 advance" in text_of(browser.console())


def turned_round(house: House, match_id: str = "4.1") -> dict[str, object]:
    """What an official sends who gives a match to the other side."""
    match = house.event.find_match(match_id)[1]  # type: ignore[index]
    return {
        "way": "time",
        "q.score.winner": "0",
        "q.score.loser": "100",
        "revision": str(match.revision),
        "seen": str(match.number or 0),
        "reason": "misread",
    }


def test_a_correction_asks_what_becomes_of_the_cut_and_the_answer_comes_back_with_all_that_was_sent(house: House):
    cut_made(house)
    browser, seeds = house.organizer(), current_seeds(house.event)
    sent = turned_round(house)
    asked = browser.post("/console/e1/match/4.1/walk", **sent)
    assert asked.status_code == 409
    assert "Nothing is saved yet. Choose what happens to the cut." in problem_of(asked)
    form = next(form for form in forms_of(asked) if "cut" in form.controls)
    assert (form.action, form.controls["cut"].values) == ("/console/e1/match/4.1/walk", ["anew", "keep"])
    # The reason stands in its field, where it was typed.
    assert 'name="reason" required maxlength="500" value="misread"' in asked.text
    fields = {**dict(form.hidden), "reason": "misread"}
    assert {name: value for name, value in fields.items() if name in sent} == sent
    assert current_seeds(house.event) == seeds

    assert browser.client.post(form.action, data={**fields, "cut": "keep"}).status_code == 303
    assert current_seeds(house.event) == seeds
    assert house.event.find_match("4.1")[1].match.result.score == SidePair(0, 100)  # type: ignore[index]


def test_the_cut_is_made_again_after_a_correction(house: House):
    cut_made(house)
    browser, seeds = house.organizer(), current_seeds(house.event)
    assert browser.post("/console/e1/match/4.1/walk", cut="anew", **turned_round(house)).status_code == 303
    assert current_seeds(house.event) == house.event.cut.order[:4] != seeds


def test_once_the_semi_final_has_started_a_correction_says_what_it_changes_and_what_stays(house: House):
    cut_made(house)
    browser = house.organizer()
    house.publish()
    house.service.execute_one("e1", EnterResult("5.1", 0, Result(score=SidePair(100, 0))), "test")
    sent = turned_round(house)
    query = "&".join(f"{name}={value}" for name, value in sent.items())
    table = house.event.find_match("4.1")[1].match.table  # type: ignore[index]
    for page in (f"/console/e1/match/4.1/walk?{query}", f"/console/e1/entry?round=4&table={table}&text=0+100"):
        said = text_of(browser.get(page))
        assert re.search(r"Swiss standings .* \d+ → \d+", said), said
        assert "After the cut seeds and bracket do not change" in said
    assert browser.post("/console/e1/match/4.1/walk", **sent).status_code == 303


def test_the_wall_shows_the_bracket_between_rounds_and_at_the_end(house: House):
    cut_made(house)
    wall = house.browser().get("/wall/e1").text
    assert "picture-bracket" in wall
    assert "<svg xmlns" in wall
    house.publish()
    assert "picture-pairings" in house.browser().get("/wall/e1").text
    assert "Semi-final" in text_of(house.browser().get("/wall/e1"))
    house.play()
    assert "picture-bracket" in house.browser().get("/wall/e1").text
    house.publish()
    house.play()
    wall = house.browser().get("/wall/e1").text
    assert "picture-bracket" in wall
    assert 'data-page="1"' in wall


def test_names_cannot_break_out_of_the_drawing(house: House):
    house.with_event(["<script>alert(1)</script> A", "B & C", "D D", "E E"], swiss_rounds=1, cut=2, full_names="1")
    house.publish()
    house.play()
    house.organizer().post("/console/e1/cut")
    page = house.browser().get("/e/e1/bracket").text
    assert "<script>alert" not in page
    assert page.count("<svg xmlns") == 1


def test_the_standings_lead_to_the_bracket_from_the_cut_on(house: House):
    house.with_event(TWENTY, structure="basic", swiss_rounds="")
    link = 'href="/e/e1/bracket"'
    assert link not in house.browser().get("/e/e1/standings").text
    swiss_played(house)
    house.organizer().post("/console/e1/cut")
    assert link in house.browser().get("/e/e1/standings").text


def test_the_bracket_page_before_during_and_after(house: House):
    house.with_event(TWENTY, structure="basic", swiss_rounds="")
    assert "appears after the cut" in text_of(house.browser().get("/e/e1/bracket"))
    swiss_played(house)
    house.organizer().post("/console/e1/cut")
    page = text_of(house.browser().get("/e/e1/bracket"))
    assert "winner of 1" in page
    house.publish()
    house.play()
    house.publish()
    house.play()
    assert "wins the event" in text_of(house.browser().get("/e/e1/bracket"))
    assert "gewinnt das Turnier" in text_of(house.browser("de").get("/e/e1/bracket"))


@pytest.mark.parametrize("page", ["bracket/e1", "wall/e1", "standings/e1", "console/e1", "p/e1/p1"])
def test_every_page_looks_again_after_a_result_of_the_bracket(house: House, page: str):
    cut_made(house)
    house.publish()
    seeds = current_seeds(house.event)
    page = page.replace("p1", seeds[0]) if page.startswith("p/") else page
    before = version_of(HubNow(house.hub, house.service.snapshot, {}), PageKey.parse(page))
    house.play(leave_open=1)
    between = version_of(HubNow(house.hub, house.service.snapshot, {}), PageKey.parse(page))
    house.play()
    after = version_of(HubNow(house.hub, house.service.snapshot, {}), PageKey.parse(page))
    assert before != between or page.startswith("standings")
    assert between != after


def test_who_leaves_between_rounds_gives_a_bye(house: House):
    cut_made(house)
    house.publish()
    house.play()
    winner = house.event.rounds[-1].matches[0].match.a
    house.service.execute_one("e1", DropCompetitor(winner), "test")
    browser = house.organizer()
    browser.post("/console/e1/draw", attempt=0)
    assert "bye" in text_of(browser.console())
    browser.post("/console/e1/publish", number=6, attempt=1)
    assert "wins the event" in text_of(browser.console())


def test_elimination_from_the_start(house: House):
    browser = house.with_event(TWENTY[:5], swiss_rounds=0)
    assert "5 players, elimination from the start." in text_of(browser.console())
    browser.post("/console/e1/draw", attempt=0)
    page = text_of(browser.console())
    assert "Quarter-final: draft" in page
    assert "Draw again" in page
    browser.post("/console/e1/draw", attempt=1)
    browser.post("/console/e1/publish", number=1, attempt=2)
    house.play()
    assert "Next: Semi-final." in text_of(browser.console())
    for _ in range(2):
        house.publish()
        house.play()
    assert "wins the event" in text_of(browser.console())
    assert text_of(browser.get("/e/e1/standings")).count("Champion") == 1


@pytest.mark.parametrize(
    "language", ["pl", *(pytest.param(each, marks=pytest.mark.long) for each in ("en", "es", "de"))]
)
def test_every_page_of_every_step_reads_in_every_language(house: House, language: str):
    cut_made(house, third_place_match="1")
    guest, organizer = house.browser(language), house.browser(language)
    organizer.log_in()
    seeds = current_seeds(house.event)

    def look() -> None:
        for path in (
            "/e/e1",
            "/e/e1/standings",
            "/e/e1/pairings",
            "/e/e1/bracket",
            "/wall/e1",
            "/",
            *(f"/e/e1/p/p{n}" for n in range(1, 21)),
        ):
            assert guest.get(path).status_code in (200, 302), path
        assert organizer.console().status_code == 200
        assert organizer.get("/console").status_code == 200

    look()
    house.service.execute_one("e1", DropCompetitor(seeds[0]), "test")
    look()
    house.organizer().post("/console/e1/cut/accepted", competitor=house.event.cut.order[4] if house.event.cut else "")
    for _ in range(2):
        house.organizer().post("/console/e1/draw", attempt=0)
        look()
        house.publish() if house.event.draft is None else house.organizer().post(
            "/console/e1/publish", number=house.event.draft.number, attempt=1
        )
        look()
        house.play()
        look()
    house.organizer().post("/console/e1/finish", reason="the hall closes")
    look()


def test_to_make_the_cut_again_says_that_the_published_round_goes(house: House):
    cut_made(house)
    browser = house.organizer()
    first = house.event.cut.seeds[0]
    lost = [m for played in house.event.rounds for m in played.matches if m.match.b and m.match.a == first]
    fields = {"way": "time", "q.score.winner": 0, "q.score.loser": 100, "reason": "misread"}
    for published in (False, True):
        if published:
            house.publish()
        for match in lost:
            sent = {**fields, "revision": match.revision, "seen": match.number}
            asked = browser.post(f"/console/e1/match/{match.id}/walk", **sent)
            if "Choose what happens to the cut" in problem_of(asked):
                break
        assert ("withdraw round" in text_of(asked)) == published
        assert "unless you choose otherwise" in text_of(asked)
    assert browser.post(f"/console/e1/match/{match.id}/walk", cut="anew", **sent).status_code == 303
    assert [played.stage for played in house.event.rounds] == ["swiss"] * 4
