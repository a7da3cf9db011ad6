"""Five hundred players' own pages at once: what each that comes back costs the hub, and how long an organizer waits.

    python tests/benchmarks/bench_phones.py [--quick] [--nice N]

All open their personal links within seconds, as when the hall's Wi-Fi comes back: the page, its files the first time,
its feed, two questions of time. On a whole core, and at a quarter of one. When they come again, the console is asked
for again and again beside them.

Then a bored guest, from 1 address and from 16, with sixty connections each that ask without end: how long an honest
*leave*, a judge's call and a table's report wait meanwhile, beside what they wait when nobody else asks. And what
connections on the encrypted port cost the hub in memory, beside plain ones.
"""

import http.client
import itertools
import json
import secrets
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from rig.client_process import ClientProcess
from rig.hub_process import Hall, HubProcess, keep_off_the_hub_s_core, make_hall
from rig.organizer import LEAST, Browser, least_cpu_ms
from rig.quota import NoQuota, quota
from rig.table import Options, Row, alone, p50, p99

from roundtap_core.wire import ECHO, REPORT, open_envelope, sign
from roundtap_hub.access.personal_links import link_token
from roundtap_hub.store.venue import NO_LINK

SINCE, RATIOS = "2026-11-26", "2026-11-30"
ATTACKERS = (1, 16)
PHONE_MAX = 21.0  # one that comes first, all its requests, beside the least request: 3 ms beside 0.14
CROWD_MB = {"tls": 30, "feed": 60}
"""The most that as many connections as the encrypted port has places for may cost, and a thousand feeds."""
FELT = {
    "500 own pages come: hub's CPU each": "how soon phones are back after the Wi-Fi was",
    "500 own pages come: console meanwhile": "how long the console takes meanwhile",
    "connections: the hub's memory": "how small the hub's machine may be",
    "leave, judge's call, report, while addresses ask": "no player and no judge waits for a guest's script",
}

SHARES: tuple[tuple[str, float | None], ...] = (("a whole core", None), ("a quarter of a core", 0.25))


