"""Who waits for whom: lanes of few threads for pages, each with a bounded queue, and reports before all of them."""

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
"""A page lets reports go first for so long at the most: on a slow card some report is nearly always under way, and
most of that time waits for the card and leaves the processor to others."""

Call = Callable[[], None]


class Busy(Exception):
    """The lane is too long, or did not move in time: nothing was done."""


class ClientGone(Exception):
    """Who asked has gone while waiting: nothing was done, and nobody wants an answer."""


class ReportPriority:
    """Reports under way, counted on the event loop (`with precedence:`); page threads give way to them.

    Python runs one thread at a time: a page that is being made takes that time from every report.
    """

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
        """Wait, in a page's thread, until no report is under way, but not for ever."""
        self._free.wait(GIVE_WAY_S)


class WatchedThread(ThreadPoolExecutor):
    """One thread that does what is submitted, in its order, and can be asked whether it moves at all."""

    def __init__(self, name: str) -> None:
        super().__init__(1, thread_name_prefix=name)
        self._asking: deque[Future[None]] = deque()

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        work = super().submit(fn, *args, **kwargs)
        work.add_done_callback(self._moved)
        return work

    async def probe(self) -> None:
        """Returns as soon as any piece of work is done from now on, however many wait; at once where nobody does."""
        moved: Future[None] = Future()
        self._asking.append(moved)
        self.submit(lambda: None)
        await asyncio.wrap_future(moved)

    def _moved(self, _: Future[Any]) -> None:
        while self._asking:
            asked = self._asking.popleft()
            # Who asked may have given up.
            if asked.set_running_or_notify_cancel():
                asked.set_result(None)


@dataclass(frozen=True, slots=True)
class QueueLimits:
    """How long somebody waits in a lane, and how many may wait before them."""

    waiting_max: int
    within_s: float
    of_one_max: int = 2**30
    """So many of one asker may wait: who asks for more takes no place from the others."""


PAGE = QueueLimits(256, 6.0, 64)
"""A phone reloads by itself; behind more than this it is told so at once."""
FORM = QueueLimits(1024, 60.0, 128)
"""What somebody filled in is not refused lightly: its turn is waited for as long as a browser would."""
PROBE = QueueLimits(2**30, 3600.0)


LONG_S = 1.0
"""Work that takes longer than this no longer holds up the lane, as long as there is a spare thread."""


class PageQueue(Generic[T]):
    """A few threads and the queue before them. All of its methods run on one event loop.

    `places`: how much is worked at once; `spare`: how many more threads there are for what comes while something takes
    long (it waits for a slow card, reads a whole event, or hangs).
    """

    def __init__(self, name: str, places: int, spare: int) -> None:
        self._free = places
        self._spare = spare
        self._threads = ThreadPoolExecutor(places + spare, thread_name_prefix=name)
        self._waiting: deque[asyncio.Future[None]] = deque()
        self._askers: Counter[str] = Counter()

    async def run(self, work: Callable[[], T], patience: QueueLimits, gone: Callable[[], Awaitable[Any]] | None = None,
                  first: bool = False, asker: str = "") -> T:
        """What `work` returns, done in a thread of the lane. Raises Busy, and Gone if `gone()` is done before its turn.

        `first`: before all who wait (the watchdog, who asks whether this lane moves at all). `asker`: an address, where
        its share of the queue is bounded.
        """
        await self._turn(patience, gone, first, asker)
        loop = asyncio.get_running_loop()
        gave_away = False

        def give_away() -> None:
            nonlocal gave_away
            if self._spare:
                self._spare -= 1
                gave_away = True
                self._hand_on()

        overdue = loop.call_later(LONG_S, give_away)
        try:
            return await loop.run_in_executor(self._threads, work)
        finally:
            overdue.cancel()
            if gave_away:
                self._spare += 1
            else:
                self._hand_on()

    async def _turn(self, patience: QueueLimits, gone: Callable[[], Awaitable[Any]] | None, first: bool,
                    asker: str) -> None:
        if self._free:
            self._free -= 1
            return
        if len(self._waiting) >= patience.waiting_max or (asker and self._askers[asker] >= patience.of_one_max):
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
            await asyncio.wait([turn] if leaving is None else [turn, leaving], timeout=patience.within_s,
                               return_when=asyncio.FIRST_COMPLETED)
            if leaving is not None and leaving.done():
                raise ClientGone
            if not turn.done():
                raise Busy
        except BaseException:
            # A turn that came at the same moment is the next one's.
            if turn.done():
                self._hand_on()
            else:
                self._waiting.remove(turn)
            raise
        finally:
            if leaving is not None:
                leaving.cancel()

    def _hand_on(self) -> None:
        """The next in the queue has its turn."""
        if self._waiting:
            self._waiting.popleft().set_result(None)
        else:
            self._free += 1


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
