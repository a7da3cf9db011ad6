"""A hub's address, and the key to it of a unit on the hub's own machine.

A hub writes the keys of the units on its own machine to files at each start. A unit without a key of its own calls
`local_key(kind)` (kind: "panel", "station" or "table"; it works before the hub has written its file), and passes
`LocalKeyWatch(kind).poll` to its link as "renew", which is called before each attempt to reach the hub.
"""

import ipaddress
import json
import logging
import os
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

log = logging.getLogger(__name__)

HUBS_MAX = 8
KEY_BYTES = 32
FOLDER = Path("/run/roundtap/local")
FOLDER_VARIABLE = "ROUNDTAP_LOCAL"  # the environment variable for another folder
BYTES_MAX = 4096
HOST_NAME = re.compile(r"\w([\w.-]*[\w.])?", re.ASCII)

Endpoint = tuple[str, int]


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


def parse_endpoint(address: object) -> Endpoint:
    """Host and port of "http://10.42.0.1:8080". ValueError for anything else, also for half an IPv4 address."""
    parts = urlsplit(address) if isinstance(address, str) else None
    if parts is None or parts.scheme != "http" or not parts.hostname or parts.port == 0:
        raise ValueError(f"not an address: {address!r}")
    if ":" in parts.hostname or parts.hostname.rpartition(".")[2].isdecimal():
        ipaddress.ip_address(parts.hostname)
    elif not HOST_NAME.fullmatch(parts.hostname):
        raise ValueError(f"not a machine's name: {parts.hostname!r}")
    return parts.hostname, parts.port or 80


def endpoint_url(place: Endpoint) -> str:
    host, port = place
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


def parse_endpoints(addresses: Sequence[object]) -> list[Endpoint]:
    places = []
    for address in addresses:
        try:
            places.append(parse_endpoint(address))
        except ValueError:
            continue
    return places


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

    def __init__(self, kind: str) -> None:
        self._path = local_key_file(kind)
        self._seen: tuple[int, int] | None = None

    def poll(self) -> HubAddress | None:
        """The file's content, where the file has changed since the last call; else None."""
        try:
            stat = os.stat(self._path)
        except OSError:
            return None
        stamp = stat.st_ino, stat.st_mtime_ns
        if stamp == self._seen:
            return None
        self._seen = stamp
        return read_local_key(self._path)
