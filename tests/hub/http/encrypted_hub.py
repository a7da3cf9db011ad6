"""A hub with an encrypted port, in a process of its own that tells how many bytes it has in use.

    python encrypted_hub.py FOLDER

It prints its encrypted port; then, for each line that it reads, {"bytes", "connections", "handshakes"}.
"""

import asyncio
import ctypes
import gc
import json
import sys
import time
from pathlib import Path

import uvicorn
from hub_kit import HandClock, hub_of, make_event, running

from roundtap_hub.app import server
from roundtap_hub.app.asgi import HubApplication
from roundtap_hub.app.server import SecureServer
from roundtap_hub.http import uvicorn_private
from roundtap_hub.http.connection_limits import (
    ENCRYPTED_MAX,
    PER_ADDRESS,
    ConnectionLimits,
    LimitedListener,
    raise_file_limit,
)
from roundtap_hub.http.tls import Certificates
from roundtap_hub.http.uvicorn_private import with_timeouts

NEVER_S = 3600
FIELDS = ("arena", "ordblks", "smblks", "hblks", "hblkhd", "usmblks", "fsmblks", "uordblks", "fordblks", "keepcost")


class Mallinfo(ctypes.Structure):
    _fields_ = [(name, ctypes.c_size_t) for name in FIELDS]


def bytes_in_use() -> int:
    """What Python, OpenSSL and the parsers have asked the C library for and not given back."""
    library = ctypes.CDLL(None)
    library.mallinfo2.restype = Mallinfo
    gc.collect()
    found = library.mallinfo2()
    return int(found.uordblks + found.hblkhd)


async def serve(folder: Path, application: HubApplication) -> None:
    limits = ConnectionLimits(100, time.monotonic)
    listener = LimitedListener()
    listener.limits = ConnectionLimits(ENCRYPTED_MAX, time.monotonic, PER_ADDRESS // 2)
    listener.bind(("127.0.0.1", 0))
    listener.listen(1024)
    listener.setblocking(False)
    config = uvicorn.Config(
        application,
        http=with_timeouts(limits),
        ws="none",
        lifespan="off",
        log_config=None,
        timeout_keep_alive=NEVER_S,
    )
    secure = SecureServer(config, Certificates(folder), limits)
    application.browsers.bind(asyncio.get_running_loop())
    serving = asyncio.create_task(secure.serve([listener]))
    print(listener.getsockname()[1], flush=True)
    while await asyncio.to_thread(sys.stdin.readline):
        print(
            json.dumps(
                {
                    "bytes": bytes_in_use(),
                    "connections": listener.limits.open_count,
                    "handshakes": secure._handshakes.open_count,
                }
            ),
            flush=True,
        )
    serving.cancel()


def main(folder: Path) -> None:
    raise_file_limit()
    # However long a busy machine takes to open them all, none is dropped before it was counted.
    server.SILENT_S = server.IDLE_S = server.HANDSHAKE_TIMEOUT_S = NEVER_S
    uvicorn_private.HEAD_WITHIN_S = uvicorn_private.FIRST_BYTE_WITHIN_S = NEVER_S
    clock = HandClock()
    with running(folder / "roundtap.db", clock) as service:
        make_event(service)
        asyncio.run(serve(folder, HubApplication(hub_of(service, clock))))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
