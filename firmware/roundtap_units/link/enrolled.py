"""What a unit got when it was enrolled: its name, its key and where its hub is; one file that nobody else may read."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from pathlib import Path

from roundtap_systemd.atomic_write import write_atomically
from roundtap_units.link.hub_choice import Place, address_of, place_of
from roundtap_units.link.safe_file import UNREADABLE, read_summed, summed_line

log = logging.getLogger(__name__)

FILE = "enrolled.json"
KEY_BYTES = 32
HUBS_MAX = 8


@dataclass(frozen=True, slots=True)
class Enrolled:
    """`hub`: which hub it was, by the lineage of its journal."""

    unit: str
    key: bytes
    hubs: tuple[Place, ...]
    hub: str


def read_enrolled(folder: Path) -> Enrolled | None:
    """What was kept; None where there is nothing, or nothing that can be read: then the unit enrols again."""
    path = folder / FILE
    try:
        line, summed = read_summed(path.read_bytes())
        key = bytes.fromhex(line["key"])
        if not summed or len(key) != KEY_BYTES or not isinstance(line["unit"], str) or not isinstance(line["hub"], str):
            raise ValueError("not what is kept there")
        return Enrolled(line["unit"], key, tuple(place_of(each) for each in line["hubs"]), line["hub"])
    except (OSError, *UNREADABLE) as error:
        if not isinstance(error, FileNotFoundError):
            log.error("%s cannot be read, and the unit enrols again: %s", path, error)
        return None


def keep_enrolled(folder: Path, enrolled: Enrolled) -> None:
    """On the disk when this returns, whole or not at all. OSError: what was kept before stands."""
    folder.mkdir(parents=True, exist_ok=True)
    line = summed_line({"unit": enrolled.unit, "key": enrolled.key.hex(), "hub": enrolled.hub,
                        "hubs": [address_of(each) for each in enrolled.hubs[:HUBS_MAX]]})
    write_atomically(folder / FILE, line, 0o600)
