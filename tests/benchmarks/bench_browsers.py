"""A thousand browsers: what a report a second costs the hub, and how soon it stands on every page.

    python tests/benchmarks/bench_browsers.py [--quick] [--nice N]

All of them look at the pairings, which every report changes. Then 1,000 phones at their players' pages, and a round is
published by the console's own form. Floor: a stream of uvicorn's alone, telling 1,000 clients.
"""

import asyncio
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rig.client_process import ClientProcess
from rig.floor_servers import Server
from rig.http_talk import Connection
from rig.hub_process import PIN, Hall, HubProcess, bare_hall, keep_off_the_hub_s_core, make_hall
from rig.organizer import Browser
from rig.table import Options, Row, alone, p50, p99

from console_client import ConsoleClient
from roundtap.demo.demo import make_event
from roundtap_core.event.commands import DrawRound, EnterResult
from roundtap_core.records import Result, SidePair
from roundtap_hub.store.clocks import system_clocks
from roundtap_hub.store.journal import Journal
from roundtap_hub.store.service import Service, Step

PLAYERS = 256
SINCE, NEARER, RATIOS = "2026-11-22", "2026-11-27", "2026-11-30"
FLOOR = "bare ASGI stream"
SHOWN_MAX, PUBLISHED_MAX = 1.25, 9.0  # beside a message of the floor's at every client
FELT = {
    "1,000 browsers, 1 report/s: hub's CPU": "whether the hub has time for anything else",
    "commit → 1,000 browsers show it": "how long after SAVED all phones and walls show a result",
    "publish → 1,000 phones show their table": "how long players look for their seats",
    "publish beside 1,000 phones: the console's answer to the click": "how long the organizer waits after *Publish*",
}
MESSAGE_BYTES = 600
"""About what a changed table is as data."""


@dataclass(frozen=True, slots=True)
class Floor:
    """A bare ASGI stream: milliseconds from telling to each client's having it, and its processor's share of a core at
    a message a second, in percent."""

    taken_ms: list[float]
    cpu_percent: float


def measure(options: Options, folder: Path) -> Iterator[Row]:
    core = keep_off_the_hub_s_core(options.nice)
    count, seconds = options.pick(1000, 40), options.pick(20, 2)
    floor = asyncio.run(_bare_stream(core, count, options.pick(10, 2)))
    yield from _a_report_a_second(options, make_hall(folder / "reports"), core, count, seconds, floor)
    yield from _publish(options, _drawn(folder / "publish"), core, count, floor)


async def _bare_stream(core: int | None, count: int, messages: int) -> Floor:
    taken: list[float] = []
    told: list[float] = []

    async def listen(connection: Connection) -> None:
        async for _, data, arrived in connection.stream("/feed"):
            taken.append((arrived - told[int(data[:8])]) * 1000)

    with Server("stream", core) as server:
        connections = [Connection(server.port) for _ in range(count)]
        listeners = [asyncio.create_task(listen(each)) for each in connections]
        await asyncio.sleep(2)
        teller = Connection(server.port)
        cpu = server.cpu_s()
        for number in range(messages):
            await asyncio.sleep(0.5)
            told.append(time.monotonic())
            await teller.send("POST", "/", body=b"%08d" % number + b"x" * (MESSAGE_BYTES - 8))
        await asyncio.sleep(1)
        cpu = server.cpu_s() - cpu
        for task in listeners:
            task.cancel()
        for each in [*connections, teller]:
            each.close()
    return Floor(taken, cpu * 100 / messages)


def _a_report_a_second(
    options: Options, hall: Hall, core: int | None, count: int, seconds: int, floor: Floor
) -> Iterator[Row]:
    with (
        HubProcess(hall, (), core) as hub,
        _browsers(hub, ["/e/e1/pairings"] * count, options) as browsers,
        _reporters(hub, hall) as reporters,
    ):
        opened = browsers.ask("open", 600, over_s=count / 100)
        time.sleep(options.pick(6, 1))
        said = _watched(hub, browsers, reporters, seconds)
        memory = f"PSS {hub.pss_mb():.0f} MB, RSS {hub.rss_mb():.0f} MB"
    yield Row(
        f"{count:,} browsers, 1 report/s: hub's CPU",
        said["hub_cpu"] * 100,
        "%",
        3,
        floor.cpu_percent,
        f"{FLOOR}, 1 message/s",
        note=f"{opened['open']} of {count} open, {said['failures']} failures, {said['turned_away']} told to wait; "
        f"{memory}; clients' CPU {said['clients_cpu']:.0%}; "
        f"{said['bytes'] / 1000 / max(1, said['reports'] * count):.1f} kB for each browser and report; {said['ways']}",
        since=RATIOS,
        felt=FELT["1,000 browsers, 1 report/s: hub's CPU"],
    )
    told_ms = p50(floor.taken_ms) or 0.0
    for name, of, gate in (("p50", p50, SHOWN_MAX * told_ms), ("p99", p99, 80)):
        yield Row(
            f"commit → {count:,} browsers show it, {name}",
            of([*said["after_ms"], *[float("inf")] * said["unseen"]]),
            "ms",
            gate,
            of(floor.taken_ms),
            FLOOR,
            since=RATIOS if name == "p50" else SINCE,
            note=f"from when the reporting table had its echo, which came after {of(said['echo_ms']) or 0:.1f} ms; "
            f"{said['unseen']} not in time",
            felt=FELT["commit → 1,000 browsers show it"],
        )


