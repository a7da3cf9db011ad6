"""The shelf: events at rest are known by their summaries, and opened when somebody looks. What goes
there, and when its seals are made."""

from __future__ import annotations

import logging
import threading
from collections import OrderedDict
from collections.abc import Callable, Collection, Iterator
from concurrent.futures import Future

from roundtap_core.errors import Problem
from roundtap_core.event.apply import apply
from roundtap_core.event.state import EventState, event_names
from roundtap_hub.store.journal import Journal
from roundtap_hub.store.read_model import LoadedEvent, Snapshot
from roundtap_hub.store.snapshots import EventSnapshot, EventSummary, made_by, snapshot_event, summary_of
from roundtap_hub.store.venue import is_dormant

log = logging.getLogger(__name__)

CACHE_MAX = 4
"""Opened events that stay in memory: what a few people look through at a time."""
STAY_WHOLE = 2
"""Finished events that stay among those in play until others are over: their last paper is printed, people look."""
FIRST_AFTER_S = 10.0
"""A hub that has just started has better things to do: a hall full of tables and phones comes back at once."""
BREATH_EVERY, BREATH_S = 50, 0.02
"""While it folds an old event, it stops so long after so many entries: everybody else goes first."""


class DormantEvents:
    """Opens events at rest: any thread may ask, and who asks for what another one is just opening waits for that. Puts
    them there once they have been over for long: the writer's."""

    def __init__(self, journal: Journal) -> None:
        self._journal = journal
        self._lock = threading.Lock()
        self.folded: set[str] = set()
        """Events that had to be folded: their seals are of no use."""
        self._open: OrderedDict[tuple[str, str], Future[LoadedEvent]] = OrderedDict()
        self._sealed: OrderedDict[str, str] = OrderedDict()
        """Heads of the events that were sealed while in play, by id; the one that has waited longest first."""

    def open(self, summary: EventSummary) -> LoadedEvent:
        """The event at its summary's entry. Raises Problem where its entries cannot be read, or do not hold."""
        key = (summary.id, summary.head)
        with self._lock:
            known = self._open.get(key)
            if known is None:
                opening = Future[LoadedEvent]()
                self._stay_open(key, opening)
            else:
                self._open.move_to_end(key)
        if known is not None:
            return known.result()
        try:
            opening.set_result(self.read(summary))
        except BaseException as error:
            with self._lock:
                if self._open.get(key) is opening:
                    del self._open[key]
            opening.set_exception(error)
            raise
        return opening.result()

    def _stay_open(self, key: tuple[str, str], found: Future[LoadedEvent]) -> None:
        self._open[key] = found
        while len(self._open) > CACHE_MAX:
            self._open.popitem(last=False)

    def forget(self, events: Collection[str]) -> None:
        """Close these events: their people have changed, or are gone."""
        with self._lock:
            for key in [key for key in self._open if key[0] in events]:
                del self._open[key]

    def read(self, summary: EventSummary, breath: Callable[[], object] = lambda: None) -> LoadedEvent:
        """The event from its seal, or from its entries where the seal does not fit; `breath` is drawn after each."""
        state = self._journal.seals.state(summary) or self._folded(summary, breath)
        people = self._journal.people([summary.id]).get(summary.id, {})
        return LoadedEvent(state, people, event_names(state, people))

    def _folded(self, summary: EventSummary, breath: Callable[[], object]) -> EventState:
        self.folded.add(summary.id)
        state = EventState(summary.id)
        for entry in self._journal.entries(summary.id):
            state = apply(state, entry)
            if state.number == summary.number:
                break
            breath()
        return state

    # --- the writer's thread -----------------------------------------------------------------------------------------

    def save(self, seal: EventSnapshot) -> bool:
        """Whether the seal is on the disk. Without it the event is folded when somebody looks: whatever fails here
        fails nobody."""
        try:
            self._journal.seals.save(seal)
        except Exception:
            log.exception("the seal of event %s is not saved", seal.summary.id)
            return False
        self._sealed[seal.summary.id] = seal.summary.head
        self._sealed.move_to_end(seal.summary.id)
        return True

    def arranged(self, snapshot: Snapshot) -> Snapshot:
        """Everything where it belongs: what is archived, and what has been over for long, is on the shelf."""
        for event_id in [event_id for event_id in snapshot.shelf
                         if not is_dormant(snapshot.venue, snapshot.shelf[event_id].finished, event_id)]:
            try:
                snapshot = snapshot.off_the_shelf(event_id)
            except Problem as problem:
                # What has just been saved stands: an event that cannot be read stays where it can be asked for again.
                log.error("event %s cannot be opened: %s", event_id, problem)
        over = {event_id for event_id in snapshot.events if is_dormant(snapshot.venue, False, event_id)}
        waiting = [event_id for event_id, head in self._sealed.items()
                   if event_id in snapshot.events and snapshot.events[event_id].head == head
                   and snapshot.events[event_id].finished]
        for event_id in over | set(waiting[: -STAY_WHOLE]):
            self._sealed.pop(event_id, None)
            self._keep(LoadedEvent(snapshot.events[event_id], snapshot.people_of(event_id),
                                 snapshot.names_of(event_id)))
            snapshot = snapshot.on_the_shelf(event_id)
        return snapshot

    def _keep(self, found: LoadedEvent) -> None:
        """An event that comes to the shelf open: nobody has to read what is in memory."""
        done = Future[LoadedEvent]()
        done.set_result(found)
        with self._lock:
            self._stay_open((found.state.id, found.state.head), done)


class SnapshotterStopped(Exception):
    """The hub stops: whatever was half folded is left."""


class EventSnapshotter:
    """A thread that makes the seals of events at rest, one at a time, in no hurry; the writer writes them.

    `wake` whenever something may be due; `write` gets each seal that was made. Stops at once when told to.
    """

    def __init__(self, journal: Journal, shelf: DormantEvents, snapshot: Callable[[], Snapshot],
                 write: Callable[[EventSnapshot], object]) -> None:
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

    def due(self) -> Iterator[EventSummary]:
        """Events at rest whose seal is of another entry, or of another core, or missing."""
        snapshot, core = self._snapshot(), made_by()
        resting = [summary_of(state) for state in snapshot.events.values()
                   if is_dormant(snapshot.venue, state.finished, state.id)]
        for summary in (*resting, *snapshot.shelf.values()):
            if self._made.get(summary.id) != (summary.head, core) or summary.id in self._shelf.folded:
                yield summary

    def _run(self) -> None:
        self._stopping.wait(FIRST_AFTER_S)
        while not self._stopping.is_set():
            self._due.clear()
            self.settle()
            self._due.wait()

    def _seal(self, summary: EventSummary) -> None:
        state = self._snapshot().events.get(summary.id)
        self._made[summary.id] = summary.head, made_by()
        try:
            if state is None or state.head != summary.head:
                state = self._shelf.read(summary, self._breathe).state
            if state.diverged:
                log.warning("event %s: rounds %s were computed otherwise by the core that ran then",
                            state.id, list(state.diverged))
            self._shelf.folded.discard(summary.id)
            self._write(snapshot_event(state))
        except SnapshotterStopped:
            return
        except Exception:
            self._shelf.folded.discard(summary.id)
            # It is folded whenever somebody looks, and `roundtap journal verify` says what is wrong with it.
            log.exception("event %s cannot be sealed", summary.id)

    def _breathe(self) -> None:
        if self._stopping.is_set():
            raise SnapshotterStopped
        self._entries += 1
        if self._entries % BREATH_EVERY == 0:
            self._stopping.wait(BREATH_S)
