"""The journal's tables, and their rows as entries: what lies in the database, column by column."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy import BigInteger, Column, Integer, LargeBinary, MetaData, String, Table

from roundtap_core.errors import Problem
from roundtap_core.event.entries import At, Entry, hash_of_texts, seal_holds
from roundtap_core.wire import canonical

JOURNAL = MetaData()

ENTRY = Table(
    "entry", JOURNAL,
    Column("stream", String, primary_key=True), Column("number", Integer, primary_key=True, autoincrement=False),
    Column("kind", String, nullable=False), Column("version", Integer, nullable=False),
    Column("at", String, nullable=False), Column("actor", String, nullable=False),
    Column("data", String, nullable=False), Column("prev", String, nullable=False),
    Column("hash", String, nullable=False),
)
"""Sealed entries. The primary key makes appending a compare-and-set: nobody can write the same number twice."""

PERSON = Table(
    "person", JOURNAL,
    Column("event", String, primary_key=True), Column("competitor", String, primary_key=True),
    Column("salt", String, nullable=False), Column("data", String, nullable=False),
)
"""Competitors' names and lists, beside the entries so that a person can be forgotten."""

LINEAGE = Table("lineage", MetaData(), Column("id", String, primary_key=True))
"""Which journal this SQLite database is (head_file.py); databases of older hubs have no such table."""

CHECKPOINT = Table(
    "checkpoint", JOURNAL,
    Column("event", String, primary_key=True), Column("remaining_ms", BigInteger, nullable=False),
    Column("boot_id", String, nullable=False), Column("mono_ms", BigInteger, nullable=False),
)
"""What a running clock showed, every few seconds: for the start after a power cut. Milliseconds of a month of uptime
need more than 32 bits, which is what PostgreSQL calls an integer."""

SEAL = Table(
    "seal", JOURNAL,
    Column("event", String, primary_key=True), Column("number", Integer, nullable=False),
    Column("head", String, nullable=False), Column("made_by", String, nullable=False),
    Column("summary", String, nullable=False), Column("state", LargeBinary, nullable=False),
)
"""What an event at rest amounted to at its entry `number` with the hash `head`: made from its entries, and made anew
from them wherever it does not fit."""


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