def _watched(hub: HubProcess, browsers: ClientProcess, reporters: ClientProcess, seconds: int) -> dict[str, Any]:
    """A report a second for so long; what it cost, and when each browser showed each."""
    reporters.ask("one_side", 60, count=seconds)
    time.sleep(3)
    cpu, begin = hub.cpu_s(), time.monotonic()
    reporters.say("steadily", count=seconds, every_s=1.0)
    watched = browsers.ask("watch", seconds + 300, seconds=seconds + 2)
    moments = reporters.hear(seconds + 300)["moments"]
    cpu, took = hub.cpu_s() - cpu, time.monotonic() - begin
    after: list[float] = []
    unseen = 0
    for shows in watched["shows"]:
        for sent, echo in moments:
            # What was told after the report was sent shows it; what a browser shows at all it shows within a second.
            shown = next((shown for told, shown, _, _ in shows if told >= sent), None)
            if shown is None:
                unseen += 1
            else:
                after.append(max(0.0, shown - echo) * 1000)
    ways: dict[str, int] = {}
    for shows in watched["shows"]:
        for _, _, why, _ in shows:
            ways[why] = ways.get(why, 0) + 1
    return {
        "hub_cpu": cpu / took,
        "clients_cpu": watched["cpu_s"] / (seconds + 2),
        "failures": watched["failures"],
        "turned_away": watched["turned_away"],
        "bytes": watched["bytes"],
        "reports": len(moments),
        "unseen": unseen,
        "after_ms": after,
        "echo_ms": [(echo - sent) * 1000 for sent, echo in moments],
        "ways": "shown by " + (", ".join(f"{why} {n:,}" for why, n in sorted(ways.items())) or "nothing"),
    }


def _publish(options: Options, hall: Hall, core: int | None, count: int, floor: Floor) -> Iterator[Row]:
    with (
        HubProcess(hall, (), core) as hub,
        _browsers(hub, [f"/e/e1/p/p{1 + n % PLAYERS}" for n in range(count)], options) as phones,
    ):
        opened = phones.ask("open", 600, over_s=count / 100)
        console = ConsoleClient(hub.url, PIN)
        # Nobody presses a button of a page that was never shown.
        organizer = Browser(hub)
        organizer.log_in()
        organizer.get("/console/e1")
        organizer.close()
        phones.ask("mark", 10, text="Round 2")
        time.sleep(options.pick(6, 1))
        cpu, begin = hub.cpu_s(), time.monotonic()
        console.post("/console/e1/publish", number=2, attempt=1)
        answered_ms = (time.monotonic() - begin) * 1000
        said = phones.ask("marked", 60, patience_s=40)
        cpu = hub.cpu_s() - cpu
    shown = [(when - begin) * 1000 if when is not None else float("inf") for when in said["marked"]]
    note = (
        f"{opened['open']} of {count} open; hub's CPU {cpu:.2f} s for all; {said['failures']} failures, "
        f"{said['turned_away']} told to wait"
    )
    for name, of in (("p50", p50), ("p99", p99)):
        told_ms = of(floor.taken_ms) or 0.0
        yield Row(
            f"publish → {count:,} phones show their table, {name}",
            of(shown),
            "ms",
            PUBLISHED_MAX * told_ms,
            told_ms,
            FLOOR,
            since=RATIOS,
            note=note if name == "p50" else "",
            felt=FELT["publish → 1,000 phones show their table"],
        )
    yield Row(
        f"publish beside {count:,} phones: the console's answer to the click",
        answered_ms,
        "ms",
        150,
        p50(floor.taken_ms),
        FLOOR,
        since=NEARER,
        felt=FELT["publish beside 1,000 phones: the console's answer to the click"],
    )


def _drawn(folder: Path) -> Hall:
    """Round 1 played, round 2 drawn and not yet published."""
    folder.mkdir(parents=True)
    make_event(folder / "roundtap.db", PLAYERS, PLAYERS // 2, "xwing-standard", event_id="e1")
    journal = Journal(f"sqlite:///{folder / 'roundtap.db'}")
    service = Service(journal, system_clocks())
    service.start()
    results = [
        EnterResult(f"1.{table}", 0, Result(score=SidePair(100, table % 90))) for table in range(1, 1 + PLAYERS // 2)
    ]
    service.execute([Step("e1", command) for command in [*results, DrawRound(2026)]], "bench", timeout_s=120)
    service.stop()
    journal.close()
    return bare_hall(folder)


def _browsers(hub: HubProcess, paths: list[str], options: Options) -> ClientProcess:
    return ClientProcess("rig.phones", port=hub.port, paths=paths, seed=options.seed)


def _reporters(hub: HubProcess, hall: Hall) -> ClientProcess:
    return ClientProcess("rig.reporters", port=hub.port, units={unit: key.hex() for unit, key in hall.keys.items()})


if __name__ == "__main__":
    alone(measure, __doc__)
