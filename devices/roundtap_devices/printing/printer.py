"""A receipt printer: sends one job at a time, watches it, and says truly what became of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from roundtap_devices.printing.escpos_job import BEGIN, END_MARKER, ComposedJob
from roundtap_devices.printing.pacing import Pacer, Step
from roundtap_devices.printing.ports import Port, PortGone
from roundtap_devices.printing.printer_profiles import NONE, PrinterProfile

PRINTED, SENT, UNCERTAIN, HELD = "printed", "sent", "uncertain", "held"
"""What became of a job. printed: the printer answered the marker at its end. sent: all bytes were taken by a printer
that never answers, at a speed at which somebody read what it printed. uncertain: some bytes left, and no answer came.
held: none left; it can be tried again."""

READY = "ready"
"""What a look at it finds where nothing is in the way; `answers` says whether the printer said so itself."""

OFFLINE, NO_PAPER, SILENT, STALLED, UNPLUGGED, NO_PORT, UNCONFIRMED = (
    "offline", "no-paper", "silent", "stalled", "unplugged", "no-port", "unconfirmed")
"""Why: off line or open; no paper; does not answer, though it did before; takes no more bytes; the port went away;
there is no such port; never answered, and nobody read yet what it prints at this speed."""

# DLE EOT n: answered at once, also by a printer that is off line. Asked one at a time: the answers look alike.
ONLINE, PAPER = b"\x10\x04\x01", b"\x10\x04\x04"
OFFLINE_BIT, PAPER_END_BITS = 0x08, 0x60
CHUNK = 1024
NOISE_BYTES = 48

ASKING, CLEARING, SENDING, WAITING = "asking", "clearing", "sending", "waiting"


STATUS_MS, STALL_MS, MEND_MS = 1000, 8000, 60_000
"""How long to wait for a status; for a stalled port to take another byte; for somebody to load paper or close the lid
when all is handed over."""
ANSWER_MS, ANSWER_PER_MM_MS, ANSWER_PER_KILOBYTE_MS = 5000, 25, 110
"""For the marker's answer once all is handed over; longer for each millimetre of paper and each kilobyte still under
way. A printer that is known to be slow gets the time it needs for what is on its way besides."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """The end of one try to print."""

    state: str
    detail: str = ""


@dataclass(slots=True)
class _Attempt:
    """One try: `queue` are bytes not yet handed over, `moved_ms` when anything last went on."""

    composed: ComposedJob
    before_first_byte: Callable[[], None]
    moved_ms: int
    phase: str = ASKING
    queue: bytes = b""
    asked: bytes = b""
    asked_ms: int = 0
    marks: int = 0
    trouble: dict[bytes, bool] = field(default_factory=dict)
    trouble_ms: int | None = None
    only_looks: bool = False

    @property
    def detail(self) -> str:
        return NO_PAPER if self.trouble.get(PAPER) else OFFLINE if self.trouble.get(ONLINE) else ""


class Printer:
    """One printer on a port. Not for several threads: its owner calls `begin`, then `step` until there is an outcome.

    open_port: makes a NEW port; raises PortGone. Called again after each break.
    answers: whether this printer is known to answer (from an earlier run); the attribute tells what is known now.
    interrupted: the run before ended inside a job, so the printer may still wait for the rest of a picture.
    confirmed: somebody read what this printer prints at this speed; else silence says nothing, and no job is "sent".
    next_speed: called where nobody confirmed the speed and nothing answers at it; True: `open_port` opens at another
    one now, so that a printer that answers is found at whatever speed it is set to.
    """

    def __init__(self, open_port: Callable[[], Port], profile: PrinterProfile, answers: bool = False,
                 interrupted: bool = False, confirmed: bool = False,
                 next_speed: Callable[[], bool] = lambda: False) -> None:
        self.profile = profile
        self.confirmed = confirmed
        self.answers = answers or profile.answers is True
        self._mute = profile.answers is False
        self._open = open_port
        self._next_speed = next_speed
        self._port: Port | None = None
        self._pacer: Pacer | None = None
        self._try: _Attempt | None = None
        self._broken_block = profile.raster_rows * profile.sheet.dots // 8 + 8 if interrupted else 0
        self._owed = 0

    @property
    def phase(self) -> str:
        """"" while there is nothing to do."""
        return self._try.phase if self._try else ""

    @property
    def unconfirmed(self) -> bool:
        """Whether it prints at a speed of which nobody knows that it is right."""
        return (not self.answers and not self.confirmed and self._port is not None and self._port.baud is not None)

    def begin(self, composed: ComposedJob, before_first_byte: Callable[[], None], now_ms: int) -> None:
        """Start a job. `before_first_byte` is called once the printer is found ready and before anything of the job
        is sent: note there, durably, that it may be on paper from now on. If it raises OSError, `step` does so too,
        and the job is given up."""
        if self._try is not None:
            raise RuntimeError("one job at a time")
        self._try = _Attempt(composed, before_first_byte, now_ms)

    def begin_look(self, now_ms: int) -> None:
        """Ask how it is, and print nothing: the outcome is READY, or HELD and why."""
        self.begin(ComposedJob(b"", 0, 0), lambda: None, now_ms)
        assert self._try is not None
        self._try.only_looks = True

    def step(self, now_ms: int) -> Outcome | None:
        """Do what can be done without waiting; the outcome once there is one."""
        if self._try is None:
            return None
        try:
            outcome = self._go_on(self._try, now_ms)
        except PortGone as gone:
            outcome = self._broken(self._try, UNPLUGGED if self._port else gone.reason or NO_PORT)
        except OSError:
            # The owner could not note the job: nothing of it has left, and nothing will.
            self._try = None
            raise
        if outcome is not None:
            self._try = None
        return outcome

    def go_on_unanswered(self) -> None:
        """Somebody looked: it prints, and answers no more. What is handed over counts as sent, until it answers again.
        That it answered once has shown that the speed is right."""
        self.answers, self._mute, self.confirmed = False, True, True

    def close(self) -> None:
        port, self._port = self._port, None
        if port is not None:
            port.close()

    def give_up(self) -> None:
        """Let go of the job that is under way, and of the port: the printer may wait for the rest of a block."""
        if self._try is not None:
            self._broken(self._try, STALLED)
            self._try = None

    def _go_on(self, job: _Attempt, now_ms: int) -> Outcome | None:
        if self._port is None:
            self._port = self._open()
            baud = self._port.baud
            self._pacer = Pacer(self.profile, baud) if baud is not None and self.profile.flow == NONE else None
        if job.queue:
            self._write(self._port, job, now_ms)
        for byte in self._port.read_some():
            self._hear(job, byte, now_ms)
        if job.queue:
            stalled = now_ms - job.moved_ms >= STALL_MS
            return self._broken(job, job.detail or STALLED) if stalled else None
        if job.phase == ASKING:
            return self._ask(job, now_ms)
        if job.phase == CLEARING:
            return self._clear(job, now_ms)
        if job.phase == SENDING:
            # Not `marks`: a quick printer has answered before anybody looked again.
            job.phase, job.moved_ms, job.asked = WAITING, now_ms, b""
            return None
        return self._wait(self._port, job, now_ms)

    def _ask(self, job: _Attempt, now_ms: int) -> Outcome | None:
        """Is it there, on line, with paper?"""
        if self._mute:
            return self._send(job, now_ms)
        waited = now_ms - job.moved_ms >= STATUS_MS
        if not job.asked:
            job.asked = job.queue = ONLINE
            job.moved_ms = now_ms
            return None
        if job.asked not in job.trouble:
            if not waited:
                return None
            # A model may know the first question and not the second.
            if not job.trouble and not self.confirmed and self._port is not None and self._port.baud is not None \
                    and self._next_speed():
                # What was asked at a wrong speed was noise to the printer: that it waits for more of it is possible.
                self.close()
                self._broken_block = max(self._broken_block, NOISE_BYTES)
                job.asked, job.moved_ms = b"", now_ms
                return None
            if self.answers and not job.trouble:
                return self._broken(job, SILENT)
        elif job.asked == ONLINE:
            # Also where it is off line: an empty roll is the better thing to say.
            job.asked = job.queue = PAPER
            job.moved_ms = now_ms
            return None
        if job.detail:
            return Outcome(HELD, job.detail)
        if self._broken_block and not job.only_looks:
            self._begin_clearing(job, now_ms)
            return None
        return self._send(job, now_ms)

    def _begin_clearing(self, job: _Attempt, now_ms: int) -> None:
        """After a break: zeros are blanks to a printer that waits for the rest of a picture, and nothing to any other.

        Its answers to the markers of broken jobs must be in before the next job, or they would pass for that one's.
        """
        job.phase, job.moved_ms, job.marks = CLEARING, now_ms, 0
        rows_us = self.profile.raster_rows * 1_000_000 // self.profile.rows_per_s
        self._queue(job, bytes(self._broken_block) + BEGIN + END_MARKER, ((self._broken_block, rows_us),))
        self._owed += 1

    def _clear(self, job: _Attempt, now_ms: int) -> Outcome | None:
        waited_ms = now_ms - job.moved_ms
        if job.marks < self._owed and self.answers:
            # Between the last old marker and the new one there is only the padding: their answers come close together.
            if waited_ms < (STATUS_MS if job.marks else ANSWER_MS):
                return None
            if not job.marks:
                return self._broken(job, job.detail or SILENT)
        self._broken_block = self._owed = 0
        return self._send(job, now_ms)

    def _send(self, job: _Attempt, now_ms: int) -> Outcome | None:
        if job.only_looks:
            return Outcome(READY)
        job.before_first_byte()
        job.phase, job.moved_ms, job.marks = SENDING, now_ms, 0
        self._queue(job, job.composed.data + END_MARKER, job.composed.steps)
        return None

    def _queue(self, job: _Attempt, data: bytes, steps: tuple[Step, ...]) -> None:
        job.queue = data
        if self._pacer is not None:
            self._pacer.expect(len(data), steps)

    def _wait(self, port: Port, job: _Attempt, now_ms: int) -> Outcome | None:
        """For the answer to the marker. Who closes the lid or loads paper in time gets a true "printed"."""
        if job.marks:
            return Outcome(PRINTED)
        if job.detail:
            job.trouble_ms = now_ms if job.trouble_ms is None else job.trouble_ms
            if now_ms - job.trouble_ms >= MEND_MS:
                return self._broken(job, job.detail)
        elif job.trouble_ms is not None:
            job.trouble_ms, job.moved_ms = None, now_ms
        elif now_ms - job.moved_ms >= self._answer_time_ms(job):
            if self.answers:
                return self._broken(job, SILENT)
            if not self.confirmed and port.baud is not None:
                # At another speed it prints signs that nobody can read, or nothing, and is as silent.
                return self._broken(job, UNCONFIRMED)
            self._mute = True
            return Outcome(SENT)
        if self.answers and now_ms - job.asked_ms >= STATUS_MS:
            question = PAPER if job.asked == ONLINE else ONLINE
            if port.write_some(question):
                job.asked, job.asked_ms = question, now_ms
        return None

    def _answer_time_ms(self, job: _Attempt) -> int:
        if self._mute and (self.confirmed or self._port is None or self._port.baud is None):
            return 0
        composed = job.composed
        usual_ms = composed.height_dots // 8 * ANSWER_PER_MM_MS + len(composed.data) * ANSWER_PER_KILOBYTE_MS // 1024
        return ANSWER_MS + max(usual_ms, composed.busy_ms)

    def _write(self, port: Port, job: _Attempt, now_ms: int) -> None:
        pacer = self._pacer if job.phase in (CLEARING, SENDING) else None
        while job.queue:
            room = CHUNK if pacer is None else min(CHUNK, pacer.room(now_ms))
            if not room:
                job.moved_ms = now_ms
                return
            taken = port.write_some(job.queue[:room])
            if not taken:
                return
            if pacer is not None:
                pacer.took(taken, now_ms)
            job.queue = job.queue[taken:]
            job.moved_ms = now_ms

    def _hear(self, job: _Attempt, byte: int, now_ms: int) -> None:
        """One byte from the printer: 0xx1xx10 answers a question, 0xx0xxxx a marker; anything else is noise."""
        if byte & 0x93 == 0x12:
            self.answers, self._mute = True, False
            if job.asked and job.phase != SENDING:
                job.trouble[job.asked] = bool(byte & (OFFLINE_BIT if job.asked == ONLINE else PAPER_END_BITS))
        elif byte & 0x90 == 0 and (job.phase == WAITING or (job.phase in (CLEARING, SENDING) and not job.queue)):
            # While bytes are still kept here, the marker is among them: nothing can be its answer.
            self.answers, self._mute = True, False
            job.marks += 1
            if job.phase == CLEARING:
                job.moved_ms = now_ms

    def _broken(self, job: _Attempt, detail: str) -> Outcome:
        """Let go of the port: what was not taken is thrown away, and the printer may wait for the rest of a block."""
        self.close()
        if job.phase in (ASKING, CLEARING):
            return Outcome(HELD, detail)
        self._broken_block = max(1, job.composed.longest_block)
        if job.phase == WAITING:
            self._owed += 1
        return Outcome(UNCERTAIN, detail)
