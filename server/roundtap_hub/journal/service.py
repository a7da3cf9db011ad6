"""The service: one thread takes commands, decides, commits in groups, then publishes. Nothing unsaved is shown."""

from __future__ import annotations

import logging
import queue
import secrets
import threading
from collections import OrderedDict
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Future
from functools import partial

from roundtap_core.clock import RUNNING, after_restart
from roundtap_core.errors import Problem
from roundtap_core.event.commands import Command, SetClock
from roundtap_core.event.entries import VENUE, Entry, NewEntry
from roundtap_hub.journal.clocks import Clocks
from roundtap_hub.journal.deciding import Request, Step, decide_request
from roundtap_hub.journal.hall import HALL_COMMANDS
from roundtap_hub.journal.journal import Journal, JournalConflict, PersonRecord
from roundtap_hub.journal.loading import load, read_again
from roundtap_hub.journal.sealer import Sealer
from roundtap_hub.journal.seals import Seal
from roundtap_hub.journal.shelf import OpenEvent, Shelf
from roundtap_hub.journal.snapshot import Snapshot
from roundtap_hub.journal.venue import DELETED, rests

__all__ = ["HubStopped", "Service", "Snapshot", "Step"]

log = logging.getLogger(__name__)

GROUP_LIMIT = 512
"""Commands in one commit at the most: bounds how long the first of them waits for the last."""

STAY_WHOLE = 2
"""Finished events that stay among those in play until others are over: their last paper is printed, people look."""

