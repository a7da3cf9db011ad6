"""Dormant events: known by their summaries, loaded on demand, and snapshotted so that loading is quick."""

import logging
import threading
from collections import OrderedDict
from collections.abc import Callable, Collection, Iterator
from concurrent.futures import Future

from roundtap_core.errors import Problem
from roundtap_core.event.commands import apply
from roundtap_core.event.states import EventState, event_names
from roundtap_hub.store.journal import Journal
from roundtap_hub.store.read_model import LoadedEvent, Snapshot, checked_people
from roundtap_hub.store.snapshots import EventSnapshot, EventSummary, running_core, snapshot_event, summary_of
from roundtap_hub.store.venue import is_dormant

log = logging.getLogger(__name__)

CACHE_MAX = 4  # loaded events that stay in memory
STAY_WHOLE = 2  # finished events that stay loaded until others are over: people still look at them and print
FIRST_AFTER_S = 10.0  # a hub that has just started is busy: a hall full of tables and phones reconnects at once
BREATH_EVERY, BREATH_S = 50, 0.02
"""Folding an old event pauses this long after so many entries, so that other work comes first."""


class DormantEvents:
    """Loads dormant events: any thread may ask, and threads that ask for the same event share one load. The writer
    moves events here once they are over."""

    def __init__(self, journal: Journal) -> None:
        self._journal = journal
        self._lock = threading.Lock()
        self.without_snapshot: set[str] = set()  # events that had to be folded: their snapshots are of no use
        self._open: OrderedDict[tuple[str, str], Future[LoadedEvent]] = OrderedDict()
        self._sealed: OrderedDict[str, str] = OrderedDict()
        """Heads of the events that were snapshotted while in play, by id; the oldest first."""

    def open(self, summary: EventSummary) -> LoadedEvent:
        """The event at its summary's entry. Raises Problem if its entries cannot be read or do not hold."""
        key = (summary.id, summary.head)
        with self._lock:
            already_open = self._open.get(key)
            if already_open is None:
                opening = Future[LoadedEvent]()
                self._stay_open(key, opening)
            else:
                self._open.move_to_end(key)
        if already_open is not None:
            return already_open.result()
        try:
            opening.set_result(self.read(summary))
        except BaseException as error:
            with self._lock:
                if self._open.get(key) is opening:
                    del self._open[key]
            opening.set_exception(error)
            raise
        return opening.result()

    def _stay_open(self, key: tuple[str, str], loaded: Future[LoadedEvent]) -> None:
        self._open[key] = loaded
        while len(self._open) > CACHE_MAX:
            self._open.popitem(last=False)

    def evict(self, events: Collection[str]) -> None:
        """Drop these events: their people have changed or were deleted."""
        with self._lock:
            for key in [key for key in self._open if key[0] in events]:
                del self._open[key]

    def read(self, summary: EventSummary) -> LoadedEvent:
        """The event with its people. Raises as `read_state` and `checked_people`."""
        state = self.read_state(summary)
        people = checked_people(self._journal, state)
        return LoadedEvent(state, people, event_names(state, people))

    def read_state(self, summary: EventSummary, breath: Callable[[], object] = lambda: None) -> EventState:
        """The event from its snapshot, or folded from its entries; `breath` is called after each entry."""
        if (sealed := self._journal.event_snapshots.state(summary)) is not None:
            return sealed
        self.without_snapshot.add(summary.id)
        state = EventState(summary.id)
        for entry in self._journal.entries(summary.id):
            state = apply(state, entry)
            if state.number == summary.number:
                break
            breath()
        return state

    # --- the writer's thread -----------------------------------------------------------------------------------------

    def save(self, snapshot: EventSnapshot) -> bool:
        """Save a snapshot; False on any failure: then the event is folded on demand."""
        try:
            self._journal.event_snapshots.save(snapshot)
        except Exception as refused:
            # On a full disk this is no bug, and there is another try after the event's next change.
            log.error("the seal of event %s is not saved: %s", snapshot.summary.id, refused)
            return False
        self._sealed[snapshot.summary.id] = snapshot.summary.head
        self._sealed.move_to_end(snapshot.summary.id)
        return True

    def rearrange(self, snapshot: Snapshot) -> Snapshot:
        """The snapshot with every archived or finished event dormant, and every other one loaded."""
        for event_id in [
            event_id
            for event_id in snapshot.dormant
            if not is_dormant(snapshot.venue, snapshot.dormant[event_id].finished, event_id)
        ]:
            try:
                snapshot = snapshot.with_event_loaded(event_id)
            except Problem as problem:
                # The commit stands: an event that cannot be read stays dormant.
                log.error("event %s cannot be opened: %s", event_id, problem)
        over = {event_id for event_id in snapshot.events if is_dormant(snapshot.venue, False, event_id)}
        waiting = [
            event_id
            for event_id, head in self._sealed.items()
            if event_id in snapshot.events
            and snapshot.events[event_id].head == head
            and snapshot.events[event_id].finished
        ]
        for event_id in over | set(waiting[:-STAY_WHOLE]):
            self._sealed.pop(event_id, None)
            self._cache_loaded(
                LoadedEvent(snapshot.events[event_id], snapshot.people_of(event_id), snapshot.names_of(event_id))
            )
            snapshot = snapshot.with_event_dormant(event_id)
        return snapshot

    def _cache_loaded(self, loaded: LoadedEvent) -> None:
        """Cache an event that is in memory already."""
        done = Future[LoadedEvent]()
        done.set_result(loaded)
        with self._lock:
            self._stay_open((loaded.state.id, loaded.state.head), done)


