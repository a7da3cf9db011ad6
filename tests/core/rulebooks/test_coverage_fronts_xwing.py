"""X-Wing's documents: every enforced clause names its fronts and a test at each; offered is what a user reaches."""

import json
from pathlib import Path

import pytest

from fronts import tried_at
from roundtap_core.rulebooks.coverage import ENFORCED, FOLDER, OFFERED, read_clauses

DOCUMENTS = ("xwing-standard", "xwing-epic")


@pytest.mark.parametrize("document", DOCUMENTS)
def test_every_enforced_clause_of_x_wing_says_its_fronts_and_is_tried_at_each(document: str) -> None:
    raw = json.loads((Path(FOLDER) / f"{document}.json").read_text(encoding="utf-8"))
    assert [c["id"] for c in raw["clauses"] if c["how"] == ENFORCED and not c.get("fronts")] == []
    untried = {
        clause.id: sorted(set(clause.fronts) - tried_at(clause))
        for clause in read_clauses(document).clauses
        if clause.how == ENFORCED and not set(clause.fronts) <= tried_at(clause)
    }
    assert untried == {}


@pytest.mark.parametrize("document", DOCUMENTS)
def test_every_offered_clause_of_x_wing_is_reached_by_what_a_user_has(document: str) -> None:
    """Keys, clicks or paper: at least one of its tests stands outside of the core."""
    assert [
        clause.id
        for clause in read_clauses(document).clauses
        if clause.how == OFFERED and all(test.startswith("tests/core/") for test in clause.tests)
    ] == []
