"""Which unit this is, to which hub: by its configuration, by enrolling, or by a hub on this machine.

A hub writes the keys of the units on its own machine to files at each start. A unit without a key of its own calls
`local_key(kind)` (kind: "panel", "station" or "table"; it works before the hub has written its file), and passes
`LocalKeyWatch(kind).renewed` to its link as `renew`, which is called before each attempt to reach the hub.
"""

import json
import logging
import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from roundtap_machine.atomic_write import write_atomically
from roundtap_units.link.checksum_lines import UNREADABLE, checksum_line, read_checksum_line
from roundtap_units.link.find_hub import static_candidates
from roundtap_units.link.hub_choice import HUBS_MAX, Endpoint, endpoint_url, parse_endpoint

log = logging.getLogger(__name__)

FILE = "enrolled.json"
KEY_BYTES = 32
FOLDER = Path("/run/roundtap/local")
FOLDER_VARIABLE = "ROUNDTAP_LOCAL"  # the environment variable for another folder
BYTES_MAX = 4096


@dataclass(frozen=True, slots=True)
class HubAddress:
    """Where the hub is, this unit's name there, and their shared key."""
    host: str
    port: int
    unit: str
    key: bytes
    others: tuple[Endpoint, ...] = ()  # other addresses of the hub: a standby, from the unit's configuration
    enrolled: bool = False  # whether the key came by enrolling: then the unit may enrol again

    @property
    def endpoints(self) -> tuple[Endpoint, ...]:
        return ((self.host, self.port), *self.others)


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
    line = checksum_line({"unit": enrolled.unit, "key": enrolled.key.hex(), "hub": enrolled.hub,
                        "hubs": [endpoint_url(each) for each in enrolled.hubs[:HUBS_MAX]]})
    write_atomically(folder / FILE, line, 0o600)


def known_identity(unit: str, key: bytes, hubs: tuple[Endpoint, ...], folder: Path,
                   elsewhere: Callable[[], tuple[Endpoint, ...]] = static_candidates) -> HubAddress | None:
    """The known identity; None: the unit has to enrol. The first three are the configuration's; `folder` is the data
    folder. elsewhere: where an unconfigured hub may be."""
    if key:
        first, *others = hubs or elsewhere()
        return HubAddress(*first, unit, key, tuple(others))
    kept = read_enrolled(folder)
    return enrolled_address(kept, hubs, elsewhere) if kept is not None else None


def enrolled_address(kept: EnrolledIdentity, hubs: tuple[Endpoint, ...] = (),
                elsewhere: Callable[[], tuple[Endpoint, ...]] = static_candidates) -> HubAddress:
    """The enrolled unit's address; its hub may have moved since."""
    first, *others = hubs or dict.fromkeys((*kept.hubs, *elsewhere()))
    return HubAddress(*first, kept.unit, kept.key, tuple(others), enrolled=True)


# --- a unit on the hub's own machine ---


def local_key_file(kind: str) -> Path:
    return Path(os.environ.get(FOLDER_VARIABLE) or FOLDER) / f"{kind}.json"


def has_local_key(kind: str) -> bool:
    return local_key_file(kind).exists()


def local_key(kind: str) -> HubAddress:
    """The key that the hub wrote for a unit of this kind; before that, a random one that opens nothing."""
    return read_local_key(local_key_file(kind)) or HubAddress("127.0.0.1", 8080, f"hub-{kind}", os.urandom(KEY_BYTES))


def read_local_key(path: Path) -> HubAddress | None:
    """None where the file is missing, not readable for this user, or not a hub's."""
    try:
        with open(path, "rb") as file:
            content = json.loads(file.read(BYTES_MAX))
        key, (host, port) = bytes.fromhex(content["key"]), parse_endpoint(content["hub"])
        if not isinstance(content["unit"], str) or not content["unit"] or len(key) < KEY_BYTES:
            raise ValueError("no unit's key")
    except FileNotFoundError:
        return None
    except (OSError, ValueError, KeyError, TypeError, RecursionError) as error:
        log.warning("%s cannot be read: %s", path, error)
        return None
    return HubAddress(host, port, content["unit"], key)


class LocalKeyWatch:
    """Notices a restart of the hub. For one thread; each call costs one stat of the file."""

    def __init__(self, kind: str, path: Path | None = None) -> None:
        self._path = path or local_key_file(kind)
        self._seen: tuple[int, int] | None = None

    def poll(self) -> HubAddress | None:
        """The file's content, where the file has changed since the last call; else None."""
        try:
            found = os.stat(self._path)
        except OSError:
            return None
        stamp = found.st_ino, found.st_mtime_ns
        if stamp == self._seen:
            return None
        self._seen = stamp
        return read_local_key(self._path)
