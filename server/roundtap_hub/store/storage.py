"""How the disk and the copies are that the journal is kept on, as the console tells it."""

from __future__ import annotations

import errno
import threading
from collections.abc import Callable
from dataclasses import dataclass

from roundtap_core.errors import Problem
from roundtap_hub.store.copies import AWAY, CATCHING_UP, CURRENT, EJECTED, REFUSED, SLOW, CopyState

FULL, READ_ONLY, FAILING, LOW, SLOW_DISK = "full", "read-only", "failing", "low", "slow"
WARNING, NOTE = "warning", "note"

SLOW_MS = 3000
"""A commit that takes longer is said to be slow: a worn card, or a stick that is full of something else."""
FREE_LOW_BYTES = 64 * 1024 * 1024
LOG_BIG_BYTES = 256 * 1024 * 1024
"""The write-ahead log of a database that somebody reads for hours."""
WELL_AGAIN_MS = 120_000
"""So long it is still said that the disk works again."""

_BY_ERRNO = {errno.ENOSPC: FULL, errno.EDQUOT: FULL, errno.EFBIG: FULL, errno.EROFS: READ_ONLY}


@dataclass(frozen=True, slots=True)
class StorageLine:
    """One thing to tell an organizer: the text "storage.KEY" and its parameters; `problem`: what a person has to do."""

    key: str
    level: str = WARNING
    name: str = ""
    n: int = 0
    since_ms: int | None = None
    problem: Problem | None = None


class StorageState:
    """Any thread may tell and ask. `copies_of`: asks for the copies' states; None where the journal is a database's,
    and copies are that one's matter."""

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
        self.copies_of: Callable[[], list[CopyState]] | None = None

    def listen(self, listener: Callable[[], None]) -> None:
        """Called, from any thread, whenever another line is to be shown."""
        self._listeners.append(listener)

    @property
    def fails(self) -> bool:
        """Whether the last that was written, or tried, failed."""
        return bool(self._trouble)

    def failed(self, number: int | None) -> None:
        """Something could not be written; `number` as of an OSError."""
        with self._lock:
            trouble = _BY_ERRNO.get(number or 0, FAILING)
            if not self._trouble:
                self._since_ms = self._mono_ms()
            # "No space" says more than what follows from it.
            self._trouble = self._trouble if self._trouble in (FULL, READ_ONLY) and trouble == FAILING else trouble
            self._well_since_ms = None
        self._tell_another()

    def written(self, took_ms: int = 0) -> None:
        """Something was written, and synced."""
        with self._lock:
            if self._trouble:
                self._was, self._trouble, self._well_since_ms = self._trouble, "", self._mono_ms()
            if took_ms >= SLOW_MS:
                self._slow_ms, self._slow_at_ms = took_ms, self._mono_ms()
        self._tell_another()

    def looked(self, free_bytes: int, read_only: bool, log_bytes: int) -> None:
        """What the file system says of itself, now and then."""
        self._low, self._log_bytes = free_bytes < FREE_LOW_BYTES, log_bytes if log_bytes >= LOG_BIG_BYTES else 0
        if read_only:
            self.failed(errno.EROFS)
        else:
            self._tell_another()

    def head_noted(self, well: bool) -> None:
        """Whether the head file could be written after a commit."""
        self._head_fails = not well
        self._tell_another()

    def backup_made(self, problem: Problem | None) -> None:
        """None: the newest backup is on the disk."""
        self._backup = problem
        self._tell_another()

    def _tell_another(self) -> None:
        shown, self._shown = self._shown, self.version
        if shown != self._shown:
            self.changed()

    def changed(self) -> None:
        for listener in self._listeners:
            listener()

    def lines(self) -> list[StorageLine]:
        """What is to be shown now, the worst first."""
        found, now_ms = list[StorageLine](), self._mono_ms()
        if self._trouble:
            found.append(StorageLine(self._trouble, since_ms=self._since_ms))
        elif self._well_since_ms is not None and now_ms - self._well_since_ms < WELL_AGAIN_MS:
            found.append(StorageLine("well", NOTE, name=self._was))
        if self._low and self._trouble != FULL:
            found.append(StorageLine(LOW))
        if self._slow_ms and now_ms - self._slow_at_ms < WELL_AGAIN_MS:
            found.append(StorageLine(SLOW_DISK, n=self._slow_ms // 1000))
        if self._log_bytes:
            found.append(StorageLine("log", n=self._log_bytes // 1_000_000))
        if self._head_fails and not self._trouble:
            found.append(StorageLine("head"))
        if self._backup is not None:
            found.append(StorageLine("backup", problem=self._backup))
        return found + self._copy_lines()

    @property
    def version(self) -> str:
        """Another text whenever another line is shown."""
        return "|".join(f"{line.key}/{line.name}/{line.n}/{line.since_ms}/{line.problem}" for line in self.lines())

    def _copy_lines(self) -> list[StorageLine]:
        if self.copies_of is None:
            return []
        states = self.copies_of()
        lines = [StorageLine(f"copy.{state.state}", WARNING if state.state in (AWAY, EJECTED, SLOW, REFUSED) else NOTE,
                             name=state.name, problem=state.problem)
                 for state in states if state.state != CURRENT]
        current = [state.name for state in states if state.state == CURRENT]
        if current:
            lines.append(StorageLine("copies", NOTE, name=", ".join(current), n=len(current) + 1))
        else:
            lines.append(StorageLine("one_copy", WARNING if any(s.state != CATCHING_UP for s in states) else NOTE))
        return lines
