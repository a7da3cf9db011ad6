"""What is worked out once for everybody: by one thread however many ask, kept for the last moments of each event."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from functools import update_wrapper
from typing import Any, Generic, Protocol, TypeVar

MOMENTS_KEPT = 2
"""Of each event: the newest, and the one that pages are still being drawn from."""
EVENTS_KEPT = 12


class OfEvent(Protocol):
    """Something of one event; `event_id` says of which."""

    @property
    def event_id(self) -> Hashable: ...


A = TypeVar("A", bound=OfEvent)
R = TypeVar("R")


class _Work(Generic[R]):
    """One thing being worked out: who holds it waits on `done` or finds it there."""

    __slots__ = ("done", "error", "key", "result")

    def __init__(self, key: object) -> None:
        self.key = key
        self.done = threading.Event()
        self.result: R | None = None
        self.error: BaseException | None = None


class WorkedOut(Generic[A, R]):
    """A function of one argument whose answers are shared. `key(argument)`: what its answer depends on; arguments of
    one event whose keys are equal have the same answer. An error is told to all who waited, and not kept."""

    def __init__(self, work: Callable[[A], R], key: Callable[[A], object]) -> None:
        self._do = work
        self._key = key
        self._lock = threading.Lock()
        self._kept: OrderedDict[Hashable, list[_Work[R]]] = OrderedDict()
        update_wrapper(self, work)

    def __call__(self, argument: A) -> R:
        key = self._key(argument)
        work, mine = self._find(argument.event_id, key)
        if not mine:
            work.done.wait()
        else:
            try:
                work.result = self._do(argument)
            except BaseException as error:
                work.error = error
                self._forget(argument.event_id, work)
            finally:
                work.done.set()
        if work.error is not None:
            raise work.error
        result: Any = work.result
        answer: R = result
        return answer

    def _find(self, event: Hashable, key: object) -> tuple[_Work[R], bool]:
        with self._lock:
            moments = self._kept.setdefault(event, [])
            self._kept.move_to_end(event)
            for work in moments:
                if work.key == key:
                    return work, False
            work = _Work(key)
            moments.insert(0, work)
            del moments[MOMENTS_KEPT:]
            while len(self._kept) > EVENTS_KEPT:
                self._kept.popitem(last=False)
            return work, True

    def _forget(self, event: Hashable, work: _Work[R]) -> None:
        with self._lock:
            moments = self._kept.get(event, [])
            if work in moments:
                moments.remove(work)


def worked_out_once(work: Callable[[A], R]) -> WorkedOut[A, R]:
    """Once for each moment."""
    return WorkedOut(work, lambda argument: argument)


def worked_out_by(key: Callable[[A], object]) -> Callable[[Callable[[A], R]], WorkedOut[A, R]]:
    """Once for what the answer depends on. A key's parts that did not change are best the same objects: then nothing
    in them is compared."""
    return lambda work: WorkedOut(work, key)
