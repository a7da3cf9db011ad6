"""Rows of figures: what was measured, the gate it should keep, the floor of the same run; and how they are printed."""

import argparse
import os
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

from rig.busy import busy_processes
from roundtap.kit.virtual_kit import exit_on_signals
from roundtap.main import END_WITH_STDIN, end_with_stdin


@dataclass(frozen=True, slots=True)
class Row:
    """One figure. Smaller is better unless `at_least`. `gate` and `floor` are in the figure's unit; None: there is
    none, or it could not be measured (`note` says why). A gate holds `since` a day. `felt`: what a person in the hall
    notices of it, in one line."""

    name: str
    figure: float | None
    unit: str
    gate: float | None = None
    floor: float | None = None
    floor_name: str = ""
    at_least: bool = False
    note: str = ""
    since: str = ""
    felt: str = ""

    def __post_init__(self) -> None:
        if self.gate is not None and not self.since:
            raise ValueError(f"{self.name}: the gate does not say since when it holds")

    @property
    def met(self) -> str:
        """Whether the figure keeps its gate, in a word."""
        if self.gate is None:
            return ""
        if self.figure is None:
            return "not measured"
        kept = self.figure >= self.gate if self.at_least else self.figure <= self.gate
        return "yes" if kept else "NO"


@dataclass(frozen=True, slots=True)
class Options:
    """What every load benchmark is told. `quick`: counts and times so small that each row comes within seconds; its
    figures say nothing of the hub."""

    quick: bool = False
    seed: int = 2026
    nice: int = 0

    def pick(self, whole: int, quick: int) -> int:
        return quick if self.quick else whole


Measure = Callable[[Options, Path], Iterable[Row]]
"""A benchmark: measures into a folder of its own, and yields rows as they come."""


def add_options(parser: argparse.ArgumentParser) -> None:
    """The options that all load benchmarks share."""
    parser.add_argument(
        "--quick",
        action="store_true",
        help="a few clients for a few seconds: whether every row comes, not what it says",
    )
    parser.add_argument("--seed", type=int, default=2026)
    parser.add_argument(
        "--nice",
        type=int,
        default=0,
        help="niceness of hub and clients; negative (root only) on a machine that others use, too",
    )
    parser.add_argument(
        "--busy",
        type=int,
        default=0,
        metavar="N",
        help="N processes that do nothing but compute run beside it, on all cores",
    )


def alone(measure: Measure, about: str | None) -> None:
    """`main` of a load benchmark that is run by itself: its rows, and its table."""
    parser = argparse.ArgumentParser(description=about)
    add_options(parser)
    # The other benchmarks' options come here too.
    chosen, others = parser.parse_known_args()
    if END_WITH_STDIN in others:
        end_with_stdin()
    exit_on_signals()
    sys.exit(run({Path(sys.argv[0]).stem: measure}, chosen))


def run(benchmarks: Mapping[str, Measure], chosen: argparse.Namespace) -> int:
    """Each in turn, and one table of all figures; the exit code, 1 if one broke off before its last row."""
    options = Options(chosen.quick, chosen.seed, chosen.nice)
    rows: dict[str, list[Row]] = {}
    taken_s: dict[str, float] = {}
    broken: list[str] = []
    with busy_processes(chosen.busy):
        for name, measure in benchmarks.items():
            print(f"— {name}", flush=True)
            begin = time.monotonic()
            rows[name], whole = collect(measure, options)
            taken_s[name] = time.monotonic() - begin
            print(f"  {name} took {taken_s[name]:.0f} s", flush=True)
            broken += [] if whole else [name]
    print_table(
        rows,
        taken_s,
        "".join(
            (
                ", a quick look: the figures say nothing" if chosen.quick else "",
                f", beside {chosen.busy} busy processes" if chosen.busy else "",
            )
        ),
    )
    if broken:
        print(f"broken off: {', '.join(broken)}", file=sys.stderr)
    return int(bool(broken))


