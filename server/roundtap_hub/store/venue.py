"""The venue stream: the hub's epoch, which unit stands at which table, and what stands on the walls."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from msgspec import structs

from roundtap_core.errors import Problem
from roundtap_core.event.entries import GENESIS, Entry, NewEntry
from roundtap_core.event.state import Fate
from roundtap_hub.access.rights import (
    LINK_HELD,
    NO_KEY,
    STAFF_KINDS,
    UNIT_KEY_KINDS,
    UNIT_REVOKED,
    Links,
    StaffRoll,
    UnitKeyRecord,
    key_digest,
    pin_digest,
    with_key,
    with_link,
    with_staff,
    with_unit_id,
)
from roundtap_hub.store.display_plan import ANNOUNCEMENT_REVOKED, DISPLAY_KINDS, DisplayPlan, apply_display_entry
from roundtap_hub.store.restore_state import (
    COPY_KEPT,
    REDRAW_APPROVED,
    REPORT_PENDING,
    REPORT_REFUSED,
    RESTORE_KINDS,
    UNIT_HEARD,
    UNIT_WAIVED,
    RestoreState,
    apply_restore_entry,
    begin_restore,
)

EVENT_BEGUN, EVENT_ARCHIVED = "event-begun", "event-archived"
EVENT_UNARCHIVED, EVENT_DELETED = "event-restored", "event-deleted"
"""Entries of the venue's stream about events: these are no facts of a tournament."""


@dataclass(frozen=True, slots=True)
class Venue:
    """`epoch` names this journal's lineage: a unit that meets a new one offers all its reports again."""

    number: int = 0
    head: str = GENESIS
    epoch: str = ""
    epochs: tuple[str, ...] = ()
    """All that there were; the first one names the lineage, of which several hubs may hold copies."""
    begun_at: Mapping[str, Mapping[str, Sequence[Any]]] = field(default_factory=dict)
    """Later epoch → stream → [number, hash] of the last entry there was when it began: what its hub took over."""
    tables: Mapping[str, int] = field(default_factory=dict)
    left: Mapping[str, Mapping[int, int]] = field(default_factory=dict)
    """Where units stood before: for each unit and table the entry of this stream that last took it away from there."""
    refused: Mapping[str, Fate] = field(default_factory=dict)
    """Reports for events that this hub does not know."""
    begun: Mapping[str, int] = field(default_factory=dict)
    """By event id, the entry with which it began: ids say nothing of the order."""
    archived: frozenset[str] = frozenset()
    """Events that are no longer listed among the others."""
    deleted: frozenset[str] = frozenset()
    """Events whose people are forgotten; their chains stay."""
    afresh: RestoreState | None = None
    """What a journal that was restored from a copy still has to settle; None: nothing."""
    walls: DisplayPlan = field(default_factory=DisplayPlan)
    units: Mapping[str, UnitKeyRecord] = field(default_factory=dict)
    """Units that have a key, or had one."""
    staff: StaffRoll = field(default_factory=dict)
    unit_ids: Mapping[str, str] = field(default_factory=dict)
    """What the unit with this mark was called last."""
    links: Links = field(default_factory=dict)
    """Players' personal links that somebody has, or had."""
    shown: int = 0
    """The last entry of which pages of the staff may show anything: each phone that takes its link changes none."""

    def unit_at(self, table: int) -> str | None:
        return next((unit for unit, at in self.tables.items() if at == table), None)

    def stood_at(self, unit: str, table: int | None, since: int | None) -> bool:
        """Whether `unit` stands at the table, or stood there at any time after entry `since` of this stream (None:
        ever). Order is entries' numbers: no clock is asked, so boots, steps of time and other hubs are all one."""
        if table is None:
            return False
        left = self.left.get(unit, {}).get(table)
        return self.tables.get(unit) == table or (left is not None and (since is None or left > since))


def is_valid_key(venue: Venue, unit: str, key: str) -> bool:
    """Whether a unit's key, in hex, is the one of which the entries have the digest."""
    return bool(key) and venue.units.get(unit, NO_KEY).digest == key_digest(unit, key)


def is_valid_pin(venue: Venue, person: str, hashed: str | None) -> bool:
    """Whether the hash of somebody's PIN is the one of which the entries have the digest."""
    member = venue.staff.get(person)
    return member is not None and bool(member.role and hashed) and member.pin == pin_digest(hashed)


