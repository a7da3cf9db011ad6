"""What a page costs the hub: a player's, first drawn, warm and after a commit; the console of 256 players. Processor
time, beside that of the least request.

python tests/benchmarks/bench_pages.py [--quick] [--nice N]
"""

import json
import re
import secrets
import time
from collections.abc import Iterator
from pathlib import Path

from rig.hub_process import Hall, HubProcess, keep_off_the_hub_s_core, make_hall
from rig.organizer import LEAST, Browser, least_cpu_ms
from rig.table import Options, Row, alone, p50

from roundtap_core.wire import ECHO, REPORT, open_envelope, sign

PLAYERS = 256
CONSOLE_KB = 60
SINCE, RATIOS = "2026-11-22", "2026-11-30"
GATES = {"warm": 3.6, "first": 8.6, "after": 11.0, "console": 50.0, "changes": 36.0, "judge": 7.0}
"""How many times the least request's processor each may take."""
FELT = {
    "page of a player": "how soon phones show it when all look at once",
    "console of 256 players: on the wire": "how long it takes over weak Wi-Fi",
    "console of 256 players, after a commit": "how soon a press is answered while results come",
    "one open console, its changes after a report": "whether results appear as they are saved",
    "five judges' consoles beside it": "whether judges slow down the organizer",
}


def measure(options: Options, folder: Path) -> Iterator[Row]:
    core = keep_off_the_hub_s_core(options.nice)
    hall = make_hall(folder / "hub")
    with HubProcess(hall, (), core) as hub:
        floor = least_cpu_ms(hub, options.pick(PLAYERS, 10))
        browser = Browser(hub)
        yield from _player(options, hub, browser, hall, floor)
        browser.log_in()
        yield from _console(options, hub, browser, hall, floor)
        browser.close()


def _player(options: Options, hub: HubProcess, browser: Browser, hall: Hall, floor: float) -> Iterator[Row]:
    many = options.pick(PLAYERS, 10)
    pages = [f"/e/e1/p/p{n}" for n in range(1, many + 1)]
    body, answer = browser.get(pages[0])
    packed = answer.headers.get("Content-Encoding", "none")
    plain = len(browser.get(pages[0], "identity")[0])
    first = hub.cpu_ms([lambda page=page: browser.get(page) for page in pages])
    warm = hub.cpu_ms([lambda page=page: browser.get(page) for page in pages])
    for name, when, figure in (("first drawn", "first", first), ("warm", "warm", warm)):
        yield Row(
            f"page of a player, {name}: CPU",
            figure,
            "ms",
            GATES[when] * floor,
            floor,
            LEAST,
            since=RATIOS,
            note=f"each of {many} in turn; {packed}; {len(body):,} bytes on the wire, {plain:,} plain",
            felt=FELT["page of a player"],
        )
    after, anothers, leasts = [], [], []
    for number in range(options.pick(60, 3)):
        table = 1 + number % 128
        _report(browser, hall, table, number)
        time.sleep(0.05)
        after.append(hub.cpu_ms([lambda table=table: browser.get(_seat(browser, table))], settle_s=0))
        anothers.append(hub.cpu_ms([lambda: browser.get(pages[-1])], settle_s=0))
        time.sleep(0.05)
        leasts.append(hub.cpu_ms([lambda: browser.get("/time")], settle_s=0))
    yield Row(
        "page of a player, after a commit: CPU",
        p50(after),
        "ms",
        GATES["after"] * floor,
        floor,
        LEAST,
        since=RATIOS,
        felt=FELT["page of a player"],
        note=f"of {len(after)}, each of a player at the table that reported, ±0.1 ms; another player's then "
        f"{p50(anothers) or 0:.2f} ms; the least request after as long a rest {p50(leasts) or 0:.2f} ms",
    )


