"""The changes that mutants.py makes of a small text, and what it leaves alone; what is nearest to a change."""

import ast
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from mutants import PACKAGES, ROOT, Mutant, _sleeps, drawn, make_test, mutants_of, nearest

SMALL = b'''"""What it is."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    ONE = 1

Names = list[int] | None
TOP = 3
WAIT_S = 30


class Hall:
    def __init__(self, tables: int = 2) -> None:
        """A hall."""
        self.tables = tables

    def free(self, taken: list[int]) -> list[int]:
        assert self.tables > 0
        log.warning("of %s", self.tables + 1)
        found = [n for n in range(self.tables) if n not in taken]
        if not found and (self.tables < TOP
                          or taken[0] is None):
            raise ValueError("full: " + "no table")
        for n in taken:
            if n == 9:
                break
        return found
'''


def test_every_change_of_a_small_text_and_none_of_what_nobody_holds() -> None:
    whole = "not found and (self.tables < TOP\n                          or taken[0] is None)"
    assert sorted((made.line, made.kind, made.old, made.new) for made in mutants_of("x.py", SMALL)) == [
        (9, "number+", "3", "4"),
        (9, "number-", "3", "2"),
        (14, "number+", "2", "3"),
        (14, "number-", "2", "1"),
        (16, "pass", "self.tables = tables", "pass"),
        (21, "compare", "not in", "in"),
        (21, "if-false", "n not in taken", "False"),
        (21, "if-true", "n not in taken", "True"),
        (22, "bool", "and", "or"),
        (22, "compare", "<", "<="),
        (22, "if-false", whole, "False"),
        (22, "if-true", whole, "True"),
        (22, "not", "not ", ""),
        (23, "bool", "or", "and"),
        (23, "compare", "is", "is not"),
        (23, "number+", "0", "1"),
        (23, "number-", "0", "-1"),
        (24, "pass", 'raise ValueError("full: " + "no table")', "pass"),
        (26, "compare", "==", "!="),
        (26, "if-false", "n == 9", "False"),
        (26, "if-true", "n == 9", "True"),
        (26, "number+", "9", "10"),
        (26, "number-", "9", "8"),
        (27, "continue", "break", "continue"),
        (28, "return", "found", "[]"),
    ]


@pytest.mark.parametrize(
    ("line", "changed"),
    [
        ("return a - b", ["return 0", "return a + b"]),
        ("return 'a' + b", ["return 0"]),
        ("return 60 // b", ["return 0", "return 60 * b", "return 61 // b", "return 59 // b"]),
        ("return 0", ["return 1", "return -1"]),
        ("return not a", ["return 0", "return a"]),
        ("a.b(c=True)", ["pass", "a.b(c=False)"]),
        ("a.b += 7", ["pass", "a.b += 8", "a.b += 6"]),
        ("return a if a else b", ["return 0", "return a if False else b", "return a if True else b"]),
        ("print(f'ł{a}: {b[7]:>3}')", ["pass", "print(f'ł{a}: {b[8]:>3}')", "print(f'ł{a}: {b[6]:>3}')"]),
        ("WAIT_MS = a(b, indent=9)", []),
        ("b: int = a", []),
        ("global a, b", []),
    ],
)
def test_what_becomes_of_a_line(line: str, changed: list[str]) -> None:
    source = f"def f(a, b) -> int:\n    {line}\n".encode()
    made = [mutant.applied(source).decode() for mutant in mutants_of("x.py", source)]
    assert [text.splitlines()[1].strip() for text in made] == changed


@pytest.fixture(scope="module")
def of_the_product() -> list[Mutant]:
    return drawn(list(PACKAGES), 31, seed=7)


@pytest.mark.long
def test_each_change_of_the_product_makes_another_program_and_packages_share_them(of_the_product: list[Mutant]) -> None:
    for mutant in of_the_product:
        source = (ROOT / mutant.file).read_bytes()
        assert ast.dump(ast.parse(mutant.applied(source))) != ast.dump(ast.parse(source))
        line = source.splitlines()[mutant.line - 1][mutant.col :]
        assert line.startswith(mutant.old.splitlines()[0].encode())
    counted = [sum(mutant.file.startswith(folder) for mutant in of_the_product) for folder in PACKAGES.values()]
    assert counted == [11, 10, 10]


@pytest.mark.long
def test_a_seed_draws_the_same_again_from_anywhere_and_a_list_tries_nothing(
    of_the_product: list[Mutant], tmp_path: Path
) -> None:
    def listed(seed: str) -> list[str]:
        asked = ["--list", "--packages", "units", "--count", "10", "--seed", seed]
        said = subprocess.run(
            [sys.executable, str(ROOT / "tests/tools/mutants.py"), *asked],
            cwd=tmp_path,
            check=True,
            capture_output=True,
            text=True,
        ).stdout
        return [line.split()[0] for line in said.splitlines() if ".py:" in line]

    assert listed("7") == [mutant.id for mutant in of_the_product[-10:]]
    assert listed("8") != listed("7")
    assert list(tmp_path.iterdir()) == []


def test_the_nearest_tests_of_a_module_are_those_of_its_name() -> None:
    mutant = Mutant("server/roundtap_hub/views/unit_presence.py", 1, 0, "pass", "Presence.update", 0, 0, "", "")
    ranked = [file for _, file in nearest(mutant)]
    assert ranked[0] == "tests/hub/units/test_unit_presence.py"
    assert len(set(ranked)) == len(ranked) <= 8


def test_what_has_a_folder_of_tests_to_its_name_is_nearest_to_these() -> None:
    mutant = Mutant("server/roundtap_hub/store/postgres.py", 1, 0, "pass", "PostgresJournal.append", 0, 0, "", "")
    ranked = [file for _, file in nearest(mutant)]
    assert sum(file.startswith("tests/postgres/") for file in ranked) >= 4


def test_only_who_waits_for_something_sleeps() -> None:
    run = subprocess.Popen(["sleep", "60"], start_new_session=True)

    def seen(asleep: bool) -> bool:
        return any(_sleeps(run.pid) is asleep or time.sleep(0.01) for _ in range(12_000))

    try:
        assert seen(asleep=True)
        os.kill(run.pid, signal.SIGSTOP)
        assert seen(asleep=False), "frozen from outside it is not idle"
    finally:
        run.kill()
        run.wait()


def test_the_other_course_is_what_make_test_runs() -> None:
    assert "-n" in make_test()
    assert not any("$" in word for word in make_test())
