"""What breaks a clause of X-Wing, tried at the console: results in the plain form, lists before round 1."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pages_kit import Browser, House, open_house, problem_of, text_of

from roundtap_core.event.commands import CreateEvent, EnterCompetitor
from roundtap_core.eventfile.read import tournament_from_json
from roundtap_hub.journal.service import Step
from roundtap_hub.pages.new_event import enrol

sys.path.insert(0, str(Path(__file__).parents[1] / "core"))

from broken_xwing import Case, by_name

RESULTS = {name: case for name, case in by_name().items() if case.result}
LISTS = {name: case for name, case in by_name().items() if case.list}


@pytest.fixture
def house(tmp_path: Path) -> Iterator[House]:
    with open_house(tmp_path) as opened:
        yield opened


def enter(house: House, case: Case, **options: Any) -> Browser:
    """The case's event with its people and their lists, before round 1."""
    file = tournament_from_json({**case.file, "rounds": [], "options": {**case.file["options"], **options}})
    steps = [Step("e1", CreateEvent("Winter Open", file.rulebook, file.level, file.options, "#00785A", 7))]
    records = []
    for person in file.competitors:
        record, entrant = enrol("e1", person)
        records.append(record)
        steps.append(Step("e1", EnterCompetitor(entrant)))
    house.service.ask(steps, "test", records)
    return house.organizer()


def fields(value: Any, at: str = "") -> Iterator[tuple[str, Any]]:
    """The fields of the form: {"score": {"a": 1}} → ("score.a", 1)."""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from fields(inner, f"{at}.{key}" if at else key)
    else:
        yield at, value


@pytest.mark.parametrize("clause", RESULTS)
def test_a_result_that_breaks_a_clause_of_x_wing_is_not_taken(house: House, clause: str):
    browser = enter(house, RESULTS[clause])
    house.publish()
    answer = browser.post("/console/e1/match/1.1", revision=0, **dict(fields(RESULTS[clause].result)))
    assert answer.status_code in (400, 409)
    assert problem_of(answer)
    assert house.event.find_match("1.1")[1].match.result is None


@pytest.mark.parametrize("clause", LISTS)
def test_with_a_list_that_breaks_a_clause_of_x_wing_round_1_waits(house: House, clause: str):
    browser = enter(house, LISTS[clause], lists_required=True)
    browser.post("/console/e1/draw", attempt=0)
    assert 'value="list_wrong:p1"' in browser.get("/console/e1").text
    assert browser.post("/console/e1/publish", number=1, attempt=1).status_code == 409
    assert house.event.live is None


@pytest.mark.parametrize(("rulebook", "level"), [
    ("xwing-standard", "formal"), ("xwing-standard", "premium"), ("xwing-epic-duel", "premier"),
])
def test_where_officials_are_barred_the_console_makes_nobody_a_player(house: House, rulebook: str, level: str):
    browser = house.with_event(rulebook=rulebook, level=level)
    browser.post("/console/e1/officials", name="Nina Wolf", role="organizer")
    browser.post("/console/e1/officials", name="Ida Blau", role="judge", second=1)
    answer = browser.post("/console/e1/officials/o1/change", role="organizer", plays="p1")
    assert answer.status_code in (400, 409)
    assert not any(official.plays for official in house.event.officials.values())


def test_two_officials_who_meet_are_ruled_by_the_head_judge(house: House):
    browser = house.with_event(["Ana Ruiz", "Bruno Maier"], level="relaxed")
    for name, role in (("Nina Wolf", "organizer"), ("Ida Blau", "judge"), ("Kai Eich", "head_judge")):
        browser.post("/console/e1/officials", name=name, role=role, second=1)
    browser.post("/console/e1/officials/o1/change", role="organizer", plays="p1")
    browser.post("/console/e1/officials/o2/change", role="judge", plays="p2", second=1)
    house.publish()
    assert "Kai Eich rules this match" in text_of(browser.get("/console/e1/match/1.1"))


def test_whoever_left_before_the_cut_is_not_let_back_in_after_it(house: House):
    browser = house.with_event(swiss_rounds=1, cut=2)
    house.publish()
    house.play()
    browser.post("/console/e1/competitors/p1/drop")
    browser.post("/console/e1/cut")
    answer = browser.post("/console/e1/competitors/p1/return")
    assert answer.status_code in (400, 409)
    assert not house.event.entrants["p1"].active


@pytest.mark.parametrize(("structure", "rounds"), [("basic", 1), ("advanced", 2)])
def test_other_rounds_than_the_structure_s_are_an_own_structure_and_players_read_so(
    house: House, structure: str, rounds: int
):
    browser = house.with_event([f"Player {n}" for n in range(1, 11)], structure=structure, swiss_rounds=rounds)
    house.publish()
    assert house.event.options["structure"] == "own"
    assert "Structure own" in text_of(browser.get("/rules/e1"))
