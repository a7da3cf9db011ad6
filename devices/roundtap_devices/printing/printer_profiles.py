"""Printer profiles: a model's capabilities in figures, those known by name, and others from TOML."""

import codecs
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from types import MappingProxyType
from typing import Any

from roundtap_devices.printing.print_lines import Paper
from roundtap_devices.toml_tables import TomlTable, TomlTableError, load_by_name_or_path

NONE, RTSCTS, XONXOFF = "none", "rtscts", "xonxoff"
FLOWS = (NONE, RTSCTS, XONXOFF)
"""How a serial printer says "wait": not at all, by a wire, by a byte. Without flow control, sending is paced."""
BAUDS = (1200, 2400, 4800, 9600, 19200, 38400, 57600, 115200, 230400)
GS_V0, DC2 = "gs-v0", "dc2"
RASTERS = (GS_V0, DC2)  # the command for images: GS v 0 of ESC/POS, or DC2 * of small panel printers

BLOCK_HEAD = 40  # bytes that may accompany a row of an image: its own command, a status request, the marker
RANGES = {
    "dots": (128, 1600),
    "columns": (16, 128),
    "dpi": (100, 600),
    "tear_dots": (0, 255),
    "raster_rows": (1, 255),
    "rows_per_s": (10, 10_000),
    "feed_rows_per_s": (10, 10_000),
    "bytes_per_s": (0, 1_000_000),
    "buffer": (64, 16_000_000),
}
CHOICES: Mapping[str, tuple[object, ...]] = {"flow": FLOWS, "raster": RASTERS, "baud": BAUDS}

SOLD_AS = {
    "epson-80": "Epson TM-T20, TM-m30, most 80 mm printers",
    "epson-t88": "Epson TM-T88II, III, IV, V",
    "pos-5890": "POS-5890, NT-5890",
    "zj-5870": "ZJ-5870, POS-58",
    "csn-a2": "Adafruit 597, CSN-A2",
    "plain-58": "58 mm",
    "plain-80": "80 mm",
}
"""The names printed on the printers themselves, the same in every language."""


class ProfileError(TomlTableError):
    """A fault in a profile that the user can fix; `key` names the text "printer.KEY" in the units' catalogues."""

    TEXTS = {
        **TomlTableError.TEXTS,
        "missing": "{file}: no such printer: name one of {known}, or a TOML file",
        "no_number": "{file}: {where}: {value} should be a whole number from {least} to {most}",
        "narrow": "{file}: columns: {columns} columns do not fit into {dots} dots: a letter is 6 to 32 dots wide",
        "small_buffer": "{file}: buffer: {value} bytes hold no row of {dots} dots: at least {least} are wanted",
    }


