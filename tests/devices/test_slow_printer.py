"""A printer much slower than its profile is waited for while it gives signs of life, and not for ever without them."""

from dataclasses import replace

import pytest
from printer_kit import Desk, a_desk, long_job

from roundtap_devices.printing.escpos_job import ComposedJob, compose_job
from roundtap_devices.printing.ports import SerialPort
from roundtap_devices.printing.printer import PRINTED, SENT, UNCERTAIN, JobOutcome, Printer
from roundtap_devices.printing.printer_profiles import EPSON_80, POS_5890, PROFILES, PrinterProfile
from roundtap_devices.virtual.virtual_printer import BYTES_PER_S, STALLED

SLOWER = (4, 8)
WITH_FLOW = replace(EPSON_80, flow="rtscts")


def answering(desk: Desk) -> None:
    """Its driver knows that it answers."""
    assert desk.print() == JobOutcome(PRINTED)


def sizes(profile: PrinterProfile) -> dict[str, ComposedJob]:
    lines = long_job(profile)
    return {"slip": compose_job(lines[:40], profile), "sheet": compose_job(lines, profile)}


@pytest.mark.parametrize("times", SLOWER)
@pytest.mark.parametrize(
    ("profile", "size"),
    [*((profile, "slip") for profile in PROFILES.values()), (WITH_FLOW, "sheet")],
    ids=lambda each: getattr(each, "name", each),
)
def test_a_slow_line_is_printed_and_once(profile: PrinterProfile, size: str, times: int) -> None:
    with a_desk(profile, bytes_per_s=BYTES_PER_S // times) as desk:
        answering(desk)
        marks, job = desk.twin.paper.marks, sizes(profile)[size]
        assert desk.print(job, limit_ms=1_000_000) == JobOutcome(PRINTED)
        assert desk.twin.paper.marks == marks + 1
        assert desk.events == ["first byte", "first byte"]


@pytest.mark.parametrize("times", SLOWER)
@pytest.mark.parametrize("profile", [POS_5890, replace(POS_5890, flow="rtscts")], ids=["paced", "rtscts"])
def test_so_is_one_at_nine_thousand_six_hundred_baud(profile: PrinterProfile, times: int) -> None:
    with a_desk(profile, bytes_per_s=960 // times) as desk:
        desk.printer = Printer(lambda: SerialPort(desk.twin.device, 9600), profile, confirmed=True)
        answering(desk)
        assert desk.print(sizes(profile)["slip"], limit_ms=1_000_000) == JobOutcome(PRINTED)


@pytest.mark.parametrize("size", ["slip", "sheet"])
def test_one_that_stops_is_uncertain_within_a_minute(size: str) -> None:
    with a_desk(WITH_FLOW, bytes_per_s=BYTES_PER_S // 4) as desk:
        answering(desk)
        desk.twin.set_fault(STALLED, after_bytes=400)
        stopped = []
        outcome = desk.print(
            sizes(WITH_FLOW)[size],
            lambda _: stopped.append(desk.now_ms) if STALLED in desk.twin.faults else None,
            limit_ms=1_000_000,
        )
        assert outcome.state == UNCERTAIN
        assert desk.now_ms - stopped[0] < 60_000


def test_one_that_answers_status_requests_alone_is_uncertain_after_ten_times_what_the_job_takes() -> None:
    with a_desk(WITH_FLOW) as desk:
        answering(desk)
        desk.twin.paper._answer = lambda byte: None  # the marker's
        job, begun_ms = sizes(WITH_FLOW)["slip"], desk.now_ms
        assert desk.print(job, limit_ms=1_000_000) == JobOutcome(UNCERTAIN, "silent")
        takes_ms = job.height_dots // 8 * 25 + len(job.data) * 1000 // BYTES_PER_S
        assert 10 * takes_ms < desk.now_ms - begun_ms < 10 * takes_ms + 12_000


def test_one_that_never_answers_keeps_the_desk_no_longer_than_its_job_takes() -> None:
    profile = PROFILES["csn-a2"]
    with a_desk(profile) as desk:
        desk.twin.set_fault("mute")
        desk.printer = Printer(lambda: SerialPort(desk.twin.device, 9600), profile, confirmed=True)
        job, begun_ms = sizes(profile)["slip"], desk.now_ms
        assert desk.print(job, limit_ms=1_000_000) == JobOutcome(SENT)
        takes_ms = max(job.busy_ms, job.height_dots // 8 * 25 + len(job.data) * 10 * 1000 // 9600)
        assert desk.now_ms - begun_ms < 2 * takes_ms + 15_000


def test_paper_that_is_put_in_gives_it_its_whole_time_again() -> None:
    with a_desk(WITH_FLOW, bytes_per_s=BYTES_PER_S // 8) as desk:
        answering(desk)
        desk.twin.set_fault("no-paper", after_bytes=20)

        def mend(step: int) -> None:
            if step == 2500:
                desk.twin.set_fault("no-paper", on=False)

        assert desk.print(at_step=mend, limit_ms=1_000_000) == JobOutcome(PRINTED)
