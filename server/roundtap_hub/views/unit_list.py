"""The units as the console lists them: table, last contact, version and troubles."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from roundtap_core.messages import Health
from roundtap_core.version import same_build, version
from roundtap_hub.access.unit_keys import PANEL, ROLES, TABLE
from roundtap_hub.store.service import Snapshot
from roundtap_hub.views.running_hub import RunningHub
from roundtap_hub.views.tables import ms_since, out_of_contact
from roundtap_hub.views.unit_presence import UnitStatus, decode_health, known_units


@dataclass(frozen=True, slots=True)
class UnitRow:
    """One unit of the hall. `age_ms`: since its last contact; None: never in contact."""

    unit: str
    table: int | None
    status: UnitStatus
    age_ms: int | None
    silent: bool

    @property
    def name(self) -> str:
        """Its table's number where it stands at one, else its own name."""
        return self.unit if self.table is None else str(self.table)

    @property
    def health(self) -> Health | None:
        """Its health; None where it has sent none."""
        return decode_health(self.status.health)

    @property
    def version(self) -> str:
        """Its software version; "" where it has sent none."""
        return self.status.core or (self.health.version if self.health else "")

    @property
    def same_version(self) -> bool:
        """Whether that is the hub's own version."""
        return same_build(self.version, version())


def unit_rows(snapshot: Snapshot, listed: Iterable[str], units: Mapping[str, UnitStatus], now_ms: int) -> list[UnitRow]:
    """These units in the order of the tables, those without one last."""
    rows = []
    for unit in listed:
        status = units.get(unit) or UnitStatus(unit, 0)
        heard = status.contact_ms > 0
        rows.append(
            UnitRow(
                unit,
                snapshot.venue.tables.get(unit),
                status,
                ms_since(status.contact_ms, now_ms) if heard else None,
                out_of_contact(status if heard else None, now_ms),
            )
        )
    return sorted(rows, key=lambda row: (row.table is None, row.table or 0, _by_number(row.unit)))


def key_rows(hub: RunningHub, snapshot: Snapshot, units: Mapping[str, UnitStatus], now_ms: int) -> list[UnitRow]:
    """Every unit with a key: those with troubles first, then by role and number."""
    keys = hub.units.keys
    return sorted(
        unit_rows(snapshot, keys, units, now_ms),
        key=lambda row: (
            not row.status.troubles,
            (*ROLES, PANEL).index(keys.role(row.unit) or TABLE),
            _by_number(row.unit),
        ),
    )


def _by_number(unit: str) -> tuple[str, int, str]:
    """A sort key: "table-2" before "table-10"."""
    name = unit.rstrip("0123456789")
    return name, int(unit[len(name) :] or 0), unit


def table_units(hub: RunningHub, snapshot: Snapshot, units: Mapping[str, UnitStatus]) -> set[str]:
    """Units that can stand at a table: no print stations or standbys, unless one was placed."""
    return {
        unit
        for unit in known_units(snapshot, hub.units.keys, units)
        if unit in snapshot.venue.tables or hub.units.keys.role(unit) in (None, TABLE)
    }
