"""The least that could be done instead, as servers for the same run: an echo on a socket, a bare ASGI stream.

Run by `Server("echo" | "stream", core)`; ends with its stdin.
"""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
import threading
import time
from collections.abc import MutableMapping
from contextlib import suppress
from pathlib import Path
from typing import Any


class Server:
    """One of these servers, on the hub's core."""

    def __init__(self, kind: str, core: int | None) -> None:
        on_core = ["taskset", "-c", str(core)] if core is not None else []
        self.process = subprocess.Popen(
            [*on_core, sys.executable, "-m", "rig.floor_servers", kind],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[1])},
        )
        self.port = int(self.process.stdout.readline())

    def __enter__(self) -> Server:
        return self

    def __exit__(self, *_: object) -> None:
        assert self.process.stdin is not None
        with suppress(OSError):
            self.process.stdin.close()
        try:
            self.process.wait(timeout=5)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()

    def cpu_s(self) -> float:
        return time.clock_gettime((~self.process.pid << 3) | 2)


async def echo() -> None:
    """Every message comes back."""

    async def talk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while data := await reader.read(65536):
            writer.write(data)

    server = await asyncio.start_server(talk, "127.0.0.1", 0)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()


async def stream() -> None:
    """`GET /feed`: server-sent events; `POST /`: its body is told to all of them. Uvicorn and nothing else."""
    import socket

    import uvicorn

    queues: set[asyncio.Queue[bytes]] = set()

    async def application(scope: MutableMapping[str, Any], receive: Any, send: Any) -> None:
        if scope["type"] != "http":
            return
        if scope["method"] == "POST":
            body = (await receive())["body"]
            for queue in queues:
                queue.put_nowait(b"event: patch\ndata: " + body + b"\n\n")
            await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"2")]})
            await send({"type": "http.response.body", "body": b"ok"})
            return
        queue: asyncio.Queue[bytes] = asyncio.Queue()
        queues.add(queue)
        await send({"type": "http.response.start", "status": 200, "headers": [(b"content-type", b"text/event-stream")]})
        try:
            while True:
                await send({"type": "http.response.body", "body": await queue.get(), "more_body": True})
        finally:
            queues.discard(queue)

    listener = socket.socket()
    listener.bind(("127.0.0.1", 0))
    listener.listen(1024)
    print(listener.getsockname()[1], flush=True)
    config = uvicorn.Config(
        application,
        loop="asyncio",
        ws="none",
        lifespan="off",
        log_level="error",
        access_log=False,
        timeout_keep_alive=60,
    )
    await uvicorn.Server(config).serve(sockets=[listener])


def _end_with_stdin() -> None:
    sys.stdin.read()
    os._exit(0)


if __name__ == "__main__":
    threading.Thread(target=_end_with_stdin, daemon=True).start()
    asyncio.run({"echo": echo, "stream": stream}[sys.argv[1]]())
