"""What hubs before this one kept in files of their folder, taken into the journal at the first start that finds it."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

from sqlmodel import SQLModel

from roundtap_core.errors import Problem
from roundtap_core.event.entries import VENUE, NewEntry
from roundtap_hub.devices.unit_keys import KEY_BYTES, check_named, usual_role
from roundtap_hub.journal.keyed_units import UNITS_MAX, Keyed, key_digest, keyed
from roundtap_hub.journal.service import OutcomeUnknown, Service, Step
from roundtap_hub.journal.staff_roll import SET, TIED, pin_digest
from roundtap_hub.models import StaffLoginRow, StaffRow, UnitKeyRow
from roundtap_hub.pin import HASHED
from roundtap_hub.policy import STAFF_ROLES

log = logging.getLogger(__name__)

KEYS_FILE, IDS_FILE, STAFF_FILE = "keys.json", "unit-ids.json", "staff.json"
UNREAD = ".unread"
"""Appended to the name of a file of which not all could be read: nothing of it counts a second time."""

TakeOver = Callable[[Path, Service], list[str]]
"""Everything of a file is in the journal when it returns; returns what of it makes no sense. Raises ValueError,
TypeError or AttributeError where none of it does."""


def take_over_files(folder: Path, service: Service) -> None:
    """Where there are none, nothing is done. What cannot be saved just now stays where it is for the next start."""
    for name, take_over in FILES.items():
        path = folder / name
        if not path.is_file():
            continue
        try:
            wrong = take_over(path, service)
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
            wrong = [str(error)]
        except (OSError, Problem, OutcomeUnknown) as error:
            log.error("%s is not taken over yet: %s", path, error)
            continue
        try:
            if wrong:
                log.error("%s: not all of it can be read (%s); it is kept as %s", path, "; ".join(wrong), name + UNREAD)
                path.replace(path.with_name(name + UNREAD))
            else:
                path.unlink()
        except OSError as error:
            log.error("%s was taken over and has to be taken away: %s", path, error)


def _keys(path: Path, service: Service) -> list[str]:
    """{"unit": "64 hex digits" or {"key": "64 hex digits", "role": one of ROLES}}: somebody may have put it there by
    hand as well. The marks of units go with it."""
    known, wrong = service.snapshot.venue.units, []
    marks = {name: unit_id for unit_id, name in _ids(path.with_name(IDS_FILE)).items()}
    steps: list[Step] = []
    rows: list[UnitKeyRow] = []
    for unit, value in json.loads(path.read_text(encoding="utf-8")).items():
        said = value if isinstance(value, dict) else {"key": value}
        try:
            key, role = bytes.fromhex(said["key"]), said.get("role", usual_role(unit))
            check_named(unit, role)
            if len(key) < KEY_BYTES or len(known) + len(rows) >= UNITS_MAX:
                raise ValueError(unit)
        except (KeyError, TypeError, ValueError, Problem):
            wrong.append(unit[:40])
            continue
        if known.get(unit) != Keyed(role, key_digest(unit, key)):
            steps.append(Step(VENUE, keyed(unit, role, key, known.get(unit), marks.get(unit, ""))))
            rows.append(UnitKeyRow(unit=unit, key=key.hex()))
    service.ask(steps, "hub", beside=rows)
    return wrong


def _ids(path: Path) -> dict[str, Any]:
    """Name by mark: nothing hangs on it but a name that is offered."""
    with suppress(OSError, ValueError):
        found = json.loads(path.read_text(encoding="utf-8"))
        if isinstance(found, dict):
            return {unit_id: name for unit_id, name in found.items() if isinstance(name, str)}
    return {}


def _staff(path: Path, service: Service) -> list[str]:
    """{"salt", "people": [{"id", "name", "role", "hashed", "last_login", "officials"}]}: each hash carries its salt."""
    wrong: list[str] = []
    steps: list[Step] = []
    rows: list[SQLModel] = []
    for number, said in enumerate(json.loads(path.read_text(encoding="utf-8"))["people"], start=1):
        try:
            row = StaffRow.model_validate({**said, "person": said["id"]})
            login = StaffLoginRow.model_validate({"person": row.person, "wall": said["last_login"]})
            if said["role"] not in STAFF_ROLES or (row.hashed and not HASHED.fullmatch(row.hashed)):
                raise ValueError(row.person)
            ties = [NewEntry(TIED, {"person": row.person, "event": str(event), "official": str(official)})
                    for event, official in said["officials"].items()]
        except (KeyError, TypeError, ValueError, AttributeError):
            wrong.append(f"person {number}")
            continue
        if row.person not in service.snapshot.venue.staff:
            new = NewEntry(SET, {"person": row.person, "role": said["role"], "pin": pin_digest(row.hashed)})
            steps += [Step(VENUE, each) for each in (new, *ties)]
            rows += [row, login]
    service.ask(steps, "hub", beside=rows)
    return wrong


FILES: dict[str, TakeOver] = {KEYS_FILE: _keys, IDS_FILE: lambda *_: [], STAFF_FILE: _staff}
"""In this order: the marks go with the keys."""
