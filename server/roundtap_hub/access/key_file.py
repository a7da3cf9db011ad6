"""Units' keys made elsewhere: a hub takes them from `keys.json` in its folder when it starts."""

import json
import logging
import re
from collections import Counter
from contextlib import suppress
from pathlib import Path
from typing import Any

from roundtap_core.errors import Invalid, Problem
from roundtap_core.event.entries import VENUE
from roundtap_hub.access.unit_keys import KEY_BYTES, check_unit, usual_role
from roundtap_hub.store import venue
from roundtap_hub.store.models import UnitKeyRow
from roundtap_hub.store.service import HubStopped, OutcomeUnknown, Service, Step

log = logging.getLogger(__name__)

KEYS_FILE = "keys.json"
UNREAD = ".unread"  # suffix of a file of which only a part could be taken
ENTRY = re.compile(r'"(?P<unit>[A-Za-z0-9][A-Za-z0-9._-]{0,39})"\s*:\s*(?P<value>"[0-9A-Fa-f]{64,}"|\{[^{}]*\})')
"""A unit and its key, anywhere in the text."""


def take_key_file(folder: Path, service: Service) -> bool:
    """Put its keys in the journal, except where the journal has newer entries, and take the file away. False: they
    cannot be saved just now, and it stays where it is."""
    path = folder / KEYS_FILE
    if not path.is_file():
        return True
    try:
        wrong = _take_keys(path, service)
    except Invalid as error:
        wrong = [str(error)]
    except (OSError, Problem, OutcomeUnknown, HubStopped) as error:
        log.error("%s is not taken over yet: %s", path, error)
        return False
    try:
        if wrong:
            log.error("%s: not all of it counts (%s); it is kept as %s", path, "; ".join(wrong), KEYS_FILE + UNREAD)
            path.replace(path.with_name(KEYS_FILE + UNREAD))
        else:
            path.unlink()
    except OSError as error:
        log.error("%s was taken over and has to be taken away: %s", path, error)
    return True


def _take_keys(path: Path, service: Service) -> list[str]:
    """{"unit": "64 hex digits" or {"key": "64 hex digits", "role": one of ROLES}}, perhaps edited manually. Returns
    what was invalid."""
    units = service.snapshot.venue.units
    entries, wrong = _entries(path.read_text(encoding="utf-8", errors="replace"))
    times = Counter(unit for unit, _ in entries)
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
                or len(units) + len(rows) >= venue.UNITS_MAX
                or units.get(unit, same := venue.UnitKeyRecord(role, venue.key_digest(unit, key))) != same
            ):
                raise ValueError(unit)
        except (KeyError, TypeError, ValueError, Problem):
            wrong.append(unit[:40])
            continue
        if unit not in units:
            steps.append(Step(VENUE, venue.unit_keyed_entry(unit, role, key)))
        if unit not in service.snapshot.keys:
            # In a hub restored from a backup the entry may exist already (`journal_identity.latest_rights_entries`).
            rows.append(UnitKeyRow(unit=unit, key=key))
    service.execute(steps, "hub", beside=rows)
    return wrong


def _entries(text: str) -> tuple[list[tuple[str, Any]], list[str]]:
    """Each (unit, value) as often as it occurs, objects as their pairs, and what is wrong with the text. In broken JSON
    (a missing comma, a truncated file) every complete entry still counts."""
    try:
        value = json.loads(text, object_pairs_hook=tuple)
        if isinstance(value, tuple):
            return list(value), []
        wrong = ["no object"]
    except (ValueError, RecursionError) as error:
        wrong = [str(error)]
    entries = []
    for match in ENTRY.finditer(text):
        with suppress(ValueError, RecursionError):
            entries.append((match["unit"], json.loads(match["value"], object_pairs_hook=tuple)))
    return entries, wrong
