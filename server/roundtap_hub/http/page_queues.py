"""Lines in which turns go by address: before the lanes of threads for pages, and before the loop (units first)."""

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from typing import Any, Generic, TypeVar

T = TypeVar("T")

Call = Callable[[], None]

HEAD_START = 256
"""An address that had none of so many turns is before all that had one: whoever asks once waits behind nobody's sixty
requests. Not more, so that those who wait again have their turn however many others come."""
REMEMBERED_MAX = 4096
FIRST = "first"  # as an address: before all others (the watchdog)

UNITS_MAX = 512
UNITS_IN_A_ROW = 4
"""So many turns of units, then one of the others: whoever replays a unit's packet keeps no phone out."""

LONG_S = 1.0  # work that takes longer gives its place in the lane to the next, which begins if there is a spare thread


class Busy(Exception):
    """The lane did not move in time: nothing was done."""


class ClientGone(Exception):
    """The client has gone while waiting: nothing was done, and no answer is needed."""


class FairLine(Generic[T]):
    """A line in which turns go by address: next is the one whose last turn is longest ago, and of its items the oldest.
    `both_ends`: of those that ask for the first time, every other turn is the latest's, so that who comes after a crowd
    does not wait for all of it. Not locked."""

    def __init__(self, both_ends: bool = False) -> None:
        self._both_ends = both_ends
        self._lines: dict[str, deque[T]] = {}
        self._last: dict[str, int] = {}  # the number of each address's last turn, or HEAD_START turns before it came
        self._turn = 0

    def __len__(self) -> int:
        return sum(map(len, self._lines.values()))

    def __bool__(self) -> bool:
        return bool(self._lines)

    def add(self, asker: str, item: T) -> None:
        if asker not in self._lines:
            self._lines[asker] = deque()
            came = self._turn - HEAD_START
            self._last[asker] = came - 1 if asker == FIRST else max(self._last.get(asker, came), came)
        self._lines[asker].append(item)

    def pop(self) -> T:
        """The next; ValueError where none waits."""
        asker = min(self._lines, key=self._last.__getitem__)
        if self._both_ends and self._turn % 2 and asker != FIRST:
            came = self._turn - HEAD_START
            asker = next((who for who in reversed(self._lines) if self._last[who] <= came), asker)
        item = self._lines[asker][0]
        self.remove(asker, item)
        self._turn += 1
        self._last[asker] = self._turn
        if len(self._last) > REMEMBERED_MAX:
            self._last = {
                who: last for who, last in self._last.items() if who in self._lines or last > self._turn - HEAD_START
            }
        return item

    def remove(self, asker: str, item: T) -> None:
        """Take out an item that waits."""
        self._lines[asker].remove(item)
        if not self._lines[asker]:
            del self._lines[asker]


class LoopTurns:
    """Calls that many addresses have for the event loop: one at a time, in turns by address, so that what is under way
    already goes on after each of them. Those of the hall's units come first: a report waits for one page at most."""

    def __init__(self) -> None:
        self._of_units, self._of_others = FairLine[Call](), FairLine[Call]()
        self._units: dict[str, None] = {}  # by their last signed request, the latest last
        self._in_a_row = 0

    def prefer(self, asker: str) -> None:
        """A unit has signed a request from this address."""
        self._units.pop(asker, None)
        self._units[asker] = None
        if len(self._units) > UNITS_MAX:
            del self._units[next(iter(self._units))]

    def run_soon(self, asker: str, call: Call) -> None:
        """Run `call` on the running loop when it is this address's turn."""
        if not (self._of_units or self._of_others):
            asyncio.get_running_loop().call_soon(self._run)
        (self._of_units if asker in self._units else self._of_others).add(asker, call)

    def _run(self) -> None:
        units = bool(self._of_units) and not (self._of_others and self._in_a_row == UNITS_IN_A_ROW)
        self._in_a_row = min(self._in_a_row + 1, UNITS_IN_A_ROW) if units else 0
        call = (self._of_units if units else self._of_others).pop()
        if self._of_units or self._of_others:
            asyncio.get_running_loop().call_soon(self._run)
        call()


PAGE_S = 6.0  # how long a request waits in a lane: a phone reloads by itself
FORM_S = 60.0  # a filled-in form is not refused lightly: it waits as long as a browser would
PROBE_S = 3600.0


