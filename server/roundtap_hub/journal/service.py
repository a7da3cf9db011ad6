"""The service: one thread takes commands, decides, commits in groups, then publishes. Nothing unsaved is shown."""

from __future__ import annotations

import logging
import queue
import secrets
import threading
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field, replace

from roundtap_core.clock import RUNNING, after_restart
from roundtap_core.errors import Problem
from roundtap_core.event.apply import apply, fold
from roundtap_core.event.commands import Command, CreateEvent, PublishRound, SetClock
from roundtap_core.event.decide import decide
from roundtap_core.event.entries import VENUE, Entry, NewEntry, seal
from roundtap_core.event.person import Person
from roundtap_core.event.played_on import OpenPoint
from roundtap_core.event.seen import refuse_unless_seen
from roundtap_core.event.setup.open_points import list_points
from roundtap_core.event.state import EventState, event_names
from roundtap_hub.journal.clocks import Clocks
from roundtap_hub.journal.hall import in_the_hall
from roundtap_hub.journal.journal import Journal, JournalConflict, PersonRecord
from roundtap_hub.journal.venue import Venue, apply_venue, decide_venue, fold_venue

log = logging.getLogger(__name__)

GROUP_LIMIT = 512
"""Commands in one commit at the most: bounds how long the first of them waits for the last."""


@dataclass(frozen=True, slots=True)
class Snapshot:
    """Everything saved, at one moment. Frozen: any thread may read it."""

    venue: Venue = field(default_factory=Venue)
    events: Mapping[str, EventState] = field(default_factory=dict)
    people: Mapping[str, Mapping[str, Person]] = field(default_factory=dict)
    names: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    """Everybody's name as shown in public, by event and competitor."""

    def with_names(self, before: Snapshot | None = None) -> Snapshot:
        """The names worked out, where what they depend on has changed since `before`."""
        names = {
            event_id: before.names[event_id] if before and self._named_alike(before, event_id)
            else event_names(state, self.people.get(event_id, {}))
            for event_id, state in self.events.items()
        }
        return replace(self, names=names)

    def _named_alike(self, before: Snapshot, event_id: str) -> bool:
        was, now = before.events.get(event_id), self.events[event_id]
        return (was is not None and was.entrants is now.entrants and was.given_options is now.given_options
                and before.people.get(event_id) is self.people.get(event_id))


@dataclass(frozen=True, slots=True)
class Step:
    """One command of a request: for an event stream by `decide`, or entries of the venue stream as they are.

    `seen`: the mark of the state that the button was shown for (event/seen.py); it is compared where it is decided.
    """

    stream: str
    command: Command | NewEntry
    seen: str = ""


@dataclass(slots=True)
class Request:
    """Steps that are decided and committed together or not at all."""

    steps: Sequence[Step]
    actor: str
    people: Sequence[PersonRecord]
    answer: Future[list[Entry]]


Listener = Callable[[Snapshot, Sequence[Entry]], None]


class HubStopped(Exception):
    """The hub is shutting down: ask again after its restart."""