def _console(options: Options, hub: HubProcess, browser: Browser, hall: Hall, floor: float) -> Iterator[Row]:
    packed, answer = browser.get("/console/e1")
    assert answer.status == 200, answer.status
    encoding = answer.headers.get("Content-Encoding", "none")
    yield Row(
        f"console of {PLAYERS} players: on the wire",
        len(packed) / 1000,
        "kB",
        CONSOLE_KB,
        since=SINCE,
        note=f"content-encoding: {encoding}",
        felt=FELT["console of 256 players: on the wire"],
    )
    after = []
    for number in range(options.pick(20, 2)):
        _report(browser, hall, 1 + number % 128, 1000 + number)
        time.sleep(0.05)
        after.append(hub.cpu_ms([lambda: browser.get("/console/e1")], settle_s=0))
    yield Row(
        f"console of {PLAYERS} players, after a commit: CPU",
        p50(after),
        "ms",
        GATES["console"] * floor,
        floor,
        LEAST,
        since=RATIOS,
        felt=FELT["console of 256 players, after a commit"],
    )
    yield from _changes(options, hub, browser, hall, floor)


def _changes(options: Options, hub: HubProcess, organizer: Browser, hall: Hall, floor: float) -> Iterator[Row]:
    """What an organizer's open console fetches after each report; then five judges' beside it."""
    judges = [_judge(hub, organizer, f"Judge {n}") for n in range(5)]
    versions = {each: _seen(each.get("/console/e1", "identity")[0].decode()) for each in (organizer, *judges)}

    def fetch(each: Browser) -> None:
        told = json.loads(each.get(f"/console/e1?since={versions[each]}", "identity")[0])
        assert "regions" in told, "the whole page changed"
        versions[each] = told["to"]

    own, theirs = [], []
    for number in range(options.pick(40, 10)):
        _report(browser=organizer, hall=hall, table=1 + number % 128, number=2000 + number)
        time.sleep(0.5)
        own.append(hub.cpu_ms([lambda: fetch(organizer)], settle_s=0))
        theirs.append(hub.cpu_ms([lambda each=each: fetch(each) for each in judges], settle_s=0))
    yield Row(
        "one open console, its changes after a report: CPU",
        p50(own),
        "ms",
        GATES["changes"] * floor,
        floor,
        LEAST,
        since=RATIOS,
        note=f"2 reports/s, of {len(own)}",
        felt=FELT["one open console, its changes after a report"],
    )
    yield Row(
        "five judges' consoles beside it, each: CPU",
        p50(theirs),
        "ms",
        GATES["judge"] * floor,
        floor,
        LEAST,
        since=RATIOS,
        note="drawn once for all roles",
        felt=FELT["five judges' consoles beside it"],
    )
    for each in judges:
        each.close()


def _judge(hub: HubProcess, organizer: Browser, name: str) -> Browser:
    made = organizer.post("/console/hub/staff", name=name, role="judge")
    found = re.search(r'class="pin[^"]*"[^>]*>\s*([\d\s]+?)\s*<', made)
    assert found, "no PIN"
    judge = Browser(hub)
    judge.log_in(re.sub(r"\s", "", found[1]))
    return judge


def _seen(page: str) -> str:
    found = re.search(r'data-seen="([^"]+)"', page)
    assert found, "no version"
    return found[1]


def _seat(browser: Browser, table: int) -> str:
    """The player's page whose match is at this table; known from the seats that were read once."""
    if not hasattr(browser, "seats"):
        browser.seats = _seats(browser)  # type: ignore[attr-defined]
    seats: dict[int, str] = browser.seats  # type: ignore[attr-defined]
    return seats.get(table, "/e/e1/p/p1")


def _seats(browser: Browser) -> dict[int, str]:
    found = {}
    for number in range(1, PLAYERS + 1):
        page = browser.get(f"/e/e1/p/p{number}", "identity")[0].decode()
        if table := re.search(r'class="seat-table">.*?<b>(\d+)</b>', page):
            found[int(table[1])] = f"/e/e1/p/p{number}"
    return found


def _report(browser: Browser, hall: Hall, table: int, number: int) -> None:
    unit = f"table-{table}"
    report = {
        "report_id": secrets.token_hex(8),
        "unit": unit,
        "event": "e1",
        "match": f"1.{table}",
        "side": "a",
        "revision": 0,
        "result": {"score": {"a": 100, "b": number % 90}},
    }
    body = json.dumps({"report": report, "mac": sign(hall.keys[unit], REPORT, report)}).encode()
    echo = open_envelope(hall.keys[unit], ECHO, json.loads(browser.post_json("/device/report", body)))
    assert echo, "no echo"
    assert echo["fate"] == "accepted", echo


if __name__ == "__main__":
    alone(measure, __doc__)
