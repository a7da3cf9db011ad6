"""Which units have a key, as the venue's stream says it: by a digest, so that whoever holds the stream knows which key
counts no more. The key itself is a row beside it."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from roundtap_core.errors import Invalid, Problem
from roundtap_core.event.entries import Entry, NewEntry

KEYED, REVOKED = "unit-keyed", "unit-revoked"
OF_KEYS = frozenset({KEYED, REVOKED})
UNITS_MAX = 999
DIGEST_LETTERS = 32


@dataclass(frozen=True, slots=True)
class Keyed:
    """What a unit's key is for, and what shows whether a key is that one; "" for a unit that was revoked."""

    role: str = ""
    digest: str = ""


NO_KEY = Keyed()


def key_digest(unit: str, key: str) -> str:
    """Of a key in hex. One unit's says nothing of another's that has the same."""
    return hashlib.sha256(f"roundtap/unit-key/1\n{unit}\n{key}".encode()).hexdigest()[:DIGEST_LETTERS]


def keyed(unit: str, role: str, key: str, before: Keyed = NO_KEY, unit_id: str = "") -> NewEntry:
    """A unit has this key, in hex, from now on, in the place of the one `before`. `unit_id`: its own mark, by which it
    keeps its name when it is enrolled again."""
    data = {"unit": unit, "role": role, "key": key_digest(unit, key), "instead_of": before.digest}
    return NewEntry(KEYED, {**data, "unit_id": unit_id} if unit_id else data)


def placed(unit: str, table: int | None) -> NewEntry:
    """The unit stands at this table from now on, and nobody else does; None: nowhere."""
    return NewEntry("unit-placed", {"unit": unit, "table": table})


def refuse_key(units: Mapping[str, Keyed], new: NewEntry) -> None:
    """Raise where a unit has not the key any more that another is to take the place of: Problem "unit_known" or
    "unknown_unit"; "too_many_units"."""
    if new.kind != KEYED:
        return
    unit, instead_of = new.data["unit"], new.data["instead_of"]
    before = units.get(unit, NO_KEY).digest
    if instead_of != before:
        raise Problem("unknown_unit", unit=unit[:40]) if instead_of else Invalid("unit_known", unit=unit)
    if not before and sum(bool(known.digest) for known in units.values()) >= UNITS_MAX:
        raise Problem("too_many_units", maximum=UNITS_MAX)


def with_key(units: Mapping[str, Keyed], said: Entry) -> Mapping[str, Keyed]:
    """The units after one of OF_KEYS."""
    return {**units, said.data["unit"]: Keyed(said.data["role"], said.data["key"]) if said.kind == KEYED else NO_KEY}


def with_id(ids: Mapping[str, str], data: Mapping[str, Any]) -> Mapping[str, str]:
    """Name by mark: a mark has one name, and a name one mark."""
    if "unit_id" not in data:
        return ids
    others = {unit_id: unit for unit_id, unit in ids.items() if data["unit"] != unit and data["unit_id"] != unit_id}
    return {**others, data["unit_id"]: data["unit"]}