def decide_venue(venue: Venue, new: NewEntry) -> list[NewEntry]:
    """Venue entries are taken as they come; but what is so already makes none, as in events: a report
    refused twice at once, an event put away by two people, an epoch that two hubs begin together.

    While a restored journal is not settled, a report that has no place in it waits instead of being refused.
    """
    if new.kind in RESTORE_KINDS:
        return [] if venue.afresh is None or _is_redundant(venue.afresh, new) else [new]
    if new.kind == REPORT_REFUSED and "report" in new.data:
        if venue.afresh is not None:
            return decide_venue(venue, structs.replace(new, kind=REPORT_PENDING))
        new = structs.replace(new, data={key: value for key, value in new.data.items() if key != "report"})
    event_id = new.data.get("event")
    known = {
        REPORT_REFUSED: lambda: new.data["report_id"] in venue.refused,
        # An epoch that follows another one says why it does.
        "epoch-begun": lambda: bool(venue.epoch) and len(new.data) == 1,
        EVENT_BEGUN: lambda: event_id in venue.begun,
        EVENT_ARCHIVED: lambda: event_id in venue.archived, EVENT_UNARCHIVED: lambda: event_id not in venue.archived,
        EVENT_DELETED: lambda: event_id in venue.deleted,
        **dict.fromkeys(STAFF_KINDS, lambda: with_staff(venue.staff, new) is venue.staff),
        LINK_HELD: lambda: with_link(venue.links, new) is venue.links,
        UNIT_REVOKED: lambda: venue.units.get(new.data["unit"]) == NO_KEY,
        ANNOUNCEMENT_REVOKED: lambda: all(said.id != new.data["id"] for said in venue.walls.said),
    }
    return [] if new.kind in known and known[new.kind]() else [new]


def _is_redundant(afresh: RestoreState, new: NewEntry) -> bool:
    data = new.data
    if new.kind == UNIT_HEARD:
        # What it held of the old epoch it says once; since then it has been shown what the copy knows.
        return data["unit"] in afresh.heard
    if new.kind == REPORT_PENDING:
        return data["report_id"] in afresh.pending
    if new.kind == UNIT_WAIVED:
        return data["unit"] in afresh.without or data["unit"] in afresh.heard
    if new.kind == REDRAW_APPROVED:
        return (data["event"], data["round"], data["mark"]) in afresh.anew
    return new.kind == COPY_KEPT and data["point"] in afresh.kept


def apply_venue(venue: Venue, entry: Entry) -> Venue:
    """The venue after one of its entries."""
    if entry.kind == "epoch-begun":
        epoch, heads = entry.data["epoch"], entry.data.get("heads")
        venue = replace(venue, epoch=epoch, epochs=(*venue.epochs, epoch),
                        begun_at=venue.begun_at if heads is None else {**venue.begun_at, epoch: heads},
                        afresh=begin_restore(entry.data, venue.afresh))
    elif entry.kind == "unit-placed":
        tables = {u: t for u, t in venue.tables.items() if u != entry.data["unit"] and t != entry.data["table"]}
        if entry.data["table"] is not None:
            tables[entry.data["unit"]] = entry.data["table"]
        gone = {unit: {**venue.left.get(unit, {}), table: entry.number} for unit, table in venue.tables.items()
                if tables.get(unit) != table}
        venue = replace(venue, tables=tables, left={**venue.left, **gone})
    elif entry.kind in UNIT_KEY_KINDS:
        venue = replace(venue, units=with_key(venue.units, entry), unit_ids=with_unit_id(venue.unit_ids, entry.data))
    elif entry.kind in STAFF_KINDS:
        venue = replace(venue, staff=with_staff(venue.staff, entry))
    elif entry.kind == LINK_HELD:
        venue = replace(venue, links=with_link(venue.links, entry))
    elif entry.kind == REPORT_REFUSED:
        fate = Fate("refused", entry.number, entry.hash, entry.data["body"],
                    entry.data.get("reason", "unknown-match"))
        venue = replace(venue, refused={**venue.refused, entry.data["report_id"]: fate},
                        afresh=apply_restore_entry(venue.afresh, entry) if venue.afresh else None)
    elif entry.kind in RESTORE_KINDS:
        venue = replace(venue, afresh=apply_restore_entry(venue.afresh, entry) if venue.afresh else None)
    elif entry.kind in DISPLAY_KINDS:
        venue = replace(venue, walls=apply_display_entry(venue.walls, entry))
    elif entry.kind == EVENT_BEGUN:
        venue = replace(venue, begun={**venue.begun, entry.data["event"]: entry.number})
    elif entry.kind == EVENT_ARCHIVED:
        venue = replace(venue, archived=venue.archived | {entry.data["event"]})
    elif entry.kind == EVENT_UNARCHIVED:
        venue = replace(venue, archived=venue.archived - {entry.data["event"]})
    elif entry.kind == EVENT_DELETED:
        venue = replace(venue, deleted=venue.deleted | {entry.data["event"]},
                        archived=venue.archived - {entry.data["event"]})
    else:
        raise Problem("unknown_entry", where=f"venue#{entry.number}", kind=entry.kind)
    return replace(venue, number=entry.number, head=entry.hash,
                   shown=venue.shown if entry.kind == LINK_HELD else entry.number)


def fold_venue(entries: Iterable[Entry]) -> Venue:
    venue = Venue()
    for entry in entries:
        venue = apply_venue(venue, entry)
    return venue


def is_dormant(venue: Venue, finished: bool, event_id: str) -> bool:
    """Whether an event is out of play: nobody's table, clock or paper waits for it."""
    return finished or event_id in venue.archived or event_id in venue.deleted
