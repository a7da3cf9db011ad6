"""The virtual network of one table: it carries the unit's connections to the hub until it is pulled out."""

import asyncio
import contextlib
import socket

CHUNK_BYTES = 64 * 1024
LOOPBACK = "127.0.0.1"


class VirtualCable:
    """Forwards TCP from `port` to the hub. While it is out, nothing passes in either direction and nothing is answered,
    as on a lost Wi-Fi; open connections go on once it is in again. `port` accepts connections from the start, and they
    are served from `start` on."""

    def __init__(self, hub_port: int) -> None:
        self._hub_port = hub_port
        self._listener = socket.create_server((LOOPBACK, 0))
        self.port: int = self._listener.getsockname()[1]
        self._plugged_in = asyncio.Event()
        self._plugged_in.set()
        self._server: asyncio.Server | None = None
        self._carrying: set[asyncio.Task[None]] = set()

    @property
    def plugged_in(self) -> bool:
        return self._plugged_in.is_set()

    def plug(self, into: bool) -> None:
        """Called from the loop of `start`."""
        if into:
            self._plugged_in.set()
        else:
            self._plugged_in.clear()

    async def start(self) -> None:
        self._server = await asyncio.start_server(self._accept, sock=self._listener)

    def close(self) -> None:
        """Accept no more connections. Open ones end with their loop."""
        if self._server is not None:
            self._server.close()
        self._listener.close()

    def _accept(self, unit: asyncio.StreamReader, to_unit: asyncio.StreamWriter) -> None:
        # asyncio's own task for a connection complains with a traceback when it is cancelled, as at the demo's end.
        carrying = asyncio.get_running_loop().create_task(self._carry(unit, to_unit))
        self._carrying.add(carrying)
        carrying.add_done_callback(self._carrying.discard)

    async def _carry(self, unit: asyncio.StreamReader, to_unit: asyncio.StreamWriter) -> None:
        await self._plugged_in.wait()
        with contextlib.closing(to_unit), contextlib.suppress(OSError):
            hub, to_hub = await asyncio.open_connection(LOOPBACK, self._hub_port)
            with contextlib.closing(to_hub):
                await asyncio.wait(
                    [asyncio.create_task(self._pump(unit, to_hub)), asyncio.create_task(self._pump(hub, to_unit))],
                    return_when=asyncio.FIRST_COMPLETED,
                )

    async def _pump(self, source: asyncio.StreamReader, sink: asyncio.StreamWriter) -> None:
        with contextlib.suppress(OSError):
            while data := await source.read(CHUNK_BYTES):
                await self._plugged_in.wait()
                sink.write(data)
                await sink.drain()
