"""The configuration file common to all units, identity, hub and data folder; and their texts, on top of the core's."""

import logging
import os
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from roundtap_core.words import LANGUAGES, Words, catalogue, core_words
from roundtap_devices.boards import Board, BoardError, load_board
from roundtap_devices.toml_tables import TomlTableError
from roundtap_machine.notify import refuse, restart_process
from roundtap_units.link.hub_address import HubAddress, has_local_key, local_key, parse_endpoint

COMMON_KEYS = ("unit", "key", "hub", "folder", "language", "local")
LANGUAGE_FILE = "language"
REENROL_VARIABLE = "ROUNDTAP_ENROL_ANEW"  # set for a process that restarts in order to get another key
PRACTICE_VARIABLE = "ROUNDTAP_PRACTICE"  # set for one that restarts for practice: JSON of where


class ConfigError(ValueError):
    """A fault in a unit's configuration that its owner can fix."""


@dataclass(frozen=True, slots=True)
class UnitConfig:
    """The settings that all units share; each kind of unit adds its own. `link/enrolling.py` supplies what the file
    leaves open. unit: "" where the hub names it. key: empty where the unit has to enrol. hubs: (host, port) of the hub
    and its possible replacements; empty where the unit searches. local: whether the hub is on this machine, and has the
    unit's identity in a file (`link/hub_address.py`)."""

    unit: str
    key: bytes
    hubs: tuple[tuple[str, int], ...]
    folder: Path
    language: str
    local: bool

    def identity(self) -> HubAddress | None:
        """Who the unit is, as far as known; None: it has to enrol, or its owner wants another key."""
        if os.environ.pop(REENROL_VARIABLE, ""):
            return None
        # Imported late: the search for a hub takes as long to load as all that a first screen needs.
        from roundtap_units.link.enrolling import known_identity

        return known_identity(self.unit, self.key, self.hubs, self.folder)


def run_unit(kind: str, run: Callable[[], bool]) -> int:
    """The exit code of a unit's process; 2 where its configuration is faulty. `run` returns whether to restart the
    process, as after a power cut."""
    logging.basicConfig(level=logging.WARNING, format="%(levelname)s %(name)s: %(message)s")
    try:
        if run():
            restart_process()
    except (ConfigError, TomlTableError) as error:
        return refuse(kind, error)
    return 0


def configured_board(path: Path | None, settings: Mapping[str, Any]) -> Board:
    try:
        return load_board(settings.get("board", "recommended"))
    except (BoardError, OSError) as error:
        raise ConfigError(f"{path}: board: {error}") from error


def read_unit_config(path: Path | None, own_keys: tuple[str, ...], kind: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """(the fields of `UnitConfig`; the values of `own_keys`, which only this kind of unit has). No file (None, or
    missing) is fine: without a key it is a unit of the hub on this machine, if that has one for its `kind` ("table",
    "station" …), and otherwise one that enrols. ConfigError names the file, the key, and what would be right."""
    data = read_toml(path) if path is not None else {}
    keys = (*COMMON_KEYS, *own_keys)
    for name in data:
        if name not in keys:
            raise ConfigError(f"{path}: {name}: unknown; known are {', '.join(keys)}")
    for name in ("unit", "key", "folder"):
        if name in data and (not isinstance(data[name], str) or not data[name]):
            raise ConfigError(f"{path}: {name}: must be a text; otherwise remove the line")
    key = _key(path, data["key"]) if "key" in data else b""
    if key and "unit" not in data:
        raise ConfigError(f"{path}: unit is missing: a key needs its unit's name")
    local = data.get("local", "key" not in data and has_local_key(kind))
    if not isinstance(local, bool):
        raise ConfigError(f"{path}: local: must be true or false, not {local!r}")
    configured = data.get("hub", [])
    hubs = [_endpoint(path, address) for address in (configured if isinstance(configured, list) else [configured])]
    folder = Path(data["folder"]) if "folder" in data else default_data_folder(kind)
    language = known_language(path, data.get("language") or saved_language(folder))
    common = {
        "unit": data.get("unit", ""),
        "key": key,
        "hubs": tuple(hubs),
        "folder": folder,
        "language": language,
        "local": local,
    }
    if local:
        for name in ("unit", "key", "hub"):
            if name in data:
                raise ConfigError(f"{path}: {name}: remove it: with local = true it comes from the hub on this machine")
        here = local_key(kind)
        common |= {"unit": here.unit, "key": here.key, "hubs": ((here.host, here.port),)}
    return common, {name: value for name, value in data.items() if name in own_keys}


def known_language(path: Path | None, language: str) -> str:
    """Raises ConfigError."""
    if language not in LANGUAGES:
        raise ConfigError(f"{path}: language: must be one of {', '.join(LANGUAGES)}, not {language!r}")
    return language


def default_data_folder(kind: str) -> Path:
    """The default data folder: systemd's for the service, or the same path."""
    made = os.environ.get("STATE_DIRECTORY", "").partition(":")[0]
    return Path(made or f"/var/lib/roundtap-{kind}")


def saved_language(folder: Path) -> str:
    """The language chosen with the unit's buttons, where no file sets it; else English."""
    try:
        language = (folder / LANGUAGE_FILE).read_text(encoding="ascii").strip()
    except (OSError, ValueError):
        return LANGUAGES[0]
    return language if language in LANGUAGES else LANGUAGES[0]


def save_language(folder: Path, language: str) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / LANGUAGE_FILE).write_text(f"{language}\n", encoding="ascii")


def read_toml(path: Path) -> dict[str, Any]:
    """The content of a TOML file; empty where there is none. ConfigError where it cannot be read."""
    try:
        # Files written on Windows may begin with a byte order mark.
        data: dict[str, Any] = tomllib.loads(path.read_text(encoding="utf-8-sig"))
    except FileNotFoundError:
        return {}
    except OSError as error:
        raise ConfigError(f"{path}: this file cannot be read: {error.strerror or error}") from error
    except ValueError as error:
        raise ConfigError(f"{path}: this is not a TOML file: {error}") from error
    return data


def _key(path: Path | None, text: str) -> bytes:
    try:
        key = bytes.fromhex(text)
    except ValueError:
        key = b""
    if len(key) < 32:
        raise ConfigError(f"{path}: key: must be 64 hex digits")
    return key


def _endpoint(path: Path | None, address: object) -> tuple[str, int]:
    try:
        return parse_endpoint(address)
    except ValueError as error:
        raise ConfigError(
            f'{path}: hub: must be an address like "http://10.42.0.1:8080", or a list of them, not {address!r}'
        ) from error


def unit_words(language: str, joystick: bool = False) -> Words:
    """joystick: of a unit whose board has one (`Board.joystick`)."""
    words = catalogue("roundtap_units", language)
    return (words.variant("joystick") if joystick else words).also(core_words(language))
