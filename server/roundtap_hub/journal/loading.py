"""What is saved, read from the journal: everything at the start, and the streams that are in doubt again."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Mapping
from dataclasses import replace

from roundtap_core.event.apply import apply
from roundtap_core.event.entries import VENUE
from roundtap_core.event.state import EventState
from roundtap_hub.journal.journal import START, Head, Journal
from roundtap_hub.journal.seals import Summary
from roundtap_hub.journal.shelf import Shelf
from roundtap_hub.journal.snapshot import Snapshot
from roundtap_hub.journal.venue import Venue, apply_venue, rests

log = logging.getLogger(__name__)


def load(journal: Journal, shelf: Shelf) -> Snapshot:
    """Everything saved: what is in play is folded, what is at rest goes to the shelf unread.

    Raises Problem where the chain of an event in play does not hold or has an entry of an unknown kind.
    """
    heads = journal.heads()
    venue = read_venue(journal, Venue())
    at_rest: dict[str, Summary] = {}
    events: dict[str, EventState] = {}
    for stream, summary in _summaries(journal, heads).items():
        if rests(venue, summary.finished, stream):
            at_rest[stream] = summary
        else:
            events[stream] = read_event(journal, EventState(stream))
    people = journal.people(list(events))
    return Snapshot(venue, events, people, shelf=at_rest, opened=shelf.open).with_names().with_rows(journal.secrets())


def _summaries(journal: Journal, heads: Mapping[str, Head]) -> dict[str, Summary]:
    """Of every event: from its seal, where that is of its last entry, else from a few of its entries."""
    sealed = journal.seals.summaries()
    found: dict[str, Summary] = {}
    for stream, head in heads.items():
        known = sealed[stream][0] if stream in sealed else None
        if known is not None and (known.number, known.head) == head:
            found[stream] = known
        elif stream != VENUE:
            found[stream] = journal.rough_summary(stream, head)
    return found


def read_again(journal: Journal, snapshot: Snapshot, streams: Iterable[str]) -> Snapshot:
    """`snapshot` with these streams as they are saved now: what another writer was faster with, and what a commit that
    failed left on the disk after all. Only what is new is read where the known part stands."""
    for stream in streams:
        if stream == VENUE:
            venue = read_venue(journal, snapshot.venue)
            snapshot = replace(snapshot, venue=venue).with_rows(journal.secrets())
            continue
        snapshot = snapshot.off_the_shelf(stream)
        state = read_event(journal, snapshot.events.get(stream) or EventState(stream))
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
