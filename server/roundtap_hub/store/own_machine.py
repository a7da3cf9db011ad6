"""The hub's own machine: its cached checks, and its time of day, or the one offered by an organizer's browser.

No round depends on the time of day: rounds, sessions, limits and feeds use the monotonic clock. It is for walls, paper,
the journal's timestamps and certificates.
"""

import logging
import threading
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from roundtap_core.errors import Problem
from roundtap_hub.store.secure_files import write_private
from roundtap_machine.health import Check, MachineProbe
from roundtap_machine.root_steps import LATEST_S, SET_TIME, StepRefused, ask_root, is_plausible_time
from roundtap_machine.services import SystemdService, list_services, machine_checks
from roundtap_machine.wifi import hotspot_checks

T = TypeVar("T")

CACHE_TTL_MS = 5000

log = logging.getLogger(__name__)

FILE = "hall-time.json"
UNSET, BEHIND, UNSURE = "unset", "behind", "unsure"
"""Why the time is doubtful: it is before this program existed; it is before this hub's newest file; the machine has no
clock of its own, and has not been set since it was switched on."""
SLACK_S = 120  # allowance for a card's file system, which rounds, and for a clock that was corrected backwards a little

SYNCED = Path("/run/systemd/timesync/synchronized")
RTC = Path("/sys/class/rtc/rtc0/hctosys")
MODEL = Path("/proc/device-tree/model")


