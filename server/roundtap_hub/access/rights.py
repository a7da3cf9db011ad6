"""Who may what, as the venue's stream says it: units by their keys, the staff by their PINs, players by their links.

Keys and PINs by a digest, so that whoever holds the stream knows which one counts no more; the key itself, a name and
the hash of a PIN are rows beside it: an entry outlives the right to know a name. No link opens a page without the hub's
own secret.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from roundtap_core.errors import Invalid, Problem
from roundtap_core.event.entries import Entry, NewEntry

UNIT_KEYED, UNIT_REVOKED = "unit-keyed", "unit-revoked"
UNIT_KEY_KINDS = frozenset({UNIT_KEYED, UNIT_REVOKED})
UNITS_MAX = 999
DIGEST_LETTERS = 32

STAFF_SET, STAFF_TIED = "staff-set", "staff-tied"
STAFF_KINDS = frozenset({STAFF_SET, STAFF_TIED})

LINK_HELD = "link-held"
DESK, TAKEN_BACK = "desk", "taken-back"
"""Who has the link where the desk gave it; nobody, and from now on only the desk gives it. No slip does in either
case."""
LINKS_MAX = 3000
"""So many people at the most are known to have a link."""

PlayerId = tuple[str, str]
"""(event, competitor)"""


@dataclass(frozen=True, slots=True)
class UnitKeyRecord:
    """What a unit's key is for, and what shows whether a key is that one; "" for a unit that was revoked."""

    role: str = ""
    digest: str = ""


NO_KEY = UnitKeyRecord()


def key_digest(unit: str, key: str) -> str:
    """Of a key in hex. One unit's says nothing of another's that has the same."""
    return hashlib.sha256(f"roundtap/unit-key/1\n{unit}\n{key}".encode()).hexdigest()[:DIGEST_LETTERS]


def unit_keyed_entry(unit: str, role: str, key: str, before: UnitKeyRecord = NO_KEY, unit_id: str = "") -> NewEntry:
    """A unit has this key, in hex, from now on, in the place of the one `before`. `unit_id`: its own mark, by which it
    keeps its name when it is enrolled again."""
    data = {"unit": unit, "role": role, "key": key_digest(unit, key), "instead_of": before.digest}
    return NewEntry(UNIT_KEYED, {**data, "unit_id": unit_id} if unit_id else data)


def unit_placed_entry(unit: str, table: int | None) -> NewEntry:
    """The unit stands at this table from now on, and nobody else does; None: nowhere."""
    return NewEntry("unit-placed", {"unit": unit, "table": table})


def refuse_key(units: Mapping[str, UnitKeyRecord], new: NewEntry) -> None:
    """Raise where a unit has not the key any more that another is to take the place of: Problem "unit_known" or
    "unknown_unit"; "too_many_units"."""
    if new.kind != UNIT_KEYED:
        return
    unit, instead_of = new.data["unit"], new.data["instead_of"]
    before = units.get(unit, NO_KEY).digest
    if instead_of != before:
        raise Problem("unknown_unit", unit=unit[:40]) if instead_of else Invalid("unit_known", unit=unit)
    if not before and sum(bool(known.digest) for known in units.values()) >= UNITS_MAX:
        raise Problem("too_many_units", maximum=UNITS_MAX)


def with_key(units: Mapping[str, UnitKeyRecord], said: Entry) -> Mapping[str, UnitKeyRecord]:
    """The units after one of OF_KEYS."""
    return {**units,
            said.data["unit"]: UnitKeyRecord(said.data["role"], said.data["key"]) if said.kind == UNIT_KEYED
            else NO_KEY}


def with_unit_id(ids: Mapping[str, str], data: Mapping[str, Any]) -> Mapping[str, str]:
    """Name by mark: a mark has one name, and a name one mark."""
    if "unit_id" not in data:
        return ids
    others = {unit_id: unit for unit_id, unit in ids.items() if data["unit"] != unit and data["unit_id"] != unit_id}
    return {**others, data["unit_id"]: data["unit"]}


