"""Copies of the journal, each synced before a commit is answered; one that fails or is slow catches up later. And what
the console shows of the disk, the copies and the backups."""

import errno
import json
import logging
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager, suppress
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

from roundtap_core.errors import Problem
from roundtap_core.event.entries import VENUE, Entry, Person
from roundtap_hub.store.journal import (
    HUB_FOLDER,
    START,
    Head,
    Journal,
    PersonRecord,
    PersonRow,
    entry_to_row,
    heads_of,
    next_entry,
)
from roundtap_hub.store.models import ENTRY, PERSON
from roundtap_hub.store.secure_files import MOVED
from roundtap_machine.disk import FAILING, FULL, disk_fault

log = logging.getLogger(__name__)

WITHIN_S = 5.0  # how long an answer waits for a copy before the copy is given up for the moment
RETRY_S = 5.0
CATCH_UP_ENTRIES = 500

CURRENT, CATCHING_UP, AWAY, SLOW, REFUSED = "current", "catching-up", "away", "slow", "refused"
EJECTED = "let-go"
"""States of a copy: complete; catching up; not writable; timed out; not ours to write to, so that a person must act;
closed by the hub so that it can be pulled out."""

ENTRIES, PEOPLE = "entries", "people"
COLUMNS = {ENTRIES: ENTRY.columns.keys(), PEOPLE: PERSON.columns.keys()}

Rows = Mapping[str, Sequence[Any]]  # ENTRIES and PEOPLE: each a list of rows, each a list of column values
LOW, SLOW_DISK, BUSY = "low", "slow", "continuing"
WARNING, NOTE = "warning", "note"

SLOW_MS = 3000  # a slower commit is reported: a worn card, or a stick that is full of other files
FREE_LOW_BYTES = 64 * 1024 * 1024
LOG_BIG_BYTES = 256 * 1024 * 1024  # the write-ahead log grows like this while a reader holds the database for hours
NOT_CONTINUED_MS = 600_000  # how long it is shown why an event was not continued
WELL_AGAIN_MS = 120_000  # how long a recovery of the disk is shown


@dataclass(frozen=True, slots=True)
class CommitBatch:
    """What one commit wrote: entries of any streams in their order, and people who were added or changed."""

    entries: Sequence[Entry] = ()
    people: Sequence[PersonRow] = ()

    @property
    def heads(self) -> dict[str, Head]:
        return heads_of(self.entries)

    def rows(self) -> Rows:
        return {
            kind: [[row[name] for name in COLUMNS[kind]] for row in rows]
            for kind, rows in ((ENTRIES, map(entry_to_row, self.entries)), (PEOPLE, self.people))
        }


def entries_after(heads: dict[str, Head], rows: Iterable[Sequence[Any]]) -> list[Entry]:
    """The entries of these rows that follow `heads`, which are advanced; known ones are skipped. Raises
    Problem("journal_broken") if one does not follow or differs from the known one."""
    entries = []
    for row in rows:
        stream, number, hashed = row[0], row[1], row[-1]
        head = heads.get(stream, START)
        if isinstance(number, int) and number <= head.number:
            if number == head.number and hashed != head.hash:
                raise Problem(
                    "journal_broken", where=f"{stream}#{number}", stream=stream, number=number, folder=str(HUB_FOLDER)
                )
            continue
        entry = next_entry(head.number, head.hash, row)
        heads[stream] = Head(entry.number, entry.hash)
        entries.append(entry)
    return entries


def person_records(rows: Iterable[Sequence[Any]]) -> list[PersonRecord]:
    """Parse rows of people. Raises ValueError, TypeError, KeyError or Problem for malformed ones."""
    return [
        PersonRecord(event, competitor, salt, Person.from_json(json.loads(data)))
        for event, competitor, salt, data in rows
    ]


class JournalCopy(Protocol):
    """Another place that holds the journal: a stick, a standby. Called by one thread of its own; may block."""

    @property
    def name(self) -> str:
        """Its name for people."""

    def open(self, lineage: str, epoch: str) -> Mapping[str, Head]:
        """Connect, anew after every failure; return the last synced entry of each stream. Raises OSError if it is not
        there, and Problem if a person must act."""

    def write(self, batch: CommitBatch) -> None:
        """Store the batch, synced, and remove the people of the events it deletes. Raises as `open`."""

    def verify_place(self) -> None:
        """Raise OSError unless it is still there; asked while nothing is written."""

    def close(self) -> None:
        """Release it."""


