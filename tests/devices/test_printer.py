"""The printer says truly what became of a job, whatever the printer on the other end does."""

from contextlib import closing
from dataclasses import replace

import pytest
from printer_kit import a_desk, long_job

from faults import fails
from roundtap_devices.printing.escpos_job import compose_job
from roundtap_devices.printing.ports import SerialPort
from roundtap_devices.printing.print_lines import Drawing, RuledLine, line
from roundtap_devices.printing.printer import HELD, PRINTED, SENT, UNCERTAIN, JobOutcome, Printer
from roundtap_devices.printing.printer_profiles import EPSON_80, POS_5890, PROFILES
from roundtap_devices.virtual.virtual_printer import VirtualPrinter

STATUS_FINE, MARK_ANSWER = b"\x12", b"\x00"


@pytest.mark.parametrize("profile", PROFILES.values(), ids=lambda p: p.name)
def test_a_printer_that_answers_makes_it_printed(profile):
    with a_desk(profile) as desk:
        assert desk.print() == JobOutcome(PRINTED)
        assert desk.printer.answers
        assert desk.events == ["first byte"]


def test_a_printer_that_never_answers_makes_it_sent_and_is_not_waited_for_again():
    with a_desk() as desk:
        desk.twin.set_fault("mute")
        assert desk.print() == JobOutcome(SENT)
        begun_ms = desk.now_ms
        assert desk.print() == JobOutcome(SENT)
        assert desk.now_ms - begun_ms < 1500
        assert not desk.printer.answers


def test_printed_is_only_said_after_the_last_byte_was_processed():
    with a_desk(replace(EPSON_80, flow="rtscts")) as desk:
        composed = desk.composed(*long_job(EPSON_80))

        def half_way(_: int) -> None:
            if desk.printer.phase == "waiting":
                desk.events.append(f"waiting at {desk.twin.processed_bytes}")

        assert desk.print(composed, half_way) == JobOutcome(PRINTED)
        assert desk.twin.processed_bytes >= len(composed.data)
        # All was handed over long before all was processed: that alone is no proof.
        assert int(desk.events[1].split()[-1]) < len(composed.data)


@pytest.mark.parametrize(
    ("fault", "detail"),
    [
        ("offline", "offline"),
        ("no-paper", "no-paper"),
        ("mute", "silent"),
        ("stalled", "silent"),
        ("unplugged", "no-port"),
    ],
)
def test_a_fault_found_before_the_first_byte_holds_the_job_and_nothing_is_on_paper(fault, detail):
    with a_desk(answers=True) as desk:
        desk.twin.set_fault(fault)
        assert desk.print() == JobOutcome(HELD, detail)
        assert desk.events == []
        desk.twin.set_fault(fault, on=False)
        assert desk.print() == JobOutcome(PRINTED)
        assert desk.events == ["first byte"]


@pytest.mark.parametrize(
    ("fault", "details"),
    [
        ("offline", {"silent", "stalled"}),
        ("no-paper", {"silent", "stalled"}),
        ("mute", {"silent"}),
        ("stalled", {"stalled"}),
        ("unplugged", {"unplugged"}),
    ],
)
def test_a_fault_in_mid_job_is_uncertain_and_the_printer_is_free_again(fault, details):
    with a_desk() as desk:
        assert desk.print() == JobOutcome(PRINTED)
        desk.twin.set_fault(fault, after_bytes=2000)
        outcome = desk.print(desk.composed(*long_job(EPSON_80)))
        assert outcome.state == UNCERTAIN
        assert outcome.detail in details
        desk.twin.set_fault(fault, on=False)
        desk.rest()
        assert desk.print() == JobOutcome(PRINTED)


@pytest.mark.parametrize("fault", ["offline", "no-paper"])
def test_a_short_job_in_the_printers_memory_comes_out_when_somebody_mends_it_in_time(fault):
    with a_desk() as desk:
        desk.print()
        desk.twin.set_fault(fault, after_bytes=20)

        def mend(step: int) -> None:
            if step == 150:
                desk.twin.set_fault(fault, on=False)

        assert desk.print(at_step=mend) == JobOutcome(PRINTED)


@pytest.mark.parametrize("fault", ["offline", "no-paper"])
def test_what_nobody_mends_is_uncertain_and_says_why(fault):
    with a_desk() as desk:
        desk.print()
        desk.twin.set_fault(fault, after_bytes=20)
        assert desk.print() == JobOutcome(UNCERTAIN, fault)


def test_a_job_that_cannot_be_noted_is_not_begun():
    with a_desk() as desk:
        desk.printer.begin(desk.composed(), fails(OSError(28, "No space left on device")), desk.now_ms)
        with pytest.raises(OSError, match="No space left"):
            desk.until_outcome()
        desk.rest()
        assert desk.twin.processed_bytes == len(b"\x10\x04\x01\x10\x04\x04")
        assert desk.print() == JobOutcome(PRINTED)


def test_after_a_break_inside_a_picture_the_next_job_comes_out_clean():
    picture = Drawing(400, (RuledLine(0, 0, 576, 400),))
    with a_desk() as desk:
        desk.print()
        desk.twin.set_fault("unplugged", after_bytes=3000)
        assert desk.print(desk.composed(picture)).state == UNCERTAIN
        desk.twin.set_fault("unplugged", on=False)
        # As a printer would be that kept its power: it still waits for the rest of the block.
        desk.twin.paper.feed(b"\x1dv0\x00\x48\x00\x1c\x00" + bytes(100))
        before = len(desk.twin.paper.sheets)
        assert desk.print() == JobOutcome(PRINTED)
        assert desk.twin.paper.unknown_bytes == []
        fresh = a_printed_sheet(EPSON_80)
        sheet = desk.twin.paper.sheets[before]
        assert (
            sheet.crop((0, sheet.height - fresh.height + 96, 576, sheet.height)).tobytes()
            == fresh.crop((0, 96, 576, fresh.height)).tobytes()
        )