@dataclass(frozen=True, slots=True)
class StaffMember:
    """`role`: "" for who is forgotten. `pin`: shows whether a hash is that of the PIN; "" for who was revoked.
    `officials`: event → the official of it that this person is."""

    role: str = ""
    pin: str = ""
    officials: Mapping[str, str] = field(default_factory=dict)


StaffRoll = Mapping[str, StaffMember]
"""By id, in the order in which they were added."""


def pin_digest(hashed: str | None) -> str:
    """Of a hash, which is salted; "" of none."""
    return hashlib.sha256(f"roundtap/staff-pin/1\n{hashed}".encode()).hexdigest()[:DIGEST_LETTERS] if hashed else ""


def with_staff(roll: StaffRoll, said: Entry | NewEntry) -> StaffRoll:
    """The staff after one of OF_STAFF; the very same where it was so before."""
    data, person = said.data, said.data["person"]
    if said.kind == STAFF_SET:
        said_of = {key: data[key] for key in ("role", "pin") if key in data}
        after = {**roll, person: replace(roll.get(person, StaffMember()), **said_of)}
    else:
        after = {each: replace(member, officials=_tied(member.officials, data, each == person))
                 for each, member in roll.items()}
    return roll if after == roll else after


def _tied(officials: Mapping[str, str], data: Mapping[str, Any], chosen: bool) -> Mapping[str, str]:
    """One official is one person, and one person one official of an event."""
    event, official = data["event"], data["official"]
    others = {each: who for each, who in officials.items() if each != event or (who != official and not chosen)}
    return {**others, event: official} if chosen else others


@dataclass(frozen=True, slots=True)
class PersonalLink:
    """What is kept of one person's link. `generation` goes up with each revocation; `holder`: a mark of the browser
    that got it by a slip, DESK, TAKEN_BACK, or "": nobody has it yet; `era`: of links that hubs before this one kept in
    a file, what that file began with; it is signed with them."""

    generation: int = 0
    holder: str = ""
    era: str = ""


Links = Mapping[str, Mapping[str, PersonalLink]]
"""By event and competitor, the oldest event first."""
NO_LINK = PersonalLink()


def link_of(links: Links, person: PlayerId) -> PersonalLink:
    """What is kept of this person's."""
    event, competitor = person
    return links.get(event, {}).get(competitor, NO_LINK)


def link_held_entry(person: PlayerId, link: PersonalLink) -> NewEntry:
    """So it is with the person's link from now on."""
    event, competitor = person
    return NewEntry(LINK_HELD, {"event": event, "competitor": competitor, **asdict(link)})


def with_link(links: Links, said: Entry | NewEntry) -> Links:
    """The links after a HELD; the very same where it does not count."""
    data = said.data
    event, competitor = person = data["event"], data["competitor"]
    link = PersonalLink(data["generation"], data["holder"], data["era"])
    if not _supersedes(link_of(links, person), link):
        return links
    after = {**links, event: {**links.get(event, {}), competitor: link}}
    return _evict_oldest(after, event, sum(map(len, after.values())) - LINKS_MAX)


def _evict_oldest(links: Links, newest: str, many: int) -> Links:
    """Without so many of the oldest event but this. Who had a link years ago matters to no slip any more; what was
    revoked stays so."""
    for event, people in links.items() if many > 0 else ():
        gone = [each for each, link in people.items() if not link.generation and event != newest][:many]
        if gone:
            return {**links, event: {each: link for each, link in people.items() if each not in gone}}
    return links


def _supersedes(before: PersonalLink, link: PersonalLink) -> bool:
    """A generation that is over does not come back, whoever says so; the one that is on has whoever is there first, and
    what was taken back the desk alone gives."""
    if link.generation != before.generation:
        return link.generation > before.generation
    return not before.holder or (before.holder, link.holder) == (TAKEN_BACK, DESK)
