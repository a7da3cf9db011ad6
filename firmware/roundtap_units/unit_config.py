"""What every unit's configuration file says: who it is, where its hub is, and where it keeps its things."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from roundtap_core.words import LANGUAGES
from roundtap_units.link.local_key import is_on_hubs_machine, local_key

COMMON_KEYS = ("unit", "key", "hub", "local", "folder", "language")


class ConfigError(ValueError):
    """A unit's configuration that a person can mend."""


@dataclass(frozen=True, slots=True)
class UnitConfig:
    """The part that all units share; each kind of unit adds its own. `others`: (host, port) of further hubs. `local`:
    the hub is on this machine, and who the unit is to it stands in a file of the hub's (link/local_key.py)."""

    unit: str
    key: bytes
    host: str
    port: int
    others: tuple[tuple[str, int], ...]
    folder: Path
    language: str
    local: bool


def read_unit_config(path: Path, own_keys: tuple[str, ...], kind: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """(the fields of `UnitConfig`; what the file says to `own_keys`, the keys that this kind of unit takes besides).

    A file without a key is a unit of the hub on this machine, if that hub has one for its `kind`, or it says `local`.
    ConfigError names the file, the key, and what would be right.
    """
    try:
        data: dict[str, Any] = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise ConfigError(f"{path}: this file cannot be read: {error.strerror}") from error
    except ValueError as error:
        raise ConfigError(f"{path}: this is not a TOML file: {error}") from error
    known = (*COMMON_KEYS, *own_keys)
    for name in data:
        if name not in known:
            raise ConfigError(f"{path}: {name}: unknown; known are {', '.join(known)}")
    local = data.get("local", "key" not in data and is_on_hubs_machine(kind))
    if not isinstance(local, bool):
        raise ConfigError(f"{path}: local: true or false is wanted, not {local!r}")
    for name in ("folder",) if local else ("unit", "key", "folder"):
        if not isinstance(data.get(name), str) or not data[name]:
            raise ConfigError(f"{path}: {name} is missing")
    language = data.get("language", "en")
    if language not in LANGUAGES:
        raise ConfigError(f"{path}: language: one of {', '.join(LANGUAGES)} is wanted, not {language!r}")
    common = {"folder": Path(data["folder"]), "language": language, "local": local}
    own = {name: value for name, value in data.items() if name in own_keys}
    if local:
        for name in ("unit", "key", "hub"):
            if name in data:
                raise ConfigError(f"{path}: {name}: a unit with local = true has it from the hub on this machine")
        here = local_key(kind)
        return {**common, "unit": here.unit, "key": here.key, "host": here.host, "port": here.port, "others": ()}, own
    try:
        key = bytes.fromhex(data["key"])
    except ValueError:
        key = b""
    if len(key) < 32:
        raise ConfigError(f"{path}: key: 64 hex digits are wanted")
    if not data.get("hub"):
        raise ConfigError(f"{path}: hub is missing")
    hubs = [_place(path, address) for address in (data["hub"] if isinstance(data["hub"], list) else [data["hub"]])]
    return {**common, "unit": data["unit"], "key": key, "host": hubs[0][0], "port": hubs[0][1],
            "others": tuple(hubs[1:])}, own


def _place(path: Path, address: object) -> tuple[str, int]:
    try:
        hub = urlsplit(address) if isinstance(address, str) else urlsplit("")
        host, port = hub.hostname, hub.port or 80
    except ValueError:
        host, port = None, 0
    if host is None or hub.scheme != "http":
        raise ConfigError(f'{path}: hub: an address like "http://10.42.0.1:8080" is wanted, or a list of such, '
                          f"not {address!r}")
    return host, port
