"""The lists of events: those in play as states, the others as summaries; and the style sheet of their colours."""

from __future__ import annotations

import re

from roundtap_core.event.state import EventState
from roundtap_hub.store.read_model import Snapshot
from roundtap_hub.store.snapshots import EventSummary

EventLine = EventState | EventSummary
"""Both name what a list shows alike, except the number of people: `entrants` or `players`."""


def known_events(snapshot: Snapshot) -> list[EventLine]:
    """Every event that is not deleted, oldest first."""
    return [snapshot.events.get(event_id) or snapshot.dormant[event_id] for event_id in snapshot.ids
            if event_id not in snapshot.venue.deleted]


def listed_events(snapshot: Snapshot) -> list[EventLine]:
    """The events to choose from: those that are not archived."""
    return [line for line in known_events(snapshot) if line.id not in snapshot.venue.archived]


def archived_list(snapshot: Snapshot) -> list[EventLine]:
    return [line for line in known_events(snapshot) if line.id in snapshot.venue.archived]


COLOURS = "GET /colours.css"
CONTENT_TYPE = "text/css; charset=utf-8"
COLOR = re.compile(r"#[0-9A-Fa-f]{6}")


def colours_css(snapshot: Snapshot) -> str:
    """A style rule for each event that is not deleted."""
    rules = [
        f'[data-event="{event.id}"]{{--event:{event.color}}}'
        for event in known_events(snapshot) if COLOR.fullmatch(event.color) and event.id.isalnum()
    ]
    return "\n".join(rules) + "\n"
