"""A thousand browsers: what a report a second costs the hub, and how soon it stands on every page.

    python tests/benchmarks/bench_browsers.py [--quick] [--nice N]

All of them look at the pairings, which every report changes. Then 1,000 phones at their players' pages, and a round is
published by the console's own form. Floors: mosquitto, and a stream of uvicorn's alone, telling 1,000 clients.
"""

import asyncio
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from rig.client_process import ClientProcess
from rig.floor_servers import Server
from rig.http_talk import Connection
from rig.hub_process import PIN, Hall, HubProcess, bare_hall, keep_off_the_hub_s_core, make_hall
from rig.mosquitto import broker, fan_out, running
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
SINCE, NEARER = "2026-11-22", "2026-11-27"
FLOORS_MAX = 1.2  # a result on every page, beside a message of mosquitto's at every client
MESSAGE_BYTES = 600
"""About what a changed table is as data."""


def measure(options: Options, folder: Path) -> Iterator[Row]:
    core = keep_off_the_hub_s_core(options.nice)
    count, seconds = options.pick(1000, 40), options.pick(20, 2)
    floors, broker_cpu = _floors(folder, core, count, options.pick(10, 2))
    for name, taken in floors.items():
        yield Row(f"floor: {name} tells {count:,} clients, p50", p50(taken), "ms")
        yield Row(f"floor: {name} tells {count:,} clients, p99", p99(taken), "ms")
    yield from _a_report_a_second(options, make_hall(folder / "reports"), core, count, seconds, floors, broker_cpu)
    yield from _hall_mix(options, make_hall(folder / "mix"), core, count, seconds)
    yield from _publish(options, _drawn(folder / "publish"), core, count, floors)


def _floors(folder: Path, core: int | None, count: int, messages: int) -> tuple[dict[str, list[float]], float | None]:
    """Milliseconds from telling to having, by who tells; mosquitto's share of a core at a message a second."""
    found = {"bare ASGI stream": asyncio.run(_bare_stream(core, count, messages))}
    if broker() is None:
        print("  mosquitto is not installed (apt install mosquitto): left out")
        return found, None
    with running(folder, core) as (port, pid):
        found["mosquitto"], cpu_s = asyncio.run(fan_out(port, pid, count, messages, 0.5, MESSAGE_BYTES))
    return found, cpu_s


async def _bare_stream(core: int | None, count: int, messages: int) -> list[float]:
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
        for number in range(messages):
            await asyncio.sleep(0.5)
            told.append(time.monotonic())
            await teller.send("POST", "/", body=b"%08d" % number + b"x" * (MESSAGE_BYTES - 8))
        await asyncio.sleep(1)
        for task in listeners:
            task.cancel()
        for each in [*connections, teller]:
            each.close()
    return taken


def _a_report_a_second(
    options: Options,
    hall: Hall,
    core: int | None,
    count: int,
    seconds: int,
    floors: dict[str, list[float]],
    broker_cpu: float | None,
) -> Iterator[Row]:
    with (
        HubProcess(hall, (), core) as hub,
        _browsers(hub, ["/e/e1/pairings"] * count, options) as browsers,
        _reporters(hub, hall) as reporters,
    ):
        opened = browsers.ask("open", 600, over_s=count / 100)
        time.sleep(options.pick(6, 1))
        said = _watched(hub, browsers, reporters, seconds)
        note = (
            f"{opened['open']} of {count} open, {said['failures']} failures, {said['turned_away']} told to wait; "
            f"clients' CPU {said['clients_cpu']:.0%}; "
            f"{said['bytes'] / 1000 / max(1, said['reports'] * count):.1f} kB for each browser and report; "
            + said["ways"]
        )
        yield Row(
            f"{count:,} browsers, 1 report/s: hub's CPU",
            said["hub_cpu"] * 100,
            "%",
            2.5,
            None if broker_cpu is None else broker_cpu * 100,
            "mosquitto, 1 message/s",
            note=note,
            since=NEARER,
        )
        yield Row(
            f"{count:,} browsers, 1 report/s: PSS",
            hub.pss_mb(),
            "MB",
            75,
            since=NEARER,
            note=f"RSS {hub.rss_mb():.0f} MB",
        )
        delays, echoes = said["delays_ms"], said["echo_ms"]
        floor, taken = next(reversed(floors.items()))
        nearer = FLOORS_MAX * (p50(taken) or 0.0)
        for name, of, gate, since in (("p50", p50, nearer, NEARER), ("p99", p99, 80, SINCE)):
            yield Row(
                f"commit → {count:,} browsers show it, {name}",
                of(said["after_ms"]),
                "ms",
                gate,
                of(taken),
                floor,
                since=since,
                note=f"from when the reporting table had its echo; {said['unseen']} not in time",
            )
            yield Row(
                f"report sent → {count:,} browsers show it, {name}",
                of(delays),
                "ms",
                None,
                of(taken),
                floor,
                note=f"the echo came after {of(echoes) or 0:.1f} ms",
            )


def _hall_mix(options: Options, hall: Hall, core: int | None, count: int, seconds: int) -> Iterator[Row]:
    """As it is in a hall: nearly everybody at their own page, some at the pairings, ten walls."""
    paths = [f"/e/e1/p/p{1 + n % PLAYERS}" for n in range(count * 4 // 5)]
    paths += ["/wall/e1"] * 10 + ["/e/e1/pairings"] * (count - len(paths) - 10)
    with (
        HubProcess(hall, (), core) as hub,
        _browsers(hub, paths, options) as browsers,
        _reporters(hub, hall) as reporters,
    ):
        browsers.ask("open", 600, over_s=count / 100)
        time.sleep(options.pick(6, 1))
        said = _watched(hub, browsers, reporters, seconds)
        yield Row(
            f"{count:,} browsers as in a hall, 1 report/s: hub's CPU",
            said["hub_cpu"] * 100,
            "%",
            note=f"80 % at their player's page, 10 walls, the others at the pairings; PSS {hub.pss_mb():.0f} MB; "
            + said["ways"],
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
    delays: list[float] = []
    after: list[float] = []
    unseen = 0
    for shows in watched["shows"]:
        for sent, echo in moments:
            # What was told after the report was sent shows it; what a browser shows at all it shows within a second.
            shown = next((shown for told, shown, _, _ in shows if told >= sent), None)
            if shown is None:
                unseen += 1
            else:
                delays.append((shown - sent) * 1000)
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
        "delays_ms": delays,
        "after_ms": after,
        "echo_ms": [(echo - sent) * 1000 for sent, echo in moments],
        "ways": "shown by " + (", ".join(f"{why} {n:,}" for why, n in sorted(ways.items())) or "nothing"),
    }


def _publish(
    options: Options, hall: Hall, core: int | None, count: int, floors: dict[str, list[float]]
) -> Iterator[Row]:
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
        floor, taken = next(reversed(floors.items()))
        for name, of, gate in (("p50", p50, 250), ("p99", p99, 350)):
            yield Row(
                f"publish → {count:,} phones show their table, {name}",
                of(shown),
                "ms",
                gate,
                of(taken),
                floor,
                since=NEARER,
                note=note if name == "p50" else "",
            )
        yield Row(
            f"publish beside {count:,} phones: the console's answer to the click",
            answered_ms,
            "ms",
            150,
            p50(taken),
            floor,
            since=NEARER,
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
