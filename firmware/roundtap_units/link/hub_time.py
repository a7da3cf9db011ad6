"""The hub's monotonic clock as this unit reckons it: the best of many round trips."""

from __future__ import annotations

import threading

SAMPLE_LIFE_MS = 300_000
"""Quartz drifts some 20 ppm: after five minutes (6 ms) a new sample is as good as an old best one."""
ANOTHER_CLOCK_MS = 10_000
"""No message that the feed still waits for is this late."""


class HubTime:
    """Offset between the hub's and this unit's monotonic milliseconds. Any thread may tell and ask.

    A round trip's error is at most half of it, so the shortest one counts. A one-way message only serves until the
    first round trip: it is late by the way it came.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._offset_ms: int | None = None
        self._round_trip_ms: int | None = None
        self._sampled_ms = 0

    def heard_one_way(self, hub_now_ms: int, here_ms: int) -> None:
        with self._lock:
            offset_ms = hub_now_ms - here_ms
            # Far off means another boot of the hub's machine: its clock began anew, and no old sample counts.
            if self._offset_ms is None or abs(offset_ms - self._offset_ms) > ANOTHER_CLOCK_MS:
                self._offset_ms, self._round_trip_ms = offset_ms, None

    def heard_round_trip(self, hub_now_ms: int, sent_ms: int, received_ms: int) -> None:
        """The hub read its clock somewhere between sending and receiving: half the trip is added to its reading."""
        with self._lock:
            trip_ms = received_ms - sent_ms
            stale = received_ms - self._sampled_ms > SAMPLE_LIFE_MS
            if self._round_trip_ms is None or trip_ms <= self._round_trip_ms or stale:
                self._round_trip_ms = trip_ms
                self._sampled_ms = received_ms
                self._offset_ms = hub_now_ms + trip_ms // 2 - received_ms

    def hub_ms(self, here_ms: int) -> int | None:
        """What the hub's clock shows now; None before the first contact."""
        with self._lock:
            return None if self._offset_ms is None else here_ms + self._offset_ms
