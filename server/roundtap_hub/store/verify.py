"""Verifies a journal from its first entry: chains, folds, snapshots, and people against their digests."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from sqlmodel import SQLModel

from roundtap_core.errors import Problem
from roundtap_core.event.decide import apply
from roundtap_core.event.entries import VENUE, Entry
from roundtap_core.event.state_bytes import encode_state
from roundtap_core.event.states import EventState
from roundtap_hub.store.journal import Head, Journal
from roundtap_hub.store.models import StaffRow, UnitKeyRow, forgotten_person, matches_entries, wrong_people
from roundtap_hub.store.read_model import people_problem
from roundtap_hub.store.snapshots import running_core
from roundtap_hub.store.venue import NO_KEY, Venue, apply_venue, is_valid_key, is_valid_pin

SEALED, STALE, OTHER_CORE, UNSEALED = "sealed", "stale", "other-core", "none"
"""A snapshot's state: it matches its entries; it is of an earlier entry; another core made it; there is none."""


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
    stored = journal.event_snapshots.known().get(state.id)
    if stored is None:
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
