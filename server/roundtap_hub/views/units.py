"""The units as the console lists them: where each stands, when it was last heard, and what is odd about it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from roundtap_hub.devices.unit_door import FORGED
from roundtap_hub.devices.unit_keys import PANEL, ROLES, TABLE
from roundtap_hub.hub import Hub
from roundtap_hub.journal.service import Snapshot
from roundtap_hub.presence import UnitStatus
from roundtap_hub.views.tables import age, out_of_contact


@dataclass(frozen=True, slots=True)
class UnitRow:
    unit: str
    table: int | None
    heard_age_ms: int | None
    silent: bool
    waiting: int


@dataclass(frozen=True, slots=True)
class KeyRow:
    """One unit with a key. `heard_age_ms` None: never; `forged`: wrong signatures in its name; `damaged`: lines of its
    disk that cannot be read; `troubles`: kinds of devices/unit_door.py that nobody has looked at."""

    unit: str
    role: str
    table: int | None
    heard_age_ms: int | None
    silent: bool
    waiting: int
    instance: str
    damaged: int
    forged: int
    troubles: tuple[str, ...]
    local: bool = False
    """It is on the hub's machine, and gets another key with each start of the hub."""


def key_rows(hub: Hub, snapshot: Snapshot, units: Mapping[str, UnitStatus], now_ms: int) -> list[KeyRow]:
    """Every unit with a key: those that need somebody first, then by role and in the order of their numbers."""
    rows = []
    for unit in hub.units.keys:
        status = units.get(unit) or UnitStatus(unit, 0)
        rows.append(KeyRow(
            unit, hub.units.keys.role(unit) or "", snapshot.venue.tables.get(unit),
            age(status.contact_ms, now_ms) if status.contact_ms else None, out_of_contact(status, now_ms),
            status.waiting, status.instance, status.damaged, hub.units.troubles.count(unit, FORGED),
            tuple(sorted(status.troubles)), hub.units.keys.is_local(unit)))
    return sorted(rows, key=lambda row: (not row.troubles, (*ROLES, PANEL).index(row.role) if row.role else 0,
                                         _by_number(row.unit)))


def _by_number(unit: str) -> tuple[str, int, str]:
    """"table-2" before "table-10"."""
    name = unit.rstrip("0123456789")
    return name, int(unit[len(name):] or 0), unit


def unit_rows(
    snapshot: Snapshot, listed: Iterable[str], units: Mapping[str, UnitStatus], now_ms: int
) -> list[UnitRow]:
    """The units of `table_units`: in the order of the tables, those without one last."""
    rows = []
    for unit in listed:
        status = units.get(unit)
        rows.append(UnitRow(
            unit, snapshot.venue.tables.get(unit),
            age(status.contact_ms, now_ms) if status and status.contact_ms else None,
            out_of_contact(status, now_ms), status.waiting if status else 0,
        ))
    return sorted(rows, key=lambda r: (r.table is None, r.table or 0, r.unit))


def known_units(snapshot: Snapshot, enrolled: Iterable[str], units: Mapping[str, UnitStatus]) -> set[str]:
    """Every unit that is enrolled, placed or heard."""
    return {*enrolled, *units, *snapshot.venue.tables}


def table_units(hub: Hub, snapshot: Snapshot, units: Mapping[str, UnitStatus]) -> set[str]:
    """Those that can stand at a table: no print stations, no standbys, unless somebody placed one."""
    return {unit for unit in known_units(snapshot, hub.units.keys, units)
            if unit in snapshot.venue.tables or hub.units.keys.role(unit) in (None, TABLE)}
