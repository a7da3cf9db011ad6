"""This unit's estimate of the hub's monotonic clock from round trips, and when to ask for another one."""

import threading
import time
from collections import deque
from dataclasses import dataclass

DRIFT_PPM = 100  # two quartzes, each up to 50 ppm off: how much a sample's bounds widen while it ages (1 ms in 10 s)
SAMPLES_MAX = 64
ENOUGH_MS = 8  # an error that needs no further sample: the screen shows seconds, and the target is 25 ms
BURST = 24  # most requests after connecting: with a random 0-100 ms each way, half of them are enough
STATUS_SAMPLES = 2  # requests beside each regular status, while the error is above ENOUGH_MS
GAP_MS = 40
TRIP_MAX_MS = 5000  # a longer round trip is useless: half of it would be visible
FEED_LATE_MS = 5000  # a feed message older than this does not show the hub's present state


def mono_ms() -> int:
    """This machine's monotonic clock, which a process passes to all its parts."""
    return time.monotonic_ns() // 1_000_000


@dataclass(frozen=True, slots=True)
class _Sample:
    """One round trip: the offset lies between both bounds, as of the unit's time `at_ms`."""

    low_ms: float
    high_ms: float
    at_ms: int


class HubTime:
    """Offset between the hub's and this unit's monotonic milliseconds. For any thread.

    The hub reads its clock between a request's departure and its answer's arrival. So the fastest way back bounds the
    offset from below and the fastest way there from above, not necessarily of one round trip; the middle is taken, and
    the error is at most half of the shortest trip. A one-way message bounds the offset from below only, as it may be
    delayed at will: no clock is ever set by it.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self.boots = 0  # how often the hub's machine has rebooted, as far as this unit knows
        self._samples: deque[_Sample] = deque(maxlen=SAMPLES_MAX)
        self._bounds: _Sample | None = None  # replaced, never modified: readers need no lock

    def add_round_trip(self, hub_now_ms: int, sent_ms: int, received_ms: int) -> None:
        """All three are truncated whole milliseconds: each may be almost one more."""
        if not 0 <= received_ms - sent_ms <= TRIP_MAX_MS:
            # A delayed answer must not move the clock by half its delay.
            return
        with self._lock:
            self._samples.append(_Sample(hub_now_ms - received_ms - 1, hub_now_ms - sent_ms + 1, received_ms))
            self._bounds = self._intersect(received_ms)

    def reset(self) -> None:
        """The hub's machine has rebooted, and its clock with it: earlier samples are void."""
        with self._lock:
            self.boots += 1
            self._samples.clear()
            self._bounds = None

    def hub_ms(self, here_ms: int) -> int | None:
        """The hub's clock now; None before the first round trip."""
        bounds = self._bounds
        return None if bounds is None else here_ms + round((bounds.low_ms + bounds.high_ms) / 2)

    def lower_bound_ms(self, here_ms: int) -> float | None:
        """What the hub's clock has certainly reached; None before the first round trip."""
        bounds = self._bounds
        return None if bounds is None else here_ms + bounds.low_ms - _widened(bounds.at_ms, here_ms)

    def error_ms(self, here_ms: int) -> float | None:
        """The largest possible error of `hub_ms`; None before the first round trip."""
        bounds = self._bounds
        return None if bounds is None else (bounds.high_ms - bounds.low_ms) / 2 + _widened(bounds.at_ms, here_ms)

    def _intersect(self, now_ms: int) -> _Sample:
        """What all samples allow together, the newest first. Where an old one contradicts newer ones, a clock has
        jumped or drifts too much: it and all before it are dropped."""
        low_ms, high_ms = self._samples[-1].low_ms, self._samples[-1].high_ms
        for back, sample in enumerate(reversed(self._samples)):
            wider_ms = _widened(sample.at_ms, now_ms)
            if sample.low_ms - wider_ms > high_ms or sample.high_ms + wider_ms < low_ms:
                for _ in range(len(self._samples) - back):
                    self._samples.popleft()
                break
            low_ms, high_ms = max(low_ms, sample.low_ms - wider_ms), min(high_ms, sample.high_ms + wider_ms)
        return _Sample(low_ms, high_ms, now_ms)


class FeedAge:
    """The minimum age of one feed's messages."""

    def __init__(self, time: HubTime) -> None:
        self._time = time
        self._least_ms: int | None = None  # the hub's clock was at least this far ahead when it made the first message

    def late(self, hub_now_ms: int, here_ms: int) -> bool:
        """Whether a message with this hub time was delayed for long, by all round trips and by the welcome, whose nonce
        was new in the hello and for which the link allows 8 s."""
        if self._least_ms is None:
            self._least_ms = hub_now_ms - here_ms
        least = self._time.lower_bound_ms(here_ms)
        now_ms = max(here_ms + self._least_ms, least if least is not None else here_ms + self._least_ms)
        return now_ms - hub_now_ms > FEED_LATE_MS


class SamplePlan:
    """When to ask the hub for its time: a burst after connecting, a few with each status, none once the error is small.
    On the caller's clock. A slow hub is asked rarely: it has more important work."""

    def __init__(self, time: HubTime) -> None:
        self._time = time
        self._left = 0
        self._due_ms = 0

    def on_connected(self, now_ms: int) -> None:
        self._schedule(BURST, now_ms)

    def on_status_sent(self, now_ms: int) -> None:
        self._schedule(STATUS_SAMPLES, now_ms)

    def due_ms(self) -> int | None:
        """When to ask next; None: not until something happens."""
        return self._due_ms if self._left else None

    def on_sampled(self, sent_ms: int, now_ms: int) -> None:
        self._left = 0 if self._enough(now_ms) else max(0, self._left - 1)
        self._due_ms = now_ms + max(GAP_MS, 2 * (now_ms - sent_ms))

    def _schedule(self, questions: int, now_ms: int) -> None:
        if not self._enough(now_ms):
            self._due_ms = self._due_ms if self._left else now_ms
            self._left = max(self._left, questions)

    def _enough(self, now_ms: int) -> bool:
        error_ms = self._time.error_ms(now_ms)
        return error_ms is not None and error_ms <= ENOUGH_MS


def _widened(at_ms: int, now_ms: int) -> float:
    return max(0, now_ms - at_ms) * DRIFT_PPM / 1_000_000
