"""The venue's stream: epochs, tables, rights, walls, own games, the book, and the state of a restored journal.

Rights are units' keys, the staff's PINs, players' links. Entries hold digests of keys and PINs, enough to tell which is
valid; the key itself, a name and the hash of a PIN are rows beside the stream, as entries outlive the right to know a
name. No link works without the hub's secret.
"""

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from msgspec import structs

from roundtap_core.clock import Instant
from roundtap_core.errors import Invalid, Problem
from roundtap_core.event.entries import GENESIS, Entry, NewEntry
from roundtap_core.event.states import ReportFate
from roundtap_core.wire import canonical_json
from roundtap_hub.store.book import (
    BOOK_KINDS,
    LEAGUE_KINDS,
    PERSON_FORGOTTEN,
    Book,
    Leagues,
    Seat,
    apply_book,
    decide_book,
    with_league,
)
from roundtap_hub.store.display_plan import ANNOUNCEMENT_REVOKED, DISPLAY_KINDS, DisplayPlan, apply_display_entry

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

PlayerId = Seat


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


EVENT_BEGUN, EVENT_ARCHIVED = "event-begun", "event-archived"
EVENT_UNARCHIVED, EVENT_DELETED = "event-restored", "event-deleted"
"""Entries of the venue's stream about events; they belong to no tournament's record."""
ERASING_KINDS = (EVENT_DELETED, PERSON_FORGOTTEN)

UNIT_HEARD, REPORT_PENDING, UNIT_WAIVED = "unit-heard", "report-pending", "restored-without"
REDRAW_APPROVED, COPY_KEPT, RESTORE_SETTLED = "restored-anew", "restored-kept", "restored-settled"
REPORT_REFUSED = "report-refused"

PENDING_FATE = "pending"
NEVER = Instant("", 0)
RESTORE_KINDS = frozenset({UNIT_HEARD, REPORT_PENDING, UNIT_WAIVED, REDRAW_APPROVED, COPY_KEPT, RESTORE_SETTLED})
"""Entries that only a restored journal takes."""
EPOCH_BEGUN, UNIT_PLACED = "epoch-begun", "unit-placed"
GAME_SAVED, GAME_REMOVED = "game-saved", "game-removed"
"""Entries about the store's own games. An event has its rules in its own stream: they change nothing there."""
VENUE_KINDS = (
    {EPOCH_BEGUN, UNIT_PLACED, LINK_HELD, REPORT_REFUSED, GAME_SAVED, GAME_REMOVED}
    | {EVENT_BEGUN, EVENT_ARCHIVED, EVENT_UNARCHIVED, EVENT_DELETED}
    | UNIT_KEY_KINDS
    | STAFF_KINDS
    | RESTORE_KINDS
    | DISPLAY_KINDS
    | {*BOOK_KINDS, *LEAGUE_KINDS}
)


@dataclass(frozen=True, slots=True)
class UnitHoldings:
    """What a unit still held of the old epoch at its first hello in the new one. `holds`: its match as of the last
    view, or None; `heads`: each event's newest entry it knew, {event: (number, hash)}."""

    holds: Mapping[str, Any] | None
    heads: Mapping[str, tuple[int, str]]
    at: Instant = NEVER  # when it was heard


@dataclass(frozen=True, slots=True)
class PendingReport:
    """A full report about a match that the copy does not know, and the fate sent to its unit."""

    report: Mapping[str, Any]
    fate: ReportFate

    @property
    def unit(self) -> str:
        return str(self.report["unit"])


@dataclass(frozen=True, slots=True)
class RestoreState:
    """A journal restored from a copy, until an organizer has settled what the copy lacked."""

    copy: Mapping[str, tuple[int, str]] = field(default_factory=dict)
    """The copy's last entry in each stream: number and hash."""
    at: str | None = None  # when it was restored, by wall time; None if unknown
    clocks: Mapping[str, str] = field(default_factory=dict)
    """When the clock of an event that was running reaches zero, by wall time."""
    heard: Mapping[str, UnitHoldings] = field(default_factory=dict)
    without: frozenset[str] = frozenset()  # units that the organizer waived
    approved_redraws: frozenset[tuple[str, int, str]] = frozenset()
    """Rounds held by tables that may be drawn anew all the same: event, number, mark."""
    kept: frozenset[str] = frozenset()  # keys of the matches in which the copy's state stands
    pending: Mapping[str, PendingReport] = field(default_factory=dict)  # by report id, in order of arrival