@runtime_checkable
class RemovableCopy(Protocol):
    """A copy that can be pulled out. `may_be_missing`: it is not mentioned before its first appearance."""

    folder: Path
    may_be_missing: bool

    def is_there(self) -> bool:
        """Whether it is plugged in and mounted."""

    def pinned(self) -> AbstractContextManager[Path]:
        """The folder, by a path that leads to this disk or nowhere, whatever is unmounted meanwhile. Raises OSError and
        Problem if it is not there."""


@dataclass(frozen=True, slots=True)
class CopyState:
    """A copy's state, one of the constants above, and its `problem` if a person must act."""

    name: str
    state: str
    problem: Problem | None = None
    reason: str = ""


class Copies:
    """All copies of one journal. `epoch` is called whenever a copy is opened; `changed`, from any thread, when a copy's
    state changes."""

    def __init__(
        self,
        journal: Journal,
        lineage: str,
        copies: Sequence[JournalCopy],
        epoch: Callable[[], str],
        changed: Callable[[], None] = lambda: None,
        within_s: float = WITHIN_S,
        retry_s: float = RETRY_S,
    ) -> None:
        self.journal = journal
        self.epoch = epoch
        self.changed = changed
        self.lineage = lineage
        self._within_s = within_s
        self._lock = threading.Lock()
        self._heads: dict[str, Head] = {}  # the last committed entries, as reported by the writer
        self._keepers = {copy.name: _CopyWorker(copy, self, retry_s) for copy in copies}

    @property
    def states(self) -> list[CopyState]:
        """States of all copies that are there, were there since the start, or should be."""
        return [worker.state for worker in self._keepers.values() if worker.is_known]

    @property
    def copies(self) -> list[JournalCopy]:
        """All current copies."""
        return [worker.copy for worker in self._keepers.values()]

    def add(self, copy: JournalCopy, retry_s: float = RETRY_S) -> None:
        """Add a copy: a standby that has connected."""
        worker = _CopyWorker(copy, self, retry_s)
        with self._lock:
            self._keepers = {**self._keepers, copy.name: worker}
        worker.thread.start()
        self.changed()

    def remove(self, name: str) -> None:
        """Drop a copy that will not come back."""
        with self._lock:
            gone, self._keepers = (
                self._keepers.get(name),
                {each: worker for each, worker in self._keepers.items() if each != name},
            )
        if gone is not None:
            gone.end()
        self.changed()

    def removable(self) -> list[CopyState]:
        """The states of the copies that can be pulled out."""
        return [
            worker.state
            for worker in self._keepers.values()
            if worker.is_known and isinstance(worker.copy, RemovableCopy)
        ]

    def eject(self, name: str, within_s: float = WITHIN_S) -> bool:
        """Close this copy so that it can be unmounted; return whether it is closed. It is reopened only after it was
        unplugged and has come back, or after `cancel_eject`."""
        worker = self._keepers.get(name)
        return worker is not None and isinstance(worker.copy, RemovableCopy) and worker.eject(within_s)

    def cancel_eject(self, name: str) -> None:
        """Undo `eject`: the copy stays plugged in."""
        if name in self._keepers:
            self._keepers[name].is_ejected = False

    def plugged_in(self) -> list[RemovableCopy]:
        """Removable copies beside which other files may go now; not those about to be pulled out, and for a hub without
        an event not those that may be another hub's."""
        return [
            worker.copy
            for worker in self._keepers.values()
            if isinstance(worker.copy, RemovableCopy)
            and not (worker.is_ejected or (self._heads.keys() <= {VENUE} and not worker.is_current.is_set()))
            and worker.copy.is_there()
        ]

    def start(self) -> None:
        with self._lock:
            self._heads = {**self.journal.heads(), **self._heads}
        for worker in self._keepers.values():
            worker.thread.start()

    def stop(self) -> None:
        """Close the copies; one that hangs is left behind."""
        for worker in self._keepers.values():
            worker.end()
        for worker in self._keepers.values():
            if worker.thread.is_alive():
                worker.thread.join(timeout=2)

    def save(self, batch: CommitBatch) -> None:
        """Called by the writer after its commit: return once every current copy holds the batch or was given up. They
        write in parallel."""
        with self._lock:
            self._heads.update(batch.heads)
            handed = [
                (worker, worker.enqueue(batch)) for worker in self._keepers.values() if worker.is_current.is_set()
            ]
        left_s = self._within_s
        for worker, written in handed:
            from_s = time.monotonic()
            if not written.wait(max(left_s, 0)):
                worker.give_up()
            left_s -= time.monotonic() - from_s

    # --- for the workers ----------------------------------------------------------------------------------------------

    def missing_batches(self, held: Mapping[str, Head]) -> Iterable[CommitBatch]:
        """What a copy with these heads lacks. Raises Problem("copy_knows_more") if it holds unknown entries."""
        heads = self.journal.heads()
        if (unknown := self.journal.first_unknown_stream(held)) is not None:
            raise Problem("copy_knows_more", stream=unknown, number=held[unknown].number)
        # Events before the venue: the entry that deletes an event follows its people.
        for stream in sorted(heads, key=lambda stream: (stream == VENUE, len(stream), stream)):
            if held.get(stream, START) == heads[stream]:
                continue
            entries = self.journal.entries(stream, held.get(stream, START))
            while part := list(islice(entries, CATCH_UP_ENTRIES)):
                # With every part: a standby whose catch-up is cut off may become the hub.
                yield CommitBatch(part, self.journal.person_rows(stream) if stream != VENUE else [])

    def mark_if_current(self, worker: "_CopyWorker", held: Mapping[str, Head]) -> bool:
        """Mark the copy as current, unless something was committed meanwhile."""
        with self._lock:
            current = not worker.is_ejected and all(held.get(stream) == head for stream, head in self._heads.items())
            if current:
                worker.queue.clear()
                worker.is_current.set()
        if current:
            self.changed()
        return current


