"""Which unit this is, to which hub: by its configuration, or by enrolling."""

import logging
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from roundtap_machine.atomic_write import write_atomically
from roundtap_units.link.checksum_lines import UNREADABLE, checksum_line, read_checksum_line
from roundtap_units.link.find_hub import static_candidates
from roundtap_units.link.hub_choice import HUBS_MAX, KEY_BYTES, Endpoint, HubAddress, endpoint_url, parse_endpoint

log = logging.getLogger(__name__)

FILE = "enrolled.json"


@dataclass(frozen=True, slots=True)
class EnrolledIdentity:
    """The result of enrolling. `hub`: which hub it was, by its journal's lineage."""

    unit: str
    key: bytes
    hubs: tuple[Endpoint, ...]
    hub: str


def read_enrolled(folder: Path) -> EnrolledIdentity | None:
    """The stored identity; None where there is none, or it is unreadable: then the unit enrols again."""
    path = folder / FILE
    try:
        line, summed = read_checksum_line(path.read_bytes())
        key = bytes.fromhex(line["key"])
        if not summed or len(key) != KEY_BYTES or not isinstance(line["unit"], str) or not isinstance(line["hub"], str):
            raise ValueError("not what is kept there")
        return EnrolledIdentity(line["unit"], key, tuple(parse_endpoint(each) for each in line["hubs"]), line["hub"])
    except (OSError, *UNREADABLE) as error:
        if not isinstance(error, FileNotFoundError):
            log.error("%s cannot be read, and the unit enrols again: %s", path, error)
        return None


def save_enrolled(folder: Path, enrolled: EnrolledIdentity) -> None:
    """On the disk when this returns, completely or not at all. OSError: the previous one stands."""
    folder.mkdir(parents=True, exist_ok=True)
    line = checksum_line(
        {
            "unit": enrolled.unit,
            "key": enrolled.key.hex(),
            "hub": enrolled.hub,
            "hubs": [endpoint_url(each) for each in enrolled.hubs[:HUBS_MAX]],
        }
    )
    write_atomically(folder / FILE, line, 0o600)


def known_identity(
    unit: str,
    key: bytes,
    hubs: tuple[Endpoint, ...],
    folder: Path,
    elsewhere: Callable[[], tuple[Endpoint, ...]] = static_candidates,
) -> HubAddress | None:
    """The known identity; None: the unit has to enrol. The first three are the configuration's; `folder` is the data
    folder. elsewhere: where an unconfigured hub may be."""
    if key:
        first, *others = hubs or elsewhere()
        return HubAddress(*first, unit, key, tuple(others))
    identity = read_enrolled(folder)
    return enrolled_address(identity, hubs, elsewhere) if identity is not None else None


def enrolled_address(
    identity: EnrolledIdentity,
    hubs: tuple[Endpoint, ...] = (),
    elsewhere: Callable[[], tuple[Endpoint, ...]] = static_candidates,
) -> HubAddress:
    """The enrolled unit's address; its hub may have moved since."""
    first, *others = hubs or dict.fromkeys((*identity.hubs, *elsewhere()))
    return HubAddress(*first, identity.unit, identity.key, tuple(others), enrolled=True)
