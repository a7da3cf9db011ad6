"""A check says in four languages what it saw and what to do; a state without a text of its own still reads well."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from roundtap_core.words import LANGUAGES, Words, core_words
from roundtap_machine.health import FINE, GROUPS, NOTE, STATES, UNKNOWN, WRONG, Check, worst, worst_first

TEXTS: dict[str, Any] = {
    "check.voltage": "Supply voltage",
    "check.voltage.wrong": "Too low: {n} times.",
    "check.voltage.wrong.do": "Mend {n}.",
    "check.voltage.fine": "Good.",
    "check.voltage.since": "Was low.",
    "check.unknown": "Nobody says.",
}
WORDS = Words("en", TEXTS)

PROJECT = Path(__file__).parents[2]
NO_HEADING = {"board = …", "board", "roundtap-says.txt", "roundtap recover"}


def test_a_check_says_what_it_is_what_was_seen_and_what_to_do() -> None:
    check = Check("voltage", WRONG, {"n": 3})
    said = check.title(WORDS), check.finding(WORDS), check.to_do(WORDS)
    assert said == ("Supply voltage", "Too low: 3 times.", "Mend 3.")


def test_where_nothing_is_to_be_done_nothing_is_said_of_it() -> None:
    assert Check("voltage", FINE).to_do(WORDS) == ""


def test_one_state_may_have_several_texts() -> None:
    assert Check("voltage", NOTE, kind="since").finding(WORDS) == "Was low."


def test_what_nobody_knows_needs_no_text_of_its_own() -> None:
    assert Check("voltage", UNKNOWN).finding(WORDS) == "Nobody says."


def test_a_text_that_is_missing_is_a_bug() -> None:
    with pytest.raises(KeyError):
        Check("voltage", WRONG, kind="elsewhere").finding(WORDS)


def test_the_worst_comes_first_and_equals_stay_in_order() -> None:
    a, b, c, d, e = (Check(key, state) for key, state in zip("abcde", (FINE, WRONG, UNKNOWN, NOTE, WRONG), strict=True))
    assert [check.key for check in worst_first([a, b, c, d, e])] == ["b", "e", "d", "c", "a"]
    assert (worst([a, c, d]), worst([])) == (NOTE, FINE)


def test_a_check_travels_as_json() -> None:
    said = Check("space", WRONG, {"mb": 3}, "inodes").as_json()
    assert json.loads(json.dumps(said)) == {
        "key": "space",
        "state": "wrong",
        "kind": "inodes",
        "group": "hub",
        "args": {"mb": 3},
    }


@pytest.mark.parametrize("language", LANGUAGES)
def test_states_and_groups_have_names(language: str) -> None:
    words = core_words(language)
    needed = {f"check.state.{state}" for state in STATES} | {f"check.group.{group}" for group in GROUPS}
    assert {key for key in (*needed, "check.unknown") if key not in words} == set()


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_a_check_points_to_is_a_heading_that_exists(language: str) -> None:
    """In quotes: a page's heading in the same language, or a section of the file named before it."""
    pages = json.loads((PROJECT / "server/roundtap_hub/words" / f"{language}.json").read_text())
    sections = {line.lstrip("# ") for line in (PROJECT / "systemd/ADMIN.md").read_text().splitlines()}
    checks = json.loads((PROJECT / "server/roundtap_core/words" / f"{language}.json").read_text())
    quoted = {
        (key, name)
        for key, text in checks.items()
        if key.startswith("check.") and isinstance(text, str)
        for name in re.findall("[“„«]([^“”»]+)[“”»]", text)
    }
    known = {text for text in pages.values() if isinstance(text, str)} | sections | NO_HEADING
    assert len(quoted) > 10
    assert [(key, name) for key, name in sorted(quoted) if name not in known] == []
