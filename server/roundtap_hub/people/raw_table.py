"""A table from a file or a paste, read into rows of clean cells within fixed limits."""

import csv
import io
import json
import re
import subprocess
import sys
import zipfile
import zlib
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any
from urllib.parse import quote

import msgspec

from roundtap_core.errors import Invalid, Problem
from roundtap_core.typed import sanitize_text

ZIP, OLE = b"PK\x03\x04", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
"""The first bytes of .xlsx, .xlsm, .xlsb and .ods; and of .xls."""
XLSB = b"xl/workbook.bin"
UNPACKED_BYTES = 24 * 1024 * 1024  # more unpacked bytes than any list of players has
MOST_PARTS = 400
WITHIN_S = 20.0
ANSWER_BYTES = 8 * 1024 * 1024

MOST_BYTES = 2 * 1024 * 1024  # Of a file. A thousand players with links to their lists need a tenth of it.
MOST_ROWS, MOST_COLUMNS, CELL_LETTERS = 1000, 40, 1000
MOST_PLACES = 99  # smaller numbers are no ids: places, points, tables
ROWS_NAMED = 12
MOST_WHOLE = 2**53  # the largest number that a spreadsheet keeps whole
LINE_BREAK_SIGN = "↵"  # marks a line break or a tab inside a cell
FORM_BYTES_MAX = 400_000
"""The most bytes of a table in a form: each step carries it, as nothing is stored before the confirmation."""

UNSEEN_MARKS = re.compile(
    "[\u061c\u180e\u200b\u200e\u200f\u202a-\u202e\u2060\u2066-\u2069\ufeff\u00ad]"
    "|(?<![\u0590-\U0010ffff])[\u200c\u200d]|[\u200c\u200d](?![\u0590-\U0010ffff])"
)  # direction and byte order marks that chats and editors leave in names; joiners where the script needs none
T3 = re.compile(r"v\d+(?:\.\d+)+\s")

BYTE_ORDER_MARKS = ((b"\xef\xbb\xbf", "utf-8-sig"), (b"\xff\xfe", "utf-16"), (b"\xfe\xff", "utf-16"))
POLISH_ONLY = frozenset(b"\xb3\xb9\xbf\xa3\xaf\x9f\x8f")
"""Bytes that are Polish letters in Windows-1250, and no letters or rare ones in Windows-1252."""
SEPARATORS = ("\t", ";", ",", "|")
SNIFFED_ROWS = 200


def spreadsheet_rows(raw: bytes, rows: int, columns: int) -> list[tuple[str, bool, list[Sequence[Any]]]]:
    """The sheets that have text as (name, hidden, rows), up to one row and one column beyond the given limits. Raises
    Problem("sheet_damaged", "sheet_locked", "sheet_too_big")."""
    if raw.startswith(ZIP):
        raw = _repacked(raw)
    try:
        done = subprocess.run(
            [sys.executable, "-I", "-m", "roundtap_hub.people.spreadsheet_process", str(rows), str(columns)],
            input=raw,
            capture_output=True,
            timeout=WITHIN_S,
            check=False,
            env={"PYTHONIOENCODING": "utf-8"},
        )
    except subprocess.TimeoutExpired:
        raise Problem("sheet_too_big") from None
    except OSError:
        raise Problem("sheet_damaged") from None
    if done.returncode != 0 or len(done.stdout) > ANSWER_BYTES:
        raise Problem("sheet_too_big" if done.returncode < 0 else "sheet_damaged")
    answer = json.loads(done.stdout)
    if "problem" in answer:
        raise Problem(answer["problem"])
    return [(name, hidden, sheet_rows) for name, hidden, sheet_rows in answer["sheets"]]


def _repacked(raw: bytes) -> bytes:
    """The same parts, unpacked here within bounds: what a part says of its length is not believed; no pictures."""
    made, left = io.BytesIO(), UNPACKED_BYTES
    try:
        with zipfile.ZipFile(io.BytesIO(raw)) as packed, zipfile.ZipFile(made, "w", zipfile.ZIP_STORED) as plain:
            if len(packed.infolist()) > MOST_PARTS:
                raise Problem("sheet_too_big")
            for part in packed.infolist():
                if part.is_dir() or "media/" in part.filename or "Pictures/" in part.filename:
                    continue
                with packed.open(part) as file:
                    data = file.read(left + 1)
                left -= len(data)
                if left < 0:
                    raise Problem("sheet_too_big")
                plain.writestr(part.filename, data)
    except RuntimeError:
        raise Problem("sheet_locked") from None
    except (zipfile.BadZipFile, zlib.error, OSError, ValueError, KeyError, EOFError, NotImplementedError):
        raise Problem("sheet_damaged") from None
    return made.getvalue()


Rows = tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True)
class Sheet:
    """One table of a file. `rows` is empty where it is too long to be carried; `marked`: rows, counted from 1, from
    which unseen marks were taken; `bare`: rows with numbers whose format cannot be read."""

    name: str
    hidden: bool
    rows: Rows
    marked: tuple[int, ...] = ()
    bare: tuple[int, ...] = ()


