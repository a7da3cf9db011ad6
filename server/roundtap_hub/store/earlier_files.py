"""Migrates files of earlier hubs into the journal at the first start that finds them."""

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
from roundtap_hub.access import rights
from roundtap_hub.access.login_pins import HASH_PATTERN
from roundtap_hub.access.policy import STAFF_ROLES
from roundtap_hub.models import StaffRow, UnitKeyRow
from roundtap_hub.store.service import HubStopped, OutcomeUnknown, Service, Step
from roundtap_hub.units.unit_keys import KEY_BYTES, check_unit, usual_role

log = logging.getLogger(__name__)

KEYS_FILE, IDS_FILE, STAFF_FILE, LINKS_FILE = "keys.json", "unit-ids.json", "staff.json", "links.json"
GENERATIONS_MAX = 2**31
UNREAD = ".unread"  # suffix of a file that could only be migrated in part
ENTRY = re.compile(r'"(?P<unit>[A-Za-z0-9][A-Za-z0-9._-]{0,39})"\s*:\s*(?P<value>"[0-9A-Fa-f]{64,}"|\{[^{}]*\})')
"""A unit and its key, anywhere in the text."""

FileMigration = Callable[[Path, Service], list[str]]
"""Puts a file's content in the journal, except where the journal has newer entries; returns what was invalid. Raises
ValueError, TypeError or AttributeError if the whole file is invalid."""


def migrate_files(folder: Path, service: Service) -> bool:
    """Migrate the files that exist. False: some cannot be saved just now and stay where they are."""
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
    """{"unit": "64 hex digits" or {"key": "64 hex digits", "role": one of ROLES}}, perhaps edited manually. The file of
    unit ids is migrated with it."""
    known = service.snapshot.venue.units
    entries, wrong = _entries(path.read_text(encoding="utf-8", errors="replace"))
    times = Counter(unit for unit, _ in entries)
    marks: dict[str, str] = {}
    with suppress(OSError, ValueError, AttributeError):
        # They are only used to suggest a name.
        unit_ids = json.loads(path.with_name(IDS_FILE).read_text(encoding="utf-8"))
        marks = {str(name): unit_id for unit_id, name in unit_ids.items()}
    steps: list[Step] = []
    rows: list[UnitKeyRow] = []
    for unit, value in entries:
        try:
            fields = dict(value) if isinstance(value, tuple) else {"key": value}
            key, role = bytes.fromhex(fields["key"]).hex(), fields.get("role", usual_role(unit))
            check_unit(unit, role)
            # Of two keys under one name, neither can be trusted.
            if (
                len(key) < 2 * KEY_BYTES
                or times[unit] > 1
                or len(known) + len(rows) >= rights.UNITS_MAX
                or known.get(unit, same := rights.UnitKeyRecord(role, rights.key_digest(unit, key))) != same
            ):
                raise ValueError(unit)
        except (KeyError, TypeError, ValueError, Problem):
            wrong.append(unit[:40])
            continue
        if unit not in known:
            steps.append(Step(VENUE, rights.unit_keyed_entry(unit, role, key, unit_id=marks.get(unit, ""))))
        if unit not in service.snapshot.keys:
            # In a hub restored from a backup the entry may exist already (`journal_identity.latest_rights_entries`).
            rows.append(UnitKeyRow(unit=unit, key=key))
    service.execute(steps, "hub", beside=rows)
    return wrong


def _entries(text: str) -> tuple[list[tuple[str, Any]], list[str]]:
    """Each (unit, value) as often as it occurs, objects as their pairs, and what is wrong with the text. In broken JSON
    (a missing comma, a truncated file) every complete entry still counts."""
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
    """{"salt", "people": [{"id", "name", "role", "hashed", "last_login", "officials"}]}; each hash has its salt."""
    wrong: list[str] = []
    steps: list[Step] = []
    rows: list[SQLModel] = []
    for number, fields in enumerate(json.loads(path.read_text(encoding="utf-8"))["people"], start=1):
        try:
            row = StaffRow.model_validate({**fields, "person": fields["id"]})
            if fields["role"] not in STAFF_ROLES or (row.hashed and not HASH_PATTERN.fullmatch(row.hashed)):
                raise ValueError(row.person)
            ties = [
                NewEntry(rights.STAFF_TIED, {"person": row.person, "event": str(event), "official": str(official)})
                for event, official in fields["officials"].items()
            ]
        except (KeyError, TypeError, ValueError, AttributeError):
            wrong.append(f"person {number}")
            continue
        if row.person not in service.snapshot.venue.staff:
            new = NewEntry(
                rights.STAFF_SET, {"person": row.person, "role": fields["role"], "pin": rights.pin_digest(row.hashed)}
            )
            steps += [Step(VENUE, each) for each in (new, *ties)]
        if row.person not in service.snapshot.staff:
            rows.append(row)
    service.execute(steps, "hub", beside=rows)
    return wrong


def _migrate_links(path: Path, service: Service) -> list[str]:
    """{"era", "people": [[event, competitor, generation, holder]]}: all or nothing. A link that is not migrated opens
    nothing: the hub could not know which ones were revoked."""
    content = json.loads(path.read_text(encoding="utf-8"))
    links = {
        (str(event), str(competitor)): rights.PersonalLink(int(generation), str(holder), str(content["era"]))
        for event, competitor, generation, holder in content["people"]
    }
    if not all(0 <= link.generation < GENERATIONS_MAX for link in links.values()):
        raise ValueError("a generation that no hub has written")
    service.execute([Step(VENUE, rights.link_held_entry(who, link)) for who, link in links.items()], "hub")
    return []


LEGACY_FILES: dict[tuple[str, ...], FileMigration] = {
    (KEYS_FILE, IDS_FILE): _migrate_keys,
    (STAFF_FILE,): _migrate_staff,
    (LINKS_FILE,): _migrate_links,
}
"""Each with the files that belong to it."""
