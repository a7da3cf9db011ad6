"""Small spreadsheets made by hand, as the two usual programs write them."""

import io
import struct
import zipfile
from collections.abc import Mapping, Sequence
from xml.sax.saxutils import escape

from roundtap_hub.people.raw_table import OLE, Rows, sheet_of_text, sheets_of_file

MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
REL = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
PACKAGE = "http://schemas.openxmlformats.org/package/2006"


def zipped(parts: Mapping[str, str | bytes]) -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as file:
        for name, data in parts.items():
            file.writestr(name, data)
    return made.getvalue()


def sheet_xml(rows: Sequence[Sequence[object]]) -> str:
    lines = []
    for number, row in enumerate(rows, start=1):
        cells = []
        for column, cell in enumerate(row):
            where = f"{chr(65 + column)}{number}"
            if isinstance(cell, int | float):
                cells.append(f'<c r="{where}"><v>{cell}</v></c>')
            else:
                cells.append(f'<c r="{where}" t="inlineStr"><is><t>{escape(str(cell))}</t></is></c>')
        lines.append(f'<row r="{number}">{"".join(cells)}</row>')
    return "".join(lines)


def xlsx(rows: Sequence[Sequence[object]], data: str | None = None, **more: bytes) -> bytes:
    """`data`: the sheet's own XML instead of `rows`."""
    return zipped(
        {
            "[Content_Types].xml": f'<?xml version="1.0"?><Types xmlns="{PACKAGE}/content-types">'
            '<Default Extension="xml" ContentType="application/xml"/></Types>',
            "_rels/.rels": f'<?xml version="1.0"?><Relationships xmlns="{PACKAGE}/relationships"><Relationship Id="r1" '
            f'Type="{REL}/officeDocument" Target="xl/workbook.xml"/></Relationships>',
            "xl/workbook.xml": f'<?xml version="1.0"?><workbook xmlns="{MAIN}" xmlns:r="{REL}"><sheets>'
            '<sheet name="People" sheetId="1" r:id="r1"/></sheets></workbook>',
            "xl/_rels/workbook.xml.rels": f'<?xml version="1.0"?><Relationships xmlns="{PACKAGE}/relationships">'
            f'<Relationship Id="r1" Type="{REL}/worksheet" Target="worksheets/sheet1.xml"/></Relationships>',
            "xl/worksheets/sheet1.xml": f'<?xml version="1.0"?><worksheet xmlns="{MAIN}"><sheetData>'
            f"{sheet_xml(rows) if data is None else data}</sheetData></worksheet>",
            **more,
        }
    )


def workbook(*sheets: tuple[str, str, Sequence[Sequence[object]]]) -> bytes:
    """Sheets of (name, state, rows)."""
    said = "".join(
        f'<sheet name="{name}" sheetId="{n}" r:id="r{n}" state="{state or "visible"}"/>'
        for n, (name, state, _) in enumerate(sheets, start=1)
    )
    links = "".join(
        f'<Relationship Id="r{n}" Type="{REL}/worksheet" Target="worksheets/sheet{n}.xml"/>'
        for n in range(1, len(sheets) + 1)
    )
    pages = {
        f"xl/worksheets/sheet{n}.xml": f'<worksheet xmlns="{MAIN}"><sheetData>{sheet_xml(rows)}</sheetData></worksheet>'
        for n, (_, _, rows) in enumerate(sheets, start=1)
    }
    book = f'<workbook xmlns="{MAIN}" xmlns:r="{REL}"><sheets>{said}</sheets></workbook>'
    relations = f'<Relationships xmlns="{PACKAGE}/relationships">{links}</Relationships>'
    parts = {"xl/workbook.xml": book, "xl/_rels/workbook.xml.rels": relations, **pages}
    return xlsx([], **{name: text.encode() for name, text in parts.items()})


def ods(rows: Sequence[Sequence[str]]) -> bytes:
    table = "".join(
        "<table:table-row>"
        + "".join(
            f'<table:table-cell office:value-type="string"><text:p>{escape(cell)}</text:p></table:table-cell>'
            for cell in row
        )
        + "</table:table-row>"
        for row in rows
    )
    names = " ".join(
        f'xmlns:{name}="urn:oasis:names:tc:opendocument:xmlns:{name}:1.0"' for name in ("office", "table", "text")
    )
    return zipped(
        {
            "mimetype": "application/vnd.oasis.opendocument.spreadsheet",
            "META-INF/manifest.xml": '<?xml version="1.0"?><manifest:manifest xmlns:manifest="urn:oasis:names:tc:'
            'opendocument:xmlns:manifest:1.0"><manifest:file-entry manifest:full-path="/" manifest:media-type='
            '"application/vnd.oasis.opendocument.spreadsheet"/></manifest:manifest>',
            "content.xml": f'<?xml version="1.0"?><office:document-content {names}><office:body><office:spreadsheet>'
            f'<table:table table:name="People">{table}</table:table></office:spreadsheet></office:body>'
            "</office:document-content>",
        }
    )


def table_of_file(raw: bytes, language: str = "en") -> Rows:
    return sheets_of_file(raw, language)[0].rows


def table_of_text(text: str) -> Rows:
    return sheet_of_text(text).rows


def xls(rows: Sequence[Sequence[str | float]]) -> bytes:
    """One sheet in the format of Excel 97: a stream of records in a file system of its own, in sectors of 512 bytes."""

    def record(kind: int, data: bytes) -> bytes:
        return struct.pack("<HH", kind, len(data)) + data

    cells = b""
    for y, row in enumerate(rows):
        for x, cell in enumerate(row):
            if isinstance(cell, str):
                text = struct.pack("<HHHHB", y, x, 0, len(cell), 1) + cell.encode("utf-16-le")
                cells += record(0x0204, text)
            else:
                cells += record(0x0203, struct.pack("<HHHd", y, x, 0, cell))
    begin = record(0x0809, struct.pack("<HHHHII", 0x0600, 0x0005, 0, 0, 0, 0))
    end, name = record(0x000A, b""), b"People"
    of_sheet = len(begin) + 4 + 8 + len(name) + len(end)
    book = begin + record(0x0085, struct.pack("<IBBBB", of_sheet, 0, 0, len(name), 0) + name) + end
    stream = (book + record(0x0809, struct.pack("<HHHHII", 0x0600, 0x0010, 0, 0, 0, 0)) + cells + end).ljust(
        4096, b"\0"
    )
    sectors = -(-len(stream) // 512)
    stream = stream.ljust(sectors * 512, b"\0")
    free, ends = 0xFFFFFFFF, 0xFFFFFFFE
    table = [0xFFFFFFFD, ends, *range(3, sectors + 2), ends]
    assert len(table) <= 128

    def entry(name: str, kind: int, child: int, first: int, size: int) -> bytes:
        raw = (name + "\0").encode("utf-16-le")
        return raw.ljust(64, b"\0") + struct.pack(
            "<HBBIII16sIQQIQ", len(raw), kind, 1, free, free, child, b"", 0, 0, 0, first, size
        )

    folder = entry("Root Entry", 5, 1, ends, 0) + entry("Workbook", 2, free, 2, len(stream))
    head = struct.pack(
        "<8s16sHHHHH6sIIIIIIIII", OLE, b"", 0x3E, 3, 0xFFFE, 9, 6, b"", 0, 1, 1, 0, 4096, ends, 0, ends, 0
    ) + struct.pack("<109I", 0, *[free] * 108)
    fat = struct.pack(f"<{len(table)}I", *table).ljust(512, b"\xff")
    return head + fat + folder.ljust(512, b"\0") + stream
