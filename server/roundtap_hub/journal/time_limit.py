"""What a command may take to be decided: whoever takes longer is ended and refused, and the writer lives on."""

from __future__ import annotations

import ctypes
import logging
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

from roundtap_core.errors import Problem

log = logging.getLogger(__name__)

T = TypeVar("T")

LIMIT_S = 6.0
"""Seconds of the writer's own processor time. The slowest command of a field of 512 takes 0.07 s on the machine that
this was measured on, and ten times as long on a slow Pi."""

PATIENCE_S, AT_LEAST_S = 12.0, 1.0
"""On a machine that gives the hub little: so many seconds by the clock, of which at least one was really used. With the
half of its limit that systemd's watchdog sleeps (15 s) it stays below the whole (30 s)."""

AGAIN_S = 0.5
"""Where something swallowed the first word, the next one follows after so much more processor time: two of them never
meet in the few steps in which the writer leaves."""

LOOK_EVERY_S = 0.5
LOOKS_IN_VAIN = 20
"""After so many looks at an idle writer the one who looks goes home; the next command calls another."""


class _Overrun(BaseException):
    """Raised in the writer's thread from outside. No Exception: code that catches those does not stop it."""


@dataclass(slots=True, eq=False)
class _Run:
    """One command being decided. `cpu_clock`: that of its thread; the other two are filled in by who looks."""

    thread: int
    cpu_clock: int
    ends_at_cpu_s: float | None = None
    seen_at_s: float = 0


class TimeLimit:
    """Ends what runs `within` it for too long. One thread runs things, one at a time; any thread may `look`.

    `used_s` tells the processor time of a thread by its clock, `passed_s` the time on the wall; with `watch` False
    nobody looks but the test.
    """

    def __init__(self, used_s: Callable[[int], float] = time.clock_gettime,
                 passed_s: Callable[[], float] = time.monotonic, watch: bool = True) -> None:
        self._used_s = used_s
        self._passed_s = passed_s
        self._watch = watch
        self._lock = threading.Lock()
        self._running: _Run | None = None
        self._told = False
        self._runs = 0
        self._watched = False
        self._cpu_clocks: dict[int, int] = {}

    def within(self, work: Callable[[], T]) -> T:
        """What `work` returns or raises; Problem("took_too_long") where it was ended.

        `work` must change nothing that is shared: it may end at any step. When this returns or raises, nothing can hit
        the caller any more.
        """
        try:
            try:
                self._begin()
                return work()
            finally:
                self._end()
        except _Overrun:
            # A word that came too late may have fallen in the midst of _end.
            self._running = None
            self._end()
            log.error("a command took too long and was ended")
            raise Problem("took_too_long") from None

    def look(self) -> bool:
        """End what has run for too long; whether anything ran since the last look."""
        # Who leaves waits for this lock: whoever is ended is still within, or has not left its last step.
        with self._lock:
            run, runs = self._running, self._runs
            self._runs = 0
            if run is None:
                return runs > 0
            used_s, now_s = self._used_s(run.cpu_clock), self._passed_s()
            if run.ends_at_cpu_s is None:
                run.ends_at_cpu_s, run.seen_at_s = used_s + LIMIT_S, now_s
            late = now_s - run.seen_at_s >= PATIENCE_S and used_s >= run.ends_at_cpu_s - LIMIT_S + AT_LEAST_S
            if used_s >= run.ends_at_cpu_s or late:
                run.ends_at_cpu_s, run.seen_at_s = used_s + AGAIN_S, now_s
                self._told = True
                _raise_in(run.thread, _Overrun)
            return True

    def _begin(self) -> None:
        thread = threading.get_ident()
        clock = self._cpu_clocks.get(thread)
        if clock is None:
            clock = self._cpu_clocks[thread] = time.pthread_getcpuclockid(thread)
        self._runs += 1
        self._running = _Run(thread, clock)
        if self._watch and not self._watched:
            self._watched = True
            try:
                threading.Thread(target=self._look_on, name="time-limit", daemon=True).start()
            except RuntimeError:
                # No thread to be had: better without a limit than without a writer.
                self._watched = False

    def _end(self) -> None:
        self._running = None
        with self._lock:
            # A look that had begun is over now: nobody says anything more.
            pass
        if self._told:
            _raise_in(threading.get_ident(), None)
            self._told = False

    def _look_on(self) -> None:
        # A command that begins while we are leaving saw somebody looking: then we stay.
        while self._watched or self._running is not None:
            self._watched, in_vain = True, 0
            while in_vain < LOOKS_IN_VAIN:
                time.sleep(LOOK_EVERY_S)
                in_vain = 0 if self.look() else in_vain + 1
            self._watched = False


def _raise_in(thread: int, what: type[BaseException] | None) -> None:
    """Raise it in a thread at its next step; None takes back what it has not met yet."""
    ctypes.pythonapi.PyThreadState_SetAsyncExc(
        ctypes.c_ulong(thread), None if what is None else ctypes.py_object(what))
