"""How much each of those who ask may have: token buckets, bounded in memory."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from dataclasses import dataclass

BUCKETS_MAX = 4096
"""Of each kind of bucket. The one that was used longest ago is forgotten first: that makes it full again, no less."""


@dataclass(frozen=True, slots=True)
class Rate:
    """So many at once, and so many a second after that."""

    at_once: float
    a_second: float


class TokenBucket:
    """What is left of one rate; full at first. `now_ms`: a monotonic time, the same clock each time. Not locked."""

    __slots__ = ("_at_ms", "_left", "_rate")

    def __init__(self, rate: Rate, now_ms: float) -> None:
        self._rate, self._left, self._at_ms = rate, float(rate.at_once), now_ms

    def wait_ms(self, now_ms: float, tokens: float = 1) -> float:
        """How long it takes until there are so many; 0: there are."""
        missing = tokens - self._fill(now_ms)
        # Sums of fractions: what lacks less than a billionth lacks nothing.
        return missing * 1000 / self._rate.a_second if missing > 1e-9 else 0

    def take(self, now_ms: float, tokens: float = 1, owed_max: float = 0) -> None:
        """So many less; at the least none, or as many as may be owed. Fewer than 0: given back."""
        self._left = max(-owed_max, self._fill(now_ms) - tokens)

    def _fill(self, now_ms: float) -> float:
        passed_ms, self._at_ms = max(0.0, now_ms - self._at_ms), now_ms
        self._left = min(self._rate.at_once, self._left + passed_ms * self._rate.a_second / 1000)
        return self._left


class RateLimiter:
    """One bucket for each of those who ask, with the rate that is named at the first time. Any thread may ask."""

    def __init__(self, now_ms: Callable[[], int], buckets_max: int = BUCKETS_MAX) -> None:
        self._now_ms = now_ms
        self._max = buckets_max
        self._lock = threading.RLock()
        self._buckets: OrderedDict[Hashable, TokenBucket] = OrderedDict()

    def __len__(self) -> int:
        return len(self._buckets)

    def has(self, who: Hashable) -> bool:
        """Whether there is something left for `who`; nothing is taken."""
        with self._lock:
            bucket = self._buckets.get(who)
            return bucket is None or not bucket.wait_ms(self._now_ms())

    def take(self, who: Hashable, rate: Rate) -> None:
        """One less for `who`, never below nothing."""
        with self._lock:
            bucket = self._buckets.get(who)
            if bucket is None:
                bucket = self._buckets[who] = TokenBucket(rate, self._now_ms())
                while len(self._buckets) > self._max:
                    self._buckets.popitem(last=False)
            self._buckets.move_to_end(who)
            bucket.take(self._now_ms())

    def admit(self, *asked: tuple[Hashable, Rate]) -> bool:
        """Take one from each of these buckets; False, and nothing taken, where one of them is empty."""
        with self._lock:
            if not all(self.has(who) for who, _ in asked):
                return False
            for who, rate in asked:
                self.take(who, rate)
            return True
