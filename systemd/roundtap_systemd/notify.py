"""Says to systemd that a unit is up, and goes on saying so for as long as its loop steps."""

from __future__ import annotations

import os
import socket
from collections.abc import Mapping


class Notify:
    """systemd's notification protocol (sd_notify(3)); started by anybody else, it says nothing to nobody.

    Call `alive(now_ms)` (monotonic milliseconds) at each step of the loop, as often as you like: the first call says
    READY=1, and WATCHDOG=1 follows at half of systemd's limit.
    """

    def __init__(self, environment: Mapping[str, str] = os.environ) -> None:
        self._address = environment.get("NOTIFY_SOCKET", "")
        limit_us = environment.get("WATCHDOG_USEC", "")
        for_us = environment.get("WATCHDOG_PID", "") in ("", str(os.getpid()))
        self._every_ms = int(limit_us) // 2000 if limit_us.isdigit() and for_us else None
        self._ready = False
        self._due_ms: int | None = None

    def alive(self, now_ms: int) -> None:
        """The loop has come round once more."""
        if not self._ready:
            self._ready = True
            self._tell("READY=1")
        if self._every_ms is not None and (self._due_ms is None or now_ms >= self._due_ms):
            self._due_ms = now_ms + self._every_ms
            self._tell("WATCHDOG=1")

    def _tell(self, state: str) -> None:
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
