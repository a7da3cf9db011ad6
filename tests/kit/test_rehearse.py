"""A rehearsal types a recorded event at virtual tables; the hub's standings are as they were, or it says where not."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from fast_rehearsal import rehearse_fast
from kit import WAIT_S, end, free_port
from roundtap.kit.child_processes import start_roundtap
from roundtap.main import main
from roundtap.rehearsal.rehearse import read_published, report
from roundtap.rehearsal.script import script_of
from roundtap_core.eventfile.read import parse_event_file

NAMES = ("Ana Ruiz", "Bruno Maier", "Łukasz Żak", "Eva Luz", "Kai Eich")

# Worked by hand: Ana 176 + 195, Eva 128 + 5, Łukasz 72 + 100 (won the salvo), Bruno 24 + 100, Kai's bye 150.
PUBLISHED = [
    ["p1", 2, 371, None, 1],
    ["p3", 1, 172, None, 2],
    ["p5", 1, 150, None, None],
    ["p4", 1, 133, None, 3],
    ["p2", 0, 124, None, 4],
]

AFTER_ROUND_1 = [
    ["p1", 1, 176, None, 1],
    ["p5", 1, 150, None, None],
    ["p4", 1, 128, None, 2],
    ["p3", 0, 72, None, 3],
    ["p2", 0, 24, None, 4],
]


def recorded(**changes: Any) -> dict[str, Any]:
    """Five players, two rounds: destruction, time, a final salvo, byes, one who leaves after round 1."""
    competitors = [{"id": f"p{i}", "name": name} for i, name in enumerate(NAMES, start=1)]
    competitors[4]["dropped_after"] = 1
    return {
        "format": "roundtap-event/1",
        "name": "Rehearsed",
        "rulebook": "xwing-standard",
        "seed": 7,
        "options": {"structure": "own", "swiss_rounds": 2, "cut": 0},
        "competitors": competitors,
        "rounds": [
            {
                "number": 1,
                "stage": "swiss",
                "matches": [
                    {"table": 1, "a": "p1", "b": "p2", "result": {"score": {"a": 100, "b": 24}}},
                    {"table": 2, "a": "p3", "b": "p4", "result": {"ended": "time", "score": {"a": 49, "b": 77}}},
                    {"a": "p5", "bye": "bye"},
                ],
            },
            {
                "number": 2,
                "stage": "swiss",
                "matches": [
                    {"table": 1, "a": "p4", "b": "p1", "result": {"score": {"a": 5, "b": 100}}},
                    {
                        "table": 2,
                        "a": "p2",
                        "b": "p3",
                        "result": {"ended": "time", "winner": "b", "score": {"a": 60, "b": 60}},
                    },
                ],
            },
        ],
    } | changes


def rehearse(folder: Path, event: dict[str, Any], expect: list[Any], *options: str) -> list[str]:
    """The command's words; both files lie in the folder."""
    (folder / "event.json").write_text(json.dumps(event))
    (folder / "published.json").write_text(json.dumps(expect))
    return ["rehearse", str(folder / "event.json"), "--expect", str(folder / "published.json"), *options]


def is_as_published(code: int, out: str, err: str, typed: str = "2 rounds, 4 results") -> None:
    assert err == ""
    assert f"5 players, {typed} typed from both sides" in out
    assert "as expected" in out
    assert code == 0


@pytest.fixture(autouse=True)
def in_english(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ROUNDTAP_LANG", "en")


def reported(folder: Path, expect: list[Any]) -> int:
    """The exit code after a rehearsal on a virtual clock."""
    (folder / "published.json").write_text(json.dumps(expect))
    script = script_of(parse_event_file(json.dumps(recorded())))
    return report(script, rehearse_fast(script), read_published(folder / "published.json"))


def test_the_standings_are_as_published(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    is_as_published(reported(tmp_path, PUBLISHED), *capsys.readouterr())


@pytest.mark.parametrize(
    ("rounds", "published", "typed"),
    [
        pytest.param(1, AFTER_ROUND_1, "1 rounds, 2 results", marks=pytest.mark.long),
        pytest.param(2, PUBLISHED, "2 rounds, 4 results", marks=pytest.mark.long),
    ],
)
def test_so_they_are_on_real_processes(tmp_path: Path, rounds: int, published: list[Any], typed: str) -> None:
    event = recorded(
        rounds=recorded()["rounds"][:rounds], options={"structure": "own", "swiss_rounds": rounds, "cut": 0}
    )
    words = rehearse(tmp_path, event, published, "--port", str(free_port()))
    done = start_roundtap(*words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        assert done.stdout is not None
        assert done.stderr is not None
        out, err = done.stdout.read(), done.stderr.read()
        is_as_published(done.wait(WAIT_S), out, err, typed)
    finally:
        end(done)


def test_a_wrong_figure_in_the_published_standings_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    wrong = [[*PUBLISHED[0][:2], 372, None, 1], *PUBLISHED[1:]]
    assert reported(tmp_path, wrong) == 3
    assert "p1: MoV 371, published 372" in capsys.readouterr().out


def test_a_result_that_no_table_can_type_is_refused_by_name(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    event = recorded()
    event["rounds"][0]["matches"][0]["result"]["score"]["a"] = 101
    assert main(rehearse(tmp_path, event, PUBLISHED)) == 2
    assert "/rounds/0: Round 1, table 1: a table unit cannot enter Ana Ruiz against Bruno Maier with 101:24" in (
        capsys.readouterr().err
    )
