"""Second copies of the journal: every commit is in each of them, synced, before anybody is answered; one that fails or
is slow is given up for the moment, told, and brought up to date in the background."""

from __future__ import annotations

import json
import logging
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

from roundtap_core.errors import Problem
from roundtap_core.event.entries import VENUE, Entry
from roundtap_core.event.person import Person
from roundtap_hub.models import ENTRY, PERSON
from roundtap_hub.store.journal import START, Head, Journal, PersonRecord, PersonRow, heads_of, next_entry, to_row

log = logging.getLogger(__name__)

WITHIN_S = 5.0
"""So long an answer waits for a copy; then the copy is given up for the moment."""
RETRY_S = 5.0
CATCH_UP_ENTRIES = 500

CURRENT, CATCHING_UP, AWAY, SLOW, REFUSED = "current", "catching-up", "away", "slow", "refused"
EJECTED = "let-go"
"""Of a copy: it holds everything; it is on the way there; it cannot be written; it did not answer in time; it is not
ours to write to, and a person has to do something; somebody wants to pull it out, and the hub has closed it."""

ENTRIES, PEOPLE = "entries", "people"
COLUMNS = {ENTRIES: ENTRY.columns.keys(), PEOPLE: PERSON.columns.keys()}

Rows = Mapping[str, Sequence[Any]]
"""ENTRIES and PEOPLE, each a list of rows, each a list of what the columns hold."""


@dataclass(frozen=True, slots=True)
class Batch:
    """What one commit wrote: entries of any streams in their order, and the people that came or changed with them."""

    entries: Sequence[Entry] = ()
    people: Sequence[PersonRow] = ()

    @property
    def heads(self) -> dict[str, Head]:
        return heads_of(self.entries)

    def rows(self) -> Rows:
        return {kind: [[row[name] for name in COLUMNS[kind]] for row in rows]
                for kind, rows in ((ENTRIES, map(to_row, self.entries)), (PEOPLE, self.people))}


def entries_after(heads: dict[str, Head], rows: Iterable[Sequence[Any]]) -> list[Entry]:
    """The entries of these rows that follow `heads`, which move on with them; what is known already is passed over.

    Raises Problem("journal_broken") where one does not follow, or is another one than the one that is known.
    """
    found = []
    for row in rows:
        stream, number, said = row[0], row[1], row[-1]
        head = heads.get(stream, START)
        if isinstance(number, int) and number <= head.number:
            if number == head.number and said != head.hash:
                raise Problem("journal_broken", where=f"{stream}#{number}", stream=stream, number=number)
            continue
        entry = next_entry(head.number, head.hash, row)
        heads[stream] = Head(entry.number, entry.hash)
        found.append(entry)
    return found


def person_records(rows: Iterable[Sequence[Any]]) -> list[PersonRecord]:
    """Raises ValueError, TypeError, KeyError or Problem where they are none."""
    return [PersonRecord(event, competitor, salt, Person.from_json(json.loads(data)))
            for event, competitor, salt, data in rows]


class Copy(Protocol):
    """Somewhere else that the journal is kept: a stick, a standby. Called by one thread of its own; may wait."""

    @property
    def name(self) -> str:
        """What a person knows it by."""

    def open(self, lineage: str, epoch: str) -> Mapping[str, Head]:
        """Make contact, anew after every failure: the last entry of each stream that it holds, synced.

        Raises OSError where it is not there, and Problem where a person has to do something about it.
        """

    def write(self, batch: Batch) -> None:
        """On return the batch is there, synced, and the people of the events it deletes are not. Raises as `open`."""

    def close(self) -> None:
        """Let go of it."""


@runtime_checkable
class Removable(Protocol):
    """A copy that somebody may pull out. `may_be_missing`: nobody is told of it before it was there once."""

    folder: Path
    may_be_missing: bool

    def is_there(self) -> bool:
        """Whether it is plugged in, and mounted."""


@dataclass(frozen=True, slots=True)
class CopyState:
    """How a copy is: one of the words above, for a person with `problem` where there is one."""

    name: str
    state: str
    problem: Problem | None = None
    reason: str = ""


