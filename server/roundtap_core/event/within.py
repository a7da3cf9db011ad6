"""Every command held to the limits before it is decided, whoever asks: forms, files, units, another program."""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from msgspec import Struct
from msgspec.structs import fields

from roundtap_core.errors import Invalid, Problem
from roundtap_core.event.person import Person
from roundtap_core.limits import (
    COUNT,
    EXACT,
    FIGURE,
    ID_LETTERS,
    LINE_LETTERS,
    MINUTES,
    MOST_ITEMS,
    NUMBER,
    PROSE_LETTERS,
    ROUND,
    Range,
    refuse_boundless,
    refuse_outside,
    refuse_unfit,
    refuse_unfit_line,
    refuse_wild_options,
)

RANGES: Mapping[str, Range] = MappingProxyType({
    "seed": EXACT, "players": COUNT, "number": EXACT, "attempt": EXACT, "revision": EXACT, "seen": EXACT,
    "serial": COUNT, "delta_ms": EXACT, "minutes": MINUTES, "total": COUNT, "list_total": COUNT, "declined_at": COUNT,
    "fixed_table": NUMBER, "dropped_after": ROUND, "disqualified_after": ROUND, "size": COUNT, "picks": COUNT,
    "count": COUNT, "first": NUMBER, "last": NUMBER,
    "table": NUMBER,
    "a": FIGURE, "b": FIGURE,
})
"""What the whole numbers of a command may be, by the name of the field that holds them. EXACT are those that are only
compared with what is on record."""

PROSE = frozenset({"reason", "text", "noted", "seen", "name", "what"})
"""Texts of any length up to PROSE_LETTERS; an event's name and a tick have limits and an error of
their own."""
LINES = frozenset({
    "category", "came_with", "group", "ticks", "officials_role", "sign_up", "color", "wall", "ended", "action", "level",
    "cut", "how_left",
})
IDS = frozenset({
    "among", "id", "rulebook", "by", "match", "meets", "official", "role", "digest", "body", "report_id", "draw",
    "holder", "side", "stage", "tiebreak_form", "about", "kind", "mark", "plan", "winner", "conceded_by", "initiative",
    "first_player",
})
KNOWN = frozenset({"competitor", "by_competitor", "absent", "plays", "who", "order", "seeds", "declined",
                   "a", "b"})
"""Who is in the event already, or the command is refused: also whoever came in before these limits stood."""

FILLED_IN = frozenset({"list_points", "taken_tables", "busy_tables", "venue_number", "stood_there"})
"""What nobody outside says: the hub fills it in from what is recorded."""

JUDGED = frozenset({"result"})
"""A report's result as it came: a wild one is refused on record as impossible (results/decide.py)."""


LINK_LETTERS, NOTE_LETTERS = 500, 1000
_LETTERS = MappingProxyType({"external_id": ID_LETTERS, "list_link": LINK_LETTERS})
_LINK = re.compile(r"https?://[^\s\"'<>\\^`{|}]{1,490}")
"""What a browser follows to another page, and nothing else: no scripts, no files."""


def refuse_beyond(command: Any) -> None:
    """Raise Problem("figure_out_of_range", "text_too_long", "unfit_text", "wrong_length", "too_deep") where a field of
    the command, or of a record in it, is beyond its limits. `where` names the field."""
    _record(command, "")


def refuse_unfit_person(person: Person, before: Person | None = None) -> None:
    """Raise Problem where what is new of a person is no line of text, or a list is beyond all limits. What was known
    `before` these limits stood may stay."""
    for field in fields(Person):
        value = getattr(person, field.name)
        if value is None or (before is not None and value == getattr(before, field.name)):
            continue
        where = f"/{field.name}"
        if field.name == "list":
            refuse_boundless(value, where)
        if field.name == "note":
            refuse_unfit(value, where, NOTE_LETTERS)
            continue
        if field.name == "list_link" and not _LINK.fullmatch(value):
            raise Problem("link_unfit", where=where, maximum=LINK_LETTERS)
        for line in value if isinstance(value, tuple) else (value,) if isinstance(value, str) else ():
            refuse_unfit_line(line, where, _LETTERS.get(field.name, LINE_LETTERS))


def _record(record: Any, where: str) -> None:
    for name in type(record).__match_args__:
        value = getattr(record, name)
        if value is not None and value is not False and value is not True and name not in FILLED_IN:
            _value(value, name, where)


def _value(value: Any, name: str, where: str) -> None:
    if isinstance(value, str):
        _text(value, name, f"{where}/{name}")
    elif isinstance(value, int):
        refuse_outside(value, RANGES.get(name, EXACT), f"{where}/{name}")
    elif isinstance(value, Struct):
        _record(value, f"{where}/{name}")
    elif name == "options":
        refuse_wild_options(value)
    elif isinstance(value, tuple):
        if len(value) > MOST_ITEMS:
            raise Problem("wrong_length", where=f"{where}/{name}", count=len(value), minimum=0, maximum=MOST_ITEMS)
        for inner in value:
            _value(inner, name, where)
    elif name not in JUDGED:
        refuse_boundless(value, f"{where}/{name}")


def _text(value: str, name: str, where: str) -> None:
    if name in PROSE:
        refuse_unfit(value, where, PROSE_LETTERS)
    elif value and name not in KNOWN:
        refuse_unfit_line(value, where, ID_LETTERS if name in IDS else LINE_LETTERS)
    elif len(value) > ID_LETTERS:
        raise Invalid("text_too_long", where=where, count=len(value), maximum=ID_LETTERS)
