"""The keys of the units, and what each may be used for: from `keys.json` in the hub's folder, changed while it runs."""

from __future__ import annotations

import hashlib
import json
import logging
import os
import re
import secrets
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from roundtap_core.errors import Invalid, Problem
from roundtap_hub.private_files import write_private, write_private_bytes

log = logging.getLogger(__name__)

TABLE, STATION, STANDBY = "table", "station", "standby"
ROLES = (TABLE, STATION, STANDBY)
"""What a key of the file may be for."""
PANEL = "panel"
"""The front panel: on the hub's machine only (local_units.py)."""
KEY_BYTES = 32
NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,39}")
"""A unit's name stands in a header, on labels and in four languages' sentences."""
UNITS_MAX = 999

NAME_LETTERS = 40
FAULTS_MAX = 50
ENTRY = re.compile(r'"(?P<unit>[A-Za-z0-9][A-Za-z0-9._-]{0,39})"\s*:\s*(?P<value>"[0-9A-Fa-f]{64,}"|\{[^{}]*\})')
"""A unit and its key, wherever they stand."""

Listener = Callable[[frozenset[str]], None]
"""Told which units have another key or role than before, or none any more."""
Stamp = tuple[int, int, int] | None
"""What shows that a file is another one than before: its number, its length, and when it was written."""


@dataclass(frozen=True, slots=True)
class UnitKey:
    """One unit's key, and the one door that it opens."""

    key: bytes
    role: str


@dataclass(frozen=True, slots=True)
class KeyFault:
    """What of the file cannot be read: a unit's entry, or (`unit` None) the file itself from a line on; 0: nobody
    knows which line. `why`: "key", "json", or what the disk says."""

    unit: str | None
    line: int
    why: str

    def __str__(self) -> str:
        return f"line {self.line}: {self.unit or self.why}"


class UnitKeys(Mapping[str, bytes]):
    """Key by unit. Any thread may ask and change; what is changed counts at once, and is on the disk before.

    `path` None: keys that live in memory only (tests, a hall in one process); `known` are the first ones then.
    """

    def __init__(self, path: Path | None = None, known: Mapping[str, bytes] | None = None,
                 new_key: Callable[[], bytes] = lambda: secrets.token_bytes(KEY_BYTES)) -> None:
        self._path = path
        self._new_key = new_key
        self._lock = threading.RLock()
        self._listeners: list[Listener] = []
        self._units: Mapping[str, UnitKey] = {
            unit: UnitKey(key, usual_role(unit)) for unit, key in (known or {}).items()}
        self._local: Mapping[str, UnitKey] = {}
        self._heard_here: frozenset[str] = frozenset()
        self._stamp: Stamp = None
        self.faults: tuple[KeyFault, ...] = ()
        """What of the file cannot be read. The rest counts; of what was changed by hand while the hub runs, the keys
        from before count on."""
        if path is not None:
            self._stamp = _stamp(path)
            self._units, self.faults = read_keys(path)
            self._keep_aside(path)

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
        """The units on this machine (local_units.py): their keys are in no file of the hub's folder, and count from
        loopback addresses alone."""
        with self._lock:
            changed = frozenset(unit for unit in {*self._local, *units} if self._local.get(unit) != units.get(unit))
            self._local, self._heard_here = dict(units), frozenset()
        for listener in self._listeners if changed else ():
            listener(changed)

    @property
    def enrolled(self) -> frozenset[str]:
        """The units of the file."""
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

    def look(self) -> None:
        """Take over what was changed in the file by hand. Costs a question about the file, and no more where nothing
        was changed; a file that cannot be read changes nothing, and is said once."""
        if self._path is None:
            return
        stamp = _stamp(self._path)
        if stamp == self._stamp:
            return
        with self._lock:
            if stamp == self._stamp:
                return
            self._stamp = stamp
            units, self.faults = read_keys(self._path)
            self._keep_aside(self._path)
            if any(fault.unit is None for fault in self.faults):
                # Nobody knows what else the file was to say.
                return
            before = {fault.unit: self._units[fault.unit] for fault in self.faults
                      if fault.unit is not None and fault.unit in self._units}
            self._count({**before, **units})

    def add(self, unit: str, role: str = TABLE) -> bytes:
        """A new unit; the key that was made for it. Problem "unit_name", "unit_known", "unit_role", "too_many_units"
        or "keys_not_saved"."""
        _check_named(unit, role)
        with self._lock:
            self._look_strictly()
            if unit in self:
                raise Invalid("unit_known", unit=unit)
            if len(self._units) >= UNITS_MAX:
                raise Problem("too_many_units", maximum=UNITS_MAX)
            made = UnitKey(self._new_key(), role)
            self._save({**self._units, unit: made})
        return made.key

    def replace(self, unit: str) -> bytes:
        """A new key for a unit that has one, which counts no more. Problem "unknown_unit", "unit_local", and as `add`
        has them."""
        with self._lock:
            self._look_strictly()
            self._refuse_local(unit)
            before = self._units.get(unit)
            if before is None:
                raise Problem("unknown_unit", unit=unit[:40])
            made = UnitKey(self._new_key(), before.role)
            self._save({**self._units, unit: made})
        return made.key

    def enrol(self, unit: str, role: str, key: bytes, replaces: bool = False) -> None:
        """A unit with a key that it has agreed on with the hub; the same once more changes nothing. `replaces`: in the
        place of the unit of this name, whose key counts no more. Problem as `add`."""
        _check_named(unit, role)
        with self._lock:
            self._look_strictly()
            made = UnitKey(key, role)
            if self._units.get(unit) == made:
                return
            if unit in self and not replaces:
                raise Invalid("unit_known", unit=unit)
            if unit not in self._units and len(self._units) >= UNITS_MAX:
                raise Problem("too_many_units", maximum=UNITS_MAX)
            self._save({**self._units, unit: made})

    def revoke(self, unit: str) -> None:
        """The unit's key counts no more. Problem "unknown_unit", "unit_local" and as `add`."""
        with self._lock:
            self._look_strictly()
            self._refuse_local(unit)
            if unit not in self._units:
                raise Problem("unknown_unit", unit=unit[:40])
            self._save({name: known for name, known in self._units.items() if name != unit})

    def _refuse_local(self, unit: str) -> None:
        if self.is_local(unit):
            raise Problem("unit_local", unit=unit)

    def _look_strictly(self) -> None:
        """Before a change: what was written by hand and cannot be read is kept beside it first."""
        self.look()
        if self.faults and self._path is not None and not self._keep_aside(self._path):
            raise Problem("keys_not_saved", reason=str(self._path))

    def _keep_aside(self, path: Path) -> bool:
        """A file that holds what cannot be read is never overwritten: what it says stays beside it, in a file of its
        own. Whether it does."""
        if not self.faults:
            return True
        try:
            content = path.read_bytes()
            aside = path.with_name(f"{path.stem}.broken-{hashlib.sha256(content).hexdigest()[:8]}{path.suffix}")
            if not aside.exists():
                write_private_bytes(aside, content)
                log.error("%s cannot be read as it stands (%s); it is kept as %s", path,
                          "; ".join(map(str, self.faults)), aside.name)
            return True
        except OSError as error:
            log.error("%s cannot be read as it stands (%s), and not be kept aside: %s", path,
                      "; ".join(map(str, self.faults)), error)
            return False

    def _save(self, units: Mapping[str, UnitKey]) -> None:
        if self._path is not None:
            try:
                write_private(self._path, json.dumps({unit: _written(unit, known) for unit, known in units.items()},
                                                     indent=1) + "\n")
            except OSError as error:
                raise Problem("keys_not_saved", reason=error.strerror or str(error)) from error
            self._stamp = _stamp(self._path)
        self._count(units)

    def _count(self, units: Mapping[str, UnitKey]) -> None:
        changed = frozenset(unit for unit, known in self._units.items() if units.get(unit) != known)
        self._units = units
        if changed:
            for listener in self._listeners:
                listener(changed)


