"""A bad network: a proxy that holds each packet for 0-100 ms, drawn anew for every one, each way, in order.

Run by `ClientProcess("rig.delaying_proxy", port=…, delay_ms=100, seed=…)`; answers with its own port.
"""

import asyncio
import random
import socket
from contextlib import suppress

from rig.client_process import Orders

PACKET_BYTES = 65536


async def carry(
    reader: asyncio.StreamReader, writer: asyncio.StreamWriter, delay_s: float, rand: random.Random
) -> None:
    """What comes in goes out later; nothing overtakes. The reading goes on meanwhile, as packets on their way do."""
    loop = asyncio.get_running_loop()
    waiting: asyncio.Queue[tuple[float, bytes]] = asyncio.Queue()

    async def deliver() -> None:
        while True:
            due, data = await waiting.get()
            await asyncio.sleep(max(0.0, due - loop.time()))
            if not data:
                writer.close()
                return
            writer.write(data)

    delivery = asyncio.create_task(deliver())
    with suppress(OSError):
        while data := await reader.read(PACKET_BYTES):
            waiting.put_nowait((loop.time() + rand.random() * delay_s, data))
    waiting.put_nowait((loop.time(), b""))
    with suppress(OSError):
        await delivery


async def serve() -> None:
    orders = Orders()
    config = orders.next()
    rand, delay_s = random.Random(config["seed"]), config["delay_ms"] / 1000

    async def talk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            there, back = await asyncio.open_connection("127.0.0.1", config["port"])
        except OSError:
            writer.close()
            return
        for end in (writer, back):
            end.get_extra_info("socket").setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        await asyncio.gather(carry(reader, back, delay_s, rand), carry(there, writer, delay_s, rand))

    server = await asyncio.start_server(talk, "127.0.0.1", 0)
    orders.answer(port=server.sockets[0].getsockname()[1])
    await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(serve())
