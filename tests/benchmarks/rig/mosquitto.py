"""mosquitto as a floor: a thousand subscribers by MQTT 3.1.1, QoS 0, and how long a message takes to all of them."""

import asyncio
import getpass
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from rig.hub_process import free_port

CONNECT, CONNACK, PUBLISH, SUBSCRIBE, SUBACK = 0x10, 0x20, 0x30, 0x82, 0x90
KEEP_ALIVE_S = 600
TOPIC = b"bench"


def broker() -> str | None:
    """The program, where it is installed (apt install mosquitto); Debian keeps it off a user's path."""
    return shutil.which("mosquitto") or shutil.which("mosquitto", path="/usr/sbin:/usr/local/sbin")


@contextmanager
def running(folder: Path, core: int | None) -> Iterator[tuple[int, int]]:
    """A broker on the hub's core: its port and process id."""
    port = free_port()
    (folder / "mosquitto.conf").write_text(
        f"listener {port} 127.0.0.1\nallow_anonymous true\nset_tcp_nodelay true\nuser {getpass.getuser()}\n"
    )
    on_core = ["taskset", "-c", str(core)] if core is not None else []
    # The kernel kills it when this process dies.
    process = subprocess.Popen(
        [*on_core, "setpriv", "--pdeathsig", "KILL", str(broker()), "-c", str(folder / "mosquitto.conf")],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        give_up = time.monotonic() + 10
        while True:
            try:
                socket.create_connection(("127.0.0.1", port), timeout=1).close()
                break
            except OSError:
                if time.monotonic() > give_up:
                    raise
                time.sleep(0.05)
        yield port, process.pid
    finally:
        process.terminate()
        process.wait(timeout=10)


async def fan_out(
    port: int, pid: int, subscribers: int, messages: int, every_s: float, size: int
) -> tuple[list[float], float]:
    """From publishing to each subscriber's having it, in milliseconds: `messages` × `subscribers` of them; and the
    broker's seconds of processor for each message."""
    taken: list[float] = []
    published: dict[bytes, float] = {}

    async def listen(reader: asyncio.StreamReader) -> None:
        while True:
            kind, body = await _packet(reader)
            if kind & 0xF0 == PUBLISH:
                number = body[2 + len(TOPIC) :][:8]
                taken.append((time.monotonic() - published[number]) * 1000)

    talks = [await _connected(port, f"s{n}") for n in range(subscribers)]
    listeners = []
    for reader, writer in talks:
        writer.write(_packed(SUBSCRIBE, b"\0\1" + _text(TOPIC) + b"\0"))
        kind, _ = await _packet(reader)
        assert kind == SUBACK
        listeners.append(asyncio.create_task(listen(reader)))
    _, writer = await _connected(port, "publisher")
    cpu_s = time.clock_gettime((~pid << 3) | 2)
    for count in range(messages):
        await asyncio.sleep(every_s)
        number = b"%08d" % count
        published[number] = time.monotonic()
        writer.write(_packed(PUBLISH, _text(TOPIC) + number + b"x" * (size - 8)))
    give_up = time.monotonic() + 10
    while len(taken) < messages * subscribers and time.monotonic() < give_up:
        await asyncio.sleep(0.05)
    cpu_s = time.clock_gettime((~pid << 3) | 2) - cpu_s
    for task in listeners:
        task.cancel()
    for _, each in [*talks, (None, writer)]:
        each.transport.abort()
    return taken, cpu_s / messages


async def _connected(port: int, name: str) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(_packed(CONNECT, _text(b"MQTT") + b"\4\2" + KEEP_ALIVE_S.to_bytes(2, "big") + _text(name.encode())))
    kind, body = await _packet(reader)
    assert (kind, body[1]) == (CONNACK, 0), "the broker refused"
    return reader, writer


def _text(text: bytes) -> bytes:
    return len(text).to_bytes(2, "big") + text


def _packed(kind: int, body: bytes) -> bytes:
    length, left = b"", len(body)
    while True:
        left, digit = left >> 7, left & 0x7F
        length += bytes([digit | (0x80 if left else 0)])
        if not left:
            return bytes([kind]) + length + body


async def _packet(reader: asyncio.StreamReader) -> tuple[int, bytes]:
    kind = (await reader.readexactly(1))[0]
    length = shift = 0
    while True:
        digit = (await reader.readexactly(1))[0]
        length |= (digit & 0x7F) << shift
        shift += 7
        if not digit & 0x80:
            return kind, await reader.readexactly(length)
