"""Results computed once for all callers: by one thread, and kept for the latest states of each event."""

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from concurrent.futures import Future
from functools import update_wrapper
from typing import Generic, Protocol, TypeVar

MAX_MOMENTS = 2  # results kept of each event: the newest, and the one that pages are still being drawn from
MAX_EVENTS = 12


class HasEventId(Protocol):
    """An argument that belongs to one event."""

    @property
    def event_id(self) -> Hashable: ...


A = TypeVar("A", bound=HasEventId)
R = TypeVar("R")


class Memoized(Generic[A, R]):
    """A function of one argument whose answers are shared among arguments of one event with equal `key(argument)`. An
    error is raised for all who waited, and not kept."""

    def __init__(self, work: Callable[[A], R], key: Callable[[A], object]) -> None:
        self._do = work
        self._key = key
        self._lock = threading.Lock()
        self._kept: OrderedDict[Hashable, list[tuple[object, Future[R]]]] = OrderedDict()
        update_wrapper(self, work)

    def __call__(self, argument: A) -> R:
        key = self._key(argument)
        answer, mine = self._find(argument.event_id, key)
        if mine:
            try:
                answer.set_result(self._do(argument))
            except BaseException as error:
                self._forget(argument.event_id, answer)
                answer.set_exception(error)
        return answer.result()

    def _find(self, event: Hashable, key: object) -> tuple[Future[R], bool]:
        """The answer, perhaps not done yet; True: the caller has to compute it."""
        with self._lock:
            moments = self._kept.setdefault(event, [])
            self._kept.move_to_end(event)
            for known, answer in moments:
                if known == key:
                    return answer, False
            answer = Future()
            moments.insert(0, (key, answer))
            del moments[MAX_MOMENTS:]
            while len(self._kept) > MAX_EVENTS:
                self._kept.popitem(last=False)
            return answer, True

    def _forget(self, event: Hashable, failed: Future[R]) -> None:
        with self._lock:
            moments = self._kept.get(event, [])
            moments[:] = [(key, answer) for key, answer in moments if answer is not failed]


def memoized(work: Callable[[A], R]) -> Memoized[A, R]:
    """Computed once for each argument."""
    return Memoized(work, lambda argument: argument)


def memoized_by(key: Callable[[A], object]) -> Callable[[Callable[[A], R]], Memoized[A, R]]:
    """Computed once for each key. Unchanged parts of a key should be the same objects: those compare fast."""
    return lambda work: Memoized(work, key)
