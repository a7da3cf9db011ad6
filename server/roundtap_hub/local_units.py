"""Units on the hub's own machine: fresh keys at each start, in files under /run that only they may read."""

from __future__ import annotations

import grp
import json
import logging
import os
import secrets
from collections.abc import Callable, Container, Mapping
from contextlib import suppress
from pathlib import Path

from roundtap_hub.auth import is_loopback
from roundtap_hub.devices.unit_keys import KEY_BYTES, PANEL, STATION, TABLE, UnitKey
from roundtap_systemd.atomic_write import write_atomically

log = logging.getLogger(__name__)

KINDS: Mapping[str, str] = {PANEL: PANEL, STATION: STATION, TABLE: TABLE}
"""Name of the file → the role of its key. The unit itself is called "hub-" and the name."""
GROUP = "roundtap-local"
"""Who may read the files beside the hub; a group "roundtap-panel" that the hub is in has the panel's to itself."""
FILE_MODE, FOLDER_MODE = 0o640, 0o755
FOLDER_NAME = "local"


def unit_name(kind: str) -> str:
    """What the unit of this kind on the hub's machine is called: "hub-panel"."""
    return f"hub-{kind}"


def local_folder(said: Path | None, runtime: str | None) -> Path | None:
    """Where the files go: what the command line says, else the directory called "local" among those that systemd made
    for this service (RUNTIME_DIRECTORY); None: nowhere."""
    if said is not None:
        return said
    return next((path for path in map(Path, (runtime or "").split(":")) if path.name == FOLDER_NAME), None)


def loopback_address(host: str, port: int) -> str | None:
    """Where a unit on this machine reaches a hub that listens on `host`; None where it is not to be reached by
    loopback, and units here are like units elsewhere."""
    if host in ("", "0.0.0.0", "::") or host == "localhost":
        return f"http://127.0.0.1:{port}"
    if is_loopback(host):
        return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"
    return None


def make_local_units(folder: Path, address: str, taken: Container[str],
                     new_key: Callable[[], bytes] = lambda: secrets.token_bytes(KEY_BYTES)) -> dict[str, UnitKey]:
    """New keys by unit, each in `folder`/NAME.json as {"unit", "key" (hex), "hub" (address)}: mode 0640, of the group
    that may read it where there is one. `taken`: names that have a key in the journal, which counts instead.

    A folder that cannot be written is said, and changes nothing else: then there are no units on this machine.
    """
    made: dict[str, UnitKey] = {}
    try:
        if not folder.is_dir():
            folder.mkdir(parents=True)
            # Whatever the hub's own umask: units have to get in.
            folder.chmod(FOLDER_MODE)
    except OSError as error:
        log.warning("units on this machine get no keys: %s", error)
        return made
    for kind, role in KINDS.items():
        unit = unit_name(kind)
        if unit in taken:
            log.warning("%s has a key on the console: on this machine it gets no other", unit)
            continue
        key = UnitKey(new_key(), role)
        try:
            said = json.dumps({"unit": unit, "key": key.key.hex(), "hub": address}) + "\n"
            write_atomically(folder / f"{kind}.json", said.encode(), FILE_MODE,
                             (-1, _group(f"roundtap-{kind}", GROUP)))
        except OSError as error:
            log.warning("%s gets no key: %s", unit, error)
            continue
        made[unit] = key
    return made


def _group(*names: str) -> int:
    """The number of the first one that there is and that this process may give a file to; -1: none of them."""
    for name in names:
        with suppress(KeyError):
            number = grp.getgrnam(name).gr_gid
            if os.geteuid() == 0 or number in (os.getegid(), *os.getgroups()):
                return number
    return -1
