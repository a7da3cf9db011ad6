"""A print station without a key: its digits come on paper, a few times, and on the machine's own console."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from pathlib import Path

import pytest

from roundtap_core.words import LANGUAGES
from roundtap_devices.printing.print_lines import TextLine
from roundtap_devices.printing.printer_profiles import load_profile
from roundtap_units.link.enrolling import CODE, LOOKING, EnrolProgress
from roundtap_units.station.main import SHEETS_MAX, EnrolStation, enrol_code_lines, print_new_pin
from roundtap_units.unit_config import unit_words


class Paper:
    """A printer that is never busy, and whoever asks for digits."""

    def __init__(self) -> None:
        self.showing = EnrolProgress(LOOKING)
        self.phase = ""
        self.printed: list[bytes] = []
        self.said: list[str] = []
        self.station = EnrolStation(
            self,
            self,
            load_profile("plain-58"),
            unit_words("en"),  # type: ignore[arg-type]
            self.said.append,
        )

    def begin(self, composed: object, before: object, now_ms: int) -> None:
        self.printed.append(composed.data)  # type: ignore[attr-defined]

    def step(self, now_ms: int) -> None: ...

    def shows(self, number: int, code: str) -> None:
        self.showing = EnrolProgress(CODE, "roundtap", number, code, 600_000)
        for now_ms in range(3):
            self.station.step(now_ms)


def test_each_code_comes_on_paper_once_and_is_said() -> None:
    paper = Paper()
    paper.station.step(0)
    assert paper.printed == []
    paper.shows(17, "345678")
    paper.shows(18, "111222")
    assert [b"345 678" in paper.printed[0], b"111 222" in paper.printed[1], len(paper.printed)] == [True, True, 2]
    assert paper.said == ["17 345 678 (roundtap)", "18 111 222 (roundtap)"]


def test_an_empty_hall_uses_up_no_roll() -> None:
    paper = Paper()
    for number in range(10, 10 + SHEETS_MAX):
        assert not paper.station.is_finished
        paper.shows(number, "345678")
    assert not paper.station.is_finished, "the last code is still good"
    paper.shows(50, "999999")
    assert (len(paper.printed), paper.station.is_finished) == (SHEETS_MAX, True)


def test_the_sheet_is_whole_on_the_narrowest_paper_in_every_language() -> None:
    sheet = load_profile("plain-58").sheet
    for language in LANGUAGES:
        lines = enrol_code_lines(EnrolProgress(CODE, "roundtap", 17, "345678", 600_000), sheet, unit_words(language))
        texts = [cell.text for line in lines if isinstance(line, TextLine) for cell in line.cells]
        assert "17  345 678" in texts
        assert all(len(text) <= sheet.columns for text in texts), language


class Desk:
    """A printer that takes three steps for a job, or none at all; and a clock that runs with each look."""

    def __init__(self, is_there: bool) -> None:
        self.profile, self.phase, self.is_there, self.looks = load_profile("plain-58"), "", is_there, 0
        self.printed: list[bytes] = []
        self.first_byte: Callable[[], None] = lambda: None

    def make_printer(self) -> Desk:
        return self

    def begin(self, composed: object, before: Callable[[], None], now_ms: int) -> None:
        self.printed.append(composed.data)  # type: ignore[attr-defined]
        self.first_byte = before
        self.phase = "prints"

    def step(self, now_ms: int) -> None:
        self.looks += 1
        if not self.is_there:
            raise OSError("no printer")
        self.first_byte()
        self.phase = "prints" if self.looks < 3 else ""

    def close(self) -> None: ...

    def is_set(self) -> bool:
        return False

    def wait(self, seconds: float) -> None: ...


@pytest.mark.parametrize(("is_there", "looks"), [(True, 3), (False, 30)])
def test_a_new_hub_s_pin_comes_on_its_own_paper_and_without_paper_nothing_waits_for_ever(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, is_there: bool, looks: int
) -> None:
    seconds = itertools.count()
    monkeypatch.setattr("roundtap_units.station.main.mono_ms", lambda: next(seconds) * 500)
    (tmp_path / "pin").write_text("PIN: 40719362\n")
    desk = Desk(is_there)
    marks = tmp_path / "marks"
    marks.mkdir()
    print_new_pin(desk, desk, tmp_path / "pin", marks)  # type: ignore[arg-type]
    assert b"40719362" in desk.printed[0]
    assert abs(desk.looks - looks) < 5
    print_new_pin(desk, desk, tmp_path / "used already", marks)  # type: ignore[arg-type]
    assert len(desk.printed) == 1
    # A station that starts anew prints it only where it did not come out.
    print_new_pin(desk, desk, tmp_path / "pin", marks)  # type: ignore[arg-type]
    assert len(desk.printed) == (1 if is_there else 2)


def test_a_slow_printer_s_sheet_with_the_pin_is_printed_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It was taken for no sheet, where it was still being printed after half a minute."""
    seconds = itertools.count()
    monkeypatch.setattr("roundtap_units.station.main.mono_ms", lambda: next(seconds) * 500)
    (tmp_path / "pin").write_text("PIN: 40719362\n")
    desk, marks = Desk(is_there=True), tmp_path / "marks"
    monkeypatch.setattr(Desk, "step", lambda self, now_ms: self.first_byte())
    marks.mkdir()
    for _ in range(2):
        print_new_pin(desk, desk, tmp_path / "pin", marks)  # type: ignore[arg-type]
    assert len(desk.printed) == 1
