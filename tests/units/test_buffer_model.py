"""No document leaves more unprinted bytes in a printer than its buffer holds, whatever the speed of its line."""

from dataclasses import replace

import pytest
from buffer_model import peak_of
from paper_gate import documents

from gallery.on_paper import pairings_content
from roundtap_devices.printing.escpos_job import SendPacer, compose_job
from roundtap_devices.printing.print_lines import line
from roundtap_devices.printing.printer_profiles import CSN_A2, EPSON_80, PROFILES, PrinterProfile
from roundtap_units.documents.notices import layout_job
from roundtap_units.unit_config import unit_words

SPEEDS = (9600, 19200, 115200)
SLIPS = [(name, content) for name, kind, content in documents() if kind == "slip"]


@pytest.mark.parametrize("baud", [*(pytest.param(each, marks=pytest.mark.long) for each in SPEEDS[:-1]), SPEEDS[-1]])
@pytest.mark.parametrize("number", range(len(PROFILES)), ids=list(PROFILES))
def test_a_slip_never_overruns_the_buffer(number: int, baud: int) -> None:
    """Each printer with another rulebook's, at each speed, by turns with and without flow control."""
    profile = replace(list(PROFILES.values())[number], flow=("none", "rtscts")[(number + SPEEDS.index(baud)) % 2])
    _, content = SLIPS[(number * 5 + baud) % len(SLIPS)]
    assert (
        peak_of(compose_job(layout_job("slip", content, profile.sheet, unit_words("pl")), profile), profile, baud)
        <= profile.buffer
    )


@pytest.mark.long
@pytest.mark.parametrize("speed", range(len(SPEEDS)))
@pytest.mark.parametrize("number", range(len(PROFILES)), ids=list(PROFILES))
def test_no_document_overruns_the_buffer(number: int, speed: int) -> None:
    """Every document at every printer, at one of the speeds; `run_paper_gate.py --buffers` has every speed."""
    profile = replace(list(PROFILES.values())[number], flow=("none", "rtscts")[(number + speed) % 2])
    for what, kind, content in list(documents())[(speed + number) % len(SPEEDS) :: len(SPEEDS)]:
        made = compose_job(layout_job(kind, content, profile.sheet, unit_words("pl")), profile)
        assert peak_of(made, profile, SPEEDS[speed]) <= profile.buffer, what


def lists(profile: PrinterProfile) -> int:
    """The peak with a list of text, of which a line holds few bytes and takes as long as a row of pictures."""
    made = compose_job(layout_job("pairings-table", pairings_content(128), profile.sheet, unit_words("en")), profile)
    return peak_of(made, profile, 115200, 1)


def test_a_long_list_at_the_highest_speed_is_held_back_and_would_not_fit_by_itself() -> None:
    assert lists(EPSON_80) <= EPSON_80.buffer
    # A sender that trusts a flow control which the printer does not have: the model sees it.
    blind = replace(EPSON_80, buffer=10**7)
    assert lists(blind) > EPSON_80.buffer


def test_what_is_still_being_printed_counts_for_the_next_job() -> None:
    pacer = SendPacer(CSN_A2, 19200)
    data = compose_job([line("TABLE 12", CSN_A2.sheet, tall=True)] * 3, CSN_A2)
    pacer.expect(len(data.data), data.steps)
    pacer.on_sent(min(pacer.room(0), len(data.data)), 0)
    pacer.expect(1000, ((1000, 1),))
    assert pacer.room(1) < CSN_A2.buffer - len(data.data)
    assert pacer.room(data.busy_ms + 1000) > CSN_A2.buffer - len(data.data)