class _CopyWorker:
    """One copy's thread: opens it, catches up, writes batches, and starts again after a failure."""

    def __init__(self, copy: JournalCopy, copies: Copies, retry_s: float) -> None:
        self.copy = copy
        self.queue: deque[tuple[CommitBatch, threading.Event]] = deque()
        self.is_current = threading.Event()
        self.thread = threading.Thread(target=self._run, name="journal-copy", daemon=True)
        self._copies = copies
        self._retry_s = retry_s
        self._work = threading.Semaphore(0)
        self._ended = threading.Event()
        self._closed = threading.Event()
        self.is_ejected = self._was_gone = False
        self.state = CopyState(copy.name, CATCHING_UP)
        self.is_known = not (isinstance(copy, RemovableCopy) and copy.may_be_missing)
        """A stick that may be missing counts as met once it has been there."""

    def enqueue(self, batch: CommitBatch) -> threading.Event:
        written = threading.Event()
        self.queue.append((batch, written))
        self._work.release()
        return written

    def give_up(self) -> None:
        """It timed out: commits do not wait for it until it has caught up."""
        self.is_current.clear()
        self._set_state(SLOW)
        self._work.release()

    def end(self) -> None:
        self._ended.set()
        self._work.release()

    def eject(self, within_s: float) -> bool:
        self._closed.clear()
        self._was_gone, self.is_ejected = False, True
        self.is_current.clear()
        self._work.release()
        return self._closed.wait(within_s)

    def _run(self) -> None:
        while not self._ended.is_set():
            try:
                if self.is_ejected:
                    self._stay_closed()
                else:
                    self._replicate()
            except Problem as problem:
                self._fail(REFUSED, problem, str(problem))
            except OSError as error:
                self._fail(AWAY, None, error.strerror or str(error))
            except Exception as bug:
                log.exception("the copy %s failed", self.copy.name)
                self._fail(AWAY, None, str(bug))
            if not self._ended.is_set() and not (self.is_ejected and not self._closed.is_set()):
                self._ended.wait(self._retry_s)
        self.copy.close()

    def _stay_closed(self) -> None:
        """Keep it closed until it was pulled out and has come back."""
        self.copy.close()
        self._release_waiters()
        self.queue.clear()
        # Before anybody is told that it is closed: the look opens the folder, and whoever unmounts comes next.
        there = isinstance(self.copy, RemovableCopy) and self.copy.is_there()
        if not self._closed.is_set():
            self._set_state(EJECTED)
            self._closed.set()
        self._was_gone = self._was_gone or not there
        if there and self._was_gone:
            self.is_ejected = False

    def _replicate(self) -> None:
        held = dict(self.copy.open(self._copies.lineage, self._copies.epoch()))
        if self.state.state != SLOW:
            self._set_state(CATCHING_UP)
        while not self._copies.mark_if_current(self, held):
            for batch in self._copies.missing_batches(held):
                self.copy.write(batch)
                held.update(batch.heads)
                if self._ended.is_set() or self.is_ejected:
                    return
            if self.is_ejected:
                return
        self._set_state(CURRENT)
        while not self._ended.is_set() and self.is_current.is_set():
            if not self._work.acquire(timeout=self._retry_s):
                self.copy.verify_place()
            while self.queue and self.is_current.is_set():
                batch, written = self.queue[0]
                self.copy.write(batch)
                written.set()
                self.queue.popleft()

    def _fail(self, state: str, problem: Problem | None, reason: str) -> None:
        self.is_current.clear()
        # Before the commit is answered: no page may count a copy that does not hold it.
        self._set_state(state, problem, reason)
        self._release_waiters()
        # What is open keeps a stick from being unmounted.
        with suppress(OSError):
            self.copy.close()

    def _release_waiters(self) -> None:
        """Release all waiting commits: the entry is on the hub's own disk, and the console says that it is only
        there."""
        for _, written in list(self.queue):
            written.set()

    def _set_state(self, state: str, problem: Problem | None = None, reason: str = "") -> None:
        before, self.state = self.state, CopyState(self.copy.name, state, problem, reason)
        if not self.is_known:
            self.is_known = state != AWAY or (isinstance(self.copy, RemovableCopy) and self.copy.is_there())
            if not self.is_known:
                return
        if (before.state, before.reason) != (state, reason):
            if state in (AWAY, REFUSED, SLOW):
                why = f"{state} ({reason})" if reason else state
                log.warning("the copy %s does not count for now: %s", self.copy.name, why)
            self._copies.changed()


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
        # Each is called from any thread whenever the lines change.
        self.listeners: list[Callable[[], None]] = []
        # How the last write, or attempt, failed: FULL, READ_ONLY, FAILING, MOVED; "" if it did not.
        self.fault = ""
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

    def failed(self, number: int | None) -> None:
        """A write failed; `number` as of an OSError."""
        with self._lock:
            trouble = MOVED if number == errno.ESTALE else disk_fault(number)
            if not self.fault:
                self._since_ms = self._mono_ms()
            # "No space" is more specific than its consequences; of another folder nothing is to be known.
            keeps = self.fault and (trouble == FAILING or self.fault == MOVED)
            self.fault = self.fault if keeps else trouble
            self._well_since_ms = None
        self._notify_if_changed()

    def written(self, took_ms: int = 0) -> None:
        """A write was synced."""
        with self._lock:
            if self.fault:
                self._was, self.fault, self._well_since_ms = self.fault, "", self._mono_ms()
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
        for listener in self.listeners:
            listener()

    def lines(self) -> list[StorageLine]:
        """The current lines, the worst first."""
        lines, now_ms = list[StorageLine](), self._mono_ms()
        if self.fault:
            lines.append(StorageLine(self.fault, since_ms=self._since_ms))
        elif self._well_since_ms is not None and now_ms - self._well_since_ms < WELL_AGAIN_MS:
            lines.append(StorageLine("well", NOTE, name=self._was))
        tried = self.continuing
        if tried is not None and (tried.key == BUSY or now_ms - self._tried_at_ms < NOT_CONTINUED_MS):
            lines.append(tried)
        if self._low and self.fault != FULL:
            lines.append(StorageLine(LOW))
        if self._slow_ms and now_ms - self._slow_at_ms < WELL_AGAIN_MS:
            lines.append(StorageLine(SLOW_DISK, n=self._slow_ms // 1000))
        if self._log_bytes:
            lines.append(StorageLine("log", n=self._log_bytes // 1_000_000))
        if self._head_fails and not self.fault:
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
