"""Entries as rows of the table `entry`, and its rows as entries."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from roundtap_core.errors import Problem
from roundtap_core.event.entries import At, Entry, hash_of_texts, seal_holds
from roundtap_core.wire import canonical


def to_row(entry: Entry) -> Mapping[str, Any]:
    """The entry as a row of ENTRY."""
    return {
        "stream": entry.stream, "number": entry.number, "kind": entry.kind, "version": entry.version,
        "at": canonical(entry.at.to_json()).decode(), "actor": entry.actor,
        "data": canonical(dict(entry.data)).decode(), "prev": entry.prev, "hash": entry.hash,
    }


def next_entry(number: int, head: str, row: Sequence[Any]) -> Entry:
    """The row of ENTRY (all its columns) as the one that follows entry `number` with the hash `head` in its stream.

    Raises Problem("journal_broken") where it does not.
    """
    stream, at, kind, version, said_at, actor, data, prev, said = row
    try:
        entry = Entry(stream, at, kind, version, At(**json.loads(said_at)), actor, json.loads(data), prev, said)
        # What lies there is canonical already: hashed as it stands, it need not be made canonical again.
        holds = at == number + 1 and prev == head and (
            hash_of_texts(stream, at, kind, version, said_at, actor, data, prev) == said or seal_holds(entry, head))
    except (ValueError, TypeError):
        holds = False
    if not holds:
        raise Problem("journal_broken", where=f"{stream}#{at}", stream=stream, number=at)
    return entry