Chore = Callable[[], None]
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
        self._queue: queue.SimpleQueue[Request | Chore | None] = queue.SimpleQueue()
        self._chores: list[Chore] = []
        """What the writer does when nobody waits for anything."""
        self._listeners: list[Listener] = []
        self._thread = threading.Thread(target=self._write, name="journal-writer", daemon=True)
        self._stopped = False
        self._submitting = threading.Lock()
        self._doubtful: set[str] = set()
        """Streams of which nobody knows what is saved: nothing is decided in them until they were read again."""
        self._sealed: OrderedDict[str, str] = OrderedDict()
        """Heads of the events that were sealed while in play, by id; the one that has waited longest first."""
        self._shelf = Shelf(journal)
        self.snapshot = load(journal, self._shelf)
        self.sealer = Sealer(journal, self._shelf, lambda: self.snapshot,
                             lambda seal: self._queue.put(partial(self._write_seal, seal)))

    def start(self) -> None:
        """Begin to take commands; a fresh journal gets its first epoch, clocks of another boot are held."""
        self._thread.start()
        if not self.snapshot.venue.epoch:
            self.ask([Step(VENUE, NewEntry("epoch-begun", {"epoch": secrets.token_hex(8)}))], "hub")
        self._hold_clocks()
        self.sealer.start()

    def stop(self) -> None:
        """Finish what was submitted, then stop."""
        self.sealer.stop()
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
        while (batch := self._next_batch()) is not None:
            if batch:
                self._handle_or_doubt(batch)
            elif self._chores:
                self._chores.pop(0)()
        for chore in self._chores:
            chore()

    def _handle_or_doubt(self, batch: list[Request]) -> None:
        try:
            self._handle(batch)
        except Exception as bug:
            # What became of the batch is on the disk; nobody may wait in vain, and the next one must find us.
            log.exception("a batch failed")
            self._doubtful |= _streams(batch)
            for request in batch:
                if not request.answer.done():
                    request.answer.set_exception(bug)
        if any(self._may_rest(stream) for stream in _streams(batch)):
            self.sealer.wake()

    def _may_rest(self, stream: str) -> bool:
        """Whether there may be something to seal: reports of a round in play wake nobody."""
        state = self.snapshot.events.get(stream)
        return state is None or rests(self.snapshot.venue, state.finished, stream)

    def _next_batch(self) -> list[Request] | None:
        """The next request and all that wait behind it: they share one fsync. Empty while nobody asks for anything and
        a chore can be done; None at the end."""
        batch: list[Request] = []
        while len(batch) < GROUP_LIMIT:
            try:
                asked = self._queue.get(block=not batch and not self._chores)
            except queue.Empty:
                break
            if asked is None:
                if batch:
                    self._queue.put(None)
                return batch or None
            if isinstance(asked, Request):
                batch.append(asked)
            else:
                self._chores.append(asked)
        return batch

    def _write_seal(self, seal: Seal) -> None:
        """Without it the event is folded when somebody looks: whatever fails here fails nobody."""
        try:
            self._journal.seals.save(seal)
        except Exception:
            log.exception("the seal of event %s is not saved", seal.summary.id)
            return
        self._sealed[seal.summary.id] = seal.summary.head
        self._sealed.move_to_end(seal.summary.id)
        self.snapshot = self._arranged(self.snapshot)

    def _arranged(self, snapshot: Snapshot) -> Snapshot:
        """Everything where it belongs: what is archived, and what has been over for long, is on the shelf."""
        for event_id in [event_id for event_id in snapshot.shelf
                         if not rests(snapshot.venue, snapshot.shelf[event_id].finished, event_id)]:
            snapshot = self._taken_down(snapshot, event_id)
        over = {event_id for event_id in snapshot.events if rests(snapshot.venue, False, event_id)}
        waiting = [event_id for event_id, head in self._sealed.items()
                   if event_id in snapshot.events and snapshot.events[event_id].head == head
                   and snapshot.events[event_id].finished]
        for event_id in over | set(waiting[: -STAY_WHOLE]):
            self._sealed.pop(event_id, None)
            self._shelf.keep(OpenEvent(snapshot.events[event_id], snapshot.people_of(event_id),
                                       snapshot.names_of(event_id)))
            snapshot = snapshot.on_the_shelf(event_id)
        return snapshot

    def _forget(self, events: set[str]) -> None:
        """Nothing in memory, or in the freed parts of the file, remembers the people of deleted events."""
        for event_id in events:
            self._shelf.forget(event_id)
        if events:
            self._chores.append(self._scrub)

    def _scrub(self) -> None:
        try:
            self._journal.scrub()
        except Problem as problem:
            log.error("deleted people may still lie in freed parts of the journal: %s", problem)

    @staticmethod
    def _taken_down(snapshot: Snapshot, event_id: str) -> Snapshot:
        try:
            return snapshot.off_the_shelf(event_id)
        except Problem as problem:
            # What has just been saved stands: an event that cannot be read stays where it can be asked for again.
            log.error("event %s cannot be opened: %s", event_id, problem)
            return snapshot

    def _handle(self, batch: list[Request]) -> None:
        """Decide, commit, answer, publish."""
        batch = self._certain([request for request in batch if request.answer.set_running_or_notify_cancel()])
        pending, decided = self._decide(batch)
        entries = [entry for _, made in decided for entry in made]
        people = [record for request, _ in decided for record in request.people]
        saved = not (entries or people) or self._commit(entries, people)
        if saved and pending is not self.snapshot:
            self.snapshot = self._arranged(pending.with_names(self.snapshot))
            self._forget({entry.data["event"] for entry in entries if entry.kind == DELETED})
        for request, made in decided:
            if saved:
                request.answer.set_result(made)
            else:
                request.answer.set_exception(Problem("not_saved"))
        if entries or people:
            self._publish(entries if saved else [])

    def _certain(self, batch: list[Request]) -> list[Request]:
        """The requests that can be decided. The others, whose streams cannot be read just now, are told so."""
        in_doubt = [request for request in batch if self._in_doubt(request)] if self._doubtful else []
        if not in_doubt or self._read_again(self._doubtful):
            return batch
        for request in in_doubt:
            if self._in_doubt(request):
                request.answer.set_exception(Problem("not_saved"))
        return [request for request in batch if not request.answer.done()]

    def _in_doubt(self, request: Request) -> bool:
        """Whether it stands on something of which nobody knows what is saved: its own streams, or all tables."""
        looks_at_the_hall = any(isinstance(step.command, HALL_COMMANDS) for step in request.steps)
        return bool(self._doubtful if looks_at_the_hall else self._doubtful & request.streams)

    def _decide(self, batch: list[Request]) -> tuple[Snapshot, list[tuple[Request, list[Entry]]]]:
        """What is so after all of them, and each one's entries; who is refused has the answer already."""
        pending, decided = self.snapshot, []
        at = self._moments.at
        for request in batch:
            try:
                pending, made = decide_request(pending, request, at())
            except Problem as problem:
                request.answer.set_exception(problem)
            except Exception as bug:
                log.exception("a command failed")
                request.answer.set_exception(bug)
            else:
                decided.append((request, made))
        return pending, decided

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
        self._doubtful |= {entry.stream for entry in entries} | {record.event for record in people}
        self._read_again(self._doubtful)
        return False

    def _read_again(self, streams: Iterable[str]) -> bool:
        """Whether these streams are certain again, each by itself: another writer may have been faster, or a commit
        that failed be on the disk after all."""
        for stream in sorted(streams):
            try:
                self.snapshot = read_again(self._journal, self.snapshot, [stream])
                self._doubtful.discard(stream)
            except Exception:
                log.exception("the journal of %s cannot be read again", stream)
        return not self._doubtful

    def _publish(self, entries: list[Entry]) -> None:
        for listener in self._listeners:
            try:
                listener(self.snapshot, entries)
            except Exception:
                # What is saved stays saved, and the writer must live: a feed that fails is the feed's loss.
                log.exception("a listener failed")


def _streams(batch: Iterable[Request]) -> set[str]:
    return {stream for request in batch for stream in request.streams}
