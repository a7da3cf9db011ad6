"""The standbys as a second copy of the journal: each commit is on one of their disks before anybody hears SAVED."""

from __future__ import annotations

import asyncio
import threading
import time
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from roundtap_core.event.entries import Entry
from roundtap_hub.journal.journal import PersonRecord
from roundtap_hub.standby.standby_rows import entry_rows, people_rows

WAIT_S = 1.5
"""So long a commit waits for a standby that was there a moment ago; then it is away, and nobody waits for it."""
SILENT_S = 6.0
"""A standby answers each beat, every 2 s: one that has not is away before anybody waits for it."""
BACKLOG_MAX = 4096
"""Batches that a standby may lag behind; one that lags more is cut off and catches up from the journal."""

Message = dict[str, Any]


@dataclass(slots=True, eq=False)
class StandbyConnection:
    """One standby's open feed. `level`: it had everything once; `live`: it has, and answers in time.

    `acknowledged`: the number of the last batch that is on its disk; `asked_heads` is what it came with.
    """

    unit: str
    session: str
    address: str | None
    loop: asyncio.AbstractEventLoop
    first: int
    """The number of the last batch before it came: what it lacks of those the journal has to say."""
    queue: deque[Message] = field(default_factory=deque)
    news: asyncio.Event = field(default_factory=asyncio.Event)
    acknowledged: int = 0
    level_at: int | None = None
    level: bool = False
    live: bool = False
    heard_s: float = 0.0
    seq: int = 0
    ended: bool = False


@dataclass(frozen=True, slots=True)
class StandbyState:
    """What the console says of one standby."""

    unit: str
    live: bool
    level: bool


class StandbyCopy:
    """All standbys of this hub. `write` runs in the writer's thread, the rest on the event loop; any thread may ask.

    `listeners` are called when a standby comes, is level, or is away; from any thread, and must only enqueue.
    """

    name = "standby"

    def __init__(self, now_s: Callable[[], float] = time.monotonic, wait_s: float = WAIT_S) -> None:
        self._now_s = now_s
        self._wait_s = wait_s
        self._lock = threading.Condition()
        self._connections: list[StandbyConnection] = []
        self._number = 0
        self.listeners: list[Callable[[], None]] = []

    # For the writer.

    @property
    def live(self) -> bool:
        """Whether there is a standby that holds everything and answers."""
        with self._lock:
            return any(map(self._is_live, self._connections))

    def write(self, entries: Sequence[Entry], people: Sequence[PersonRecord]) -> bool:
        """Hand a batch that is saved here to all standbys. True once one of them has it on its disk; False where none
        is live, or none answered within `wait_s`."""
        with self._lock:
            self._number += 1
            number, waits_for = self._number, []
            if not self._connections:
                return False
            message = {"type": "batch", "number": number, "entries": entry_rows(entries), "people": people_rows(people)}
            for connection in self._connections:
                if self._is_live(connection):
                    waits_for.append(connection)
                self._tell(connection, message)
            give_up_s = self._now_s() + self._wait_s
            while True:
                if any(connection.acknowledged >= number for connection in waits_for):
                    return True
                waits_for = [connection for connection in waits_for if not connection.ended]
                left_s = give_up_s - self._now_s()
                if not waits_for or left_s <= 0:
                    break
                self._lock.wait(left_s)
            for connection in waits_for:
                connection.live = False
        self._changed()
        return False

    # For the feed.

    def join(self, connection: StandbyConnection) -> None:
        """From now on it is told every batch. An older connection of the same standby ends."""
        with self._lock:
            for older in self._connections:
                if older.unit == connection.unit:
                    self._end(older)
            self._connections = [each for each in self._connections if not each.ended]
            connection.first = connection.acknowledged = self._number
            connection.heard_s = self._now_s()
            self._connections.append(connection)
        self._changed()

    def leave(self, connection: StandbyConnection) -> None:
        with self._lock:
            self._end(connection)
            self._connections = [each for each in self._connections if not each.ended]
        self._changed()

    def told_everything(self, connection: StandbyConnection) -> Message:
        """What is said after the last of what it lacked: once it has answered that, it is level."""
        with self._lock:
            connection.level_at = connection.first
            return {"type": "level", "number": connection.first}

    def acknowledged(self, unit: str, session: str, seq: int, number: int, level: bool) -> bool:
        """The standby has all batches up to `number` on its disk. False for words of another session, or old ones."""
        with self._lock:
            connection = next((each for each in self._connections
                               if each.unit == unit and each.session == session), None)
            if connection is None or connection.ended or seq <= connection.seq or number > self._number:
                return False
            connection.seq, connection.heard_s = seq, self._now_s()
            connection.acknowledged = max(connection.acknowledged, number)
            before = connection.live, connection.level
            if level and connection.level_at is not None:
                connection.level = True
            # Who was too slow once is waited for again when it has everything.
            connection.live = connection.level and (connection.live or connection.acknowledged == self._number)
            changed = before != (connection.live, connection.level)
            self._lock.notify_all()
        if changed:
            self._changed()
        return True

    # For whoever asks.

    def states(self) -> list[StandbyState]:
        """Every standby that is connected."""
        with self._lock:
            return [StandbyState(each.unit, self._is_live(each), each.level) for each in self._connections]

    def addresses(self) -> list[str]:
        """Where the standbys that were level once will answer when they are the hub."""
        with self._lock:
            return sorted({each.address for each in self._connections if each.level and each.address is not None})

    def close_all(self) -> None:
        """End every feed: the hub stops."""
        with self._lock:
            for connection in self._connections:
                self._end(connection)
            self._connections = []

    def _is_live(self, connection: StandbyConnection) -> bool:
        return connection.live and not connection.ended and self._now_s() - connection.heard_s < SILENT_S

    def _tell(self, connection: StandbyConnection, message: Message) -> None:
        if len(connection.queue) >= BACKLOG_MAX:
            self._end(connection)
            return
        connection.queue.append(message)
        self._wake(connection)

    def _end(self, connection: StandbyConnection) -> None:
        connection.ended = True
        connection.live = False
        self._wake(connection)
        self._lock.notify_all()

    @staticmethod
    def _wake(connection: StandbyConnection) -> None:
        if not connection.loop.is_closed():
            connection.loop.call_soon_threadsafe(connection.news.set)

    def _changed(self) -> None:
        for listener in self.listeners:
            listener()
