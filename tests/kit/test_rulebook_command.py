"""`roundtap rulebook`: figures, house decisions and clauses of each rulebook, as text and as JSON."""

import contextlib
import json
from pathlib import Path

import pytest

from roundtap_core.rulebooks.coverage import coverage
from roundtap_core.rulebooks.registry import RULEBOOKS
from test_headless import roundtap


def sheet(rulebook: str) -> dict:
    code, out, err = roundtap("rulebook", rulebook, "--format", "json", ROUNDTAP_LANG="en")
    assert (code, err) == (0, "")
    return json.loads(out)


@pytest.mark.parametrize("rulebook", RULEBOOKS)
def test_every_rulebook_is_printed_with_its_clauses(rulebook: str) -> None:
    code, out, err = roundtap("rulebook", rulebook, ROUNDTAP_LANG="pl")
    assert (code, err) == (0, "")
    lines = [line.strip() for line in out.splitlines()]
    for clause in coverage(rulebook, "pl").clauses:
        assert any(clause.text in line for line in lines), clause.id
    for heading, _ in coverage(rulebook, "pl").sections():
        assert heading in lines


def test_each_clause_has_its_kind_in_front_and_people_their_reason() -> None:
    _, out, _ = roundtap("rulebook", "xwing-standard", ROUNDTAP_LANG="en")
    counts = coverage("xwing-standard").counts()
    lines = out.splitlines()
    assert f"  people    {counts['people']}  players, judges and organizers do it themselves" in lines
    assert "    enforced  A win is worth 1 tournament point, a loss none." in lines
    assert "    people    Most events close with a ceremony and prizes. (Prizes are handed over by people)" in lines


def test_json_holds_figures_decisions_and_clauses() -> None:
    data = sheet("xwing-standard")
    assert data["minutes"]["final"] == {"1": 120}
    assert data["structures"]["basic"][0] == {"at_least": 4, "at_most": 8, "swiss_rounds": 3, "cut": 0}
    assert data["points"] == {"win": 1, "loss": 0}
    assert data["byes"]["won"] == {"points": 1, "mov": 200}
    assert data["tiebreakers"] == ["mov", "sos", "random"]
    assert any("Nobody gets a second bye" in decision["text"] for decision in data["decisions"])
    assert sum(data["coverage"]["counts"].values()) == len(data["coverage"]["clauses"])
    assert {"id", "section", "text", "how", "rulebooks", "tests"} <= set(data["coverage"]["clauses"][0])


def test_what_only_some_rulebooks_have_is_there() -> None:
    assert sheet("xwing-epic-duel")["points"] == {
        "win": 5,
        "win_at_time_lead": 5,
        "win_at_time": 3,
        "draw": 1,
        "loss": 0,
    }
    assert sheet("xwing-epic-duel")["full_win_lead"] == 12
    assert sheet("keyforge-sealed")["minutes"]["swiss"] == {"1": 45, "3": 100}


def test_best_of_three_is_printed_only_for_stages_that_may_have_it() -> None:
    """Warlords of Terra: a final, and the match for third place beside it; such a match has no time."""
    either = {"1": 45, "3": None}
    assert sheet("warlords-of-terra")["minutes"] == {
        "swiss": {"1": 45},
        "elimination": {"1": 45},
        "final": either,
        "third_place": either,
    }
    _, out, _ = roundtap("rulebook", "warlords-of-terra", ROUNDTAP_LANG="en")
    lines = [line.split() for line in out.splitlines()]
    assert ["Swiss", "45", "–"] in lines
    assert ["final", "45", "untimed"] in lines


def test_what_is_settled_before_each_game_is_printed() -> None:
    assert "a random draw decides who chooses" in sheet("xwing-standard")["before_play"][1]["text"]
    _, out, _ = roundtap("rulebook", "warlords-of-terra", ROUNDTAP_LANG="es")
    assert "Ambos colocan primero el héroe" in out


def test_the_list_of_rulebooks_as_json() -> None:
    _, out, _ = roundtap("rulebook", "--format", "json")
    assert [book["id"] for book in json.loads(out)["rulebooks"]] == list(RULEBOOKS)


