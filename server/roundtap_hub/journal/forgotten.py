"""Who is forgotten with an entry, in the same commit: people of deleted events, and who was taken out of one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from sqlalchemy import Delete, delete, tuple_

from roundtap_core.event.entries import VENUE, Entry
from roundtap_hub.journal.venue import DELETED
from roundtap_hub.models import PERSON

REMOVED = "competitor-removed"


def people_gone(entries: Iterable[Entry]) -> list[tuple[str, str]]:
    """(event, competitor) of everybody whose row goes with these entries."""
    return [(entry.stream, str(entry.data["competitor"])) for entry in entries if entry.kind == REMOVED]


def forgetting(entries: Sequence[Entry]) -> Iterator[Delete]:
    """What leaves the database with these entries, after everything that comes with them."""
    if deleted := [entry.data["event"] for entry in entries if entry.stream == VENUE and entry.kind == DELETED]:
        yield delete(PERSON).where(PERSON.c.event.in_(deleted))
    if taken_out := people_gone(entries):
        yield delete(PERSON).where(tuple_(PERSON.c.event, PERSON.c.competitor).in_(taken_out))
