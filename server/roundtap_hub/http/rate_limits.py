"""Rate limits: token buckets, bounded in memory."""

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass

BUCKETS_MAX = 4096
"""Limit for each kind of bucket. The least recently used one is forgotten, which makes it full again."""


@dataclass(frozen=True, slots=True)
class Rate:
    """Tokens available at once, and refilled each second."""

    burst: float
    per_second: float


Buckets = tuple[tuple[Hashable, Rate], ...]  # buckets that a request takes a token from, all of them or none


@dataclass(frozen=True, slots=True)
class FairRates:
    """Rates by which no crowd shuts others out: each caller has tokens of its `own`, which others use up only where
    there are more of them than `own_of_all` is for; and then the `more` that all compete for."""

    own: Rate
    own_of_all: Rate
    more: Rate
    more_of_all: Rate

    def choices(self, who: Hashable) -> tuple[Buckets, Buckets]:
        """For `RateLimiter.admit_first`."""
        return (
            ((("own", who), self.own), ("own", self.own_of_all)),
            ((("more", who), self.more), ("more", self.more_of_all)),
        )


class TokenBucket:
    """A bucket of one rate; full at first. `now_ms`: milliseconds of one monotonic clock. Not locked."""

    __slots__ = ("_at_ms", "_left", "_rate")

    def __init__(self, rate: Rate, now_ms: float) -> None:
        self._rate, self._left, self._at_ms = rate, float(rate.burst), now_ms

    def wait_ms(self, now_ms: float, tokens: float = 1) -> float:
        """How long until there are `tokens`; 0: there are."""
        missing = tokens - self._refill(now_ms)
        # Rounding errors of fractions count as nothing.
        return missing * 1000 / self._rate.per_second if missing > 1e-9 else 0

    def take(self, now_ms: float, tokens: float = 1, owed_max: float = 0) -> None:
        """Remove tokens, down to 0 or -`owed_max`; a negative number adds some."""
        self._left = max(-owed_max, self._refill(now_ms) - tokens)

    def _refill(self, now_ms: float) -> float:
        passed_ms, self._at_ms = max(0.0, now_ms - self._at_ms), now_ms
        self._left = min(self._rate.burst, self._left + passed_ms * self._rate.per_second / 1000)
        return self._left


class RateLimiter:
    """One bucket for each caller, with the rate named at its first use. Thread-safe."""

    def __init__(self, now_ms: Callable[[], int], buckets_max: int = BUCKETS_MAX) -> None:
        self._now_ms = now_ms
        self._max = buckets_max
        self._lock = threading.RLock()
        self._buckets: OrderedDict[Hashable, TokenBucket] = OrderedDict()

    def __len__(self) -> int:
        return len(self._buckets)

    def has(self, who: Hashable) -> bool:
        """Whether `who` has a token; none is taken."""
        with self._lock:
            bucket = self._buckets.get(who)
            return bucket is None or not bucket.wait_ms(self._now_ms())

    def wait_ms(self, callers: Iterable[Hashable]) -> float:
        """How long until each of `callers` has a token."""
        with self._lock:
            buckets = [self._buckets[who] for who in callers if who in self._buckets]
            return max((bucket.wait_ms(self._now_ms()) for bucket in buckets), default=0)

    def take(self, who: Hashable, rate: Rate, tokens: float = 1) -> None:
        """Take a token of `who`, where there is one; with -1 give it back."""
        with self._lock:
            bucket = self._buckets.get(who)
            if bucket is None:
                bucket = self._buckets[who] = TokenBucket(rate, self._now_ms())
                while len(self._buckets) > self._max:
                    self._buckets.popitem(last=False)
            self._buckets.move_to_end(who)
            bucket.take(self._now_ms(), tokens)

    def admit(self, *buckets: tuple[Hashable, Rate]) -> bool:
        """Take a token from each of these buckets; False, and none taken, where one of them is empty."""
        return bool(self.admit_first(buckets))

    def admit_first(self, *choices: Buckets) -> Buckets:
        """The first of `choices` whose buckets all have a token, which is taken; empty: none has."""
        with self._lock:
            for choice in choices:
                if not self.wait_ms(who for who, _ in choice):
                    for who, rate in choice:
                        self.take(who, rate)
                    return choice
        return ()

    def give_back(self, taken: Buckets) -> None:
        for who, rate in taken:
            self.take(who, rate, -1)