FRIDAY = """format = "roundtap-rules/1"
name = "Friday"
note = "Bring sleeves."
[match]
report = "games"
best_of = 3
[points]
win = 3
draw = 1
[[tiebreakers]]
by = "wins"
floor = 33
"""


def checked(tmp_path: Path, text: str, *options: str) -> tuple[int, str, str]:
    (tmp_path / "friday.toml").write_text(text, encoding="utf-8")
    with contextlib.chdir(tmp_path):
        return roundtap("rulebook", *options, ROUNDTAP_LANG="en")


@pytest.mark.parametrize(
    "options",
    [
        ("check", "friday.toml", "--format", "json"),
        ("check", "--format", "json", "friday.toml"),
        ("--format", "json", "check", "friday.toml"),
        ("--format=json", "check", "friday.toml"),
    ],
)
def test_checked_rules_are_one_object_wherever_the_format_stands(tmp_path: Path, options: tuple[str, ...]) -> None:
    code, out, err = checked(tmp_path, FRIDAY, *options)
    assert (code, err) == (0, "")
    said = json.loads(out)
    assert (said["name"], said["note"], said["faults"]) == ("Friday", "Bring sleeves.", [])
    assert said["id"].startswith("own-")
    (warning,) = said["warnings"]
    assert (warning["line"], warning["where"]) == (12, "/tiebreakers/0/floor")
    assert warning["key"] == "rules_without_effect"
    assert warning["text"].startswith("“floor” has no effect")
    assert "A win gives 3, a draw 1, a loss 0." in said["sentences"]
    assert said["matches"] == ["2:1 → 3:0", "1:1, time → 1:1", "0:1, left concedes → 0:3 (counted 0:2)"]
    assert said["table"]["matches"][0] == {"n": 1, "a": "Ana", "b": "Dora", "text": "2:1 → 3:0"}
    assert len(said["table"]["standings"]) == 4


def test_faults_of_rules_are_in_the_object_and_in_the_exit_code(tmp_path: Path) -> None:
    asked = ("check", "friday.toml", "--format", "json")
    code, out, _ = checked(tmp_path, FRIDAY.replace("draw = 1", "draw = 4"), *asked)
    (fault,) = json.loads(out)["faults"]
    assert (code, fault["line"], fault["where"], fault["key"]) == (1, 8, "/points/win", "rules_win_too_low")
    assert json.loads(out)["sentences"] is None
    code, out, _ = checked(tmp_path, FRIDAY.replace("draw = 1", "draw = yes"), *asked)
    (fault,) = json.loads(out)["faults"]
    assert (code, fault["line"], fault["key"]) == (2, 9, "broken_toml.word")


def test_what_is_no_file_of_rules_is_bad_input(tmp_path: Path) -> None:
    for text, said in (
        (FRIDAY.replace("draw = 1", "draw = yes"), "friday.toml: line 9: “yes” is not TOML."),
        (FRIDAY + "# more\n" * 10_000, "The rules are too long."),
    ):
        code, out, err = checked(tmp_path, text, "check", "friday.toml")
        assert (code, out) == (2, "")
        assert said in err
    code, out, err = checked(tmp_path, FRIDAY, "check")
    assert (code, out) == (2, "")
    assert "needs a FILE" in err
    code, out, err = checked(tmp_path, FRIDAY, "check", str(tmp_path))
    assert (code, out) == (2, "")
    assert "folder" in err
    assert "event" not in err
    assert checked(tmp_path, FRIDAY, "xwing-standard", "friday.toml")[0] == 2


def test_a_warning_is_marked_and_the_table_says_who_met_whom(tmp_path: Path) -> None:
    code, out, err = checked(tmp_path, FRIDAY, "check", "friday.toml")
    assert code == 0
    assert err.startswith("friday.toml: Warning: line 12, tiebreakers[1].floor: “floor” has no effect")
    assert "Bring sleeves." in out
    assert "Round 1: Ana – Dora: 2:1 → 3:0" in out
    code, out, _ = checked(tmp_path, FRIDAY.replace("draw = 1", "draw = 4"), "check", "friday.toml")
    assert code == 1
    first, second = out.splitlines()
    assert first.startswith("friday.toml: line 8, points.win: A win gives 3")
    assert second.startswith("friday.toml: Warning: line 12")
