"""`roundtap rulebook`: figures, house decisions and clauses of each rulebook, as text and as JSON."""

import json

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
