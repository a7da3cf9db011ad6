"""Reads people: a damaged row costs one name, never the hub; control characters are removed."""

from __future__ import annotations

import json
import logging
from collections.abc import Collection
from typing import Any

import msgspec
from sqlalchemy import Connection, LargeBinary, cast, select

from roundtap_core.errors import Problem
from roundtap_core.event.person import Person
from roundtap_core.limits import fits_line, sanitize
from roundtap_hub.models import PERSON

log = logging.getLogger(__name__)

NAMED = 5
"""How many damaged people one log line names."""

_KNOWN = frozenset(Person.__struct_fields__)


def read_people(connection: Connection, events: Collection[str] | None) -> dict[str, dict[str, Person]]:
    """Persons by event and competitor: of these events, or of all. One log line for each event with damaged rows."""
    as_they_lie = connection.dialect.name == "sqlite"
    # SQLite stores any value. Read as bytes, every value comes through; invalid text would end the reading.
    competitor, data = (
        (cast(column, LargeBinary) if as_they_lie else column) for column in (PERSON.c.competitor, PERSON.c.data))
    query = select(PERSON.c.event, competitor, data)
    if events is not None:
        query = query.where(PERSON.c.event.in_(events))
    found: dict[str, dict[str, Person]] = {}
    damaged: dict[str, list[str]] = {}
    for event_id, raw_id, raw in connection.execute(query):
        who = _text(raw_id)
        person = person_of(who, raw)
        found.setdefault(event_id, {})[who] = person
        if is_damaged(who, person):
            damaged.setdefault(event_id, []).append(who)
    for event_id, ids in damaged.items():
        log.error("event %s: what is known of %s%s is damaged in the journal (table person); each is shown as %r until "
                  "the name is entered anew on the console", event_id, ", ".join(map(repr, ids[:NAMED])),
                  f" and {len(ids) - NAMED} more" if len(ids) > NAMED else "", damaged_name("…"))
    return found


def person_of(competitor: str, raw: object) -> Person:
    """The person in a row's `data`; a placeholder if it is damaged."""
    try:
        return _sanitized(competitor, _checked(json.loads(raw if isinstance(raw, str) else _bytes(raw).decode())))
    except (ValueError, TypeError, RecursionError):
        name = damaged_name(competitor)
        return Person(name, public_name=name)


def damaged_name(competitor: str) -> str:
    """The placeholder for a person whose row cannot be read."""
    return f"{competitor} (data damaged)"


def is_damaged(competitor: str, person: Person | None) -> bool:
    """Whether this is the placeholder of a damaged row."""
    return person is not None and person.name == damaged_name(competitor)


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
            values[name] = sanitize(value)
        elif isinstance(value, str) and not fits_line(value):
            values[name] = _line(competitor, value)
        elif isinstance(value, tuple) and not all(map(fits_line, value)):
            values[name] = tuple(_line(competitor, line) for line in value)
    return Person(**values)


def _line(competitor: str, text: str) -> str:
    line = " ".join(sanitize(text).split())
    return line if fits_line(line) else competitor


def _bytes(raw: object) -> bytes:
    if not isinstance(raw, bytes):
        raise TypeError("neither text nor bytes")
    return raw


def _text(raw: object) -> str:
    text = raw.decode(errors="replace") if isinstance(raw, bytes) else str(raw)
    return sanitize(text)


def refuse_damaged(competitor: str, person: Person) -> None:
    """Raise Problem("person_damaged") if a placeholder would be saved as a name."""
    if is_damaged(competitor, person):
        raise Problem("person_damaged", competitor=competitor)
