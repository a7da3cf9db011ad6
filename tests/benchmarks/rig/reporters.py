"""Reports over raw connections: as many at once as there are, each with its next one when the echo has come.

Run by `ClientProcess("rig.reporters", port=…, units={id: key in hex}, event="e1")`. Unit n reports match 1.n..
"""

import asyncio
import json
import secrets
import time
from typing import Any

from rig.client_process import Orders
from rig.http_talk import Broken, Connection
from roundtap_core.wire import ECHO, REPORT, open_envelope, sign

LOSER = 24


class Reporter:
    """One table's connection, kept open."""

    def __init__(self, port: int, unit: str, key: bytes, event: str, match: str) -> None:
        self._unit, self._key, self._event, self._match = unit, key, event, match
        self._connection = Connection(port)
        self._number = 0

    def packed(self, side: str = "a", loser: int | None = None) -> tuple[str, bytes]:
        """The next report's id and body, signed. While side a alone reports no match is settled. `loser`: the points;
        None: others each time."""
        self._number += 1
        report = {
            "report_id": secrets.token_hex(8),
            "unit": self._unit,
            "event": self._event,
            "match": self._match,
            "side": side,
            "revision": 0,
            "result": {"score": {"a": 100, "b": self._number % 90 if loser is None else loser}},
        }
        return str(report["report_id"]), json.dumps({"report": report, "mac": sign(self._key, REPORT, report)}).encode()

    async def post(self, name: str, body: bytes) -> bool:
        """Whether the hub's signed echo says "accepted"."""
        answer = await self._connection.send("POST", "/device/report", "Content-Type: application/json\r\n", body)
        echo = open_envelope(self._key, ECHO, json.loads(answer.body))
        return echo is not None and echo.get("report_id") == name and echo.get("fate") == "accepted"


async def closed_loop(reporters: list[Reporter], order: dict[str, Any]) -> dict[str, Any]:
    """Each posts, waits for the echo, posts again: until `count` are posted, or `seconds` are over."""
    saved_ms: list[float] = []
    left, failures = order["count"], 0
    begin = time.monotonic()
    until = begin + order["seconds"]
    cpu = time.process_time()

    async def work(reporter: Reporter) -> None:
        nonlocal left, failures
        while left > 0 and time.monotonic() < until:
            left -= 1
            name, body = reporter.packed()
            sent = time.monotonic()
            try:
                async with asyncio.timeout(30):
                    good = await reporter.post(name, body)
            except (Broken, OSError, ValueError, TimeoutError, asyncio.IncompleteReadError):
                good = False
            failures += not good
            if good:
                saved_ms.append((time.monotonic() - sent) * 1000)

    await asyncio.gather(*map(work, reporters))
    return {
        "saved": len(saved_ms),
        "took_s": time.monotonic() - begin,
        "failures": failures,
        "saved_ms": saved_ms,
        "cpu_s": time.process_time() - cpu,
    }


async def one_side(reporters: list[Reporter], order: dict[str, Any]) -> dict[str, Any]:
    """At the first `count` tables side a reports, so that side b's word will settle each match."""
    return {"good": [await reporter.post(*reporter.packed("a", LOSER)) for reporter in reporters[: order["count"]]]}


async def steadily(reporters: list[Reporter], order: dict[str, Any]) -> dict[str, Any]:
    """Every `every_s` side b of the next table says what side a said, `count` tables in all: a result stands, and is
    shown. [when it was sent, when its echo came] of each that was accepted."""
    moments: list[tuple[float, float]] = []
    begin = time.monotonic()
    for number, reporter in enumerate(reporters[: order["count"]]):
        await asyncio.sleep(max(0.0, begin + number * order["every_s"] - time.monotonic()))
        name, body = reporter.packed("b", LOSER)
        sent = time.monotonic()
        try:
            if await reporter.post(name, body):
                moments.append((sent, time.monotonic()))
        except (Broken, OSError, ValueError, asyncio.IncompleteReadError):
            continue
    return {"moments": moments}


async def serve() -> None:
    orders = Orders()
    config = orders.next()
    reporters = [
        Reporter(config["port"], unit, bytes.fromhex(key), config.get("event", "e1"), f"1.{number}")
        for number, (unit, key) in enumerate(config["units"].items(), start=1)
    ]
    while True:
        order = await asyncio.to_thread(orders.next)
        work = {"closed_loop": closed_loop, "one_side": one_side, "steadily": steadily}[order["say"]]
        orders.answer(**await work(reporters, order))


if __name__ == "__main__":
    asyncio.run(serve())
