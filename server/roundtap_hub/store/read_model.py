"""Everything saved, at one moment: venue, events, people and public names; how it is read from the journal, and
verified from its first entry: chains, folds, snapshots, and people against their digests."""

from __future__ import annotations

import logging
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeVar

from sqlmodel import SQLModel

from roundtap_core.errors import Problem
from roundtap_core.event.commands import apply
from roundtap_core.event.entries import VENUE, Entry, Person
from roundtap_core.event.states import EventState, encode_state, event_names
from roundtap_hub.store.book import BookPerson, Seat, recognize
from roundtap_hub.store.journal import HUB_FOLDER, START, Head, Journal, events_deleted
from roundtap_hub.store.models import StaffRow, UnitKeyRow, forgotten_person, matches_entries, wrong_people
from roundtap_hub.store.snapshots import EventSummary, running_core, summary_of
from roundtap_hub.store.venue import NO_KEY, Venue, apply_venue, is_dormant, is_valid_key, is_valid_pin

log = logging.getLogger(__name__)

V = TypeVar("V")
NO_PEOPLE: Mapping[str, Person] = {}
SEALED, STALE, OTHER_CORE, UNSEALED = "sealed", "stale", "other-core", "none"
"""A snapshot's state: it matches its entries; it is of an earlier entry; another core made it; there is none."""


