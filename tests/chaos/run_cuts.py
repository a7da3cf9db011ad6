"""Power cuts in number (`--hub 1250 --unit 800`): what is left after each is started, and every promise looked for."""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path

HERE = Path(__file__).parent
for beside in (HERE, HERE.parent / "kit"):
    sys.path.insert(0, str(beside))

from cut_play import Cut, Recorded, lost_at_hub, lost_at_unit  # noqa: E402


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--hub", type=int, default=1250, help="cuts of the hub's power")
    parser.add_argument("--unit", type=int, default=800)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="roundtap-cuts-") as name:
        folder = Path(name)
        recorded = Recorded(folder, args.seed)
        faults = tried("hub", args.hub, recorded.hub_cuts,
                       partial(lost_at_hub, event=recorded.kit.event), folder)
        faults += tried("unit", args.unit, recorded.unit_cuts, lost_at_unit, folder)
    return 1 if faults else 0


def tried(whose: str, enough: int, cuts: Callable[[int], object], lost: Callable[..., list[str]], folder: Path) -> int:
    """So many cuts, each time with other writes that came through; how many of them broke a promise."""
    done = promises = 0
    broken: list[str] = []
    seed = 0
    while done < enough:
        seed += 1
        cut: Cut
        for cut in cuts(seed):  # type: ignore[attr-defined]
            files, promised = cut
            left = folder / f"left-{whose}-{done}"
            left.mkdir()
            try:
                broken += [f"cut {done}: {report} is lost" for report in lost(files, promised, left)]
            except Exception as failed:
                broken.append(f"cut {done}: it does not start: {failed!r}")
            done, promises = done + 1, promises + len(promised)
            if done >= enough:
                break
    print(f"{whose}: {done} cuts, {promises} promises looked for, {len(broken)} broken {broken[:3] or ''}", flush=True)
    return len(broken)


if __name__ == "__main__":
    sys.exit(main())
