"""Clause coverage: each document's clauses are well formed, and every clause the kit answers for has a test."""

import ast
import tomllib
from fnmatch import fnmatch
from functools import cache
from pathlib import Path

import pytest

from fronts import FRONTS, tried_at
from roundtap_core.rulebooks.coverage import (
    FOLDER,
    HELD,
    KINDS,
    PEOPLE,
    Clause,
    coverage,
    coverage_to_json,
    document_names,
    read_clauses,
)
from roundtap_core.rulebooks.registry import RULEBOOKS

REPOSITORY = Path(__file__).parents[3]


@cache
def defined_in(file: str) -> frozenset[str]:
    """ "name" and "Class::name" of every test that the file defines; none where there is no such file."""
    path = REPOSITORY / file
    if not path.is_file():
        return frozenset()
    found: set[str] = set()
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        prefix = f"{node.name}::" if isinstance(node, ast.ClassDef) else ""
        for part in node.body if isinstance(node, ast.ClassDef) else [node]:
            if isinstance(part, ast.FunctionDef | ast.AsyncFunctionDef) and part.name.startswith("test_"):
                found.add(prefix + part.name)
    return frozenset(found)


def exists(test: str) -> bool:
    """Whether "tests/core/test_x.py::test_name[parameters]" names a test; the parameters are not looked at."""
    file, _, name = test.partition("::")
    return name.partition("[")[0] in defined_in(file)


def named(document: str, clauses: list[Clause]) -> list[str]:
    return [f"{document}: {clause.id} ({clause.how})" for clause in clauses]


def test_every_rulebook_has_one_document_and_every_document_its_rulebooks() -> None:
    listed = [rulebook for document in document_names() for rulebook in read_clauses(document).rulebooks]
    assert sorted(listed) == sorted(set(listed))
    assert set(RULEBOOKS) <= set(listed), "a rulebook without clauses"
    assert set(listed) <= set(RULEBOOKS), "clauses without a rulebook"


@pytest.mark.parametrize("document", document_names())
def test_clauses_are_well_formed(document: str) -> None:
    found = read_clauses(document)
    ids = [clause.id for clause in found.clauses]
    assert sorted(ids) == sorted(set(ids)), "an id given twice"
    assert found.document.strip()
    for clause in found.clauses:
        assert clause.how in KINDS, clause.id
        assert clause.section.strip(), clause.id
        assert clause.text.endswith("."), clause.id
        assert bool(clause.reason) == (clause.how == PEOPLE), f"{clause.id}: a reason for people, and for them only"
        assert not (clause.tests and clause.how == PEOPLE), f"{clause.id}: people have no test"
        assert clause.rulebooks, clause.id
        assert set(clause.rulebooks) <= set(found.rulebooks), clause.id
        assert len(set(clause.tests)) == len(clause.tests), clause.id


@pytest.mark.parametrize("document", document_names())
def test_sections_stand_together_in_the_document_s_order(document: str) -> None:
    sections = [clause.section for clause in read_clauses(document).clauses]
    changes = [section for section, before in zip(sections, [None, *sections], strict=False) if section != before]
    assert len(changes) == len(set(changes))


def test_every_named_test_exists() -> None:
    missing = [
        f"{document}: {clause.id} names {test}"
        for document in document_names()
        for clause in read_clauses(document).clauses
        for test in clause.tests
        if not exists(test)
    ]
    assert missing == [], "\n" + "\n".join(missing)


def test_every_clause_that_the_kit_answers_for_has_a_test() -> None:
    """Run this file to see which clauses still want one."""
    missing = [
        line
        for document in document_names()
        for line in named(
            document, [clause for clause in read_clauses(document).clauses if clause.how != PEOPLE and not clause.tests]
        )
    ]
    if missing:
        pytest.fail(f"{len(missing)} clauses without a test:\n" + "\n".join(missing), pytrace=False)


def test_a_clause_that_the_kit_holds_is_tried_at_every_front_that_could_break_it() -> None:
    """By the folder of the tests it names; a clause that says nothing of fronts is tried at the core, where all of
    them ask."""
    untried = [
        f"{document}: {clause.id}: {', '.join(sorted(set(clause.fronts) - tried_at(clause)))}"
        for document in document_names()
        for clause in read_clauses(document).clauses
        if clause.how in HELD and not set(clause.fronts) <= tried_at(clause)
    ]
    assert untried == [], "\n" + "\n".join(untried)
    for document in document_names():
        for clause in read_clauses(document).clauses:
            assert set(clause.fronts) <= set(FRONTS), clause.id
            assert bool(clause.fronts) == (clause.how in HELD), clause.id


def test_parameters_in_brackets_are_ignored_and_what_is_not_there_is_found() -> None:
    here = "tests/core/rulebooks/test_coverage.py::"
    assert exists(here + "test_every_named_test_exists")
    assert exists(here + "test_clauses_are_well_formed[keyforge]")
    assert not exists(here + "test_nothing")
    assert not exists(here + "named")
    assert not exists("tests/core/test_nowhere.py::test_every_named_test_exists")


def test_a_rulebook_is_told_its_own_clauses_only() -> None:
    duel, team = (coverage(f"xwing-epic-{which}") for which in ("duel", "team"))
    shared = {clause.id for clause in duel.clauses} & {clause.id for clause in team.clauses}
    assert "list-points-duel" in {clause.id for clause in duel.clauses} - shared
    assert "captain" in {clause.id for clause in team.clauses} - shared
    assert len(shared) > 50
    assert sum(duel.counts().values()) == len(duel.clauses)
    with pytest.raises(KeyError):
        coverage("chess")


def test_as_json_a_clause_says_what_it_has() -> None:
    data = coverage_to_json(coverage("xwing-standard"))
    assert sum(data["counts"].values()) == len(data["clauses"])
    by_id = {clause["id"]: clause for clause in data["clauses"]}
    assert "reason" in by_id["salvo-dice"]
    assert "reason" not in by_id["bye-worth"]
    assert by_id["bye-worth"]["tests"]


def test_the_clauses_are_packaged() -> None:
    """A wheel without them would be found out only in a hall."""
    project = tomllib.loads((REPOSITORY / "pyproject.toml").read_text(encoding="utf-8"))
    patterns = project["tool"]["setuptools"]["package-data"]["roundtap_core"]
    core = REPOSITORY / "server" / "roundtap_core"
    for document in document_names():
        path = (Path(FOLDER) / f"{document}.json").relative_to(core).as_posix()
        assert any(fnmatch(path, pattern) for pattern in patterns), path
