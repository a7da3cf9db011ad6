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
from disasters import DeadCard, SecondPi, StandbyChaosKit  # noqa: E402
from hostile_network import Faults  # noqa: E402
from ledger import Ledger  # noqa: E402

STROKES = ("kills of the hub", "kills of units", "freezes", "cuts of every connection")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=1000, help="kills, freezes and cuts in all")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--tables", type=int, default=4)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--a-night", type=int, default=50, help="strokes in one event")
    parser.add_argument("--pause", type=float, default=1.5, metavar="S", help="the longest pause between two strokes")
    args = parser.parse_args()
    done: Counter[str] = Counter()
    faults: list[str] = []
    sum_of = Totals()
    began = time.monotonic()
    seed = args.seed
    while sum(n for what, n in done.items() if what in STROKES) < args.kills:
        with tempfile.TemporaryDirectory(prefix="roundtap-chaos-") as folder:
            totals, found = night(Path(folder), seed, args)
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


def night(folder: Path, seed: int, args: argparse.Namespace) -> tuple[Totals, list[str]]:
    """One event: every third one loses its hub's card in round 2, every third one goes on at a second Pi."""
    kind, tables = ("", "dead cards", "second Pis")[seed % 3], args.tables
    make = StandbyChaosKit if kind == "second Pis" else ChaosKit
    kit = make(folder, tables, 2 * tables, seed, corrections=not kind)
    disaster = {"dead cards": DeadCard(kit, 2), "second Pis": SecondPi(2)}.get(kind)
    totals = Totals()
    try:
        kit.start_hub()
        if isinstance(kit, StandbyChaosKit):
            kit.start_standby()
        totals = played_under_fire(kit, seed, args.rounds, args.a_night, (0.1, args.pause), Faults(), disaster, totals)
        totals.done.update([kind] if kind else [])
        ledger = Ledger(kit.hub_folder, kit.event)
        return totals, ledger.faults(kit.memories, meant_at(kit.pairs[1]), renumbered=bool(kind))
    except AssertionError as stuck:
        return totals, [str(stuck)]
    finally:
        kit.stop()


if __name__ == "__main__":
    sys.exit(main())
