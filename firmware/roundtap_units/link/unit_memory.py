"""What a unit remembers of itself and of its hubs: one small file, written when something changes."""

from __future__ import annotations

import hashlib
import logging
import secrets
import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from roundtap_systemd.atomic_write import write_atomically
from roundtap_units.link.safe_file import UNREADABLE, read_summed, summed_line

log = logging.getLogger(__name__)

EPOCHS_MAX = 32
HUBS_MAX = 8
TEXT_MAX = 200


SERIAL_FILE = Path("/proc/device-tree/serial-number")


def machine_mark(serial: Path = SERIAL_FILE) -> str:
    """What tells this Pi from another one; "" where its serial number cannot be read."""
    try:
        return hashlib.sha256(serial.read_bytes()).hexdigest()[:12]
    except OSError:
        return ""


class UnitMemory:
    """`instance`: the random name of this data folder, with the mark of its machine (a card that was copied into two
    is two units). `epochs`: of the hubs' journals, in the order in which this
    unit first heard of them; the last is the newest. `hubs`: addresses that a welcome named besides those of the
    configuration. `hub`: which one answered last. `damaged_read`: how many damaged lines somebody has read about.

    Any thread may use it. A disk that refuses is no error here: the unit works on with what it knows.
    path None: nothing is kept. machine: its mark; "" where nobody knows it.
    """

    def __init__(self, path: Path | None, new_id: Callable[[], str] = lambda: secrets.token_hex(12),
                 machine: str = "") -> None:
        self._path = path
        self._machine = machine
        self._lock = threading.Lock()
        self._folder_id = new_id()
        self.epochs: tuple[str, ...] = ()
        self.hubs: tuple[str, ...] = ()
        self.hub: str | None = None
        self.damaged_read = 0
        if path is not None and not self._read(path):
            self._write()

    @property
    def instance(self) -> str:
        return f"{self._folder_id}-{self._machine}" if self._machine else self._folder_id

    @property
    def unit_id(self) -> str:
        """What a hub remembers this unit by: its machine, whatever card is in it; else its folder."""
        return f"m-{self._machine}" if self._machine else f"f-{self._folder_id}"

    @property
    def epoch(self) -> str | None:
        """Of the last welcome that was believed; None: there was none."""
        return self.epochs[-1] if self.epochs else None

    def note_welcome(self, hub: str, epoch: str, hubs: Sequence[str]) -> None:
        """A hub was believed: where it is, its journal's epoch, the others where that journal is kept."""
        hubs = tuple(each for each in hubs if len(each) <= TEXT_MAX)[:HUBS_MAX]
        with self._lock:
            epochs = (*[each for each in self.epochs if each != epoch][1 - EPOCHS_MAX:], epoch)
            if (hub, epochs, hubs) != (self.hub, self.epochs, self.hubs):
                self.hub, self.epochs, self.hubs = hub, epochs, hubs
                self._write()

    def note_damaged_read(self, lines: int) -> None:
        with self._lock:
            if lines != self.damaged_read:
                self.damaged_read = lines
                self._write()

    def _read(self, path: Path) -> bool:
        try:
            line, _ = read_summed(path.read_bytes())
            self._take(line)
        except (OSError, *UNREADABLE) as error:
            if not isinstance(error, FileNotFoundError):
                log.error("%s cannot be read, and is begun anew: %s", path, error)
            return False
        return True

    def _take(self, line: dict[str, Any]) -> None:
        instance, hub, read = line["instance"], line["hub"], line["damaged_read"]
        epochs, hubs = tuple(line["epochs"]), tuple(line["hubs"])
        if not isinstance(instance, str) or not 0 < len(instance) <= 32 or type(read) is not int:
            raise ValueError("a memory of somebody else")
        if not all(isinstance(text, str) for text in (*epochs, *hubs, hub or "")):
            raise ValueError("a memory of somebody else")
        self._folder_id, self.hub, self.damaged_read, self.epochs, self.hubs = instance, hub, read, epochs, hubs

    def _write(self) -> None:
        if self._path is None:
            return
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            write_atomically(self._path, summed_line({
                "instance": self._folder_id, "epochs": list(self.epochs), "hubs": list(self.hubs), "hub": self.hub,
                "damaged_read": self.damaged_read}))
        except OSError as error:
            log.error("%s cannot be written: %s", self._path, error)