@dataclass(frozen=True, slots=True)
class Venue:
    """The fold of the venue's stream. `epoch` identifies this journal: a unit that meets a new one sends all its
    reports again."""

    number: int = 0
    head: str = GENESIS
    epoch: str = ""
    epochs: tuple[str, ...] = ()  # all epochs; the first one names the lineage, of which several hubs may hold copies
    epoch_heads: Mapping[str, Mapping[str, Sequence[Any]]] = field(default_factory=dict)
    """Later epoch → stream → [number, hash] of the last entry when it began: what its hub took over."""
    tables: Mapping[str, int] = field(default_factory=dict)
    unit_by_table: Mapping[int, str] = field(default_factory=dict)  # `tables`, the other way round
    left: Mapping[str, Mapping[int, int]] = field(default_factory=dict)
    """Former tables: by unit and table, the entry of this stream that last took the unit away."""
    refused: Mapping[str, ReportFate] = field(default_factory=dict)  # reports for events that this hub does not know
    begun: Mapping[str, int] = field(default_factory=dict)  # by event id, its first entry: ids do not show the order
    begun_at: Mapping[str, str | None] = field(default_factory=dict)  # its wall time, where the hub knew it
    archived: frozenset[str] = frozenset()  # events that are archived
    deleted: frozenset[str] = frozenset()  # events whose people are deleted; their chains stay
    copied_at: str = ""  # of a restored journal, when its copy was made: wall time, who was forgotten since may be back
    restore_state: RestoreState | None = None  # what a restored journal still has to settle; None: nothing
    display_plan: DisplayPlan = field(default_factory=DisplayPlan)
    games: Mapping[str, str] = field(default_factory=dict)  # the store's own: by name, the rules as canonical JSON
    units: Mapping[str, UnitKeyRecord] = field(default_factory=dict)  # units that have or had a key
    staff: StaffRoll = field(default_factory=dict)
    unit_ids: Mapping[str, str] = field(default_factory=dict)  # the last name of the unit with this id
    links: Links = field(default_factory=dict)  # players' personal links, used or revoked
    book: Book = field(default_factory=Book)  # who has played here
    leagues: Leagues = field(default_factory=dict)
    shown: int = 0  # the last entry that staff pages depend on: all but those of personal links

    @property
    def told_since_restore(self) -> RestoreState:
        """`restore_state`; an empty one where there is nothing to settle."""
        return self.restore_state or RestoreState()

    def age(self, event_id: str) -> tuple[int, int, str]:
        """What orders events, the oldest first. Numbered ids of earlier hubs ("e2") are older."""
        return self.begun.get(event_id, 0), len(event_id), event_id

    def is_gone(self, who: PlayerId) -> bool:
        """Whether this player was deleted with the event, or forgotten."""
        return who[0] in self.deleted or who in self.book.forgotten

    def unit_at(self, table: int | None) -> str | None:
        return None if table is None else self.unit_by_table.get(table)

    def stood_at(self, unit: str, table: int | None, since: int | None) -> bool:
        """Whether `unit` stands at the table, or stood there at any time after entry `since` of this stream (None:
        ever). By entry numbers, not clocks: restarts, clock changes and other hubs make no difference."""
        if table is None:
            return False
        left = self.left.get(unit, {}).get(table)
        return self.tables.get(unit) == table or (left is not None and (since is None or left > since))


def begin_restore(data: Mapping[str, Any], before: RestoreState | None) -> RestoreState | None:
    """The restore state of a new epoch; None: the journal lacks nothing. Pending reports stay pending."""
    restored = data.get("restored")
    if restored is None:
        # A standby that took over lacks what its hub lacked.
        return before
    copy = {stream: (int(head[0]), str(head[1])) for stream, head in restored["from"].items()}
    return RestoreState(copy, restored.get("at"), restored.get("clocks", {}), pending=before.pending if before else {})


def apply_restore_entry(afresh: RestoreState, entry: Entry) -> RestoreState | None:
    """The state after one of its entries; None once all is settled."""
    data = entry.data
    if entry.kind == UNIT_HEARD:
        heads = {event: (int(head[0]), str(head[1])) for event, head in data["heads"].items()}
        holdings = UnitHoldings(data["holds"], heads, entry.at.instant)
        return replace(afresh, heard={**afresh.heard, data["unit"]: holdings}, without=afresh.without - {data["unit"]})
    if entry.kind == REPORT_PENDING:
        fate = ReportFate(PENDING_FATE, entry.number, entry.hash, data["body"], match=data["report"]["match"])
        return replace(afresh, pending={**afresh.pending, data["report_id"]: PendingReport(data["report"], fate)})
    if entry.kind == REPORT_REFUSED:
        return replace(afresh, pending={id: each for id, each in afresh.pending.items() if id != data["report_id"]})
    if entry.kind == UNIT_WAIVED:
        return replace(afresh, without=afresh.without | {data["unit"]})
    if entry.kind == REDRAW_APPROVED:
        return replace(
            afresh, approved_redraws=afresh.approved_redraws | {(data["event"], data["round"], data["mark"])}
        )
    if entry.kind == COPY_KEPT:
        return replace(afresh, kept=afresh.kept | {data["point"]})
    return None


