"""Print lines as bytes: letters in the right code page of the right number, or drawn; blocks, widths, heights."""

import pytest

from roundtap_devices.printing.escpos_job import BEGIN, END_MARKER, code_page_test_lines, compose_job
from roundtap_devices.printing.print_lines import (
    FRAME,
    Box,
    CodePageLine,
    Drawing,
    Feed,
    Label,
    Qr,
    RuledLine,
    TextCell,
    TextLine,
    line,
)
from roundtap_devices.printing.printer_profiles import EPSON_80, PLAIN_58, POS_5890, PROFILES, parse_profile
from roundtap_devices.virtual.virtual_printer import EscposInterpreter

NAMES = ("Łukasz Żak", "Aleksandra Wiśniewska-Szczepańska", "Jürgen Groß", "Íñigo Muñoz Peña", "Łucja Muñoz Öztürk")
RASTER = b"\x1dv0"


class Reader(EscposInterpreter):
    """A printer that also remembers the letters it was given, by its own reading of them."""

    def __init__(self, profile):
        self.letters = ""
        super().__init__(profile)

    def _new_line(self):
        self.letters += "".join(letter for letter, *_ in self._line) + "\n"
        super()._new_line()


def read(lines, profile):
    reader = Reader(profile)
    reader.feed(compose_job(lines, profile).data + END_MARKER)
    assert reader.unknown_bytes == []
    return reader


@pytest.mark.parametrize("profile", [EPSON_80, POS_5890], ids=lambda p: p.name)
@pytest.mark.parametrize("name", NAMES)
def test_names_come_out_right_in_the_printers_own_letters(profile, name):
    reader = read([line(name, profile.sheet)], profile)
    if len(name) <= profile.columns:
        assert reader.letters.split("\n")[0] == name
    else:
        assert RASTER in compose_job([line(name, profile.sheet)], profile).data


@pytest.mark.parametrize(
    ("name", "drawn"),
    [
        ("Ana Ruiz", False),
        ("Jürgen Groß", False),
        ("Muñoz Peña", False),  # all of them in code page 437
        ("Łukasz Żak", True),
        ("Íñigo Ruiz", True),
    ],
)
def test_what_the_code_pages_lack_is_drawn(name, drawn):
    data = compose_job([line(name, PLAIN_58.sheet)], PLAIN_58).data
    assert (RASTER in data) is drawn


def test_the_numbers_are_the_profiles():
    polish = "Łódź".encode("cp852")
    for profile, number in ((EPSON_80, 18), (POS_5890, 54), (parse_profile("[codepages]\ncp852 = 72"), 72)):
        assert bytes((0x1B, ord("t"), number)) + polish[:1] in compose_job([line("Łódź", profile.sheet)], profile).data


def test_two_code_pages_in_one_line():
    reader = read([TextLine((TextCell("Łukasz Żak", 0, 15), TextCell("Íñigo Muñoz", 16, 15)))], POS_5890)
    assert reader.letters.split("\n")[0] == "Łukasz Żak      Íñigo Muñoz"


def test_a_dash_no_printer_has_does_not_make_a_line_a_picture():
    reader = read([line("3–0 … “ok”", PLAIN_58.sheet)], PLAIN_58)
    assert reader.letters.split("\n")[0] == '3-0 ... "ok"'


def test_text_too_wide_for_its_cell_is_drawn_and_stays_inside_it():
    wide = TextLine((TextCell("Świętosława Brzęczyszczykiewicz", 0, 16), TextCell("12", 30, 2)))
    sheet = read([wide], POS_5890)
    roll = sheet.roll if not sheet.sheets else sheet.sheets[0]
    gap = roll.crop((16 * 12, 0, 30 * 12, roll.height))
    assert gap.getextrema()[0] > 0, "something stands between the two cells"


