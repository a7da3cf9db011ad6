"""The journal's rows as they travel to a standby, and what of them follows what it holds."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from roundtap_core.errors import Problem
from roundtap_core.event.entries import Entry
from roundtap_core.event.person import Person
from roundtap_hub.journal.journal import START, Head, Journal, PersonRecord, PersonRow
from roundtap_hub.journal.rows import next_entry, to_row
from roundtap_hub.models import ENTRY

COLUMNS = [column.name for column in ENTRY.columns]

Heads = dict[str, Head]
Rows = list[Any]


def entry_rows(entries: Iterable[Entry]) -> Rows:
    """Entries as lists of what their columns hold."""
    return [[row[name] for name in COLUMNS] for row in map(to_row, entries)]


def people_rows(people: Iterable[PersonRow]) -> Rows:
    return [[row["event"], row["competitor"], row["salt"], row["data"]] for row in people]


def people_of(rows: Sequence[Any]) -> list[PersonRecord]:
    """Raises ValueError, TypeError, KeyError or Problem where they are none."""
    return [PersonRecord(event, competitor, salt, Person.from_json(json.loads(data)))
            for event, competitor, salt, data in rows]


def following(heads: Heads, rows: Sequence[Sequence[Any]]) -> list[Entry]:
    """The entries of these rows that follow `heads`, which move on with them; what is known already is passed over.

    Raises Problem("journal_broken") where one does not follow, or is another one than the one that is known.
    """
    found = []
    for row in rows:
        stream, number, said = row[0], row[1], row[-1]
        head = heads.get(stream, START)
        if isinstance(number, int) and number <= head.number:
            if number == head.number and said != head.hash:
                raise Problem("journal_broken", where=f"{stream}#{number}", stream=stream, number=number)
            continue
        entry = next_entry(head.number, head.hash, row)
        heads[stream] = Head(entry.number, entry.hash)
        found.append(entry)
    return found


def heads_json(heads: Mapping[str, Head]) -> dict[str, list[Any]]:
    return {stream: list(head) for stream, head in heads.items()}


def not_before(journal: Journal, heads: Heads) -> str | None:
    """A stream in which these last entries are not ours, so that nobody may just go on from there; None: all are."""
    return next((stream for stream, head in sorted(heads.items()) if not journal.holds(stream, head)), None)
