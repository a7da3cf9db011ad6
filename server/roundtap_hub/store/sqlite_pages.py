"""Every row that stands in a SQLite file, whatever is wrong with it.

SQLite itself stops at the first page that is wrong; `rows_in` reads on, page by page, by the file format of
https://www.sqlite.org/fileformat2.html: a database of 4096-byte pages without reserved bytes, in UTF-8, as ours are.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from pathlib import Path

LEAF = 0x0D
FILE_HEADER, LOG_HEADER, FRAME_HEADER = 100, 32, 24
SIZE = 4096
COLUMNS_MAX, PAYLOAD_MAX = 16, 1 << 24
LENGTHS = (0, 1, 2, 3, 4, 6, 8, 8, 0, 0)

Row = tuple[object, ...]
Pages = dict[int, bytes]


def rows_in(database: Path) -> Iterator[Row]:
    """Every record of a table's leaf in the file and in its log, in no order, some of them more than once. Raises
    OSError where the file cannot be read at all."""
    data = database.read_bytes() if database.is_file() else b""
    log_path = database.with_name(database.name + "-wal")
    log = log_path.read_bytes() if log_path.is_file() else b""
    main: Pages = {n + 1: data[at : at + SIZE] for n, at in enumerate(range(0, len(data), SIZE))}
    frames = list(_frames(log))
    newest = {**main, **dict(frames)}
    for number, page in (*frames, *main.items()):
        yield from _leaf(number, page, (newest, main))


def _frames(log: bytes) -> Iterator[tuple[int, bytes]]:
    """Pages of the log by their number; its checksums are not asked: whoever reads knows better what holds."""
    for at in range(LOG_HEADER, len(log) - FRAME_HEADER, FRAME_HEADER + SIZE):
        number = struct.unpack(">I", log[at : at + 4])[0]
        page = log[at + FRAME_HEADER : at + FRAME_HEADER + SIZE]
        if number and len(page) == SIZE:
            yield number, page


def _leaf(number: int, page: bytes, where: tuple[Pages, ...]) -> Iterator[Row]:
    start = FILE_HEADER if number == 1 else 0
    if len(page) < start + 8 or page[start] != LEAF:
        return
    for n in range(struct.unpack(">H", page[start + 3 : start + 5])[0]):
        pointer = start + 8 + 2 * n
        if pointer + 2 > len(page):
            return
        at = struct.unpack(">H", page[pointer : pointer + 2])[0]
        for pages in where:
            try:
                yield _record(_payload(page, at, pages))
                break
            except (IndexError, ValueError, struct.error):
                # A pointer to nowhere, a row cut off, or one whose rest is in a page that is another's by now.
                continue


def _payload(page: bytes, at: int, pages: Pages) -> bytes:
    length, at = _varint(page, at)
    _, at = _varint(page, at)
    if not 0 < length <= PAYLOAD_MAX:
        raise ValueError("no row")
    usable = len(page)
    here = length
    if length > usable - 35:
        least = (usable - 12) * 32 // 255 - 23
        here = least + (length - least) % (usable - 4)
        here = here if here <= usable - 35 else least
    found = [page[at : at + here]]
    left = length - here
    follows = struct.unpack(">I", page[at + here : at + here + 4])[0] if left else 0
    while left > 0:
        more = pages.get(follows, b"")
        if not more:
            raise ValueError("the rest is missing")
        follows = struct.unpack(">I", more[:4])[0]
        found.append(more[4 : 4 + left])
        left -= len(more) - 4
    return b"".join(found)


def _record(payload: bytes) -> Row:
    end, at = _varint(payload, 0)
    kinds = []
    while at < end:
        kind, at = _varint(payload, at)
        kinds.append(kind)
    if not kinds or len(kinds) > COLUMNS_MAX:
        raise ValueError("no row of ours")
    values: list[object] = []
    for kind in kinds:
        length = LENGTHS[kind] if kind < len(LENGTHS) else (kind - 12) // 2 if kind >= 12 else -1
        if length < 0 or at + length > len(payload):
            raise ValueError("no column")
        raw, at = payload[at : at + length], at + length
        values.append(_value(kind, raw))
    return tuple(values)


def _value(kind: int, raw: bytes) -> object:
    if kind >= 12:
        return raw if kind % 2 == 0 else raw.decode()
    if kind in (8, 9):
        return kind - 8
    return int.from_bytes(raw, "big", signed=True) if kind else None


def _varint(data: bytes, at: int) -> tuple[int, int]:
    """The number that begins there, and where it ends: seven bits a byte; a length of more than eight bytes is none."""
    value = 0
    for n in range(at, at + 8):
        value = value << 7 | data[n] & 0x7F
        if data[n] < 0x80:
            return value, n + 1
    raise ValueError("no number of ours")
