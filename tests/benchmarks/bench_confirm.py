"""A confirming press to SAVED: 128 tables' real links, quiet, on a slow disk, beside 500 phones, on a share of a core.

    python tests/benchmarks/bench_confirm.py [--quick] [--nice N]

From the press (before the outbox's own fsync) to the unit's knowing "accepted". Each unit presses in its own moment of
10 s; side a in one, side b in the next. On a slow disk each sync, of a unit or the hub, takes 30 ms longer. The phones
reload page, files and feed within 2 s, again and again. On a fifth of a core and less, 500 phones that know nothing yet
then open their page within 2 s, and before them as many that ask for the time alone.
"""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from rig.client_process import ClientProcess
from rig.floors import raw_commits_per_s, round_trips_ms
from rig.hub_process import HubProcess, keep_off_the_hub_s_core, make_hall
from rig.quota import NoQuota, quota, throttled
from rig.slow_disk import slow_disk
from rig.table import Options, Row, alone, p50, p99

UNITS, PHONES = 128, 500
WINDOW_S = 10.0
WAVE_S, SPREAD_S = 8.0, 2.0
PATIENCE_S = 60.0
SINCE, NEARER = "2026-11-22", "2026-11-27"
QUIET, SLOW, QUARTER, FIFTH, TENTH = (
    "quiet",
    "each sync 30 ms slower",
    "the same at 25 % of a core",
    "at 20 %",
    "at 10 %",
)

PAGE_GATES_MS = {FIFTH: 1500, TENTH: 4000}


def measure(options: Options, folder: Path) -> Iterator[Row]:
    slow, how = slow_disk(folder)
    if slow:
        yield from _one(options, folder / "slow", SLOW, 0, slow, None)
    else:
        yield Row(f"confirm → SAVED, {SLOW}, p50", None, "ms", note=how)
    many = options.pick(PHONES, 20)
    for number, (name, phones, share, gates) in enumerate(
        (
            (QUIET, 0, None, None),
            (f"{many} phones reloading", many, None, (40, 60)),
            (QUARTER, many, 0.25, (None, 300)),
            (FIFTH, many, 0.2, (None, 400)),
            (TENTH, many, 0.1, (None, 1000)),
        )
    ):
        try:
            with quota(share) as wrapper:
                yield from _one(options, folder / str(number), name, phones, wrapper, gates)
        except NoQuota as reason:
            yield Row(
                f"confirm → SAVED, {name}, p99",
                None,
                "ms",
                gates[1] if gates else None,
                note=f"left out: {reason}",
                since=SINCE,
            )


def _one(
    options: Options,
    folder: Path,
    name: str,
    phone_count: int,
    wrapper: tuple[str, ...],
    gates: tuple[float | None, float | None] | None,
) -> Iterator[Row]:
    core = keep_off_the_hub_s_core(options.nice)
    hall = make_hall(folder / "hub", units=options.pick(UNITS, 8))
    windows = options.pick(2 if wrapper else 3, 1)
    patience_s = options.pick(int(PATIENCE_S), 20)
    slow = wrapper if name == SLOW else ()
    with HubProcess(hall, wrapper, core) as hub, _links(hub, folder, options, slow) as links:
        ready = links.hear(180)["ready"]
        phones = ClientProcess(
            "rig.phones", port=hub.port, seed=options.seed, paths=[_page(n) for n in range(phone_count)]
        )
        with phones:
            if phone_count:
                phones.ask("waves", 10, period_s=WAVE_S, spread_s=SPREAD_S, seconds_at_most=300)
            cpu = hub.cpu_s()
            said = links.ask(
                "press", 600, window_s=options.pick(int(WINDOW_S), 2), windows=windows, patience_s=patience_s
            )
            cpu = hub.cpu_s() - cpu
            calm = phones.ask("calm", 60) if phone_count else {}
        if name in PAGE_GATES_MS:
            hub.wait_until_idle()
            time_ms = _cold(hub, options, ["/time"] * phone_count)
            cold_ms = _cold(hub, options, [_page(n) for n in range(phone_count)])
        note = _note(said, f"{ready} of {len(hall.keys)}", cpu, calm, throttled(hub.pid))
    if gates is None:
        two_syncs_ms = 2000 / raw_commits_per_s(1, 2, slow)
        gates = (1.3 * two_syncs_ms, None) if slow else (2.5 * two_syncs_ms, 6 * two_syncs_ms)
        yield from _rows(name, said, gates, (two_syncs_ms, two_syncs_ms), note, "two synced commits")
    else:
        floor = round_trips_ms(core, options.pick(400, 40))
        yield from _rows(name, said, gates, floor, note)
        if name in PAGE_GATES_MS:
            yield Row(
                f"page to a phone, {phone_count} cold, {name}, p50",
                p50(cold_ms),
                "ms",
                PAGE_GATES_MS[name],
                p50(time_ms),
                "GET /time",
                since=NEARER,
                note=f"p99 {p99(cold_ms) or 0:.0f} ms",
            )


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
    floor_name: str = "bare round trip",
) -> Iterator[Row]:
    saved, wanted = said["saved_ms"], said["wanted"] - said["missed"]
    # Who waited in vain is slower than everybody.
    late = [*saved, *[float("inf")] * (wanted - len(saved))]
    yield Row(f"confirm → SAVED, {name}, p50", p50(late), "ms", gates[0], floor[0], floor_name, since=NEARER)
    yield Row(f"confirm → SAVED, {name}, p99", p99(late), "ms", gates[1], floor[1], floor_name, note=note, since=NEARER)
    yield Row(f"confirm → SAVED, {name}, saved of {wanted}", len(saved), "", wanted, at_least=True, since=SINCE)


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
