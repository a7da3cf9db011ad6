"""A service and systemd: its word that it is up and lives (sd_notify(3)), and being told to stop."""

from __future__ import annotations

import contextlib
import os
import queue
import signal
import socket
from collections.abc import Callable, Mapping


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
        # Not to be heard costs a restart at the worst; it must not cost the evening.
        with contextlib.suppress(OSError), socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as to_systemd:
            to_systemd.connect(address)
            to_systemd.send(state.encode())


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


class StopSignal:
    """Set by SIGTERM or Ctrl-C from now on; made in the main thread. `tell` is called in the signal's handler.

    No threading.Event: a signal may come while the main thread is inside its `wait`, or a second one inside its `set`,
    and the handler would wait for ever for the lock that this very thread holds. A SimpleQueue may be put to anywhere.
    """

    def __init__(self, tell: Callable[[], None] = lambda: None) -> None:
        self._told: queue.SimpleQueue[None] = queue.SimpleQueue()
        self._set = False

        def stop(*_: object) -> None:
            self._set = True
            self._told.put(None)
            tell()

        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, stop)

    def is_set(self) -> bool:
        return self._set

    def wait(self, timeout_s: float) -> None:
        """Until the signal comes, or for so long."""
        with contextlib.suppress(queue.Empty):
            self._told.put(self._told.get(timeout=timeout_s))
