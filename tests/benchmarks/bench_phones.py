"""Five hundred players' own pages at once: what each that comes back costs the hub, and how long an organizer waits.

    python tests/benchmarks/bench_phones.py [--quick] [--nice N]

All open their personal links within seconds, as when the hall's Wi-Fi comes back: the page, its files the first time,
its feed, two questions of time. On a whole core, and at a quarter of one. Beside them the console is asked for again
and again.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from rig.client_process import ClientProcess
from rig.hub_process import HubProcess, keep_off_the_hub_s_core, make_hall
from rig.organizer import Browser
from rig.quota import NoQuota, quota
from rig.table import Options, Row, alone, p50, p99

from roundtap_hub.access.personal_links import token_of
from roundtap_hub.access.rights import NO_LINK

SHARES: tuple[tuple[str, float | None], ...] = (("a whole core", None), ("a quarter of a core", 0.25))


def measure(options: Options, folder: Path) -> Iterator[Row]:
    core = keep_off_the_hub_s_core(options.nice)
    count = options.pick(500, 100)
    for number, (name, share) in enumerate(SHARES):
        hall = make_hall(folder / str(number), players=count + count % 2, tables=(count + 1) // 2, units=0)
        try:
            with quota(share) as wrapper, HubProcess(hall, wrapper, core) as hub:
                yield from _waves(options, hub, name, count)
        except NoQuota as why:
            yield Row(f"{count} own pages, {name}", None, "s", note=str(why))


def _waves(options: Options, hub: HubProcess, name: str, count: int) -> Iterator[Row]:
    folder = hub.hall.folder
    secret = bytes.fromhex((folder / "secret").read_text())
    paths = [f"/me/{token_of(secret, ('e1', f'p{1 + n}'), NO_LINK)}" for n in range(count)]
    organizer = Browser(hub)
    organizer.log_in()
    organizer.get("/console/e1")
    with ClientProcess("rig.phones", port=hub.port, paths=paths, seed=options.seed) as phones:
        for wave, over_s in (("first", 5.0), ("again", 3.0)):
            cpu, begin = hub.cpu_s(), time.monotonic()
            phones.say("open", over_s=over_s)
            waited: list[float] = []
            said: dict[str, Any] = {}
            while not said:
                asked = time.monotonic()
                organizer.get("/console/e1")
                waited.append((time.monotonic() - asked) * 1000)
                time.sleep(0.05)
                said = phones.heard_by_now() or {}
            took_s, cpu = time.monotonic() - begin, hub.cpu_s() - cpu
            # What the console cost is not the phones': it is asked for as often when nobody comes.
            quiet_cpu = hub.cpu_s()
            for _ in waited:
                organizer.get("/console/e1")
            cpu -= hub.cpu_s() - quiet_cpu
            there = [f"{of(said['load_ms']) or 0:.0f} ms" for of in (p50, p99)]
            note = f"{said['open']} of {count} open after {took_s:.1f} s, asked for within {over_s:.0f} s; there " \
                   f"p50 {there[0]}, p99 {there[1]}; PSS {hub.pss_mb():.0f} MB"
            yield Row(f"{count} own pages come ({wave}), {name}: hub's CPU each", cpu * 1000 / count, "ms", note=note)
            yield Row(f"{count} own pages come ({wave}), {name}: console meanwhile, p99", p99(waited), "ms",
                      note=f"p50 {p50(waited) or 0:.0f} ms, asked {len(waited)} times")
        cpu = hub.cpu_s()
        back = phones.ask("reconnect", 120, over_s=2.0, patience_s=60)["back_ms"]
        cpu = hub.cpu_s() - cpu
        there = [f"{of(back) or 0:.0f} ms" for of in (p50, p99)]
        yield Row(f"{count} own pages' feeds break and come back, {name}: hub's CPU each", cpu * 1000 / count, "ms",
                  note=f"{len(back)} of {count} back, with the page's own pause p50 {there[0]}, p99 {there[1]}")
    organizer.close()


if __name__ == "__main__":
    alone(measure, __doc__)
