"""Who is forgotten with an entry, in the same commit: an entrant who was taken out of an event."""

from __future__ import annotations

from collections.abc import Iterable

from roundtap_core.event.entries import Entry

REMOVED = "competitor-removed"


def people_gone(entries: Iterable[Entry]) -> list[tuple[str, str]]:
    """(event, competitor) of everybody whose row goes with these entries."""
    return [(entry.stream, str(entry.data["competitor"])) for entry in entries if entry.kind == REMOVED]
