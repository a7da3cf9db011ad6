"""Reads people and compares them with the entries' digests; control characters are removed."""

import json
from collections.abc import Collection, Mapping
from typing import Any, NamedTuple

import msgspec
from sqlalchemy import ColumnElement, Connection, LargeBinary, cast, select

from roundtap_core.errors import Problem
from roundtap_core.event.person import Person
from roundtap_core.event.states import EventState
from roundtap_core.names import DAMAGED, FORGOTTEN
from roundtap_core.typed import fits_line, sanitize_text
from roundtap_hub.store.models import PERSON

_KNOWN = frozenset(Person.__struct_fields__)


class StoredPerson(NamedTuple):
    """A row's person, a placeholder if the row is damaged; `digest`: of what is stored, "" if damaged."""

    person: Person
    digest: str


def read_people(connection: Connection, which: ColumnElement[bool] | None) -> dict[str, dict[str, StoredPerson]]:
    """Persons by event and competitor: those of `which` this is true, or all."""
    # SQLite stores any value. Read as bytes, every value comes through; invalid text would end the reading.
    as_stored = connection.dialect.name == "sqlite"
    columns = (
        cast(column, LargeBinary) if as_stored else column
        for column in (PERSON.c.competitor, PERSON.c.salt, PERSON.c.data)
    )
    query = select(PERSON.c.event, *columns)
    if which is not None:
        query = query.where(which)
    people: dict[str, dict[str, StoredPerson]] = {}
    for event_id, raw_id, salt, raw in connection.execute(query):
        who = _text(raw_id)
        people.setdefault(event_id, {})[who] = stored_person(who, _text(salt), raw)
    return people


def stored_person(competitor: str, salt: str, raw: Any) -> StoredPerson:
    """The person in a row's JSON."""
    try:
        person = _checked(json.loads(raw))
        return StoredPerson(_sanitized(competitor, person), person.digest(salt))
    except (ValueError, TypeError, RecursionError):
        return StoredPerson(placeholder(competitor), "")


def wrong_people(state: EventState, stored: Mapping[str, StoredPerson]) -> list[str]:
    """Ids of the event's people whose rows are missing, damaged, or not those that the entries mean."""
    meant = {
        **{official.id: official.digest for official in state.officials.values()},
        **{entrant.id: entrant.digest for entrant in state.entrants.values()},
    }
    return [
        who
        for who, digest in meant.items()
        if digest and not (who in stored and matches_entries(who, stored[who], {digest}))
    ]


def matches_entries(competitor: str, stored: StoredPerson, digests: Collection[str]) -> bool:
    """Whether a row is one of those that entries mean, or stands for one that was lost for good or forgotten."""
    return bool(stored.digest) and (
        stored.digest in digests
        or is_damaged(competitor, stored.person)
        or stored.person == forgotten_person(competitor)
    )


def placeholder(competitor: str) -> Person:
    """Stands for a person whose row cannot be read, and is stored for one whose row is lost for good."""
    name = DAMAGED.format(competitor)
    return Person(name, public_name=name)


def forgotten_person(competitor: str) -> Person:
    """Stored instead of a person who was forgotten: "Player 3 (forgotten)" for p3."""
    name = FORGOTTEN.format(competitor.removeprefix("p"))
    return Person(name, public_name=name)


def is_damaged(competitor: str, person: Person | None) -> bool:
    """Whether this is the placeholder of a damaged row."""
    return person is not None and person.name == placeholder(competitor).name


def _checked(data: Any) -> Person:
    """Parse a person. Raises TypeError or ValueError."""
    if not isinstance(data, dict) or not data.keys() <= _KNOWN:
        raise TypeError("no person")
    return msgspec.convert(data, Person)


def _sanitized(competitor: str, person: Person) -> Person:
    """The person fit to be shown: names from before today's limits are cleaned."""
    values = msgspec.structs.asdict(person)
    for name, value in values.items():
        if name == "note" and isinstance(value, str):
            values[name] = sanitize_text(value)
        elif isinstance(value, str) and not fits_line(value):
            values[name] = _line(competitor, value)
        elif isinstance(value, tuple) and not all(map(fits_line, value)):
            values[name] = tuple(_line(competitor, line) for line in value)
    return Person(**values)


def _line(competitor: str, text: str) -> str:
    line = " ".join(sanitize_text(text).split())
    return line if fits_line(line) else competitor


def _text(raw: object) -> str:
    text = raw.decode(errors="replace") if isinstance(raw, bytes) else str(raw)
    return sanitize_text(text)


def refuse_damaged(competitor: str, person: Person) -> None:
    """Raise Problem("person_damaged") if a placeholder would be saved as a name."""
    if is_damaged(competitor, person):
        raise Problem("person_damaged", competitor=competitor)
