"""Which units have a key, as the venue's stream says it: by a digest, so that whoever holds the stream knows which key
counts no more. The key itself is a row beside it, which goes with the entry that revokes it."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from roundtap_core.errors import Invalid, Problem
from roundtap_core.event.entries import NewEntry

KEYED, REVOKED = "unit-keyed", "unit-revoked"
UNITS_MAX = 999
DIGEST_LETTERS = 32


@dataclass(frozen=True, slots=True)
class Keyed:
    """What a unit's key is for, and what shows whether a key is that one."""

    role: str
    digest: str


def key_digest(unit: str, key: bytes) -> str:
    """One unit's key says nothing of another's that has the same."""
    return hashlib.sha256(f"roundtap/unit-key/1\n{unit}\n".encode() + key).hexdigest()[:DIGEST_LETTERS]


def keyed(unit: str, role: str, key: bytes, before: Keyed | None = None, unit_id: str = "") -> NewEntry:
    """A unit has this key from now on, in the place of the one `before`. `unit_id`: its own mark, by which it keeps its
    name when it is enrolled again."""
    data = {"unit": unit, "role": role, "key": key_digest(unit, key), "instead_of": before.digest if before else ""}
    return NewEntry(KEYED, {**data, "unit_id": unit_id} if unit_id else data)


def refuse_key(units: Mapping[str, Keyed], new: NewEntry) -> None:
    """Raise where a unit has not the key any more that another is to take the place of: Problem "unit_known" or
    "unknown_unit"; "too_many_units"."""
    if new.kind != KEYED:
        return
    unit, instead_of = new.data["unit"], new.data["instead_of"]
    before = units.get(unit)
    if instead_of != (before.digest if before else ""):
        raise Problem("unknown_unit", unit=unit[:40]) if instead_of else Invalid("unit_known", unit=unit)
    if before is None and len(units) >= UNITS_MAX:
        raise Problem("too_many_units", maximum=UNITS_MAX)


def with_key(units: Mapping[str, Keyed], data: Mapping[str, Any]) -> Mapping[str, Keyed]:
    return {**units, data["unit"]: Keyed(data["role"], data["key"])}


def with_id(ids: Mapping[str, str], data: Mapping[str, Any]) -> Mapping[str, str]:
    """Name by mark: a mark has one name, and a name one mark."""
    if "unit_id" not in data:
        return ids
    others = {unit_id: unit for unit_id, unit in ids.items() if data["unit"] != unit and data["unit_id"] != unit_id}
    return {**others, data["unit_id"]: data["unit"]}
