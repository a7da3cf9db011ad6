"""The key of a unit on the hub's own machine: in a file that the hub writes at each start, read again when it changes.

For whoever builds a unit: `local_key(kind)` where there is no key of its own (kind: "panel", "station" or "table"; it
stands in for the hub until that has written its file), then `LocalKey(kind).renewed` as `renew` of its link, which asks
before each attempt to reach the hub.
"""

from __future__ import annotations

import json
import logging
import os
import secrets
from dataclasses import dataclass
from pathlib import Path

from roundtap_units.link.hub_choice import place_of

log = logging.getLogger(__name__)

FOLDER = Path("/run/roundtap/local")
FOLDER_VARIABLE = "ROUNDTAP_LOCAL"
"""Where the environment names another folder."""
KEY_BYTES = 32
BYTES_MAX = 4096


@dataclass(frozen=True, slots=True)
class HubHere:
    """Who a unit is to the hub on its own machine, their key of this start, and where that hub listens."""

    unit: str
    key: bytes
    host: str
    port: int


def local_file(kind: str) -> Path:
    return Path(os.environ.get(FOLDER_VARIABLE) or FOLDER) / f"{kind}.json"


def is_on_hubs_machine(kind: str) -> bool:
    """Whether a hub on this machine has a key for such a unit."""
    return local_file(kind).exists()


def local_key(kind: str) -> HubHere:
    """What the hub has written for a unit of this kind; while there is nothing, a key that nobody has."""
    return read_local(local_file(kind)) or HubHere(f"hub-{kind}", secrets.token_bytes(KEY_BYTES), "127.0.0.1", 8080)


def read_local(path: Path) -> HubHere | None:
    """None where there is no file, where this user may not read it, or where it is none of a hub's."""
    try:
        with open(path, "rb") as file:
            said = json.loads(file.read(BYTES_MAX))
        key, (host, port) = bytes.fromhex(said["key"]), place_of(said["hub"])
        if not isinstance(said["unit"], str) or not said["unit"] or len(key) < KEY_BYTES:
            raise ValueError("no unit's key")
    except FileNotFoundError:
        return None
    except (OSError, ValueError, KeyError, TypeError, RecursionError) as error:
        log.warning("%s cannot be read: %s", path, error)
        return None
    return HubHere(said["unit"], key, host, port)


class LocalKey:
    """Notices when the hub was started anew. For one thread; asking costs one question about the file."""

    def __init__(self, kind: str, path: Path | None = None) -> None:
        self._path = path or local_file(kind)
        self._seen: tuple[int, int] | None = None

    def renewed(self) -> HubHere | None:
        """What the file says now, where it is another file than when this was asked last; else None."""
        try:
            found = os.stat(self._path)
        except OSError:
            return None
        stamp = found.st_ino, found.st_mtime_ns
        if stamp == self._seen:
            return None
        self._seen = stamp
        return read_local(self._path)
