"""People as the hub reads them: a row that is damaged costs one name, never the hub; what moves others is taken out."""

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
"""So many of the damaged are named in one line."""

_KNOWN = frozenset(Person.__struct_fields__)


def read_people(connection: Connection, events: Collection[str] | None) -> dict[str, dict[str, Person]]:
    """Persons by event and competitor: of these events, or of all. One line in the log for each event in which some
    cannot be read."""
    as_they_lie = connection.dialect.name == "sqlite"
    # SQLite keeps whatever it is given. As bytes it hands all of it out; text that is none would end the reading.
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
    """The person in a row's `data`; where there is none in it, one whose name says so."""
    try:
        return _sanitized(competitor, _checked(json.loads(raw if isinstance(raw, str) else _bytes(raw).decode())))
    except (ValueError, TypeError, RecursionError):
        name = damaged_name(competitor)
        return Person(name, public_name=name)


def damaged_name(competitor: str) -> str:
    """What stands for somebody whose row cannot be read."""
    return f"{competitor} (data damaged)"


def is_damaged(competitor: str, person: Person | None) -> bool:
    """Whether this stands for a row that could not be read."""
    return person is not None and person.name == damaged_name(competitor)


def _checked(data: Any) -> Person:
    """Raises TypeError or ValueError for what is no person's."""
    if not isinstance(data, dict) or not data.keys() <= _KNOWN:
        raise TypeError("no person")
    return msgspec.convert(data, Person)


def _sanitized(competitor: str, person: Person) -> Person:
    """As it may stand on a wall: names that came in before the limits stood disturb nothing."""
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
    """Raise Problem("person_damaged") where a placeholder would be put on record as a name."""
    if is_damaged(competitor, person):
        raise Problem("person_damaged", competitor=competitor)