def measure(options: Options, folder: Path) -> Iterator[Row]:
    core = keep_off_the_hub_s_core(options.nice)
    count = options.pick(500, 20)
    for number, (name, share) in enumerate(SHARES):
        hall = make_hall(folder / str(number), players=count + count % 2, tables=(count + 1) // 2, units=0)
        try:
            with quota(share) as wrapper, HubProcess(hall, wrapper, core) as hub:
                yield from _waves(options, hub, name, count)
        except NoQuota as why:
            felt = FELT["500 own pages come: hub's CPU each"]
            yield Row(f"{count} own pages come, {name}: hub's CPU each", None, "ms", note=str(why), felt=felt)
    hall = make_hall(folder / "attacked", players=256, tables=128, units=128)
    yield from _bytes(options, hall, core)
    with HubProcess(hall, (), core) as hub, ClientProcess("rig.attackers", port=hub.port, secure_port=0) as attackers:
        yield from _waits(options, hub, attackers)


def _bytes(options: Options, hall: Hall, core: int | None) -> Iterator[Row]:
    plain: float | None = None
    for how, count in (("plain", 1200), ("tls", 1200), ("feed", 1000)):
        count = options.pick(count, count // 40)
        # A hub of its own for each: memory that was given back may still be the process's.
        with (
            HubProcess(hall, (), core, encrypted=True) as hub,
            ClientProcess("rig.attackers", port=hub.port, secure_port=hub.secure_port) as attackers,
        ):
            time.sleep(options.pick(2, 0))
            before = hub.rss_mb()
            held = attackers.ask("connect", 150, how=how, count=count)["open"]
            figure = hub.rss_mb() - before
            attackers.ask("end", 30)
        if how == "plain":
            plain = figure
            continue
        yield Row(
            f"{count} connections, {how}: the hub's memory",
            figure,
            "MB",
            CROWD_MB[how],
            plain,
            "plain",
            since=SINCE,
            note=f"{held} of them still open when it was read",
            felt=FELT["connections: the hub's memory"],
        )


def _waits(options: Options, hub: HubProcess, attackers: ClientProcess) -> Iterator[Row]:
    secret = bytes.fromhex((hub.hall.folder / "secret").read_text())
    players = itertools.cycle(range(1, 257))
    tables = itertools.cycle(range(1, 129))
    number = itertools.count()
    phones = itertools.cycle(f"127.0.3.{n}" for n in range(1, 255))

    def wish(what: str) -> None:
        path = f"/me/{link_token(secret, ('e1', f'p{next(players)}'), NO_LINK)}/{what}"
        status, _ = _post(hub, next(phones), path, b"on=1", "application/x-www-form-urlencoded")
        assert status == 303, status

    def report() -> None:
        table = next(tables)
        unit = f"table-{table}"
        said = {
            "report_id": secrets.token_hex(8),
            "unit": unit,
            "event": "e1",
            "match": f"1.{table}",
            "side": "a",
            "revision": 0,
            "result": {"score": {"a": 100, "b": next(number) % 90}},
        }
        _, body = _post(
            hub,
            f"127.0.4.{table}",
            "/device/report",
            json.dumps({"report": said, "mac": sign(hub.hall.keys[unit], REPORT, said)}).encode(),
            "application/json",
        )
        echo = open_envelope(hub.hall.keys[unit], ECHO, json.loads(body))
        assert echo, body
        assert echo["fate"] == "accepted", echo

    honest: dict[str, Callable[[], None]] = {
        "leave": lambda: wish("leave"),
        "judge's call": lambda: wish("call"),
        "report": report,
    }
    quiet: dict[str, float | None] = {}
    for addresses in (0, *ATTACKERS):
        attackers.ask("ask", 10, addresses=addresses)
        time.sleep(options.pick(3, 1) if addresses else 0)
        for name, ask in honest.items():
            waited, failed = _timed(ask, options.pick(20, 2))
            if addresses:
                yield Row(
                    f"{name}, p99, while {addresses} addresses ask",
                    p99(waited),
                    "ms",
                    500,
                    quiet[name],
                    "alone",
                    since=SINCE,
                    note=f"p50 {p50(waited) or 0:.0f} ms of {len(waited)}; {failed} failed",
                    felt=FELT["leave, judge's call, report, while addresses ask"],
                )
            else:
                quiet[name] = p99(waited)
        counts = attackers.ask("end", 60)["counts"]
        if addresses:
            print(f"    the attackers were answered: {counts}", flush=True)
        time.sleep(options.pick(2, 0))


def _timed(ask: Callable[[], None], times: int) -> tuple[list[float], int]:
    """(the ms that each took, how many failed)."""
    waited: list[float] = []
    failed = 0
    for _ in range(times):
        begin = time.monotonic()
        try:
            ask()
        except (AssertionError, OSError, ValueError, http.client.HTTPException):
            failed += 1
        waited.append((time.monotonic() - begin) * 1000)
    return waited, failed


def _post(hub: HubProcess, source: str, path: str, body: bytes, kind: str) -> tuple[int, bytes]:
    """One request on a connection of its own, from the address of a phone or unit."""
    link = http.client.HTTPConnection("127.0.0.1", hub.port, timeout=60, source_address=(source, 0))
    try:
        link.request("POST", path, body, {"Content-Type": kind, "Accept-Language": "en"})
        answer = link.getresponse()
        return answer.status, answer.read()
    finally:
        link.close()


def _waves(options: Options, hub: HubProcess, name: str, count: int) -> Iterator[Row]:
    folder = hub.hall.folder
    secret = bytes.fromhex((folder / "secret").read_text())
    paths = [f"/me/{link_token(secret, ('e1', f'p{1 + n}'), NO_LINK)}" for n in range(count)]
    least_ms = least_cpu_ms(hub, options.pick(256, 10))
    organizer = Browser(hub)
    organizer.log_in()
    organizer.get("/console/e1")
    with ClientProcess("rig.phones", port=hub.port, paths=paths, seed=options.seed) as phones:
        # First nobody looks at the console: it changes with each player who is there, and would be drawn again.
        cpu, begin = hub.cpu_s(), time.monotonic()
        said = phones.ask("open", 300, over_s=options.pick(5, 1))
        took_s, cpu = time.monotonic() - begin, hub.cpu_s() - cpu
        there = [f"{of(said['load_ms']) or 0:.0f} ms" for of in (p50, p99)]
        yield Row(
            f"{count} own pages come, {name}: hub's CPU each",
            cpu * 1000 / count,
            "ms",
            PHONE_MAX * least_ms,
            least_ms,
            LEAST,
            since=RATIOS,
            note=f"{said['open']} of {count} open after {took_s:.1f} s; there p50 {there[0]}, p99 {there[1]}; "
            f"PSS {hub.pss_mb():.0f} MB",
            felt=FELT["500 own pages come: hub's CPU each"],
        )
        phones.say("open", over_s=options.pick(3, 1))
        waited: list[float] = []
        while not phones.heard_by_now():
            waited.append(_console_ms(organizer))
            time.sleep(0.05)
        yield Row(
            f"{count} own pages come again, {name}: console meanwhile, p99",
            p99(waited),
            "ms",
            None,
            p99([_console_ms(organizer) for _ in waited]),
            "alone",
            note=f"p50 {p50(waited) or 0:.0f} ms, asked {len(waited)} times",
            felt=FELT["500 own pages come: console meanwhile"],
        )
    organizer.close()


def _console_ms(organizer: Browser) -> float:
    begin = time.monotonic()
    organizer.get("/console/e1")
    return (time.monotonic() - begin) * 1000


if __name__ == "__main__":
    alone(measure, __doc__)
