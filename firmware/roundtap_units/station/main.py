"""`roundtap station`: run the print station, on a real printer or a virtual one."""

import argparse
import contextlib
import logging
import os
import threading
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from roundtap_core.messages import Job
from roundtap_core.words import Words
from roundtap_devices.printing.escpos_job import compose_job
from roundtap_devices.printing.print_lines import CENTER, Feed, Paper, PrintLine, horizontal_rule, line
from roundtap_devices.printing.printer import HELD, NO_PORT, READY, SILENT, UNCONFIRMED, UNPLUGGED, JobOutcome, Printer
from roundtap_devices.printing.printer_profiles import BAUDS, FLOWS, PrinterProfile, load_profile
from roundtap_machine.health import PRINTER_FAULTS, MachineProbe
from roundtap_machine.notify import StopSignal, SystemdNotifier
from roundtap_machine.services import NEW_PIN
from roundtap_units.documents.slips import wrap_text
from roundtap_units.fault_log import FaultLog
from roundtap_units.link.enrolling import CODE, DONE, EnrolClient, EnrolProgress, enrolled_address, save_enrolled
from roundtap_units.link.hub_address import HubAddress, LocalKeyWatch, has_local_key
from roundtap_units.link.hub_choice import UnitMemory, machine_fingerprint
from roundtap_units.link.hub_time import mono_ms
from roundtap_units.link.own_health import OwnHealth
from roundtap_units.station import printer_desk
from roundtap_units.station.station_link import HubStationLink
from roundtap_units.unit_config import REENROL_VARIABLE, ConfigError, UnitConfig, read_unit_config, run_unit, unit_words

RETRY_MS = 2000
MUTE, MUTE_AFTER_MS = "mute", 60_000
"""After this long a silence of a printer that answered before, a person is asked whether it prints."""
TOLD_AT_START = 100  # older jobs are reported when the hub asks for one of them again
TOLD_MAX = 4000  # jobs whose last reported state is remembered

log = logging.getLogger(__name__)

KEYS = ("printer", "device", "baud", "flow")
BUSY_S, IDLE_S = 0.02, 0.2
CHECK_EVERY_MS = 15_000  # how often an idle printer is asked for its state
PIN_MS = 30_000  # as long as a station waits for the printer that is to print a new hub's PIN
SHOWN_MS = 600_000  # a code on paper is good for ten minutes: it has to be carried to the console
SHEETS_MAX = 3  # after this many sheets the station is silent until a restart: an empty hall uses up no roll


