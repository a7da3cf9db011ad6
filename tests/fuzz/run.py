"""Throws strangers' inputs at a real hub, at the headless commands and at the journal's rows, and counts what breaks.

    python tests/fuzz/run.py --inputs 200000 --seed 1

Asserted of every target: no answer 5xx, none that takes more than two seconds of processor time or ten by the clock, no
process that ends, no growth of more than 100 MB. 503 is no failure: it is how a busy hub says so.
"""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import in_a_child
import on_the_wire
from under_fire import HubUnderFire, Tally

GROWTH_MB = 100.0
BUSY = 503
SHARES = {"device": 0.30, "asked": 0.20, "forms": 0.20, "import": 0.06, "raw": 0.06, "headless": 0.08, "rows": 0.10}
"""Of all inputs; an import costs a hundred times what a report does."""
WARM = 300
"""Inputs of each target before growth is counted: pages and caches are loaded for the first time."""


def fire(inputs: int, seed: int, folder: Path, only: Sequence[str] = (), minutes: float | None = None,
         tell: Callable[[str], None] = print) -> dict[str, tuple[Tally, float]]:
    """Every target with its share of the inputs, seeds first: its tally, and how much its process grew, in MB."""
    ends_at = None if minutes is None else time.monotonic() + minutes * 60
    chosen = [name for name in SHARES if not only or name in only]
    found: dict[str, tuple[Tally, float]] = {}
    hub = HubUnderFire(folder) if set(chosen) - {"headless", "rows"} else None
    try:
        wire = on_the_wire.Wire(hub) if hub else None
        for place, name in enumerate(chosen):
            many = max(1, round(inputs * SHARES[name] / sum(SHARES[each] for each in chosen)))
            share_ends_at = None if ends_at is None else (
                time.monotonic() + max(0.0, ends_at - time.monotonic()) / (len(chosen) - place))
            rng = random.Random(f"{seed} {name}")
            if name in ("headless", "rows"):
                found[name] = in_a_child.fire(name, many, rng, folder, share_ends_at)
            else:
                assert hub is not None
                assert wire is not None
                found[name] = _at_the_hub(name, many, rng, hub, wire, share_ends_at)
            tell(line(name, *found[name]))
    finally:
        if hub is not None:
            ends = Counter(each[-400:] for each in hub.breakdowns())
            tell("\n    ".join([f"tracebacks in the hub's log: {ends.total()}", *(
                f"{many} x {each}" for each, many in ends.most_common(10))]))
            hub.stop()
    return found


def _at_the_hub(name: str, many: int, rng: random.Random, hub: HubUnderFire, wire: on_the_wire.Wire,
                ends_at: float | None) -> tuple[Tally, float]:
    tally, before_mb = Tally(), hub.rss_mb()
    at_random, of_seed = on_the_wire.targets(wire)[name]
    work: list[tuple[Callable[[Any], Any], Any]] = [
        (of_seed, seed) for seed in on_the_wire.seeds().get(name, []) if of_seed is not None]
    for number in range(max(many, len(work))):
        act, given = work[number] if number < len(work) else (at_random, rng)
        cpu_s = hub.cpu_s()
        said = act(given)
        cpu_s = hub.cpu_s() - cpu_s
        slow = tally.took(said.seconds, cpu_s)
        if said.status >= 500 and said.status != BUSY:
            tally.failed(f"{said.status} {describe(given, rng)} {said.body[:200]!r} {hub.last_breakdown()[-900:]}")
        elif said.status == -1 or slow:
            tally.failed(f"slow: {said.seconds:.1f} s, processor {cpu_s:.1f} s {describe(given, rng)}")
        if not hub.lives():
            tally.ends += 1
            tally.failed(f"the hub ended {describe(given, rng)}")
            break
        if number == WARM:
            before_mb = hub.rss_mb()
        if ends_at is not None and time.monotonic() > ends_at:
            break
    return tally, (hub.rss_mb() - before_mb) if hub.lives() else 0.0


def describe(given: Any, rng: random.Random) -> str:
    return "at random" if given is rng else repr(given)[:200]


def line(name: str, tally: Tally, growth_mb: float) -> str:
    head = (f"{name:10} {tally.inputs:8} inputs  {tally.failures:4} failures  slowest {tally.slowest_s:5.2f} s "
            f"(processor {tally.busiest_s:4.2f} s)  "
            f"{tally.ends} ends  {growth_mb:+7.1f} MB")
    return "\n    ".join([head, *tally.first_failures])


def holds(found: dict[str, tuple[Tally, float]]) -> bool:
    return all(not tally.failures and not tally.ends and growth_mb <= GROWTH_MB
               for tally, growth_mb in found.values())


def main() -> int:
    # What is nested deeper than the hub reads has to be made, too.
    sys.setrecursionlimit(20_000)
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--inputs", type=int, default=200_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", nargs="*", default=(), choices=list(SHARES))
    parser.add_argument("--minutes", type=float, default=None, help="stop after so long, whatever is left")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        found = fire(args.inputs, args.seed, Path(folder), args.only, args.minutes,
                     lambda text: print(text, flush=True))
    print(f"in all {sum(tally.inputs for tally, _ in found.values())} inputs")
    return 0 if holds(found) else 1


if __name__ == "__main__":
    sys.exit(main())
