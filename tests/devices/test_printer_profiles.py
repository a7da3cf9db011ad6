"""Printer profiles: the known models held against python-escpos' database, and those of people's own."""

import json
from pathlib import Path
from typing import Any

import pytest

from roundtap_devices.printing.escpos_job import compose_job
from roundtap_devices.printing.print_lines import Drawing, Qr, RuledLine
from roundtap_devices.printing.printer_profiles import PROFILES, SOLD_AS, ProfileError, load_profile, parse_profile

DATABASE = {
    "epson-80": ("TM-T20II",),
    "epson-t88": ("TM-T88II", "TM-T88III", "TM-T88IV", "TM-T88V"),
    "pos-5890": ("POS-5890",),
    "zj-5870": ("ZJ-5870",),
    "plain-58": ("POS-5890", "NT-5890K", "ZJ-5870"),
    "plain-80": ("TM-T20II",),
}
"""Which models of the database each profile has to be right for. Of the CSN-A2 it knows nothing."""
MODELS = json.loads((Path(__file__).parent / "printer_models.json").read_text(encoding="utf-8"))
"""Their figures there."""
ON_PURPOSE = {
    ("epson-t88", "qr"): "the database says all make QR codes; by Epson's own list the II and III do not",
    ("plain-80", "qr"): "nothing but what every printer has",
}

KNOWN = "epson-80, epson-t88, pos-5890, zj-5870, csn-a2, plain-58, plain-80"


def models(name: str) -> list[dict[str, Any]]:
    return [MODELS[model] for model in DATABASE[name]]


@pytest.mark.parametrize("name", DATABASE)
def test_a_page_has_the_number_that_the_database_gives_it_on_every_model(name: str) -> None:
    for codec, number in PROFILES[name].codepages.items():
        for model in models(name):
            assert model["codepages"][str(number)] == codec


@pytest.mark.parametrize("name", DATABASE)
def test_width_is_the_database_s(name: str) -> None:
    profile = PROFILES[name]
    for model in models(name):
        assert (model["dots"], model["dpi"], model["columns"]) == (profile.dots, profile.dpi, profile.columns)


@pytest.mark.parametrize("name", DATABASE)
def test_codes_and_cutting_are_as_the_database_says_but_for_what_is_named(name: str) -> None:
    profile = PROFILES[name]
    for model in models(name):
        for key in ("qr", "cutter"):
            assert (getattr(profile, key) == model[key]) is not ((name, key) in ON_PURPOSE), key


def test_every_profile_is_held_against_the_database_or_has_no_model_there() -> None:
    assert set(PROFILES) - set(DATABASE) == {"csn-a2"}
    assert set(SOLD_AS) == set(PROFILES)


def test_widths_and_the_cell_that_follows() -> None:
    assert {p.name: (p.sheet.columns, p.sheet.dots, p.sheet.cell_dots) for p in PROFILES.values()} == {
        "epson-80": (48, 576, 12),
        "epson-t88": (42, 512, 12),
        "pos-5890": (32, 384, 12),
        "zj-5870": (32, 384, 12),
        "csn-a2": (32, 384, 12),
        "plain-58": (32, 384, 12),
        "plain-80": (48, 576, 12),
    }
    made = parse_profile("dots = 546\ncolumns = 42").sheet
    assert (made.dots, made.cell_dots) == (544, 13)


def test_the_panel_printer_is_paced_and_waits_for_nobody() -> None:
    printer = PROFILES["csn-a2"]
    assert (printer.baud, printer.flow, printer.buffer) == (19200, "none", 256)
    assert 1000 / printer.rows_per_s == pytest.approx(30, abs=1)


@pytest.mark.parametrize("profile", PROFILES.values(), ids=lambda p: p.name)
def test_no_block_of_an_image_is_larger_than_the_buffer(profile: Any) -> None:
    black = Drawing(400, tuple(RuledLine(0, y, profile.sheet.dots) for y in range(0, 400, 3)))
    assert compose_job([black, Qr("http://10.42.0.1/e/e1")], profile).longest_block <= profile.buffer - 30


def test_a_profile_of_ones_own(tmp_path: Any) -> None:
    file = tmp_path / "kiosk.toml"
    file.write_text(
        'like = "pos-5890"\ndots = 512\ncolumns = 42\nanswers = false\nflow = "rtscts"\n'
        "rows_per_s = 300\n[codepages]\ncp1250 = 72\n"
    )
    made = load_profile(str(file))
    assert (made.name, made.columns, dict(made.codepages), made.answers) == ("kiosk", 42, {"cp1250": 72}, False)
    assert (made.flow, made.rows_per_s, made.raster_rows) == ("rtscts", 300, PROFILES["pos-5890"].raster_rows)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("columns = 8", "p.toml: columns: 8 should be a whole number from 16 to 128"),
        ("columns = 120", "p.toml: columns: 120 columns do not fit into 576 dots: a letter is 6 to 32 dots wide"),
        ("buffer = 80", "p.toml: buffer: 80 bytes hold no row of 576 dots: at least 112 are wanted"),
        ("colums = 48", "p.toml: colums: unknown key; known are like, name, dots, columns"),
        ("[codepages]\ncp9999 = 3", "p.toml: codepages.cp9999: cp9999 is not one of cp437"),
        ("[codepages]\nutf_16 = 3", "p.toml: codepages.utf_16: utf_16 is not one of cp437"),
        ("[codepages]\ncp852 = 300", "p.toml: codepages.cp852: 300 should be a whole number from 0 to 255"),
        ('cutter = "yes"', "p.toml: cutter: yes should be true or false"),
        ("raster_rows = 0", "p.toml: raster_rows: 0 should be a whole number from 1 to 255"),
        ("rows_per_s = true", "p.toml: rows_per_s: True should be a whole number from 10 to 10000"),
        ('flow = "dsrdtr"', "p.toml: flow: dsrdtr is not one of none, rtscts, xonxoff"),
        ("baud = 9601", "p.toml: baud: 9601 is not one of 1200, 2400, 4800, 9600"),
        ('like = "lp0"', f"p.toml: like: lp0 is not one of {KNOWN}"),
        ("columns =", "p.toml: this is not a TOML file"),
    ],
)
def test_what_is_wrong_is_said_with_its_place(text: str, says: str) -> None:
    with pytest.raises(ProfileError) as error:
        parse_profile(text, "p.toml")
    assert str(error.value).startswith(says)


def test_an_unknown_printer_names_the_known_ones() -> None:
    with pytest.raises(ProfileError, match=KNOWN):
        load_profile("/nowhere/printer.toml")