def without_unit(afresh: RestoreState | None, unit: str) -> RestoreState | None:
    """The restore state without what was signed with a key that the unit no longer has."""
    return afresh and replace(
        afresh,
        heard={other: each for other, each in afresh.heard.items() if other != unit},
        pending={report_id: each for report_id, each in afresh.pending.items() if each.unit != unit},
    )


def is_valid_key(venue: Venue, unit: str, key: str) -> bool:
    """Whether a unit's key, in hex, matches the digest in the entries."""
    return bool(key) and venue.units.get(unit, NO_KEY).digest == key_digest(unit, key)


def is_valid_pin(venue: Venue, person: str, hashed: str | None) -> bool:
    """Whether the hash of a staff member's PIN matches the digest in the entries."""
    member = venue.staff.get(person)
    return member is not None and bool(member.role and hashed) and member.pin == pin_digest(hashed)


def decide_venue(venue: Venue, new: NewEntry) -> list[NewEntry]:
    """Accept a venue entry, or none if it changes nothing: a report refused twice at once, an event archived by two
    people. While a restored journal is not settled, a report without a match waits instead of being refused."""
    if new.kind in RESTORE_KINDS:
        return [] if venue.restore_state is None or _is_redundant(venue.restore_state, new) else [new]
    if new.kind == REPORT_REFUSED and "report" in new.data:
        if venue.restore_state is not None:
            return decide_venue(venue, structs.replace(new, kind=REPORT_PENDING))
        new = structs.replace(new, data={key: value for key, value in new.data.items() if key != "report"})
    if new.kind in BOOK_KINDS:
        return decide_book(venue.book, new)
    event_id = new.data.get("event")
    changes_nothing = {
        REPORT_REFUSED: lambda: new.data["report_id"] in venue.refused,
        # A later epoch carries its reason.
        "epoch-begun": lambda: bool(venue.epoch) and len(new.data) == 1,
        EVENT_BEGUN: lambda: event_id in venue.begun,
        EVENT_ARCHIVED: lambda: event_id in venue.archived,
        EVENT_UNARCHIVED: lambda: event_id not in venue.archived,
        EVENT_DELETED: lambda: event_id in venue.deleted,
        **dict.fromkeys(STAFF_KINDS, lambda: with_staff(venue.staff, new) is venue.staff),
        **dict.fromkeys(LEAGUE_KINDS, lambda: with_league(venue.leagues, new) == venue.leagues),
        LINK_HELD: lambda: with_link(venue.links, new) is venue.links,
        UNIT_REVOKED: lambda: venue.units.get(new.data["unit"]) == NO_KEY,
        GAME_SAVED: lambda: _with_game(venue.games, new) == venue.games,
        GAME_REMOVED: lambda: new.data["name"] not in venue.games,
        ANNOUNCEMENT_REVOKED: lambda: all(
            announcement.id != new.data["id"] for announcement in venue.display_plan.announcements
        ),
    }
    return [] if new.kind in changes_nothing and changes_nothing[new.kind]() else [new]


def _with_game(games: Mapping[str, str], new: NewEntry | Entry) -> Mapping[str, str]:
    """The store's own games after one was saved: a name has the rules that it was saved with last."""
    rules = new.data["rules"]
    return {**games, rules["name"]: canonical_json(rules).decode()}


def _is_redundant(afresh: RestoreState, new: NewEntry) -> bool:
    data = new.data
    if new.kind == UNIT_HEARD:
        # A unit reports its holdings of the old epoch once; afterwards it shows what the copy knows.
        return data["unit"] in afresh.heard
    if new.kind == REPORT_PENDING:
        return data["report_id"] in afresh.pending
    if new.kind == UNIT_WAIVED:
        return data["unit"] in afresh.without or data["unit"] in afresh.heard
    if new.kind == REDRAW_APPROVED:
        return (data["event"], data["round"], data["mark"]) in afresh.approved_redraws
    return new.kind == COPY_KEPT and data["point"] in afresh.kept