def sheets_of_file(raw: bytes, language: str = "en") -> tuple[Sheet, ...]:
    """The tables of an uploaded file, hidden ones last: CSV with any usual separator and encoding, a spreadsheet, T³'s
    file of players or the kit's own file of an event. `language`: the uploader's; Polish suggests Windows-1250 where
    the bytes are unclear. Raises Problem("no_file", "file_too_big", "sheet_damaged", "table_empty", …)."""
    if not raw.strip(b"\0 \r\n\t"):
        raise Invalid("no_file")
    if len(raw) > MOST_BYTES:
        raise Problem("file_too_big", maximum=MOST_BYTES // 1024 // 1024)
    if not raw.startswith((ZIP, OLE)):
        return (sheet_of_text(decode_text(raw, language)),)
    sheets = spreadsheet_rows(raw, MOST_ROWS, MOST_COLUMNS)
    formatted = not raw.startswith(OLE) and XLSB not in raw
    if len(sheets) == 1:
        return (_sheet(*sheets[0], formatted),)
    return tuple(_sheet_if_short(*each, formatted) for each in sheets)


def sheet_of_text(text: str) -> Sheet:
    """The table of a pasted text, or of a CSV file's."""
    text = text.removeprefix("\ufeff").replace("\0", "")
    separator = ""
    if not text.strip("".join(SEPARATORS) + " \r\n"):
        raise Problem("table_empty")
    if text.lstrip().startswith("{"):
        return _sheet("", False, _rows_of_json(text))
    if T3.match(text) and "||" in text:
        return _sheet("", False, _rows_of_t3(text))
    first, _, rest = text.partition("\n")
    # Excel's own way to name the separator.
    if first.strip().lower().startswith("sep=") and len(first.strip()) <= len("sep=;"):
        separator, text = first.strip()[4:] or "\t", rest
    return _sheet("", False, list(_split(text, separator or _separator(text))))


def _sheet(name: str, hidden: bool, rows: Sequence[Sequence[object]], formatted: bool = True) -> Sheet:
    bare = [
        n
        for n, row in enumerate(rows, start=1)
        if not formatted and any(isinstance(cell, float | int) and cell > MOST_PLACES for cell in row)
    ]
    return Sheet(clean_cell(name), hidden, _clean_rows(rows), marked_rows(rows), tuple(bare))


def marked_rows(rows: Iterable[Sequence[object]]) -> tuple[int, ...]:
    """The rows, counted from 1, that have unseen marks."""
    return tuple(
        n for n, row in enumerate(rows, start=1) if any(UNSEEN_MARKS.search(str(cell).strip()) for cell in row)
    )


def name_rows(rows: Sequence[int]) -> str:
    """
    >>> name_rows((2, 4)), name_rows(range(1, 40))
    ('2, 4', '1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, …')
    """
    return ", ".join([*map(str, rows[:ROWS_NAMED]), *["…"] * (len(rows) > ROWS_NAMED)])


def _sheet_if_short(name: str, hidden: bool, rows: Sequence[Sequence[object]], formatted: bool) -> Sheet:
    try:
        return _sheet(name, hidden, rows, formatted)
    except Problem:
        return Sheet(clean_cell(name), hidden, ())


def _rows_of_json(text: str) -> list[Sequence[object]]:
    """The people of an event file, or of another program's file that lists players by name."""
    try:
        data = json.loads(text)
        people = data.get("competitors") or data.get("players")
        rows = [
            (each["name"], each.get("club"), each.get("external_id"), *(*(each.get("members") or ()), "", "")[:2])
            for each in people
        ]
    except (ValueError, TypeError, AttributeError, KeyError, RecursionError):
        raise Problem("import_no_people") from None
    return [("Full name", "Club", "ID", "Member 1", "Member 2"), *rows]


def _rows_of_t3(text: str) -> list[Sequence[object]]:
    """T³'s registrations: lines about the tournament, the last of them replaced by the headings; then the players."""
    rows: list[Sequence[object]] = [line.split("||") for line in text.splitlines()]
    first = next(n for n, row in enumerate(rows) if len(row) > 1)
    rows[first - 1] = ("T3 ID", "First name", "Last name", "Nickname", "Faction", "City", "Club")
    return rows


def decode_text(raw: bytes, language: str = "en") -> str:
    """Text in the encoding of its byte order mark, else UTF-8, else the likeliest Windows one."""
    for mark, encoding in BYTE_ORDER_MARKS:
        if raw.startswith(mark):
            return raw.decode(encoding, "replace")
    nulls = raw[:2000].count(0)
    if nulls * 4 > len(raw[:2000]):
        return raw.decode("utf-16-le" if raw[1:2] == b"\0" else "utf-16-be", "replace")
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError:
        polish = language == "pl" or any(byte in POLISH_ONLY for byte in raw)
        return raw.decode("cp1250" if polish else "cp1252", "replace")


def join_rows(rows: Rows) -> str:
    """The rows as one text for a form field. Raises Problem("table_too_long")."""
    text = "\n".join("\t".join(row) for row in rows)
    if len(quote(text)) > FORM_BYTES_MAX:
        raise Problem("table_too_long", rows=MOST_ROWS)
    return text


def split_rows(text: str) -> Rows:
    """The rows of `join_rows`'s text, after a browser changed its line ends."""
    return _clean_rows(line.split("\t") for line in text.replace("\r\n", "\n").split("\n"))


def join_sheets(sheets: Sequence[Sheet]) -> str:
    """All sheets as one text for a form field, the last ones without their rows once the text is too long."""
    left, made = FORM_BYTES_MAX, []
    for sheet in sheets:
        left -= len(quote("\n".join(map("\t".join, sheet.rows))))
        made.append(replace(sheet, rows=sheet.rows if left > 0 else ()))
    return msgspec.json.encode(made).decode()


def split_sheets(text: str) -> tuple[Sheet, ...]:
    """The sheets of `join_sheets`'s text. Raises Problem("import_nothing")."""
    try:
        sheets = msgspec.json.decode(text, type=tuple[Sheet, ...])
    except msgspec.DecodeError:
        raise Invalid("import_nothing") from None
    return tuple(replace(sheet, rows=_clean_rows(sheet.rows) if sheet.rows else ()) for sheet in sheets)


def _split(text: str, separator: str) -> Iterable[Sequence[str]]:
    lines = io.StringIO(text, newline="").readlines()
    reader, begun = csv.reader(lines, delimiter=separator), 0
    while True:
        try:
            row = next(reader)
            if reader.line_num > begun + 1 or lines[begun].count('"') % 2:
                # An unclosed quotation mark has taken other rows into its cell.
                list(csv.reader(lines[begun : reader.line_num], delimiter=separator, strict=True))
        except StopIteration:
            return
        except csv.Error:
            raise Problem("table_unreadable", row=begun + 1) from None
        yield row
        begun = reader.line_num


def _separator(text: str) -> str:
    """The separator that cuts most rows into the same number of cells; of two that do, the first."""
    best, most, broken, of_head, head = SEPARATORS[0], 0.0, None, False, text.partition("\n")[0]
    for separator in SEPARATORS:
        try:
            widths = [len(row) for row in islice(_split(text, separator), SNIFFED_ROWS) if any(row)]
            n_rows = len(widths)
        except Problem as problem:
            broken, of_head = broken or problem, of_head or separator in head
            continue
        while widths and 1 in (widths[0], widths[-1]):
            widths.pop(0 if widths[0] == 1 else -1)  # What stands above and below a table holds no separators.
        usual, rows = max(Counter(widths).items(), key=lambda each: (each[1], each[0]), default=(1, 0))
        worth = rows / len(widths) if usual > 1 and (rows > 1 or n_rows == 1) else 0.0
        if worth > most:
            best, most = separator, worth
    if broken is not None and (not most or (of_head and best not in head)):
        # The one that cuts the headings is right, though a quotation mark is unclosed; the other is part of names.
        raise broken
    return best


def _clean_rows(rows: Iterable[Sequence[object]]) -> Rows:
    cleaned: list[list[str]] = []
    for row in rows:
        if len(cleaned) == MOST_ROWS:
            if any(clean_cell(cell) for cell in row):
                raise Problem("table_too_long", rows=MOST_ROWS)
            continue
        if len(row) > MOST_COLUMNS and any(clean_cell(cell) for cell in row[MOST_COLUMNS:]):
            raise Problem("table_too_wide", columns=MOST_COLUMNS)
        cleaned.append([clean_cell(cell) for cell in row[:MOST_COLUMNS]])
    while cleaned and not any(cleaned[-1]):
        cleaned.pop()
    width = max((len(row) for row in cleaned), default=0)
    full = [(*row, *[""] * (width - len(row))) for row in cleaned]
    used = [column for column in range(width) if any(row[column] for row in full)]
    if not used:
        raise Problem("table_empty")
    return tuple(tuple(row[column] for column in used) for row in full)


def clean_cell(cell: object) -> str:
    """A cell as one line of text: unseen marks go, control characters become U+FFFD, whole numbers lose their
    fraction."""
    if cell is None:
        return ""
    if isinstance(cell, bool):
        return "x" if cell else ""
    if isinstance(cell, float) and cell.is_integer() and abs(cell) < MOST_WHOLE:
        cell = int(cell)
    bare = UNSEEN_MARKS.sub("", str(cell)[:CELL_LETTERS].replace("\0", "")).strip()
    text = re.sub(r"[\t\r\n]+", f" {LINE_BREAK_SIGN} ", bare)
    return " ".join(sanitize_text(text).split())
