"""The benchmarks' table: one that breaks off is counted and keeps its rows, and a gate says since when it holds."""

import argparse
import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

sys.path.append(str(Path(__file__).parents[1] / "benchmarks"))

from rig import quota
from rig.table import Options, Row, collect, run

BENCHMARKS = Path(__file__).parents[1] / "benchmarks"
SLOW = Row("a draw", 300, "ms", gate=250, since="2026-11-26", felt="how long the hall waits for its pairings")


def slow(options: Options, folder: Path) -> Iterator[Row]:
    yield SLOW


def breaks_off(options: Options, folder: Path) -> Iterator[Row]:
    yield SLOW
    raise TimeoutError("the hub did not answer")


def test_a_figure_that_misses_its_gate_fails_nothing_and_a_benchmark_that_breaks_off_does(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert collect(slow, Options()) == ([SLOW], True)
    told = "a draw: 300 ms, gate 250 ms since 2026-11-26: NO — how long the hall waits for its pairings"
    assert told in capsys.readouterr().out
    assert collect(breaks_off, Options()) == ([SLOW], False)
    assert "TimeoutError: the hub did not answer" in capsys.readouterr().err


def test_a_gate_says_since_when_it_holds() -> None:
    with pytest.raises(ValueError, match="a draw: the gate does not say since when"):
        Row("a draw", 300, "ms", gate=250)


def rows_without_since(source: str) -> list[int]:
    """Lines where a Row is made with a gate, or with what may be one, and nothing says since when it holds."""
    calls = [
        node
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "Row"
    ]
    found = []
    for call in calls:
        named = {keyword.arg: keyword.value for keyword in call.keywords}
        gate = named.get("gate", call.args[3] if len(call.args) > 3 else ast.Constant(None))
        if not (isinstance(gate, ast.Constant) and gate.value is None) and "since" not in named:
            found.append(call.lineno)
    return found


@pytest.mark.parametrize("benchmark", sorted(BENCHMARKS.glob("bench_*.py")), ids=lambda path: path.stem)
def test_no_benchmark_has_a_gate_that_does_not_say_since_when_it_holds(benchmark: Path) -> None:
    assert rows_without_since(benchmark.read_text(encoding="utf-8")) == []


def rows_that_nobody_feels(source: str) -> list[int]:
    """Lines where a Row is made that does not say what a person feels of it."""
    return [
        node.lineno
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "Row"
        if not any(keyword.arg == "felt" for keyword in node.keywords)
    ]


def test_a_row_that_nobody_feels_would_be_seen() -> None:
    assert rows_that_nobody_feels('Row("a", 1, "ms")\nRow("b", 1, "ms", felt="how long the hall waits")') == [1]


@pytest.mark.parametrize("benchmark", sorted(BENCHMARKS.glob("bench_*.py")), ids=lambda path: path.stem)
def test_each_row_says_what_a_person_feels_of_it(benchmark: Path) -> None:
    source = benchmark.read_text(encoding="utf-8")
    assert rows_that_nobody_feels(source) == []


def test_a_gate_without_its_day_would_be_seen() -> None:
    assert rows_without_since(
        'Row("a", 1, "ms", 5)\nRow("b", 1, "ms", gate=limit)\nRow("c", 1, "ms", None, 2)\n'
        'Row("d", 1, "ms", 5, since="2026-11-26")'
    ) == [1, 2]


def test_every_benchmark_is_one_of_make_bench() -> None:
    told = subprocess.run(
        [sys.executable, str(BENCHMARKS / "run_all.py"), "--help"],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    listed = re.search(r"--only \{([\w,]+)\}", "".join(told.split("\n")))
    assert listed
    assert sorted(listed[1].split(",")) == sorted(
        path.stem.removeprefix("bench_") for path in BENCHMARKS.glob("bench_*.py")
    )


def test_the_table_says_what_ran_beside_it_and_the_exit_code_that_one_broke_off(
    capsys: pytest.CaptureFixture[str],
) -> None:
    chosen = argparse.Namespace(quick=True, seed=1, nice=0, busy=1)
    assert run({"bench_slow": slow}, chosen) == 0
    assert re.search(r"^load average .+ a quick look: .+, beside 1 busy process", capsys.readouterr().out, re.MULTILINE)
    assert run({"bench_breaks_off": breaks_off, "bench_slow": slow}, chosen) == 1
    said = capsys.readouterr()
    assert "broken off: bench_breaks_off" in said.err
    assert said.out.count("gate 250 ms") == 2


def mixed(options: Options, folder: Path) -> Iterator[Row]:
    yield from (
        SLOW,
        Row("a start", 0.5, "s", gate=0.7, floor=0.2, floor_name="python", since="2026-11-22"),
        Row("a result in a browser", None, "ms", gate=500, since="2026-11-22", note="no browser is installed"),
    )


def test_the_end_names_each_benchmark_s_seconds_the_gates_that_say_no_and_what_was_not_measured(
    capsys: pytest.CaptureFixture[str],
) -> None:
    run({"bench_mixed": mixed}, argparse.Namespace(quick=False, seed=1, nice=0, busy=0))
    _, table = capsys.readouterr().out.split("load average")
    assert re.search(r"^— bench_mixed, \d+ s$", table, re.MULTILINE)
    assert re.search(r"^a start +≤ 0\.70 s +0\.50 s +0\.20 s +2\.50 +yes +2026-11-22  python$", table, re.MULTILINE)
    _, end = re.split(r"\d+ s in all; ", table)
    assert end.splitlines() == [
        "1 of 2 gates say NO:",
        "  a draw: 300 ms, goal ≤ 250 ms",
        "  a result in a browser: not measured, no browser is installed",
    ]


def test_a_folder_without_control_groups_holds_no_hub_to_a_share(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(quota, "V1", tmp_path / "cpu")
    monkeypatch.setattr(quota, "V2", tmp_path)
    monkeypatch.setattr(quota, "_systemd_may", lambda: False)
    with pytest.raises(quota.NoQuota, match="No such file"), quota.quota(0.25):
        pass
    assert list(tmp_path.iterdir()) == []
