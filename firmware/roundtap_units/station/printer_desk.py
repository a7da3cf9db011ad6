"""The station's printer: its settings, port and speed, the layout of its jobs, and which jobs may be on paper."""

import json
import logging
import os
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from roundtap_core.messages import Job, PrinterOrder, SpeedTest
from roundtap_core.typed import MalformedMessage, parse_message
from roundtap_core.words import Words
from roundtap_devices.printing import ports, printer_profiles
from roundtap_devices.printing.escpos_job import ComposedJob, compose_job
from roundtap_devices.printing.printer import Printer
from roundtap_machine.disk import write_atomically
from roundtap_units.documents.notices import layout_job, speed_test_lines, width_test_lines

log = logging.getLogger(__name__)

SPEEDS = (115200, 57600, 38400, 19200, 9600)
"""The usual speeds of receipt printers, the fastest first: some find out by themselves how fast they are asked."""

VIRTUAL_BAUD = 115200

QUEUED, SENDING, SENT, PRINTED, UNCERTAIN, FAILED = "queued", "sending", "sent", "printed", "uncertain", "failed"
"""queued: nothing has left, `detail` is what it waits for. sending: bytes are leaving. sent: all were taken by a
printer that never answers. printed: the printer answered. uncertain: it may be on paper, and a person decides.
failed: it cannot be printed at all."""
TEST_PRINT, SPEED_PRINT = "code-pages", "speed"  # kinds whose content may have `at`: the printer settings to try
KEPT_JOBS = 4000  # enough for a few events: a hub back from an old backup must not get its jobs printed again

Compose = Callable[[Job], ComposedJob]
AUTO = "auto"
FILE = "printer.json"


@dataclass(frozen=True, slots=True)
class PrinterSettings:
    """port: a port's id, "" for the first that appears. printer: a known profile or a TOML file. baud, flow: 0 and ""
    for the profile's own. confirmed: a person has read its print. order: the id of the hub's last applied order."""

    port: str = ""
    printer: str = "epson-80"
    baud: int = 0
    flow: str = ""
    confirmed: bool = False
    order: str = ""

    def speed(self, profile: printer_profiles.PrinterProfile) -> int:
        return self.baud or profile.baud

    def flow_of(self, profile: printer_profiles.PrinterProfile) -> str:
        return self.flow or profile.flow


def read_settings(folder: Path, written: PrinterSettings) -> PrinterSettings:
    """The stored, confirmed settings. `written`: those of the configuration file, which take precedence; a confirmation
    of another printer does not count."""
    try:
        stored = parse_message(PrinterSettings, json.loads((folder / FILE).read_text(encoding="utf-8")))
        if stored.baud not in (0, *printer_profiles.BAUDS) or stored.flow not in ("", *printer_profiles.FLOWS):
            raise ValueError("no such speed or flow control")
    except FileNotFoundError:
        return written
    except (OSError, ValueError, RecursionError) as error:
        log.error("%s cannot be read and is passed over: %s", folder / FILE, error)
        return written
    usual = PrinterSettings()
    wanted = replace(
        stored,
        **{
            name: getattr(written, name)
            for name in ("port", "printer", "baud", "flow")
            if getattr(written, name) != getattr(usual, name)
        },
    )
    return wanted if wanted == stored else replace(wanted, confirmed=False)


def write_settings(folder: Path, settings: PrinterSettings) -> None:
    """In one atomic step. OSError: the file is unchanged."""
    folder.mkdir(parents=True, exist_ok=True)
    write_atomically(folder / FILE, json.dumps(asdict(settings), indent=1).encode() + b"\n")


def settings_from_order(settings: PrinterSettings, order: object) -> PrinterSettings | None:
    """The settings after the hub's order {id, port, printer, baud, confirmed}; None where it is invalid, or no news."""
    try:
        parsed = parse_message(PrinterOrder, order)
    except MalformedMessage:
        return None
    # Never a file of this machine: the hub may only name models.
    if (
        parsed.id == settings.order
        or parsed.printer not in printer_profiles.PROFILES
        or parsed.baud not in (0, *printer_profiles.BAUDS)
    ):
        return None
    return PrinterSettings(parsed.port or settings.port, parsed.printer, parsed.baud, "", parsed.confirmed, parsed.id)


