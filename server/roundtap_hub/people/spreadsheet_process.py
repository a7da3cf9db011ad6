"""The process that reads one spreadsheet from stdin and prints its sheets as JSON; a hostile file may crash it."""

import io
import json
import os
import re
import resource
import sys
import zipfile
from collections.abc import Sequence
from typing import Any
from xml.etree import ElementTree

MEMORY_BYTES = 768 * 1024 * 1024
"""Of address space, not of pages in use: a cell in an empty sheet's last row allocates all rows before it."""
CPU_S = 15
SHEETS_MAX = 20
EXACT_DIGITS = 15  # of any number in a fraction of 64 bits

_LONG_NUMBER = re.compile(rb">\d{16,}<")
# A number of LibreOffice that is shown with a zero before it.
_ZERO_CELL = re.compile(
    rb'(<table:table-cell\b[^>]*)office:value-type="float" office:value="\d+"([^>]*><text:p>[^<]*\b0\d[\d -]*</text:p>)'
)


def main() -> None:
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))
    resource.setrlimit(resource.RLIMIT_CPU, (CPU_S, CPU_S))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    os.nice(5)
    rows, columns = int(sys.argv[1]), int(sys.argv[2])
    json.dump(_read(sys.stdin.buffer.read(), rows, columns), sys.stdout)


def _read(raw: bytes, rows: int, columns: int) -> dict[str, object]:
    """The sheets that have text: those that the program shows, in its order, then the hidden ones."""
    import python_calamine as calamine

    try:
        if zipfile.is_zipfile(io.BytesIO(raw)):
            raw = numbers_as_shown(raw)
        book = calamine.CalamineWorkbook.from_filelike(io.BytesIO(raw))
        sheets = []
        for about in sorted(book.sheets_metadata, key=lambda each: each.visible != calamine.SheetVisibleEnum.Visible):
            if about.typ != calamine.SheetTypeEnum.WorkSheet:
                continue
            cells = book.get_sheet_by_name(about.name).to_python(skip_empty_area=True, nrows=rows + 1)
            if any(cell not in ("", None) for row in cells for cell in row):
                hidden = about.visible != calamine.SheetVisibleEnum.Visible
                sheets.append((about.name, hidden, [[_plain(cell) for cell in row[: columns + 1]] for row in cells]))
    except calamine.PasswordError:
        return {"problem": "sheet_locked"}
    except (calamine.CalamineError, ValueError, OSError, KeyError, IndexError, ElementTree.ParseError):
        return {"problem": "sheet_damaged"}
    return {"sheets": sheets[:SHEETS_MAX]} if sheets else {"problem": "table_empty"}


def numbers_as_shown(raw: bytes) -> bytes:
    """The same file, its numbers written as text where their format shows more than the number: zeros before it, or
    signs within. Longer numbers than a fraction can hold become text, too."""
    made = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(raw)) as packed, zipfile.ZipFile(made, "w", zipfile.ZIP_STORED) as shown:
        names = packed.namelist()
        formats = _formats(packed.read("xl/styles.xml")) if "xl/styles.xml" in names else []
        for name in names:
            part = packed.read(name)
            if name.startswith("xl/worksheets/") and (any(formats) or _LONG_NUMBER.search(part)):
                part = _excel_cells(part, formats)
            elif name == "content.xml":
                part = _ZERO_CELL.sub(rb'\1office:value-type="string"\2', part)
            shown.writestr(name, part)
    return made.getvalue()


def _formats(styles: bytes) -> list[str]:
    """The template of each cell style; "" for one that shows the bare number, or no whole number."""
    root = ElementTree.fromstring(styles)
    codes = {each.get("numFmtId"): each.get("formatCode", "") for each in root.iterfind(".//{*}numFmt")}
    return [number_template(codes.get(each.get("numFmtId"), "")) for each in root.iterfind("{*}cellXfs/{*}xf")]


def number_template(code: str) -> str:
    """A whole number's format, a NUL for each digit that is always shown: of "00\\-000" that is "␀␀-␀␀␀"."""
    bare = re.sub(r"\[[^\]]*\]|[_*].", "", code.split(";")[0])
    if bare in ("", "0", "#") or not re.fullmatch(r'(?:"[^"]*"|\\.|[0# ()+-])+', bare):
        return ""
    return re.sub(r'"([^"]*)"|\\(.)|0|#', lambda m: m[1] or m[2] or ("\0" if m[0] == "0" else ""), bare)


def number_as_shown(number: str, template: str) -> str:
    """>>> number_as_shown("42", "\\0\\0-\\0\\0")
    '00-42'
    """
    places = template.count("\0")
    rest = number.zfill(places)
    digits = iter((rest[: len(rest) - places + 1], *rest[len(rest) - places + 1 :]))
    return re.sub("\0", lambda _: next(digits), template) if places else number


def _excel_cells(sheet: bytes, formats: Sequence[str]) -> bytes:
    root = ElementTree.fromstring(sheet)
    for cell in root.iterfind(".//{*}c"):
        value, style = cell.find("{*}v"), int(cell.get("s", "0"))
        number = "" if value is None or cell.get("t", "n") != "n" else (value.text or "").removesuffix(".0")
        template = formats[style] if style < len(formats) else ""
        if value is not None and number.isdecimal() and (template or len(number) > EXACT_DIGITS):
            cell.set("t", "str")
            value.text = number_as_shown(number, template)
    return ElementTree.tostring(root)


def _plain(cell: Any) -> Any:
    return cell if isinstance(cell, str | int | float | bool) or cell is None else str(cell)


if __name__ == "__main__":
    main()