class PageQueue(Generic[T]):
    """A few threads and the line before them, as long as there are connections: who is sent away comes again at once,
    and costs more than who waits. All methods run on one event loop. `places`: how many pieces of work run at once;
    `spare`: further threads while one takes long (it waits for a slow card, reads a whole event, or hangs);
    `both_ends`: as in FairLine."""

    def __init__(self, name: str, places: int, spare: int, both_ends: bool = False) -> None:
        self._free = places
        self._spare = spare
        self._threads = ThreadPoolExecutor(places + spare, thread_name_prefix=name)
        self._waiting = FairLine[asyncio.Future[None]](both_ends)
        self._running = 0
        self.idle = asyncio.Event()  # while nothing runs
        self.idle.set()

    async def run(
        self,
        work: Callable[[], T],
        patience_s: float,
        gone: Callable[[], Awaitable[Any]] | None = None,
        asker: str = "",
    ) -> T:
        """The result of `work`, run in a thread of the lane. Raises Busy, and ClientGone if `gone()` is done first.
        `asker`: the address whose turn it takes (FairLine); "": this machine."""
        if self._free:
            self._free -= 1
        else:
            await self._wait(patience_s, gone, asker)
        loop = asyncio.get_running_loop()
        gave_away = False

        def give_away() -> None:
            nonlocal gave_away
            if self._spare:
                self._spare -= 1
                gave_away = True
                self._release()

        overdue = loop.call_later(LONG_S, give_away)
        self._running += 1
        self.idle.clear()
        try:
            return await loop.run_in_executor(self._threads, work)
        finally:
            overdue.cancel()
            self._running -= 1
            if not self._running:
                self.idle.set()
            if gave_away:
                self._spare += 1
            else:
                self._release()

    async def probe(self) -> None:
        """Returns once the lane had a place for more work from now on (the watchdog)."""
        nothing: Any = lambda: None  # noqa: E731 (of any lane's type)
        await self.run(nothing, PROBE_S, asker=FIRST)

    async def _wait(self, patience_s: float, gone: Callable[[], Awaitable[Any]] | None, asker: str) -> None:
        turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.add(asker, turn)
        leaving = None if gone is None else asyncio.ensure_future(gone())
        try:
            await asyncio.wait(
                [turn] if leaving is None else [turn, leaving],
                timeout=patience_s,
                return_when=asyncio.FIRST_COMPLETED,
            )
            if leaving is not None and leaving.done():
                raise ClientGone
            if not turn.done():
                raise Busy
        except BaseException:
            if turn.done():
                # A turn that came at the same moment goes to the next.
                self._release()
            else:
                self._waiting.remove(asker, turn)
            raise
        finally:
            if leaving is not None:
                leaving.cancel()

    def _release(self) -> None:
        """Give the place to the next in the line."""
        if self._waiting:
            self._waiting.pop().set_result(None)
        else:
            self._free += 1


class LoopInbox:
    """Answers from other threads for the loop. A commit settles a hundred reports; waking the loop for each would cost
    more than the reports do."""

    def __init__(self) -> None:
        self._loop: asyncio.AbstractEventLoop | None = None
        self._answered: deque[asyncio.Future[None]] = deque()
        self._woken = False

    async def result(self, answer: Future[T], timeout_s: float) -> T:
        """What `answer` holds, once it is done. Raises what it raises, and TimeoutError after `timeout_s`: it is not
        cancelled, as others may wait for it, too."""
        loop = asyncio.get_running_loop()
        if loop is not self._loop:
            self._loop, self._woken = loop, False
        done: asyncio.Future[None] = loop.create_future()
        answer.add_done_callback(lambda _: self._post(loop, done))
        # Lighter than asyncio.timeout, which would have to cancel the task.
        late = loop.call_later(timeout_s, _settle, done)
        try:
            await done
        finally:
            late.cancel()
        return answer.result(timeout=0)

    def _post(self, loop: asyncio.AbstractEventLoop, done: asyncio.Future[None]) -> None:
        self._answered.append(done)
        if not self._woken:
            self._woken = True
            # On a loop that has ended, no one waits.
            with suppress(RuntimeError):
                loop.call_soon_threadsafe(self._run)

    def _run(self) -> None:
        # Reset first: an answer that comes from now on wakes the loop again.
        self._woken = False
        while self._answered:
            _settle(self._answered.popleft())


def _settle(done: asyncio.Future[None]) -> None:
    if not done.done():
        done.set_result(None)
