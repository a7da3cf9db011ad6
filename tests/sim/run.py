"""Many random events: `python tests/sim/run.py --events 2000 --rulebook ID --seed N`; a line for each rulebook."""

import json
import sys
import time
from argparse import ArgumentParser
from collections import Counter

from checker.books import BOOKS
from many_events import play_many


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
        for seed, played in play_many(rulebook, range(args.seed, args.seed + args.events)):
            seen += played.seen
            if played.wrong:
                wrong += 1
                if wrong <= args.show:
                    print(f"{rulebook} seed {seed}:", *played.wrong, json.dumps(played.event), sep="\n  ")
        faulty += wrong
        figures = ", ".join(f"{count} {what}" for what, count in sorted(seen.items()) if count)
        print(
            f"{rulebook}: {wrong} of {args.events} events with complaints; {figures}; {time.monotonic() - began:.0f} s",
            flush=True,
        )
    return 1 if faulty else 0


if __name__ == "__main__":
    sys.exit(main())