class Station:
    """Joins link, log and printer. One thread calls `step` repeatedly; it never waits. A job that cannot be laid out
    fails, as does one that the printer cannot handle; the next one follows. Nothing is printed twice without being
    asked: a job is noted as "sending" on the disk before its first byte leaves, a noted job is never begun again, and
    one that was under way when the station stopped is uncertain."""

    def __init__(
        self,
        link: HubStationLink,
        printer: Printer,
        print_log: printer_desk.PrintLog,
        compose_job: printer_desk.Compose,
        look_every_ms: int | None = None,
        desk: printer_desk.PrinterDesk | None = None,
    ) -> None:
        self._link = link
        self._desk = desk
        self._printer = printer
        self._log = print_log
        self._compose = compose_job
        self._job: Job | None = None
        self._retry_at_ms: int | None = None
        self._silent_since_ms: int | None = None
        self._reported: dict[str, tuple[str, str]] = {}
        self._now_ms = 0
        self._look_every_ms, self._look_at_ms, self._looking = look_every_ms, 0, False
        self.printer_state = ""
        """The printer's last known state: "ready", "unasked" where it never answers, or the reason why not."""
        self._faults = FaultLog(log, lambda: self._now_ms)
        for job_id in print_log.in_state(printer_desk.SENDING):
            print_log.note(job_id, printer_desk.UNCERTAIN, "restarted")
        for job_id, (state, detail) in list(print_log.jobs.items())[-TOLD_AT_START:]:
            self._report(job_id, state, detail)

    @property
    def busy(self) -> bool:
        """Whether the printer needs `step` now."""
        return self._job is not None

    def step(self, now_ms: int) -> None:
        """Do what can be done without waiting. `now_ms` is monotonic."""
        self._now_ms = now_ms
        if (
            self._job is None
            and not self._looking
            and self._desk is not None
            and self._desk.apply_order(self._link.printer_order())
        ):
            self._renew()
        if self._looking and not self._is_check_over(now_ms):
            return
        if self._job is None and not self._begin(now_ms):
            self._check_printer(now_ms)
            return
        job = self._job
        assert job is not None
        try:
            outcome = self._printer.step(now_ms)
        except OSError as error:
            log.error("job %s is not begun, as it cannot be noted: %s", job.id, error)
            outcome = JobOutcome(HELD, "not-noted")
        except Exception:
            self._faults.log_exception(f"job {job.id} is given up")
            outcome = self._interrupted_outcome(job)
        if outcome is None:
            return
        self._job = None
        self._note_printer_state(outcome)
        if outcome.state == HELD:
            self._report(job.id, printer_desk.QUEUED, self._hold_reason(outcome.detail, now_ms))
            self._retry_at_ms = now_ms + RETRY_MS
        else:
            self._silent_since_ms = None
            self._settle(job.id, outcome.state, outcome.detail)
        if self._printer.answers:
            self._log.note_answers(True)

    def _check_printer(self, now_ms: int) -> None:
        """Ask an idle printer for its state: organizers want to know before the doors open."""
        if self._look_every_ms is not None and now_ms >= self._look_at_ms:
            self._look_at_ms, self._looking = now_ms + self._look_every_ms, True
            self._printer.begin_check(now_ms)

    def _is_check_over(self, now_ms: int) -> bool:
        try:
            outcome = self._printer.step(now_ms)
        except Exception:
            self._faults.log_exception("the printer cannot be looked at")
            self._printer.abort()
            outcome = JobOutcome(HELD, "stalled")
        if outcome is None:
            return False
        self._looking = False
        self._note_printer_state(outcome)
        return True

    def _note_printer_state(self, outcome: JobOutcome) -> None:
        silent = UNCONFIRMED if self._printer.unconfirmed else "unasked"
        self.printer_state = outcome.detail or (READY if self._printer.answers else silent)
        if self._printer.answers and self._desk is not None and outcome.detail not in (SILENT, NO_PORT, UNPLUGGED):
            self._desk.answered()

    def _hold_reason(self, detail: str, now_ms: int) -> str:
        """What a job waits for: lasting silence needs a person."""
        if detail != SILENT:
            self._silent_since_ms = None
            return detail
        if self._silent_since_ms is None:
            self._silent_since_ms = now_ms
        return MUTE if now_ms - self._silent_since_ms >= MUTE_AFTER_MS else detail

    def _assume_no_answers(self) -> None:
        if not self._printer.answers or not self._log.note_answers(False):
            return
        self._printer.assume_no_answers()
        if self._desk is not None:
            self._desk.confirmed_by_person()
        self._silent_since_ms = None

    def close(self) -> None:
        self._printer.close()

    def _renew(self) -> None:
        """Another model, port or speed: what is under way there has ended."""
        assert self._desk is not None
        self._printer.close()
        self._printer, self._compose = self._desk.make_printer(), self._desk.compose()
        self._retry_at_ms = None

    def _begin(self, now_ms: int) -> bool:
        """Take the first job that was not begun before; whether there is one now."""
        wanted = []
        for job in self._link.next_jobs():
            if job.id in self._log.jobs:
                # The hub did not know: it lost its memory, or the answer crossed the report.
                self._report(job.id, *self._log.jobs[job.id])
            else:
                wanted.append(job)
        for job in wanted:
            if job.id not in self._reported:
                self._report(job.id, printer_desk.QUEUED, "")
        if not wanted or (self._retry_at_ms is not None and now_ms < self._retry_at_ms):
            return False
        job, self._retry_at_ms = wanted[0], None
        if job.go_on:
            self._assume_no_answers()
        if (
            job.kind in (printer_desk.TEST_PRINT, printer_desk.SPEED_PRINT)
            and self._desk is not None
            and self._desk.try_out(job.content.get("at"))
        ):
            self._renew()
        try:
            composed = self._compose(job)
        except Exception:
            # A job that cannot be laid out must not stop those behind it.
            self._faults.log_exception(f"job {job.id} cannot be laid out")
            self._settle(job.id, printer_desk.FAILED, "unprintable")
            return False
        self._job = job
        self._printer.begin(composed, lambda: self._first_byte(job.id), now_ms)
        return True

    def _interrupted_outcome(self, job: Job) -> JobOutcome:
        """Something of it may be on paper only if it was noted as begun."""
        self._printer.abort()
        sent = self._log.jobs.get(job.id, ("", ""))[0] == printer_desk.SENDING
        return JobOutcome(printer_desk.UNCERTAIN, "stalled") if sent else JobOutcome(printer_desk.FAILED, "unprintable")

    def _first_byte(self, job_id: str) -> None:
        self._log.note(job_id, printer_desk.SENDING)
        self._report(job_id, printer_desk.SENDING, "")

    def _settle(self, job_id: str, state: str, detail: str) -> None:
        try:
            self._log.note(job_id, state, detail)
        except OSError:
            # "sending" on the disk makes it uncertain after a restart: too careful, never wrong.
            log.exception("the state of job %s cannot be noted", job_id)
        self._report(job_id, state, detail)

    def _report(self, job_id: str, state: str, detail: str) -> None:
        if self._reported.get(job_id) != (state, detail):
            self._reported.pop(job_id, None)
            self._reported[job_id] = (state, detail)
            if len(self._reported) > TOLD_MAX:
                del self._reported[next(iter(self._reported))]
            self._link.report(job_id, state, detail)


