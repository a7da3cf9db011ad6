"""From the writer's thread to the event loop: one wake-up for as many answers as one commit has."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import suppress
from typing import Any

Call = Callable[[], None]


class LoopInbox:
    """Calls that other threads leave for one loop. A commit settles a hundred reports; waking the loop for each of them
    would cost more than the reports do."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self.loop = loop
        self._calls: deque[Call] = deque()
        self._woken = False

    def post(self, call: Call) -> None:
        """Run `call` on the loop, soon; from any thread."""
        self._calls.append(call)
        if not self._woken:
            self._woken = True
            # A loop that has ended meanwhile has nobody left who waits.
            with suppress(RuntimeError):
                self.loop.call_soon_threadsafe(self._run)

    def settled(self, answer: Future[Any]) -> asyncio.Future[None]:
        """A future of this loop that is done when `answer` is, whatever it holds. To be called on the loop."""
        done: asyncio.Future[None] = self.loop.create_future()

        def finish() -> None:
            if not done.done():
                done.set_result(None)

        answer.add_done_callback(lambda _: self.post(finish))
        return done

    def _run(self) -> None:
        # First the flag: what is left from now on wakes the loop again.
        self._woken = False
        while self._calls:
            self._calls.popleft()()
