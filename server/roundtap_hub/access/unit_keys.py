"""The units' keys and roles, from the venue's stream and rows beside it; and new keys at each start for local units.

Units on the hub's own machine find their keys in files under /run that only they may read.
"""

import grp
import json
import logging
import os
import re
import secrets
import threading
from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from roundtap_core.errors import Invalid, Problem
from roundtap_core.event.entries import VENUE, NewEntry
from roundtap_hub.http.requester import is_loopback
from roundtap_hub.http.routes import ORGANIZER
from roundtap_hub.store.models import UnitKeyRow
from roundtap_hub.store.rights import NO_KEY, UNIT_REVOKED, UnitKeyRecord, unit_keyed_entry, unit_placed_entry
from roundtap_hub.store.service import Service, Step
from roundtap_hub.store.venue import is_valid_key
from roundtap_machine.atomic_write import write_atomically

log = logging.getLogger(__name__)

TABLE, STATION, STANDBY = "table", "station", "standby"
ROLES = (TABLE, STATION, STANDBY)  # the roles of enrolled keys
PANEL = "panel"  # the front panel's role: on the hub's machine only (`make_local_units`)
KEY_BYTES = 32
NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,39}")
"""A unit's name stands in a header, on labels and in four languages' sentences."""

Listener = Callable[[frozenset[str]], None]  # receives the units whose key or role changed or was revoked

LOCAL_ROLES = (PANEL, STATION, TABLE)
"""Roles on the hub's own machine: each key is in a file of this name, for the unit "hub-" and this name."""
GROUP = "roundtap-local"
"""The group that may read the files; if the hub is in a group "roundtap-panel", only that one reads the panel's."""
FILE_MODE, FOLDER_MODE = 0o640, 0o755
FOLDER_NAME = "local"


@dataclass(frozen=True, slots=True)
class UnitKey:
    """One unit's key and its role."""

    key: bytes
    role: str


class UnitKeys(Mapping[str, bytes]):
    """Key by unit, as the journal of `service` has them. Thread-safe; a change is saved before it takes effect.
    `known`: units that are valid while the journal has none of their name (tests, a hall in one process)."""

    def __init__(self, service: Service, known: Mapping[str, bytes] | None = None) -> None:
        self._service = service
        self._known = {unit: UnitKey(key, usual_role(unit)) for unit, key in (known or {}).items()}
        self._lock = threading.Lock()
        self._listeners: list[Listener] = []
        self._local: Mapping[str, UnitKey] = {}
        self._seen_local: frozenset[str] = frozenset()
        self._last_journaled = self._journaled
        service.listen(self._notify)

    @property
    def _journaled(self) -> Mapping[str, UnitKeyRecord]:
        return self._service.snapshot.venue.units

    def find(self, unit: str) -> UnitKey | None:
        """The unit's key and role; None for an unknown unit."""
        snapshot = self._service.snapshot
        said, key = snapshot.venue.units.get(unit), snapshot.keys.get(unit, "")
        if said is not None and is_valid_key(snapshot.venue, unit, key):
            return UnitKey(bytes.fromhex(key), said.role)
        return (self._known.get(unit) if said is None else None) or self._local.get(unit)

    def __getitem__(self, unit: str) -> bytes:
        found = self.find(unit)
        if found is None:
            raise KeyError(unit)
        return found.key

    def __iter__(self) -> Iterator[str]:
        """All units with a key; local ones only once they were in contact, as each has a key."""
        units = dict.fromkeys((*self._journaled, *self._known, *self._seen_local))
        return iter([unit for unit in units if self.find(unit) is not None])

    def __len__(self) -> int:
        return len(tuple(iter(self)))

    def role(self, unit: str) -> str | None:
        """The role of the unit's key; None for an unknown unit."""
        found = self.find(unit)
        return found.role if found is not None else None

    def set_local(self, units: Mapping[str, UnitKey]) -> None:
        """Set the local units (`make_local_units`): their keys are not in the journal, and valid only from loopback."""
        with self._lock:
            changed = frozenset(unit for unit in {*self._local, *units} if self._local.get(unit) != units.get(unit))
            self._local, self._seen_local = dict(units), frozenset()
        for listener in self._listeners if changed else ():
            listener(changed)

    def is_local(self, unit: str) -> bool:
        """Whether the unit is on this machine, and its key valid only from there."""
        return unit in self._local and self.find(unit) is self._local[unit]

    def mark_seen(self, unit: str) -> None:
        """A signature of the unit was valid: it exists."""
        if unit in self._local and unit not in self._seen_local:
            with self._lock:
                self._seen_local |= {unit}

    def listen(self, listener: Listener) -> None:
        """`listener` runs in the thread of the change, and must only enqueue."""
        self._listeners.append(listener)

    def add(self, unit: str, role: str = TABLE, actor: str = ORGANIZER) -> bytes:
        """Add a unit; returns its new key. Problem "unit_name", "unit_known", "unit_role", "too_many_units", and what
        `Service.execute` raises."""
        key = secrets.token_bytes(KEY_BYTES)
        self.enrol(unit, role, key, actor=actor)
        return key

    def replace(self, unit: str, actor: str = ORGANIZER) -> bytes:
        """A new key for a unit; the previous one becomes invalid. Problem "unknown_unit", "unit_local", as `add`."""
        said, key = self._journaled.get(unit, NO_KEY), secrets.token_bytes(KEY_BYTES)
        self._record(unit_keyed_entry(unit, self.require(unit).role, key.hex(), said), actor, key)
        return key

    def enrol(
        self,
        unit: str,
        role: str,
        key: bytes,
        replaces: bool = False,
        unit_id: str = "",
        actor: str = ORGANIZER,
        table: int | None = None,
    ) -> None:
        """Store the key that a unit has agreed on with the hub; repeating that changes nothing. `replaces`: the key of
        this name's previous unit becomes invalid; `unit_id`: the device's own id; `table`: where it stands from now on,
        None: unchanged. Problem as `add`."""
        check_unit(unit, role)
        # Read the record first: if another key is stored meanwhile, the journal refuses this one.
        said, before = self._journaled.get(unit, NO_KEY), self.find(unit)
        if before == UnitKey(key, role):
            return
        if before is not None and not replaces:
            raise Invalid("unit_known", unit=unit)
        new = unit_keyed_entry(unit, role, key.hex(), said, unit_id)
        self._record(new, actor, key, [] if table is None else [unit_placed_entry(unit, table)])

    def revoke(self, unit: str, actor: str = ORGANIZER) -> None:
        """The unit's key counts no more, and it stands nowhere. Problem "unknown_unit", "unit_local" and as `add`."""
        self.require(unit)
        stands = unit in self._service.snapshot.venue.tables
        self._record(
            NewEntry(UNIT_REVOKED, {"unit": unit}), actor, b"", [unit_placed_entry(unit, None)] if stands else []
        )

    def require(self, unit: str) -> UnitKey:
        """A unit whose key may be replaced. Raises Problem("unknown_unit"), ("unit_local")."""
        found = self.find(unit)
        if found is None:
            raise Problem("unknown_unit", unit=unit[:40])
        if self.is_local(unit):
            raise Problem("unit_local", unit=unit)
        return found

    def _record(self, new: NewEntry, actor: str, key: bytes, more: Sequence[NewEntry] = ()) -> None:
        self._service.execute(
            [Step(VENUE, each) for each in (new, *more)],
            actor,
            beside=[UnitKeyRow(unit=new.data["unit"], key=key.hex())],
        )
        self._notify()

    def _notify(self, *_: object) -> None:
        with self._lock:
            before, now = self._last_journaled, self._journaled
            self._last_journaled = now
        changed = frozenset(unit for unit in {*before, *self._known} if before.get(unit) != now.get(unit))
        for listener in self._listeners if changed else ():
            listener(changed)


