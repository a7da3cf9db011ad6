"""What is forgotten with an entry, in the same commit: people of deleted events, entrants, keys, staff."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from sqlalchemy import Delete, delete, tuple_

from roundtap_core.event.entries import VENUE, Entry
from roundtap_hub.journal.keyed_units import KEYED, REVOKED
from roundtap_hub.journal.staff_roll import FORGOTTEN
from roundtap_hub.journal.venue import DELETED
from roundtap_hub.models import PERSON, STAFF, STAFF_LOGIN, UNIT_KEY

REMOVED = "competitor-removed"


def people_gone(entries: Iterable[Entry]) -> list[tuple[str, str]]:
    """(event, competitor) of everybody whose row goes with these entries."""
    return [(entry.stream, str(entry.data["competitor"])) for entry in entries if entry.kind == REMOVED]


def forgetting(entries: Sequence[Entry]) -> Iterator[Delete]:
    """What leaves the database with these entries, after everything that comes with them."""
    venue = [entry for entry in entries if entry.stream == VENUE]
    if gone := [entry.data["event"] for entry in venue if entry.kind == DELETED]:
        yield delete(PERSON).where(PERSON.c.event.in_(gone))
    if taken_out := people_gone(entries):
        yield delete(PERSON).where(tuple_(PERSON.c.event, PERSON.c.competitor).in_(taken_out))
    last = {entry.data["unit"]: entry.kind for entry in venue if entry.kind in (KEYED, REVOKED)}
    if revoked := [unit for unit, kind in last.items() if kind == REVOKED]:
        yield delete(UNIT_KEY).where(UNIT_KEY.c.unit.in_(revoked))
    if left := [entry.data["person"] for entry in venue if entry.kind == FORGOTTEN]:
        yield from (delete(table).where(table.c.person.in_(left)) for table in (STAFF, STAFF_LOGIN))
