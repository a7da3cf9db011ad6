"""A monkey at the table dialogue: `python tests/units/run_monkey.py --walks 100000 --rulebook ID --seed 7`."""

from __future__ import annotations

import argparse
import sys
import time

from monkey_walks import explore, faults_of, run

from roundtap_core.rulebooks.registry import RULEBOOKS


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--walks", type=int, default=1000)
    parser.add_argument("--rulebook", choices=sorted(RULEBOOKS), action="append")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--depth", type=int, default=0, help="also explore every press to this depth")
    parser.add_argument("--ignore", default="", help="rules that are looked past, with commas between")
    given = parser.parse_args()
    broken = 0
    for book in given.rulebook or sorted(RULEBOOKS):
        began, worked = time.monotonic(), time.process_time()
        counts, examples = run(book, given.walks, given.seed, lambda line: print(f"  {line}", flush=True),
                               given.ignore.split(","))
        if given.depth:
            from monkey_table import places
            for place in places(book):
                found = explore(place, given.depth)
                counts["explored"] += len(found)
                examples += found[:1]
        print(f"{book}: {dict(counts)} in {time.monotonic() - began:.1f} s, "
              f"{time.process_time() - worked:.1f} s of them on the processor", flush=True)
        for example in examples:
            print(example)
        broken += faults_of(counts)
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
