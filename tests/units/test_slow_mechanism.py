"""A printer whose head is much slower than its profile says, and that holds the line back, prints all and says so."""

from dataclasses import replace

import buffer_model
import pytest
from buffer_model import run

from gallery.on_paper import pairings_content, slip_content
from roundtap_core.messages import Job
from roundtap_devices.printing.printer_profiles import CSN_A2, EPSON_80, POS_5890, PrinterProfile
from roundtap_units.station.printer_desk import job_composer
from roundtap_units.unit_config import unit_words

PRINTERS = ((EPSON_80, 115200), (POS_5890, 9600), (CSN_A2, 19200))


@pytest.mark.parametrize("kind", ["slip", pytest.param("pairings-table", marks=pytest.mark.long)])
@pytest.mark.parametrize("times", [4, 8])
@pytest.mark.parametrize(("known", "baud"), PRINTERS, ids=[known.name for known, _ in PRINTERS])
def test_what_a_slow_head_prints_is_printed(
    monkeypatch: pytest.MonkeyPatch, known: PrinterProfile, baud: int, times: int, kind: str
) -> None:
    monkeypatch.setattr(buffer_model, "SLOWER", times)
    profile = replace(known, flow="rtscts")
    content = slip_content("xwing-standard", ("Ana Ruiz", "محمد عبد")) if kind == "slip" else pairings_content(64)
    run([job_composer(profile, unit_words("pl"))(Job("1", kind, content))], profile, baud, answering=True)
