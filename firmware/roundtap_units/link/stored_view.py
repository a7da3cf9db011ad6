"""The last view of this table on the unit's disk: restarted without a hub, it still shows its match."""

import logging
import threading
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from roundtap_machine.atomic_write import write_atomically
from roundtap_units.link.checksum_lines import UNREADABLE, checksum_line, read_checksum_line
from roundtap_units.link.hub_time import mono_ms

log = logging.getLogger(__name__)

# True only for a moment, and not stored.
TRANSIENT = ("call", "call_closed", "call_ms", "leave_refused", "finished")
PAUSE_MS = 5000  # at most this often a view with the same match is written: cards wear out
CLOCK_MOVED_MS = 1500
BOOT_FILE = Path("/proc/sys/kernel/random/boot_id")


def read_boot_id() -> str:
    """The boot that this machine's monotonic clock counts from; "" where unknown."""
    try:
        return BOOT_FILE.read_text(encoding="ascii").strip()
    except (OSError, ValueError):
        return ""


class StoredView:
    """`view`: the last stored one, of this or an earlier process; None where there is none; `damaged`: there was one
    that cannot be shown. `deadline_here_ms`: when
    its round ends on this machine's monotonic clock, if that was known and the machine has not rebooted since. `update`
    takes each view, `tick` writes: at once where the match changed, else after a pause. One thread writes; any may call
    `held_match`. path None: nothing is stored."""

    def __init__(self, path: Path | None, boot: str = "", now_ms: Callable[[], int] = mono_ms) -> None:
        self._path, self._boot, self._now_ms = path, boot, now_ms
        self._lock = threading.Lock()
        self.view: Mapping[str, Any] | None = None
        self.damaged = False
        self.deadline_here_ms: int | None = None
        self._written: tuple[Mapping[str, Any] | None, int | None] = (None, None)
        self._next_ms: int | None = None
        if path is not None:
            self._read(path)

    def update(self, view: Mapping[str, Any]) -> None:
        """The view now on the table's screen: it can therefore be shown after a restart."""
        # Which wishes are recorded changes; that the hub says so does not: none is called requested before it has.
        stored = {name: value for name, value in view.items() if name not in TRANSIENT} | {
            "leave_asked": None if view.get("leave_asked") is None else []
        }
        with self._lock:
            if stored != self.view:
                self.view, self.deadline_here_ms = stored, None

    def discard(self) -> None:
        with self._lock:
            self.view, self.deadline_here_ms, self.damaged = None, None, True

    def tick(self, now_ms: int, deadline_here_ms: int | None) -> None:
        """Write if necessary. `deadline_here_ms`: when the round ends by the unit's clock, None: unknown."""
        with self._lock:
            before, before_ms = self._written
            if deadline_here_ms is not None and not nearly_equal(deadline_here_ms, self.deadline_here_ms):
                self.deadline_here_ms = deadline_here_ms
            if self.view == before and nearly_equal(self.deadline_here_ms, before_ms):
                return
            if _match(self.view) == _match(before) and self._next_ms is not None and now_ms < self._next_ms:
                return
            self._next_ms = now_ms + PAUSE_MS
            now = (self.view, self.deadline_here_ms)
            if self._write():
                self._written = now

    def held_match(self) -> dict[str, Any] | None:
        """The match on this table's screen, for the hub; None where there is none."""
        with self._lock:
            view, deadline_ms = self.view, self.deadline_here_ms
        if not view or not view.get("match"):
            return None
        try:
            match, round_, event = view["match"], view["round"], view["event"]
            return {
                "event": event["id"],
                "round": round_["number"],
                "stage": round_["stage"],
                "draw": match.get("draw"),
                "table": view.get("table"),
                "match": match["id"],
                "revision": match["revision"],
                "a": match["a"].get("id"),
                "b": match["b"].get("id") if match["b"] else None,
                "state": match.get("state"),
                "result": match.get("result"),
                "number": match.get("number"),
                "left_ms": None if deadline_ms is None else deadline_ms - self._now_ms(),
            }
        except (KeyError, TypeError, AttributeError):
            return None

    def _read(self, path: Path) -> None:
        try:
            line, _ = read_checksum_line(path.read_bytes())
            view, deadline_ms = line["view"], line["deadline_here_ms"]
            if not (view is None or isinstance(view, dict)) or not (deadline_ms is None or type(deadline_ms) is int):
                raise ValueError("no view")
        except (OSError, *UNREADABLE) as error:
            self.damaged = not isinstance(error, FileNotFoundError)
            if self.damaged:
                log.error("%s cannot be read, and the hub is waited for: %s", path, error)
            return
        self.view = view
        if self._boot and line.get("boot") == self._boot:
            self.deadline_here_ms = deadline_ms
        self._written = (view, self.deadline_here_ms)

    def _write(self) -> bool:
        if self._path is None:
            return True
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            write_atomically(
                self._path,
                checksum_line({"view": self.view, "boot": self._boot, "deadline_here_ms": self.deadline_here_ms}),
            )
        except (OSError, TypeError, ValueError) as error:
            log.error("%s cannot be written: %s", self._path, error)
            return False
        return True


def nearly_equal(one_ms: int | None, other_ms: int | None) -> bool:
    """Whether both are the same point in time, as far as a person could see."""
    if one_ms is None or other_ms is None:
        return one_ms is other_ms
    return abs(one_ms - other_ms) <= CLOCK_MOVED_MS


def _match(view: Mapping[str, Any] | None) -> object:
    """The part that must be up to date: who plays, the result, and whether the round has begun."""
    if view is None:
        return None
    clock = view.get("clock")
    state = clock.get("state") if isinstance(clock, Mapping) else None
    return view.get("table"), view.get("event"), view.get("round"), view.get("match"), state
