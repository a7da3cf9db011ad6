"""The hub's own machine as the console shows it: its checks, looked at now and then, never by every page anew."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

from roundtap_systemd.checks import Check
from roundtap_systemd.health import Machine, health
from roundtap_systemd.wifi import hotspot_checks

T = TypeVar("T")

LOOK_EVERY_MS = 5000


class OwnMachine:
    """Any thread may ask. `folder`: the hub's own, None for one that has none; `machine`, `now_ms` and `wall_s` are
    for tests."""

    def __init__(self, folder: Path | None = None, machine: Machine | None = None,
                 now_ms: Callable[[], int] = lambda: time.monotonic_ns() // 1_000_000,
                 wall_s: Callable[[], float] = time.time,
                 hotspot: Callable[[], list[Check]] = hotspot_checks) -> None:
        self.folder = folder
        self._machine = machine or Machine(folder)
        self._now_ms = now_ms
        self._wall_s = wall_s
        self._hotspot = hotspot
        # What is kept may be made of something that is kept.
        self._lock = threading.RLock()
        self._kept: dict[str, tuple[int, Any]] = {}

    def checks(self) -> tuple[Check, ...]:
        """All of roundtap_systemd/health.py, and its hotspot, at most some seconds old."""
        return self.kept("checks", lambda: (*health(self._machine, self._wall_s()), *self._hotspot()))

    def kept(self, name: str, made: Callable[[], T]) -> T:
        """Something that costs something to work out, at most some seconds old."""
        now_ms = self._now_ms()
        with self._lock:
            known = self._kept.get(name)
            if known is None or now_ms - known[0] >= LOOK_EVERY_MS:
                known = self._kept[name] = now_ms, made()
            return known[1]

    def pin_age_days(self) -> int | None:
        """How long ago the hub's PIN was made; None where nobody knows."""
        if self.folder is None:
            return None
        try:
            made_s = (self.folder / "pin").stat().st_mtime
        except OSError:
            return None
        days = int((self._wall_s() - made_s) // 86_400)
        # A machine without the time of day is no witness of it.
        return days if 0 <= days < 10_000 else None
