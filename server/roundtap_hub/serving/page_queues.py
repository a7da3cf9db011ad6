"""Lanes of few threads for pages, each with a bounded queue; and the priority of reports over pages."""

from __future__ import annotations

import asyncio
import threading
from collections import Counter, deque
from collections.abc import Awaitable, Callable
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

T = TypeVar("T")

GIVE_WAY_S = 0.02
"""How long a page waits for reports at most: on a slow card a report is nearly always under way, and mostly waits for
the card without using the processor."""

Call = Callable[[], None]


class Busy(Exception):
    """The lane is too long, or did not move in time: nothing was done."""


class ClientGone(Exception):
    """The client has gone while waiting: nothing was done, and no answer is needed."""


class ReportPriority:
    """Reports under way, counted on the event loop (`with precedence:`); page threads give way to them, as Python runs
    one thread at a time."""

    def __init__(self) -> None:
        self._under_way = 0
        self._free = threading.Event()
        self._free.set()

    def __enter__(self) -> None:
        self._under_way += 1
        if self._under_way == 1:
            self._free.clear()

    def __exit__(self, *_: object) -> None:
        self._under_way -= 1
        if not self._under_way:
            self._free.set()

    def give_way(self) -> None:
        """Wait, in a page's thread, until no report is under way, or GIVE_WAY_S."""
        self._free.wait(GIVE_WAY_S)


class WatchedThread(ThreadPoolExecutor):
    """One thread that runs submitted work in order, with a probe for whether it makes progress."""

    def __init__(self, name: str) -> None:
        super().__init__(1, thread_name_prefix=name)
        self._asking: deque[Future[None]] = deque()

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        work = super().submit(fn, *args, **kwargs)
        work.add_done_callback(self._moved)
        return work

    async def probe(self) -> None:
        """Returns once any work finishes from now on; at once where none waits."""
        moved: Future[None] = Future()
        self._asking.append(moved)
        self.submit(lambda: None)
        await asyncio.wrap_future(moved)

    def _moved(self, _: Future[Any]) -> None:
        while self._asking:
            probe = self._asking.popleft()
            # The prober may have given up.
            if probe.set_running_or_notify_cancel():
                probe.set_result(None)


@dataclass(frozen=True, slots=True)
class QueueLimits:
    """How long a request waits in a lane, and behind how many."""

    waiting_max: int
    timeout_s: float
    per_client_max: int = 2**30
    """How many of one client may wait, so that it takes no place from the others."""


PAGE = QueueLimits(256, 6.0, 64)
"""A phone reloads by itself; behind more than this it is sent away at once."""
FORM = QueueLimits(1024, 60.0, 128)
"""A filled-in form is not refused lightly: it waits as long as a browser would."""
PROBE = QueueLimits(2**30, 3600.0)


LONG_S = 1.0
"""Work that takes longer gives its place in the lane to the next, as long as there is a spare thread."""


class PageQueue(Generic[T]):
    """A few threads and the queue before them. All methods run on one event loop.

    `places`: how many pieces of work run at once; `spare`: further threads while one takes long (it waits for a slow
    card, reads a whole event, or hangs).
    """

    def __init__(self, name: str, places: int, spare: int) -> None:
        self._free = places
        self._spare = spare
        self._threads = ThreadPoolExecutor(places + spare, thread_name_prefix=name)
        self._waiting: deque[asyncio.Future[None]] = deque()
        self._askers: Counter[str] = Counter()

    async def run(self, work: Callable[[], T], patience: QueueLimits, gone: Callable[[], Awaitable[Any]] | None = None,
                  first: bool = False, asker: str = "") -> T:
        """The result of `work`, run in a thread of the lane. Raises Busy, and ClientGone if `gone()` is done first.

        `first`: before all that wait (the watchdog). `asker`: an address whose share of the queue is bounded.
        """
        await self._acquire(patience, gone, first, asker)
        loop = asyncio.get_running_loop()
        gave_away = False

        def give_away() -> None:
            nonlocal gave_away
            if self._spare:
                self._spare -= 1
                gave_away = True
                self._release()

        overdue = loop.call_later(LONG_S, give_away)
        try:
            return await loop.run_in_executor(self._threads, work)
        finally:
            overdue.cancel()
            if gave_away:
                self._spare += 1
            else:
                self._release()

    async def _acquire(self, patience: QueueLimits, gone: Callable[[], Awaitable[Any]] | None, first: bool,
                    asker: str) -> None:
        if self._free:
            self._free -= 1
            return
        if len(self._waiting) >= patience.waiting_max or (asker and self._askers[asker] >= patience.per_client_max):
            raise Busy
        self._askers[asker] += 1
        try:
            await self._queue(patience, gone, first)
        finally:
            self._askers[asker] -= 1
            if not self._askers[asker]:
                del self._askers[asker]

    async def _queue(self, patience: QueueLimits, gone: Callable[[], Awaitable[Any]] | None, first: bool) -> None:
        turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        if first:
            self._waiting.appendleft(turn)
        else:
            self._waiting.append(turn)
        leaving = None if gone is None else asyncio.ensure_future(gone())
        try:
            await asyncio.wait([turn] if leaving is None else [turn, leaving], timeout=patience.timeout_s,
                               return_when=asyncio.FIRST_COMPLETED)
            if leaving is not None and leaving.done():
                raise ClientGone
            if not turn.done():
                raise Busy
        except BaseException:
            # A turn that came at the same moment goes to the next.
            if turn.done():
                self._release()
            else:
                self._waiting.remove(turn)
            raise
        finally:
            if leaving is not None:
                leaving.cancel()

    def _release(self) -> None:
        """Give the place to the next in the queue."""
        if self._waiting:
            self._waiting.popleft().set_result(None)
        else:
            self._free += 1


class LoopInbox:
    """Calls from other threads for one loop. A commit settles a hundred reports; waking the loop for each would cost
    more than the reports do."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self.loop = loop
        self._calls: deque[Call] = deque()
        self._woken = False

    def post(self, call: Call) -> None:
        """Run `call` on the loop, soon; from any thread."""
        self._calls.append(call)
        if not self._woken:
            self._woken = True
            # On a loop that has ended, no one waits.
            with suppress(RuntimeError):
                self.loop.call_soon_threadsafe(self._run)

    def when_done(self, answer: Future[Any]) -> asyncio.Future[None]:
        """A future of this loop that is done when `answer` is, with whatever outcome. Called on the loop."""
        done: asyncio.Future[None] = self.loop.create_future()

        def finish() -> None:
            if not done.done():
                done.set_result(None)

        answer.add_done_callback(lambda _: self.post(finish))
        return done

    def _run(self) -> None:
        # Reset first: a call posted from now on wakes the loop again.
        self._woken = False
        while self._calls:
            self._calls.popleft()()
