"""What breaks a clause, tried at the console: results in the plain form, lists before round 1 is published."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pages_kit import Browser, House, open_house, problem_of

from roundtap_core.event.commands import CreateEvent, EnterCompetitor, SetOfficials
from roundtap_core.event.official import Official
from roundtap_core.eventfile.read import tournament_from_json
from roundtap_hub.journal.service import Step
from roundtap_hub.pages.new_event import enrol

sys.path.insert(0, str(Path(__file__).parents[1] / "core"))

from broken_events import cases, event_file  # noqa: E402

RESULTS = {clause: case for clause, case in cases().items()
           if "result" in case and "timeout" not in case["result"] and case["breaks"] != "not_one_of"}
LISTS = {clause: case for clause, case in cases().items() if "list" in case.get("people", {}).get("p1", {})}


@pytest.fixture
def house(tmp_path: Path) -> Iterator[House]:
    with open_house(tmp_path) as opened:
        yield opened


def enter(house: House, case: dict[str, Any]) -> Browser:
    """The case's event with its people and their lists, before round 1."""
    file = tournament_from_json({**event_file(case), "rounds": []})
    steps = [Step("e1", CreateEvent("Winter Open", file.rulebook, file.level, file.options, "#00785A", 7))]
    records = []
    for person in file.competitors:
        record, entrant = enrol("e1", person)
        records.append(record)
        steps.append(Step("e1", EnterCompetitor(entrant)))
    house.service.ask(steps, "test", records)
    house.service.tell("e1", SetOfficials((Official("o0", "organizer"),)), "test")
    return house.organizer()


def fields(value: Any, at: str = "") -> Iterator[tuple[str, Any]]:
    """The fields of the form: {"score": {"a": 1}} → ("score.a", 1)."""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from fields(inner, f"{at}.{key}" if at else key)
    else:
        yield at, value


@pytest.mark.parametrize("clause", sorted(RESULTS))
def test_a_result_that_breaks_a_clause_is_not_taken(house: House, clause: str):
    browser = enter(house, RESULTS[clause])
    house.publish()
    typed = dict(fields(RESULTS[clause]["result"]))
    answer = browser.post("/console/e1/match/1.1", **{"revision": 0, "ended": "played", **typed})
    assert answer.status_code in (400, 409)
    assert problem_of(answer)
    assert house.event.find_match("1.1")[1].match.result is None


@pytest.mark.parametrize("clause", sorted(LISTS))
def test_with_a_list_that_breaks_a_clause_round_1_is_not_published(house: House, clause: str):
    case = {**LISTS[clause], "options": {**LISTS[clause].get("options", {}), "lists_required": True}}
    browser = enter(house, case)
    browser.post("/console/e1/draw", attempt=0)
    assert 'value="list_wrong:p1"' in browser.get("/console/e1").text
    assert browser.post("/console/e1/publish", number=1, attempt=1).status_code == 409
    assert house.event.live is None