class PrintLog:
    """Which jobs may be on paper, noted on the disk before the first byte leaves: an append-only file of JSON lines
    [job id, state, detail], synced line by line. The last line of a job counts. A torn last line was never acted upon,
    and is cut off."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self.jobs: dict[str, tuple[str, str]] = {}
        self.printer_answers = False
        path.parent.mkdir(parents=True, exist_ok=True)
        self._read()
        self._rewrite()
        self._file = open(path, "ab")  # noqa: SIM115 — held open for the station's life.

    def close(self) -> None:
        self._file.close()

    def note(self, job_id: str, state: str, detail: str = "") -> None:
        """On return it is on the disk. Raises OSError; a job whose begin could not be noted is forgotten again."""
        if len(self.jobs) >= 2 * KEPT_JOBS:
            self._shorten()
        before = self.jobs.pop(job_id, None)
        self.jobs[job_id] = (state, detail)
        try:
            self._append([job_id, state, detail])
        except OSError:
            if before is None:
                del self.jobs[job_id]
            raise

    def note_answers(self, answers: bool) -> bool:
        """Whether this printer answers, so that its silence is significant; only a person's word revokes that. False
        where the disk refuses: the earlier value stands."""
        try:
            if self.printer_answers != answers:
                self._append({"printer_answers": answers})
        except OSError:
            log.exception("it cannot be noted whether the printer answers")
            return False
        self.printer_answers = answers
        return True

    def in_state(self, state: str) -> list[str]:
        return [job_id for job_id, (current, _) in self.jobs.items() if current == state]

    def _shorten(self) -> None:
        """Keep the file of a station that is never restarted from growing. OSError: it is unchanged."""
        self._rewrite()
        self._file.close()
        self._file = open(self._path, "ab")  # noqa: SIM115

    def _append(self, line: Any) -> None:
        self._file.write(_line(line))
        self._file.flush()
        os.fsync(self._file.fileno())

    def _read(self) -> None:
        if not self._path.exists():
            return
        for raw in self._path.read_bytes().split(b"\n")[:-1]:
            try:
                line = json.loads(raw)
                if isinstance(line, dict):
                    self.printer_answers = line["printer_answers"]
                else:
                    job_id, state, detail = line
                    self.jobs.pop(job_id, None)
                    self.jobs[job_id] = (state, detail)
            except (ValueError, KeyError, TypeError):
                log.error("a line of %s cannot be read and is passed over", self._path)

    def _rewrite(self) -> None:
        """One line a job, the newest KEPT_JOBS, in one atomic step: the file does not grow from start to start."""
        self.jobs = dict(list(self.jobs.items())[-KEPT_JOBS:])
        answers = [{"printer_answers": True}] if self.printer_answers else []
        jobs = [[job_id, state, detail] for job_id, (state, detail) in self.jobs.items()]
        write_atomically(self._path, b"".join(_line(line) for line in (*answers, *jobs)))


def _line(value: Any) -> bytes:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"


def job_composer(profile: printer_profiles.PrinterProfile, words: Words) -> Compose:
    """Returns the layout function for one printer in one language."""

    def composed(job: Job) -> ComposedJob:
        if job.kind == TEST_PRINT:
            return compose_job(width_test_lines(profile, words), profile)
        if job.kind == SPEED_PRINT:
            test = parse_message(SpeedTest, job.content)
            return compose_job(speed_test_lines(test.number % 100, test.at.baud), profile)
        return compose_job(layout_job(job.kind, job.content, profile.sheet, words), profile)

    return composed


class PrinterDesk:
    """Makes the `Printer` that a station uses, and a new one when its settings change. written: the configuration
    file's settings. find, open_found: list what is plugged in, and open it. device: a virtual printer's, instead of
    both; it answers, and needs no confirmed speed."""

    def __init__(
        self,
        folder: Path,
        written: PrinterSettings,
        words: Words,
        print_log: PrintLog,
        find: Callable[[], list[ports.FoundPort]] = ports.find_ports,
        open_found: Callable[[ports.FoundPort, int, str], ports.Port] = ports.open_port,
        device: Callable[[], str] | None = None,
    ) -> None:
        self._folder = folder
        self._words = words
        self._log = print_log
        self._find = find
        self._open_found = open_found
        self._device = device
        self.settings = read_settings(folder, written)
        self.profile = self._profile_of(self.settings)
        self._tried: list[int] = []
        self._opened: ports.FoundPort | None = None
        self._missing = False

    @property
    def speed(self) -> int:
        return self._tried[-1] if self._tried else self.settings.speed(self.profile)

    def make_printer(self) -> Printer:
        """A printer with the present settings. The caller closes the one before."""
        self._tried = []
        return Printer(
            self.open,
            self.profile,
            self._log.printer_answers,
            interrupted=bool(self._log.in_state(SENDING)),
            confirmed=self.settings.confirmed,
            next_speed=self.next_speed,
        )

    def compose(self) -> Compose:
        return job_composer(self.profile, self._words)

    def open(self) -> ports.Port:
        """The remembered port, wherever it is now; else the first likely one. Raises PortUnavailable."""
        if self._device is not None:
            if not (device := self._device()):
                raise ports.PortUnavailable("the virtual printer is unplugged")
            return ports.open_device(device, VIRTUAL_BAUD, printer_profiles.NONE)
        found_ports = self._find()
        port = ports.choose_port(found_ports, self.settings.port)
        if port is None and self.settings.port.startswith("/dev/") and Path(self.settings.port).exists():
            # Written manually, as the kernel numbers it.
            return ports.open_device(self.settings.port, self.speed, self.settings.flow_of(self.profile))
        if port is None:
            self._tried = []
            if not self._missing:
                log.warning("no printer is plugged in yet: the first that appears is taken")
            self._missing = True
            raise ports.PortUnavailable("no printer is plugged in")
        self._missing = False
        opened = self._open_found(port, self.speed, self.settings.flow_of(self.profile))
        if port.id != self.settings.port and port.path != self.settings.port:
            log.warning("the printer is at %s", port.id)
            self._save(replace(self.settings, port=port.id, confirmed=False))
        self._opened = port
        return opened

    def next_speed(self) -> bool:
        """Whether the port now opens at another speed; False once all were tried."""
        left = [speed for speed in SPEEDS if speed not in self._tried and speed != self.settings.speed(self.profile)]
        if self._device is not None or (not left and not self._tried):
            return False
        if not left:
            # Back to the wanted one; no further tries before the next start or setting.
            if self._tried[-1] == self.settings.speed(self.profile):
                return False
            self._tried.append(self.settings.speed(self.profile))
            return True
        self._tried.append(left[0])
        return True

    def answered(self) -> None:
        if self._device is None and (not self.settings.confirmed or self.speed != self.settings.speed(self.profile)):
            self._save(replace(self.settings, baud=self.speed, confirmed=True))

    def confirmed_by_person(self) -> None:
        """A person has checked its print."""
        if not self.settings.confirmed:
            self._save(replace(self.settings, baud=self.speed, confirmed=True))

    def apply_order(self, order: object) -> bool:
        """Take the hub's order, given by a person on its console; whether it was news, and `make_printer` is due."""
        wanted = settings_from_order(self.settings, order)
        if wanted is None:
            return False
        self._forget_answers(wanted)
        self._save(wanted)
        self.profile = self._profile_of(wanted)
        return True

    def _forget_answers(self, wanted: PrinterSettings) -> None:
        """On another port or speed a printer may never answer: its silence is no fault."""
        if (wanted.port, wanted.baud) != (self.settings.port, self.settings.baud):
            self._log.note_answers(False)

    def try_out(self, wanted: object) -> bool:
        """Use a test print's settings {port, printer, baud}; whether `make_printer` is due. They are stored only when a
        person has read the print."""
        order = (
            settings_from_order(self.settings, {**wanted, "id": f"{self.settings.order}~", "confirmed": False})
            if isinstance(wanted, dict)
            else None
        )
        if order is None:
            return False
        self._forget_answers(order)
        self.settings = replace(order, order=self.settings.order)
        self.profile = self._profile_of(self.settings)
        return True

    def status(self) -> dict[str, Any]:
        """The printer's part of the hub's console."""
        port_ids = [port.id for port in self._find()] if self._device is None else []
        at_usb = self.settings.port.startswith("usb-") or (self._opened is not None and self._opened.kind == ports.USB)
        # USB has no speed.
        return {
            "port": self.settings.port,
            "printer": self.settings.printer,
            "baud": 0 if at_usb else self.speed,
            "confirmed": self.settings.confirmed or self._log.printer_answers,
            "ports": port_ids[:8],
            "models": [[name, printer_profiles.SOLD_AS[name]] for name in printer_profiles.PROFILES],
            "bauds": list(SPEEDS),
        }

    def _profile_of(self, settings: PrinterSettings) -> printer_profiles.PrinterProfile:
        profile = printer_profiles.load_profile(settings.printer)
        # A virtual printer takes what it has room for, and needs no pacing.
        return replace(profile, flow=settings.flow_of(profile) if self._device is None else printer_profiles.RTSCTS)

    def _save(self, settings: PrinterSettings) -> None:
        self.settings = settings
        try:
            write_settings(self._folder, settings)
        except OSError:
            # It holds until the next start, and is found out again then.
            log.exception("what was found out about the printer cannot be noted")
