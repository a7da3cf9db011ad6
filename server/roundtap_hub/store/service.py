"""The service: one thread takes commands, decides, commits in groups, then publishes. Nothing unsaved is shown."""

import logging
import os
import queue
import secrets
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future
from functools import partial
from pathlib import Path

from msgspec.structs import replace
from sqlmodel import SQLModel

from roundtap_core.clock import RUNNING, Clock, clock_after_restart
from roundtap_core.errors import Problem
from roundtap_core.event.commands import Command, SetClock
from roundtap_core.event.entries import VENUE, Entry, NewEntry
from roundtap_core.event.states import EventState
from roundtap_hub.store import journal as journals
from roundtap_hub.store.book import PEOPLE_KNOWN
from roundtap_hub.store.clocks import Clocks, left_ms
from roundtap_hub.store.command_pipeline import HALL_COMMANDS, DecidedBatch, Step, WriteRequest, decide_all
from roundtap_hub.store.copies import CommitBatch, Copies, StorageState
from roundtap_hub.store.event_cache import DormantEvents, EventSnapshotter
from roundtap_hub.store.head_file import HeadFile
from roundtap_hub.store.models import CheckpointRow
from roundtap_hub.store.read_model import Snapshot, load_snapshot, reload_streams
from roundtap_hub.store.secure_files import MOVED
from roundtap_hub.store.snapshots import EventSnapshot
from roundtap_hub.store.venue import is_dormant
from roundtap_machine.disk import FAILING, disk_fault

__all__ = ["HubStopped", "OutcomeUnknown", "Service", "Snapshot", "Step"]

log = logging.getLogger(__name__)

GROUP_LIMIT = 512  # the most commands in one commit: bounds how long the first waits for the last

START_TIMEOUT_S, COMMIT_TIMEOUT_S = 3.0, 20.0
"""How long a caller waits for the writer to begin, and in all before the outcome is reported as unknown. It holds a
thread meanwhile, and others wait for that."""

LOG_TRIM_BYTES = 16 * 1024 * 1024

Listener = Callable[[Snapshot, Sequence[Entry]], None]
Chore = Callable[[], None]


class HubStopped(Exception):
    """The hub is shutting down: ask again after its restart."""


class OutcomeUnknown(TimeoutError):
    """Neither "done" nor "nothing was changed" is certain yet; `answer` holds the outcome once it is known."""

    def __init__(self, answer: Future[list[Entry]]) -> None:
        super().__init__("whether it is saved is not known yet")
        self.answer = answer


class WorkQueue:
    """The writer's queue: requests, in groups that share one commit; chores, when no request waits. `put` from any
    thread; the rest is for the writer."""

    def __init__(self) -> None:
        self._waiting: queue.SimpleQueue[WriteRequest | Chore | None] = queue.SimpleQueue()
        self._chores: list[Chore] = []
        self._ended = False

    def put(self, work: WriteRequest | Chore | None) -> None:
        """Add a request or chore; None ends the queue."""
        self._waiting.put(work)

    def later(self, chore: Chore) -> None:
        """Add a chore, from the writer itself."""
        self._chores.append(chore)

    def next_batch(self) -> list[WriteRequest]:
        """The next request and all that wait behind it; without requests, chores run. Empty at the end, after all
        chores."""
        batch: list[WriteRequest] = []
        while len(batch) < GROUP_LIMIT:
            try:
                work = self._waiting.get(block=not (batch or self._chores or self._ended))
            except queue.Empty:
                if batch or not self._chores:
                    break
                self._chores.pop(0)()
                continue
            if isinstance(work, WriteRequest):
                batch.append(work)
            elif work is None:
                self._ended = True
            else:
                self._chores.append(work)
        return batch


