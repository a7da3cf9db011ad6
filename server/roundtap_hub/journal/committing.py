"""A commit, and what it takes until anybody may hear of it: it is known to be saved, and copied. Then the head file."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence

from sqlmodel import SQLModel

from roundtap_core.event.entries import Entry
from roundtap_hub.journal.batch import Batch
from roundtap_hub.journal.clocks import Clocks
from roundtap_hub.journal.copies import Copies
from roundtap_hub.journal.head_file import HeadFile
from roundtap_hub.journal.journal import Journal, JournalConflict, PersonRecord, person_row
from roundtap_hub.journal.storage_state import StorageState

log = logging.getLogger(__name__)


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
