"""What breaks a clause, tried at the console: results in the steps, lists before round 1 is published."""

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pages_kit import Browser, House, problem_of, text_of

from roundtap_core.event.commands import CreateEvent, EnterCompetitor, EnterResult, MakeCut, SetClock, SetOfficials
from roundtap_core.event.states import Official
from roundtap_core.eventfile.read import tournament_from_json
from roundtap_core.forms.form import Form, with_rulings
from roundtap_core.forms.questions import LOSER, WINNER
from roundtap_core.records import RULING, SIDES, Result, SidePair, other_side, result_to_json
from roundtap_core.rulebooks.registry import RULEBOOKS
from roundtap_hub.store.command_pipeline import person_and_entrant
from roundtap_hub.store.service import Step

sys.path.insert(0, str(Path(__file__).parents[2] / "core"))

from broken_events import cases, event_file
from broken_files import broken_files

RESULTS = {clause: case for clause, case in broken_files().items() if case.result}
LISTS = {clause: case for clause, case in broken_files().items() if case.list}


def enter(house: House, raw: dict[str, Any], **options: Any) -> Browser:
    """An event file's event with its people and their lists, before round 1."""
    file = tournament_from_json({**raw, "rounds": [], "options": {**raw["options"], **options}})
    steps = [Step("e1", CreateEvent("Winter Open", file.rulebook, file.level, file.options, "#00785A", 7))]
    records = []
    for person in file.competitors:
        record, entrant = person_and_entrant("e1", person)
        records.append(record)
        steps.append(Step("e1", EnterCompetitor(entrant)))
    house.service.execute(steps, "test", records)
    house.service.execute_one("e1", SetOfficials((Official("o0", "organizer"),)), "test")
    return house.organizer()


def told_as(result: dict[str, Any], form: Form) -> Iterator[dict[str, Any]]:
    """A result as the steps of every way that ends so would be sent, whoever of the two opened it."""
    for way in form.ways:
        if way.ended != result.get("ended", "played"):
            continue
        for opener in SIDES:
            sides = {opener: WINNER, other_side(opener): LOSER}
            sent: dict[str, Any] = {"way": way.id, "opener": opener}
            for key in ("score", "wounds", "picks"):
                sent |= {f"q.{key}.{sides[side]}": value for side, value in result.get(key, {}).items()}
            yield sent | {f"q.{key}": result[key] for key in ("winner", "initiative", "first_player") if key in result}


def played(house: House, lives: tuple[int, ...] = (20, 20, 20, 20)) -> None:
    """Side a wins every match; in Warlords with so many lives, table by table."""
    for left, match in zip(lives, house.event.live.open_matches, strict=False):
        score = SidePair(left, 0) if house.event.rulebook_id == "warlords-of-terra" else SidePair()
        won = Result(ended=RULING, winner="a", score=score)
        house.service.execute_one("e1", EnterResult(match.id, match.revision, won), "test")


@pytest.mark.parametrize("clause", sorted(RESULTS))
def test_a_result_that_breaks_a_clause_is_not_taken(house: House, clause: str):
    browser = enter(house, RESULTS[clause].file)
    house.publish()
    state, broken = house.event, RESULTS[clause].result
    form = with_rulings(state.rulebook.form(state.options), ("a", "b", "draw", "none"))
    for sent in told_as(broken, form):
        answer = browser.post("/console/e1/match/1.1/walk", revision=0, **sent)
        assert answer.status_code in (303, 400, 409)
        # What is no answer to any step counts for nothing, and is asked for instead.
        recorded = house.event.find_match("1.1")[1].match.result
        assert recorded or problem_of(answer) or "/walk" in answer.location
        made = result_to_json(recorded) if recorded else {}
        assert any(made.get(key) != value for key, value in broken.items()), sent


@pytest.mark.parametrize("clause", sorted(LISTS))
def test_with_a_list_that_breaks_a_clause_round_1_is_not_published(house: House, clause: str):
    browser = enter(house, LISTS[clause].file, lists_required=True)
    browser.post("/console/e1/draw", attempt=0)
    assert 'value="list_wrong:p1"' in browser.console().text
    assert browser.post("/console/e1/publish", number=1, attempt=1).status_code == 409
    assert house.event.live is None


def test_a_friendly_list_is_demanded_by_nobody_and_its_page_says_what_is_wrong(house: House):
    browser = enter(house, event_file(cases()["warlords-of-terra:legendary-friendly"]))
    assert "makes 3 of “Tropa 0” in this deck. The maximum is 1" in text_of(
        browser.get("/console/e1/competitor/p1/list")
    )
    house.publish()
    assert house.event.live


