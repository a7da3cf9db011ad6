"""A commit, and what it takes until anybody may hear of it: it is known to be saved, and copied. Then the head file."""

from __future__ import annotations

import errno
import logging
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from sqlmodel import SQLModel

from roundtap_core.errors import Problem
from roundtap_core.event.entries import Entry
from roundtap_hub.journal.clocks import Clocks
from roundtap_hub.journal.copies import AWAY, CATCHING_UP, CURRENT, LET_GO, REFUSED, SLOW, Batch, Copies, CopyState
from roundtap_hub.journal.head_file import HeadFile
from roundtap_hub.journal.journal import Journal, JournalConflict, PersonRecord, person_row

log = logging.getLogger(__name__)

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
            changed = trouble != self._trouble
            if not self._trouble:
                self._since_ms = self._mono_ms()
            # "No space" says more than what follows from it.
            self._trouble = self._trouble if self._trouble in (FULL, READ_ONLY) and trouble == FAILING else trouble
            self._well_since_ms = None
        if changed:
            self.changed()

    def written(self, took_ms: int = 0) -> None:
        """Something was written, and synced."""
        with self._lock:
            before = self._trouble, self._slow_ms
            now = self._mono_ms()
            if self._trouble:
                self._was, self._trouble, self._well_since_ms = self._trouble, "", now
            if took_ms >= SLOW_MS:
                self._slow_ms, self._slow_at_ms = took_ms, now
            elif self._slow_ms and now - self._slow_at_ms >= WELL_AGAIN_MS:
                self._slow_ms = 0
            changed = before != (self._trouble, self._slow_ms)
        if changed:
            self.changed()

    def looked(self, free_bytes: int, read_only: bool, log_bytes: int) -> None:
        """What the file system says of itself, now and then."""
        with self._lock:
            low, big = free_bytes < FREE_LOW_BYTES, log_bytes if log_bytes >= LOG_BIG_BYTES else 0
            changed = (low, bool(big)) != (self._low, bool(self._log_bytes))
            self._low, self._log_bytes = low, big
            now = self._mono_ms()
            if self._well_since_ms is not None and now - self._well_since_ms >= WELL_AGAIN_MS:
                self._well_since_ms, changed = None, True
            if self._slow_ms and now - self._slow_at_ms >= WELL_AGAIN_MS:
                self._slow_ms, changed = 0, True
        if read_only:
            self.failed(errno.EROFS)
        elif changed:
            self.changed()

    def head_noted(self, well: bool) -> None:
        """Whether the head file could be written after a commit."""
        if self._head_fails == well:
            self._head_fails = not well
            self.changed()

    def backup_made(self, problem: Problem | None) -> None:
        """None: the newest backup is on the disk."""
        before, self._backup = self._backup, problem
        if (before is None) != (problem is None) or str(before) != str(problem):
            self.changed()

    def changed(self) -> None:
        for listener in self._listeners:
            listener()

    def lines(self) -> list[StorageLine]:
        """What is to be shown now, the worst first."""
        found: list[StorageLine] = []
        if self._trouble:
            found.append(StorageLine(self._trouble, since_ms=self._since_ms))
        elif self._well_since_ms is not None:
            found.append(StorageLine("well", NOTE, name=self._was))
        if self._low and self._trouble != FULL:
            found.append(StorageLine(LOW))
        if self._slow_ms:
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
        lines = [StorageLine(f"copy.{state.state}", WARNING if state.state in (AWAY, LET_GO, SLOW, REFUSED) else NOTE,
                             name=state.name, problem=state.problem)
                 for state in states if state.state != CURRENT]
        current = [state.name for state in states if state.state == CURRENT]
        if current:
            lines.append(StorageLine("copies", NOTE, name=", ".join(current), n=len(current) + 1))
        else:
            lines.append(StorageLine("one_copy", WARNING if any(s.state != CATCHING_UP for s in states) else NOTE))
        return lines


class InDoubt(Exception):
    """Nobody knows yet whether a commit is saved."""


class Committer:
    """Writes batches for the service's one writer, and keeps `storage` true about the disk."""

    def __init__(self, journal: Journal, clocks: Clocks, at_point: Callable[[str], None],
                 head: HeadFile | None, storage: StorageState) -> None:
        self._journal = journal
        self._mono_ms = clocks.mono_ms
        self._at_point = at_point
        self._head = head
        self._storage = storage
        self.copies: Copies | None = None

    def commit(self, entries: Sequence[Entry], people: Sequence[PersonRecord], beside: Sequence[SQLModel]) -> bool:
        """Whether it is saved. Raises InDoubt where nobody can know that yet."""
        from_ms = self._mono_ms()
        doubtful = True
        try:
            self._at_point("before-commit")
            self._journal.append(entries, people, beside)
            self._at_point("after-commit")
        except (JournalConflict, OSError) as refused:
            log.error("a batch of %d was not saved: %s", len(entries), refused)
            doubtful = isinstance(refused, OSError) or refused.doubtful
            if refused.errno is not None:
                self._storage.failed(refused.errno)
        except Exception:
            log.error("a batch of %d could not be written down", len(entries), exc_info=True)
        else:
            self._storage.written(self._mono_ms() - from_ms)
            return True
        return self.is_there(entries, doubtful)

    def is_there(self, entries: Sequence[Entry], doubtful: bool = True) -> bool:
        """Whether a commit that failed is saved after all. `doubtful`: what it left behind might come back to life
        after a power cut, unless something is written over it first: InDoubt until that was possible."""
        if doubtful:
            try:
                self._journal.settle()
            except (JournalConflict, OSError) as refused:
                log.error("whether a batch is saved cannot be known yet: %s", refused)
                raise InDoubt from refused
        try:
            return bool(entries) and self._journal.unknown(Batch(entries).heads) is None
        except Exception as unreadable:
            log.error("whether a batch is saved cannot be read yet: %s", unreadable)
            raise InDoubt from unreadable

    def disk_works(self) -> bool:
        """Write something that means nothing, to learn whether anything can be written."""
        try:
            self._journal.settle()
        except (JournalConflict, OSError) as refused:
            self._storage.failed(refused.errno)
            return False
        self._storage.written()
        return True

    def copy(self, entries: Sequence[Entry], people: Sequence[PersonRecord]) -> None:
        """Every copy holds what is committed, before anybody hears of it. One that fails is told on the console: the
        commit stands."""
        if self.copies is not None:
            self.copies.save(Batch(entries, [person_row(record) for record in people]))
            self._at_point("after-copies")

    def note_head(self, entries: Sequence[Entry], epoch: str) -> None:
        """The head file names what is committed. Nobody waits for it: it says what the journal holds at least, and
        after a power cut it may lack the newest commit. `epoch`: the one before these entries."""
        heads = Batch(entries).heads
        if self._head is None or not heads:
            return
        epoch = next((entry.data["epoch"] for entry in reversed(entries) if entry.kind == "epoch-begun"), epoch)
        try:
            self._head.note(epoch, heads)
        except OSError as error:
            log.error("the head file cannot be written: %s", error)
            self._storage.head_noted(False)
        else:
            self._storage.head_noted(True)
        self._at_point("after-head")