class SnapshotterStopped(Exception):
    """The hub stops: a half-folded event is abandoned."""


class EventSnapshotter:
    """A thread that makes the snapshots of dormant events, one at a time; the writer saves them. Call `wake` when
    something may be due; `write` receives each snapshot, `take_players` each event whose players are not in the
    book."""

    def __init__(
        self,
        journal: Journal,
        dormant: DormantEvents,
        snapshot: Callable[[], Snapshot],
        write: Callable[[EventSnapshot], object],
        take_players: Callable[[str], object],
    ) -> None:
        self._journal = journal
        self._dormant = dormant
        self._snapshot = snapshot
        self._write = write
        self._take_players = take_players
        self._made: dict[str, tuple[str, str]] = {}
        """Head and core of the snapshots that are stored or could not be made: each is tried once."""
        self._due = threading.Event()
        self._stopping = threading.Event()
        self._entries = 0
        self._thread = threading.Thread(target=self._run, name="event-snapshotter", daemon=True)

    def start(self) -> None:
        self._made = {
            event_id: (summary.head, core)
            for event_id, (summary, core) in self._journal.event_snapshots.summaries().items()
        }
        self._thread.start()

    def stop(self) -> None:
        self._stopping.set()
        self._due.set()
        if self._thread.is_alive():
            self._thread.join(timeout=10)

    def wake(self) -> None:
        self._due.set()

    def snapshot_due(self) -> None:
        """Make all snapshots that are due, and put into the book who played before there was one."""
        for summary in self.due():
            if self._stopping.is_set():
                return
            self._seal(summary)
        for event_id in self._snapshot().unread_events():
            if self._stopping.is_set():
                return
            self._take_players(event_id)

    def due(self) -> Iterator[EventSummary]:
        """Dormant events whose snapshot is missing, or of another entry or core."""
        snapshot, core = self._snapshot(), running_core()
        resting = [
            summary_of(state)
            for state in snapshot.events.values()
            if is_dormant(snapshot.venue, state.finished, state.id)
        ]
        for summary in (*resting, *snapshot.dormant.values()):
            if self._made.get(summary.id) != (summary.head, core) or summary.id in self._dormant.without_snapshot:
                yield summary

    def _run(self) -> None:
        self._stopping.wait(FIRST_AFTER_S)
        while not self._stopping.is_set():
            self._due.clear()
            self.snapshot_due()
            self._due.wait()

    def _seal(self, summary: EventSummary) -> None:
        state = self._snapshot().events.get(summary.id)
        self._made[summary.id] = summary.head, running_core()
        try:
            if state is None or state.head != summary.head:
                state = self._dormant.read_state(summary, self._breathe)
            if state.diverged:
                log.warning(
                    "event %s: rounds %s were computed otherwise by the core that ran then",
                    state.id,
                    list(state.diverged),
                )
            self._write(snapshot_event(state))
        except SnapshotterStopped:
            return
        except Exception:
            # It is folded on demand, and `roundtap journal verify` shows what is wrong with it.
            log.exception("event %s cannot be sealed", summary.id)
        finally:
            self._dormant.without_snapshot.discard(summary.id)

    def _breathe(self) -> None:
        if self._stopping.is_set():
            raise SnapshotterStopped
        self._entries += 1
        if self._entries % BREATH_EVERY == 0:
            self._stopping.wait(BREATH_S)