def apply_venue(venue: Venue, entry: Entry) -> Venue:
    """The venue after one of its entries."""
    if entry.kind not in VENUE_KINDS:
        raise Problem("unknown_entry", where=f"venue#{entry.number}", kind=entry.kind)
    if entry.kind == EPOCH_BEGUN:
        epoch, heads = entry.data["epoch"], entry.data.get("heads")
        venue = replace(
            venue,
            epoch=epoch,
            epochs=(*venue.epochs, epoch),
            epoch_heads=venue.epoch_heads if heads is None else {**venue.epoch_heads, epoch: heads},
            copied_at=(entry.data.get("restored") or {}).get("made_at") or venue.copied_at,
            restore_state=begin_restore(entry.data, venue.restore_state),
        )
    elif entry.kind == UNIT_PLACED:
        tables = {u: t for u, t in venue.tables.items() if u != entry.data["unit"] and t != entry.data["table"]}
        if entry.data["table"] is not None:
            tables[entry.data["unit"]] = entry.data["table"]
        gone = {
            unit: {**venue.left.get(unit, {}), table: entry.number}
            for unit, table in venue.tables.items()
            if tables.get(unit) != table
        }
        venue = replace(
            venue,
            tables=tables,
            unit_by_table={table: unit for unit, table in tables.items()},
            left={**venue.left, **gone},
        )
    elif entry.kind in UNIT_KEY_KINDS:
        units, unit = with_key(venue.units, entry), entry.data["unit"]
        venue = replace(
            venue,
            units=units,
            unit_ids=with_unit_id(venue.unit_ids, entry.data),
            restore_state=venue.restore_state
            if units[unit] == venue.units.get(unit)
            else without_unit(venue.restore_state, unit),
        )
    elif entry.kind in STAFF_KINDS:
        venue = replace(venue, staff=with_staff(venue.staff, entry))
    elif entry.kind == LINK_HELD:
        venue = replace(venue, links=with_link(venue.links, entry))
    elif entry.kind in LEAGUE_KINDS:
        venue = replace(venue, leagues=with_league(venue.leagues, entry))
    elif entry.kind in BOOK_KINDS:
        venue = replace(venue, book=apply_book(venue.book, entry, venue.age(entry.data.get("event", ""))))
    elif entry.kind == REPORT_REFUSED:
        fate = ReportFate(
            "refused", entry.number, entry.hash, entry.data["body"], entry.data.get("reason", "unknown-match")
        )
        venue = replace(
            venue,
            refused={**venue.refused, entry.data["report_id"]: fate},
            restore_state=apply_restore_entry(venue.restore_state, entry) if venue.restore_state else None,
        )
    elif entry.kind in RESTORE_KINDS:
        venue = replace(
            venue, restore_state=apply_restore_entry(venue.restore_state, entry) if venue.restore_state else None
        )
    elif entry.kind in DISPLAY_KINDS:
        venue = replace(venue, display_plan=apply_display_entry(venue.display_plan, entry))
    elif entry.kind == GAME_SAVED:
        venue = replace(venue, games=_with_game(venue.games, entry))
    elif entry.kind == GAME_REMOVED:
        venue = replace(venue, games={name: text for name, text in venue.games.items() if name != entry.data["name"]})
    elif entry.kind == EVENT_BEGUN:
        venue = replace(
            venue,
            begun={**venue.begun, entry.data["event"]: entry.number},
            begun_at={**venue.begun_at, entry.data["event"]: entry.at.wall},
        )
    elif entry.kind == EVENT_ARCHIVED:
        venue = replace(venue, archived=venue.archived | {entry.data["event"]})
    elif entry.kind == EVENT_UNARCHIVED:
        venue = replace(venue, archived=venue.archived - {entry.data["event"]})
    elif entry.kind == EVENT_DELETED:
        gone = entry.data["event"]
        # Who played nowhere else is in the book no more.
        kept = {seat: person for seat, person in venue.book.persons.items() if seat[0] != gone}
        venue = replace(
            venue,
            deleted=venue.deleted | {gone},
            archived=venue.archived - {gone},
            book=replace(venue.book, persons=kept),
        )
    return replace(
        venue,
        number=entry.number,
        head=entry.hash,
        shown=venue.shown if entry.kind == LINK_HELD else entry.number,
    )


def fold_venue(entries: Iterable[Entry]) -> Venue:
    venue = Venue()
    for entry in entries:
        venue = apply_venue(venue, entry)
    return venue


def is_dormant(venue: Venue, finished: bool, event_id: str) -> bool:
    """Whether an event is out of play: no table, clock or paper waits for it."""
    return finished or event_id in venue.archived or event_id in venue.deleted