@dataclass(frozen=True, slots=True)
class PrinterProfile:
    """One model of printer.

    dots, columns: across the paper; a letter of font A is dots // columns wide. dpi: dots an inch. codepages: the
    number (ESC t) of each Python codec, the preferred one first; other text is drawn. cutter: whether it cuts.
    tear_dots: from the printing head to the cutter or the tearing edge. qr: whether it makes QR codes itself. raster:
    one of RASTERS; raster_rows: rows in each block of an image. answers: False for one that never answers, so that
    nothing waits for it; None: find out. flow: one of FLOWS. rows_per_s, feed_rows_per_s: dot rows it prints and feeds
    in a second, rather too few; bytes_per_s: how many bytes it takes in, where that is slower (0: it is not). buffer:
    bytes that it holds at least. baud: the speed that is tried first.
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
    def sheet(self) -> Paper:
        """Images go in whole bytes: where the width is odd the last few dots stay white."""
        return Paper(self.columns, self.dots // 8 * 8, self.dots // self.columns)


def load_profile(name_or_file: str) -> PrinterProfile:
    """A known profile by name, else the TOML file at that path. Raises ProfileError."""
    return load_by_name_or_path(name_or_file, PROFILES, parse_profile, ProfileError)


def parse_profile(text: str, file: str = "printer.toml") -> PrinterProfile:
    """A profile from TOML; what is left out is as on the printer named by ``like`` (default: the first one).

    >>> parse_profile('like = "pos-5890"\\n[codepages]\\ncp852 = 72').codepages
    {'cp852': 72}
    """
    table = TomlTable(text, file, ProfileError)
    base = table.like(PROFILES)
    names = ("like", *(each.name for each in fields(PrinterProfile)))
    for key, value in table.data.items():
        table.check_key(key, key, names)
        _check(table, key, value)
    table.data.setdefault("name", Path(file).stem)
    made = replace(base, **table.data)
    if not 6 <= made.dots // made.columns <= 32:
        raise ProfileError("narrow", file=file, columns=made.columns, dots=made.dots)
    least = made.dots // 8 + BLOCK_HEAD
    if made.buffer < least:
        raise ProfileError("small_buffer", file=file, value=made.buffer, dots=made.dots, least=least)
    return made


def _check(table: TomlTable, key: str, value: Any) -> None:
    if key == "codepages":
        _check_codepages(table, value)
    elif key in RANGES:
        _number(table, key, value, *RANGES[key])
    elif key in CHOICES:
        table.check_one_of(key, value, CHOICES[key])
    else:
        table.check_kind(key, value, str if key == "name" else bool)


def _check_codepages(table: TomlTable, value: Any) -> None:
    table.check_kind("codepages", value, dict)
    for codec, number in value.items():
        where = f"codepages.{codec}"
        try:
            codecs.lookup(codec)
            one_byte = "A".encode(codec) == b"A" and len("A".encode(codec)) == 1
        except LookupError:
            one_byte = False
        if not one_byte:
            raise table.error_at(
                "not_one_of", where, value=codec, known="cp437, cp850, cp852, cp858, cp1250, cp1252, iso8859_2 …"
            )
        _number(table, where, number, 0, 255)


def _number(table: TomlTable, where: str, value: Any, least: int, most: int) -> None:
    if not isinstance(value, int) or isinstance(value, bool) or not least <= value <= most:
        raise table.error_at("no_number", where, value=value, least=least, most=most)


# The figures come from: [cap] python-escpos' capability database, against which a test checks them and names the
# intended differences; [T88] Epson's specification of the TM-T88III; [T20] Epson's data sheets of the TM-T20 family;
# [ada] Adafruit's libraries for product 597; [low] no data sheet at hand: chosen low, as a slow figure costs a second
# and a fast one a slip. Nothing here was tried on the printer itself.
EPSON_80 = PrinterProfile(
    # TM-T20 to T20III, TM-m30 and compatibles. [cap] TM-T20II: 203 dpi, 576 dots, 48 columns, QR.
    "epson-80",
    576,
    48,
    203,
    MappingProxyType({"cp437": 0, "cp858": 19, "cp852": 18, "cp1252": 16, "cp850": 2}),
    # [T20] 150 mm/s, 8 dots a millimetre; receive buffer 4 kB (the 45-byte setting is optional); 38400 baud.
    raster_rows=28,
    rows_per_s=1100,
    feed_rows_per_s=1100,
    buffer=4096,
    baud=38400,
)

EPSON_T88 = PrinterProfile(
    # TM-T88II to V. [cap], [T88]: 180 dpi, 512 dots, 42 columns of 12 dots. Only pages that all of them have: the II
    # lacks 858, the III lacks 852, so Polish is drawn. QR codes are drawn, too: the II and III make none.
    "epson-t88",
    512,
    42,
    180,
    MappingProxyType({"cp437": 0, "cp1252": 16, "cp850": 2}),
    # [T88] cutter 15 mm above the head; 150 mm/s (the II: 120 = 850 rows); receive buffer 4 kB.
    tear_dots=106,
    qr=False,
    raster_rows=32,
    rows_per_s=800,
    feed_rows_per_s=800,
    buffer=4096,
    baud=9600,
)

POS_5890 = PrinterProfile(
    # [cap] POS-5890, the commonest 58 mm printer: 384 dots, 32 columns, no cutter, no QR; pages 2, 53, 54.
    "pos-5890",
    384,
    32,
    203,
    MappingProxyType({"cp437": 0, "cp852": 54, "cp858": 53, "cp850": 2}),
    # [low] 50 mm/s, 1 kB. Sold as a serial printer with 9600 baud, more often with USB.
    cutter=False,
    tear_dots=56,
    qr=False,
    raster_rows=10,
    rows_per_s=400,
    feed_rows_per_s=400,
    buffer=1024,
    baud=9600,
)

ZJ_5870 = PrinterProfile(
    # [cap] ZJ-5870 ("POS-58"): its pages end at 18; no 858, so what 850 and 1252 lack is drawn.
    "zj-5870",
    384,
    32,
    203,
    MappingProxyType({"cp437": 0, "cp852": 18, "cp1252": 16, "cp850": 2}),
    cutter=False,
    tear_dots=56,
    qr=False,
    raster_rows=10,
    rows_per_s=400,
    feed_rows_per_s=400,
    buffer=1024,
    baud=9600,
)

CSN_A2 = PrinterProfile(
    # Adafruit 597 / CSN-A2, on the Pi's own serial pins. [ada] 384 dots, 32 columns; other pages need firmware 2.64,
    # and a row takes 30 ms whether letters or a picture: everything but page 437 is drawn.
    "csn-a2",
    384,
    32,
    203,
    MappingProxyType({"cp437": 0}),
    cutter=False,
    tear_dots=56,
    qr=False,
    # [ada] 19200 baud (some 9600), no flow control; 30 ms a dot row, 2.1 ms a blank one; 256 bytes of buffer.
    raster=DC2,
    raster_rows=2,
    rows_per_s=33,
    feed_rows_per_s=470,
    buffer=256,
    baud=19200,
)

PLAIN_58 = PrinterProfile(
    # Any 58 mm printer with ESC/POS: only what all have. [low]
    "plain-58",
    384,
    32,
    203,
    MappingProxyType({"cp437": 0}),
    cutter=False,
    tear_dots=56,
    qr=False,
    raster_rows=10,
    rows_per_s=400,
    feed_rows_per_s=400,
    buffer=1024,
    baud=9600,
)

PLAIN_80 = PrinterProfile(
    # Any 80 mm printer of 203 dpi; cuts, since a printer without a cutter ignores that. [low]
    "plain-80",
    576,
    48,
    203,
    MappingProxyType({"cp437": 0}),
    qr=False,
    raster_rows=7,
    rows_per_s=600,
    feed_rows_per_s=600,
    buffer=1024,
    baud=9600,
)

PROFILES = {profile.name: profile for profile in (EPSON_80, EPSON_T88, POS_5890, ZJ_5870, CSN_A2, PLAIN_58, PLAIN_80)}
