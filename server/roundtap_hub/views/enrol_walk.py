"""The walk from table to table with new units: which table is next, what stands there, and who waits."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from roundtap_hub.devices.unit_keys import TABLE
from roundtap_hub.hub import Hub
from roundtap_hub.journal.snapshot import Snapshot
from roundtap_hub.presence import UnitStatus
from roundtap_hub.views.tables import out_of_contact

TABLE_MAX = 999


@dataclass(frozen=True, slots=True)
class WaitingRow:
    """A unit that asks. `number`: what stands before its code; None while it shows none. `known_as`: its name of
    before."""

    mark: str
    number: int | None
    kind: str
    address: str
    age_ms: int
    known_as: str
    stopped: bool
    identified: bool


@dataclass(frozen=True, slots=True)
class WalkStep:
    """One table of the walk. `stands`: the unit that is there already. `before`, `after`: the tables beside it.
    `homeless`: units that have a key and no table yet."""

    table: int
    stands: str
    before: int | None
    after: int | None
    homeless: tuple[str, ...]


def waiting_rows(hub: Hub, now_ms: int) -> list[WaitingRow]:
    """Who asks, in the order of their coming."""
    room = hub.units.enrolment.room
    return [WaitingRow(each.mark, each.number, each.kind, each.address, max(0, now_ms - each.since_ms),
                       hub.service.snapshot.venue.unit_ids.get(each.unit_id, ""), each.stopped, room.identifies(each))
            for each in room.listed()]


def walk_step(hub: Hub, snapshot: Snapshot, table: int | None) -> WalkStep:
    """The table that was asked for, else the first where no unit stands."""
    at = {number: unit for unit, number in snapshot.venue.tables.items()}
    here = table or next_free(at, 0)
    homeless = tuple(sorted(unit for unit in hub.units.keys
                            if hub.units.keys.role(unit) == TABLE and unit not in snapshot.venue.tables))
    return WalkStep(here, at.get(here, ""), here - 1 if here > 1 else None, here + 1 if here < TABLE_MAX else None,
                    homeless)


def next_free(at: Mapping[int, str], after: int) -> int:
    """The next table where no unit stands."""
    return next((number for number in range(after + 1, TABLE_MAX + 1) if number not in at), TABLE_MAX)


@dataclass(frozen=True, slots=True)
class Held:
    """What a unit that is to be replaced said last: `waiting` reports on its disk that had no answer; `match` on its
    screen; whether it is `silent`, and since when."""

    waiting: int
    match: str | None
    silent: bool
    age_ms: int | None


def held_by(unit: str, units: Mapping[str, UnitStatus], now_ms: int) -> Held:
    """What would be lost with it: nothing that the hub has, and what its disk alone may hold."""
    status = units.get(unit)
    if status is None or not status.contact_ms:
        return Held(0, None, True, None)
    return Held(status.waiting, status.match, out_of_contact(status, now_ms), max(0, now_ms - status.contact_ms))
