"""The printers that are known by name, each figure with its source.

Sources: [cap] python-escpos' capability database, against which a test holds the figures and names what differs on
purpose; [T88] Epson's specification of the TM-T88III; [T20] Epson's data sheets of the TM-T20 family; [ada] Adafruit's
libraries for product 597; [low] no data sheet at hand: chosen low, as a slow figure costs a second and a fast one a
slip. Nothing here was tried on the printer itself.
"""

from __future__ import annotations

from types import MappingProxyType

from roundtap_devices.printing.printer_profiles import DC2, PrinterProfile, known_profile, read_profile

EPSON_80 = PrinterProfile(
    # TM-T20 to T20III, TM-m30 and what calls itself compatible. [cap] TM-T20II: 203 dpi, 576 dots, 48 columns, QR.
    "epson-80", 576, 48, 203, MappingProxyType({"cp437": 0, "cp858": 19, "cp852": 18, "cp1252": 16, "cp850": 2}),
    # [T20] 150 mm/s, 8 dots a millimetre; receive buffer 4 kB (45 bytes is a switch that nobody needs); 38400 baud.
    raster_rows=28, rows_per_s=1100, feed_rows_per_s=1100, buffer=4096, baud=38400)

EPSON_T88 = PrinterProfile(
    # TM-T88II to V. [cap], [T88]: 180 dpi, 512 dots, 42 columns of 12 dots. Only pages that all of them have: the II
    # lacks 858, the III lacks 852, so Polish is drawn. QR codes are drawn, too: the II and III make none.
    "epson-t88", 512, 42, 180, MappingProxyType({"cp437": 0, "cp1252": 16, "cp850": 2}),
    # [T88] cutter 15 mm above the head; 150 mm/s (the II: 120 = 850 rows); receive buffer 4 kB.
    tear_dots=106, qr=False, raster_rows=32, rows_per_s=800, feed_rows_per_s=800, buffer=4096, baud=9600)

POS_5890 = PrinterProfile(
    # [cap] POS-5890, the commonest 58 mm printer: 384 dots, 32 columns, no cutter, no QR; pages 2, 53, 54.
    "pos-5890", 384, 32, 203, MappingProxyType({"cp437": 0, "cp852": 54, "cp858": 53, "cp850": 2}),
    # [low] 50 mm/s, 1 kB. Sold as serial printer with 9600 baud, more often with USB.
    cutter=False, tear_dots=56, qr=False, raster_rows=10, rows_per_s=400, feed_rows_per_s=400, buffer=1024, baud=9600)

ZJ_5870 = PrinterProfile(
    # [cap] ZJ-5870 ("POS-58"): its pages end with 18; no 858, so that what 850 and 1252 lack is drawn.
    "zj-5870", 384, 32, 203, MappingProxyType({"cp437": 0, "cp852": 18, "cp1252": 16, "cp850": 2}),
    cutter=False, tear_dots=56, qr=False, raster_rows=10, rows_per_s=400, feed_rows_per_s=400, buffer=1024, baud=9600)

CSN_A2 = PrinterProfile(
    # Adafruit 597 / CSN-A2, on the Pi's own serial pins. [ada] 384 dots, 32 columns; other pages come with firmware
    # 2.64, and a row takes its 30 ms whether letters or a picture are in it: everything but page 437 is drawn.
    "csn-a2", 384, 32, 203, MappingProxyType({"cp437": 0}), cutter=False, tear_dots=56, qr=False,
    # [ada] 19200 baud (some 9600), no flow control; 30 ms a dot row, 2.1 ms a blank one; 256 bytes of buffer.
    raster=DC2, raster_rows=2, rows_per_s=33, feed_rows_per_s=470, buffer=256, baud=19200)

PLAIN_58 = PrinterProfile(
    # Any 58 mm printer that knows ESC/POS: nothing but what all have. [low]
    "plain-58", 384, 32, 203, MappingProxyType({"cp437": 0}), cutter=False, tear_dots=56, qr=False, raster_rows=10,
    rows_per_s=400, feed_rows_per_s=400, buffer=1024, baud=9600)

PLAIN_80 = PrinterProfile(
    # Any 80 mm printer of 203 dpi; its cutter is used, since a printer without one takes no notice. [low]
    "plain-80", 576, 48, 203, MappingProxyType({"cp437": 0}), qr=False, raster_rows=7,
    rows_per_s=600, feed_rows_per_s=600, buffer=1024, baud=9600)

PROFILES = {profile.name: profile for profile in
            (EPSON_80, EPSON_T88, POS_5890, ZJ_5870, CSN_A2, PLAIN_58, PLAIN_80)}
SOLD_AS = {
    "epson-80": "Epson TM-T20, TM-m30, most 80 mm printers", "epson-t88": "Epson TM-T88II, III, IV, V",
    "pos-5890": "POS-5890, NT-5890", "zj-5870": "ZJ-5870, POS-58", "csn-a2": "Adafruit 597, CSN-A2",
    "plain-58": "58 mm", "plain-80": "80 mm",
}
"""What is printed on the printer itself, as far as one word in every language says it."""


def printer_profile(name_or_file: str) -> PrinterProfile:
    """A known profile by name, else the TOML file at that path. Raises ProfileError."""
    return known_profile(name_or_file, PROFILES)


def load(text: str, file: str = "printer.toml") -> PrinterProfile:
    """A profile from TOML; what is left out is as on the printer named by ``like`` (default: the first one).

    >>> load('like = "pos-5890"\\n[codepages]\\ncp852 = 72').codepages
    {'cp852': 72}
    """
    return read_profile(text, file, PROFILES)
