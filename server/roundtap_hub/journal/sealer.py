"""The sealer: a thread that makes the seals of events at rest, one at a time, in no hurry; the writer writes them."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Iterator

from roundtap_hub.journal.journal import Journal
from roundtap_hub.journal.seals import Seal, Summary, made_by, seal_of, summary_of
from roundtap_hub.journal.shelf import Shelf
from roundtap_hub.journal.snapshot import Snapshot
from roundtap_hub.journal.venue import rests

log = logging.getLogger(__name__)

FIRST_AFTER_S = 10.0
"""A hub that has just started has better things to do: a hall full of tables and phones comes back at once."""
BREATH_EVERY, BREATH_S = 50, 0.02
"""While it folds an old event, it stops so long after so many entries: everybody else goes first."""


class Stopping(Exception):
    """The hub stops: whatever was half folded is left."""


class Sealer:
    """`wake` whenever something may be due; `write` gets each seal that was made. Stops at once when told to."""

    def __init__(self, journal: Journal, shelf: Shelf, snapshot: Callable[[], Snapshot],
                 write: Callable[[Seal], object]) -> None:
        self._journal = journal
        self._shelf = shelf
        self._snapshot = snapshot
        self._write = write
        self._made: dict[str, tuple[str, str]] = {}
        """Head and core of the seals that lie there, or could not be made: each is tried once."""
        self._due = threading.Event()
        self._stopping = threading.Event()
        self._entries = 0
        self._thread = threading.Thread(target=self._run, name="journal-sealer", daemon=True)

    def start(self) -> None:
        self._made = {event_id: (told.head, core) for event_id, (told, core) in self._journal.seals.summaries().items()}
        self._thread.start()

    def stop(self) -> None:
        self._stopping.set()
        self._due.set()
        if self._thread.is_alive():
            self._thread.join(timeout=10)

    def wake(self) -> None:
        self._due.set()

    def settle(self) -> None:
        """Make all seals that are due."""
        for summary in self.due():
            if self._stopping.is_set():
                return
            self._seal(summary)

    def due(self) -> Iterator[Summary]:
        """Events at rest whose seal is of another entry, or of another core, or missing."""
        snapshot, core = self._snapshot(), made_by()
        resting = [summary_of(state) for state in snapshot.events.values()
                   if rests(snapshot.venue, state.finished, state.id)]
        for summary in (*resting, *snapshot.shelf.values()):
            if self._made.get(summary.id) != (summary.head, core) or summary.id in self._shelf.folded:
                yield summary

    def _run(self) -> None:
        self._stopping.wait(FIRST_AFTER_S)
        while not self._stopping.is_set():
            self._due.clear()
            self.settle()
            self._due.wait()

    def _seal(self, summary: Summary) -> None:
        state = self._snapshot().events.get(summary.id)
        self._made[summary.id] = summary.head, made_by()
        try:
            if state is None or state.head != summary.head:
                state = self._shelf.read(summary, self._breathe).state
            if state.diverged:
                log.warning("event %s: rounds %s were computed otherwise by the core that ran then",
                            state.id, list(state.diverged))
            self._shelf.folded.discard(summary.id)
            self._write(seal_of(state))
        except Stopping:
            return
        except Exception:
            self._shelf.folded.discard(summary.id)
            # It is folded whenever somebody looks, and `roundtap journal verify` says what is wrong with it.
            log.exception("event %s cannot be sealed", summary.id)

    def _breathe(self) -> None:
        if self._stopping.is_set():
            raise Stopping
        self._entries += 1
        if self._entries % BREATH_EVERY == 0:
            self._stopping.wait(BREATH_S)
