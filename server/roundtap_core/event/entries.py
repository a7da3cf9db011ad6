"""Entries: the facts of a tournament, one chain per stream, sealed by hashes over canonical JSON."""

import hashlib
from collections.abc import Mapping
from typing import Any

import msgspec

from roundtap_core.clock import Instant
from roundtap_core.wire import canonical_json, digest

GENESIS = "0" * 64
VENUE = "venue"


class Timestamp(msgspec.Struct, frozen=True):
    """When an entry was made: order is the entry's number, never this."""

    boot_id: str
    mono_ms: int
    wall: str | None = None

    @property
    def instant(self) -> Instant:
        return Instant(self.boot_id, self.mono_ms)

    def to_json(self) -> dict[str, Any]:
        return {"boot_id": self.boot_id, "mono_ms": self.mono_ms, "wall": self.wall}


class NewEntry(msgspec.Struct, frozen=True):
    """What `decide` wants recorded; number, time and hash are put to it when it is sealed."""

    kind: str
    data: Mapping[str, Any]
    version: int = 1


NewEntries = list[NewEntry]


class Entry(msgspec.Struct, frozen=True):
    """One fact. `hash` covers everything before it, through `prev`."""

    stream: str
    number: int
    kind: str
    version: int
    at: Timestamp
    actor: str
    data: Mapping[str, Any]
    prev: str
    hash: str


def chain_entry(new: NewEntry, stream: str, number: int, prev: str, at: Timestamp, actor: str) -> Entry:
    """The entry that follows `prev` (a hash; GENESIS for number 1) in its stream's chain."""
    # In an object, as it is hashed: what is too deep within the whole is refused.
    data = canonical_json({"data": new.data}).decode().removeprefix('{"data":')[:-1]
    own_hash = entry_hash(
        stream, number, new.kind, new.version, canonical_json(at.to_json()).decode(), actor, data, prev
    )
    # In the same form as read from disk, so that folding gives the same state to the last key.
    return Entry(stream, number, new.kind, new.version, at, actor, msgspec.json.decode(data), prev, own_hash)


def verify_entry(entry: Entry, prev: str) -> bool:
    """Whether the entry continues the chain from `prev` and its hash is true."""
    body = {
        "event": entry.stream,
        "number": entry.number,
        "kind": entry.kind,
        "version": entry.version,
        "at": entry.at.to_json(),
        "actor": entry.actor,
        "data": entry.data,
        "prev": entry.prev,
    }
    return entry.prev == prev and entry.hash == digest(body)


def entry_hash(stream: str, number: int, kind: str, version: int, at: str, actor: str, data: str, prev: str) -> str:
    """The hash that an entry has whose `at` and `data` are these canonical texts: nothing is parsed for it."""
    begin = canonical_json({"actor": actor})
    end = canonical_json({"event": stream, "kind": kind, "number": number, "prev": prev, "version": version})
    text = b'%s,"at":%s,"data":%s,%s' % (begin[:-1], at.encode(), data.encode(), end[1:])
    return hashlib.sha256(text).hexdigest()
