"""`make bench`: every benchmark in turn, and one table of all figures at the end, with the gates that say NO.

    python tests/benchmarks/run_all.py [--only NAME …] [--quick] [--nice N] [--busy N] [--jobs N]

Figures hold for the machine and the moment they were taken on, so none of them is asserted. The exit code is 1 if a
benchmark breaks off before its last row: `.ci/run` asks for that, with --quick. Figures that are told to others are
those of a whole run on an idle machine, and of one beside six busy processes (--busy 6).
"""

import argparse
import runpy
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from functools import partial
from pathlib import Path

from rig.busy import busy_processes
from rig.table import Options, Row, add_options, run

from roundtap.kit.virtual_kit import exit_on_signals
from roundtap.main import END_WITH_STDIN

HERE = Path(__file__).parent
NAMES = (
    "hubs",
    "confirm",
    "browsers",
    "phones",
    "clock",
    "live",
    "commits",
    "start",
    "cold_start",
    "pages",
    "commands",
    "pairing",
    "slips",
)


def _measure(name: str, options: Options, folder: Path) -> Iterator[Row]:
    # In this process: what is told to end has nobody else to tell.
    found = runpy.run_path(str(HERE / f"bench_{name}.py"), run_name=f"bench_{name}")
    yield from found["measure"](options, folder)


def _side_by_side(names: Sequence[str], jobs: int, options: Sequence[str]) -> int:
    """Each benchmark as a process of its own that says what it has to say when it is done; 1 if one broke off."""
    waiting, broken = list(names), []
    running: dict[str, subprocess.Popen[bytes]] = {}
    with tempfile.TemporaryDirectory(prefix="roundtap-bench-") as folder, ExitStack() as ending:
        while waiting or running:
            while waiting and len(running) < jobs:
                name = waiting.pop(0)
                with open(Path(folder) / name, "wb") as said:
                    running[name] = process = subprocess.Popen(
                        [sys.executable, str(HERE / f"bench_{name}.py"), *options, END_WITH_STDIN],
                        stdin=subprocess.PIPE,
                        stdout=said,
                        stderr=subprocess.STDOUT,
                    )
                ending.callback(process.wait)
                ending.callback(process.terminate)
            time.sleep(0.1)
            for name in [name for name, process in running.items() if process.poll() is not None]:
                print((Path(folder) / name).read_text(), flush=True)
                broken += [name] if running.pop(name).returncode else []
    if broken:
        print(f"broken off: {', '.join(broken)}", file=sys.stderr)
    return int(bool(broken))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", nargs="+", choices=NAMES, default=NAMES, help="these benchmarks, and no others")
    parser.add_argument(
        "--jobs",
        type=int,
        default=1,
        metavar="N",
        help="N benchmarks at a time, each with a table of its own: they disturb each other",
    )
    add_options(parser)
    # The benchmarks' own options come here too.
    chosen, _ = parser.parse_known_args()
    exit_on_signals()
    names = [name for name in NAMES if name in chosen.only]
    if chosen.jobs > 1:
        with busy_processes(chosen.busy):
            return _side_by_side(
                names,
                chosen.jobs,
                ["--seed", str(chosen.seed), "--nice", str(chosen.nice), *(["--quick"] if chosen.quick else [])],
            )
    return run({f"bench_{name}": partial(_measure, name) for name in names}, chosen)


if __name__ == "__main__":
    sys.exit(main())
