"""What can still be read of a hub in folders and on sticks: journals, backups, copies, head files, units' outboxes.

Nothing is changed. SQLite stops at the first bad page; `carve_rows` reads on, page by page, by
https://www.sqlite.org/fileformat2.html: 4096-byte pages without reserved bytes, in UTF-8, as ours are.
"""

import hashlib
import json
import os
import re
import sqlite3
import struct
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from sqlmodel import SQLModel

from roundtap_core.errors import Problem
from roundtap_core.event.entries import GENESIS, Entry, entry_hash
from roundtap_hub.store import backups, head_file, models
from roundtap_hub.store.copies import ENTRIES, PEOPLE
from roundtap_hub.store.folder_copy import COPY_FILE, LINE_BYTES_MAX, READ_LINE
from roundtap_hub.store.journal import DATABASE, Head, next_entry
from roundtap_hub.store.secure_files import is_bounded

OUTBOX_FILE = "outbox.jsonl"
JOURNAL_FILES = (DATABASE, head_file.HEAD_FILE)  # how the names of a journal's files begin
NUMBER_MAX = 1_000_000  # what no stream reaches: every number up to the last one is told if it is lost
SOURCE_BYTES_MAX = 128 << 20  # of a file that nobody has named; it is read twice, and once as a whole
TOTAL_BYTES_MAX = 512 << 20  # of all such files: reading more would take many minutes
ROWS_MAX = 1_000_000  # of one file, each person counted twice: more than a thousand events have
DEPTH_MAX = 4  # how many folders deep a stick is searched
TABLES = ("entry", "person", "unit_key", "staff", "checkpoint", head_file.LINEAGE_TABLE, backups.ABOUT, backups.FILE)
STRING = r'"[^"\\]*+(?:\\.[^"\\]*+)*+"'
ROW = re.compile(rf"\[{STRING}(?:,(?:{STRING}|\d{{1,10}})){{3,8}}\]")  # an entry or a person, and nothing nested
REPORT_BYTES_MAX = 64 << 10  # far more than a hub takes
LINEAGE = re.compile("[0-9a-f]{16}")  # how a lineage's row differs from that of the schema's version

LEAF = 0x0D
FILE_HEADER, LOG_HEADER, FRAME_HEADER = 100, 32, 24
PAGE_BYTES = 4096
COLUMNS_MAX, PAYLOAD_MAX = 16, 1 << 24
LENGTHS = (0, 1, 2, 3, 4, 6, 8, 8, 0, 0)

Row = Sequence[Any]
Pages = dict[int, bytes]


@dataclass(slots=True, eq=False)
class Source:
    """Everything that one file still tells; of a journal, with its log, its head file and its folder's other files.

    `proved`: rows of entries in any source, so that each is proved once. `copied`: a database without its head file:
    nobody can tell what it lacks. `cut`: its last line has no end. `heads`: the last entries that it says it holds, or
    held. `entries`: by hash, which proves each; `committed`: those that do not merely lie on some page.
    `people`: (event, competitor, salt, JSON); digests in entries tell which ones are right. `staff`: (id, name, hashed
    PIN). `clocks`: (event, remaining_ms, boot_id, mono_ms). `files`: the folder's other files, mode and content.
    `reports`: a unit's, with their signatures.
    """

    path: Path
    proved: dict[Row, Entry]
    lineage: str = ""
    copied: bool = False
    cut: bool = False
    heads: dict[str, Head] = field(default_factory=dict)
    entries: dict[str, Entry] = field(default_factory=dict)
    committed: set[str] = field(default_factory=set)
    people: set[Row] = field(default_factory=set)
    keys: set[tuple[str, str]] = field(default_factory=set)
    staff: set[tuple[str, str, str]] = field(default_factory=set)
    clocks: set[Row] = field(default_factory=set)
    files: dict[str, tuple[int, bytes]] = field(default_factory=dict)
    print_jobs: list[SQLModel] = field(default_factory=list)
    reports: list[tuple[dict[str, Any], str]] = field(default_factory=list)

    @property
    def marks(self) -> set[str]:
        """What only sources of the same hub have in common."""
        hashes = {each for entry in self.entries.values() for each in (entry.hash, entry.prev)}
        return (hashes | {head.hash for head in self.heads.values()} | {self.lineage}) - {GENESIS, ""}

    @property
    def is_full(self) -> bool:
        """Whether it holds more than any hub's file: what follows is left."""
        held = self.entries, self.people, self.keys, self.staff, self.clocks
        return sum(map(len, held)) >= ROWS_MAX

    def add_rows(self, rows: Iterable[Row]) -> None:
        """Take the rows of our tables; any other is ignored."""
        for row in rows:
            if self.is_full:
                break
            self._add_row(row)

    def _add_row(self, row: Row) -> None:
        kinds = [type(value) for value in row]
        if kinds == [str, int, str, int, *[str] * 5]:
            self._add_entry(tuple(row))
        elif kinds == [str, int, str, int]:
            self.clocks.add(tuple(row))
        elif kinds == [str, int, bytes, str]:
            name, mode, content, told = row
            if hashlib.sha256(content).hexdigest() == told and not {"..", "/"} & set(Path(name).parts):
                self.files[name] = (mode, content)
        elif kinds == [str, str]:
            self.keys.add((row[0], row[1]))
        elif len(row) == 4 and kinds[:3] == [str, str, str]:
            # Of the staff or of an event's people: the digests tell later.
            self.staff.add((row[0], row[1], row[2]))
            if kinds[3] is str:
                self.people.add(tuple(row))
        elif kinds == [str] and LINEAGE.fullmatch(row[0]):
            self.lineage = self.lineage or row[0]

    def _add_entry(self, row: Row) -> None:
        stream, number, kind, version, at, actor, data, prev, hashed = row
        # An untrusted row may be nested too deeply, or hold invalid text.
        with suppress(Problem, ValueError, RecursionError):
            if row in self.proved:
                self.entries[hashed] = self.proved[row]
            elif (
                0 < number <= NUMBER_MAX
                and 0 < version <= NUMBER_MAX
                and entry_hash(stream, number, kind, version, at, actor, data, prev) == hashed
                and isinstance((entry := next_entry(number - 1, prev, row)).data, dict)
            ):
                self.entries[hashed] = self.proved[row] = entry

    def read_about(self) -> None:
        """What a backup says of itself, damaged or not."""
        about = dict(self.keys)
        self.lineage = about.get("lineage") or self.lineage
        with suppress(ValueError, TypeError, AttributeError):
            self.heads = {
                stream: Head(number, str(hashed))
                for stream, (number, hashed) in json.loads(about.get("heads", "{}")).items()
                if 0 < number <= NUMBER_MAX
            }


