"""The printer says truly what became of a job, whatever the printer on the other end does."""

from __future__ import annotations

import pytest
from printer_kit import a_desk, long_job

from roundtap_devices.escpos_job import compose
from roundtap_devices.paper import Drawing, Label, Stroke
from roundtap_devices.printer import HELD, PRINTED, SENT, UNCERTAIN, Outcome
from roundtap_devices.printer_profiles import EPSON_80, POS_5890, PROFILES


@pytest.mark.parametrize("profile", PROFILES.values(), ids=lambda p: p.name)
def test_a_printer_that_answers_makes_it_printed(profile):
    with a_desk(profile) as desk:
        assert desk.print() == Outcome(PRINTED)
        assert desk.printer.answers
        assert desk.events == ["first byte"]


def test_a_printer_that_never_answers_makes_it_sent_and_is_not_waited_for_again():
    with a_desk() as desk:
        desk.twin.fault("mute")
        assert desk.print() == Outcome(SENT)
        begun_ms = desk.now_ms
        assert desk.print() == Outcome(SENT)
        assert desk.now_ms - begun_ms < 1500
        assert not desk.printer.answers


def test_printed_is_only_said_after_the_last_byte_was_processed():
    with a_desk() as desk:
        composed = desk.composed(*long_job(EPSON_80))

        def half_way(_: int) -> None:
            if desk.printer.phase == "waiting":
                desk.events.append(f"waiting at {desk.twin.processed_bytes}")

        assert desk.print(composed, half_way) == Outcome(PRINTED)
        assert desk.twin.processed_bytes >= len(composed.data)
        # All was handed over long before all was processed: that alone is no proof.
        assert int(desk.events[1].split()[-1]) < len(composed.data)


@pytest.mark.parametrize(("fault", "detail"), [("offline", "offline"), ("no-paper", "no-paper"), ("mute", "silent"),
                                               ("stalled", "silent"), ("unplugged", "no-port")])
def test_a_fault_found_before_the_first_byte_holds_the_job_and_nothing_is_on_paper(fault, detail):
    with a_desk(answers=True) as desk:
        desk.twin.fault(fault)
        assert desk.print() == Outcome(HELD, detail)
        assert desk.events == []
        desk.twin.fault(fault, on=False)
        assert desk.print() == Outcome(PRINTED)
        assert desk.events == ["first byte"]


@pytest.mark.parametrize(("fault", "details"), [
    ("offline", {"offline", "stalled"}), ("no-paper", {"no-paper", "stalled"}), ("mute", {"silent"}),
    ("stalled", {"stalled"}), ("unplugged", {"unplugged"}),
])
def test_a_fault_in_mid_job_is_uncertain_and_the_printer_is_free_again(fault, details):
    with a_desk() as desk:
        assert desk.print() == Outcome(PRINTED)
        desk.twin.fault(fault, after_bytes=2000)
        outcome = desk.print(desk.composed(*long_job(EPSON_80)))
        assert outcome.state == UNCERTAIN
        assert outcome.detail in details
        desk.twin.fault(fault, on=False)
        desk.rest()
        assert desk.print() == Outcome(PRINTED)


@pytest.mark.parametrize("fault", ["offline", "no-paper"])
def test_a_short_job_in_the_printers_memory_comes_out_when_somebody_mends_it_in_time(fault):
    with a_desk() as desk:
        desk.print()
        desk.twin.fault(fault, after_bytes=20)

        def mend(step: int) -> None:
            if step == 150:
                desk.twin.fault(fault, on=False)

        assert desk.print(at_step=mend) == Outcome(PRINTED)


def test_after_a_break_inside_a_picture_the_next_job_comes_out_clean():
    picture = Drawing(400, tuple(Stroke(0, y, 576, 3) for y in range(0, 400, 6)))
    with a_desk() as desk:
        desk.print()
        desk.twin.fault("unplugged", after_bytes=3000)
        assert desk.print(desk.composed(picture)).state == UNCERTAIN
        desk.twin.fault("unplugged", on=False)
        # As a printer would be that kept its power: it still waits for the rest of the block.
        desk.twin.paper.feed(b"\x1dv0\x00\x48\x00\x40\x00" + bytes(100))
        before = len(desk.twin.paper.sheets)
        assert desk.print() == Outcome(PRINTED)
        assert desk.twin.paper.strange == []
        fresh = a_printed_sheet(EPSON_80)
        sheet = desk.twin.paper.sheets[before]
        assert sheet.crop((0, sheet.height - fresh.height + 96, 576, sheet.height)).tobytes() \
            == fresh.crop((0, 96, 576, fresh.height)).tobytes()


def a_printed_sheet(profile):
    with a_desk(profile) as desk:
        desk.print()
        return desk.twin.paper.sheets[0]


def test_a_late_answer_to_a_broken_job_does_not_pass_for_the_next_ones():
    with a_desk(POS_5890) as desk:
        desk.print()
        desk.twin.fault("no-paper", after_bytes=20)
        assert desk.print().state == UNCERTAIN
        # The roll is changed: the old job's rest comes out, and its marker is answered, as the next one begins.
        desk.twin.fault("no-paper", on=False)
        desk.twin.fault("mute", after_bytes=120)
        outcome = desk.print(compose([Drawing(60, (Label(0, 0, "next", 40, 384),))], POS_5890))
        assert outcome.state in (UNCERTAIN, HELD)


def test_the_code_page_of_bytes_is_the_profiles():
    data = compose([*_names()], EPSON_80).data
    assert b"\x1bt\x12" + "Łukasz Żak".encode("cp852")[:1] in data
    assert b"\x1bt\x36" + "Łukasz Żak".encode("cp852")[:1] in compose([*_names()], POS_5890).data


def _names():
    from roundtap_devices.paper import line
    return [line("Łukasz Żak", EPSON_80.sheet)]