class OwnMachine:
    """Thread-safe. `folder`: the hub's own, if any; the other parameters are for tests."""

    def __init__(
        self,
        folder: Path | None = None,
        machine: MachineProbe | None = None,
        now_ms: Callable[[], int] = lambda: time.monotonic_ns() // 1_000_000,
        wall_s: Callable[[], float] = time.time,
        hotspot: Callable[[], list[Check]] = hotspot_checks,
        services: Callable[[], list[SystemdService]] = list_services,
    ) -> None:
        self.folder = folder
        self._machine = machine or MachineProbe(folder)
        self._now_ms = now_ms
        self._wall_s = wall_s
        self._hotspot, self._services = hotspot, services
        # Reentrant: a cached value may be made from another one.
        self._lock = threading.RLock()
        self._cache: dict[str, tuple[int, Any]] = {}

    def checks(self) -> tuple[Check, ...]:
        """The checks of roundtap_machine/services.py, at most some seconds old."""
        return self.cached(
            "checks", lambda: tuple(machine_checks(self._machine, self._wall_s(), self._services(), self._hotspot))
        )

    def cached(self, name: str, made: Callable[[], T]) -> T:
        """`made()`, cached by name for some seconds."""
        now_ms = self._now_ms()
        with self._lock:
            cached = self._cache.get(name)
            if cached is None or now_ms - cached[0] >= CACHE_TTL_MS:
                cached = self._cache[name] = now_ms, made()
            return cached[1]

    def pin_age_days(self) -> int | None:
        """The age of the hub's PIN; None where unknown."""
        if self.folder is None:
            return None
        try:
            made_s = (self.folder / "pin").stat().st_mtime
        except OSError:
            return None
        days = int((self._wall_s() - made_s) // 86_400)
        # A machine with a wrong time of day cannot tell.
        return days if 0 <= days < 10_000 else None


def has_clock(rtc: Path = RTC, model: Path = MODEL) -> bool:
    """Whether a hardware clock set the machine's time at boot (a Pi 5's, or one on I2C with "dtoverlay=i2c-rtc").
    Machines other than a Pi are assumed to have one."""
    with suppress(OSError):
        return rtc.read_text(encoding="ascii").strip() == "1"
    with suppress(OSError):
        return "raspberry pi" not in model.read_text(encoding="utf-8", errors="replace").lower()
    return True


class OfferedTime(msgspec.Struct):
    """What outlives a restart, in FILE: the boot it was written in, and `HallTime._offered` and `HallTime._wrong`."""

    boot: str
    offered: tuple[int, float] | None
    wrong: tuple[float, float] | None = None


class HallTime:
    """The hub's time of day; thread-safe. `folder`: where an offered time outlives a restart of the hub (not of its
    machine), if anywhere. `system_s`: the machine's clock; `mono_ms`, `boot_id`: the monotonic one. `synced`: whether
    the network has set the time; `own_clock`: see `has_clock`; `ask`: sets the machine's clock."""

    def __init__(
        self,
        folder: Path | None,
        boot_id: str,
        mono_ms: Callable[[], int],
        system_s: Callable[[], float] = time.time,
        synced: Callable[[], bool] = SYNCED.exists,
        own_clock: Callable[[], bool] = has_clock,
        ask: Callable[..., Mapping[str, Any]] = ask_root,
    ) -> None:
        self._path = None if folder is None else folder / FILE
        self._boot_id, self._mono_ms, self._system_s = boot_id, mono_ms, system_s
        self._synced, self._own_clock, self._ask = synced, own_clock, ask
        self._lock = threading.Lock()
        self._wrong: tuple[float, float] | None = None
        """The period in which a wrong clock ran, since corrected: file times from then prove nothing."""
        self._offered: tuple[int, float] | None = None
        """An offered time that the machine's clock could not be set to: the monotonic moment, and the time."""
        self.was_set = False  # whether an organizer has set the time since the machine was switched on
        self._read()
        self._written_s = _newest_file_s(folder, self._wrong)

    def now_s(self) -> float:
        """Seconds since 1970, doubtful or not."""
        offered = self._offered
        if offered is None or self._synced():
            return self._system_s()
        return offered[1] + (self._mono_ms() - offered[0]) / 1000

    def now(self) -> datetime:
        return datetime.fromtimestamp(min(max(self.now_s(), 0), LATEST_S), UTC)

    def wall(self) -> str | None:
        """The time of day for people and entries (ISO 8601, UTC); None where unknown."""
        return self.now().isoformat(timespec="seconds") if is_plausible_time(self.now_s()) else None

    def doubt(self) -> str:
        """UNSET, BEHIND or UNSURE; "" where the time is trusted."""
        now_s = self.now_s()
        if not is_plausible_time(now_s):
            return UNSET
        if self.was_set or self._synced():
            return ""
        if now_s < self._written_s - SLACK_S:
            return BEHIND
        return "" if self._own_clock() else UNSURE

    def set_to(self, epoch_ms: int) -> bool:
        """Set the time (milliseconds since 1970): the machine's clock where this hub may, and return True; else only
        the hub's own. Problem("hall_time_implausible")."""
        seconds = epoch_ms / 1000
        if not is_plausible_time(seconds):
            raise Problem("hall_time_implausible")
        with self._lock:
            before_s = self.now_s()
            if seconds + SLACK_S < before_s < LATEST_S:
                till_s = before_s + SLACK_S
                self._wrong = seconds + SLACK_S, max(till_s, self._wrong[1]) if self._wrong is not None else till_s
            try:
                self._ask(SET_TIME, seconds=round(seconds))
                self._offered, of_machine = None, True
            except (OSError, StepRefused) as refused:
                log.info("the machine's clock is not set: %s", refused)
                self._offered, of_machine = (self._mono_ms(), seconds), False
            self.was_set = True
            self._write()
        log.warning("an organizer's browser has set the time: %s", self.wall())
        return of_machine

    def _read(self) -> None:
        if self._path is None:
            return
        try:
            stored = msgspec.json.decode(self._path.read_bytes(), type=OfferedTime)
        except FileNotFoundError:
            return
        except (OSError, ValueError) as error:
            log.warning("%s cannot be read: %s", self._path, error)
            return
        self._wrong = stored.wrong
        if stored.boot == self._boot_id:
            self._offered, self.was_set = stored.offered, True

    def _write(self) -> None:
        if self._path is None:
            return
        try:
            write_private(self._path, msgspec.json.encode(OfferedTime(self._boot_id, self._offered, self._wrong)))
        except OSError as error:
            log.warning("the time that was offered is not on the disk: %s", error)


def _newest_file_s(folder: Path | None, wrong: tuple[float, float] | None) -> float:
    """The newest file time in the folder, outside the period `wrong`; 0 where unknown."""
    first, last = wrong or (LATEST_S, LATEST_S)
    try:
        times = [path.stat().st_mtime for path in folder.iterdir()] if folder is not None else []
    except OSError:
        return 0.0
    return max((each for each in times if each < LATEST_S and not first <= each <= last), default=0.0)
