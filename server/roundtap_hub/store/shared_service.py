"""The service on a shared database: decides again if another hub was faster, and follows the others' commits."""

import json
import logging
import threading
from collections import deque
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, replace
from functools import partial
from itertools import groupby
from operator import attrgetter
from typing import Any

import psycopg
from sqlalchemy.engine import URL
from sqlmodel import SQLModel

from roundtap_core.errors import Problem
from roundtap_core.event.commands import apply
from roundtap_core.event.entries import VENUE, Entry, NewEntry
from roundtap_core.event.states import EventState
from roundtap_hub.store.book import PERSON_FORGOTTEN
from roundtap_hub.store.clocks import Clocks
from roundtap_hub.store.command_pipeline import HALL_COMMANDS, DecidedBatch, Step, WriteRequest, decide_all
from roundtap_hub.store.journal import (
    START,
    CommitInDoubt,
    Head,
    JournalConflict,
    PersonRecord,
    events_erased,
    libpq_arguments,
)
from roundtap_hub.store.postgres import CHANNEL, NumberTaken, PostgresJournal, error_text
from roundtap_hub.store.read_model import Snapshot, reload_streams
from roundtap_hub.store.service import HubStopped, Service
from roundtap_hub.store.venue import EVENT_ARCHIVED, EVENT_DELETED, EVENT_UNARCHIVED, RESTORE_SETTLED, apply_venue

log = logging.getLogger(__name__)

OPTIMISTIC_ATTEMPTS = 3
"""Attempts before a hub excludes the others while it decides. (A slower hub could lose sixty times in a row.)"""
ATTEMPTS = 8  # attempts in all; then the commands are refused as not saved
LOOK_UP_S = 0.5  # how long one wait for a notification lasts; a stopping hub waits no longer for its follower
RECONNECT_S = 1.0
FOLLOW_EVERY_S = 0.2
"""How often a hub reads what others write in their events. Each reading costs as much as many entries, so what comes
in between is read together; a request that depends on it does not wait."""
DOUBT_S = 1.0
"""How often a commit in doubt is checked."""


@dataclass(frozen=True, slots=True)
class CommitNotice:
    """What another hub committed: the newest number of each stream, and the events whose people changed."""

    streams: Mapping[str, int]
    people: Collection[str] = ()

    @property
    def concerns_the_hall(self) -> bool:
        """Whether every hub reads it at once: keys, staff, seats, or people."""
        return VENUE in self.streams or bool(self.people)