def readable_paths(place: Path, unused: list[tuple[Path, str]]) -> Iterator[Path]:
    """The files of ours in a folder or on a stick, or the file itself. `unused`: what is not read, and why. A
    "stranger" belongs neither to the place's owner nor to who asks: in a folder open to all, anybody could leave keys.
    What is "unbounded" is no ordinary file, or too large; a journal with such a log or head file is not read either.
    What is "missing" may be a stick's place before its first stick."""
    if not place.exists():
        unused.append((place, "missing"))
        return
    ours = {os.getuid(), place.stat().st_uid}
    for folder, folders, names in os.walk(place):
        folders.sort()
        if len(Path(folder).relative_to(place).parts) >= DEPTH_MAX:
            folders.clear()
        paths = [Path(folder, name) for name in sorted(names) if _is_named_as_ours(name)]
        unbounded = [
            path for path in paths if not path.is_symlink() and path.exists() and not is_bounded(path, SOURCE_BYTES_MAX)
        ]
        unused += [(path, "unbounded") for path in unbounded]
        for path in paths:
            if path in unbounded or not os.path.lexists(path):
                continue
            of_journal = path.name.startswith(JOURNAL_FILES)
            if path.is_symlink() or os.lstat(path).st_uid not in ours:
                unused.append((path, "stranger"))
            elif not (of_journal and any(each.name.startswith(JOURNAL_FILES) for each in unbounded)):
                yield path.with_name(DATABASE) if of_journal else path
    if place.is_file():
        yield place


def within_total(paths: Sequence[Path], named: Sequence[Path], unused: list[tuple[Path, str]]) -> list[Path]:
    """Of so many files the newest, up to TOTAL_BYTES_MAX; the rest is "unbounded". What is `named` is read anyhow."""
    left, files = TOTAL_BYTES_MAX, {path: _with_log(path) for path in paths if path not in named}
    for path in sorted(
        files, key=lambda path: max((file.st_mtime_ns for file in files[path]), default=0), reverse=True
    ):
        size = sum(file.st_size for file in files[path])
        if size > left:
            unused.append((path, "unbounded"))
        else:
            left -= size
    return [path for path in paths if (path, "unbounded") not in unused]


def _with_log(path: Path) -> list[os.stat_result]:
    return [each.stat() for each in (path, path.with_name(f"{path.name}-wal")) if each.exists()]


def _is_named_as_ours(name: str) -> bool:
    return name.endswith(backups.SUFFIX) or name.startswith((*JOURNAL_FILES, Path(COPY_FILE).stem, OUTBOX_FILE))


