"""One clock for all hubs on one database: its time, by round trips, slewed so that it never runs backwards."""

from __future__ import annotations

import logging
import threading
import time
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import psycopg
from sqlalchemy.engine import URL
from sqlalchemy.exc import SQLAlchemyError

from roundtap_hub.journal.clocks import Clocks
from roundtap_hub.journal.database_url import libpq_arguments
from roundtap_hub.journal.postgres import not_usable, reason_of

log = logging.getLogger(__name__)

ROUND_TRIPS = 16
"""Asked in one go; the quickest of them says most."""
AGAIN_S = 60.0
"""How often the offset is estimated anew."""
KEPT = 8
"""Estimates that are kept: the best of the last eight minutes counts."""
AGES_BY = 50e-6
"""What an old sample loses: two machines' crystals drift apart by up to so much."""
SLEW = 1 / 1000
"""How fast a new offset is worked in: a millisecond a second, which nobody sees, and which never turns back."""
STEP_US = 1_000_000
"""A database whose clock jumps by more than this has been set: living hubs do not jump with it."""

Ask = Callable[[], int]
"""Asks the database for its time, in microseconds since 1970."""


@dataclass(frozen=True, slots=True)
class Sample:
    """One round trip: the database was ahead of our monotonic clock by `offset_us`, give or take `error_us`."""

    taken_us: int
    offset_us: int
    error_us: int

    def doubt_us(self, now_us: int) -> float:
        """How far off it may be by now."""
        return self.error_us + AGES_BY * (now_us - self.taken_us)


def sample(ask: Ask, now_us: Callable[[], int]) -> Sample:
    """One round trip to the database; its answer was right at some moment within it."""
    before = now_us()
    said = ask()
    after = now_us()
    middle = (before + after) // 2
    return Sample(middle, said - middle, (after - before + 1) // 2)


class SharedClock:
    """Microseconds of the database's time on this machine's monotonic clock. Any thread may look and take samples."""

    def __init__(self, first: Sequence[Sample], now_us: Callable[[], int]) -> None:
        self._now_us = now_us
        self._lock = threading.Lock()
        self._kept: deque[Sample] = deque([_best(first, now_us())], maxlen=KEPT)
        self._target_us = float(self._kept[0].offset_us)
        self._offset_us, self._since_us = self._target_us, now_us()
        self._stepped_us = 0
        self._last_us = 0

    def read_us(self) -> int:
        with self._lock:
            now = self._now_us()
            self._last_us = max(self._last_us, int(now + self._slewed(now)))
            return self._last_us

    def take(self, samples: Sequence[Sample]) -> None:
        """New round trips. The best of these and of the last few minutes' is what the clock goes for."""
        with self._lock:
            now = self._now_us()
            new = _best(samples, now)
            offset_us = new.offset_us - self._stepped_us
            if abs(offset_us - self._target_us) > STEP_US:
                step_us = offset_us - round(self._target_us)
                log.error("the database's clock jumped by %.1f s; this hub keeps counting as before. Hubs that start "
                          "from now on count by the new time: restart the others between two rounds.", step_us / 1e6)
                self._stepped_us += step_us
                self._kept.clear()
                offset_us = new.offset_us - self._stepped_us
            self._kept.append(Sample(new.taken_us, offset_us, new.error_us))
            self._offset_us, self._since_us = self._slewed(now), now
            self._target_us = float(_best(self._kept, now).offset_us)

    def _slewed(self, now_us: int) -> float:
        """The offset that counts at this moment: on its way from the one it had to the one it goes for."""
        way_us, may_us = self._target_us - self._offset_us, SLEW * (now_us - self._since_us)
        return self._offset_us + max(-may_us, min(may_us, way_us))


def _best(samples: Sequence[Sample] | deque[Sample], now_us: int) -> Sample:
    return min(samples, key=lambda sample: sample.doubt_us(now_us))


class DatabaseClock:
    """Keeps a `SharedClock` by a connection of its own; `clocks` are what the hub counts by.

    Raises Problem("database_not_usable") where the database cannot be asked.
    """

    def __init__(self, url: URL) -> None:
        self._url = url
        self._stop = threading.Event()
        try:
            with self._connect() as connection:
                [(system,)] = connection.execute("SELECT system_identifier FROM pg_control_system()").fetchall()
                self._clock = SharedClock(self._samples(connection), _monotonic_us)
        except (psycopg.Error, SQLAlchemyError) as error:
            raise not_usable(url, error) from error
        self.clocks = Clocks(f"db:{system}", lambda: self._clock.read_us() // 1000, self._wall)
        self._thread = threading.Thread(target=self._keep, name="database-clock", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        self._stop.set()
        self._thread.join(timeout=10)

    def _keep(self) -> None:
        while not self._stop.wait(AGAIN_S):
            try:
                with self._connect() as connection:
                    self._clock.take(self._samples(connection))
            except psycopg.Error as lost:
                log.warning("the database's clock could not be read: %s", reason_of(lost))

    def _connect(self) -> psycopg.Connection[Any]:
        return psycopg.connect(**libpq_arguments(self._url), autocommit=True)

    def _samples(self, connection: psycopg.Connection[Any]) -> list[Sample]:
        def ask() -> int:
            row = connection.execute(_NOW).fetchone()
            assert row is not None
            return int(row[0])

        ask()
        return [sample(ask, _monotonic_us) for _ in range(ROUND_TRIPS)]

    def _wall(self) -> str:
        return datetime.fromtimestamp(self._clock.read_us() // 1_000_000, UTC).isoformat(timespec="seconds")


_NOW = "SELECT (extract(epoch FROM clock_timestamp()) * 1000000)::bigint"


def _monotonic_us() -> int:
    return time.monotonic_ns() // 1000
