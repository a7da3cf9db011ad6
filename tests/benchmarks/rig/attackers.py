"""Phones that want the hub for themselves: sixty connections an address that ask without end; and crowds over TLS.

Run by `ClientProcess("rig.attackers", port=…, secure_port=…)`. Each address is one of 127.0.1.*.
"""

import asyncio
import resource
import ssl
from contextlib import suppress
from typing import Any

from rig.client_process import Orders
from rig.http_talk import Broken, Connection

CONNECTIONS = 60
ASKED = ("/e/e1?lang=pl", "/e/e1?lang=de", "/e/e1/standings?lang=pl", "/e/e1/pairings?lang=de")
"""Pages that no cache answers, as each sets the reader's language."""
TLS_EACH = 30
OPEN_S = 120.0


def address(number: int) -> str:
    return f"127.0.1.{1 + number}"


async def ask_without_end(connection: Connection, path: str, counts: dict[str, int]) -> None:
    """One request after the other, none later than the answer before it."""
    while True:
        try:
            answer = await connection.get(path)
            counts[str(answer.status)] = counts.get(str(answer.status), 0) + 1
        except (Broken, OSError, asyncio.IncompleteReadError):
            counts["broken"] = counts.get("broken", 0) + 1
            connection.close()
            await asyncio.sleep(0.05)


class Attack:
    """What is under way, until it is ended."""

    def __init__(self, config: dict[str, Any]) -> None:
        self._config = config
        self._tasks: list[asyncio.Task[None]] = []
        self._writers: list[asyncio.StreamWriter] = []
        self._counts: dict[str, int] = {}

    async def ask(self, order: dict[str, Any]) -> dict[str, Any]:
        """From each of `addresses`, CONNECTIONS connections that ask."""
        self._tasks = [
            asyncio.create_task(
                ask_without_end(
                    Connection(self._config["port"], address(source)), ASKED[number % len(ASKED)], self._counts
                )
            )
            for source in range(order["addresses"])
            for number in range(CONNECTIONS)
        ]
        return {}

    async def connect(self, order: dict[str, Any]) -> dict[str, Any]:
        """`count` connections, from as many addresses as that takes: plain, over TLS, or over TLS with a feed (`how`).
        Those that the hub still holds."""
        gate = asyncio.Semaphore(8)

        async def one(number: int) -> None:
            async with gate:
                with suppress(OSError, asyncio.IncompleteReadError):
                    await self._open(order["how"], address(number // TLS_EACH))

        async with asyncio.timeout(OPEN_S):
            await asyncio.gather(*(one(number) for number in range(order["count"])))
        await asyncio.sleep(0.5)
        return {"open": sum(not writer.transport.is_closing() for writer in self._writers)}

    async def _open(self, how: str, source: str) -> None:
        encrypted = ssl._create_unverified_context() if how != "plain" else None
        port = self._config["port" if how == "plain" else "secure_port"]
        reader, writer = await asyncio.open_connection(
            "127.0.0.1", port, local_addr=(source, 0), ssl=encrypted, limit=4096
        )
        if how == "feed":
            writer.write(b"GET /feed?page=e/e1&lang=en HTTP/1.1\r\nHost: localhost\r\n\r\n")
            await reader.readuntil(b"\n\n")
        self._writers.append(writer)

    async def end(self, _: dict[str, Any]) -> dict[str, Any]:
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        for writer in self._writers:
            writer.transport.abort()
        counts, self._counts, self._tasks, self._writers = self._counts, {}, [], []
        return {"counts": counts}


async def serve() -> None:
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    orders = Orders()
    attack = Attack(orders.next())
    while True:
        order = await asyncio.to_thread(orders.next)
        work = {"ask": attack.ask, "connect": attack.connect, "end": attack.end}[order["say"]]
        orders.answer(**await work(order))


if __name__ == "__main__":
    asyncio.run(serve())
