"""How much each key may ask: token buckets on the hub's clock, many times what a real unit needs, bounded in memory."""

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

    at_once: int
    a_second: float


@dataclass(slots=True)
class _Bucket:
    tokens: float
    at_ms: int


class Buckets:
    """One bucket for each of those who ask, each with a rate of its own. Any thread may ask."""

    def __init__(self, now_ms: Callable[[], int], buckets_max: int = BUCKETS_MAX) -> None:
        self._now_ms = now_ms
        self._max = buckets_max
        self._lock = threading.Lock()
        self._buckets: OrderedDict[Hashable, _Bucket] = OrderedDict()

    def __len__(self) -> int:
        return len(self._buckets)

    def has(self, who: Hashable, rate: Rate) -> bool:
        """Whether there is something left for `who`; nothing is taken."""
        with self._lock:
            bucket = self._buckets.get(who)
            return bucket is None or self._filled(bucket, rate) >= 1

    def take(self, who: Hashable, rate: Rate) -> None:
        """One less for `who`, never below nothing."""
        with self._lock:
            bucket = self._buckets.get(who)
            if bucket is None:
                bucket = self._buckets[who] = _Bucket(rate.at_once, self._now_ms())
                while len(self._buckets) > self._max:
                    self._buckets.popitem(last=False)
            self._buckets.move_to_end(who)
            bucket.tokens = max(0.0, self._filled(bucket, rate) - 1)
            bucket.at_ms = self._now_ms()

    def _filled(self, bucket: _Bucket, rate: Rate) -> float:
        passed_ms = max(0, self._now_ms() - bucket.at_ms)
        return min(float(rate.at_once), bucket.tokens + passed_ms * rate.a_second / 1000)
