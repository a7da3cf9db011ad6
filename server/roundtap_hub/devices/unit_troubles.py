"""What is odd about a unit: counted, logged now and then, and told to the organizer until somebody has looked."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Mapping

log = logging.getLogger(__name__)

FORGED, FLOOD, ELSEWHERE, TWIN, DAMAGED = "forged", "flood", "elsewhere", "twin", "damaged"
"""Wrong signatures in its name; more than any unit says; reports of matches where it did not stand; a second unit with
its name; lines of its disk that cannot be read."""
SAID: Mapping[str, str] = {
    FORGED: "somebody signs wrongly in its name", FLOOD: "its key asks for more than any unit does",
    ELSEWHERE: "it reports matches where it did not stand", TWIN: "a second unit has its name",
    DAMAGED: "lines of its disk cannot be read",
}
TOLD_FROM: Mapping[str, int] = {FORGED: 10, FLOOD: 20}
"""So many of them, until the organizer is told; 1 of the others. A unit that has not got its new key yet signs wrongly,
and somebody hammers on a button."""

Tell = Callable[[str, frozenset[str]], None]
"""Told a unit and everything about it that somebody should look at."""


class UnitTroubles:
    """Counts by unit and kind: of enrolled units only, so that no stranger's names fill it. Any thread may ask."""

    def __init__(self, tell: Tell) -> None:
        self._tell = tell
        self._lock = threading.Lock()
        self._counts: dict[str, dict[str, int]] = {}
        self._open: dict[str, frozenset[str]] = {}

    def note(self, unit: str, kind: str) -> None:
        """It has happened once more."""
        with self._lock:
            counts = self._counts.setdefault(unit, {})
            count = counts[kind] = counts.get(kind, 0) + 1
            before = self._open.get(unit, frozenset())
            after = before | {kind} if count >= TOLD_FROM.get(kind, 1) else before
            self._open[unit] = after
        if count & (count - 1) == 0:
            # Each time that it has doubled: a flood is a few lines.
            log.warning("unit %s: %s (%d so far)", unit, SAID[kind], count)
        if after != before:
            self._tell(unit, after)

    def count(self, unit: str, kind: str) -> int:
        """How often it has happened since the hub was started, or since somebody has looked."""
        return self._counts.get(unit, {}).get(kind, 0)

    def seen(self, unit: str) -> None:
        """Somebody has looked, or the unit has another key: what happens from now on is counted and told anew."""
        with self._lock:
            told = self._open.pop(unit, frozenset())
            self._counts.pop(unit, None)
        if told:
            self._tell(unit, frozenset())

    def of_others(self, units: frozenset[str]) -> None:
        """These units have other keys, or none: what was counted was said by whoever had those before."""
        for unit in units:
            self.seen(unit)
