"""Entries that units were told of and that the journal lacks: it is shorter than what was acknowledged."""

from __future__ import annotations

import threading
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Proof:
    """A unit was told of entry `number` of an event; the journal lacks it, or has another one in its place.

    `last`: the journal's own last entry of this event.
    """

    unit: str
    event: str
    number: int
    last: int


class Proofs:
    """All of them, by unit and event; any thread may use it. They are gone with the process: units say it again."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._known: dict[tuple[str, str], Proof] = {}

    @property
    def known(self) -> list[Proof]:
        """In the order of the events, the one that misses most first."""
        with self._lock:
            return sorted(self._known.values(), key=lambda proof: (proof.event, -proof.number, proof.unit))

    def add(self, proof: Proof) -> None:
        with self._lock:
            self._known[(proof.unit, proof.event)] = proof

    def withdraw(self, unit: str, event: str) -> None:
        with self._lock:
            self._known.pop((unit, event), None)
