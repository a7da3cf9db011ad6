"""*Enforced* is provable: of every clause, the refusal that its own tests make, or the figure worked out by hand.

The tests named in the clauses are run with `refusal_recorder`, which notes the Problems that came up in each: a key
that stands in a clause and came up in none of its tests is a claim without a proof.
"""

import ast
import json
import os
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import fields

from broken_files import broken_files
from broken_xwing import UNREADABLE
from event_kit import Event
from roundtap_core.errors import Problem
from roundtap_core.event.results import REFUSED, EnterResult
from roundtap_core.eventfile.file_schema import Options, StageOptions
from roundtap_core.records import SWISS, result_from_json
from roundtap_core.rulebooks.coverage import (
    DEFAULT,
    ENFORCED,
    OFFERED,
    PEOPLE,
    Clause,
    document_names,
    read_clauses,
)
from roundtap_core.words import core_words

REPOSITORY = Path(__file__).parents[3]
CORE_TESTS = Path(__file__).parents[1]

QUICK = ("tests/core/", "tests/units/", "tests/kit/test_headless_clauses.py")
"""Where a refusal is recorded: at the core, which all fronts ask, at the table, and in files."""

SLOW = ("tests/units/test_monkey.py",)

BY_CASE = "tests/kit/test_headless_clauses.py::test_check_says_what_a_file_breaks"

clauses = pytest.mark.parametrize("document", document_names())


def enforced(document: str) -> list[Clause]:
    return [clause for clause in read_clauses(document).clauses if clause.how == ENFORCED]


def own_tests(document: str, clause: Clause) -> list[str]:
    """Those of the clause that are recorded; a table of broken files has a case of its own for it."""
    return [
        f"{BY_CASE}[{document}:{clause.id}]" if test.startswith(BY_CASE) else test
        for test in clause.tests
        if test.startswith(QUICK) and not test.startswith(SLOW)
    ]


@cache
def raised_in_the_core() -> frozenset[str]:
    """Every word that the core's source says in quotes: a key that no line has is raised nowhere."""
    return frozenset(
        node.value
        for file in (REPOSITORY / "server" / "roundtap_core").rglob("*.py")
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8")))
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    )


@clauses
def test_every_enforced_clause_says_what_makes_it_so_and_no_other_does(document: str) -> None:
    for clause in read_clauses(document).clauses:
        assert bool(clause.refuses or clause.figure) == (clause.how == ENFORCED), clause.id


@clauses
def test_a_figure_is_a_test_of_the_core_and_one_of_the_clause_s_own(document: str) -> None:
    for clause in enforced(document):
        if clause.figure:
            assert clause.figure in clause.tests, clause.id
            assert clause.figure.startswith("tests/core/"), clause.id


@clauses
def test_every_refusal_has_a_text_and_is_raised_somewhere(document: str) -> None:
    for clause in enforced(document):
        for key in clause.refuses:
            assert f"problem.{key}" in core_words("en"), f"{clause.id}: {key}"
            assert key in raised_in_the_core(), f"{clause.id}: {key}"


@clauses
def test_a_file_that_breaks_an_enforced_clause_meets_a_refusal_that_the_clause_names(document: str) -> None:
    cases = broken_files()
    assert {
        clause.id: case.breaks
        for clause in enforced(document)
        if (case := cases.get(f"{document}:{clause.id}")) and case.breaks not in (*clause.refuses, UNREADABLE)
    } == {}


def came_up(folder: Path, tests: set[str]) -> dict[str, set[str]]:
    """Test → the Problems that came up in it."""
    file = folder / "came_up.json"
    environment = {key: value for key, value in os.environ.items() if not key.startswith("PYTEST_")}
    environment |= {"REFUSALS": str(file), "PYTHONPATH": str(CORE_TESTS)}
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "-p",
        "refusal_recorder",
        "-p",
        "no:cacheprovider",
        "-p",
        "no:xdist",
    ]
    ran = subprocess.run([*command, *sorted(tests)], cwd=REPOSITORY, env=environment, capture_output=True, check=False)
    if ran.returncode:
        pytest.fail(f"the tests that clauses name:\n{ran.stdout.decode()[-3000:]}{ran.stderr.decode()}", pytrace=False)
    return {test: set(keys) for test, keys in json.loads(file.read_text(encoding="utf-8")).items()}


def keys_of(test: str, came_up: dict[str, set[str]]) -> set[str]:
    """Of a test with parameters that are not named: of all its cases."""
    return {key for found, keys in came_up.items() if found == test or found.startswith(f"{test}[") for key in keys}


def test_every_refusal_came_up_in_the_clause_s_own_tests(tmp_path: Path) -> None:
    refusing = {
        f"{document}: {clause.id}": (set(clause.refuses), own_tests(document, clause))
        for document in document_names()
        for clause in enforced(document)
        if clause.refuses
    }
    seen = came_up(tmp_path, {test.partition("[")[0] for _, tests in refusing.values() for test in tests})
    unproven = {
        clause: keys - {key for test in tests for key in keys_of(test, seen)}
        for clause, (keys, tests) in refusing.items()
    }
    assert {clause: keys for clause, keys in unproven.items() if keys} == {}


def test_a_key_that_came_up_nowhere_is_no_proof() -> None:
    seen = {"tests/core/test_x.py::test_one[a]": {"no_draws"}, "tests/core/test_x.py::test_one_more": {"repeat"}}
    assert keys_of("tests/core/test_x.py::test_one", seen) == {"no_draws"}
    assert keys_of("tests/core/test_x.py::test_none", seen) == set()


