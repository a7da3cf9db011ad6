"""Reports a second from 128 connections on a disk whose fsync is 30 ms slow; what 12,000 reports leave in memory.

    python tests/benchmarks/bench_commits.py [--quick] [--nice N]

Floors: the same rows written to SQLite and nothing else (WAL, synchronous=FULL); the least request's processor.
"""

import time
from collections.abc import Iterator
from pathlib import Path

from rig.client_process import ClientProcess
from rig.floors import raw_commits_per_s
from rig.hub_process import Hall, HubProcess, keep_off_the_hub_s_core, make_hall
from rig.organizer import LEAST, least_cpu_ms
from rig.slow_disk import slow_disk
from rig.table import Options, Row, alone, p50, p99

CONNECTIONS = 128
WARM = 1000
SINCE, RATIOS = "2026-11-22", "2026-11-30"
RATE_MIN, CPU_MAX = 0.6, 2.9  # beside raw SQLite; beside the least request: 0.4 ms beside 0.14
FELT = {
    "reports/s": "how long all tables at once wait for SAVED on a slow card",
    "resident memory": "whether a hub goes on all season",
}


def measure(options: Options, folder: Path) -> Iterator[Row]:
    core = keep_off_the_hub_s_core(options.nice)
    seconds = options.pick(10, 1)
    wrapper, how = slow_disk(folder)
    name = f"reports/s, {'fsync 30 ms slow' if wrapper else 'the disk as it is'}, {CONNECTIONS} connections"
    hall = make_hall(folder / "reports")
    with HubProcess(hall, wrapper, core) as hub, reporters(hub, hall) as clients:
        least_ms = least_cpu_ms(hub, options.pick(256, 10))
        clients.ask("closed_loop", 120, count=256, seconds=5)
        cpu = hub.cpu_s()
        said = clients.ask("closed_loop", seconds + 120, count=1_000_000, seconds=seconds)
        cpu = hub.cpu_s() - cpu
    raw = raw_commits_per_s(CONNECTIONS // 2, seconds / 2, wrapper)
    yield Row(
        name,
        said["saved"] / said["took_s"],
        "/s",
        RATE_MIN * raw,
        raw,
        f"raw SQLite, {CONNECTIONS // 2} to a commit",
        at_least=True,
        since=RATIOS,
        note=f"echo p50 {p50(said['saved_ms']) or 0:.0f} ms, p99 {p99(said['saved_ms']) or 0:.0f} ms, "
        f"{said['failures']} failures; hub's CPU {cpu / said['took_s']:.0%}; clients' CPU "
        f"{said['cpu_s'] / said['took_s']:.0%}; slowed: {how}",
        felt=FELT["reports/s"],
    )
    yield Row(
        f"{name}: CPU a report",
        cpu * 1000 / max(1, said["saved"]),
        "ms",
        CPU_MAX * least_ms,
        least_ms,
        LEAST,
        since=RATIOS,
        felt=FELT["reports/s"],
    )
    yield from _growth(options, make_hall(folder / "growth"), core)


def _growth(options: Options, hall: Hall, core: int | None) -> Iterator[Row]:
    """Resident memory after a thousand reports, and after the rest."""
    count = options.pick(12_000, 1_200)
    with HubProcess(hall, (), core) as hub, reporters(hub, hall) as clients:
        start_mb = hub.rss_mb()
        clients.ask("closed_loop", 420, count=WARM, seconds=300)
        time.sleep(1)
        warm_mb = hub.rss_mb()
        said = clients.ask("closed_loop", 720, count=count - WARM, seconds=600)
        time.sleep(1)
        yield Row(
            f"resident memory, growth from report {WARM:,} to {count:,}",
            hub.rss_mb() - warm_mb,
            "MB",
            10,
            since=SINCE,
            note=f"{start_mb:.0f} MB at the start, {warm_mb:.0f} MB after {WARM:,}, {hub.rss_mb():.0f} MB after "
            f"{WARM + said['saved']:,}; PSS {hub.pss_mb():.0f} MB; {said['failures']} failures",
            felt=FELT["resident memory"],
        )


def reporters(hub: HubProcess, hall: Hall) -> ClientProcess:
    return ClientProcess("rig.reporters", port=hub.port, units={unit: key.hex() for unit, key in hall.keys.items()})


if __name__ == "__main__":
    alone(measure, __doc__)
