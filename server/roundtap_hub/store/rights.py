"""Access rights in the venue's stream: units' keys, the staff's PINs, players' links.

Entries hold digests of keys and PINs, enough to tell which is valid; the key itself, a name and the hash of a PIN are
rows beside the stream, as entries outlive the right to know a name. No link works without the hub's secret.
"""

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
"""Holders of a link: given by the desk; revoked, and given only by the desk. No slip gives it in either case."""
LINKS_MAX = 3000  # how many links are remembered

PlayerId = tuple[str, str]  # (event, competitor)


@dataclass(frozen=True, slots=True)
class UnitKeyRecord:
    """The role and the digest of a unit's key; "" for a revoked unit."""

    role: str = ""
    digest: str = ""


NO_KEY = UnitKeyRecord()


def key_digest(unit: str, key: str) -> str:
    """The digest of a key in hex; two units with the same key have different ones."""
    return hashlib.sha256(f"roundtap/unit-key/1\n{unit}\n{key}".encode()).hexdigest()[:DIGEST_LETTERS]


def unit_keyed_entry(unit: str, role: str, key: str, before: UnitKeyRecord = NO_KEY, unit_id: str = "") -> NewEntry:
    """The entry for a unit's new key, in hex, which replaces `before`. `unit_id`: the device's own id, by which it
    keeps its name when it is enrolled again."""
    data = {"unit": unit, "role": role, "key": key_digest(unit, key), "instead_of": before.digest}
    return NewEntry(UNIT_KEYED, {**data, "unit_id": unit_id} if unit_id else data)


def unit_placed_entry(unit: str, table: int | None) -> NewEntry:
    """The entry that places a unit, and no other, at this table; None: nowhere."""
    return NewEntry("unit-placed", {"unit": unit, "table": table})


def refuse_stale_key(units: Mapping[str, UnitKeyRecord], staff: "StaffRoll", new: NewEntry) -> None:
    """Raise where the key or PIN that `new` replaces is not the current one: Problem "unit_known", "unknown_unit",
    "unknown_person"; "too_many_units"."""
    if new.kind == STAFF_SET and "instead_of" in new.data and new.data["instead_of"] != staff[new.data["person"]].pin:
        raise Problem("unknown_person")
    if new.kind != UNIT_KEYED:
        return
    unit, instead_of = new.data["unit"], new.data["instead_of"]
    before = units.get(unit, NO_KEY).digest
    if instead_of != before:
        raise Problem("unknown_unit", unit=unit[:40]) if instead_of else Invalid("unit_known", unit=unit)
    if not before and sum(bool(record.digest) for record in units.values()) >= UNITS_MAX:
        raise Problem("too_many_units", maximum=UNITS_MAX)


def with_key(units: Mapping[str, UnitKeyRecord], entry: Entry) -> Mapping[str, UnitKeyRecord]:
    """The units after one of UNIT_KEY_KINDS."""
    return {
        **units,
        entry.data["unit"]: UnitKeyRecord(entry.data["role"], entry.data["key"])
        if entry.kind == UNIT_KEYED
        else NO_KEY,
    }


def with_unit_id(ids: Mapping[str, str], data: Mapping[str, Any]) -> Mapping[str, str]:
    """Unit names by device id, one to one."""
    if "unit_id" not in data:
        return ids
    others = {unit_id: unit for unit_id, unit in ids.items() if data["unit"] != unit and data["unit_id"] != unit_id}
    return {**others, data["unit_id"]: data["unit"]}


@dataclass(frozen=True, slots=True)
class StaffMember:
    """One of the staff. `role`: "" for a forgotten one. `pin`: digest of the PIN's hash; "" for a revoked one.
    `officials`: event → its official that this person is."""

    role: str = ""
    pin: str = ""
    officials: Mapping[str, str] = field(default_factory=dict)


StaffRoll = Mapping[str, StaffMember]  # by id, in the order in which they were added


def pin_digest(hashed: str | None) -> str:
    """The digest of a PIN's salted hash; "" for none."""
    return hashlib.sha256(f"roundtap/staff-pin/1\n{hashed}".encode()).hexdigest()[:DIGEST_LETTERS] if hashed else ""


def with_staff(roll: StaffRoll, entry: Entry | NewEntry) -> StaffRoll:
    """The staff after one of STAFF_KINDS; the same object where nothing changes."""
    data, person = entry.data, entry.data["person"]
    if entry.kind == STAFF_SET:
        changed = {key: data[key] for key in ("role", "pin") if key in data}
        after = {**roll, person: replace(roll.get(person, StaffMember()), **changed)}
    else:
        after = {
            each: replace(member, officials=_tied(member.officials, data, each == person))
            for each, member in roll.items()
        }
    return roll if after == roll else after


def _tied(officials: Mapping[str, str], data: Mapping[str, Any], chosen: bool) -> Mapping[str, str]:
    """A person's ties after a STAFF_TIED: in an event, officials and persons are tied one to one."""
    event, official = data["event"], data["official"]
    others = {each: who for each, who in officials.items() if each != event or (who != official and not chosen)}
    return {**others, event: official} if chosen else others


@dataclass(frozen=True, slots=True)
class PersonalLink:
    """One person's link. `generation` rises with each revocation; `holder`: digest of the browser that claimed it by a
    slip, DESK, TAKEN_BACK, or "" for none yet; `era`: what is signed with it, in entries of links that an earlier
    hub had kept in a file."""

    generation: int = 0
    holder: str = ""
    era: str = ""


Links = Mapping[str, Mapping[str, PersonalLink]]  # by event and competitor, the oldest event first
NO_LINK = PersonalLink()


def link_of(links: Links, person: PlayerId) -> PersonalLink:
    """This person's link."""
    event, competitor = person
    return links.get(event, {}).get(competitor, NO_LINK)


def link_held_entry(person: PlayerId, link: PersonalLink) -> NewEntry:
    """The entry for the person's link."""
    event, competitor = person
    return NewEntry(LINK_HELD, {"event": event, "competitor": competitor, **asdict(link)})


def with_link(links: Links, entry: Entry | NewEntry) -> Links:
    """The links after a LINK_HELD; the same object where it does not count."""
    data = entry.data
    event, competitor = person = data["event"], data["competitor"]
    link = PersonalLink(data["generation"], data["holder"], data["era"])
    if not _supersedes(link_of(links, person), link):
        return links
    after = {**links, event: {**links.get(event, {}), competitor: link}}
    return _evict_oldest(after, event, sum(map(len, after.values())) - LINKS_MAX)


def _evict_oldest(links: Links, newest: str, many: int) -> Links:
    """Forget `many` links of the oldest event other than `newest`; revoked ones stay revoked."""
    for event, people in links.items() if many > 0 else ():
        gone = [each for each, link in people.items() if not link.generation and event != newest][:many]
        if gone:
            return {**links, event: {each: link for each, link in people.items() if each not in gone}}
    return links


def _supersedes(before: PersonalLink, link: PersonalLink) -> bool:
    """A past generation never returns; the current one belongs to its first holder, and after a revocation only the
    desk gives it."""
    if link.generation != before.generation:
        return link.generation > before.generation
    return not before.holder or (before.holder, link.holder) == (TAKEN_BACK, DESK)