def usual_role(unit: str) -> str:
    """The role of a unit whose file gives only its key."""
    return STATION if unit.startswith(STATION) else TABLE


def read_keys(path: Path) -> tuple[dict[str, UnitKey], tuple[KeyFault, ...]]:
    """The file's units, {"unit": "64 hex digits" or {"key": "64 hex digits", "role": one of ROLES}}, and what of it
    cannot be read: never a reason to stop. No file: no units."""
    try:
        text = path.read_text(encoding="utf-8", errors="replace")
    except FileNotFoundError:
        return {}, ()
    except OSError as error:
        return {}, (KeyFault(None, 0, error.strerror or str(error)),)
    broken: list[KeyFault] = []
    try:
        raw = json.loads(text, object_pairs_hook=_Pairs)
        if not isinstance(raw, _Pairs):
            raise ValueError("no object")
        pairs = list(raw)
    except (ValueError, RecursionError) as error:
        broken.append(KeyFault(None, getattr(error, "lineno", 1), "json"))
        pairs = _whole_entries(text)
    units: dict[str, UnitKey] = {}
    seen: set[str] = set()
    for unit, value in pairs:
        made = _read_one(unit, value)
        if made is None or unit in seen or len(seen) >= UNITS_MAX:
            # Of two keys under one name, nobody could say which counts.
            broken.append(KeyFault(unit[:NAME_LETTERS], _line_of(text, unit), "key"))
            units.pop(unit, None)
        else:
            units[unit] = made
        seen.add(unit)
    return units, tuple(broken[:FAULTS_MAX])


def _read_one(unit: str, value: Any) -> UnitKey | None:
    if NAME.fullmatch(unit) is None:
        return None
    said = dict(value) if isinstance(value, _Pairs) else {"key": value}
    role = said.get("role", usual_role(unit))
    try:
        key = bytes.fromhex(said["key"])
    except (KeyError, TypeError, ValueError):
        return None
    if len(key) < KEY_BYTES or role not in ROLES or not said.keys() <= {"key", "role"}:
        return None
    return UnitKey(key, role)


class _Pairs(list[tuple[str, Any]]):
    """A JSON object as it stands there: each name as often as it does."""


def _whole_entries(text: str) -> list[tuple[str, Any]]:
    """The entries that stand whole in a text that is no JSON: somebody forgot a comma, or half of it is gone."""
    found: list[tuple[str, Any]] = []
    for match in ENTRY.finditer(text):
        with suppress(ValueError, RecursionError):
            found.append((match["unit"], json.loads(match["value"], object_pairs_hook=_Pairs)))
    return found


def _line_of(text: str, unit: str) -> int:
    at = text.find(f'"{unit}"')
    return text.count("\n", 0, at) + 1 if at >= 0 else 0


def _written(unit: str, known: UnitKey) -> str | dict[str, str]:
    if known.role == usual_role(unit):
        return known.key.hex()
    return {"key": known.key.hex(), "role": known.role}


def _stamp(path: Path) -> Stamp:
    try:
        found = os.stat(path)
    except OSError:
        return None
    return found.st_ino, found.st_size, found.st_mtime_ns


def _check_named(unit: str, role: str) -> None:
    if NAME.fullmatch(unit) is None:
        raise Invalid("unit_name", unit=unit[:40])
    if role not in ROLES:
        raise Invalid("unit_role", role=role[:40])
