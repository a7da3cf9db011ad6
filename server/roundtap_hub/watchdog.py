"""Says to systemd that the hub is up, and goes on saying so for as long as it answers."""

from __future__ import annotations

import asyncio
import os
import socket
from collections.abc import Mapping

from roundtap_hub.journal.service import HubStopped, Service


class Notify:
    """systemd's notification protocol (sd_notify(3)); started by anybody else, it says nothing to nobody.

    `watchdog_s`: how often systemd wants to hear from this process, or None; half of its limit.
    """

    def __init__(self, environment: Mapping[str, str] = os.environ) -> None:
        self._address = environment.get("NOTIFY_SOCKET", "")
        limit_us = environment.get("WATCHDOG_USEC", "")
        for_us = environment.get("WATCHDOG_PID", "") in ("", str(os.getpid()))
        self.watchdog_s = int(limit_us) / 2_000_000 if limit_us.isdigit() and for_us else None

    def tell(self, state: str) -> None:
        """Send "READY=1", "WATCHDOG=1" or the like."""
        if not self._address:
            return
        # A leading "@" stands for the zero byte of Linux's abstract sockets.
        address = "\0" + self._address[1:] if self._address.startswith("@") else self._address
        try:
            with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as to_systemd:
                to_systemd.connect(address)
                to_systemd.send(state.encode())
        except OSError:
            # Not to be heard costs a restart at the worst; it must not cost the evening.
            return


async def keep_watchdog(notify: Notify, service: Service) -> None:
    """Tell systemd again and again that the hub lives, each time after the journal's writer has answered.

    Runs on the hub's event loop: a loop that stands still, or a writer that is dead or stuck, falls silent, and systemd
    starts the hub anew. A writer that refuses (a full disk) has answered.
    """
    if notify.watchdog_s is None:
        return
    while True:
        answer = asyncio.wrap_future(service.submit([], "watchdog"))
        await asyncio.wait([answer])
        if isinstance(answer.exception(), HubStopped):
            return
        notify.tell("WATCHDOG=1")
        await asyncio.sleep(notify.watchdog_s)