def a_printed_sheet(profile):
    with a_desk(profile) as desk:
        desk.print()
        return desk.twin.paper.sheets[0]


class Wire:
    """A port whose other end is the test: what came is in `came`, what `says` holds is heard next."""

    baud = None

    def __init__(self):
        self.came = b""
        self.says = b""

    def write_some(self, data):
        self.came += data
        return len(data)

    def read_some(self):
        said, self.says = self.says, b""
        return said

    def close(self):
        self.came = b""


class WiredPrinter:
    def __init__(self):
        self.wire, self.now_ms, self.begun = Wire(), 0, 0
        self.printer = Printer(lambda: self.wire, POS_5890, answers=True)

    def begin(self):
        self.printer.begin(compose_job([line("TABLE 12", POS_5890.sheet)], POS_5890), self.note, self.now_ms)
        self.step()
        self.step(STATUS_FINE)
        self.step(STATUS_FINE)
        return self.step()

    def note(self):
        self.begun += 1

    def step(self, says=b"", ms=20):
        self.now_ms += ms
        self.wire.says = says
        return self.printer.step(self.now_ms)

    def until_outcome(self):
        for _ in range(2000):
            outcome = self.step(ms=100)
            if outcome is not None:
                return outcome
        raise AssertionError("no outcome")


def test_a_late_answer_to_a_broken_job_does_not_pass_for_the_next_ones():
    desk = WiredPrinter()
    desk.begin()
    assert desk.until_outcome() == JobOutcome(UNCERTAIN, "silent")
    desk.begin()
    for _ in range(20):
        desk.step(ms=100)
    assert desk.begun == 1, "the next job waits until the old one is worked off"
    desk.step(MARK_ANSWER)  # the old job's
    desk.step()
    assert desk.begun == 1
    desk.step(MARK_ANSWER)  # that of the padding
    assert desk.begun == 2
    assert desk.until_outcome() == JobOutcome(UNCERTAIN, "silent")


def test_an_answer_that_was_lost_in_a_break_is_not_waited_for_without_end():
    desk = WiredPrinter()
    desk.begin()
    desk.until_outcome()
    desk.begin()
    desk.step(MARK_ANSWER)
    desk.step(ms=900)
    assert desk.begun == 1
    desk.step(ms=200)
    desk.step()
    assert desk.begun == 2
    desk.step()
    assert desk.step(MARK_ANSWER) == JobOutcome(PRINTED)


@pytest.mark.parametrize("noise", [b"\x11", b"\x13", b"\xff", b"\x12"])
def test_noise_on_the_line_is_no_answer(noise):
    desk = WiredPrinter()
    desk.begin()
    desk.step()
    assert desk.step(noise) is None
    assert desk.step(MARK_ANSWER) == JobOutcome(PRINTED)


class QuickPort(SerialPort):
    """The printer works off what it got before anybody looks again: its answer is there in the very step that hands
    over the last bytes."""

    def __init__(self, twin):
        super().__init__(twin.device)
        self._twin = twin

    def write_some(self, data):
        taken = super().write_some(data)
        self._twin.step(0)
        return taken


@pytest.mark.parametrize("profile", PROFILES.values(), ids=lambda p: p.name)
def test_an_answer_that_comes_while_the_last_bytes_are_still_being_sent_counts(profile):
    with (
        closing(VirtualPrinter(profile, bytes_per_s=None)) as twin,
        closing(Printer(lambda: QuickPort(twin), profile)) as printer,
    ):
        outcome, now_ms = None, 0
        printer.begin(compose_job([line("TABLE 12", profile.sheet)], profile), lambda: None, now_ms)
        while outcome is None and now_ms < 60_000:
            now_ms += 20
            outcome = printer.step(now_ms)
    assert outcome == JobOutcome(PRINTED)


def test_an_answer_that_comes_before_the_marker_was_sent_is_not_the_marker_s():
    desk = WiredPrinter()
    desk.begin()
    desk.until_outcome()
    desk.printer.assume_no_answers()
    taken, room = desk.wire.write_some, [20]
    desk.wire.write_some = lambda data: taken(data[: room.pop()]) if room else 0
    desk.printer.begin(compose_job([line("TABLE 12", POS_5890.sheet)], POS_5890), desk.note, desk.now_ms)
    desk.step()
    desk.step(MARK_ANSWER)
    desk.wire.write_some = taken
    assert desk.until_outcome() == JobOutcome(SENT)


def test_a_silent_printer_s_job_is_uncertain_until_somebody_read_what_it_prints_at_this_speed():
    with a_desk(confirmed=False) as desk:
        desk.twin.set_fault("mute")
        assert desk.print() == JobOutcome(UNCERTAIN, "unconfirmed")
        desk.rest()
        assert desk.print().state != SENT


def test_a_printer_that_answers_needs_nobody_to_confirm_it():
    with a_desk(confirmed=False) as desk:
        assert desk.print() == JobOutcome(PRINTED)
