"""Many random events: `python tests/sim/run.py --events 2000 --rulebook ID --seed N`; a line for each rulebook."""

from __future__ import annotations

import json
import sys
import time
from argparse import ArgumentParser
from collections import Counter

from checker.books import BOOKS
from desk import play_at_desk
from simulator import play


def main() -> int:
    parser = ArgumentParser(description=__doc__)
    parser.add_argument("--events", type=int, default=200)
    parser.add_argument("--rulebook", choices=(*BOOKS, "all"), default="all")
    parser.add_argument("--seed", type=int, default=1, help="of the first event; the next ones follow")
    parser.add_argument("--show", type=int, default=3, help="how many faulty events to print in full")
    args = parser.parse_args()
    faulty = 0
    for rulebook in BOOKS if args.rulebook == "all" else (args.rulebook,):
        began = time.monotonic()
        seen: Counter[str] = Counter()
        wrong = 0
        for seed in range(args.seed, args.seed + args.events):
            try:
                # By turns as files and as people press them, with dirty endings.
                played = play(rulebook, seed, large=True) if seed % 2 else play_at_desk(rulebook, seed)
            except Exception as error:
                print(f"{rulebook} seed {seed}: {type(error).__name__}: {error}")
                wrong += 1
                continue
            seen += played.seen
            if played.wrong:
                wrong += 1
                if wrong <= args.show:
                    print(f"{rulebook} seed {seed}:", *played.wrong, json.dumps(played.event), sep="\n  ")
        faulty += wrong
        figures = ", ".join(f"{count} {what}" for what, count in sorted(seen.items()) if count)
        print(f"{rulebook}: {wrong} of {args.events} events with complaints; {figures}; "
              f"{time.monotonic() - began:.0f} s", flush=True)
    return 1 if faulty else 0


if __name__ == "__main__":
    sys.exit(main())
