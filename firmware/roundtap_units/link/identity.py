"""Who this unit is to which hub: by its configuration, by a hub on this machine, or by what it got when it enrolled."""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from roundtap_systemd.atomic_write import write_atomically
from roundtap_units.link.find_hub import standing_candidates
from roundtap_units.link.hub_choice import Place, address_of, place_of
from roundtap_units.link.link import HubAddress
from roundtap_units.link.safe_file import UNREADABLE, read_summed, summed_line

log = logging.getLogger(__name__)

CONFIGURED, ENROLLED = "configured", "enrolled"
FILE = "enrolled.json"
"""Nobody else may read it."""
KEY_BYTES = 32
HUBS_MAX = 8


@dataclass(frozen=True, slots=True)
class Enrolled:
    """What a unit got when it was enrolled. `hub`: which hub it was, by the lineage of its journal."""

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


@dataclass(frozen=True, slots=True)
class Identity:
    """`places`: where the hub may be, the likeliest first; `how`: CONFIGURED or ENROLLED."""

    unit: str
    key: bytes
    places: tuple[Place, ...]
    how: str

    @property
    def address(self) -> HubAddress:
        """For the links to the hub."""
        host, port = self.places[0]
        return HubAddress(host, port, self.unit, self.key, self.places[1:])


def known_identity(unit: str, key: bytes, hubs: tuple[Place, ...], folder: Path,
                   elsewhere: Callable[[], tuple[Place, ...]] = standing_candidates) -> Identity | None:
    """What is known without asking anybody; None: the unit has to enrol. The first four are the configuration's;
    `folder` is where the unit keeps its things. elsewhere: where a hub may be that nobody configured."""
    if key:
        return Identity(unit, key, hubs or elsewhere(), CONFIGURED)
    kept = read_enrolled(folder)
    return of_enrolled(kept, hubs, elsewhere) if kept is not None else None


def of_enrolled(kept: Enrolled, hubs: tuple[Place, ...] = (),
                elsewhere: Callable[[], tuple[Place, ...]] = standing_candidates) -> Identity:
    """By what the unit got; its hub may have moved since."""
    return Identity(kept.unit, kept.key, hubs or tuple(dict.fromkeys((*kept.hubs, *elsewhere()))), ENROLLED)