@dataclass(frozen=True, slots=True)
class StationConfig(UnitConfig):
    """A station's configuration file. `printer`: a known profile or a TOML file; `device`: its port, "auto" for the
    first that appears; `baud`, `flow`: 0 and "" for the profile's own."""

    printer: str = "epson-80"
    device: str = "auto"
    baud: int = 0
    flow: str = ""

    @property
    def file_settings(self) -> printer_desk.PrinterSettings:
        return printer_desk.PrinterSettings(
            "" if self.device == printer_desk.AUTO else self.device, self.printer, self.baud, self.flow
        )


def read_station_config(path: Path | None) -> StationConfig:
    """The configuration; ConfigError names the file, the key, and what would be right."""
    common, own = read_unit_config(path, KEYS, "station")
    for name, kind, wanted in (
        ("printer", str, "a text"),
        ("device", str, "a text"),
        ("baud", int, "a whole number"),
        ("flow", str, "a text"),
    ):
        if name in own and (not isinstance(own[name], kind) or (kind is int and isinstance(own[name], bool))):
            raise ConfigError(f"{path}: {name}: must be {wanted}, not {own[name]!r}")
    if own.get("baud", 0) not in (0, *BAUDS):
        raise ConfigError(f"{path}: baud: must be one of {', '.join(map(str, BAUDS))}, not {own['baud']}")
    if own.get("flow", "none") not in FLOWS:
        raise ConfigError(f"{path}: flow: must be one of {', '.join(FLOWS)}, not {own['flow']!r}")
    return StationConfig(**common, **own)


def run(args: argparse.Namespace) -> int:
    return run_unit("station", lambda: _run(read_station_config(args.config), args.virtual))


def _run(config: StationConfig, panel_path: Path | None) -> bool:
    """Whether to restart: a hub on this machine now has a key for it, or its own key opens nothing."""
    from roundtap_devices.virtual.panels import PrinterPanel
    from roundtap_devices.virtual.virtual_printer import VirtualPrinter

    with contextlib.ExitStack() as ends:
        print_log = printer_desk.PrintLog(config.folder / "printed.jsonl")
        ends.callback(print_log.close)
        twin = VirtualPrinter(load_profile(config.printer)) if panel_path else None
        desk = printer_desk.PrinterDesk(
            config.folder,
            config.file_settings,
            unit_words(config.language),
            print_log,
            device=(lambda: twin.device) if twin else None,
        )
        stopping, notify = StopSignal(), SystemdNotifier()
        notify.send("READY=1")
        if panel_path and twin:
            panel = PrinterPanel(panel_path, twin, mono_ms)
            panel.start()
            ends.callback(panel.close)
        identity = config.identity() or _enrolled(config, desk, stopping)
        if identity is None:
            return not stopping.is_set()
        if config.local:
            print_new_pin(desk, stopping)
        health = OwnHealth(MachineProbe(config.folder), printer=lambda: station.printer_state)
        link = HubStationLink(
            identity,
            renew=LocalKeyWatch("station").poll if config.local else lambda: None,
            health=health,
            printer=desk.status,
        )
        station = Station(link, desk.make_printer(), print_log, desk.compose(), CHECK_EVERY_MS, desk)
        ends.callback(station.close)
        link.start()
        ends.callback(link.stop)
        last_state = ""
        while not stopping.is_set():
            station.step(mono_ms())
            if station.printer_state != last_state:
                last_state = station.printer_state
                notify.say(last_state if last_state in PRINTER_FAULTS else "")
            if identity.enrolled and link.is_key_rejected and not station.busy:
                # Its key was revoked: it enrols on paper, as a new one does. The key stays on the disk until there is
                # another: the refusing machine may be no hub, and after a power cut the key is tried again.
                os.environ[REENROL_VARIABLE] = "1"
                return True
            stopping.wait(BUSY_S if station.busy else IDLE_S)
    return False


