"""The lists of events: those in play whole, those at rest by their summaries."""

from __future__ import annotations

import re

from roundtap_core.event.state import EventState
from roundtap_hub.store.read_model import Snapshot
from roundtap_hub.store.snapshots import Summary

Line = EventState | Summary
"""What a list shows of an event is called the same in both; who is counted, `players` or `entrants`, is not."""


def known(snapshot: Snapshot) -> list[Line]:
    """Every event whose pages can be looked at, the oldest first."""
    return [snapshot.events.get(event_id) or snapshot.shelf[event_id] for event_id in snapshot.ids
            if event_id not in snapshot.venue.deleted]


def listed(snapshot: Snapshot) -> list[Line]:
    """What people choose from: what is archived is not among it."""
    return [line for line in known(snapshot) if line.id not in snapshot.venue.archived]


def archived(snapshot: Snapshot) -> list[Line]:
    return [line for line in known(snapshot) if line.id in snapshot.venue.archived]


COLOURS = "GET /colours.css"
KIND = "text/css; charset=utf-8"
COLOR = re.compile(r"#[0-9A-Fa-f]{6}")


def colours(snapshot: Snapshot) -> str:
    """A rule for each event whose pages can be looked at."""
    rules = [
        f'[data-event="{event.id}"]{{--event:{event.color}}}'
        for event in known(snapshot) if COLOR.fullmatch(event.color) and event.id.isalnum()
    ]
    return "\n".join(rules) + "\n"
