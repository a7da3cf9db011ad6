"""What one commit wrote, and its rows as every copy gets them: a line on a stick, a message to a standby."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from roundtap_core.errors import Problem
from roundtap_core.event.entries import Entry
from roundtap_core.event.person import Person
from roundtap_hub.journal.journal import START, Head, PersonRecord, PersonRow, next_entry, to_row
from roundtap_hub.models import ENTRY, PERSON

ENTRIES, PEOPLE = "entries", "people"
COLUMNS = {ENTRIES: ENTRY.columns.keys(), PEOPLE: PERSON.columns.keys()}

Rows = Mapping[str, Sequence[Any]]
"""ENTRIES and PEOPLE, each a list of rows, each a list of what the columns hold."""


@dataclass(frozen=True, slots=True)
class Batch:
    """Entries of any streams in their order, and the people that came or changed with them."""

    entries: Sequence[Entry] = ()
    people: Sequence[PersonRow] = ()

    @property
    def heads(self) -> dict[str, Head]:
        return {entry.stream: Head(entry.number, entry.hash) for entry in self.entries}

    def rows(self) -> Rows:
        return {kind: [[row[name] for name in COLUMNS[kind]] for row in rows]
                for kind, rows in ((ENTRIES, map(to_row, self.entries)), (PEOPLE, self.people))}


def following(heads: dict[str, Head], rows: Iterable[Sequence[Any]]) -> list[Entry]:
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


def people_of(rows: Iterable[Sequence[Any]]) -> list[PersonRecord]:
    """Raises ValueError, TypeError, KeyError or Problem where they are none."""
    return [PersonRecord(event, competitor, salt, Person.from_json(json.loads(data)))
            for event, competitor, salt, data in rows]