def print_new_pin(
    desk: printer_desk.PrinterDesk,
    stopping: StopSignal,
    shown: Path = Path("/", NEW_PIN),
    printed: Path = Path("/run/roundtap-station"),
) -> None:
    """On a new hub's own printer, what lets its organizers in, once a start of the machine (`printed`: where that is
    noted); without paper it is only on the screen."""
    with contextlib.suppress(OSError):
        mark = printed / shown.read_text(encoding="ascii").strip()
        if mark.exists():
            return
        printer, until_ms = desk.make_printer(), mono_ms() + PIN_MS
        sheet = desk.profile.sheet
        # Noted before the first byte: a slow printer's sheet is not printed again.
        printer.begin(compose_job([line(mark.name, sheet, CENTER, True), Feed(8)], desk.profile), mark.touch, mono_ms())
        while printer.phase and mono_ms() < until_ms and not stopping.is_set():
            with contextlib.suppress(OSError):
                printer.step(mono_ms())
            stopping.wait(BUSY_S)
        printer.close()


def _enrolled(config: StationConfig, desk: printer_desk.PrinterDesk, stopping: StopSignal) -> HubAddress | None:
    """The station's identity once enrolled; None where it was stopped, or a hub on this machine has a key for it."""
    memory = UnitMemory(config.folder / "unit.json", machine=machine_fingerprint())
    asking = EnrolClient(
        "station", memory.unit_id, partial(save_enrolled, config.folder), mono_ms, config.hubs, config.unit, SHOWN_MS
    )
    printer = desk.make_printer()
    station = EnrolStation(
        asking, printer, desk.profile, unit_words(config.language), lambda text: print(text, flush=True)
    )
    threading.Thread(target=asking.run, name="enrolling", daemon=True).start()
    try:
        while not stopping.is_set() and asking.enrolled is None and not has_local_key("station"):
            station.step(mono_ms())
            if station.is_finished:
                asking.stop()
            stopping.wait(BUSY_S if printer.phase else IDLE_S)
    finally:
        asking.stop()
        printer.close()
    return enrolled_address(asking.enrolled, config.hubs) if asking.enrolled is not None else None


class EnrolStation:
    """Call `step` repeatedly. say: also called with each code, for the machine's own console."""

    def __init__(
        self, asking: EnrolClient, printer: Printer, profile: PrinterProfile, words: Words, say: Callable[[str], None]
    ) -> None:
        self._client = asking
        self._printer = printer
        self._profile = profile
        self._words = words
        self._say = say
        self._sheets = 0
        self._announced: tuple[int | None, str] | None = None
        self._to_print: EnrolProgress | None = None

    @property
    def is_finished(self) -> bool:
        """Whether it has printed all its sheets, and the last code has expired."""
        return (
            self._sheets >= SHEETS_MAX
            and self._client.showing.state != DONE
            and (self._client.showing.number, self._client.showing.code) != self._announced
        )

    def step(self, now_ms: int) -> None:
        showing = self._client.showing
        if showing.state == CODE and (showing.number, showing.code) != self._announced and self._sheets < SHEETS_MAX:
            self._announced = showing.number, showing.code
            self._sheets += 1
            self._to_print = showing
            self._say(f"{showing.number} {showing.code[:3]} {showing.code[3:]} ({showing.hub})")
        if self._to_print is not None and not self._printer.phase:
            composed = compose_job(enrol_code_lines(self._to_print, self._profile.sheet, self._words), self._profile)
            self._to_print = None
            self._printer.begin(composed, lambda: None, now_ms)
        with contextlib.suppress(OSError):
            # Without paper the digits are on the machine's console.
            self._printer.step(now_ms)


def enrol_code_lines(showing: EnrolProgress, sheet: Paper, words: Words) -> list[PrintLine]:
    digits = f"{showing.number}  {showing.code[:3]} {showing.code[3:]}"
    what = wrap_text(words("enrol.paper", hub=showing.hub, minutes=SHOWN_MS // 60_000), sheet.columns)
    return [
        line(words("enrol.title"), sheet, CENTER, bold=True),
        horizontal_rule(sheet),
        line(digits, sheet, CENTER, True, True),
        Feed(8),
        *(line(part, sheet) for part in what),
    ]