def read_source(path: Path, proved: dict[Row, Entry]) -> Source:
    """Read a file in every way there is: by SQLite, page by page, and line by line. `proved`: as in `Source`."""
    source = Source(path, proved)
    with suppress(OSError, ValueError, sqlite3.Error), closing(head_file.open_read_only(path)) as connection:
        connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, PAYLOAD_MAX)
        # Anyone may have written the stick: a view that computes its rows might never end.
        if not connection.execute("SELECT 1 FROM sqlite_master WHERE type NOT IN ('table', 'index')").fetchone():
            source.copied = path.suffix != backups.SUFFIX
            for table in TABLES:
                with suppress(sqlite3.Error):
                    source.add_rows(connection.execute(f"SELECT * FROM {table}"))
            for kind in models.PRINTING:
                columns = models.TABLES[str(kind.__tablename__)].c.keys()
                rows = connection.execute(f"SELECT {', '.join(columns)} FROM {kind.__tablename__}")
                source.print_jobs += [kind.model_validate(dict(zip(columns, row, strict=True))) for row in rows]
    with suppress(OSError), open(path, "rb") as lines:
        while raw := lines.readline(LINE_BYTES_MAX):
            _add_line(source, raw)
            source.cut = not raw.endswith(b"\n")
    source.committed = set(source.entries)
    with suppress(OSError):
        source.add_rows(carve_rows(path))
    if path.suffix == backups.SUFFIX:
        source.read_about()
    elif path.name == DATABASE:
        with suppress(Problem):
            if (named := head_file.read_head_file(path.with_name(head_file.HEAD_FILE))) is not None:
                source.lineage, source.heads, source.copied = named.lineage, dict(named.heads), False
        with suppress(OSError):
            source.files = {
                str(each.relative_to(path.parent)): (each.stat().st_mode & 0o700, each.read_bytes())
                for each in backups.other_files(path.parent)
            }
    return source


def _add_line(source: Source, raw: bytes) -> None:
    """A line of a copy or of a unit's outbox. Of a damaged one every whole row counts: rows prove themselves."""
    text = raw.decode(errors="replace")
    with suppress(ValueError, RecursionError):
        line = READ_LINE(text[text.index("{") :])
        if (
            line.mac
            and len(line.report) <= REPORT_BYTES_MAX
            and isinstance(report := json.loads(bytes(line.report)), dict)
        ):
            source.reports.append((report, line.mac))
        source.lineage = source.lineage or line.lineage
        source.add_rows((*line.rows[ENTRIES], *line.rows[PEOPLE]))
        return
    for row in ROW.finditer(text):
        with suppress(ValueError):
            source.add_rows([json.loads(row[0])])


def carve_rows(database: Path) -> Iterator[Row]:
    """Every record of a table's leaf pages in the file and its log, in no order, with repeats. Raises OSError if the
    file cannot be read."""
    data = database.read_bytes() if database.is_file() else b""
    log_path = database.with_name(database.name + "-wal")
    log = log_path.read_bytes() if log_path.is_file() else b""
    # A cut page still has the rows before the cut.
    main: Pages = {
        n + 1: data[at : at + PAGE_BYTES].ljust(PAGE_BYTES, b"\0")
        for n, at in enumerate(range(0, len(data), PAGE_BYTES))
    }
    frames = list(_frames(log))
    newest = {**main, **dict(frames)}
    for number, page in (*frames, *main.items()):
        yield from _leaf(number, page, (newest, main))


def _frames(log: bytes) -> Iterator[tuple[int, bytes]]:
    """Pages of the log by number; its checksums are ignored, as the caller verifies hashes."""
    for at in range(LOG_HEADER, len(log) - FRAME_HEADER, FRAME_HEADER + PAGE_BYTES):
        if number := struct.unpack(">I", log[at : at + 4])[0]:
            yield number, log[at + FRAME_HEADER : at + FRAME_HEADER + PAGE_BYTES].ljust(PAGE_BYTES, b"\0")


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
                # A bad pointer, a truncated row, or one whose overflow page was reused.
                continue


def _payload(page: bytes, at: int, pages: Pages) -> bytes:
    length, at = _varint(page, at)
    _, at = _varint(page, at)
    if not 0 < length <= PAYLOAD_MAX:
        raise ValueError("no row")
    usable = len(page)
    local_bytes = length
    if length > usable - 35:
        least = (usable - 12) * 32 // 255 - 23
        local_bytes = least + (length - least) % (usable - 4)
        local_bytes = local_bytes if local_bytes <= usable - 35 else least
    parts = [page[at : at + local_bytes]]
    left = length - local_bytes
    overflow = struct.unpack(">I", page[at + local_bytes : at + local_bytes + 4])[0] if left else 0
    while left > 0:
        overflow_page = pages.get(overflow, b"")
        if not overflow_page:
            raise ValueError("the rest is missing")
        overflow = struct.unpack(">I", overflow_page[:4])[0]
        parts.append(overflow_page[4 : 4 + left])
        left -= len(overflow_page) - 4
    return b"".join(parts)


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
    """The varint at this place, and where it ends; one of more than eight bytes is invalid here."""
    value = 0
    for n in range(at, at + 8):
        value = value << 7 | data[n] & 0x7F
        if data[n] < 0x80:
            return value, n + 1
    raise ValueError("no number of ours")
