"""A confirming press to SAVED: 128 tables' real links, quiet, on a slow disk, beside 500 phones, on a share of a core.

    python tests/benchmarks/bench_confirm.py [--quick] [--nice N]

From the press (before the outbox's own fsync) to the unit's knowing "accepted". Each unit presses in its own moment of
10 s; side a in one, side b in the next. On a slow disk each sync, of a unit or the hub, takes 30 ms longer. The phones
reload page, files and feed within 2 s, again and again; a share of a core is beside a whole one in the same run. On a
fifth of a core, 500 phones that know nothing yet then open their page within 2 s, and before them as many that ask for
the time alone.
"""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from rig.client_process import ClientProcess
from rig.floors import raw_commits_per_s, round_trips_ms
from rig.hub_process import HubProcess, keep_off_the_hub_s_core, make_hall
from rig.organizer import LEAST
from rig.quota import NoQuota, quota, throttled
from rig.slow_disk import slow_disk
from rig.table import Options, Row, alone, p50, p99

UNITS, PHONES = 128, 500
WINDOW_S, WINDOWS = 10.0, 2
WAVE_S, SPREAD_S = 8.0, 2.0
PATIENCE_S = 60.0
SINCE, NEARER, RATIOS = "2026-11-22", "2026-11-27", "2026-11-30"
QUIET, SLOW = "quiet", "each sync 30 ms slower"
FIFTH = 0.2
SHARES = (("the same at 25 % of a core", 0.25, 4.0), ("at 20 %", FIFTH, 5.0))
"""A share of a core, and how many times as long the slowest may wait as beside the same phones on a whole core."""
WHOLE_P99_MS, PAGE_P50_MS = 98, 4000
FELT = {
    "confirm → SAVED": "how long a table takes to show SAVED; no result is lost",
    "page to a phone, 500 cold": "how long a phone in a full hall stays empty",
}


def measure(options: Options, folder: Path) -> Iterator[Row]:
    slow, how = slow_disk(folder)
    if slow:
        two_syncs_ms = 2000 / raw_commits_per_s(1, 2, slow)
        yield from _beside_syncs(options, folder / "slow", SLOW, slow, two_syncs_ms, (1.3 * two_syncs_ms, None))
    else:
        yield Row(f"confirm → SAVED, {SLOW}, p50", None, "ms", note=how, felt=FELT["confirm → SAVED"])
    two_syncs_ms = 2000 / raw_commits_per_s(1, 2)
    yield from _beside_syncs(options, folder / "0", QUIET, (), two_syncs_ms, (2.5 * two_syncs_ms, 6 * two_syncs_ms))
    many = options.pick(PHONES, 20)
    trip_ms = round_trips_ms(keep_off_the_hub_s_core(options.nice), options.pick(400, 40))
    said, note, _ = _one(options, folder / "1", many)
    yield from _rows(f"{many} phones reloading", said, (40, WHOLE_P99_MS), trip_ms, note, "bare round trip")
    whole_ms = (p50(said["saved_ms"]) or 0.0, p99(said["saved_ms"]) or 0.0)
    for number, (name, share, times) in enumerate(SHARES, start=2):
        try:
            with quota(share) as wrapper:
                said, note, cold = _one(options, folder / str(number), many, wrapper, cold=share == FIFTH)
        except NoQuota as reason:
            yield Row(
                f"confirm → SAVED, {name}, p99",
                None,
                "ms",
                times * whole_ms[1],
                note=f"left out: {reason}",
                since=RATIOS,
                felt=FELT["confirm → SAVED"],
            )
            continue
        yield from _rows(name, said, (None, times * whole_ms[1]), whole_ms, note, "a whole core")
        if cold is not None:
            time_ms, cold_ms = cold
            yield Row(
                f"page to a phone, {many} cold, {name}, p50",
                p50(cold_ms),
                "ms",
                PAGE_P50_MS,
                p50(time_ms),
                LEAST,
                since=RATIOS,
                note=f"p99 {p99(cold_ms) or 0:.0f} ms",
                felt=FELT["page to a phone, 500 cold"],
            )


def _beside_syncs(
    options: Options,
    folder: Path,
    name: str,
    wrapper: tuple[str, ...],
    two_syncs_ms: float,
    gates: tuple[float, float | None],
) -> Iterator[Row]:
    """No phone, a hub with a whole core, units on the same disk as it."""
    said, note, _ = _one(options, folder, 0, wrapper, units=wrapper)
    yield from _rows(name, said, gates, (two_syncs_ms, two_syncs_ms), note, "two synced commits")


