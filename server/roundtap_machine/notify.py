"""A service and systemd: readiness and watchdog messages (sd_notify(3)), the signal to stop, and a restart."""

import contextlib
import os
import queue
import signal
import socket
import sys
from collections.abc import Callable, Mapping
from typing import NoReturn

STATUS_LETTERS_MAX = 1000


class SystemdNotifier:
    """systemd's notification protocol; does nothing in a process that systemd did not start. `every_ms`: the interval
    of watchdog messages, half of systemd's limit; None without a watchdog."""

    def __init__(self, environment: Mapping[str, str] = os.environ) -> None:
        self._address = environment.get("NOTIFY_SOCKET", "")
        limit_us = environment.get("WATCHDOG_USEC", "")
        for_us = environment.get("WATCHDOG_PID", "") in ("", str(os.getpid()))
        self.every_ms = int(limit_us) // 2000 if limit_us.isdigit() and for_us else None

    def send(self, state: str) -> None:
        """Send "READY=1", "WATCHDOG=1" or the like."""
        if not self._address:
            return
        # A leading "@" stands for the zero byte of Linux's abstract sockets.
        address = "\0" + self._address[1:] if self._address.startswith("@") else self._address
        # A lost message costs a restart at worst; an exception would stop the service.
        with contextlib.suppress(OSError), socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as to_systemd:
            to_systemd.connect(address)
            to_systemd.send(state.encode())

    def watch_within(self, limit_s: float | None = None) -> None:
        """Have the watchdog wait this long from now on; None: as long as the service's unit says."""
        if self.every_ms is not None:
            self.send(f"WATCHDOG_USEC={self.every_ms * 2000 if limit_s is None else int(limit_s * 1_000_000)}")

    def say(self, trouble: object) -> None:
        """The service's own word, which `roundtap doctor` repeats: what is wrong; "" where all is well."""
        self.send("STATUS=" + " ".join(str(trouble).split())[:STATUS_LETTERS_MAX])


def refuse(command: str, reason: object) -> int:
    """Say on stderr and to systemd what a person has to mend before this service can run; its exit code, 2."""
    print(f"roundtap {command}: {reason}", file=sys.stderr, flush=True)
    SystemdNotifier().say(reason)
    return 2


class Heartbeat:
    """A loop's messages to systemd: ready the first time, alive as often as the watchdog requires."""

    def __init__(self, notify: SystemdNotifier) -> None:
        self._notify = notify
        self._ready = False
        self._due_ms: int | None = None

    def beat(self, now_ms: int) -> None:
        """Call once per pass of the loop; `now_ms` is its monotonic time."""
        if not self._ready:
            self._ready = True
            self._notify.send("READY=1")
        if self._notify.every_ms is not None and (self._due_ms is None or now_ms >= self._due_ms):
            self._due_ms = now_ms + self._notify.every_ms
            self._notify.send("WATCHDOG=1")


class StopSignal:
    """Set by SIGTERM or Ctrl-C; made in the main thread. `tell` is called in the signal's handler. Not a
    threading.Event: a signal may interrupt its wait(), or a second one its set(), and the handler would wait for ever
    for the lock that this very thread holds. A SimpleQueue's `put` is safe in a handler."""

    def __init__(self, tell: Callable[[], None] = lambda: None) -> None:
        self._wake: queue.SimpleQueue[None] = queue.SimpleQueue()
        self._set = False

        def stop(*_: object) -> None:
            self._set = True
            self._wake.put(None)
            tell()

        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, stop)

    def is_set(self) -> bool:
        return self._set

    def wait(self, timeout_s: float) -> None:
        """Wait until the signal comes, at most for this time."""
        with contextlib.suppress(queue.Empty):
            self._wake.put(self._wake.get(timeout=timeout_s))


def restart_process() -> NoReturn:
    """Become a new process with the same command line and number, as systemd or a terminal started this one: whatever
    this one holds in memory, its open files included, ends with it."""
    sys.stdout.flush()
    # systemd takes it for the same process, whose last word it would keep.
    SystemdNotifier().send("WATCHDOG=1\nSTATUS=")
    os.execv(sys.executable, [sys.executable, *sys.orig_argv[1:]])
