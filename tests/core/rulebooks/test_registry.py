"""The rulebooks by id: each imported when it is asked for, and everybody gets the same one."""

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from roundtap_core.errors import Problem
from roundtap_core.records import BYES, Match, Result, SidePair
from roundtap_core.rulebooks.base import Rulebook
from roundtap_core.rulebooks.registry import RULEBOOKS, Rulebooks, rulebook


def test_each_is_there_under_its_own_id() -> None:
    assert {rulebook_id: book.id for rulebook_id, book in RULEBOOKS.items()} == {r: r for r in RULEBOOKS}
    assert len(RULEBOOKS) == len(list(RULEBOOKS)) >= 7
    assert list(RULEBOOKS)[:7] == [
        "xwing-standard",
        "xwing-epic-duel",
        "xwing-epic-team",
        "keyforge-archon",
        "keyforge-sealed",
        "warlords-of-terra",
        "shatterpoint-premier",
    ]
    assert all(isinstance(book, Rulebook) and rulebook(book.id) is book for book in RULEBOOKS.values())


def test_another_is_a_problem_that_lists_them() -> None:
    assert "chess" not in RULEBOOKS
    assert RULEBOOKS.get("chess") is None
    for wrong in ("chess", ["xwing-standard"]):
        with pytest.raises(Problem) as caught:
            rulebook(wrong)  # type: ignore[arg-type]
        assert caught.value.params["known"] == ", ".join(RULEBOOKS)


def test_one_rulebook_imports_no_other() -> None:
    code = (
        "import sys\nfrom roundtap_core.rulebooks.registry import RULEBOOKS\n"
        "games = ('keyforge', 'shatterpoint', 'warlords', 'xwing')\n"
        "def there():\n"
        "    names = [name.rpartition('.')[2] for name in sys.modules if '.rulebooks.' in name]\n"
        "    return sorted(name for name in names if name.startswith(games))\n"
        "print('chess' in RULEBOOKS, there())\nRULEBOOKS['warlords-of-terra']\nprint(there())\n"
        "list(RULEBOOKS)\nprint(len(there()))\n"
    )
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.splitlines()
    assert said[:2] == ["False []", "['warlords']"]
    assert int(said[2]) >= 5


def test_threads_that_ask_at_once_get_the_same() -> None:
    fresh = Rulebooks()
    with ThreadPoolExecutor(8) as pool:
        books = list(pool.map(lambda _: fresh["keyforge-archon"], range(64)))
    assert len({id(book) for book in books}) == 1


def test_no_code_outside_this_package_names_a_game() -> None:
    """But for the demo: its guide leads through one event of one game."""
    root = Path(__file__).parents[3]
    games = {rulebook_id.partition("-")[0] for rulebook_id in RULEBOOKS} - {"xwing"} | set(RULEBOOKS)
    files = [
        path
        for folder in ("server", "devices", "firmware")
        for path in (root / folder).rglob("*.*")
        if path.suffix in (".py", ".html", ".js") and path.parent.name not in ("rulebooks", "demo")
    ]
    assert len(files) > 400
    assert [(path.name, game) for path in files for game in games if game in path.read_text().lower()] == []


@pytest.mark.parametrize("rulebook_id", RULEBOOKS)
def test_a_result_is_worth_the_same_whoever_played_it_unless_lists_count(rulebook_id: str) -> None:
    """What the standings rely on: `tally_counts_lists` says where it is not so."""
    book = rulebook(rulebook_id)
    options, totals = book.options({}), {"p1": 90, "p2": 80, "p3": 100, "p4": 20}
    results = [
        Result(score=SidePair(2, 1)),
        Result(ended="concession", conceded_by="b", score=SidePair(2, 1)),
        Result(ended="ruling", winner="none"),
        Result(ended="ruling", winner="b", score=SidePair(50, 7)),
        Result(ended="time", score=SidePair(95, 85), winner="a"),
        Result(score=SidePair(20, 0), winner="a"),
    ]
    matches = [(Match("p1", "p2", 1, result=result), Match("p3", "p4", 2, result=result)) for result in results]
    matches += [(Match("p1", bye=bye), Match("p4", bye=bye)) for bye in BYES]
    different = []
    for one, two in matches:
        for side in ("a", "b")[: 1 if one.bye else 2]:
            try:
                worth = [
                    book.tally(match, side, options, known)  # type: ignore[arg-type]
                    for match in (one, two)
                    for known in ({}, totals)
                ]
            except Problem:
                continue
            different.append(any(tally != worth[0] for tally in worth))
    assert len(different) > 4
    assert any(different) == book.tally_counts_lists
