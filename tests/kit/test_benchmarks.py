"""The benchmarks' table: one that breaks off is counted and keeps its rows, and a gate says since when it holds."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

sys.path.append(str(Path(__file__).parents[1] / "benchmarks"))

from rig.table import Options, Row, collect

SLOW = Row("a draw", 300, "ms", gate=250, since="2026-11-26")


def slow(options: Options, folder: Path) -> Iterator[Row]:
    yield SLOW


def breaks_off(options: Options, folder: Path) -> Iterator[Row]:
    yield SLOW
    raise TimeoutError("the hub did not answer")


def test_a_figure_that_misses_its_gate_fails_nothing_and_a_benchmark_that_breaks_off_does(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert collect(slow, Options()) == ([SLOW], True)
    assert "gate 250 ms since 2026-11-26: NO" in capsys.readouterr().out
    assert collect(breaks_off, Options()) == ([SLOW], False)
    assert "TimeoutError: the hub did not answer" in capsys.readouterr().err


def test_a_gate_says_since_when_it_holds() -> None:
    with pytest.raises(ValueError, match="a draw: the gate does not say since when"):
        Row("a draw", 300, "ms", gate=250)
