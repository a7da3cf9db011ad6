"""A print station without a key, which has no screen: it prints its digits, a few times and no more."""

from __future__ import annotations

import contextlib
import logging
from collections.abc import Callable
from typing import Protocol

from roundtap_core.words import Words
from roundtap_devices.printing.escpos_job import compose
from roundtap_devices.printing.print_lines import CENTER, Feed, PrintLine, Sheet, line, rule
from roundtap_devices.printing.printer import Printer
from roundtap_devices.printing.printer_profiles import PrinterProfile
from roundtap_units.documents.slips import wrap
from roundtap_units.link.enrolling import CODE, DONE, Showing

log = logging.getLogger(__name__)

SHOWN_MS = 600_000
"""A code on paper is good for ten minutes: somebody has to carry it to the console."""
SHEETS_MAX = 3
"""After so many the station is silent until it is switched off and on: an empty hall uses up no roll."""


class Asking(Protocol):
    """What is to be said; `link.enrolling.Enrolling` is the real one."""

    showing: Showing


class EnrolStation:
    """Call `step` again and again. said: told each code as well, for the machine's own console."""

    def __init__(self, asking: Asking, printer: Printer, profile: PrinterProfile, words: Words,
                 said: Callable[[str], None]) -> None:
        self._asking = asking
        self._printer = printer
        self._profile = profile
        self._words = words
        self._said = said
        self._sheets = 0
        self._told: tuple[int | None, str] | None = None
        self._to_print: Showing | None = None

    @property
    def silent(self) -> bool:
        """Whether it has printed all that it prints, and the last code is no longer good."""
        return self._sheets >= SHEETS_MAX and self._asking.showing.state != DONE \
            and (self._asking.showing.number, self._asking.showing.code) != self._told

    def step(self, now_ms: int) -> None:
        showing = self._asking.showing
        if showing.state == CODE and (showing.number, showing.code) != self._told and self._sheets < SHEETS_MAX:
            self._told = showing.number, showing.code
            self._sheets += 1
            self._to_print = showing
            self._said(f"{showing.number} {showing.code[:3]} {showing.code[3:]} ({showing.hub})")
        if self._to_print is not None and not self._printer.phase:
            composed = compose(code_sheet(self._to_print, self._profile.sheet, self._words), self._profile)
            self._to_print = None
            self._printer.begin(composed, lambda: None, now_ms)
        with contextlib.suppress(OSError):
            # Without paper the digits are on the machine's console.
            self._printer.step(now_ms)


def code_sheet(showing: Showing, sheet: Sheet, words: Words) -> list[PrintLine]:
    """The digits of a station, on paper."""
    digits = f"{showing.number}  {showing.code[:3]} {showing.code[3:]}"
    what = wrap(words("enrol.paper", hub=showing.hub, minutes=SHOWN_MS // 60_000), sheet.columns)
    return [line(words("enrol.title"), sheet, CENTER, bold=True), rule(sheet), line(digits, sheet, CENTER, True, True),
            Feed(8), *(line(part, sheet) for part in what)]
