"""What hubs before this one kept in files of their folder, taken into the journal at the first start that finds it."""

from __future__ import annotations

import json
import logging
import re
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

from sqlmodel import SQLModel

from roundtap_core.errors import Invalid, Problem
from roundtap_core.event.entries import VENUE, NewEntry
from roundtap_hub.access.pins import HASH_PATTERN
from roundtap_hub.access.policy import STAFF_ROLES
from roundtap_hub.access.rights import (
    STAFF_SET,
    STAFF_TIED,
    UNITS_MAX,
    PersonalLink,
    UnitKeyRecord,
    key_digest,
    link_held_entry,
    pin_digest,
    unit_keyed_entry,
)
from roundtap_hub.models import StaffRow, UnitKeyRow
from roundtap_hub.store.service import HubStopped, OutcomeUnknown, Service, Step
from roundtap_hub.units.unit_keys import KEY_BYTES, check_unit, usual_role

log = logging.getLogger(__name__)

KEYS_FILE, IDS_FILE, STAFF_FILE, LINKS_FILE = "keys.json", "unit-ids.json", "staff.json", "links.json"
GENERATIONS_MAX = 2**31
UNREAD = ".unread"
"""Appended to the name of a file of which not all counts."""
ENTRY = re.compile(r'"(?P<unit>[A-Za-z0-9][A-Za-z0-9._-]{0,39})"\s*:\s*(?P<value>"[0-9A-Fa-f]{64,}"|\{[^{}]*\})')
"""A unit and its key, wherever they stand."""

FileMigration = Callable[[Path, Service], list[str]]
"""Everything of a file is in the journal when it returns, but what that has words of already: those are newer. Returns
what does not count. Raises ValueError, TypeError or AttributeError where nothing of it makes sense."""


def migrate_files(folder: Path, service: Service) -> bool:
    """Where there are none, nothing is done. False: some cannot be saved just now and stay where they are."""
    done = True
    for (name, *beside), take_over in LEGACY_FILES.items():
        path = folder / name
        if not path.is_file():
            continue
        try:
            wrong = take_over(path, service)
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError, OverflowError, Invalid) as error:
            wrong = [str(error)]
        except (OSError, Problem, OutcomeUnknown, HubStopped) as error:
            log.error("%s is not taken over yet: %s", path, error)
            done = False
            continue
        try:
            if wrong:
                log.error("%s: not all of it counts (%s); it is kept as %s", path, "; ".join(wrong), name + UNREAD)
                path.replace(path.with_name(name + UNREAD))
            else:
                path.unlink()
            for each in beside:
                path.with_name(each).unlink(missing_ok=True)
        except OSError as error:
            log.error("%s was taken over and has to be taken away: %s", path, error)
    return done


def _migrate_keys(path: Path, service: Service) -> list[str]:
    """{"unit": "64 hex digits" or {"key": "64 hex digits", "role": one of ROLES}}: somebody may have put it there by
    hand as well. The marks of units go with it."""
    known = service.snapshot.venue.units
    entries, wrong = _entries(path.read_text(encoding="utf-8", errors="replace"))
    times = Counter(unit for unit, _ in entries)
    marks: dict[str, str] = {}
    with suppress(OSError, ValueError, AttributeError):
        # Nothing hangs on them but a name that is offered.
        said_of = json.loads(path.with_name(IDS_FILE).read_text(encoding="utf-8"))
        marks = {str(name): unit_id for unit_id, name in said_of.items()}
    steps: list[Step] = []
    rows: list[UnitKeyRow] = []
    for unit, value in entries:
        try:
            said = dict(value) if isinstance(value, tuple) else {"key": value}
            key, role = bytes.fromhex(said["key"]).hex(), said.get("role", usual_role(unit))
            check_unit(unit, role)
            # Of two keys under one name, nobody could say which counts.
            if len(key) < 2 * KEY_BYTES or times[unit] > 1 or len(known) + len(rows) >= UNITS_MAX \
                    or known.get(unit, same := UnitKeyRecord(role, key_digest(unit, key))) != same:
                raise ValueError(unit)
        except (KeyError, TypeError, ValueError, Problem):
            wrong.append(unit[:40])
            continue
        if unit not in known:
            steps.append(Step(VENUE, unit_keyed_entry(unit, role, key, unit_id=marks.get(unit, ""))))
        if unit not in service.snapshot.keys:
            # Of a hub made of a backup of the file: the entry may be there already (journal_identity.py, `last_words`).
            rows.append(UnitKeyRow(unit=unit, key=key))
    service.ask(steps, "hub", beside=rows)
    return wrong


def _entries(text: str) -> tuple[list[tuple[str, Any]], list[str]]:
    """Each unit with what is said of it, as often as it stands there, objects as their pairs: those that stand whole in
    a text that is no JSON, too, as somebody forgot a comma, or half of it is gone. And what is wrong with the text."""
    try:
        found = json.loads(text, object_pairs_hook=tuple)
        if isinstance(found, tuple):
            return list(found), []
        wrong = ["no object"]
    except (ValueError, RecursionError) as error:
        wrong = [str(error)]
    entries = []
    for match in ENTRY.finditer(text):
        with suppress(ValueError):
            entries.append((match["unit"], json.loads(match["value"], object_pairs_hook=tuple)))
    return entries, wrong


def _migrate_staff(path: Path, service: Service) -> list[str]:
    """{"salt", "people": [{"id", "name", "role", "hashed", "last_login", "officials"}]}: each hash carries its salt."""
    wrong: list[str] = []
    steps: list[Step] = []
    rows: list[SQLModel] = []
    for number, said in enumerate(json.loads(path.read_text(encoding="utf-8"))["people"], start=1):
        try:
            row = StaffRow.model_validate({**said, "person": said["id"]})
            if said["role"] not in STAFF_ROLES or (row.hashed and not HASH_PATTERN.fullmatch(row.hashed)):
                raise ValueError(row.person)
            ties = [NewEntry(STAFF_TIED, {"person": row.person, "event": str(event), "official": str(official)})
                    for event, official in said["officials"].items()]
        except (KeyError, TypeError, ValueError, AttributeError):
            wrong.append(f"person {number}")
            continue
        if row.person not in service.snapshot.venue.staff:
            new = NewEntry(STAFF_SET, {"person": row.person, "role": said["role"], "pin": pin_digest(row.hashed)})
            steps += [Step(VENUE, each) for each in (new, *ties)]
        if row.person not in service.snapshot.staff:
            rows.append(row)
    service.ask(steps, "hub", beside=rows)
    return wrong


def _migrate_links(path: Path, service: Service) -> list[str]:
    """{"era", "people": [[event, competitor, generation, holder]]}: all of it or nothing. Whatever is not taken over is
    a link that opens nothing any more: nobody would know which were revoked."""
    said = json.loads(path.read_text(encoding="utf-8"))
    links = {(str(event), str(competitor)): PersonalLink(int(generation), str(holder), str(said["era"]))
             for event, competitor, generation, holder in said["people"]}
    if not all(0 <= link.generation < GENERATIONS_MAX for link in links.values()):
        raise ValueError("a generation that no hub has written")
    service.ask([Step(VENUE, link_held_entry(who, link)) for who, link in links.items()], "hub")
    return []


LEGACY_FILES: dict[tuple[str, ...], FileMigration] = {(KEYS_FILE, IDS_FILE): _migrate_keys,
                                                      (STAFF_FILE,): _migrate_staff, (LINKS_FILE,): _migrate_links}
"""Each with the files that go with it."""
