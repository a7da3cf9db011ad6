"""Printer profiles: what a model of printer can do, in figures; and how one is read from TOML."""

from __future__ import annotations

import codecs
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from types import MappingProxyType
from typing import Any

from roundtap_devices.printing.print_lines import Sheet
from roundtap_devices.toml_tables import Table, TableError, known_or_file

NONE, RTSCTS, XONXOFF = "none", "rtscts", "xonxoff"
FLOWS = (NONE, RTSCTS, XONXOFF)
"""How a serial printer says "wait": not at all, by a wire, by a byte. Without it, sending is paced."""
BAUDS = (1200, 2400, 4800, 9600, 19200, 38400, 57600, 115200, 230400)
GS_V0, DC2 = "gs-v0", "dc2"
RASTERS = (GS_V0, DC2)
"""The command that an image goes by: GS v 0 of ESC/POS, or DC2 * of small panel printers."""


class ProfileError(TableError):
    """A printer profile that a person can mend; `key` names the text "printer.KEY" in the units' catalogues, too."""

    TEXTS = {**TableError.TEXTS, "missing": "{file}: no such printer: name one of {known}, or a TOML file",
             "no_number": "{file}: {where}: {value} should be a whole number from {least} to {most}",
             "narrow": "{file}: columns: {columns} columns do not fit into {dots} dots: a letter is 6 to 32 dots wide",
             "small_buffer": "{file}: buffer: {value} bytes hold no row of {dots} dots: at least {least} are wanted"}


@dataclass(frozen=True, slots=True)
class PrinterProfile:
    """One model of printer.

    dots, columns: across the paper; a letter of font A is dots // columns wide. dpi: dots an inch.
    codepages: its number (ESC t) for each Python codec, the preferred one first; text that none of them can say is
    drawn. cutter: whether it cuts. tear_dots: from the printing head to the cutter or the tearing edge.
    qr: whether it makes QR codes itself. raster: the command for images, one of RASTERS; raster_rows: an image is sent
    in blocks of so many rows. answers: False for one that never answers, so that nobody waits for it; None: find out.
    flow: one of FLOWS. rows_per_s, feed_rows_per_s: dot rows that it prints and feeds in a second, rather too few;
    bytes_per_s: how many bytes it takes in, where that is slower (0: it is not). buffer: bytes that it holds at least.
    baud: the speed that is tried first.
    """

    name: str
    dots: int = 576
    columns: int = 48
    dpi: int = 203
    codepages: Mapping[str, int] = field(default_factory=lambda: MappingProxyType({"cp437": 0}))
    cutter: bool = True
    tear_dots: int = 96
    qr: bool = True
    raster: str = GS_V0
    raster_rows: int = 64
    answers: bool | None = None
    flow: str = NONE
    rows_per_s: int = 800
    feed_rows_per_s: int = 800
    bytes_per_s: int = 0
    buffer: int = 1024
    baud: int = 9600

    @property
    def sheet(self) -> Sheet:
        """Images go in whole bytes: of an odd width the last few dots stay white."""
        return Sheet(self.columns, self.dots // 8 * 8, self.dots // self.columns)


def read_profile(text: str, file: str, known: Mapping[str, PrinterProfile]) -> PrinterProfile:
    """A profile from TOML; what is left out is as on the printer of `known` named by ``like`` (default: the first)."""
    table = Table(text, file, ProfileError)
    base = table.like(known)
    names = [each.name for each in fields(PrinterProfile)]
    for key, value in table.data.items():
        if key not in names:
            raise table.wrong("unknown_key", key, known=", ".join(("like", *names)))
        _check(table, key, value)
    table.data.setdefault("name", Path(file).stem)
    made = replace(base, **table.data)
    if not 6 <= made.dots // made.columns <= 32:
        raise ProfileError("narrow", file=file, columns=made.columns, dots=made.dots)
    least = made.dots // 8 + BLOCK_HEAD
    if made.buffer < least:
        raise ProfileError("small_buffer", file=file, value=made.buffer, dots=made.dots, least=least)
    return made


def known_profile(name_or_file: str, known: Mapping[str, PrinterProfile]) -> PrinterProfile:
    """A known profile by name, else the TOML file at that path. Raises ProfileError."""
    return known_or_file(name_or_file, known, lambda text, file: read_profile(text, file, known), ProfileError)


BLOCK_HEAD = 40
"""Bytes that may stand beside a row of an image: its own command, a question, the marker."""
RANGES = {"dots": (128, 1600), "columns": (16, 128), "dpi": (100, 600), "tear_dots": (0, 255), "raster_rows": (1, 255),
          "rows_per_s": (10, 10_000), "feed_rows_per_s": (10, 10_000), "bytes_per_s": (0, 1_000_000),
          "buffer": (64, 16_000_000)}
CHOICES: Mapping[str, tuple[object, ...]] = {"flow": FLOWS, "raster": RASTERS, "baud": BAUDS}


def _check(table: Table, key: str, value: Any) -> None:
    if key == "codepages":
        _check_codepages(table, value)
    elif key in RANGES:
        _number(table, key, value, *RANGES[key])
    elif key in CHOICES:
        table.one_of(key, value, CHOICES[key])
    elif key == "name":
        table.of_kind(key, value, str)
    else:
        table.of_kind(key, value, bool)


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
        _number(table, where, number, 0, 255)


def _number(table: Table, where: str, value: Any, least: int, most: int) -> None:
    if not isinstance(value, int) or isinstance(value, bool) or not least <= value <= most:
        raise table.wrong("no_number", where, value=value, least=least, most=most)