@dataclass(frozen=True, slots=True)
class LoadedEvent:
    """An event with its people and their public names."""

    state: EventState
    people: Mapping[str, Person]
    names: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Snapshot:
    """Everything saved, at one moment. Frozen: any thread may read it. Each event is loaded in `events`, or in
    `dormant`, and loaded on demand. `people` and `names` are those of `events`; `people_of` and `names_of` serve
    all."""

    venue: Venue
    events: Mapping[str, EventState]
    people: Mapping[str, Mapping[str, Person]]
    dormant: Mapping[str, EventSummary]
    load_dormant: Callable[[EventSummary], LoadedEvent]
    """Loads a dormant event; raises Problem if its entries do not hold."""
    names: Mapping[str, Mapping[str, str]] = field(default_factory=dict)  # public names by event and competitor
    keys: Mapping[str, str] = field(default_factory=dict)  # stored unit keys in hex, perhaps revoked ones
    staff: Mapping[str, StaffRow] = field(default_factory=dict)  # stored rows of the staff, by id
    people_at: Callable[[Collection[Seat]], Mapping[Seat, Person]] = field(default=lambda _: {}, compare=False)
    """Reads the rows of these seats in one query, of dormant events too."""

    @property
    def ids(self) -> list[str]:
        """Every event id ever used, the oldest first."""
        return sorted({*self.events, *self.dormant}, key=self.venue.age)

    def event(self, event_id: str) -> EventState | None:
        """The event, or None; loading a dormant one may take a moment."""
        if event_id in self.dormant:
            return self.load_dormant(self.dormant[event_id]).state
        return self.events.get(event_id)

    def people_of(self, event_id: str) -> Mapping[str, Person]:
        """The event's people by competitor; the same mapping until something in it changes."""
        if event_id in self.dormant:
            return self.load_dormant(self.dormant[event_id]).people
        return self.people.get(event_id, NO_PEOPLE)

    def names_of(self, event_id: str) -> Mapping[str, str]:
        """Public names by competitor."""
        if event_id in self.dormant:
            return self.load_dormant(self.dormant[event_id]).names
        return self.names[event_id]

    def known_people(self) -> list[BookPerson]:
        """Everybody in the book who has a row, by the newest of them; the last who played here first. Raises Problem if
        the database cannot be read."""
        book, found = self.venue.book, list[BookPerson]()
        left = dict(book.seats)
        others = self.people_at(book.spelled) if book.spelled else {}
        while left:
            # Mostly once: only who was removed from an event has no row there.
            rows = self.people_at([seats[-1] for seats in left.values()])
            for person, seats in left.items():
                if seats[-1] in rows:
                    spelled = {seat: others[seat] for seat in book.seats[person] if seat in others}
                    found.append(BookPerson(person, rows[seats[-1]], book.seats[person], seats[-1][0], spelled))
            left = {person: seats[:-1] for person, seats in left.items() if seats[-1] not in rows and len(seats) > 1}
        return sorted(found, key=lambda each: self.venue.age(each.last_event), reverse=True)

    def recognized(
        self, state: EventState, people: Mapping[str, Person], known: Iterable[BookPerson], taken: Collection[str]
    ) -> dict[str, str]:
        """`recognize` for this event: the ids of its game count."""
        return recognize(
            state.id,
            people,
            known,
            taken,
            of_game={event_id for event_id, one in self.dormant.items() if one.rulebook_id == state.rulebook_id}
            | {event_id for event_id, one in self.events.items() if one.rulebook_id == state.rulebook_id},
        )

    def unread_events(self) -> list[str]:
        """The events that are over, the oldest first, whose players are not in the book: they ended before there was
        one."""
        return [
            event_id
            for event_id in self.ids
            if event_id not in self.venue.book.read | self.venue.deleted
            and is_dormant(self.venue, (self.dormant.get(event_id) or self.events[event_id]).finished, event_id)
        ]

    def with_event(self, state: EventState) -> Snapshot:
        """The snapshot with this state of the event; a dormant one is in play again."""
        return replace(self.with_event_loaded(state.id), events={**self.events, state.id: state})

    def with_person(self, event_id: str, competitor: str, person: Person) -> Snapshot:
        """The snapshot with this state of the person."""
        whole = self.with_event_loaded(event_id)
        of_event = {**whole.people.get(event_id, {}), competitor: person}
        return replace(whole, people={**whole.people, event_id: of_event})

    def without_person(self, event_id: str, competitor: str) -> Snapshot:
        """The snapshot without this person."""
        whole = self.with_event_loaded(event_id)
        return replace(whole, people={**whole.people, event_id: _without(whole.people.get(event_id, {}), competitor)})

    def without_people(self, event_id: str) -> Snapshot:
        """The snapshot without any people of this event."""
        return replace(self, people=_without(self.people, event_id))

    def with_rows(self, rows: Sequence[SQLModel]) -> Snapshot:
        """The snapshot with these rows of keys and staff."""
        keys = {row.unit: row.key for row in rows if isinstance(row, UnitKeyRow)}
        staff = {
            row.person: self.staff.get(row.person, row).model_copy(update=row.model_dump(exclude_none=True))
            for row in rows
            if isinstance(row, StaffRow)
        }
        return replace(self, keys={**self.keys, **keys}, staff={**self.staff, **staff})

    def with_event_loaded(self, event_id: str) -> Snapshot:
        """The snapshot with a dormant event loaded."""
        if event_id not in self.dormant:
            return self
        loaded = self.load_dormant(self.dormant[event_id])
        return replace(
            self,
            events={**self.events, event_id: loaded.state},
            people={**self.people, event_id: loaded.people},
            names={**self.names, event_id: loaded.names},
            dormant=_without(self.dormant, event_id),
        )

    def with_event_dormant(self, event_id: str) -> Snapshot:
        """The snapshot with a loaded event made dormant."""
        return replace(
            self,
            events=_without(self.events, event_id),
            people=_without(self.people, event_id),
            names=_without(self.names, event_id),
            dormant={**self.dormant, event_id: summary_of(self.events[event_id])},
        )

    def with_names(self, before: Snapshot | None = None) -> Snapshot:
        """The snapshot with names recomputed where their inputs have changed since `before`."""
        names = {
            event_id: before.names[event_id]
            if before and self._names_unchanged(before, event_id)
            else event_names(state, self.people.get(event_id, {}))
            for event_id, state in self.events.items()
        }
        return replace(self, names=names)

    def _names_unchanged(self, before: Snapshot, event_id: str) -> bool:
        was, now = before.events.get(event_id), self.events[event_id]
        return (
            was is not None
            and was.entrants is now.entrants
            and was.given_options is now.given_options
            and before.people.get(event_id) is self.people.get(event_id)
        )


def _without(mapping: Mapping[str, V], key: str) -> dict[str, V]:
    return {each: value for each, value in mapping.items() if each != key}


def load_snapshot(journal: Journal, opened: Callable[[EventSummary], LoadedEvent]) -> Snapshot:
    """Load everything saved: events in play are folded, dormant ones stay unread. Raises Problem if the chain of an
    event in play does not hold or has an unknown kind of entry, and as `checked_people` for its people."""
    heads = journal.heads()
    venue = read_venue(journal, Venue())
    at_rest: dict[str, EventSummary] = {}
    events: dict[str, EventState] = {}
    for stream, summary in _summaries(journal, heads).items():
        if is_dormant(venue, summary.finished, stream):
            at_rest[stream] = summary
        else:
            events[stream] = read_event(journal, EventState(stream))
    people = {event_id: checked_people(journal, state) for event_id, state in events.items()}
    snapshot = Snapshot(venue, events, people, at_rest, opened, people_at=journal.people_at)
    return snapshot.with_names().with_rows(journal.secrets())


