"""Reports a second from 128 connections on a disk whose fsync is 30 ms slow; what 24,000 reports leave in memory.

    python tests/benchmarks/bench_commits.py [--quick] [--nice N]

Floor: the same rows written to SQLite and nothing else (WAL, synchronous=FULL).
"""

import time
from collections.abc import Iterator
from pathlib import Path

from rig.client_process import ClientProcess
from rig.floors import raw_commits_per_s
from rig.hub_process import Hall, HubProcess, keep_off_the_hub_s_core, make_hall
from rig.slow_disk import slow_disk
from rig.table import Options, Row, alone, p50, p99

CONNECTIONS = 128
WARM = 1000
SINCE = "2026-11-27"


def measure(options: Options, folder: Path) -> Iterator[Row]:
    core = keep_off_the_hub_s_core(options.nice)
    seconds = options.pick(10, 1)
    wrapper, how = slow_disk(folder)
    if wrapper:
        yield from _reports_a_second(make_hall(folder / "slow"), wrapper, core, seconds, "fsync 30 ms slow", 1000, how)
    else:
        yield Row("reports/s, fsync 30 ms slow", None, "/s", 1000, at_least=True, note=how, since=SINCE)
    yield from _reports_a_second(make_hall(folder / "quick"), (), core, seconds, "the disk as it is", None, "")
    yield from _growth(options, make_hall(folder / "growth"), core)


def _reports_a_second(
    hall: Hall, wrapper: tuple[str, ...], core: int | None, seconds: int, name: str, gate: float | None, how: str
) -> Iterator[Row]:
    what = f"reports/s, {name}, {CONNECTIONS} connections"
    with HubProcess(hall, wrapper, core) as hub, reporters(hub, hall) as clients:
        clients.ask("closed_loop", 120, count=256, seconds=5)
        cpu = hub.cpu_s()
        said = clients.ask("closed_loop", seconds + 120, count=1_000_000, seconds=seconds)
        cpu = hub.cpu_s() - cpu
    grouped = raw_commits_per_s(CONNECTIONS // 2, seconds / 2, wrapper)
    one_by_one = raw_commits_per_s(1, seconds / 2, wrapper)
    yield Row(
        what,
        said["saved"] / said["took_s"],
        "/s",
        gate,
        grouped,
        f"raw SQLite, {CONNECTIONS // 2} to a commit",
        at_least=True,
        since=SINCE,
        note=f"echo p50 {p50(said['saved_ms']) or 0:.0f} ms, p99 {p99(said['saved_ms']) or 0:.0f} ms, "
        f"{said['failures']} failures; hub's CPU {cpu / said['took_s']:.0%}, "
        f"{cpu * 1000 / max(1, said['saved']):.2f} ms a report; clients' CPU "
        f"{said['cpu_s'] / said['took_s']:.0%}; raw SQLite one by one {one_by_one:.0f}/s"
        + (f"; slowed {how}" if how else ""),
    )
    yield Row(
        f"{what}: CPU a report",
        cpu * 1000 / max(1, said["saved"]),
        "ms",
        0.35,
        1000 / grouped,
        "raw SQLite, a row, by the clock",
        since=SINCE,
    )


def _growth(options: Options, hall: Hall, core: int | None) -> Iterator[Row]:
    """Resident memory after a thousand reports, and after the rest."""
    count = options.pick(24_000, 1_200)
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
            since="2026-11-22",
            note=f"{start_mb:.0f} MB at the start, {warm_mb:.0f} MB after {WARM:,}, {hub.rss_mb():.0f} MB after "
            f"{WARM + said['saved']:,}; PSS {hub.pss_mb():.0f} MB; {said['failures']} failures",
        )


def reporters(hub: HubProcess, hall: Hall) -> ClientProcess:
    return ClientProcess("rig.reporters", port=hub.port, units={unit: key.hex() for unit, key in hall.keys.items()})


if __name__ == "__main__":
    alone(measure, __doc__)