def usual_role(unit: str) -> str:
    """The role of a unit of which only the key is known."""
    return STATION if unit.startswith(STATION) else TABLE


def check_unit(unit: str, role: str) -> None:
    """Raise Problem "unit_name" or "unit_role" for what no unit may have."""
    if NAME.fullmatch(unit) is None:
        raise Invalid("unit_name", unit=unit[:40])
    if role not in ROLES:
        raise Invalid("unit_role", role=role[:40])


def unit_name(kind: str) -> str:
    """The name of the local unit of this kind: "hub-panel"."""
    return f"hub-{kind}"


def local_folder(said: Path | None, runtime: str | None) -> Path | None:
    """The folder for the files: the command line's, else "local" in RUNTIME_DIRECTORY (systemd), else None."""
    if said is not None:
        return said
    return next((path for path in map(Path, (runtime or "").split(":")) if path.name == FOLDER_NAME), None)


def loopback_address(host: str, port: int) -> str | None:
    """The loopback URL of a hub that listens on `host`; None where there is none: local units are then like others."""
    if host in ("", "0.0.0.0", "::") or host == "localhost":
        return f"http://127.0.0.1:{port}"
    if is_loopback(host):
        return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"
    return None


def make_local_units(
    folder: Path,
    address: str,
    taken: Container[str],
    new_key: Callable[[], bytes] = lambda: secrets.token_bytes(KEY_BYTES),
    kinds: Sequence[str] = LOCAL_ROLES,
) -> dict[str, UnitKey]:
    """New keys by unit, each in `folder`/NAME.json as {"unit", "key" (hex), "hub" (address)}: mode 0640, of the group
    that may read it where there is one. `taken`: names that have a key in the journal, which takes precedence. `kinds`:
    of LOCAL_ROLES. Where the folder cannot be written, that is logged, and there are no local units."""
    made: dict[str, UnitKey] = {}
    try:
        if not folder.is_dir():
            folder.mkdir(parents=True)
            # Independent of the hub's umask: units have to read it.
            folder.chmod(FOLDER_MODE)
    except OSError as error:
        log.warning("units on this machine get no keys: %s", error)
        return made
    for kind in kinds:
        unit = unit_name(kind)
        if unit in taken:
            log.warning("%s has a key on the console: on this machine it gets no other", unit)
            continue
        key = UnitKey(new_key(), kind)
        try:
            text = json.dumps({"unit": unit, "key": key.key.hex(), "hub": address}) + "\n"
            write_atomically(folder / f"{kind}.json", text.encode(), FILE_MODE, (-1, _group(f"roundtap-{kind}", GROUP)))
        except OSError as error:
            log.warning("%s gets no key: %s", unit, error)
            continue
        made[unit] = key
    return made


def _group(*names: str) -> int:
    """The id of the first existing group that this process may give a file to; -1: none."""
    for name in names:
        with suppress(KeyError):
            number = grp.getgrnam(name).gr_gid
            if os.geteuid() == 0 or number in (os.getegid(), *os.getgroups()):
                return number
    return -1