BY_OPTION: dict[str, tuple[str, ...]] = {
    "structure": ("basic-structure", "advanced-structure", "structure", "swiss-duels"),
    "swiss_rounds": ("swiss-or-elimination",),
    "cut": ("cut-by-ranking", "cut-sizes", "cut-by-points"),
    "second_stage": ("two-stages",),
    "third_place_match": ("third-place",),
    "squad_points": (
        *("standard-format", "list-points", "all-destroyed-100", "margin-equal", "example-100-24", "example-77-49"),
        *("two-players-300", "list-points-duel", "list-points-team", "margin-base", "example-153-124", "won-bye"),
    ),
    "bye_mov": ("margin-won-bye", "bye-section-copied"),
    "bye_score": ("swiss-or-elimination",),
    "legendary_limit": ("legendary-limit", "legendary-default"),
    "deck_era": ("deck-sizes", "three-copies"),
    "lists_required": ("list-handed-in", "list-66-cards", "archon-own-deck", "two-lists"),
    "best_of": ("swiss-one-game", "final-best-of-three"),
    "minutes": ("round-minutes", "round-lengths", "minutes-archon-one", "minutes-sealed-three", "key-phase-at-90"),
}
"""Option → clauses whose subject it is, so that an organizer may set them otherwise."""

ONLY_OFFERED = ("prize_places", "late_minutes", "full_names", "tables")
"""Options of which no document has a figure of its own."""

BY_HAND = (
    *("swiss", "pairs", "first-round-random", "equal-points-meet", "near-points-meet", "top-down", "example-5-5-5-4"),
    *("no-repeats", "repeat-exchanged", "relatives-apart", "teams-paired"),
    *("bye-first-round", "bye-lowest", "bye-to-the-last", "bye-among-the-last", "team-bye"),
)
"""What *Pair by hand* can do otherwise, with a reason that the rules page shows."""

IMPOSED = (
    *("first-against-last", "next-elimination-round", "fixed-bracket", "elimination-from-the-start"),
    *("cut", "only-the-best-paired", "elimination", "losers-out", "nobody-comes-in", "tie-break-after-the-last-round"),
)
"""What pages refuse to change by hand, and a command that pairs for the organizer does not (`ImposeRound`)."""

PUBLISHED_ANYWAY = (
    *("a-judge", "judges-do-not-play", "officials-play-relaxed", "officials-barred"),
    *("organizer-plays-with-second", "officials-barred-at-premier", "captain", "introductory-decks"),
)
"""What *Publish anyway* takes, with a reason that the rules page shows."""

CORRECTED = ("list-all-day", "deck-all-day")
"""What an official corrects, with a reason on record."""


def test_what_an_organizer_may_set_otherwise_is_a_default() -> None:
    known = [clause for document in document_names() for clause in read_clauses(document).clauses]
    by_option = [clause for clauses_of in BY_OPTION.values() for clause in clauses_of]
    for name in (*by_option, *BY_HAND, *IMPOSED, *PUBLISHED_ANYWAY, *CORRECTED):
        assert {clause.how for clause in known if clause.id == name} == {DEFAULT}, name


def test_every_option_was_looked_at() -> None:
    """A new option makes somebody look which clauses it touches."""
    in_a_file = {field.name for kind in (Options, StageOptions) for field in fields(kind)} - {"stages"}
    assert in_a_file == {*BY_OPTION, *ONLY_OFFERED}


def test_what_only_players_can_know_and_what_two_books_say_alike_has_one_word() -> None:
    known = [clause for document in document_names() for clause in read_clauses(document).clauses]
    assert {
        name: {clause.how for clause in known if clause.id == name}
        for name in ("starting-life", "defeat-by-empty-decks", "no-outside-information")
    } == {"starting-life": {PEOPLE}, "defeat-by-empty-decks": {PEOPLE}, "no-outside-information": {OFFERED}}


def lone_results() -> dict[str, dict[str, Any]]:
    """Enforced clause → the file of the only match whose result breaks it."""
    found = {}
    for document in document_names():
        for clause in enforced(document):
            case = broken_files().get(f"{document}:{clause.id}")
            rounds = case.file["rounds"] if case else []
            matches = [match for played in rounds for match in played["matches"]]
            if case and len(matches) == 1 and matches[0].get("result") and rounds[0]["stage"] == SWISS:
                found[f"{document}:{clause.id}"] = case.file
    return found


@pytest.mark.parametrize("clause", sorted(lone_results()))
def test_its_opposite_is_refused_from_a_table_and_from_an_official(clause: str) -> None:
    """`decide` is what unit, phone, console and slip ask. A reason, which would pass the clock, does not help."""
    file = lone_results()[clause]
    event = Event(0, file["options"], rulebook=file["rulebook"], level=file.get("level"))
    for person in file["competitors"]:
        event.enter(person["id"], list_total=person.get("list", {}).get("total"))
    event.play()
    opposite = file["rounds"][0]["matches"][0]["result"]
    assert event.report("a", opposite).fate == REFUSED
    with pytest.raises(Problem) as problem:
        event.tell(EnterResult("1.1", event.match().revision, result_from_json(opposite), reason="seen at the table"))
    assert problem.value.where
    assert event.match().match.result is None