class Service:
    """The one writer of a journal. `submit` and `execute` may be called from any thread. Listeners run in the writer
    thread after each commit and must only enqueue. `at_point` is called with "before-commit" and "after-commit": tests
    kill the process there."""

    def __init__(
        self,
        journal: journals.Journal,
        clocks: Clocks,
        at_point: Callable[[str], None] = lambda _: None,
        head: HeadFile | None = None,
    ) -> None:
        self._journal = journal
        self._clocks = clocks
        self._at_point = at_point
        self._head = head
        self.storage = StorageState(clocks.mono_ms)
        self.copies: Copies | None = None
        """The journal's copies; None if there are none, or the database server keeps them."""
        self._queue = WorkQueue()
        self._listeners: list[Listener] = []
        self._thread = threading.Thread(target=self._write, name="journal-writer", daemon=True)
        self._stopped = False
        self.must_reopen = False
        """Whether only a new process can tell what is on the disk: this one takes no more commands."""
        self._on_must_reopen: Callable[[], None] = lambda: None
        self._submitting = threading.Lock()
        self._doubtful: set[str] = set()
        """Streams whose stored state is unknown: nothing is decided in them until they are read again."""
        self._dormant = DormantEvents(journal)
        self.snapshot = load_snapshot(journal, self._dormant.open)
        self.snapshotter = EventSnapshotter(
            journal,
            self._dormant,
            lambda: self.snapshot,
            lambda made: self._queue.put(partial(self._write_snapshot, made)),
            lambda event: self.submit([Step(VENUE, NewEntry(PEOPLE_KNOWN, {"event": event}))], "hub").exception(),
        )

    def start(self) -> None:
        """Take commands; a new journal gets its first epoch, clocks of another boot are paused."""
        self._thread.start()
        if not self.snapshot.venue.epoch:
            self.execute([Step(VENUE, NewEntry("epoch-begun", {"epoch": secrets.token_hex(8)}))], "hub")
        self._restore_clocks()
        self.snapshotter.start()

    def stop(self) -> None:
        """Finish what was submitted, then stop."""
        self.snapshotter.stop()
        with self._submitting:
            self._stopped = True
            self._queue.put(None)
        self._thread.join(timeout=10)
        if self.copies is not None:
            self.copies.stop()

    def when_must_reopen(self, tell: Callable[[], None]) -> None:
        """Call `tell`, from any thread, once the journal must be opened anew by another process; at once if so now."""
        self._on_must_reopen = tell
        if self.must_reopen:
            tell()

    def set_copies(self, copies: Copies) -> None:
        """Keep these copies from the next commit on."""
        self.copies = copies
        self.storage.copies_of = lambda: copies.states

    def listen(self, listener: Listener) -> None:
        self._listeners.append(listener)

    def submit(
        self,
        steps: Sequence[Step],
        actor: str,
        people: Sequence[journals.PersonRecord] = (),
        beside: Sequence[SQLModel] = (),
    ) -> Future[list[Entry]]:
        """A future that holds the committed entries, or the Problem that refused all of the steps."""
        answer: Future[list[Entry]] = Future()
        # Under one lock with `stop`, so that no request is left behind the writer's last one.
        with self._submitting:
            if self._stopped:
                answer.set_exception(HubStopped())
            else:
                self._queue.put(WriteRequest(steps, actor, people, answer, beside))
        return answer

    def execute(
        self,
        steps: Sequence[Step],
        actor: str,
        people: Sequence[journals.PersonRecord] = (),
        timeout_s: float = START_TIMEOUT_S,
        beside: Sequence[SQLModel] = (),
    ) -> list[Entry]:
        """`submit` and wait for the commit. Raises what refused it, and Problem("hub_slow") if the writer did not begin
        in time: then nothing is changed. Raises OutcomeUnknown if the writer has begun and does not end."""
        answer = self.submit(steps, actor, people, beside)
        try:
            return answer.result(timeout=timeout_s)
        except TimeoutError:
            if answer.cancel():
                raise Problem("hub_slow") from None
        try:
            return answer.result(timeout=max(COMMIT_TIMEOUT_S - timeout_s, 0))
        except TimeoutError:
            raise OutcomeUnknown(answer) from None

    def execute_one(
        self, event_id: str, command: Command, actor: str, people: Sequence[journals.PersonRecord] = (), seen: str = ""
    ) -> list[Entry]:
        """Send one command to one event and wait."""
        return self.execute([Step(event_id, command, seen)], actor, people)

    def entries(self, stream: str, after: journals.Head = journals.START) -> Iterator[Entry]:
        """A stream's entries after that one, read from the disk. Raises Problem("journal_broken")."""
        return self._journal.entries(stream, after)

    def holds(self, stream: str, head: journals.Head) -> bool:
        """Whether the journal has this very entry, read from the disk."""
        return self._journal.holds(stream, head)

    def checkpoint(self) -> None:
        """Store what each running clock shows: one row per event, outside the journal."""
        now = self._clocks.now()
        noted = [
            CheckpointRow(event=state.id, remaining_ms=remaining_ms, boot_id=now.boot_id, mono_ms=now.mono_ms)
            for state in self.snapshot.events.values()
            if state.clock.state == RUNNING and (remaining_ms := state.clock.remaining_at(now)) is not None
        ]
        if not noted:
            return
        try:
            self._journal.put(noted)
        except (journals.JournalConflict, OSError) as refused:
            # A full or busy disk may recover before the next checkpoint.
            log.error("no checkpoint was written: %s", refused)
            self._note_refusal(refused)

    def check_disk(self, folder: Path) -> None:
        """Check the disk; after a failure, make the writer try it again. From any thread, every few seconds."""
        try:
            self._journal.verify_place()
            disk, log_bytes = os.statvfs(folder), self._journal.log_bytes()
        except OSError as error:
            self.storage.failed(error.errno)
        else:
            self.storage.disk_checked(disk.f_bavail * disk.f_frsize, bool(disk.f_flag & os.ST_RDONLY), log_bytes)
            if log_bytes > LOG_TRIM_BYTES:
                # SQLite empties it by itself unless there is always a reader; then it must be asked to.
                self._queue.put(partial(self._scrub, "the journal's log cannot be emptied: %s"))
        if self.storage.fault:
            self._queue.put(self._probe_disk)

    def _probe_disk(self) -> None:
        """Write something without meaning, to learn whether the disk takes writes."""
        try:
            self._journal.write_probe()
        except (journals.JournalConflict, OSError) as refused:
            self._note_refusal(refused)
        else:
            if self._is_moved and self._doubtful:
                # What was committed as the folder went is on no copy yet.
                self.reopen()
            self.storage.written()

    @property
    def _is_moved(self) -> bool:
        """Whether the open files are not those at the folder's path: a new process would find others, or none."""
        return self.storage.fault == MOVED

    def _note_refusal(self, refused: journals.JournalConflict | OSError) -> None:
        if refused.errno is not None:
            self.storage.failed(refused.errno)
        if self._journal.sync_failed:
            self.reopen()

    def reopen(self, level: int = logging.ERROR) -> None:
        """End for a new process: nothing is committed any more. `level`: how serious the cause is, for the log."""
        with self._submitting:
            if self.must_reopen:
                return
            self.must_reopen = self._stopped = self._journal.sync_failed = True
            self._queue.put(None)
        log.log(level, "the journal is opened again by a new process, from what is on the disk")
        self._on_must_reopen()

    def _scrub(self, otherwise: str = "deleted people may still lie in freed parts of the journal: %s") -> None:
        try:
            self._journal.scrub()
        except journals.JournalConflict as refused:
            log.error(otherwise, refused)
            self._note_refusal(refused)

    def _restore_clocks(self) -> None:
        now = self._clocks.now()
        checkpoints = self._journal.checkpoints()
        for state in self.snapshot.events.values():
            # A checkpoint from before the clock was last set is another round's, or misses an adjustment.
            noted, anchor = checkpoints.get(state.id), state.clock.anchor
            fresh = noted is not None and noted.boot_id == anchor.boot_id and noted.mono_ms >= anchor.mono_ms
            held = clock_after_restart(state.clock, now, noted.remaining_ms if noted is not None and fresh else None)
            held = self._as_counted(held, state)
            if held is not state.clock and held.remaining_ms is not None:
                try:
                    self.execute_one(state.id, SetClock("restore", held.remaining_ms), "hub")
                except (Problem, OutcomeUnknown, HubStopped) as refused:
                    # On a full disk the hub shows what it has; the clock stands as stored.
                    log.error("the clock of event %s is not held: %s", state.id, refused)

    def _as_counted(self, held: Clock, state: EventState) -> Clock:
        """A restored clock as its tables count it meanwhile, by wall time, as long as that makes sense."""
        restored = self.snapshot.venue.restore_state
        if held is state.clock or restored is None or state.id not in restored.clocks or held.remaining_ms is None:
            return held
        left = left_ms(restored.clocks[state.id], self._clocks.wall())
        makes_sense = left is not None and -(held.total_ms or 0) <= left <= held.remaining_ms
        return replace(held, remaining_ms=left) if makes_sense else held

    def _write(self) -> None:
        while batch := self._queue.next_batch():
            self._handle_safely(batch)

    def _handle_safely(self, batch: list[WriteRequest]) -> None:
        try:
            self._handle(batch)
        except Exception as bug:
            # Nothing was committed, or it was answered: no caller may wait in vain, and the writer must live.
            log.exception("a batch failed")
            self._doubtful |= _streams(batch)
            for request in batch:
                if not request.answer.done():
                    request.answer.set_exception(bug)
        if _may_rest(self.snapshot, _streams(batch)):
            self.snapshotter.wake()

    def _write_snapshot(self, made: EventSnapshot) -> None:
        if self._dormant.save(made):
            self.snapshot = self._dormant.rearrange(self.snapshot)

    def _forget_people(self, events: set[str]) -> None:
        """Forget people of these events, in memory and in freed parts of the file."""
        if events:
            self._dormant.evict(events)
            self._queue.later(self._scrub)

    def _handle(self, batch: list[WriteRequest]) -> None:
        """Decide, commit, answer, publish."""
        batch = [request for request in batch if request.answer.set_running_or_notify_cancel()]
        if self.must_reopen:
            for request in batch:
                request.answer.set_exception(HubStopped())
            return
        batch = self._settle_doubtful(batch)
        decided = decide_all(self.snapshot, batch, self._clocks.at())
        decided.answer_refused()
        if not decided.has_writes:
            decided.answer()
            return
        try:
            self._finish_commit(decided, self._commit(decided))
        except journals.CommitInDoubt as unknown:
            log.error("whether a batch is saved is not known yet: %s", unknown)
            for request, _ in decided.made:
                request.answer.set_exception(OutcomeUnknown(request.answer))
            self._doubtful |= decided.streams
            if not self._is_moved:
                self.reopen()

    def _commit(self, decided: DecidedBatch) -> bool:
        """Whether it is saved. Raises CommitInDoubt if only a new process can tell."""
        from_ms = self._clocks.mono_ms()
        try:
            self._at_point("before-commit")
            self._journal.append(decided.entries, decided.people, decided.beside)
            self._at_point("after-commit")
        except (journals.JournalConflict, OSError) as refused:
            log.error("a batch of %d was not saved: %s", len(decided.entries), refused)
            self._note_refusal(refused)
            if isinstance(refused, journals.CommitInDoubt) and self._is_moved:
                raise
        except Exception:
            log.error("a batch of %d could not be written down", len(decided.entries), exc_info=True)
        else:
            self.storage.written(self._clocks.mono_ms() - from_ms)
            return True
        return self._is_stored(decided.entries)

    def _is_stored(self, entries: Sequence[Entry]) -> bool:
        """Whether a failed commit is stored after all, which is not believed of a journal whose sync failed."""
        if self._journal.sync_failed:
            raise journals.CommitInDoubt("its sync failed")
        try:
            return bool(entries) and self._journal.first_unknown_stream(journals.heads_of(entries)) is None
        except Exception as unreadable:
            raise journals.CommitInDoubt(str(unreadable)) from unreadable

    def _finish_commit(self, decided: DecidedBatch, saved: bool) -> None:
        """Answer and publish a commit whose outcome is known."""
        if not saved:
            self._doubtful |= decided.streams
            self._reload_streams(self._doubtful)
            for request, _ in decided.made:
                request.answer.set_exception(Problem("not_saved"))
            self._publish([])
            return
        epoch = self.snapshot.venue.epoch
        try:
            if self.copies is not None:
                # Before any answer. A failing copy is shown on the console: the commit stands.
                people = [journals.person_row(record) for record in decided.people]
                self.copies.save(CommitBatch(decided.entries, people))
                self._at_point("after-copies")
            self._update_snapshot(decided)
            decided.answer()
        finally:
            self._note_head(decided.entries, epoch)
        self._publish(decided.entries)

    def _note_head(self, entries: Sequence[Entry], epoch: str) -> None:
        """Note the commit in the head file. No caller waits for it: after a power cut it may lack the newest commit.
        `epoch`: the one before these entries."""
        if self._head is None or not entries:
            return
        epoch = next((entry.data["epoch"] for entry in reversed(entries) if entry.kind == "epoch-begun"), epoch)
        try:
            self._head.note_commit(epoch, journals.heads_of(entries))
        except OSError as error:
            log.error("the head file cannot be written: %s", error)
            self.storage.head_noted(False)
            if disk_fault(error.errno) == FAILING:
                self.reopen()
        else:
            self.storage.head_noted(True)
        self._at_point("after-head")

    def _update_snapshot(self, decided: DecidedBatch) -> None:
        try:
            after = decided.after.with_names(self.snapshot)
            self.snapshot = self._dormant.rearrange(after) if _may_rest(after, decided.streams) else after
            self._forget_people(journals.events_erased(decided.entries))
        except Exception:
            # It is saved: callers get that answer, and the snapshot is read from the disk.
            log.exception("what was saved cannot be shown")
            self._doubtful |= decided.streams
            self._reload_streams(decided.streams)

    def _settle_doubtful(self, batch: list[WriteRequest]) -> list[WriteRequest]:
        """The requests that can be decided. The others, whose streams cannot be read now, are refused."""
        moved = self._is_moved
        in_doubt = [request for request in batch if moved or self._in_doubt(request)] if self._doubtful else []
        if not in_doubt:
            return batch
        if not moved:
            self._reload_streams(self._doubtful)
        for request in in_doubt:
            if moved or self._in_doubt(request):
                request.answer.set_exception(Problem("not_saved"))
        return [request for request in batch if not request.answer.done()]

    def _in_doubt(self, request: WriteRequest) -> bool:
        """Whether it depends on streams whose stored state is unknown: its own streams, or all tables."""
        looks_at_the_hall = any(isinstance(step.command, HALL_COMMANDS) for step in request.steps)
        return bool(self._doubtful if looks_at_the_hall else self._doubtful & request.streams)

    def _reload_streams(self, streams: Iterable[str]) -> bool:
        """Reload these streams one by one; return whether all are certain."""
        for stream in sorted(set(streams)):
            try:
                self.snapshot = reload_streams(self._journal, self.snapshot, [stream])
                self._doubtful.discard(stream)
            except Exception:
                log.error("the journal of a stream cannot be read again: %s", stream, exc_info=True)
        return not self._doubtful

    def _publish(self, entries: list[Entry]) -> None:
        for listener in self._listeners:
            try:
                listener(self.snapshot, entries)
            except Exception:
                # The commit stands and the writer must live: a failing listener misses it.
                log.exception("a listener failed")


def _streams(batch: Iterable[WriteRequest]) -> set[str]:
    return {stream for request in batch for stream in request.streams}


def _may_rest(snapshot: Snapshot, streams: Iterable[str]) -> bool:
    """Whether an event may go to rest or come back after these streams' commits: not by reports of a round in play."""
    states = ((stream, snapshot.events.get(stream)) for stream in streams)
    return any(state is None or is_dormant(snapshot.venue, state.finished, stream) for stream, state in states)
