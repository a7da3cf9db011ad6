"""A unit before a hub gone wild, for as long as wanted: `python tests/fuzz/run_unit_inbound.py --count 200000`."""

from __future__ import annotations

import argparse
import resource
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

from unit_inbound import quiet, run

STEPS = 500
"""Steps by one seed: then a fresh unit begins."""
GROWTH_MAX_KB = 100 * 1024


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    quiet()
    counts: Counter[str] = Counter()
    worked, slowest_s, first_kb = time.process_time(), 0.0, 0
    for seed in range(given.seed, given.seed + -(-given.count // STEPS)):
        with tempfile.TemporaryDirectory() as folder:
            bench = run(Path(folder), seed, STEPS)
        counts += bench.counts
        counts["steps"] += STEPS
        slowest_s = max(slowest_s, bench.slowest_s)
        first_kb = first_kb or resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    grown_kb = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - first_kb
    print(f"{dict(counts)}; slowest step {slowest_s * 1000:.0f} ms of processor; grown by {grown_kb // 1024} MB; "
          f"{time.process_time() - worked:.0f} s of processor")
    return 0 if grown_kb < GROWTH_MAX_KB else 1


if __name__ == "__main__":
    sys.exit(main())
