"""Judges' calls that settle themselves: the result of the table's match stands."""

from __future__ import annotations

from collections.abc import Sequence

from roundtap_core.event.entries import Entry
from roundtap_core.event.state import PUBLISHED
from roundtap_hub.journal.service import Snapshot
from roundtap_hub.presence import Presence

CLOSING = frozenset({"report", "result-entered"})
"""Entries after which a result may stand."""
ECHOED_MS = 2000
"""A call made just before the result stays: its table may not know yet that it was heard, and would go on calling."""


def close_settled_calls(presence: Presence, snapshot: Snapshot, entries: Sequence[Entry]) -> None:
    """End the call of each table whose match these entries have settled; one made since then is about something else.

    Runs after a commit: a result that was not saved closes nothing.
    """
    for entry in entries:
        state = snapshot.events.get(entry.stream)
        if entry.kind not in CLOSING or state is None:
            continue
        found = state.find_match(str(entry.data["match"]))
        if found is None or found[0].status != PUBLISHED or not found[1].done:
            continue
        table = found[1].match.table
        unit = snapshot.venue.unit_at(table) if table is not None else None
        status = presence.status_of(unit) if unit is not None else None
        if status is not None and status.match == found[1].id:
            presence.close_call(status.unit, entry.at.mono_ms - ECHOED_MS)
