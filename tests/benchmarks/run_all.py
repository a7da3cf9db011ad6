"""`make bench`: every benchmark in turn, and one table of all figures at the end.

    python tests/benchmarks/run_all.py [--only NAME …] [--quick] [--nice N]

Figures hold for the machine and the moment they were taken on; nothing is asserted.
"""

from __future__ import annotations

import argparse
import runpy
import sys
from pathlib import Path

from rig.table import Row, add_options, collect, options_of, print_table

from roundtap.kit.child_processes import exit_on_signals

HERE = Path(__file__).parent
NAMES = ("confirm", "browsers", "phones", "live", "commits", "start", "cold_start", "pages", "clock",
         "commands", "pairing", "slips")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", nargs="+", choices=NAMES, default=NAMES, help="these benchmarks, and no others")
    add_options(parser)
    # The benchmarks' own options come here too.
    chosen, _ = parser.parse_known_args()
    exit_on_signals()
    rows: list[Row] = []
    for name in NAMES:
        if name not in chosen.only or not (HERE / f"bench_{name}.py").exists():
            continue
        print(f"— bench_{name}", flush=True)
        # In this process: what is told to end has nobody else to tell.
        found = runpy.run_path(str(HERE / f"bench_{name}.py"), run_name=f"bench_{name}")
        if "measure" in found:
            rows += collect(found["measure"], options_of(chosen))
        else:
            try:
                found["main"]()
            except Exception as error:
                print(f"  broken off: {type(error).__name__}: {error}", file=sys.stderr, flush=True)
    if rows:
        print_table(rows)
    return 0


if __name__ == "__main__":
    sys.exit(main())
