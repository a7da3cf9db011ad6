"""Printer profiles: what a model of printer can do. Three known ones, others from TOML."""

from __future__ import annotations

import codecs
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from types import MappingProxyType
from typing import Any

from roundtap_devices.printing.print_lines import CELL_DOTS, Sheet
from roundtap_devices.toml_tables import Table, TableError, known_or_file

COLUMNS = {32: "58 mm", 48: "80 mm"}


class ProfileError(TableError):
    """A printer profile that a person can mend; `key` names the text "printer.KEY" in the units' catalogues, too."""

    TEXTS = {**TableError.TEXTS, "missing": "{file}: no such printer: name one of {known}, or a TOML file"}


@dataclass(frozen=True, slots=True)
class PrinterProfile:
    """One model of printer.

    codepages: its number (ESC t) for each Python codec, the preferred one first; text that none of them can say is
    drawn. cutter: whether it cuts. tear_dots: from the printing head to the cutter or the tearing edge.
    qr: whether it makes QR codes itself. raster_rows: an image is sent in blocks of so many rows.
    answers: False for one that never answers, so that nobody waits for it; None: find out.
    """

    name: str
    columns: int = 48
    codepages: Mapping[str, int] = field(default_factory=lambda: MappingProxyType({"cp437": 0}))
    cutter: bool = True
    tear_dots: int = 96
    qr: bool = True
    raster_rows: int = 64
    answers: bool | None = None

    @property
    def sheet(self) -> Sheet:
        return Sheet(self.columns, self.columns * CELL_DOTS)


EPSON_80 = PrinterProfile("epson-80", 48, MappingProxyType(
    {"cp437": 0, "cp858": 19, "cp852": 18, "cp1252": 16, "cp850": 2}))
POS_5890 = PrinterProfile("pos-5890", 32, MappingProxyType({"cp437": 0, "cp852": 54, "cp858": 66, "cp850": 50}),
                          cutter=False, tear_dots=56, raster_rows=24)
PLAIN_58 = PrinterProfile("plain-58", 32, MappingProxyType({"cp437": 0}), cutter=False, tear_dots=56, qr=False,
                          raster_rows=24)
PROFILES = {profile.name: profile for profile in (EPSON_80, POS_5890, PLAIN_58)}


def printer_profile(name_or_file: str) -> PrinterProfile:
    """A known profile by name, else the TOML file at that path. Raises ProfileError."""
    return known_or_file(name_or_file, PROFILES, load, ProfileError)


def load(text: str, file: str = "printer.toml") -> PrinterProfile:
    """A profile from TOML; what is left out is as on the printer named by ``like`` (default: the first one).

    >>> load('like = "pos-5890"\\n[codepages]\\ncp852 = 72').codepages
    {'cp852': 72}
    """
    table = Table(text, file, ProfileError)
    base = table.like(PROFILES)
    known = [each.name for each in fields(PrinterProfile)]
    for key, value in table.data.items():
        if key not in known:
            raise table.wrong("unknown_key", key, known=", ".join(("like", *known)))
        _check(table, key, value)
    table.data.setdefault("name", Path(file).stem)
    return replace(base, **table.data)


def _check(table: Table, key: str, value: Any) -> None:
    if key == "codepages":
        _check_codepages(table, value)
    elif key == "columns":
        if value not in COLUMNS:
            raise table.wrong("not_one_of", key, value=value, known="32 (58 mm), 48 (80 mm)")
    elif key in ("cutter", "qr", "answers"):
        table.of_kind(key, value, bool)
    elif key == "name":
        table.of_kind(key, value, str)
    elif not _is_byte(value) or (key == "raster_rows" and not value):
        raise table.wrong("wrong_type", key, value=value, known="a whole number, 0 to 255")


def _check_codepages(table: Table, value: Any) -> None:
    table.of_kind("codepages", value, dict)
    for codec, number in value.items():
        where = f"codepages.{codec}"
        try:
            codecs.lookup(codec)
            one_byte = "A".encode(codec) == b"A" and len("A".encode(codec)) == 1
        except LookupError:
            one_byte = False
        if not one_byte:
            raise table.wrong("not_one_of", where, value=codec, known="cp437, cp850, cp852, cp858, cp1250, cp1252, "
                              "iso8859_2 …")
        if not _is_byte(number):
            raise table.wrong("wrong_type", where, value=number, known="a whole number, 0 to 255")


def _is_byte(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= 255
