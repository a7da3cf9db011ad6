"""Entries that units have received and the journal lacks."""

import threading
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class MissingEntry:
    """A unit received entry `number` of an event, which the journal lacks or has differently. `last`: the journal's own
    last entry of this event."""

    unit: str
    event: str
    number: int
    last: int


class MissingEntries:
    """All missing entries, by unit and event, in memory: units send their heads again. Thread-safe."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._known: dict[tuple[str, str], MissingEntry] = {}

    @property
    def known(self) -> list[MissingEntry]:
        """In the order of the events, the one that misses most first."""
        with self._lock:
            return sorted(self._known.values(), key=lambda proof: (proof.event, -proof.number, proof.unit))

    def add(self, proof: MissingEntry) -> None:
        with self._lock:
            self._known[(proof.unit, proof.event)] = proof

    def withdraw(self, unit: str, event: str) -> None:
        with self._lock:
            self._known.pop((unit, event), None)
