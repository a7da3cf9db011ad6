"""The keys of the units, and what each may be used for: as the venue's stream says, from rows beside it."""

from __future__ import annotations

import re
import secrets
import threading
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from roundtap_core.errors import Invalid, Problem
from roundtap_core.event.entries import VENUE, NewEntry
from roundtap_hub.journal.keyed_units import REVOKED, Keyed, key_digest, keyed, refuse_key
from roundtap_hub.journal.service import Service, Step
from roundtap_hub.models import UnitKeyRow
from roundtap_hub.policy import ORGANIZER

TABLE, STATION, STANDBY = "table", "station", "standby"
ROLES = (TABLE, STATION, STANDBY)
"""What a key may be for."""
PANEL = "panel"
"""The front panel: on the hub's machine only (local_units.py)."""
KEY_BYTES = 32
NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,39}")
"""A unit's name stands in a header, on labels and in four languages' sentences."""

Listener = Callable[[frozenset[str]], None]
"""Told which units have another key or role than before, or none any more."""


@dataclass(frozen=True, slots=True)
class UnitKey:
    """One unit's key, and the one door that it opens."""

    key: bytes
    role: str


class UnitKeys(Mapping[str, bytes]):
    """Key by unit. Any thread may ask and change; what is changed counts at once, and is saved before.

    `service` None: keys that live in memory only (tests, a hall in one process); `known` are the first ones then.
    """

    def __init__(self, service: Service | None = None, known: Mapping[str, bytes] | None = None,
                 new_key: Callable[[], bytes] = lambda: secrets.token_bytes(KEY_BYTES)) -> None:
        self._service = service
        self._new_key = new_key
        self._lock = threading.RLock()
        self._listeners: list[Listener] = []
        self._units: Mapping[str, UnitKey] = {
            unit: UnitKey(key, usual_role(unit)) for unit, key in (known or {}).items()}
        self._local: Mapping[str, UnitKey] = {}
        self._heard_here: frozenset[str] = frozenset()
        self._followed: Mapping[str, Keyed] = {}
        if service is not None:
            service.listen(self._follow)
            self._follow()

    def __getitem__(self, unit: str) -> bytes:
        return (self._units.get(unit) or self._local[unit]).key

    def __iter__(self) -> Iterator[str]:
        """Of the units on this machine those that are there: each has a key, whether it exists or not."""
        return iter((*self._units, *(unit for unit in self._local if unit in self._heard_here)))

    def __len__(self) -> int:
        return len(tuple(iter(self)))

    def __contains__(self, unit: object) -> bool:
        return unit in self._units or unit in self._local

    def role(self, unit: str) -> str | None:
        """What the unit's key may be used for; None for a unit that nobody knows."""
        known = self._units.get(unit) or self._local.get(unit)
        return known.role if known is not None else None

    def hold_local(self, units: Mapping[str, UnitKey]) -> None:
        """The units on this machine (local_units.py): their keys are in no journal, and count from
        loopback addresses alone."""
        with self._lock:
            changed = frozenset(unit for unit in {*self._local, *units} if self._local.get(unit) != units.get(unit))
            self._local, self._heard_here = dict(units), frozenset()
        for listener in self._listeners if changed else ():
            listener(changed)

    @property
    def enrolled(self) -> frozenset[str]:
        """The units that have a key in the journal."""
        return frozenset(self._units)

    def is_local(self, unit: str) -> bool:
        """Whether the unit is on this machine, and its key is good from nowhere else."""
        return unit in self._local and unit not in self._units

    def heard(self, unit: str) -> None:
        """A signature of the unit's held: it exists."""
        if unit in self._local and unit not in self._heard_here:
            with self._lock:
                self._heard_here |= {unit}

    def listen(self, listener: Listener) -> None:
        """`listener` is called in the thread that brought the change, and must only enqueue."""
        self._listeners.append(listener)

    def add(self, unit: str, role: str = TABLE, actor: str = ORGANIZER) -> bytes:
        """A new unit; the key that was made for it. Problem "unit_name", "unit_known", "unit_role", "too_many_units",
        and what `Service.ask` raises."""
        key = self._new_key()
        self.enrol(unit, role, key, actor=actor)
        return key

    def replace(self, unit: str, actor: str = ORGANIZER) -> bytes:
        """A new key for a unit that has one, which counts no more. Problem "unknown_unit", "unit_local", and as `add`
        has them."""
        before = self._known(unit)
        made = UnitKey(self._new_key(), before.role)
        self._say(keyed(unit, made.role, made.key, self._roll[unit]), actor, made)
        return made.key

    def enrol(self, unit: str, role: str, key: bytes, replaces: bool = False, unit_id: str = "",
              actor: str = ORGANIZER) -> None:
        """A unit with a key that it has agreed on with the hub; the same once more changes nothing. `replaces`: in the
        place of the unit of this name, whose key counts no more; `unit_id`: its own mark. Problem as `add`."""
        check_named(unit, role)
        made = UnitKey(key, role)
        if self._units.get(unit) == made:
            return
        if unit in self and not replaces:
            raise Invalid("unit_known", unit=unit)
        self._say(keyed(unit, role, key, self._roll.get(unit), unit_id), actor, made)

    def revoke(self, unit: str, actor: str = ORGANIZER) -> None:
        """The unit's key counts no more. Problem "unknown_unit", "unit_local" and as `add`."""
        self._known(unit)
        self._say(NewEntry(REVOKED, {"unit": unit}), actor)

    def _known(self, unit: str) -> UnitKey:
        if self.is_local(unit):
            raise Problem("unit_local", unit=unit)
        if unit not in self._units:
            raise Problem("unknown_unit", unit=unit[:40])
        return self._units[unit]

    @property
    def _roll(self) -> Mapping[str, Keyed]:
        """The units of now, as the journal has them."""
        if self._service is not None:
            return self._service.snapshot.venue.units
        return {unit: Keyed(known.role, key_digest(unit, known.key)) for unit, known in self._units.items()}

    def _say(self, new: NewEntry, actor: str, made: UnitKey | None = None) -> None:
        unit = new.data["unit"]
        if self._service is not None:
            beside = [UnitKeyRow(unit=unit, key=made.key.hex())] if made else []
            self._service.ask([Step(VENUE, new)], actor, beside=beside)
            self._follow()
        else:
            refuse_key(self._roll, new)
            others = {name: known for name, known in self._units.items() if name != unit}
            self._count({**others, unit: made} if made else others)

    def _follow(self, *_: object) -> None:
        """Take over what the journal says of units, whoever said it."""
        with self._lock:
            if self._service is None or self._roll is self._followed:
                return
            roll = self._followed = self._roll
            # What was revoked counts no more even while nothing can be read.
            held = {unit: known.key for unit, known in self._units.items()}
            self._count(_fitting(roll, held))
            if len(self._units) < len(roll):
                rows = self._service.rows(UnitKeyRow)
                self._count(_fitting(roll, {row.unit: bytes.fromhex(row.key) for row in rows}))

    def _count(self, units: Mapping[str, UnitKey]) -> None:
        changed = frozenset(unit for unit, known in self._units.items() if units.get(unit) != known)
        self._units = units
        if changed:
            for listener in self._listeners:
                listener(changed)


def _fitting(roll: Mapping[str, Keyed], keys: Mapping[str, bytes]) -> dict[str, UnitKey]:
    """The keys that count."""
    return {unit: UnitKey(key, roll[unit].role) for unit, key in keys.items()
            if unit in roll and roll[unit].digest == key_digest(unit, key)}


def usual_role(unit: str) -> str:
    """The role of a unit of which only the key is known."""
    return STATION if unit.startswith(STATION) else TABLE


def check_named(unit: str, role: str) -> None:
    """Raise Problem "unit_name" or "unit_role" for what no unit may have."""
    if NAME.fullmatch(unit) is None:
        raise Invalid("unit_name", unit=unit[:40])
    if role not in ROLES:
        raise Invalid("unit_role", role=role[:40])
