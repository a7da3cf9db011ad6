"""The print station: takes jobs from the hub, prints one after the other, and says truly what became of each."""

from __future__ import annotations

import json
import logging
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any, Protocol

from roundtap_core.messages import Job, SpeedTest
from roundtap_core.typed import read
from roundtap_core.words import Words
from roundtap_devices.printing.escpos_job import Composed, compose
from roundtap_devices.printing.printer import HELD, NO_PORT, READY, SILENT, UNCONFIRMED, UNPLUGGED, Outcome, Printer
from roundtap_devices.printing.printer_profiles import PrinterProfile
from roundtap_systemd.atomic_write import write_atomically
from roundtap_units.documents.notices import laid_out, speed_page, width_page
from roundtap_units.fault_log import FaultLog

log = logging.getLogger(__name__)

QUEUED, SENDING, SENT, PRINTED, UNCERTAIN, FAILED = "queued", "sending", "sent", "printed", "uncertain", "failed"
"""queued: nothing of it has left, `detail` says what it waits for. sending: bytes are leaving. sent: all were taken
by a printer that never answers. printed: the printer answered. uncertain: it may be on paper, and a person decides.
failed: it cannot be printed at all."""

RETRY_MS = 2000
MUTE, MUTE_AFTER_MS = "mute", 60_000
"""So long a printer that answered before may be silent; then a person is asked whether it prints."""
TOLD_AT_START = 100
"""Of older jobs the hub is told when it asks for one of them again."""
TOLD_MAX = 4000
"""Jobs of which it is known what the hub was told last."""
TEST_PRINT, SPEED_PRINT = "code-pages", "speed"
"""Kinds whose content may say `at`: which settings of the printer they try."""
KEPT_JOBS = 4000
"""Of a few events: a hub that comes back from an old backup must still not have its jobs printed again."""


class PrintLog:
    """Which jobs may be on paper, noted on the disk before the first byte leaves: an append-only file of JSON lines
    [job id, state, detail], synced line by line.

    The last line of a job counts. A torn last line was never acted upon, and is cut off.
    """

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
        """On return it is on the disk. Raises OSError; a job that could not be noted as begun is forgotten again."""
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

    def note_answers(self, answers: bool) -> None:
        """Whether this printer answers: then its silence means something; it takes a person's word that it answers no
        more. Raises OSError."""
        if self.printer_answers != answers:
            self._append({"printer_answers": answers})
            self.printer_answers = answers

    def in_state(self, state: str) -> list[str]:
        return [job_id for job_id, (known, _) in self.jobs.items() if known == state]

    def _shorten(self) -> None:
        """A station that is never started again does not grow either. OSError: it is as long as before."""
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


class StationLink(Protocol):
    """What the station knows of the hub. Neither call waits."""

    def next_jobs(self) -> list[Job]:
        """What the hub wants printed, in order, as it said last. A job that is not in it any more is not wanted."""

    def report(self, job_id: str, state: str, detail: str) -> None:
        """The state of a job; the link sees to it that the hub learns the last one."""

    def printer_order(self) -> object:
        """What somebody said on the hub's console about this station's printer, or None."""


Compose = Callable[[Job], Composed]


class Desk(Protocol):
    """Who sets the printer up anew when somebody says so."""

    def make(self) -> Printer:
        """Another printer, by the settings of now."""

    def compose(self) -> Compose:
        """What lays jobs out for it."""

    def take(self, order: object) -> bool:
        """The hub's word on the printer; whether it was news."""

    def try_out(self, wanted: object) -> bool:
        """What a test print is printed with; whether that is another setting."""

    def answered(self) -> None:
        """The printer answers: its speed is right."""

    def confirmed_by_person(self) -> None:
        """Somebody saw that it prints."""


