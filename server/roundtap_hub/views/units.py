"""The table units as the console lists them: where each stands, and when it was last heard."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

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


def unit_rows(
    snapshot: Snapshot, enrolled: Iterable[str], units: Mapping[str, UnitStatus], now_ms: int
) -> list[UnitRow]:
    """Every unit that is enrolled, placed or heard: in the order of the tables, those without one last."""
    rows = []
    for unit in known_units(snapshot, enrolled, units):
        status = units.get(unit)
        rows.append(UnitRow(
            unit, snapshot.venue.tables.get(unit), age(status.contact_ms, now_ms) if status else None,
            out_of_contact(status, now_ms), status.waiting if status else 0,
        ))
    return sorted(rows, key=lambda r: (r.table is None, r.table or 0, r.unit))


def known_units(snapshot: Snapshot, enrolled: Iterable[str], units: Mapping[str, UnitStatus]) -> set[str]:
    """Every unit that is enrolled, placed or heard."""
    return {*enrolled, *units, *snapshot.venue.tables}
