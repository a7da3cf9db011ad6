"""The documents that were gone through clause by clause: each claim names the seats from which somebody tried it."""

import json
from pathlib import Path
from typing import Any

import pytest

from broken_events import cases
from fronts import TRIED_IN
from roundtap_core.rulebooks.coverage import ENFORCED, FOLDER, OFFERED, Clause, read_clauses

THROUGH = frozenset({"keyforge", "shatterpoint-premier", "warlords-of-terra"})
"""Documents whose clauses were all held to this measure. A document is added when it is through, and never taken out.
"""

SEATS = ("tests/hub/", "tests/units/", "tests/kit/")
"""Where tests use the kit as people do: pages, keys, paper, commands."""

BY_CASE = ("tests/kit/test_headless_clauses.py::", "tests/hub/events/test_pages_import_clauses.py::")

through = pytest.mark.parametrize("document", sorted(THROUGH))


def clauses(document: str, how: str) -> list[Clause]:
    return [clause for clause in read_clauses(document).clauses if clause.how == how]


def tried_from(test: str) -> tuple[str, ...]:
    """The fronts of the longest path that TRIED_IN knows of it: a test of the import is none of the console's forms."""
    known = [folder for folder in TRIED_IN if test.startswith(folder)]
    return TRIED_IN[max(known, key=len)] if known else ()


def case_of(test: str) -> str:
    """ "keyforge:two-wins" of "…[keyforge:two-wins]", or ""."""
    return test.partition("[")[2].removesuffix("]")


@through
def test_an_enforced_clause_names_its_fronts_itself(document: str) -> None:
    raw: list[dict[str, Any]] = json.loads((Path(FOLDER) / f"{document}.json").read_text(encoding="utf-8"))["clauses"]
    assert [clause["id"] for clause in raw if clause["how"] == ENFORCED and not clause.get("fronts")] == []


@through
def test_each_of_its_fronts_has_a_test_of_its_own(document: str) -> None:
    untried = {
        clause.id: left
        for clause in clauses(document, ENFORCED)
        if (left := set(clause.fronts) - {front for test in clause.tests for front in tried_from(test)})
    }
    assert untried == {}


@through
def test_an_offered_clause_is_reached_from_a_seat(document: str) -> None:
    assert [
        clause.id for clause in clauses(document, OFFERED) if not any(test.startswith(SEATS) for test in clause.tests)
    ] == []


@through
def test_a_clause_that_a_file_can_break_names_both_fronts_that_take_files(document: str) -> None:
    """And a case in brackets is there, and its own."""
    for clause in clauses(document, ENFORCED):
        own = f"{document}:{clause.id}"
        named = {case_of(test) for test in clause.tests if case_of(test).startswith(tuple(THROUGH))}
        assert named == ({own} if own in cases() else set()), clause.id
        if own in cases():
            assert {"import", "headless"} <= set(clause.fronts), clause.id
            assert all(
                any(test == f"{front}{test.split('::')[1]}" and case_of(test) == own for test in clause.tests)
                for front in BY_CASE
            ), clause.id


def test_every_case_is_a_clause_s() -> None:
    known = {f"{document}:{clause.id}" for document in THROUGH for clause in read_clauses(document).clauses}
    assert set(cases()) <= known
