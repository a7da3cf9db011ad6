"""What is saved, read from the journal: everything at the start, and the streams that are in doubt again."""

from __future__ import annotations

import logging
from collections.abc import Iterable
from dataclasses import replace

from roundtap_core.event.apply import apply
from roundtap_core.event.entries import VENUE
from roundtap_core.event.state import EventState
from roundtap_hub.journal.journal import START, Head, Journal
from roundtap_hub.journal.snapshot import Snapshot
from roundtap_hub.journal.venue import Venue, apply_venue

log = logging.getLogger(__name__)


def load(journal: Journal) -> Snapshot:
    """Everything saved. Raises Problem where a chain does not hold or an entry is of an unknown kind."""
    streams = [stream for stream in journal.heads() if stream != VENUE]
    venue = read_venue(journal, Venue())
    events = {stream: read_event(journal, EventState(stream)) for stream in streams}
    return Snapshot(venue, events, journal.people()).with_names()


def read_again(journal: Journal, snapshot: Snapshot, streams: Iterable[str]) -> Snapshot:
    """`snapshot` with these streams as they are saved now: what another writer was faster with, and what a commit that
    failed left on the disk after all. Only what is new is read where the known part stands."""
    for stream in streams:
        if stream == VENUE:
            snapshot = replace(snapshot, venue=read_venue(journal, snapshot.venue))
            continue
        state = read_event(journal, snapshot.event(stream) or EventState(stream))
        people = {**snapshot.people, stream: journal.people([stream]).get(stream, {})}
        snapshot = replace(snapshot, people=people)
        if state.number:
            snapshot = snapshot.with_event(state)
    return snapshot.with_names(snapshot)


def read_event(journal: Journal, known: EventState) -> EventState:
    """The event as it is saved; `known` is what was known of it (number 0: nothing)."""
    state = known if journal.holds(known.id, Head(known.number, known.head)) else EventState(known.id)
    for entry in journal.entries(known.id, Head(state.number, state.head) if state.number else START):
        state = apply(state, entry)
    if state.diverged != known.diverged:
        log.warning("event %s: rounds %s were computed otherwise by the core that ran then",
                    state.id, list(state.diverged))
    return state


def read_venue(journal: Journal, known: Venue) -> Venue:
    """The venue as it is saved, from what was known of it."""
    venue = known if journal.holds(VENUE, Head(known.number, known.head)) else Venue()
    for entry in journal.entries(VENUE, Head(venue.number, venue.head)):
        venue = apply_venue(venue, entry)
    return venue
