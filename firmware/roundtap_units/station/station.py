"""The print station: takes jobs from the hub, prints them one by one, and reports truthfully what became of each."""

from __future__ import annotations

import logging

from roundtap_core.messages import Job
from roundtap_devices.printing.printer import HELD, NO_PORT, READY, SILENT, UNCONFIRMED, UNPLUGGED, Outcome, Printer
from roundtap_units.fault_log import FaultLog
from roundtap_units.station import printer_desk
from roundtap_units.station.station_link import HubStationLink

log = logging.getLogger(__name__)

RETRY_MS = 2000
MUTE, MUTE_AFTER_MS = "mute", 60_000
"""After this long a silence of a printer that answered before, a person is asked whether it prints."""
TOLD_AT_START = 100
"""Older jobs are reported when the hub asks for one of them again."""
TOLD_MAX = 4000
"""Jobs whose last reported state is remembered."""


class Station:
    """Joins link, log and printer. One thread calls `step` repeatedly; it never waits.

    A job that cannot be laid out fails, as does one that the printer cannot handle; the next one follows. Nothing is
    printed twice without being asked: a job is noted as "sending" on the disk before its first byte leaves, a noted job
    is never begun again, and one that was under way when the station stopped is uncertain.
    """

    def __init__(self, link: HubStationLink, printer: Printer, print_log: printer_desk.PrintLog,
                 compose_job: printer_desk.Compose,
                 look_every_ms: int | None = None, desk: printer_desk.PrinterDesk | None = None) -> None:
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
        if self._job is None and not self._looking and self._desk is not None \
                and self._desk.apply_order(self._link.printer_order()):
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
            outcome = Outcome(HELD, "not-noted")
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
            outcome = Outcome(HELD, "stalled")
        if outcome is None:
            return False
        self._looking = False
        self._note_printer_state(outcome)
        return True

    def _note_printer_state(self, outcome: Outcome) -> None:
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
        if job.kind in (printer_desk.TEST_PRINT, printer_desk.SPEED_PRINT) and self._desk is not None \
                and self._desk.try_out(job.content.get("at")):
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

    def _interrupted_outcome(self, job: Job) -> Outcome:
        """Something of it may be on paper only if it was noted as begun."""
        self._printer.abort()
        begun = self._log.jobs.get(job.id, ("", ""))[0] == printer_desk.SENDING
        return Outcome(printer_desk.UNCERTAIN, "stalled") if begun else Outcome(printer_desk.FAILED, "unprintable")

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
