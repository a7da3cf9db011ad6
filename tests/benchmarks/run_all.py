"""`make bench`: every benchmark in turn, and one table of all figures at the end.

    python tests/benchmarks/run_all.py [--only NAME …] [--quick] [--nice N]

Figures hold for the machine and the moment they were taken on, so none of them is asserted. The exit code is 1 if a
benchmark breaks off before its last row.
"""

from __future__ import annotations

import argparse
import runpy
import sys
from collections.abc import Iterator
from functools import partial
from pathlib import Path

from rig.table import Options, Row, add_options, collect, options_of, print_table

from roundtap.kit.child_processes import exit_on_signals

HERE = Path(__file__).parent
NAMES = ("confirm", "browsers", "phones", "live", "commits", "start", "cold_start", "pages", "clock",
         "commands", "pairing", "slips", "hubs")


def _measure(name: str, options: Options, folder: Path) -> Iterator[Row]:
    # In this process: what is told to end has nobody else to tell.
    found = runpy.run_path(str(HERE / f"bench_{name}.py"), run_name=f"bench_{name}")
    yield from found["measure"](options, folder)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", nargs="+", choices=NAMES, default=NAMES, help="these benchmarks, and no others")
    add_options(parser)
    # The benchmarks' own options come here too.
    chosen, _ = parser.parse_known_args()
    exit_on_signals()
    rows: list[Row] = []
    broken: list[str] = []
    for name in NAMES:
        if name not in chosen.only:
            continue
        print(f"— bench_{name}", flush=True)
        found, whole = collect(partial(_measure, name), options_of(chosen))
        rows += found
        broken += [] if whole else [f"bench_{name}"]
    print_table(rows)
    if broken:
        print(f"broken off: {', '.join(broken)}", file=sys.stderr)
    return int(bool(broken))


if __name__ == "__main__":
    sys.exit(main())
