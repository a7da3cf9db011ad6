"""Goes on saying to systemd that the hub lives, for as long as it answers what people ask of it."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence

from roundtap_hub.journal.service import HubStopped
from roundtap_systemd.notify import Notify

Way = Callable[[], Awaitable[object]]
"""One thing that the hub is there for: returns, or raises, once it was answered."""


async def keep_watchdog(notify: Notify, ways: Sequence[Way]) -> None:
    """Tell systemd again and again that the hub lives, each time after every one of `ways` was answered.

    Runs on the hub's event loop: a loop that stands still, a writer that is dead or stuck, or pages that come no more,
    fall silent, and systemd starts the hub anew. Who refuses (a full disk) has answered. Ends when the hub stops.
    """
    if notify.every_ms is None:
        return
    while True:
        answers = [asyncio.ensure_future(way()) for way in ways]
        try:
            await asyncio.wait(answers)
        finally:
            for answer in answers:
                answer.cancel()
        if any(isinstance(answer.exception(), HubStopped) for answer in answers):
            return
        notify.tell("WATCHDOG=1")
        await asyncio.sleep(notify.every_ms / 1000)
