"""Printer profiles: three known models with different numbers for the same code page, and those of people's own."""

from __future__ import annotations

import pytest

from roundtap_devices.printing.printer_profiles import (
    EPSON_80,
    PLAIN_58,
    POS_5890,
    PROFILES,
    ProfileError,
    load,
    printer_profile,
)


def test_the_same_code_page_has_another_number_on_another_model():
    assert (EPSON_80.codepages["cp852"], EPSON_80.codepages["cp858"]) == (18, 19)
    assert POS_5890.codepages["cp852"] == 54
    assert not {"cp852", "cp858"} & set(PLAIN_58.codepages)


def test_widths():
    assert {p.name: (p.sheet.columns, p.sheet.dots) for p in PROFILES.values()} == {
        "epson-80": (48, 576), "pos-5890": (32, 384), "plain-58": (32, 384)}


def test_a_profile_of_ones_own(tmp_path):
    file = tmp_path / "kiosk.toml"
    file.write_text('like = "pos-5890"\ncolumns = 48\nanswers = false\n[codepages]\ncp1250 = 72\n')
    made = printer_profile(str(file))
    assert (made.name, made.columns, dict(made.codepages), made.answers) == ("kiosk", 48, {"cp1250": 72}, False)
    assert made.raster_rows == POS_5890.raster_rows


@pytest.mark.parametrize(("text", "says"), [
    ("columns = 40", "p.toml: columns: 40 is not one of 32 (58 mm), 48 (80 mm)"),
    ("colums = 48", "p.toml: colums: unknown key; known are like, name, columns"),
    ("[codepages]\ncp9999 = 3", "p.toml: codepages.cp9999: cp9999 is not one of cp437"),
    ("[codepages]\nutf_16 = 3", "p.toml: codepages.utf_16: utf_16 is not one of cp437"),
    ("[codepages]\ncp852 = 300", "p.toml: codepages.cp852: 300 should be a whole number, 0 to 255"),
    ('cutter = "yes"', "p.toml: cutter: yes should be true or false"),
    ("raster_rows = 0", "p.toml: raster_rows: 0 should be a whole number"),
    ('like = "lp0"', "p.toml: like: lp0 is not one of epson-80, pos-5890, plain-58"),
    ("columns =", "p.toml: this is not a TOML file"),
])
def test_what_is_wrong_is_said_with_its_place(text, says):
    with pytest.raises(ProfileError) as error:
        load(text, "p.toml")
    assert str(error.value).startswith(says)


def test_an_unknown_printer_names_the_known_ones():
    with pytest.raises(ProfileError, match="epson-80, pos-5890, plain-58"):
        printer_profile("/nowhere/printer.toml")
