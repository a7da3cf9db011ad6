"""A receipt printer: sends one job at a time, watches it, and reports truthfully what became of it."""

from collections.abc import Callable
from dataclasses import dataclass, field

from roundtap_devices.printing.escpos_job import BEGIN, BITS_A_BYTE, END_MARKER, ComposedJob, SendPacer, Step
from roundtap_devices.printing.ports import Port, PortUnavailable
from roundtap_devices.printing.printer_profiles import NONE, PrinterProfile

PRINTED, SENT, UNCERTAIN, HELD = "printed", "sent", "uncertain", "held"
"""What became of a job. printed: the printer answered its end marker. sent: all bytes were taken by a printer that
never answers, at a speed whose print has been read and confirmed. uncertain: some bytes left, and no answer came.
held: none left; it can be tried again."""

READY = "ready"  # the outcome of `begin_check` where all is well; `answers` shows whether the printer said so itself

OFFLINE, NO_PAPER, SILENT, STALLED, UNPLUGGED, NO_PORT, UNCONFIRMED = (
    "offline",
    "no-paper",
    "silent",
    "stalled",
    "unplugged",
    "no-port",
    "unconfirmed",
)
"""Why, in this order: off line or open; no paper; silent though it answered before; takes no more bytes; the port went
away; no such port; never answered, and its print at this speed is not confirmed yet."""

# DLE EOT n: answered at once, even by a printer that is off line. Sent one at a time: the answers look alike.
ONLINE, PAPER = b"\x10\x04\x01", b"\x10\x04\x04"
OFFLINE_BIT, PAPER_END_BITS = 0x08, 0x60
CHUNK = 1024
NOISE_BYTES = 48

ASKING, CLEARING, SENDING, WAITING = "asking", "clearing", "sending", "waiting"


STATUS_MS, STALL_MS, MEND_MS = 1000, 8000, 60_000
"""How long to wait for a status; for a stalled port to take a byte; for new paper or a closed lid when all is sent."""
ANSWER_MS, ANSWER_PER_MM_MS, USB_BAUD = 5000, 25, 115_200
"""How long to wait for the marker's answer once all is sent, besides what the job takes: at the line's speed (USB as if
it had one) and for each millimetre of paper, or by the profile, where that is longer."""
SLOWER_TIMES, LINE_BYTES, PTY_BYTES = 10, 4096, 18_000
"""A printer that takes bytes or answers status requests is waited for until it has had SLOWER_TIMES as long as the job
takes. Linux holds so many bytes for it, of a serial line or a pseudo-terminal: while one that slow prints them, none
more is taken, and no request behind them answered."""


@dataclass(frozen=True, slots=True)
class JobOutcome:
    state: str
    detail: str = ""


@dataclass(slots=True)
class _Attempt:
    """One attempt: `queue` are the unsent bytes. Times: `moved_ms` of the last progress or sign of life, `begun_ms` of
    the first byte, or the end of a trouble."""

    composed: ComposedJob
    before_first_byte: Callable[[], None]
    moved_ms: int
    begun_ms: int = 0
    phase: str = ASKING
    queue: bytes = b""
    asked: bytes = b""
    asked_ms: int = 0
    marks: int = 0
    trouble: dict[bytes, bool] = field(default_factory=dict)
    trouble_ms: int | None = None
    check_only: bool = False

    @property
    def detail(self) -> str:
        return NO_PAPER if self.trouble.get(PAPER) else OFFLINE if self.trouble.get(ONLINE) else ""


