"""What the printer tests share: a printer and its twin on a pseudo-terminal, under one clock that is set by hand."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from roundtap_devices.printing.escpos_job import ComposedJob, compose_job
from roundtap_devices.printing.ports import SerialPort
from roundtap_devices.printing.print_lines import Feed, PrintLine, TextLine, line
from roundtap_devices.printing.printer import JobOutcome, Printer
from roundtap_devices.printing.printer_profiles import EPSON_80, PrinterProfile
from roundtap_devices.virtual.virtual_printer import BYTES_PER_S, VirtualPrinter

STEP_MS = 20


@dataclass
class Desk:
    """The printer's driver and the virtual printer, stepped in turn."""

    profile: PrinterProfile = EPSON_80
    answers: bool = False
    confirmed: bool = True
    bytes_per_s: int = BYTES_PER_S
    now_ms: int = 1000
    events: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.twin = VirtualPrinter(self.profile, self.bytes_per_s)
        self.printer = Printer(
            lambda: SerialPort(self.twin.device or "/dev/nowhere"), self.profile, self.answers, confirmed=self.confirmed
        )

    def composed(self, *lines: PrintLine) -> ComposedJob:
        return compose_job(lines or (line("TABLE 12", self.profile.sheet),), self.profile)

    def step(self) -> JobOutcome | None:
        self.now_ms += STEP_MS
        outcome = self.printer.step(self.now_ms)
        self.twin.step(self.now_ms)
        return outcome

    def print(
        self,
        composed: ComposedJob | None = None,
        at_step: Callable[[int], None] = lambda _: None,
        limit_ms: int = 120_000,
    ) -> JobOutcome:
        """Until there is an outcome; `at_step` is called before each step with its number."""
        self.printer.begin(composed or self.composed(), lambda: self.events.append("first byte"), self.now_ms)
        return self.until_outcome(at_step, limit_ms)

    def until_outcome(self, at_step: Callable[[int], None] = lambda _: None, limit_ms: int = 120_000) -> JobOutcome:
        for number in range(limit_ms // STEP_MS):
            at_step(number)
            outcome = self.step()
            if outcome is not None:
                return outcome
        raise AssertionError(f"no outcome within {limit_ms} ms, in phase {self.printer.phase!r}")

    def rest(self, ms: int = 2000) -> None:
        """Time goes by for the twin."""
        for _ in range(ms // STEP_MS):
            self.now_ms += STEP_MS
            self.twin.step(self.now_ms)


@contextmanager
def a_desk(
    profile: PrinterProfile = EPSON_80, answers: bool = False, confirmed: bool = True, bytes_per_s: int = BYTES_PER_S
) -> Iterator[Desk]:
    desk = Desk(profile, answers, confirmed, bytes_per_s)
    try:
        yield desk
    finally:
        desk.printer.close()
        desk.twin.close()


def long_job(profile: PrinterProfile) -> list[PrintLine]:
    """More than printer and line can hold between them."""
    return [Feed(8), *(TextLine(line(f"line {n} " + "x" * 24, profile.sheet).cells) for n in range(600))]
