"""A rehearsal types a recorded event at virtual tables; the hub's standings are as they were, or it says where not."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from kit import free_port

NAMES = ("Ana Ruiz", "Bruno Maier", "Łukasz Żak", "Eva Luz", "Kai Eich")


def recorded(**changes: Any) -> dict[str, Any]:
    """Five players, two rounds: destruction, time, a final salvo, byes, one who leaves after round 1."""
    competitors = [{"id": f"p{i}", "name": name} for i, name in enumerate(NAMES, start=1)]
    competitors[4]["dropped_after"] = 1
    return {
        "format": "roundtap-event/1", "name": "Rehearsed", "rulebook": "xwing-standard", "seed": 7,
        "options": {"structure": "own", "swiss_rounds": 2, "cut": 0}, "competitors": competitors,
        "rounds": [
            {"number": 1, "stage": "swiss", "matches": [
                {"table": 1, "a": "p1", "b": "p2", "result": {"score": {"a": 100, "b": 24}}},
                {"table": 2, "a": "p3", "b": "p4", "result": {"ended": "time", "score": {"a": 49, "b": 77}}},
                {"a": "p5", "bye": "bye"},
            ]},
            {"number": 2, "stage": "swiss", "matches": [
                {"table": 1, "a": "p4", "b": "p1", "result": {"score": {"a": 5, "b": 100}}},
                {"table": 2, "a": "p2", "b": "p3", "result": {"ended": "time", "winner": "b",
                                                              "score": {"a": 60, "b": 60}}},
            ]},
        ],
    } | changes


# Worked by hand: Ana 176 + 195, Eva 128 + 5, Łukasz 72 + 100 (won the salvo), Bruno 24 + 100, Kai's bye 150.
PUBLISHED = [["p1", 2, 371, None, 1], ["p3", 1, 172, None, 2], ["p5", 1, 150, None, None], ["p4", 1, 133, None, 3],
             ["p2", 0, 124, None, 4]]


def rehearse(folder: Path, event: dict[str, Any], expect: list[Any], *options: str) -> subprocess.CompletedProcess[str]:
    (folder / "event.json").write_text(json.dumps(event))
    (folder / "published.json").write_text(json.dumps(expect))
    return subprocess.run(
        [sys.executable, "-m", "roundtap.main", "rehearse", str(folder / "event.json"),
         "--expect", str(folder / "published.json"), *options],
        capture_output=True, text=True, timeout=120, env={"ROUNDTAP_LANG": "en", "PATH": "/usr/bin:/bin"},
    )


@pytest.mark.parametrize("how", ["--fast", "real processes"])
def test_the_standings_are_as_published(tmp_path: Path, how: str) -> None:
    options = ("--fast",) if how == "--fast" else ("--port", str(free_port()))
    done = rehearse(tmp_path, recorded(), PUBLISHED, *options)
    assert done.stderr == ""
    assert "5 players, 2 rounds, 4 results typed from both sides" in done.stdout
    assert "as expected" in done.stdout
    assert done.returncode == 0


def test_a_wrong_figure_in_the_published_standings_is_named(tmp_path: Path) -> None:
    wrong = [[*PUBLISHED[0][:2], 372, None, 1], *PUBLISHED[1:]]
    done = rehearse(tmp_path, recorded(), wrong, "--fast")
    assert "p1: MoV 371, published 372" in done.stdout
    assert done.returncode == 3


def test_a_result_that_no_table_can_type_is_refused_by_name(tmp_path: Path) -> None:
    event = recorded()
    event["rounds"][0]["matches"][0]["result"]["score"]["a"] = 101
    done = rehearse(tmp_path, event, PUBLISHED, "--fast")
    assert "/rounds/0: Round 1, table 1: Ana Ruiz against Bruno Maier with 101:24 cannot be typed" in done.stderr
    assert done.returncode == 2