def _one(
    options: Options,
    folder: Path,
    phone_count: int,
    wrapper: tuple[str, ...] = (),
    units: tuple[str, ...] = (),
    cold: bool = False,
) -> tuple[dict[str, Any], str, tuple[list[float], list[float]] | None]:
    """What the units say, a note of how it came about, and if `cold` the milliseconds of phones that know nothing: the
    time alone, their page. `wrapper`, `units`: the words before the hub's command and the units'."""
    core = keep_off_the_hub_s_core(options.nice)
    hall = make_hall(folder / "hub", units=options.pick(UNITS, 8))
    waited = None
    with HubProcess(hall, wrapper, core) as hub, _links(hub, folder, options, units) as links:
        ready = links.hear(180)["ready"]
        phones = ClientProcess(
            "rig.phones", port=hub.port, seed=options.seed, paths=[_page(n) for n in range(phone_count)]
        )
        with phones:
            if phone_count:
                phones.ask("waves", 10, period_s=WAVE_S, spread_s=SPREAD_S, seconds_at_most=300)
            cpu = hub.cpu_s()
            said = links.ask(
                "press",
                600,
                window_s=options.pick(int(WINDOW_S), 2),
                windows=options.pick(WINDOWS, 1),
                patience_s=options.pick(int(PATIENCE_S), 20),
            )
            cpu = hub.cpu_s() - cpu
            calm = phones.ask("calm", 60) if phone_count else {}
        if cold:
            hub.wait_until_idle()
            waited = (
                _cold(hub, options, ["/time"] * phone_count),
                _cold(hub, options, [_page(n) for n in range(phone_count)]),
            )
        note = _note(said, f"{ready} of {len(hall.keys)}", cpu, calm, throttled(hub.pid))
    return said, note, waited


def _page(phone: int) -> str:
    return f"/e/e1/p/p{1 + phone % 256}"


def _cold(hub: HubProcess, options: Options, paths: list[str]) -> list[float]:
    """Milliseconds until each has its page, opened within SPREAD_S by a phone that knows nothing yet."""
    with ClientProcess("rig.phones", port=hub.port, seed=options.seed, paths=paths) as phones:
        took_ms: list[float] = phones.ask("open", 60, over_s=SPREAD_S)["load_ms"]
    return [*took_ms, *[float("inf")] * (len(paths) - len(took_ms))]


def _links(hub: HubProcess, folder: Path, options: Options, wrapper: tuple[str, ...]) -> ClientProcess:
    return ClientProcess(
        "rig.links",
        wrapper,
        port=hub.port,
        folder=str(folder / "units"),
        seed=options.seed,
        units={unit: key.hex() for unit, key in hub.hall.keys.items()},
    )


def _rows(
    name: str,
    said: dict[str, Any],
    gates: tuple[float | None, float | None],
    floor: tuple[float, float],
    note: str,
    floor_name: str,
) -> Iterator[Row]:
    saved, wanted = said["saved_ms"], said["wanted"] - said["missed"]
    # Who waited in vain is slower than everybody.
    late = [*saved, *[float("inf")] * (wanted - len(saved))]
    felt = FELT["confirm → SAVED"]
    yield Row(f"confirm → SAVED, {name}, p50", p50(late), "ms", gates[0], floor[0], floor_name, since=NEARER, felt=felt)
    yield Row(
        f"confirm → SAVED, {name}, p99",
        p99(late),
        "ms",
        gates[1],
        floor[1],
        floor_name,
        note=note,
        since=RATIOS,
        felt=felt,
    )
    yield Row(
        f"confirm → SAVED, {name}, saved of {wanted}",
        len(saved),
        "",
        wanted,
        at_least=True,
        since=SINCE,
        felt=felt,
    )


def _note(said: dict[str, Any], ready: str, cpu_s: float, calm: dict[str, Any], stood_still: str) -> str:
    pressed = max(1, len(said["put_ms"]))
    parts = [
        f"hub's CPU {cpu_s / said['took_s']:.0%} over {said['took_s']:.0f} s",
        f"in it the clients' own: outbox fsync {p50(said['put_ms']) or 0:.1f} ms p50, "
        f"CPU {said['cpu_s'] * 1000 / pressed:.1f} ms a report with feeds and statuses of all units",
        f"{ready} units had a view when it began",
    ]
    if said["missed"]:
        parts.append(f"{said['missed']} moments came while the same unit's report before was under way, and made none")
    if said["others"]:
        parts.append(f"{len(said['others'])} not accepted: {json.dumps(sorted(set(said['others']))[:3])}")
    if calm:
        loads = calm["load_ms"]
        parts.append(
            f"phones' loads done {len(loads)} of {calm['wanted']}, p50 {p50(loads) or 0:.0f} ms, "
            f"p99 {p99(loads) or 0:.0f} ms, told to wait {calm['turned_away']} times, "
            f"failures {calm['failures']} {calm['why'] or ''}"
        )
    if stood_still:
        parts.append(stood_still)
    return "; ".join(parts)


if __name__ == "__main__":
    alone(measure, __doc__)