def checked_people(journal: Journal, state: EventState) -> dict[str, Person]:
    """An event's people by competitor. Raises Problem("people_wrong") if they are not those whom the entries mean. Not
    compared are those of a deleted event, and of one in which somebody was changed since `state`."""
    stored = journal.stored_people([state.id]).get(state.id, {})
    wrong = wrong_people(state, stored)
    if (
        wrong
        and journal.head(state.id) == (state.number, state.head)
        and state.id not in events_deleted(journal.entries(VENUE))
    ):
        raise people_problem(state, wrong)
    return {who: row.person for who, row in stored.items()}


def people_problem(state: EventState, wrong: Sequence[str]) -> Problem:
    return Problem(
        "people_wrong",
        event=state.id,
        name=state.name,
        n=len(wrong),
        who=", ".join(wrong[:10]),
        folder=str(HUB_FOLDER),
    )


def _summaries(journal: Journal, heads: Mapping[str, Head]) -> dict[str, EventSummary]:
    """Each event's summary: from its snapshot if that is of the last entry, otherwise from a few entries."""
    sealed = journal.event_snapshots.summaries()
    summaries: dict[str, EventSummary] = {}
    for stream, head in heads.items():
        summary = sealed[stream][0] if stream in sealed else None
        if summary is not None and (summary.number, summary.head) == head:
            summaries[stream] = summary
        elif stream != VENUE:
            summaries[stream] = journal.rough_summary(stream, head)
    return summaries


def reload_streams(journal: Journal, snapshot: Snapshot, streams: Iterable[str]) -> Snapshot:
    """`snapshot` with these streams as stored: another writer may have been faster, or a failed commit be stored after
    all. If the known part holds, only newer entries are read."""
    for stream in streams:
        if stream == VENUE:
            snapshot = replace(snapshot, venue=read_venue(journal, snapshot.venue)).with_rows(journal.secrets())
            continue
        snapshot = snapshot.with_event_loaded(stream)
        state = read_event(journal, snapshot.events.get(stream) or EventState(stream))
        snapshot = replace(snapshot, people={**snapshot.people, stream: journal.people([stream]).get(stream, {})})
        if state.number:
            snapshot = snapshot.with_event(state)
    return snapshot.with_names(snapshot)


def read_event(journal: Journal, last_state: EventState) -> EventState:
    """The stored event; `last_state`: as last known (number 0: none)."""
    state = (
        last_state
        if journal.holds(last_state.id, Head(last_state.number, last_state.head))
        else EventState(last_state.id)
    )
    for entry in journal.entries(last_state.id, Head(state.number, state.head) if state.number else START):
        state = apply(state, entry)
    if state.diverged != last_state.diverged:
        log.warning(
            "event %s: rounds %s were computed otherwise by the core that ran then", state.id, list(state.diverged)
        )
    return state


def read_venue(journal: Journal, last_venue: Venue) -> Venue:
    """The stored venue, starting from its last known state."""
    venue = last_venue if journal.holds(VENUE, Head(last_venue.number, last_venue.head)) else Venue()
    for entry in journal.entries(VENUE, Head(venue.number, venue.head)):
        venue = apply_venue(venue, entry)
    return venue


@dataclass(slots=True)
class StreamCheck:
    """The result for one stream. `wrong`: everything that does not hold; `seal`: one of the states above."""

    stream: str
    head: Head
    name: str = ""
    entries: int = 0
    people: int = 0
    seal: str = UNSEALED
    archived: bool = False
    deleted: bool = False
    diverged: tuple[int, ...] = ()
    """Rounds that this core computes differently from the core that ran then: harmless, but worth knowing."""
    wrong: list[Problem] = field(default_factory=list)


def verify_journal(journal: Journal, only: str | None = None) -> Iterator[StreamCheck]:
    """Verify one stream after another, the venue's first; `only`: one stream. Nothing is written. Raises Problem if the
    database cannot be read, and Problem("unknown_event") if `only` is not in it."""
    heads = journal.heads()
    if only is not None and only not in heads:
        raise Problem("unknown_event", event=only)
    venue_looked, venue = _venue(journal, heads.get(VENUE, Head(0, "")))
    if only in (None, VENUE) and VENUE in heads:
        yield venue_looked
    for stream in sorted(heads, key=lambda stream: (len(stream), stream)):
        if stream != VENUE and only in (None, stream):
            yield _event(journal, stream, heads[stream], venue)


