"""Which printer a station has: port, model, speed, and whether somebody read what it prints. Kept on its disk."""

from __future__ import annotations

import json
import logging
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path
from typing import Any

from roundtap_core.messages import PrinterOrder
from roundtap_core.typed import Malformed, read
from roundtap_devices.printing.known_printers import PROFILES
from roundtap_devices.printing.printer_profiles import BAUDS, FLOWS, PrinterProfile
from roundtap_systemd.atomic_write import write_atomically

log = logging.getLogger(__name__)

AUTO = "auto"
FILE = "printer.json"


@dataclass(frozen=True, slots=True)
class PrinterSettings:
    """port: a port's id, "" for the first that appears. printer: a known profile or a TOML file. baud, flow: 0 and ""
    for the profile's own. confirmed: somebody read what it prints so. order: the hub's last word that was taken."""

    port: str = ""
    printer: str = "epson-80"
    baud: int = 0
    flow: str = ""
    confirmed: bool = False
    order: str = ""

    def speed(self, profile: PrinterProfile) -> int:
        return self.baud or profile.baud

    def flow_of(self, profile: PrinterProfile) -> str:
        return self.flow or profile.flow

    def same_as(self, other: PrinterSettings) -> bool:
        """Whether a confirmation of one holds for the other."""
        return (self.port, self.printer, self.baud, self.flow) == (other.port, other.printer, other.baud, other.flow)


def read_settings(folder: Path, written: PrinterSettings) -> PrinterSettings:
    """What was found out and confirmed before. `written`: what the configuration file says, which goes first where it
    says anything; what was confirmed of another printer does not hold for that one."""
    try:
        said = json.loads((folder / FILE).read_text(encoding="utf-8"))
        kept = PrinterSettings(**_checked(said))
    except FileNotFoundError:
        return written
    except (OSError, ValueError, TypeError) as error:
        log.error("%s cannot be read and is passed over: %s", folder / FILE, error)
        return written
    usual = PrinterSettings()
    wanted = replace(kept, **{name: getattr(written, name) for name in ("port", "printer", "baud", "flow")
                              if getattr(written, name) != getattr(usual, name)})
    return wanted if wanted.same_as(kept) else replace(wanted, confirmed=False)


def write_settings(folder: Path, settings: PrinterSettings) -> None:
    """In one atomic step. OSError: the file stands as it was."""
    folder.mkdir(parents=True, exist_ok=True)
    write_atomically(folder / FILE, json.dumps(asdict(settings), indent=1).encode() + b"\n")


def _checked(said: Any) -> dict[str, Any]:
    known = {each.name: each for each in fields(PrinterSettings)}
    if not isinstance(said, dict) or not set(said) <= set(known):
        raise ValueError("these are no settings of a printer")
    for name, value in said.items():
        if not isinstance(value, {"baud": int, "confirmed": bool}.get(name, str)):
            raise ValueError(f"{name}: {value!r}")
    if said.get("baud", 0) not in (0, *BAUDS) or said.get("flow", "") not in ("", *FLOWS):
        raise ValueError("no such speed or flow control")
    return said


def taken_order(settings: PrinterSettings, order: object) -> PrinterSettings | None:
    """The settings after the hub's word {id, port, printer, baud, confirmed}; None where it is none, or no news."""
    try:
        said = read(PrinterOrder, order)
    except Malformed:
        return None
    # Never a file of this machine: the hub names models, and nothing else.
    if said.id == settings.order or said.printer not in PROFILES or said.baud not in (0, *BAUDS):
        return None
    return PrinterSettings(said.port or settings.port, said.printer, said.baud, "", said.confirmed, said.id)
