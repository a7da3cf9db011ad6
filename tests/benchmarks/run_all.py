"""`make bench`: every benchmark in turn, and one table of all figures at the end.

    python tests/benchmarks/run_all.py [--only NAME …] [--quick] [--nice N] [--busy N]

Figures hold for the machine and the moment they were taken on, so none of them is asserted. The exit code is 1 if a
benchmark breaks off before its last row; `.ci/run` asks for that, with --quick. Figures that are told to others are
those of a whole run on an idle machine, and of one beside six busy processes (--busy 6).
"""

from __future__ import annotations

import argparse
import runpy
import sys
from collections.abc import Iterator
from functools import partial
from pathlib import Path

from rig.table import Options, Row, add_options, run

HERE = Path(__file__).parent
NAMES = ("confirm", "browsers", "phones", "live", "commits", "start", "cold_start", "pages", "clock",
         "commands", "pairing", "slips")


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
    return run({f"bench_{name}": partial(_measure, name) for name in NAMES if name in chosen.only}, chosen)


if __name__ == "__main__":
    sys.exit(main())