class Copies:
    """All copies of one journal.

    `epoch` is asked whenever a copy is opened; `changed` is called, from any thread, when a copy's state changes.
    """

    def __init__(self, journal: Journal, lineage: str, copies: Sequence[Copy], epoch: Callable[[], str],
                 changed: Callable[[], None] = lambda: None, within_s: float = WITHIN_S,
                 retry_s: float = RETRY_S) -> None:
        self.journal = journal
        self.epoch = epoch
        self.changed = changed
        self.lineage = lineage
        self._within_s = within_s
        self._lock = threading.Lock()
        self._heads: dict[str, Head] = {}
        """The last entries that are committed, as the writer said."""
        self._keepers = {copy.name: _CopyWorker(copy, self, retry_s) for copy in copies}

    @property
    def states(self) -> list[CopyState]:
        """Of all that are there, or were since the hub was started, or should be."""
        return [keeper.state for keeper in self._keepers.values() if keeper.is_met]

    @property
    def copies(self) -> list[Copy]:
        """All that are kept at the moment."""
        return [keeper.copy for keeper in self._keepers.values()]

    def add(self, copy: Copy, retry_s: float = RETRY_S) -> None:
        """One more copy, from now on: a standby that has come."""
        keeper = _CopyWorker(copy, self, retry_s)
        with self._lock:
            self._keepers = {**self._keepers, copy.name: keeper}
        keeper.thread.start()
        self.changed()

    def remove(self, name: str) -> None:
        """A copy that comes no more, and is not asked for either."""
        with self._lock:
            gone, self._keepers = self._keepers.get(name), {
                each: keeper for each, keeper in self._keepers.items() if each != name}
        if gone is not None:
            gone.end()
        self.changed()

    def removable(self) -> list[CopyState]:
        """Those that somebody may pull out, and how they are."""
        return [keeper.state for keeper in self._keepers.values()
                if keeper.is_met and isinstance(keeper.copy, Removable)]

    def let_go(self, name: str, within_s: float = WITHIN_S) -> bool:
        """Close this copy, so that it can be unmounted; whether it is closed. It is not opened again before it was
        gone and has come back, or `take_back`."""
        keeper = self._keepers.get(name)
        return keeper is not None and isinstance(keeper.copy, Removable) and keeper.let_go(within_s)

    def take_back(self, name: str) -> None:
        """It stays in after all."""
        if name in self._keepers:
            self._keepers[name].is_let_go = False

    def folders(self) -> list[Path]:
        """Where something else may be kept beside a copy just now; none that somebody is about to pull out."""
        return [keeper.copy.folder for keeper in self._keepers.values()
                if isinstance(keeper.copy, Removable) and not keeper.is_let_go and keeper.copy.is_there()]

    def start(self) -> None:
        with self._lock:
            self._heads = {**self.journal.heads(), **self._heads}
        for keeper in self._keepers.values():
            keeper.thread.start()

    def stop(self) -> None:
        """Copies are let go of; one that hangs is left behind."""
        for keeper in self._keepers.values():
            keeper.end()
        for keeper in self._keepers.values():
            if keeper.thread.is_alive():
                keeper.thread.join(timeout=2)

    def wait_until_current(self, timeout_s: float) -> bool:
        """Whether every copy holds everything, within that time; for tests and for whoever stops a hub."""
        return all(keeper.is_current.wait(timeout_s) for keeper in self._keepers.values() if keeper.is_met)

    def save(self, batch: Batch) -> None:
        """From the writer, after its commit: returns when every copy that was up to date holds the batch, or was given
        up. They write at the same time."""
        with self._lock:
            self._heads.update(batch.heads)
            handed = [(keeper, keeper.hand(batch)) for keeper in self._keepers.values() if keeper.is_current.is_set()]
        left_s = self._within_s
        for keeper, written in handed:
            from_s = time.monotonic()
            if not written.wait(max(left_s, 0)):
                keeper.give_up()
            left_s -= time.monotonic() - from_s

    # --- for the keepers ---------------------------------------------------------------------------------------------

    def behind(self, held: Mapping[str, Head]) -> Iterable[Batch]:
        """What a copy with these heads lacks. Raises Problem("copy_knows_more") where it holds what we do not."""
        heads = self.journal.heads()
        unknown = self.journal.unknown(held)
        if unknown is not None:
            raise Problem("copy_knows_more", stream=unknown, number=held[unknown].number)
        # Events before the venue: what deletes an event comes after its people.
        for stream in sorted(heads, key=lambda stream: (stream == VENUE, len(stream), stream)):
            if held.get(stream, START) == heads[stream]:
                continue
            entries = self.journal.entries(stream, held.get(stream, START))
            while some := list(islice(entries, CATCH_UP_ENTRIES)):
                # Whoever is cut off before the last entry gets the people, too, when it is asked again.
                with_people = stream != VENUE and some[-1].number >= heads[stream].number
                yield Batch(some, [dict(row) for row in self.journal.person_rows(stream)] if with_people else [])

    def settle(self, keeper: _CopyWorker, held: Mapping[str, Head]) -> bool:
        """The copy is up to date from now on, unless something was committed meanwhile."""
        with self._lock:
            current = not keeper.is_let_go and all(held.get(stream) == head for stream, head in self._heads.items())
            if current:
                keeper.queue.clear()
                keeper.is_current.set()
        if current:
            self.changed()
        return current


