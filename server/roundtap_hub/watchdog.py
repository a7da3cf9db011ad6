"""Goes on saying to systemd that the hub lives, for as long as its journal's writer answers."""

from __future__ import annotations

import asyncio

from roundtap_hub.journal.service import HubStopped, Service
from roundtap_systemd.notify import Notify


async def keep_watchdog(notify: Notify, service: Service) -> None:
    """Tell systemd again and again that the hub lives, each time after the journal's writer has answered.

    Runs on the hub's event loop: a loop that stands still, or a writer that is dead or stuck, falls silent, and systemd
    starts the hub anew. A writer that refuses (a full disk) has answered.
    """
    if notify.every_ms is None:
        return
    while True:
        answer = asyncio.wrap_future(service.submit([], "watchdog"))
        await asyncio.wait([answer])
        if isinstance(answer.exception(), HubStopped):
            return
        notify.tell("WATCHDOG=1")
        await asyncio.sleep(notify.every_ms / 1000)
