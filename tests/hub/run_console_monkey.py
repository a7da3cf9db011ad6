"""The monkey at the console in the large: `python tests/hub/run_console_monkey.py --walks 100000 --rulebook ID`."""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

from monkey_console import TABLES, Violation, run


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--walks", type=int, default=100_000)
    parser.add_argument("--rulebook", choices=sorted(TABLES), action="append")
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    worst = 0
    for rulebook in given.rulebook or sorted(TABLES):
        with tempfile.TemporaryDirectory() as folder:
            try:
                count, seconds = run(Path(folder), rulebook, given.walks, given.seed)
            except Violation as found:
                print(f"{rulebook}: {found}")
                worst = 1
                continue
        print(f"{rulebook}: {given.walks} walks in {seconds:.0f} s, no violation; {dict(count)}", flush=True)
    return worst


if __name__ == "__main__":
    sys.exit(main())
