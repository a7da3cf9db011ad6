"""The campaign at full size (`--kills 1000 --seed 1`): prints totals and every fault."""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

HERE = Path(__file__).parent
for beside in (HERE, HERE.parent / "kit"):
    sys.path.insert(0, str(beside))

from campaign import ChaosKit, Totals, meant_at, played_under_fire  # noqa: E402
from hostile_network import Faults  # noqa: E402
from ledger import Ledger  # noqa: E402


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=1000, help="kills, freezes and cuts in all")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--tables", type=int, default=8)
    parser.add_argument("--rounds", type=int, default=4)
    parser.add_argument("--a-night", type=int, default=50, help="strokes in one event")
    args = parser.parse_args()
    done: Counter[str] = Counter()
    faults: list[str] = []
    sum_of = Totals()
    began = time.monotonic()
    seed = args.seed
    while sum(n for what, n in done.items() if not what.startswith("requests")) < args.kills:
        with tempfile.TemporaryDirectory(prefix="roundtap-chaos-") as folder:
            kit = ChaosKit(Path(folder), args.tables, 2 * args.tables, seed)
            try:
                totals = played_under_fire(kit, seed, args.rounds, args.a_night, (0.2, 1.5), Faults())
                found = Ledger(kit.hub_folder).faults(kit.memories, meant_at(kit.pairs[1]))
            except AssertionError as stuck:
                found, totals = [str(stuck)], Totals()
            finally:
                kit.stop()
        done.update(totals.done)
        sum_of.rounds += totals.rounds
        sum_of.results += totals.results
        faults += [f"seed {seed}: {fault}" for fault in found]
        print(f"seed {seed}: {totals.line()}; faults: {found or 'none'}", flush=True)
        seed += 1
    sum_of.done = done
    print(f"in all, {seed - args.seed} events in {time.monotonic() - began:.0f} s: {sum_of.line()}; "
          f"faults: {len(faults)}")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