class SharedService(Service):
    """One of several writers of a journal on PostgreSQL. `read_only`: a page server's, which follows and takes no
    command (Problem("pages_only"))."""

    def __init__(
        self,
        journal: PostgresJournal,
        clocks: Clocks,
        at_point: Callable[[str], None] = lambda _: None,
        read_only: bool = False,
    ) -> None:
        self._shared = journal
        self._read_only = read_only
        self._notices: deque[CommitNotice | None] = deque()
        self._just_read = False
        self._batch_in_doubt: DecidedBatch | None = None
        super().__init__(journal, clocks, at_point)

    def start(self) -> None:
        if self._read_only:
            self._thread.start()
        else:
            super().start()

    def stop(self) -> None:
        super().stop()
        doubt, self._batch_in_doubt = self._batch_in_doubt, None
        for request in doubt.requests if doubt else ():
            request.answer.set_exception(HubStopped())

    def submit(
        self, steps: Sequence[Step], actor: str, people: Sequence[PersonRecord] = (), beside: Sequence[SQLModel] = ()
    ) -> Future[list[Entry]]:
        if self._read_only and (steps or people or beside):
            refused: Future[list[Entry]] = Future()
            refused.set_exception(Problem("pages_only"))
            return refused
        return super().submit(steps, actor, people, beside)

    def checkpoint(self) -> None:
        if not self._read_only:
            super().checkpoint()

    def follow(self, news: CommitNotice | None) -> None:
        """Another hub has committed this; None: anything may have changed. From any thread; the writer reads it."""
        self._notices.append(news)
        if not self._just_read or news is None or news.concerns_the_hall:
            self._read_notices()

    def _read_notices(self) -> None:
        self._just_read = False
        self._queue.put(partial(self._handle_safely, []))

    # --- the writer's thread -----------------------------------------------------------------------------------------

    def _handle(self, batch: list[WriteRequest]) -> None:
        """Settle the commit in doubt, read what others wrote, then save the batch."""
        waiting = [request for request in batch if request.answer.set_running_or_notify_cancel()]
        if self._batch_in_doubt is not None:
            again = self._resolve_doubt()
            if again is None:
                _refuse_all(waiting)
                return
            waiting = again + waiting
        if not self._catch_up_notified(waiting) and any(request.has_writes for request in waiting):
            _refuse_all(waiting)
            return
        self._save(waiting)

    def _save(self, waiting: list[WriteRequest]) -> None:
        streams = {VENUE, *self.snapshot.events, *self.snapshot.dormant}
        if any(step.stream not in streams for request in waiting for step in request.steps):
            # Another hub may just have created it; an "unknown" fate would stay on record forever.
            self._catch_up(None)
        for attempt in range(ATTEMPTS):
            try:
                decided = (
                    self._decide_and_commit(waiting)
                    if attempt < OPTIMISTIC_ATTEMPTS
                    else self._commit_exclusively(waiting)
                )
            except NumberTaken:
                if not self._catch_up(None):
                    break
            except CommitInDoubt as lost:
                log.error("the connection was lost in mid-commit: %s", lost)
                if not self._resolve_doubt():
                    return
            except (JournalConflict, Problem, OSError) as refused:
                log.error("a batch of %d was not saved: %s", len(waiting), refused)
                break
            except Exception:
                log.exception("a batch of %d could not be written down", len(waiting))
                break
            else:
                self._saved(decided)
                return
        _refuse_all(waiting)

    def _decide_and_commit(self, waiting: Sequence[WriteRequest]) -> DecidedBatch:
        """Decide and commit. No request is answered yet: another hub may be faster."""
        decided = decide_all(self.snapshot, waiting, self._clocks.at())
        if decided.has_writes:
            self._at_point("before-commit")
            try:
                self._append(decided)
            except CommitInDoubt:
                self._batch_in_doubt = decided
                raise
            self._at_point("after-commit")
        return decided

    def _append(self, decided: DecidedBatch) -> None:
        beyond = any(_reads_other_streams(request) for request, _ in decided.made)
        rests_on = {stream: head.number for stream, head in self._known_heads().items()} if beyond else None
        self._shared.append(decided.entries, decided.people, decided.beside, rests_on)

    def _commit_exclusively(self, waiting: Sequence[WriteRequest]) -> DecidedBatch:
        """`_decide_and_commit` while every other hub waits."""
        with self._shared.exclusive():
            if not self._catch_up(None):
                raise JournalConflict("what other hubs wrote cannot be read")
            return self._decide_and_commit(waiting)

    def _saved(self, decided: DecidedBatch) -> None:
        decided.answer_refused()
        if decided.has_writes:
            self._finish_commit(decided, saved=True)
        else:
            decided.answer()

    def _resolve_doubt(self) -> list[WriteRequest] | None:
        """Settle the commit in doubt; return the requests to decide again (none if it is saved), or None while it is
        unknown. No request is answered before."""
        doubt = self._batch_in_doubt
        assert doubt is not None
        try:
            try:
                self._append(doubt)
                stored = True
            except NumberTaken:
                stored = bool(doubt.entries) and self._shared.is_stored(doubt.entries)
        except (Problem, JournalConflict, OSError) as unreachable:
            log.error("whether a batch is saved cannot be known yet: %s", unreachable)
            _later(DOUBT_S, self._read_notices)
            return None
        self._batch_in_doubt = None
        if stored:
            log.warning("a batch of %d that was in doubt is saved", len(doubt.entries))
            self._saved(doubt)
            return []
        self._catch_up(None)
        return list(doubt.requests)

    # --- what others wrote -------------------------------------------------------------------------------------------

    def _catch_up_notified(self, waiting: Sequence[WriteRequest]) -> bool:
        """Read what others announced, all at once, if it is time to or a request depends on it; False if the database
        is out of reach."""
        news = self._take_notices()
        if news is not None:
            if not news.streams and not news.people:
                return True
            if (
                self._just_read
                and not news.concerns_the_hall
                and not any(
                    _reads_other_streams(request) or not request.streams.isdisjoint(news.streams) for request in waiting
                )
            ):
                self._notices.appendleft(news)
                return True
        if not self._catch_up(news):
            return False
        if not self._just_read:
            # A timer that cannot start must not leave the mark behind.
            _later(FOLLOW_EVERY_S, self._read_notices)
            self._just_read = True
        return True

    def _take_notices(self) -> CommitNotice | None:
        """All notices as one, without what is known already."""
        streams: dict[str, int] = {}
        people: set[str] = set()
        everything = False
        while self._notices:
            news = self._notices.popleft()
            if news is None:
                everything = True
                continue
            people.update(news.people)
            streams.update(
                (stream, number)
                for stream, number in news.streams.items()
                if number > max(streams.get(stream, 0), self._known_head(stream).number)
            )
        return None if everything else CommitNotice(streams, people)

    def _catch_up(self, news: CommitNotice | None) -> bool:
        """Update the snapshot and notify the listeners; None: everything. False if the database is out of reach: the
        writer tries again with the next request."""
        try:
            after, entries = self._read_on(news)
        except Problem as problem:
            if problem.key not in ("journal_broken", "database_altered"):
                log.error("what other hubs wrote cannot be read: %s", problem)
                self._notices.append(news)
                return False
            # The database was replaced by an older copy: what is stored counts.
            log.error("the stream %s is not what this hub read: it is read anew", problem.where)
            return self._reload_all()
        if after is not self.snapshot:
            self.snapshot = self._dormant.rearrange(after.with_names(self.snapshot))
            self._forget_people(events_erased(entries))
            self._publish(entries)
        return True

    def _read_on(self, news: CommitNotice | None) -> tuple[Snapshot, list[Entry]]:
        after = self.snapshot
        if news is None:
            heads = self._known_heads()
            stored = self._shared.heads()
            behind = {stream: heads.get(stream, START) for stream, head in stored.items() if head != heads.get(stream)}
            if any(stored.get(stream, START).number < head.number for stream, head in heads.items() if head.number):
                raise Problem("database_altered", where=VENUE, stream=VENUE, number=0)
        else:
            behind = {stream: self._known_head(stream) for stream in news.streams}
        newer = self._shared.newer_entries(behind)
        for stream, entries in groupby(newer, key=attrgetter("stream")):
            after = _apply_entries(after, stream, entries)
        if VENUE in behind:
            after = after.with_rows(self._shared.secrets())
        self._dormant.evict(after.dormant if news is None else news.people)
        concerned = [event for event in (after.events if news is None else news.people) if event not in after.dormant]
        people = self._shared.people(concerned) if concerned else {}
        if any(people.get(event, {}) != after.people.get(event, {}) for event in concerned):
            after = replace(after, people={**after.people, **{event: people.get(event, {}) for event in concerned}})
        return after, newer

    def _reload_all(self) -> bool:
        try:
            streams = {*self._shared.heads(), *self._known_heads()}
            self.snapshot = reload_streams(self._shared, self.snapshot, sorted(streams))
        except Problem as problem:
            log.error("the journal cannot be read: %s", problem)
            self._notices.append(None)
            return False
        self._publish([])
        return True

    def _known_heads(self) -> dict[str, Head]:
        return {stream: self._known_head(stream) for stream in (VENUE, *self.snapshot.events, *self.snapshot.dormant)}

    def _known_head(self, stream: str) -> Head:
        """The last entry that is known here."""
        snapshot = self.snapshot
        state = snapshot.venue if stream == VENUE else snapshot.events.get(stream) or snapshot.dormant.get(stream)
        return START if state is None else Head(state.number, state.head)