class Service:
    """The one writer of a journal.

    `submit` and `ask` may be called from any thread. `listeners` run in the writer thread after each commit and must
    only enqueue. `at_point` is called with "before-commit" and "after-commit": tests kill the process there.
    """

    def __init__(self, journal: Journal, clocks: Clocks, at_point: Callable[[str], None] = lambda _: None) -> None:
        self._journal = journal
        self._moments = clocks
        self._at_point = at_point
        self._queue: queue.SimpleQueue[Request | None] = queue.SimpleQueue()
        self._listeners: list[Listener] = []
        self._thread = threading.Thread(target=self._write, name="journal-writer", daemon=True)
        self._stopped = False
        self._submitting = threading.Lock()
        self._doubtful = False
        self.snapshot = self._load()

    def start(self) -> None:
        """Begin to take commands; a fresh journal gets its first epoch, clocks of another boot are held."""
        self._thread.start()
        if not self.snapshot.venue.epoch:
            self.ask([Step(VENUE, NewEntry("epoch-begun", {"epoch": secrets.token_hex(8)}))], "hub")
        self._hold_clocks()

    def stop(self) -> None:
        """Finish what was submitted, then stop."""
        with self._submitting:
            self._stopped = True
            self._queue.put(None)
        self._thread.join(timeout=10)

    def listen(self, listener: Listener) -> None:
        self._listeners.append(listener)

    def submit(self, steps: Sequence[Step], actor: str, people: Sequence[PersonRecord] = ()) -> Future[list[Entry]]:
        """A future that holds the committed entries, or the Problem that refused all of the steps."""
        answer: Future[list[Entry]] = Future()
        # Under one lock with `stop`, so that nobody is left waiting behind the writer's last request.
        with self._submitting:
            if self._stopped:
                answer.set_exception(HubStopped())
            else:
                self._queue.put(Request(steps, actor, people, answer))
        return answer

    def ask(self, steps: Sequence[Step], actor: str, people: Sequence[PersonRecord] = (),
            timeout_s: float = 10) -> list[Entry]:
        """`submit` and wait."""
        return self.submit(steps, actor, people).result(timeout=timeout_s)

    def tell(self, event_id: str, command: Command, actor: str, people: Sequence[PersonRecord] = (),
             seen: str = "") -> list[Entry]:
        """One command to one event, waited for."""
        return self.ask([Step(event_id, command, seen)], actor, people)

    def checkpoint(self) -> None:
        """Note what each running clock shows: one row an event, outside the journal."""
        now = self._moments.now()
        for state in self.snapshot.events.values():
            remaining_ms = state.clock.remaining_at(now)
            if state.clock.state == RUNNING and remaining_ms is not None:
                self._journal.save_checkpoint(state.id, remaining_ms, now)

    def _load(self) -> Snapshot:
        streams = self._journal.streams()
        venue = fold_venue(streams.pop(VENUE, []))
        events = {stream: fold(stream, entries) for stream, entries in streams.items()}
        for state in events.values():
            if state.diverged:
                log.warning("event %s: rounds %s were computed otherwise by the core that ran then",
                            state.id, list(state.diverged))
        return Snapshot(venue, events, self._journal.people()).with_names()

    def _hold_clocks(self) -> None:
        now = self._moments.now()
        checkpoints = self._journal.checkpoints()
        for state in self.snapshot.events.values():
            # A checkpoint from before the clock was last set is another round's, or forgets an adjustment.
            noted, anchor = checkpoints.get(state.id), state.clock.anchor
            fresh = noted is not None and noted.at.boot_id == anchor.boot_id and noted.at.mono_ms >= anchor.mono_ms
            held = after_restart(state.clock, now, noted.remaining_ms if noted is not None and fresh else None)
            if held is not state.clock and held.remaining_ms is not None:
                self.tell(state.id, SetClock("restore", held.remaining_ms), "hub")

    def _write(self) -> None:
        while True:
            batch = self._next_batch()
            if not batch:
                return
            try:
                self._handle(batch)
            except Exception as bug:
                # What became of the batch is on the disk; nobody may wait in vain, and the next one must find us.
                log.exception("a batch failed")
                self._doubtful = True
                for request in batch:
                    if not request.answer.done():
                        request.answer.set_exception(bug)

    def _next_batch(self) -> list[Request]:
        """The next request and all that wait behind it: they share one fsync."""
        first = self._queue.get()
        if first is None:
            return []
        batch = [first]
        while len(batch) < GROUP_LIMIT:
            try:
                request = self._queue.get_nowait()
            except queue.Empty:
                break
            if request is None:
                self._queue.put(None)
                break
            batch.append(request)
        return batch

    def _handle(self, batch: list[Request]) -> None:
        """Decide, commit, answer, publish."""
        batch = [request for request in batch if request.answer.set_running_or_notify_cancel()]
        if self._doubtful and not self._refold():
            for request in batch:
                request.answer.set_exception(Problem("not_saved"))
            return
        pending = self.snapshot
        entries: list[Entry] = []
        people: list[PersonRecord] = []
        answers: list[tuple[Request, list[Entry]]] = []
        for request in batch:
            try:
                after, made = self._decide(pending, request)
            except Problem as problem:
                request.answer.set_exception(problem)
            except Exception as bug:
                log.exception("a command failed")
                request.answer.set_exception(bug)
            else:
                pending = after
                entries += made
                people += request.people
                answers.append((request, made))
        saved = not (entries or people) or self._commit(entries, people)
        if saved and pending is not self.snapshot:
            self.snapshot = pending.with_names(self.snapshot)
        for request, made in answers:
            if saved:
                request.answer.set_result(made)
            else:
                request.answer.set_exception(Problem("not_saved"))
        if entries or people:
            self._publish(entries if saved else [])

    def _commit(self, entries: list[Entry], people: list[PersonRecord]) -> bool:
        try:
            self._at_point("before-commit")
            self._journal.append(entries, people)
            self._at_point("after-commit")
        except (JournalConflict, OSError) as refused:
            log.error("a batch of %d was not saved: %s", len(entries), refused)
        except Exception:
            log.exception("a batch of %d could not be written down", len(entries))
        else:
            return True
        self._refold()
        return False

    def _refold(self) -> bool:
        """Read again what is saved: another writer may have been faster, or a commit that failed be on the disk after
        all. Until that succeeds nothing can be decided."""
        try:
            self.snapshot = self._load()
            self._doubtful = False
        except Exception:
            log.exception("the journal cannot be read again")
            self._doubtful = True
        return not self._doubtful

    def _publish(self, entries: list[Entry]) -> None:
        for listener in self._listeners:
            try:
                listener(self.snapshot, entries)
            except Exception:
                # What is saved stays saved, and the writer must live: a feed that fails is the feed's loss.
                log.exception("a listener failed")

    def _decide(self, pending: Snapshot, request: Request) -> tuple[Snapshot, list[Entry]]:
        made: list[Entry] = []
        at = self._moments.at()
        for step in request.steps:
            if isinstance(step.command, NewEntry):
                for new in decide_venue(pending.venue, step.command):
                    entry = seal(new, VENUE, pending.venue.number + 1, pending.venue.head, at, request.actor)
                    pending = replace(pending, venue=apply_venue(pending.venue, entry))
                    made.append(entry)
                continue
            state = pending.events.get(step.stream) or EventState(step.stream)
            if not state.number and not isinstance(step.command, CreateEvent):
                raise Problem("unknown_event", event=step.stream)
            refuse_unless_seen(state, step.seen)
            command = in_the_hall(pending.events, step.stream, step.command)
            if isinstance(command, PublishRound):
                command = replace(command, list_points=_list_points(pending, state, request))
            for new in decide(state, command, at.instant):
                entry = seal(new, step.stream, state.number + 1, state.head, at, request.actor)
                state = apply(state, entry)
                made.append(entry)
            if state.number:
                pending = replace(pending, events={**pending.events, step.stream: state})
        for record in request.people:
            event_people = {**pending.people.get(record.event, {}), record.competitor: record.person}
            pending = replace(pending, people={**pending.people, record.event: event_people})
        return pending, made


def _list_points(pending: Snapshot, state: EventState, request: Request) -> tuple[OpenPoint, ...]:
    """What the lists lack at this very moment: entries know digests only, the people are kept here."""
    coming = {record.competitor: record.person for record in request.people if record.event == state.id}
    return list_points(state, {**pending.people.get(state.id, {}), **coming})
