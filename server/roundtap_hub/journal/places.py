"""Where an event is kept: among those in play, or on the shelf once it has been over for long."""

from __future__ import annotations

import logging
from collections import OrderedDict
from collections.abc import Iterable

from roundtap_core.errors import Problem
from roundtap_hub.journal.journal import Journal
from roundtap_hub.journal.seals import Seal
from roundtap_hub.journal.shelf import OpenEvent, Shelf
from roundtap_hub.journal.snapshot import Snapshot
from roundtap_hub.journal.venue import rests

log = logging.getLogger(__name__)

STAY_WHOLE = 2
"""Finished events that stay among those in play until others are over: their last paper is printed, people look."""


class Places:
    """The writer's own; nobody else asks."""

    def __init__(self, journal: Journal, shelf: Shelf) -> None:
        self._journal = journal
        self._shelf = shelf
        self._sealed: OrderedDict[str, str] = OrderedDict()
        """Heads of the events that were sealed while in play, by id; the one that has waited longest first."""

    def save(self, seal: Seal) -> bool:
        """Whether the seal is on the disk. Without it the event is folded when somebody looks: whatever fails here
        fails nobody."""
        try:
            self._journal.seals.save(seal)
        except Exception:
            log.exception("the seal of event %s is not saved", seal.summary.id)
            return False
        self._sealed[seal.summary.id] = seal.summary.head
        self._sealed.move_to_end(seal.summary.id)
        return True

    def arranged(self, snapshot: Snapshot) -> Snapshot:
        """Everything where it belongs: what is archived, and what has been over for long, is on the shelf."""
        for event_id in [event_id for event_id in snapshot.shelf
                         if not rests(snapshot.venue, snapshot.shelf[event_id].finished, event_id)]:
            snapshot = _taken_down(snapshot, event_id)
        over = {event_id for event_id in snapshot.events if rests(snapshot.venue, False, event_id)}
        waiting = [event_id for event_id, head in self._sealed.items()
                   if event_id in snapshot.events and snapshot.events[event_id].head == head
                   and snapshot.events[event_id].finished]
        for event_id in over | set(waiting[: -STAY_WHOLE]):
            self._sealed.pop(event_id, None)
            self._shelf.keep(OpenEvent(snapshot.events[event_id], snapshot.people_of(event_id),
                                       snapshot.names_of(event_id)))
            snapshot = snapshot.on_the_shelf(event_id)
        return snapshot

    def forget(self, events: Iterable[str]) -> None:
        """Their people stay nowhere in memory."""
        for event_id in events:
            self._shelf.forget(event_id)


def _taken_down(snapshot: Snapshot, event_id: str) -> Snapshot:
    try:
        return snapshot.off_the_shelf(event_id)
    except Problem as problem:
        # What has just been saved stands: an event that cannot be read stays where it can be asked for again.
        log.error("event %s cannot be opened: %s", event_id, problem)
        return snapshot
