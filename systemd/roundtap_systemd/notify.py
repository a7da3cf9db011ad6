"""A service's word to systemd: that it is up, and that it lives (sd_notify(3))."""

from __future__ import annotations

import os
import socket
from collections.abc import Mapping


class Notify:
    """systemd's notification protocol; started by anybody else, it says nothing to nobody.

    `every_ms`: how often systemd wants to hear from this process, half of its limit; None: it has no watchdog.
    """

    def __init__(self, environment: Mapping[str, str] = os.environ) -> None:
        self._address = environment.get("NOTIFY_SOCKET", "")
        limit_us = environment.get("WATCHDOG_USEC", "")
        for_us = environment.get("WATCHDOG_PID", "") in ("", str(os.getpid()))
        self.every_ms = int(limit_us) // 2000 if limit_us.isdigit() and for_us else None

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


class Heartbeat:
    """Says for a loop that it came round: ready at the first time, alive as often as systemd's watchdog wants it."""

    def __init__(self, notify: Notify) -> None:
        self._notify = notify
        self._ready = False
        self._due_ms: int | None = None

    def alive(self, now_ms: int) -> None:
        """The loop has come round once more; `now_ms` is its monotonic time."""
        if not self._ready:
            self._ready = True
            self._notify.tell("READY=1")
        if self._notify.every_ms is not None and (self._due_ms is None or now_ms >= self._due_ms):
            self._due_ms = now_ms + self._notify.every_ms
            self._notify.tell("WATCHDOG=1")
