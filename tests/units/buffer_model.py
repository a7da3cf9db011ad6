"""A printer as a model of time: bytes arrive at the speed of its line, and leave its buffer as they are printed."""

from collections.abc import Sequence

from PIL import Image

from roundtap_devices.printing.escpos_job import ComposedJob
from roundtap_devices.printing.printer import JobOutcome, Printer
from roundtap_devices.printing.printer_profiles import NONE, PrinterProfile
from roundtap_devices.virtual.virtual_printer import EscposInterpreter, IncompleteCommand

KERNEL_BYTES = 4096
"""What a program may hand over before the line has carried it."""
FULL_AT, FREE_AT, FIFO_BYTES = 128, 256, 32
"""Free bytes at which a printer says that it is full, and that it is not any more (Epson's figures); what leaves the
sender's chip all the same."""
CUT_MS = 500
SLOWER = 1.05
"""It is slower than its figures say."""
STEP_MS = 20
STATUS_REQUEST, FINE = b"\x10\x04", 0x12


class BufferModel(EscposInterpreter):
    """The far end of a line, a port to the near one. `peak`: the most bytes that were ever in its buffer unprinted.

    It reads commands by the virtual printer's own reading of the bytes, and knows nothing of the sender's steps.
    """

    def __init__(self, profile: PrinterProfile, baud: int, answering: bool = False) -> None:
        self._answers = bytearray()
        super().__init__(profile, self._answers.append if answering else lambda _: None)
        self._asked = b""
        self.baud: int | None = baud
        self.peak = 0
        self._wire = bytearray()
        self._waiting = bytearray()
        self._now_us = 0
        self._credit = 0.0
        self._busy_until_us = 0
        self._under_way = 0
        self._held = False
        self._fifo = 0

    def write_some(self, data: bytes) -> int:
        taken = data[: KERNEL_BYTES - len(self._wire)]
        self._wire += taken
        return len(taken)

    def read_some(self) -> bytes:
        """Its answers: to a status request on arrival, to a marker once all before it is printed."""
        came = bytes(self._answers)
        self._answers.clear()
        return came

    def close(self) -> None:
        self._wire.clear()

    def go_on(self, ms: int) -> None:
        for _ in range(ms):
            self._now_us += 1000
            self._arrive()
            self._print()

    @property
    def waiting(self) -> int:
        """Bytes that it has, and has not begun."""
        return len(self._waiting)

    @property
    def idle(self) -> bool:
        return not self._wire and not self._waiting and self._now_us >= self._busy_until_us

    def _arrive(self) -> None:
        assert self.baud is not None
        self._credit = min(self._credit + self.baud / 10_000, len(self._wire))
        count = int(self._credit)
        if self.profile.flow != NONE:
            free = self.profile.buffer - len(self._waiting) - self._under_way
            if free <= min(FULL_AT, self.profile.buffer // 4) and not self._held:
                self._held, self._fifo = True, FIFO_BYTES
            elif free >= min(FREE_AT, self.profile.buffer // 3):
                self._held = False
            if self._held:
                count = min(count, self._fifo)
                self._fifo -= count
        for byte in self._wire[:count]:
            self._asked = self._asked[-2:] + bytes((byte,))
            if self._asked[:2] == STATUS_REQUEST:
                self._answer(FINE)
        self._waiting += self._wire[:count]
        del self._wire[:count]
        self._credit = 0 if self._held else self._credit - count
        self.peak = max(self.peak, len(self._waiting) + self._under_way)

    def _print(self) -> None:
        while self._now_us >= self._busy_until_us:
            self._under_way = 0
            self._pending = bytearray(self._waiting)
            strips, cuts = len(self._strips), len(self.sheets)
            if not self._waiting:
                return
            try:
                length = self._next_command()
            except IncompleteCommand:
                return
            del self._waiting[:length]
            self._under_way += length
            busy_us = (len(self.sheets) - cuts) * CUT_MS * 1000
            if len(self._strips) > strips:
                busy_us += self._moving_us(self._strips[-1])
            # Letters go into the line that is being set; the line is printed with its end.
            self._busy_until_us = self._now_us + busy_us

    def _moving_us(self, strip: Image.Image) -> int:
        black = strip.convert("L").point(lambda dot: 255 - dot).getbbox()
        rows = black[3] - black[1] if black else 0
        return int(
            SLOWER
            * (
                rows * 1_000_000 / self.profile.rows_per_s
                + (strip.height - rows) * 1_000_000 / self.profile.feed_rows_per_s
            )
        )


def run(jobs: Sequence[ComposedJob], profile: PrinterProfile, baud: int, answering: bool) -> tuple[BufferModel, int]:
    """(the printer after these jobs, sent one after the other; how many milliseconds they took)."""
    model = BufferModel(profile, baud, answering)
    printer = Printer(lambda: model, profile, answering, confirmed=True)
    if not answering:
        printer.assume_no_answers()
    now_ms = 0
    for composed in jobs:
        printer.begin(composed, lambda: None, now_ms)
        while (outcome := printer.step(now_ms)) is None:
            now_ms += STEP_MS
            model.go_on(STEP_MS)
        if outcome != JobOutcome("printed" if answering else "sent"):
            raise AssertionError(f"{outcome}, {model.waiting} of {profile.buffer} bytes wait")
    while not model.idle:
        now_ms += STEP_MS
        model.go_on(STEP_MS)
    assert model.unknown_bytes == []
    return model, now_ms


def peak_of(composed: ComposedJob, profile: PrinterProfile, baud: int, times: int = 2) -> int:
    """The most unprinted bytes in the printer while so many of these jobs are sent one after the other."""
    return run([composed] * times, profile, baud, answering=False)[0].peak


def seconds_for(jobs: Sequence[ComposedJob], profile: PrinterProfile, baud: int) -> float:
    """How long these jobs take on a printer that answers, which gets each when the one before is on paper."""
    return run(jobs, profile, baud, answering=True)[1] / 1000
