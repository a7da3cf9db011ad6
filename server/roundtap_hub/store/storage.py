"""The state of the disk, copies and backups that the console shows."""

import errno
import threading
from collections.abc import Callable
from dataclasses import dataclass

from roundtap_core.errors import Problem
from roundtap_hub.store.copies import AWAY, CATCHING_UP, CURRENT, EJECTED, REFUSED, SLOW, CopyState
from roundtap_hub.store.secure_files import MOVED
from roundtap_machine.disk import FAILING, FULL, disk_fault

LOW, SLOW_DISK, BUSY = "low", "slow", "continuing"
WARNING, NOTE = "warning", "note"

SLOW_MS = 3000  # a slower commit is reported: a worn card, or a stick that is full of other files
FREE_LOW_BYTES = 64 * 1024 * 1024
LOG_BIG_BYTES = 256 * 1024 * 1024  # the write-ahead log grows like this while a reader holds the database for hours
NOT_CONTINUED_MS = 600_000  # how long it is shown why an event was not continued
WELL_AGAIN_MS = 120_000  # how long a recovery of the disk is shown


@dataclass(frozen=True, slots=True)
class StorageLine:
    """One line for an organizer: the text "storage.KEY" and its parameters; `problem`: what a person must do."""

    key: str
    level: str = WARNING
    name: str = ""
    n: int = 0
    since_ms: int | None = None
    problem: Problem | None = None


class StorageState:
    """Thread-safe. `copies_of`: returns the copies' states; None if the database server keeps the copies."""

    def __init__(self, mono_ms: Callable[[], int]) -> None:
        self._mono_ms = mono_ms
        self._lock = threading.Lock()
        self._listeners: list[Callable[[], None]] = []
        self._trouble = ""
        self._since_ms = 0
        self._well_since_ms: int | None = None
        self._was = ""
        self._slow_ms = 0
        self._slow_at_ms = 0
        self._low = False
        self._log_bytes = 0
        self._head_fails = False
        self._backup: Problem | None = None
        self._shown = ""
        self.mended = False
        """Whether this start has made the journal anew (store/continuing.py)."""
        self.continuing: StorageLine | None = None
        self._tried_at_ms = 0
        """That this hub is about to continue another one's event, or why it did not (store/continuing.py)."""
        self.copies_of: Callable[[], list[CopyState]] | None = None

    def listen(self, listener: Callable[[], None]) -> None:
        """Add a listener, called from any thread whenever the lines change."""
        self._listeners.append(listener)

    @property
    def fault(self) -> str:
        """How the last write, or attempt, failed: FULL, READ_ONLY, FAILING, MOVED; "" if it did not."""
        return self._trouble

    def failed(self, number: int | None) -> None:
        """A write failed; `number` as of an OSError."""
        with self._lock:
            trouble = MOVED if number == errno.ESTALE else disk_fault(number)
            if not self._trouble:
                self._since_ms = self._mono_ms()
            # "No space" is more specific than its consequences; of another folder nothing is to be known.
            keeps = self._trouble and (trouble == FAILING or self._trouble == MOVED)
            self._trouble = self._trouble if keeps else trouble
            self._well_since_ms = None
        self._notify_if_changed()

    def written(self, took_ms: int = 0) -> None:
        """A write was synced."""
        with self._lock:
            if self._trouble:
                self._was, self._trouble, self._well_since_ms = self._trouble, "", self._mono_ms()
            if took_ms >= SLOW_MS:
                self._slow_ms, self._slow_at_ms = took_ms, self._mono_ms()
        self._notify_if_changed()

    def disk_checked(self, free_bytes: int, read_only: bool, log_bytes: int) -> None:
        """A regular check of the file system."""
        self._low, self._log_bytes = free_bytes < FREE_LOW_BYTES, log_bytes if log_bytes >= LOG_BIG_BYTES else 0
        if read_only:
            self.failed(errno.EROFS)
        else:
            self._notify_if_changed()

    def head_noted(self, well: bool) -> None:
        """Whether the head file could be written after a commit."""
        self._head_fails = not well
        self._notify_if_changed()

    def backup_made(self, problem: Problem | None) -> None:
        """The outcome of a backup; None: it is on the disk."""
        self._backup = problem
        self._notify_if_changed()

    def tell_continuing(self, line: StorageLine) -> None:
        self.continuing, self._tried_at_ms = line, self._mono_ms()
        self.changed()

    def _notify_if_changed(self) -> None:
        shown, self._shown = self._shown, self.version
        if shown != self._shown:
            self.changed()

    def changed(self) -> None:
        for listener in self._listeners:
            listener()

    def lines(self) -> list[StorageLine]:
        """The current lines, the worst first."""
        lines, now_ms = list[StorageLine](), self._mono_ms()
        if self._trouble:
            lines.append(StorageLine(self._trouble, since_ms=self._since_ms))
        elif self._well_since_ms is not None and now_ms - self._well_since_ms < WELL_AGAIN_MS:
            lines.append(StorageLine("well", NOTE, name=self._was))
        tried = self.continuing
        if tried is not None and (tried.key == BUSY or now_ms - self._tried_at_ms < NOT_CONTINUED_MS):
            lines.append(tried)
        if self._low and self._trouble != FULL:
            lines.append(StorageLine(LOW))
        if self._slow_ms and now_ms - self._slow_at_ms < WELL_AGAIN_MS:
            lines.append(StorageLine(SLOW_DISK, n=self._slow_ms // 1000))
        if self._log_bytes:
            lines.append(StorageLine("log", n=self._log_bytes // 1_000_000))
        if self._head_fails and not self._trouble:
            lines.append(StorageLine("head"))
        if self.mended:
            lines.append(StorageLine("mended"))
        if self._backup is not None:
            lines.append(StorageLine("backup", problem=self._backup))
        return lines + self._copy_lines()

    @property
    def version(self) -> str:
        """A text that changes whenever the lines change."""
        return "|".join(f"{line.key}/{line.name}/{line.n}/{line.since_ms}/{line.problem}" for line in self.lines())

    def _copy_lines(self) -> list[StorageLine]:
        if self.copies_of is None:
            return []
        states = self.copies_of()
        lines = [
            StorageLine(
                f"copy.{state.state}",
                WARNING if state.state in (AWAY, EJECTED, SLOW, REFUSED) else NOTE,
                name=state.name,
                problem=state.problem,
            )
            for state in states
            if state.state != CURRENT
        ]
        current = [state.name for state in states if state.state == CURRENT]
        if current:
            lines.append(StorageLine("copies", NOTE, name=", ".join(current), n=len(current) + 1))
        else:
            lines.append(StorageLine("one_copy", WARNING if any(s.state != CATCHING_UP for s in states) else NOTE))
        return lines
