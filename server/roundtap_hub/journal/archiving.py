"""Events that are put away: which may be archived or deleted, as the writer finds them when it is decided."""

from __future__ import annotations

from roundtap_core.errors import Problem
from roundtap_core.event.entries import NewEntry
from roundtap_hub.journal.snapshot import Snapshot
from roundtap_hub.journal.venue import ARCHIVED, DELETED, RESTORED, rests


def refuse_unless_may(saved: Snapshot, asked: NewEntry) -> None:
    """Problem("unknown_event"), Problem("event_in_play") or Problem("event_not_over") where an event cannot be put
    away, or taken back, as it is now. Entries about other things are none of its business."""
    if asked.kind not in (ARCHIVED, RESTORED, DELETED):
        return
    event_id = asked.data["event"]
    known = saved.shelf.get(event_id) or saved.events.get(event_id)
    if known is None or event_id in saved.venue.deleted:
        raise Problem("unknown_event", event=event_id)
    if asked.kind == ARCHIVED and not may_archive(saved, event_id):
        raise Problem("event_in_play", name=known.name)
    if asked.kind == DELETED and not rests(saved.venue, known.finished, event_id):
        raise Problem("event_not_over", name=known.name)


def may_archive(saved: Snapshot, event_id: str) -> bool:
    """Whether nobody plays in it, and no round of it is drawn: tables would wait for what nobody sees any more."""
    state = saved.events.get(event_id)
    return state is None or state.finished or (state.live is None and state.draft is None)