def _venue(journal: Journal, head: Head) -> tuple[StreamCheck, Venue]:
    check, venue = StreamCheck(VENUE, head), Venue()
    try:
        for entry in journal.entries(VENUE):
            check.entries += 1
            venue = apply_venue(venue, entry)
    except Problem as problem:
        check.wrong.append(problem)
    check.wrong += _wrong_secrets(venue, journal.secret_rows())
    return check, venue


def _wrong_secrets(venue: Venue, rows: Iterable[SQLModel | Problem]) -> Iterator[Problem]:
    """Rows that are none, and those whose key or PIN is not the one that the entries mean: each costs only itself."""
    for row in rows:
        if isinstance(row, Problem):
            yield row
        elif isinstance(row, UnitKeyRow) and row.key and not is_valid_key(venue, row.unit, row.key):
            if venue.units.get(row.unit, NO_KEY).digest:
                yield Problem("row_malformed", table="unit_key", row=row.unit, column="key")
        elif isinstance(row, StaffRow) and row.hashed and not is_valid_pin(venue, row.person, row.hashed):
            member = venue.staff.get(row.person)
            if member is not None and member.pin:
                yield Problem("row_malformed", table="staff", row=row.person, column="hashed")


def _event(journal: Journal, stream: str, head: Head, venue: Venue) -> StreamCheck:
    check = StreamCheck(stream, head, archived=stream in venue.archived, deleted=stream in venue.deleted)
    state = EventState(stream)
    digests: dict[str, set[str]] = {}
    try:
        for entry in journal.entries(stream):
            check.entries += 1
            state = apply(state, entry)
            for who, digest in person_digests(entry):
                digests.setdefault(who, set()).add(digest)
    except Problem as problem:
        check.wrong.append(problem)
        return check
    finally:
        check.name = state.name
    check.diverged = state.diverged
    _check_snapshot(journal, state, check)
    if wrong := _wrong_people(journal, state, digests, check, venue):
        if journal.head(stream) != (state.number, state.head):
            # A running hub has changed somebody meanwhile.
            return _event(journal, stream, head, venue)
        check.wrong.append(people_problem(state, wrong))
    return check


def person_digests(entry: Entry) -> Iterator[tuple[str, str]]:
    """(person, digest) pairs in an entry, also of former officials."""
    data = entry.data
    pairs = [(data.get("competitor"), data.get("digest"))]
    officials = data.get("officials")
    if isinstance(officials, list):
        pairs += [(official.get("id"), official.get("digest")) for official in officials]
    for who, digest in pairs:
        if isinstance(who, str) and isinstance(digest, str):
            yield who, digest


def _check_snapshot(journal: Journal, state: EventState, check: StreamCheck) -> None:
    if journal.event_snapshots.known().get(state.id) is None:
        return
    seal = journal.event_snapshots.find(state.id)
    if seal is None:
        check.wrong.append(Problem("seal_wrong", event=state.id))
    elif (seal.summary.number, seal.summary.head) != (state.number, state.head):
        # A running hub may not have updated it yet; an older snapshot is harmless.
        check.seal = STALE
    elif seal.made_by != running_core():
        check.seal = OTHER_CORE
    elif seal.state != encode_state(state):
        check.wrong.append(Problem("seal_wrong", event=state.id))
    else:
        check.seal = SEALED


def _wrong_people(
    journal: Journal, state: EventState, digests: Mapping[str, set[str]], check: StreamCheck, venue: Venue
) -> list[str]:
    stored = journal.stored_people([state.id]).get(state.id, {})
    check.people = len(stored)
    still_there = [
        who
        for who, row in stored.items()
        if check.deleted or ((state.id, who) in venue.book.forgotten and row.person != forgotten_person(who))
    ]
    if still_there:
        check.wrong.append(Problem("people_not_forgotten", event=state.id, n=len(still_there)))
    if check.deleted:
        return []
    wrong = wrong_people(state, stored)
    return wrong + [
        who for who, row in stored.items() if who not in wrong and not matches_entries(who, row, digests.get(who, ()))
    ]
