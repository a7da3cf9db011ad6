"""Entries: the facts of a tournament, one chain per stream, sealed by hashes over canonical JSON. And what is known of
a person: kept apart from the entries, so that a person can be forgotten and lists stay secret."""

import hashlib
import re
from collections.abc import Mapping
from typing import Annotated, Any

import msgspec

from roundtap_core.clock import Instant
from roundtap_core.errors import Problem
from roundtap_core.reasons import type_problems
from roundtap_core.records import Competitor
from roundtap_core.typed import LINE, PROSE, Id, Line, refuse_over_limits
from roundtap_core.wire import canonical_json, digest

GENESIS = "0" * 64
VENUE = "venue"

LINK_LETTERS, NOTE_LETTERS = 500, 1000
_LINK = re.compile(r"https?://[^\s\"'<>\\^`{|}]{1,490}")
"""What a browser follows to another page, and nothing else: no scripts, no files."""
_LIMITS = {
    "external_id": Id,
    "list_link": Annotated[str, msgspec.Meta(max_length=LINK_LETTERS, pattern=LINE)],
    "note": Annotated[str, msgspec.Meta(max_length=NOTE_LETTERS, pattern=PROSE)],
}
"""Of what is no `Line`; not the fields' own types, as a row from before these limits is read as it lies."""


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
    """What `commands.decide` wants recorded; number, time and hash are put to it when it is sealed."""

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


class Person(msgspec.Struct, frozen=True):
    """Names and lists of one competitor. Entries hold only `digest(salt)`: salted, or short names could be guessed."""

    name: str
    public_name: str | None = None
    club: str | None = None
    external_id: str | None = None
    list: Mapping[str, Any] | None = None
    members: tuple[str, ...] = ()
    captain: str | None = None
    identity: str | None = None
    houses: tuple[str, ...] = ()
    officials_role: str | None = None
    paid: bool = False
    list_link: str | None = None  # where the list can be read elsewhere: an address that begins with http
    note: str | None = None
    """What organizers noted for themselves. Like `paid` and `list_link` it stands in no event file and on no page that
    is not theirs."""

    def to_json(self) -> dict[str, Any]:
        data = {
            "name": self.name,
            "public_name": self.public_name,
            "club": self.club,
            "external_id": self.external_id,
            "list": self.list,
            "members": list(self.members) or None,
            "captain": self.captain,
            "identity": self.identity,
            "houses": list(self.houses) or None,
            "officials_role": self.officials_role,
            "paid": self.paid or None,
            "list_link": self.list_link,
            "note": self.note,
        }
        return {key: value for key, value in data.items() if value is not None}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> "Person":
        values = dict(data)
        for key in ("members", "houses"):
            values[key] = tuple(values.get(key) or ())
        return cls(**values)

    @classmethod
    def of(cls, competitor: Competitor) -> "Person":
        c = competitor
        return cls(
            c.name,
            c.public_name,
            c.club,
            c.external_id,
            c.list,
            c.members,
            c.captain,
            c.identity,
            c.houses,
            c.officials_role,
        )

    def to_competitor(self, competitor_id: str) -> Competitor:
        return Competitor(
            competitor_id,
            self.name,
            self.public_name,
            self.club,
            self.external_id,
            dict(self.list) if self.list is not None else None,
            members=self.members,
            captain=self.captain,
            identity=self.identity,
            houses=self.houses,
            officials_role=self.officials_role,
        )

    def digest(self, salt: str) -> str:
        """What an entry holds instead of the person."""
        return digest({"salt": salt, "person": _texts(self.to_json())})


def refuse_unfit_person(person: Person, before: Person | None = None) -> None:
    """Raise Problem where what is new of a person is no line of text, or a list is beyond all limits. What was known
    `before` these limits stood may stay."""
    old = msgspec.to_builtins(before) or {}
    for name, value in msgspec.to_builtins(person).items():
        if name in old and value == old[name]:
            continue
        if name == "list":
            refuse_over_limits(value, "/list")
        for text in value if isinstance(value, tuple) else (value,):
            for problem in type_problems(text, _LIMITS.get(name, Line), f"/{name}") if isinstance(text, str) else ():
                raise problem
        if name == "list_link" and value is not None and not _LINK.fullmatch(value):
            raise Problem("link_unfit", where="/list_link", maximum=LINK_LETTERS)


def _texts(value: Any) -> Any:
    """Lists are free-form and may hold fractions of points: floats become text, which hashes the same everywhere."""
    if isinstance(value, float):
        return repr(value)
    if isinstance(value, list | tuple):
        return [_texts(v) for v in value]
    # Most values are texts, and asking whether something is a mapping is slow.
    return (
        {str(k): _texts(v) for k, v in value.items()}
        if not isinstance(value, str) and isinstance(value, Mapping)
        else value
    )
