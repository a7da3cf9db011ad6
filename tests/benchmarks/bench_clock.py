"""How far the units' idea of the hub's clock is off, when every packet takes 0 to 100 ms, drawn anew each time.

    python tests/benchmarks/bench_clock.py [--quick] [--nice N]

128 real links through a delaying proxy; hub and units read one machine's monotonic clock, so that the true difference
is nought. Floor: the best of 32 round trips, simulated with the same delays.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

from rig.client_process import ClientProcess
from rig.hub_process import HubProcess, keep_off_the_hub_s_core, make_hall
from rig.table import Options, Row, alone, p50, p99

DELAY_MS = 100
SETTLED_S = 10.0
UNITS = 128


def measure(options: Options, folder: Path) -> Iterator[Row]:
    core = keep_off_the_hub_s_core(options.nice)
    seconds = options.pick(40, 12)
    with HubProcess(make_hall(folder / "hub"), (), core) as hub, \
            ClientProcess("rig.delaying_proxy", port=hub.port, delay_ms=DELAY_MS, seed=options.seed) as proxy:
        port = proxy.hear(20)["port"]
        with ClientProcess("rig.links", port=port, folder=str(folder / "units"), seed=options.seed, over_s=4.0,
                           units={unit: key.hex() for unit, key in hub.hall.keys.items()}) as links:
            ready = links.hear(180)["ready"]
            errors = links.ask("clocks", seconds + 60, seconds=seconds)["errors"]
    off = [(after_s, abs(error)) for after_s, error in errors if error is not None]
    early = [error for after_s, error in off if after_s < SETTLED_S]
    settled = [error for after_s, error in off if after_s >= SETTLED_S]
    rand = random.Random(options.seed)
    floor = [_best_of(rand, 32) for _ in range(20_000)]
    yield Row(f"unit clock error, {UNITS} units, p50", p50(settled), "ms", None, p50(floor), "best of 32, simulated")
    yield Row(f"unit clock error, {UNITS} units, p99", p99(settled), "ms", 25, p99(floor), "best of 32, simulated",
              since="2026-11-22",
              note=f"from {SETTLED_S:.0f} s to {seconds} s after the last unit had its view ({ready} of {UNITS}); "
                   f"in the first {SETTLED_S:.0f} s p99 {p99(early) or 0:.0f} ms; "
                   f"{sum(error is None for _, error in errors)} times a unit knew no time")


def _best_of(rand: random.Random, count: int) -> float:
    """The error of the shortest of so many round trips: half of what its ways differ."""
    there, back = min(((rand.random() * DELAY_MS, rand.random() * DELAY_MS) for _ in range(count)), key=sum)
    return abs(there - back) / 2


if __name__ == "__main__":
    alone(measure, __doc__)