@pytest.mark.parametrize(
    ("rulebook", "options"),
    [
        ("keyforge-archon", {"best_of.swiss": 5}),
        ("keyforge-archon", {"best_of.elimination": 2}),
        ("keyforge-archon", {"cut": 5}),
        ("keyforge-archon", {"structure": "grand"}),
        ("shatterpoint-premier", {"best_of.swiss": 3}),
        ("shatterpoint-premier", {"structure": "advanced"}),
        ("warlords-of-terra", {"best_of.swiss": 3, "prize_places": 0}),
        ("warlords-of-terra", {"legendary_limit": 4, "prize_places": 0}),
    ],
)
def test_an_option_beyond_the_document_makes_no_event(house: House, rulebook: str, options: dict[str, object]):
    answer = house.organizer().post(
        "/console",
        **{
            "name": "Winter Open",
            "rulebook": rulebook,
            "color": "#00785A",
            "structure": "own",
            "swiss_rounds": 2,
            "level": RULEBOOKS[rulebook].levels[0] if RULEBOOKS[rulebook].levels else "",
            **options,
        },
    )
    assert answer.status_code in (400, 409)
    assert problem_of(answer)
    assert "e1" not in house.service.snapshot.events


@pytest.mark.parametrize(
    ("rulebook", "usual"),
    [("keyforge-archon", 35), ("keyforge-sealed", 45), ("shatterpoint-premier", 120), ("warlords-of-terra", 45)],
)
def test_other_minutes_and_another_structure_are_told_to_everybody(house: House, rulebook: str, usual: int):
    """Nobody is hindered: the rules page says what the rulebook has."""
    house.with_event(
        rulebook=rulebook, level=(*RULEBOOKS[rulebook].levels, "")[0], prize_places=0, **{"minutes.swiss": 15}
    )
    rules = text_of(house.browser().get("/rules/e1"))
    assert f"15 minutes rulebook: {usual} minutes" in rules
    assert ("Structure custom rulebook: basic" in rules) == bool(RULEBOOKS[rulebook].structures)


@pytest.mark.parametrize("rulebook", ["keyforge-archon", "shatterpoint-premier", "warlords-of-terra"])
def test_who_left_before_the_cut_or_was_disqualified_has_no_way_back(house: House, rulebook: str):
    browser = enter(
        house,
        event_file(
            {
                "rulebook": rulebook,
                "players": 5,
                "options": {"swiss_rounds": 1, "cut": 4, "lists_required": False, "prize_places": 0},
            }
        ),
    )
    house.publish()
    # Other lives at each table, so that none are tied for a place.
    played(house, (20, 19))
    browser.post("/console/e1/competitors/p1/drop")
    browser.post("/console/e1/competitors/p2/disqualify", reason="stacked dice")
    assert not house.event.entrants["p1"].active
    house.service.execute_one("e1", MakeCut(), "test")
    for gone in ("p1", "p2"):
        answer = browser.post(f"/console/e1/competitors/{gone}/return")
        assert answer.status_code in (400, 409)
        assert not house.event.entrants[gone].active


def test_at_the_formal_level_no_official_plays(house: House):
    browser = enter(house, event_file({"rulebook": "keyforge-archon", "level": "formal"}))
    browser.post("/console/e1/officials", name="Ida Blau", role="judge", second=1)
    answer = browser.post("/console/e1/officials", name="Nina Wolf", role="judge", plays="p1")
    assert answer.status_code in (400, 409)
    assert problem_of(answer)
    assert all(official.plays is None for official in house.event.officials.values())


@pytest.mark.parametrize("rulebook", ["keyforge-archon", "shatterpoint-premier"])
def test_once_a_game_of_the_cut_has_begun_nobody_comes_in(house: House, rulebook: str):
    browser = enter(
        house,
        event_file(
            {"rulebook": rulebook, "players": 6, "options": {"swiss_rounds": 1, "cut": 4, "lists_required": False}}
        ),
    )
    house.publish()
    played(house)
    browser.post("/console/e1/cut")
    house.publish()
    house.service.execute_one("e1", SetClock("start"), "test")
    first, fifth = house.event.cut.order[0], house.event.cut.order[4]
    browser.post(f"/console/e1/competitors/{first}/drop", unknown=1)
    assert "A spot in the cut is free" not in text_of(browser.console())
    assert "not offered" in problem_of(browser.post("/console/e1/cut/accepted", competitor=fifth))
    assert fifth not in {who for m in house.event.live.matches for who in (m.match.a, m.match.b)}


def test_no_cut_is_made_over_a_tie_that_has_to_be_played_out(house: House):
    browser = enter(
        house,
        event_file(
            {
                "rulebook": "warlords-of-terra",
                "players": 8,
                "options": {"swiss_rounds": 1, "cut": 2, "prize_places": 0, "lists_required": False},
            }
        ),
    )
    house.publish()
    played(house)
    assert "tie" in problem_of(browser.post("/console/e1/cut"))
    assert house.event.cut is None