def _apply_entries(snapshot: Snapshot, stream: str, entries: Iterable[Entry]) -> Snapshot:
    if stream == VENUE:
        venue = snapshot.venue
        for entry in entries:
            venue = apply_venue(venue, entry)
        return replace(snapshot, venue=venue)
    state = snapshot.event(stream) or EventState(stream)
    for entry in entries:
        state = apply(state, entry)
    return snapshot.with_event(state) if state.number else snapshot


def _reads_other_streams(request: WriteRequest) -> bool:
    """Whether the decision reads more than it writes: all tables, whether an event is over, all that a restored copy
    lacks, or, for people, that their event is not deleted."""
    return bool(request.people) or any(
        isinstance(step.command, HALL_COMMANDS)
        or (
            isinstance(step.command, NewEntry)
            and step.command.kind
            in {EVENT_ARCHIVED, EVENT_UNARCHIVED, EVENT_DELETED, RESTORE_SETTLED, PERSON_FORGOTTEN}
        )
        for step in request.steps
    )


def _refuse_all(waiting: Iterable[WriteRequest]) -> None:
    for request in waiting:
        if request.has_writes:
            request.answer.set_exception(Problem("not_saved"))
        else:
            request.answer.set_result([])


def _later(wait_s: float, call: Callable[[], None]) -> None:
    timer = threading.Timer(wait_s, call)
    timer.daemon = True
    timer.start()


class NotificationListener:
    """A thread that receives other hubs' notifications on its own connection. `commits` receives other hubs' commits,
    and None whenever any may have been missed: after each connect. `others`: further channels and their handlers (JSON
    objects). Messages from `name` are our own and are skipped."""

    def __init__(
        self,
        url: URL,
        name: str,
        commits: Callable[[CommitNotice | None], None],
        others: Mapping[str, Callable[[Mapping[str, Any]], None]] | None = None,
    ) -> None:
        self._url = url
        self._name = name
        self._commits = commits
        self._others = dict(others or {})
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name="follower", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        self._stop.set()
        self._thread.join(timeout=10)

    def _run(self) -> None:
        reachable = True
        while not self._stop.is_set():
            try:
                with psycopg.connect(**libpq_arguments(self._url), autocommit=True) as connection:
                    for channel in (CHANNEL, *self._others):
                        connection.execute(psycopg.sql.SQL("LISTEN {}").format(psycopg.sql.Identifier(channel)))
                    reachable = True
                    self._commits(None)
                    while not self._stop.is_set():
                        for notice in connection.notifies(timeout=LOOK_UP_S):
                            self._dispatch(notice.channel, notice.payload)
            except psycopg.Error as lost:
                if reachable:
                    log.error("what other hubs write is not heard at the moment: %s", error_text(lost))
                reachable = False
                self._stop.wait(RECONNECT_S)

    def _dispatch(self, channel: str, payload: str) -> None:
        try:
            message = json.loads(payload)
            if message["from"] == self._name:
                return
            if channel == CHANNEL:
                self._commits(CommitNotice(message["streams"], message["people"]) if "streams" in message else None)
            else:
                self._others[channel](message)
        except Exception:
            # Any client with the database's password can notify; the listener must survive bad messages.
            log.exception("a notification could not be read: %s %.200s", channel, payload)