def test_the_line_that_a_page_lacks_letters_for_is_drawn_and_no_other():
    lines = [line("Jan", PLAIN_58.sheet), line("Łukasz", PLAIN_58.sheet), line("Eva", PLAIN_58.sheet)]
    assert read(lines, PLAIN_58).letters.split() == ["Jan", "Eva"]
    assert read([line("Jan", POS_5890.sheet), line("Łukasz", POS_5890.sheet)], POS_5890).letters.split() == [
        "Jan",
        "Łukasz",
    ]


def test_only_what_is_black_is_sent():
    """White rows are fed; what is right of the last black dot of a row is left out, unless another block cost more."""
    drawing = Drawing(60, (RuledLine(0, 20, 384, 2), RuledLine(0, 40, 80, 10)))
    data = compose_job([drawing], POS_5890).data
    assert data[len(BEGIN) :].startswith(
        b"\x1bJ\x14"
        + RASTER
        + bytes((0, 48, 0, 2, 0))
        + b"\xff" * 96
        + b"\x1bJ\x12"
        + RASTER
        + bytes((0, 10, 0, 10, 0))
        + b"\xff" * 100
        + b"\x1bJ\x0a"
    )


def test_a_frame_is_a_letter_where_the_line_is_text_and_drawn_at_the_same_place_where_it_is_not():
    as_text, drawn = (
        TextLine((TextCell(FRAME, 0, 1), TextCell(text, 2, 20), TextCell(FRAME, 31, 1)), tight=True)
        for text in ("Punkte", "Życie")
    )
    roll = read([as_text, drawn, as_text], PLAIN_58).roll
    assert RASTER not in compose_job([as_text], PLAIN_58).data
    for x in (5, 6, 377, 378):
        assert roll.crop(
            (x, roll.height - 3 * 24 - PLAIN_58.tear_dots, x + 1, roll.height - PLAIN_58.tear_dots)
        ).getextrema() == (0, 0)


def test_ticks_look_alike_on_drawn_lines_and_on_those_in_letters():
    one, other = (TextLine((TextCell(tick, 0, 3), TextCell("Życie", 4, 20)), tight=True) for tick in ("☐", "[ ]"))
    assert compose_job([one], PLAIN_58) == compose_job([other], PLAIN_58)


@pytest.mark.parametrize("profile", PROFILES.values(), ids=lambda p: p.name)
def test_the_height_said_is_the_height_printed(profile):
    lines = [
        line("TABLE 12", profile.sheet, tall=True),
        line("Łukasz", profile.sheet, bold=True),
        Feed(300),
        Drawing(130, (Box(0, 0, 50, 50), Label(60, 5, "●", 20, 40))),
        Qr("http://10.42.0.1/e/e1"),
        TextLine((TextCell("tiny", 0, 20),), small=True),
    ]
    composed = compose_job(lines, profile)
    paper = EscposInterpreter(profile)
    before = paper.roll.height
    paper.feed(composed.data)
    printed = paper.sheets[0].height if profile.cutter else paper.roll.height - before
    assert printed == composed.height_dots


def test_a_picture_goes_in_blocks_no_longer_than_said():
    composed = compose_job([Drawing(500, (RuledLine(0, 0, 384, 500),))], POS_5890)
    assert composed.longest_block == 8 + 48 * POS_5890.raster_rows
    assert composed.data.count(RASTER) == -(-500 // POS_5890.raster_rows)


def test_the_test_print_shows_each_page_beside_the_drawn_letters():
    lines = code_page_test_lines(POS_5890)
    assert {each.codec for each in lines if isinstance(each, CodePageLine)} == set(POS_5890.codepages)
    letters = read(lines, POS_5890).letters
    assert "cp852 = 54" in letters
    assert "ąćęłńóśźż ĄĆĘŁŃÓŚŹŻ" in letters


def test_a_printer_with_other_numbers_shows_that_the_profile_is_wrong():
    reader = Reader(EPSON_80)
    reader.feed(compose_job(code_page_test_lines(POS_5890), POS_5890).data)
    assert "ąćęłńóśźż" not in reader.letters