class _CopyWorker:
    """One copy's thread: opens it, brings it up to date, writes what it is handed, and begins anew when that fails."""

    def __init__(self, copy: Copy, copies: Copies, retry_s: float) -> None:
        self.copy = copy
        self.queue: deque[tuple[Batch, threading.Event]] = deque()
        self.is_current = threading.Event()
        self.thread = threading.Thread(target=self._run, name="journal-copy", daemon=True)
        self._copies = copies
        self._retry_s = retry_s
        self._work = threading.Semaphore(0)
        self._ended = threading.Event()
        self._closed = threading.Event()
        self.is_let_go = self._was_gone = False
        self.state = CopyState(copy.name, CATCHING_UP)
        self.is_met = not (isinstance(copy, Removable) and copy.may_be_missing)
        """Whether anybody knows of it: a stick that may be missing is met when it is there for the first time."""

    def hand(self, batch: Batch) -> threading.Event:
        written = threading.Event()
        self.queue.append((batch, written))
        self._work.release()
        return written

    def give_up(self) -> None:
        """It did not answer in time: nobody waits for it until it has caught up."""
        self.is_current.clear()
        self._tell(SLOW)
        self._work.release()

    def end(self) -> None:
        self._ended.set()
        self._work.release()

    def let_go(self, within_s: float) -> bool:
        self._closed.clear()
        self._was_gone, self.is_let_go = False, True
        self.is_current.clear()
        self._work.release()
        return self._closed.wait(within_s)

    def _run(self) -> None:
        while not self._ended.is_set():
            try:
                if self.is_let_go:
                    self._stay_away()
                else:
                    self._keep()
            except Problem as problem:
                self._fail(REFUSED, problem, str(problem))
            except OSError as error:
                self._fail(AWAY, None, error.strerror or str(error))
            except Exception as bug:
                log.exception("the copy %s failed", self.copy.name)
                self._fail(AWAY, None, str(bug))
            if not self._ended.is_set() and not (self.is_let_go and not self._closed.is_set()):
                self._ended.wait(self._retry_s)
        self.copy.close()

    def _stay_away(self) -> None:
        """Nothing of it is open until it was pulled out and has come back."""
        self.copy.close()
        self._answer()
        self.queue.clear()
        if not self._closed.is_set():
            self._tell(EJECTED)
            self._closed.set()
        there = isinstance(self.copy, Removable) and self.copy.is_there()
        self._was_gone = self._was_gone or not there
        if there and self._was_gone:
            self.is_let_go = False

    def _keep(self) -> None:
        held = dict(self.copy.open(self._copies.lineage, self._copies.epoch()))
        if self.state.state != SLOW:
            self._tell(CATCHING_UP)
        while not self._copies.settle(self, held):
            for batch in self._copies.behind(held):
                self.copy.write(batch)
                held.update(batch.heads)
                if self._ended.is_set() or self.is_let_go:
                    return
            if self.is_let_go:
                return
        self._tell(CURRENT)
        while not self._ended.is_set() and self.is_current.is_set():
            self._work.acquire()
            while self.queue and self.is_current.is_set():
                batch, written = self.queue[0]
                self.copy.write(batch)
                written.set()
                self.queue.popleft()

    def _fail(self, state: str, problem: Problem | None, reason: str) -> None:
        self.is_current.clear()
        self._answer()
        self._tell(state, problem, reason)

    def _answer(self) -> None:
        """Nobody waits any more: the entry is on the hub's own disk, and the console says that it is only there."""
        for _, written in list(self.queue):
            written.set()

    def _tell(self, state: str, problem: Problem | None = None, reason: str = "") -> None:
        before, self.state = self.state, CopyState(self.copy.name, state, problem, reason)
        if not self.is_met:
            self.is_met = state != AWAY or (isinstance(self.copy, Removable) and self.copy.is_there())
            if not self.is_met:
                return
        if (before.state, before.reason) != (state, reason):
            if state in (AWAY, REFUSED, SLOW):
                why = f"{state} ({reason})" if reason else state
                log.warning("the copy %s does not count for now: %s", self.copy.name, why)
            self._copies.changed()