class Printer:
    """One printer on a port, for one thread.

    >>> from types import SimpleNamespace
    >>> from roundtap_devices.printing.escpos_job import compose_job
    >>> from roundtap_devices.printing.print_lines import line
    >>> from roundtap_devices.printing.printer_profiles import load_profile
    >>> made = load_profile("plain-58")  # or the path of a TOML file
    >>> takes_all = SimpleNamespace(baud=None, write_some=len, read_some=bytes)  # open_device("/dev/usb/lp0", …)
    >>> printer = Printer(lambda: takes_all, made, confirmed=True)
    >>> printer.begin(compose_job([line("Hello", made.sheet)], made), lambda: None, 0)
    >>> now_ms = 0
    >>> while (outcome := printer.step(now_ms)) is None:
    ...     now_ms += 20
    >>> outcome
    JobOutcome(state='sent', detail='')

    open_port: makes a NEW port; raises PortUnavailable. Called again after each break.
    answers: whether this printer is known to answer (from an earlier run); the attribute is what is known now.
    interrupted: the previous run ended inside a job, so the printer may still wait for the rest of a picture.
    confirmed: a person has read its print at this speed; otherwise silence proves nothing, and no job is "sent".
    next_speed: called while the speed is unconfirmed and nothing answers; True: `open_port` now opens at another speed,
    so that a printer that answers is found whatever its setting.
    """

    def __init__(
        self,
        open_port: Callable[[], Port],
        profile: PrinterProfile,
        answers: bool = False,
        interrupted: bool = False,
        confirmed: bool = False,
        next_speed: Callable[[], bool] = lambda: False,
    ) -> None:
        self.profile = profile
        self.confirmed = confirmed
        self.answers = answers or profile.answers is True
        self._mute = profile.answers is False
        self._open = open_port
        self._next_speed = next_speed
        self._port: Port | None = None
        self._pacer: SendPacer | None = None
        self._attempt: _Attempt | None = None
        self._broken_block = profile.raster_rows * profile.sheet.dots // 8 + 8 if interrupted else 0
        self._owed = 0

    @property
    def phase(self) -> str:
        """ "" while there is nothing to do."""
        return self._attempt.phase if self._attempt else ""

    @property
    def unconfirmed(self) -> bool:
        """Whether it prints at a speed that is not known to be right."""
        return not self.answers and not self.confirmed and self._port is not None and self._port.baud is not None

    def begin(self, composed: ComposedJob, before_first_byte: Callable[[], None], now_ms: int) -> None:
        """Start a job. `before_first_byte` is called once the printer is ready and before the first byte is sent:
        record there, durably, that the job may be on paper from now on. If it raises OSError, so does `step`, and
        the job is abandoned."""
        if self._attempt is not None:
            raise RuntimeError("one job at a time")
        self._attempt = _Attempt(composed, before_first_byte, now_ms)

    def begin_check(self, now_ms: int) -> None:
        """Ask for its state, and print nothing: the outcome is READY, or HELD with the reason."""
        self.begin(ComposedJob(b"", 0, 0), lambda: None, now_ms)
        assert self._attempt is not None
        self._attempt.check_only = True

    def step(self, now_ms: int) -> JobOutcome | None:
        """Do what can be done without waiting; returns the outcome once there is one."""
        if self._attempt is None:
            return None
        try:
            outcome = self._advance(self._attempt, now_ms)
        except PortUnavailable as gone:
            outcome = self._abort(self._attempt, UNPLUGGED if self._port else gone.reason or NO_PORT)
        except OSError:
            # The owner could not record the job: nothing of it has left, and nothing will.
            self._attempt = None
            raise
        if outcome is not None:
            self._attempt = None
        return outcome

    def assume_no_answers(self) -> None:
        """A person has seen that it prints and no longer answers: what is taken counts as sent until it answers again.
        Its earlier answer has proved the speed."""
        self.answers, self._mute, self.confirmed = False, True, True

    def close(self) -> None:
        port, self._port = self._port, None
        if port is not None:
            port.close()

    def abort(self) -> None:
        """Abandon the current job, and release the port: the printer may wait for the rest of a block."""
        if self._attempt is not None:
            self._abort(self._attempt, STALLED)
            self._attempt = None

    def _advance(self, job: _Attempt, now_ms: int) -> JobOutcome | None:
        if self._port is None:
            self._port = self._open()
            baud = self._port.baud
            self._pacer = SendPacer(self.profile, baud) if baud is not None and self.profile.flow == NONE else None
        if job.queue:
            self._write(self._port, job, now_ms)
        for byte in self._port.read_some():
            self._read_byte(job, byte, now_ms)
        if job.queue:
            stalled = self._is_late(job, now_ms) if job.phase == SENDING else now_ms - job.moved_ms >= STALL_MS
            return self._abort(job, job.detail or STALLED) if stalled else None
        if job.phase == ASKING:
            return self._query_status(job, now_ms)
        if job.phase == CLEARING:
            return self._clear(job, now_ms)
        if job.phase == SENDING:
            # Not `marks`: a quick printer may have answered already.
            job.phase, job.moved_ms, job.asked = WAITING, now_ms, b""
            return None
        return self._wait(self._port, job, now_ms)

    def _query_status(self, job: _Attempt, now_ms: int) -> JobOutcome | None:
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
            # A model may know the first request and not the second.
            if (
                not job.trouble
                and not self.confirmed
                and self._port is not None
                and self._port.baud is not None
                and self._next_speed()
            ):
                # Requests at a wrong speed are noise to the printer: it may be waiting for more of it.
                self.close()
                self._broken_block = max(self._broken_block, NOISE_BYTES)
                job.asked, job.moved_ms = b"", now_ms
                return None
            if self.answers and not job.trouble:
                return self._abort(job, SILENT)
        elif job.asked == ONLINE:
            # Even where it is off line: an empty roll is the more useful reason.
            job.asked = job.queue = PAPER
            job.moved_ms = now_ms
            return None
        if job.detail:
            return JobOutcome(HELD, job.detail)
        if self._broken_block and not job.check_only:
            self._begin_clearing(job, now_ms)
            return None
        return self._send(job, now_ms)

    def _begin_clearing(self, job: _Attempt, now_ms: int) -> None:
        """After a break: zeros are blanks to a printer that waits for the rest of a picture, and nothing to any other.
        Its answers to the markers of broken jobs must arrive before the next job, or they would pass for that job's."""
        job.phase, job.moved_ms, job.marks = CLEARING, now_ms, 0
        rows_us = self.profile.raster_rows * 1_000_000 // self.profile.rows_per_s
        self._queue(job, bytes(self._broken_block) + BEGIN + END_MARKER, ((self._broken_block, rows_us),))
        self._owed += 1

    def _clear(self, job: _Attempt, now_ms: int) -> JobOutcome | None:
        waited_ms = now_ms - job.moved_ms
        if job.marks < self._owed and self.answers:
            # Only padding lies between the last old marker and the new one: their answers come close together.
            if waited_ms < (STATUS_MS if job.marks else ANSWER_MS):
                return None
            if not job.marks:
                return self._abort(job, job.detail or SILENT)
        self._broken_block = self._owed = 0
        return self._send(job, now_ms)

    def _send(self, job: _Attempt, now_ms: int) -> JobOutcome | None:
        if job.check_only:
            return JobOutcome(READY)
        job.before_first_byte()
        job.phase, job.moved_ms, job.begun_ms, job.marks = SENDING, now_ms, now_ms, 0
        self._queue(job, job.composed.data + END_MARKER, job.composed.steps)
        return None

    def _queue(self, job: _Attempt, data: bytes, steps: tuple[Step, ...]) -> None:
        job.queue = data
        if self._pacer is not None:
            self._pacer.expect(len(data), steps)

    def _wait(self, port: Port, job: _Attempt, now_ms: int) -> JobOutcome | None:
        """Wait for the marker's answer. A lid closed or paper loaded in time still gives a true "printed"."""
        if job.marks:
            return JobOutcome(PRINTED)
        if job.detail:
            job.trouble_ms = now_ms if job.trouble_ms is None else job.trouble_ms
            if now_ms - job.trouble_ms >= MEND_MS:
                return self._abort(job, job.detail)
        elif job.trouble_ms is not None:
            job.trouble_ms, job.moved_ms, job.begun_ms = None, now_ms, now_ms
        elif (self._mute and (self.confirmed or port.baud is None)) or self._is_late(job, now_ms):
            if self.answers:
                return self._abort(job, SILENT)
            if not self.confirmed and port.baud is not None:
                # At another speed it prints illegible signs, or nothing, and is just as silent.
                return self._abort(job, UNCONFIRMED)
            self._mute = True
            return JobOutcome(SENT)
        if self.answers and now_ms - job.asked_ms >= STATUS_MS:
            question = PAPER if job.asked == ONLINE else ONLINE
            if port.write_some(question):
                job.asked, job.asked_ms = question, now_ms
        return None

    def _is_late(self, job: _Attempt, now_ms: int) -> bool:
        """Whether a job that was begun has got no sign of life for longer than even a slow printer needs, or has taken
        too long in all."""
        composed, baud = job.composed, self._port.baud if self._port is not None else None
        size = len(composed.data + END_MARKER)
        line_ms = size * BITS_A_BYTE * 1000 // (baud or USB_BAUD)
        job_ms = max(composed.height_dots // 8 * ANSWER_PER_MM_MS + line_ms, composed.busy_ms)
        at_line, at_head = min(size, LINE_BYTES if job.queue else PTY_BYTES), min(size, LINE_BYTES)
        held_ms = max(line_ms * at_line, composed.busy_ms * at_head) * SLOWER_TIMES // size
        # Of one that never answered there is no sign of life to wait for.
        last_ms = ANSWER_MS + (max(job_ms, held_ms) if self.answers else job_ms)
        silent_ms = STALL_MS + held_ms if job.queue else last_ms
        return now_ms - job.moved_ms >= silent_ms or now_ms - job.begun_ms >= STALL_MS + job_ms * SLOWER_TIMES

    def _write(self, port: Port, job: _Attempt, now_ms: int) -> None:
        pacer = self._pacer if job.phase in (CLEARING, SENDING) else None
        while job.queue:
            room = CHUNK if pacer is None else min(CHUNK, pacer.room(now_ms))
            if not room:
                job.moved_ms = job.begun_ms = now_ms
                return
            taken = port.write_some(job.queue[:room])
            if not taken:
                return
            if pacer is not None:
                pacer.on_sent(taken, now_ms)
            job.queue = job.queue[taken:]
            job.moved_ms = now_ms

    def _read_byte(self, job: _Attempt, byte: int, now_ms: int) -> None:
        """One byte from the printer: 0xx1xx10 answers a status request, 0xx0xxxx a marker; anything else is noise."""
        if byte & 0x93 == 0x12:
            self.answers, self._mute = True, False
            if job.asked and job.phase != SENDING:
                job.trouble[job.asked] = bool(byte & (OFFLINE_BIT if job.asked == ONLINE else PAPER_END_BITS))
            if job.phase == WAITING:
                job.moved_ms = now_ms
        elif byte & 0x90 == 0 and (job.phase == WAITING or (job.phase in (CLEARING, SENDING) and not job.queue)):
            # While bytes are still unsent, so is the marker: nothing can be its answer.
            self.answers, self._mute = True, False
            job.marks += 1
            if job.phase == CLEARING:
                job.moved_ms = now_ms

    def _abort(self, job: _Attempt, detail: str) -> JobOutcome:
        """Release the port: unsent bytes are discarded, and the printer may wait for the rest of a block."""
        self.close()
        if job.phase in (ASKING, CLEARING):
            return JobOutcome(HELD, detail)
        self._broken_block = max(1, job.composed.longest_block)
        if job.phase == WAITING:
            self._owed += 1
        return JobOutcome(UNCERTAIN, detail)
