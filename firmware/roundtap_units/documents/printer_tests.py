"""Test prints that a person reads: is the speed right, the width, the letters, the code."""

from __future__ import annotations

from roundtap_core.words import Words
from roundtap_devices.printing.escpos_job import code_page_test
from roundtap_devices.printing.print_lines import CENTER, Box, Cell, Drawing, Feed, Label, Line, PrintLine, Qr, line
from roundtap_devices.printing.printer_profiles import PrinterProfile
from roundtap_units.documents.slips import wrap

TEST_URL = "http://roundtap.local/"
RULER = 30


def speed_page(number: int, baud: int) -> list[PrintLine]:
    """Plain ASCII on few lines: at another speed hardly anything comes out, and nothing that waits for more."""
    text = f" {number} " * 3
    return [Line((Cell(text, 0, len(text)),), tall=True), Line((Cell(f"roundtap {number}: {baud} baud", 0, 30),)),
            Feed(60)]


def width_page(profile: PrinterProfile, words: Words) -> list[PrintLine]:
    """A frame closed on both sides, a row of figures that ends at its right edge, the code pages, and a code."""
    sheet = profile.sheet
    figures = "".join(str(place % 10) for place in range(1, sheet.columns + 1))
    said = [line(part, sheet) for part in wrap(words("printer.test.what"), sheet.columns)]
    return [
        line("ROUNDTAP", sheet, CENTER, tall=True), *said, Feed(6),
        Drawing(RULER, (Box(0, 0, sheet.dots, RULER, 3),
                        Label(sheet.dots // 2, 6, f"{sheet.dots} · {sheet.columns} · {profile.dpi} dpi", 15,
                              sheet.dots - 12, CENTER))),
        Line((Cell(figures, 0, sheet.columns),)), Feed(8), *code_page_test(profile), Feed(8), Qr(TEST_URL), Feed(8),
    ]
