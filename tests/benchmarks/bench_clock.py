"""How far the units' idea of the hub's clock is off, when every packet takes 0 to 100 ms, drawn anew each time.

    python tests/benchmarks/bench_clock.py [--quick] [--nice N]

128 real links through a delaying proxy; hub and units read one machine's monotonic clock, so that the true difference
is nought. Floor: the best of 32 round trips, simulated with the same delays.

And what a wall costs that shows a running clock: Chromium's processor time, all of its processes, beside the same
browser with a page on which one text changes each second. Without Chromium both rows are left out.
"""

import os
import random
import shutil
import subprocess
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from rig.client_process import ClientProcess
from rig.hub_process import HubProcess, keep_off_the_hub_s_core, make_hall
from rig.table import Options, Row, alone, p50, p99

DELAY_MS = 100
SETTLED_S = 10.0
UNITS = 128
WALL_GATE = 1.6
WARM_UP_S = 12
FELT = {
    "unit clock error": "whether all tables end in the same moment",
    "wall in a browser, of a core": "whether a small Pi runs hot",
}
BROWSER = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--window-size=1920,1080",
    "--remote-debugging-port=0",
)
ONE_TEXT = """<!doctype html><body style="font:300px sans-serif"><p id=t>0</p>
<script>let n = 0; setInterval(() => { document.getElementById("t").textContent = ++n }, 1000)</script>"""


def measure(options: Options, folder: Path) -> Iterator[Row]:
    core = keep_off_the_hub_s_core(options.nice)
    seconds = options.pick(25, 12)
    with (
        HubProcess(make_hall(folder / "hub"), (), core) as hub,
        ClientProcess("rig.delaying_proxy", port=hub.port, delay_ms=DELAY_MS, seed=options.seed) as proxy,
    ):
        port = proxy.hear(20)["port"]
        with ClientProcess(
            "rig.links",
            port=port,
            folder=str(folder / "units"),
            seed=options.seed,
            over_s=4.0,
            units={unit: key.hex() for unit, key in hub.hall.keys.items()},
        ) as links:
            ready = links.hear(180)["ready"]
            errors = links.ask("clocks", seconds + 60, seconds=seconds)["errors"]
    off = [(after_s, abs(error)) for after_s, error in errors if error is not None]
    early = [error for after_s, error in off if after_s < SETTLED_S]
    settled = [error for after_s, error in off if after_s >= SETTLED_S]
    rand = random.Random(options.seed)
    floor = [_best_of(rand, 32) for _ in range(20_000)]
    yield Row(
        f"unit clock error, {UNITS} units, p50",
        p50(settled),
        "ms",
        None,
        p50(floor),
        "best of 32, simulated",
        felt=FELT["unit clock error"],
    )
    yield Row(
        f"unit clock error, {UNITS} units, p99",
        p99(settled),
        "ms",
        25,
        p99(floor),
        "best of 32, simulated",
        since="2026-11-22",
        note=f"from {SETTLED_S:.0f} s to {seconds} s after the last unit had its view ({ready} of {UNITS}); "
        f"in the first {SETTLED_S:.0f} s p99 {p99(early) or 0:.0f} ms; "
        f"{sum(error is None for _, error in errors)} times a unit knew no time",
        felt=FELT["unit clock error"],
    )
    if (chromium := shutil.which("chromium")) is not None:
        yield from _wall(chromium, options.pick(20, 2), folder, core)


def _wall(chromium: str, seconds: int, folder: Path, core: int | None) -> Iterator[Row]:
    plain = folder / "one_text.html"
    plain.write_text(ONE_TEXT)
    with HubProcess(make_hall(folder / "hall"), (), core) as hub:
        # The text is the same each second.
        floor = _core_share(chromium, plain.as_uri(), folder / "floor", seconds // 2)
        wall = _core_share(chromium, f"{hub.url}/wall", folder / "wall", seconds)
    yield Row(
        "wall in a browser, of a core",
        wall,
        "%",
        WALL_GATE * floor,
        floor,
        "one changing text",
        since="2026-11-27",
        note=f"over {seconds} s, all of Chromium's processes",
        felt=FELT["wall in a browser, of a core"],
    )


def _core_share(chromium: str, url: str, profile: Path, seconds: int) -> float:
    """Percent of a core that a browser takes with this page, once it is loaded."""
    browser = subprocess.Popen(
        [chromium, *BROWSER, f"--user-data-dir={profile}", url], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    try:
        time.sleep(min(WARM_UP_S, 2 * seconds))
        before_s = _tree_cpu_s(browser.pid)
        time.sleep(seconds)
        return (_tree_cpu_s(browser.pid) - before_s) / seconds * 100
    finally:
        browser.terminate()
        browser.wait(timeout=20)


def _tree_cpu_s(root: int) -> float:
    """Processor time of a process and all below it, as far as they live."""
    parents: dict[int, int] = {}
    taken_s: dict[int, float] = {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):
            fields = stat.read_text().rpartition(")")[2].split()
            parents[int(stat.parent.name)] = int(fields[1])
            taken_s[int(stat.parent.name)] = (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
    tree = [root]
    for pid in tree:
        tree += [child for child, parent in parents.items() if parent == pid]
    return sum(taken_s.get(pid, 0.0) for pid in tree)


def _best_of(rand: random.Random, count: int) -> float:
    """The error of the shortest of so many round trips: half of what its ways differ."""
    there, back = min(((rand.random() * DELAY_MS, rand.random() * DELAY_MS) for _ in range(count)), key=sum)
    return abs(there - back) / 2


if __name__ == "__main__":
    alone(measure, __doc__)
