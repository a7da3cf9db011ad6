"""The shelf: events at rest are known by their summaries, and opened when somebody looks; a few stay open."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from dataclasses import dataclass

from roundtap_core.event.apply import apply
from roundtap_core.event.person import Person
from roundtap_core.event.state import EventState, event_names
from roundtap_hub.journal.journal import Journal
from roundtap_hub.journal.seals import Summary

KEPT_OPEN = 4
"""Opened events that stay in memory: what a few people look through at a time."""


@dataclass(frozen=True, slots=True)
class OpenEvent:
    """An event with its people and the names that the hall reads."""

    state: EventState
    people: Mapping[str, Person]
    names: Mapping[str, str]


class Shelf:
    """Opens events at rest. Any thread may ask; who asks for what another one is just opening waits for that."""

    def __init__(self, journal: Journal) -> None:
        self._journal = journal
        self._lock = threading.Lock()
        self.folded: set[str] = set()
        """Events that had to be folded: their seals are of no use."""
        self._open: OrderedDict[tuple[str, str], Future[OpenEvent]] = OrderedDict()

    def open(self, summary: Summary) -> OpenEvent:
        """The event at its summary's entry. Raises Problem where its entries cannot be read, or do not hold."""
        key = (summary.id, summary.head)
        with self._lock:
            known = self._open.get(key)
            if known is None:
                opening = Future[OpenEvent]()
                self._stay_open(key, opening)
            else:
                self._open.move_to_end(key)
        if known is not None:
            return known.result()
        try:
            opening.set_result(self.read(summary))
        except BaseException as error:
            with self._lock:
                if self._open.get(key) is opening:
                    del self._open[key]
            opening.set_exception(error)
            raise
        return opening.result()

    def keep(self, found: OpenEvent) -> None:
        """An event that comes to the shelf open: nobody has to read what is in memory."""
        done = Future[OpenEvent]()
        done.set_result(found)
        with self._lock:
            self._stay_open((found.state.id, found.state.head), done)

    def _stay_open(self, key: tuple[str, str], found: Future[OpenEvent]) -> None:
        self._open[key] = found
        while len(self._open) > KEPT_OPEN:
            self._open.popitem(last=False)

    def forget(self, event_id: str) -> None:
        """Close an event: its people have changed, or are gone."""
        with self._lock:
            for key in [key for key in self._open if key[0] == event_id]:
                del self._open[key]

    def read(self, summary: Summary, breath: Callable[[], object] = lambda: None) -> OpenEvent:
        """The event from its seal, or from its entries where the seal does not fit; `breath` is drawn after each."""
        state = self._journal.seals.state(summary) or self._folded(summary, breath)
        people = self._journal.people([summary.id]).get(summary.id, {})
        return OpenEvent(state, people, event_names(state, people))

    def _folded(self, summary: Summary, breath: Callable[[], object]) -> EventState:
        self.folded.add(summary.id)
        state = EventState(summary.id)
        for entry in self._journal.entries(summary.id):
            state = apply(state, entry)
            if state.number == summary.number:
                break
            breath()
        return state