class Station:
    """Joins link, log and printer. `step` is called again and again by one thread, and never waits.

    A job that cannot be laid out is failed, and so is one over which the printer stumbles; the next one comes.
    Nothing is printed twice unasked: a job is noted as "sending" on the disk before its first byte leaves, a job that
    is noted is never begun again, and one that was under way when the station stopped is uncertain.
    """

    def __init__(self, link: StationLink, printer: Printer, print_log: PrintLog, compose_job: Compose,
                 look_every_ms: int | None = None,
                 desk: Desk | None = None) -> None:
        self._link = link
        self._desk = desk
        self._printer = printer
        self._log = print_log
        self._compose = compose_job
        self._job: Job | None = None
        self._retry_at_ms: int | None = None
        self._silent_since_ms: int | None = None
        self._told: dict[str, tuple[str, str]] = {}
        self._now_ms = 0
        self._look_every_ms, self._look_at_ms, self._looking = look_every_ms, 0, False
        self.printer_word = ""
        """How the printer was when it was last asked or used: "ready", "unasked" where it never answers, or why not."""
        self._faults = FaultLog(log, lambda: self._now_ms)
        for job_id in print_log.in_state(SENDING):
            print_log.note(job_id, UNCERTAIN, "restarted")
        for job_id, (state, detail) in list(print_log.jobs.items())[-TOLD_AT_START:]:
            self._tell(job_id, state, detail)

    @property
    def busy(self) -> bool:
        """Whether the printer needs looking after just now."""
        return self._job is not None

    def step(self, now_ms: int) -> None:
        """Do what can be done without waiting. `now_ms` is monotonic."""
        self._now_ms = now_ms
        if self._job is None and not self._looking and self._desk is not None \
                and self._desk.take(self._link.printer_order()):
            self._renew()
        if self._looking and not self._looked(now_ms):
            return
        if self._job is None and not self._begin(now_ms):
            self._look_now_and_then(now_ms)
            return
        job = self._job
        assert job is not None
        try:
            outcome = self._printer.step(now_ms)
        except OSError as error:
            log.error("job %s is not begun, as it cannot be noted: %s", job.id, error)
            outcome = Outcome(HELD, "not-noted")
        except Exception:
            self._faults.told(f"job {job.id} is given up")
            outcome = self._given_up(job)
        if outcome is None:
            return
        self._job = None
        self._note_how_it_is(outcome)
        if outcome.state == HELD:
            self._tell(job.id, QUEUED, self._why(outcome.detail, now_ms))
            self._retry_at_ms = now_ms + RETRY_MS
        else:
            self._silent_since_ms = None
            self._settle(job.id, outcome.state, outcome.detail)
        if self._printer.answers:
            self._note_that_it_answers()

    def _look_now_and_then(self, now_ms: int) -> None:
        """While nothing is to be printed, the printer is asked how it is: who opens the doors wants to know before."""
        if self._look_every_ms is not None and now_ms >= self._look_at_ms:
            self._look_at_ms, self._looking = now_ms + self._look_every_ms, True
            self._printer.begin_look(now_ms)

    def _looked(self, now_ms: int) -> bool:
        """Whether the look is over."""
        try:
            outcome = self._printer.step(now_ms)
        except Exception:
            self._faults.told("the printer cannot be looked at")
            self._printer.give_up()
            outcome = Outcome(HELD, "stalled")
        if outcome is None:
            return False
        self._looking = False
        self._note_how_it_is(outcome)
        return True

    def _note_how_it_is(self, outcome: Outcome) -> None:
        silent = UNCONFIRMED if self._printer.unconfirmed else "unasked"
        self.printer_word = outcome.detail or (READY if self._printer.answers else silent)
        if self._printer.answers and self._desk is not None and outcome.detail not in (SILENT, NO_PORT, UNPLUGGED):
            self._desk.answered()

    def _why(self, detail: str, now_ms: int) -> str:
        """What a job waits for: silence that lasts needs a person."""
        if detail != SILENT:
            self._silent_since_ms = None
            return detail
        if self._silent_since_ms is None:
            self._silent_since_ms = now_ms
        return MUTE if now_ms - self._silent_since_ms >= MUTE_AFTER_MS else detail

    def _go_on_unanswered(self) -> None:
        if not self._printer.answers:
            return
        try:
            self._log.note_answers(False)
        except OSError:
            log.exception("it cannot be noted that the printer answers no more")
            return
        self._printer.go_on_unanswered()
        if self._desk is not None:
            self._desk.confirmed_by_person()
        self._silent_since_ms = None

    def close(self) -> None:
        """Let go of the printer's port."""
        self._printer.close()

    def _renew(self) -> None:
        """Another model, port or speed: what is under way there is over."""
        assert self._desk is not None
        self._printer.close()
        self._printer, self._compose = self._desk.make(), self._desk.compose()
        self._retry_at_ms = None

    def _begin(self, now_ms: int) -> bool:
        """Take the first job that was not begun before; whether there is one now."""
        wanted = []
        for job in self._link.next_jobs():
            if job.id in self._log.jobs:
                # The hub did not know: it lost its memory, or the answer crossed the report.
                self._tell(job.id, *self._log.jobs[job.id])
            else:
                wanted.append(job)
        for job in wanted:
            if job.id not in self._told:
                self._tell(job.id, QUEUED, "")
        if not wanted or (self._retry_at_ms is not None and now_ms < self._retry_at_ms):
            return False
        job, self._retry_at_ms = wanted[0], None
        if job.go_on:
            self._go_on_unanswered()
        if job.kind in (TEST_PRINT, SPEED_PRINT) and self._desk is not None \
                and self._desk.try_out(job.content.get("at")):
            self._renew()
        try:
            composed = self._compose(job)
        except Exception:
            # A job that cannot be laid out must not stop those behind it.
            self._faults.told(f"job {job.id} cannot be laid out")
            self._settle(job.id, FAILED, "unprintable")
            return False
        self._job = job
        self._printer.begin(composed, lambda: self._first_byte(job.id), now_ms)
        return True

    def _given_up(self, job: Job) -> Outcome:
        """Something of it may be on paper only if it was noted as begun."""
        self._printer.give_up()
        begun = self._log.jobs.get(job.id, ("", ""))[0] == SENDING
        return Outcome(UNCERTAIN, "stalled") if begun else Outcome(FAILED, "unprintable")

    def _first_byte(self, job_id: str) -> None:
        self._log.note(job_id, SENDING)
        self._tell(job_id, SENDING, "")

    def _settle(self, job_id: str, state: str, detail: str) -> None:
        try:
            self._log.note(job_id, state, detail)
        except OSError:
            # What stands on the disk, "sending", makes it uncertain after a restart: too careful, never wrong.
            log.exception("the state of job %s cannot be noted", job_id)
        self._tell(job_id, state, detail)

    def _note_that_it_answers(self) -> None:
        try:
            self._log.note_answers(True)
        except OSError:
            log.exception("it cannot be noted that the printer answers")

    def _tell(self, job_id: str, state: str, detail: str) -> None:
        if self._told.get(job_id) != (state, detail):
            self._told.pop(job_id, None)
            self._told[job_id] = (state, detail)
            if len(self._told) > TOLD_MAX:
                del self._told[next(iter(self._told))]
            self._link.report(job_id, state, detail)


def compose_with(profile: PrinterProfile, words: Words) -> Compose:
    """Lays jobs out for one printer in one language."""

    def composed(job: Job) -> Composed:
        if job.kind == TEST_PRINT:
            return compose(width_page(profile, words), profile)
        if job.kind == SPEED_PRINT:
            test = read(SpeedTest, job.content)
            return compose(speed_page(test.number % 100, test.at.baud), profile)
        return compose(laid_out(job.kind, job.content, profile.sheet, words), profile)

    return composed
