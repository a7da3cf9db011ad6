"""What waits for the writer: requests, in groups that share one commit; chores, while nobody waits for anything."""

from __future__ import annotations

import queue
from collections.abc import Callable

from roundtap_hub.journal.deciding import Request

Chore = Callable[[], None]


class WorkQueue:
    """`put` from any thread; the rest is the writer's. `limit`: requests in one group at the most."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._waiting: queue.SimpleQueue[Request | Chore | None] = queue.SimpleQueue()
        self._chores: list[Chore] = []

    def put(self, work: Request | Chore | None) -> None:
        """Another request, or chore; None: nothing comes any more."""
        self._waiting.put(work)

    def later(self, chore: Chore) -> None:
        """From the writer itself."""
        self._chores.append(chore)

    def next_batch(self) -> list[Request] | None:
        """The next request and all that wait behind it. Empty while nobody asks for anything and a chore can be done;
        None at the end."""
        batch: list[Request] = []
        while len(batch) < self._limit:
            try:
                asked = self._waiting.get(block=not batch and not self._chores)
            except queue.Empty:
                break
            if asked is None:
                if batch:
                    self._waiting.put(None)
                return batch or None
            if isinstance(asked, Request):
                batch.append(asked)
            else:
                self._chores.append(asked)
        return batch

    def do_a_chore(self) -> None:
        if self._chores:
            self._chores.pop(0)()

    def do_all_chores(self) -> None:
        """At the end: whatever was left for a quiet moment."""
        while self._chores:
            self._chores.pop(0)()