def collect(measure: Measure, options: Options) -> tuple[list[Row], bool]:
    """All rows of one benchmark, printed as they come, and whether it came to its end. One that fails says so."""
    rows: list[Row] = []
    with tempfile.TemporaryDirectory(prefix="roundtap-bench-") as folder:
        try:
            for row in measure(options, Path(folder)):
                rows.append(row)
                print(f"  {line_of(row)}", flush=True)
        except Exception as error:
            print(f"  broken off: {type(error).__name__}: {error}", file=sys.stderr, flush=True)
            return rows, False
    return rows, True


def line_of(row: Row) -> str:
    """A row as one line."""
    gate = f", gate {shown(row.gate, row.unit)} since {row.since}: {row.met}" if row.gate is not None else ""
    floor = f", {row.floor_name} {shown(row.floor, row.unit)}" if row.floor is not None else ""
    note = f" ({row.note})" if row.note else ""
    ratio = f", {found} ×" if (found := _ratio(row)) else ""
    felt = f" — {row.felt}" if row.felt else ""
    return f"{row.name}: {shown(row.figure, row.unit)}{gate}{floor}{ratio}{note}{felt}"


def print_table(rows: Mapping[str, Sequence[Row]], taken_s: Mapping[str, float], circumstances: str = "") -> None:
    """All rows by benchmark, aligned, and under which circumstances; then every gate that says NO, and every row that
    could not be measured. "ratio" is the figure beside its floor."""
    heads = ("row", "goal", "figure", "floor", "ratio", "kept", "since", "floor is")
    cells = {
        "": [heads],
        **{f"— {name}, {taken_s[name]:.0f} s": [_cells(row) for row in found] for name, found in rows.items()},
    }
    widths = [max(map(len, column)) for column in zip(*chain(*cells.values()), strict=True)]
    print(
        f"\nload average {', '.join(f'{load:.1f}' for load in os.getloadavg())} on {os.cpu_count()} cores"
        f"{circumstances}"
    )
    for title, lines in cells.items():
        if title:
            print(title)
        for first, *middle, last in lines:
            right = "  ".join(cell.rjust(width) for cell, width in zip(middle, widths[1:-1], strict=True))
            print(f"{first.ljust(widths[0])}  {right}  {last}".rstrip())
    every = list(chain(*rows.values()))
    for row in every:
        if row.note:
            print(f"  {row.name}: {row.note}")
    asked = [row for row in every if row.gate is not None and row.figure is not None]
    missed = [_cells(row) for row in asked if row.met == "NO"]
    print(f"\n{sum(taken_s.values()):,.0f} s in all{circumstances}; {len(missed)} of {len(asked)} gates say NO:")
    for name, gate, figure, floor, ratio, *_, floor_name in missed:
        print(f"  {name}: {figure}, goal {gate}" + (f"; {floor_name} {floor}, {ratio} ×" if floor_name else ""))
    for row in every:
        if row.figure is None:
            print(f"  {row.name}: not measured, {row.note}")
    sys.stdout.flush()


def _cells(row: Row) -> tuple[str, ...]:
    gate = ("≥ " if row.at_least else "≤ ") + shown(row.gate, row.unit) if row.gate is not None else ""
    floor = shown(row.floor, row.unit) if row.floor is not None or gate else ""
    return (
        row.name,
        gate,
        shown(row.figure, row.unit),
        floor,
        _ratio(row),
        row.met,
        row.since if row.gate is not None else "",
        row.floor_name,
    )


def shown(figure: float | None, unit: str) -> str:
    """A figure with three digits, or what it has before the point."""
    if figure is None:
        return "–"
    if figure == float("inf"):
        return "never"
    digits = 0 if abs(figure) >= 100 or figure == int(figure) else 1 if abs(figure) >= 10 else 2
    return f"{figure:,.{digits}f} {unit}".rstrip()


def _ratio(row: Row) -> str:
    if not row.floor or row.figure is None or row.figure == float("inf"):
        return ""
    return f"{row.figure / row.floor:.2f}" if row.figure < 10 * row.floor else f"{row.figure / row.floor:.0f}"


def p50(values: Sequence[float]) -> float | None:
    return statistics.median(values) if values else None


def p99(values: Sequence[float]) -> float | None:
    """The 99th percentile; of fewer than a hundred values the largest."""
    return sorted(values)[min(len(values) - 1, int(len(values) * 0.99))] if values else None
