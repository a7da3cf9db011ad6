"""The station's printer as it stands: found, opened by its port's id, tried at other speeds, set to other models."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path
from typing import Any

from roundtap_core.messages import PrinterOrder
from roundtap_core.typed import Malformed, read
from roundtap_core.words import Words
from roundtap_devices.printing.ports import (
    USB,
    FoundPort,
    Port,
    PortGone,
    find_ports,
    first_usable,
    open_path,
    open_port,
)
from roundtap_devices.printing.printer import Printer
from roundtap_devices.printing.printer_profiles import (
    BAUDS,
    FLOWS,
    NONE,
    PROFILES,
    RTSCTS,
    SOLD_AS,
    PrinterProfile,
    printer_profile,
)
from roundtap_systemd.atomic_write import write_atomically
from roundtap_units.station.station import SENDING, Compose, PrintLog, compose_with

log = logging.getLogger(__name__)

SPEEDS = (9600, 19200, 38400, 115200, 57600)
"""Those that receipt printers are set to, the commonest first."""

VIRTUAL_BAUD = 115200

Open = Callable[[FoundPort, int, str], Port]
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
    return wanted if wanted == kept else replace(wanted, confirmed=False)


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


class PrinterDesk:
    """Makes the `Printer` that a station uses, and another one when its settings change.

    written: what the configuration file says. find, open_found: what is plugged in, and how it is opened.
    device: a virtual printer's, instead of all that; it answers, and needs nobody to confirm its speed.
    """

    def __init__(self, folder: Path, written: PrinterSettings, words: Words, print_log: PrintLog,
                 find: Callable[[], list[FoundPort]] = find_ports, open_found: Open = open_port,
                 device: Callable[[], str] | None = None) -> None:
        self._folder = folder
        self._words = words
        self._log = print_log
        self._find = find
        self._open_found = open_found
        self._device = device
        self.settings = read_settings(folder, written)
        self.profile = self._profile_of(self.settings)
        self._tried: list[int] = []
        self._opened: FoundPort | None = None
        self._missing = False

    @property
    def speed(self) -> int:
        """What the port is opened at just now."""
        return self._tried[-1] if self._tried else self.settings.speed(self.profile)

    def make(self) -> Printer:
        """A printer by the settings of now. Its owner closes the one before."""
        self._tried = []
        return Printer(self.open, self.profile, self._log.printer_answers,
                       interrupted=bool(self._log.in_state(SENDING)), confirmed=self.settings.confirmed,
                       next_speed=self.next_speed)

    def compose(self) -> Compose:
        return compose_with(self.profile, self._words)

    def open(self) -> Port:
        """The port remembered, wherever it is now; else the first that a printer may be on. Raises PortGone."""
        if self._device is not None:
            if not (device := self._device()):
                raise PortGone("the virtual printer is unplugged")
            return open_path(device, VIRTUAL_BAUD, NONE)
        found = self._find()
        port = first_usable(found, self.settings.port)
        if port is None and self.settings.port.startswith("/dev/") and Path(self.settings.port).exists():
            # Written by hand, as the kernel numbers it.
            return open_path(self.settings.port, self.speed, self.settings.flow_of(self.profile))
        if port is None:
            self._tried = []
            if not self._missing:
                log.warning("no printer is plugged in yet: the first that appears is taken")
            self._missing = True
            raise PortGone("no printer is plugged in")
        self._missing = False
        opened = self._open_found(port, self.speed, self.settings.flow_of(self.profile))
        if port.id != self.settings.port and port.path != self.settings.port:
            log.warning("the printer is at %s", port.id)
            self._keep(replace(self.settings, port=port.id, confirmed=False))
        self._opened = port
        return opened

    def next_speed(self) -> bool:
        """Whether the port is opened at another speed now; no more once all were tried."""
        left = [speed for speed in SPEEDS if speed not in self._tried and speed != self.settings.speed(self.profile)]
        if self._device is not None or (not left and not self._tried):
            return False
        if not left:
            # Back to what was wanted; nobody is asked again before the next start or setting.
            if self._tried[-1] == self.settings.speed(self.profile):
                return False
            self._tried.append(self.settings.speed(self.profile))
            return True
        self._tried.append(left[0])
        return True

    def answered(self) -> None:
        """The printer answers: the speed is right."""
        if self._device is None and (not self.settings.confirmed or self.speed != self.settings.speed(self.profile)):
            self._keep(replace(self.settings, baud=self.speed, confirmed=True))

    def confirmed_by_person(self) -> None:
        """Somebody looked: it prints what it should."""
        if not self.settings.confirmed:
            self._keep(replace(self.settings, baud=self.speed, confirmed=True))

    def take(self, order: object) -> bool:
        """The hub's word, which a person gave on its console; whether it was news, and `make` is to be called."""
        wanted = taken_order(self.settings, order)
        if wanted is None:
            return False
        self._forget_answers(wanted)
        self._keep(wanted)
        self.profile = self._profile_of(wanted)
        return True

    def _forget_answers(self, wanted: PrinterSettings) -> None:
        """Another port or speed may be one that answers nothing: its silence is no fault."""
        if (wanted.port, wanted.baud) != (self.settings.port, self.settings.baud):
            try:
                self._log.note_answers(False)
            except OSError:
                log.exception("it cannot be noted that another printer is there")

    def try_out(self, wanted: object) -> bool:
        """What a test print is to be printed with, {port, printer, baud}; whether `make` is to be called. It is not
        kept: that is done by the answer to "do you read this?"."""
        order = taken_order(self.settings, {**wanted, "id": f"{self.settings.order}~", "confirmed": False}) \
            if isinstance(wanted, dict) else None
        if order is None:
            return False
        self._forget_answers(order)
        self.settings = replace(order, order=self.settings.order)
        self.profile = self._profile_of(self.settings)
        return True

    def told(self) -> dict[str, Any]:
        """What the hub's console shows of it."""
        ports = [port.id for port in self._find()] if self._device is None else []
        return {"port": self.settings.port, "printer": self.settings.printer, "baud": self._told_speed(),
                "confirmed": self.settings.confirmed or self._log.printer_answers, "ports": ports[:8],
                "models": [[name, SOLD_AS[name]] for name in PROFILES], "bauds": list(SPEEDS)}

    def _told_speed(self) -> int:
        """0 where the line has none."""
        at_usb = self.settings.port.startswith("usb-") or (self._opened is not None and self._opened.kind == USB)
        return 0 if at_usb else self.speed

    def _profile_of(self, settings: PrinterSettings) -> PrinterProfile:
        profile = printer_profile(settings.printer)
        # A virtual printer takes what it has room for, and need not be paced.
        return replace(profile, flow=settings.flow_of(profile) if self._device is None else RTSCTS)

    def _keep(self, settings: PrinterSettings) -> None:
        self.settings = settings
        try:
            write_settings(self._folder, settings)
        except OSError:
            # It holds until the next start, and is found out again then.
            log.exception("what was found out about the printer cannot be noted")
