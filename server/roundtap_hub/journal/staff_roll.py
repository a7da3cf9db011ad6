"""Who is of the staff, as the venue's stream says it: an id, a role, a digest of what the PIN was hashed to. The name
and the hash are a row beside it: an entry outlives the right to know a name."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from roundtap_core.event.entries import Entry, NewEntry

SET, TIED = "staff-set", "staff-tied"
OF_STAFF = frozenset({SET, TIED})
DIGEST_LETTERS = 32


@dataclass(frozen=True, slots=True)
class Member:
    """`role`: "" for who is forgotten. `pin`: shows whether a hash is that of the PIN; "" for who was revoked.
    `officials`: event → the official of it that this person is."""

    role: str = ""
    pin: str = ""
    officials: Mapping[str, str] = field(default_factory=dict)


Roll = Mapping[str, Member]
"""By id, in the order in which they were added."""


def pin_digest(hashed: str | None) -> str:
    """Of a hash, which is salted; "" of none."""
    return hashlib.sha256(f"roundtap/staff-pin/1\n{hashed}".encode()).hexdigest()[:DIGEST_LETTERS] if hashed else ""


def with_staff(roll: Roll, said: Entry | NewEntry) -> Roll:
    """The staff after one of OF_STAFF; the very same where it was so before."""
    data, person = said.data, said.data["person"]
    if said.kind == SET:
        said_of = {key: data[key] for key in ("role", "pin") if key in data}
        after = {**roll, person: replace(roll.get(person, Member()), **said_of)}
    else:
        after = {each: replace(member, officials=_tied(member.officials, data, each == person))
                 for each, member in roll.items()}
    return roll if after == roll else after


def _tied(officials: Mapping[str, str], data: Mapping[str, Any], chosen: bool) -> Mapping[str, str]:
    """One official is one person, and one person one official of an event."""
    event, official = data["event"], data["official"]
    others = {each: who for each, who in officials.items() if each != event or (who != official and not chosen)}
    return {**others, event: official} if chosen else others
