"""The head file: what the journal must hold, noted beside it after every commit, so that lost rows are detected.

A database alone cannot tell that its last rows are missing: one without its write-ahead log, a copied one and an empty
one look complete.
"""

import hashlib
import json
import os
import secrets
import shlex
import sqlite3
from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass, field, replace
from datetime import datetime
from pathlib import Path
from typing import Any
from urllib.parse import quote

import msgspec

from roundtap_core.errors import Problem
from roundtap_core.event.entries import VENUE
from roundtap_hub.store.journal import Head, Journal
from roundtap_hub.store.secure_files import disk_problem, lock_file, unreadable_problem
from roundtap_machine.disk import write_atomically

HEAD_FILE = "roundtap.head"
LINEAGE_TABLE = "lineage"
SPARE_BYTES = 64 * 1024
"""Zeros written when the file is made: a note then does not change its length, and its sync is one write."""
CHECK_LETTERS = 16


@dataclass(frozen=True, slots=True)
class HeadRecord:
    """A head file's content. `lineage`: the journal that it belongs to; `commits`: their number so far."""

    lineage: str
    epoch: str = ""
    commits: int = 0
    heads: Mapping[str, Head] = field(default_factory=dict)


class HeadFile:
    """One hub's head file, locked (no second hub on the same folder) until `close`. Lines of JSON, each with a
    checksum: the first names every stream, each later one what a commit changed. A torn last line belongs to the newest
    commit. Raises Problem("folder_in_use"), ("head_unreadable") and as `disk_problem`."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._lock = lock_folder(path.parent)
        self._file = -1
        self._at = 0
        self._owed: dict[str, Head] = {}
        try:
            self.record = read_head_file(path)
        except Problem:
            os.close(self._lock)
            raise

    def close(self) -> None:
        """Release the folder."""
        if self._file >= 0:
            os.close(self._file)
            self._file = -1
        if self._lock >= 0:
            os.close(self._lock)
            self._lock = -1

    def rewrite(self, named: HeadRecord) -> None:
        """Write the file anew, atomically. Raises OSError."""
        data = checksummed_line(asdict(named))
        write_atomically(self.path, data + bytes(SPARE_BYTES), 0o600)
        made = os.open(self.path, os.O_RDWR)
        if self._file >= 0:
            os.close(self._file)
        self._file, self._at, self.record = made, len(data), named

    def note_commit(self, epoch: str, heads: Mapping[str, Head]) -> None:
        """Note a stored commit with the last entries of its streams; synced on return. Raises OSError; the next note
        then includes this one."""
        named = self.record
        assert named is not None
        owed = self._owed = {**self._owed, **heads}
        record = replace(named, epoch=epoch, commits=named.commits + 1, heads={**named.heads, **owed})
        line = checksummed_line({"epoch": epoch, "commits": record.commits, "heads": owed})
        length = os.fstat(self._file).st_size if self._file >= 0 else 0
        if self._at + len(line) >= length:
            self.rewrite(record)
        else:
            write_at(self._file, line, self._at)
            os.fdatasync(self._file)
            self._at += len(line)
            self.record = record
        self._owed = {}


def lock_folder(folder: Path) -> int:
    """Open and lock a hub's folder until this is closed. Raises Problem("folder_in_use") and as `disk_problem`."""
    try:
        return lock_file((folder / HEAD_FILE).with_suffix(".lock"))
    except BlockingIOError:
        raise Problem("folder_in_use", folder=str(folder)) from None
    except OSError as error:
        raise disk_problem(error, folder) or error from error


def init_head_file(head: HeadFile, journal: Journal, epoch: str) -> str:
    """Note everything the journal holds; a new journal, or one of an older hub, gets its lineage now. Returns the
    lineage. Raises OSError and JournalConflict if the disk refuses: then the next commit notes it all."""
    record = head.record
    lineage = journal.lineage or (record.lineage if record else new_lineage())
    named = HeadRecord(lineage, epoch, record.commits if record else 0, journal.heads())
    # File first, then mark: a database with the mark but without the file is a copied one.
    try:
        head.rewrite(named)
    except OSError:
        head.record = named
        raise
    if not journal.lineage:
        journal.begin_lineage(lineage)
    return lineage


def read_head_file(path: Path) -> HeadRecord | None:
    """The file's content; None if there is none. Raises Problem("head_unreadable")."""
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise disk_problem(error, path.parent) or Problem("head_unreadable", file=str(path)) from error
    named: HeadRecord | None = None
    for raw in data.rstrip(b"\0").split(b"\n"):
        fields = _read_line(raw)
        if fields is None:
            # Torn or damaged: later lines name later commits and are valid by themselves.
            continue
        try:
            if "lineage" in fields:
                named = msgspec.convert(fields, HeadRecord)
            elif named is not None:
                more = msgspec.convert({**fields, "lineage": named.lineage}, HeadRecord)
                named = replace(more, heads={**named.heads, **more.heads})
        except msgspec.ValidationError as error:
            raise Problem("head_unreadable", file=str(path)) from error
    if named is None:
        raise Problem("head_unreadable", file=str(path))
    return named


def check_database(database: Path, named: HeadRecord | None, places: Sequence[Path] = ()) -> None:
    """Check read-only that the database holds what the head file names (after a power cut it may hold more). Raises
    Problem if it does not, if it is a copied file without a head file ("journal_copied"), and if it cannot be read
    (`unreadable_problem`). A database of an older hub has no lineage and needs no head file: its next start makes both.
    `places`: where sticks with copies may be."""
    if not database.is_file() or not database.stat().st_size:
        if named is not None and named.heads:
            raise _empty(database, named, places)
        return
    folder = str(database.parent)
    heads, last, hashes = named.heads if named else {}, dict[str, int](), dict[str, str]()
    try:
        with closing(open_read_only(database)) as connection:
            has_lineage = _has_table(connection, LINEAGE_TABLE)
            lineage = _first(connection, f"SELECT id FROM {LINEAGE_TABLE}") if has_lineage else None
            for stream, head in heads.items() if _has_table(connection, "entry") else ():
                last[stream] = int(_first(connection, "SELECT max(number) FROM entry WHERE stream = ?", stream) or 0)
                hashes[stream] = _first(
                    connection, "SELECT hash FROM entry WHERE stream = ? AND number = ?", stream, head.number
                )
    except (sqlite3.Error, ValueError, TypeError) as error:
        raise unreadable_problem(error, database) from error
    if named is None:
        if lineage:
            raise Problem("journal_copied", file=str(database), head=HEAD_FILE, folder=folder)
        return
    if lineage and lineage != named.lineage:
        raise Problem("journal_of_another", file=str(database), head=HEAD_FILE, folder=folder)
    if heads and not any(last.values()):
        raise _empty(database, named, places)
    if missing := {stream: head for stream, head in heads.items() if last[stream] < head.number}:
        log = database.with_name(database.name + "-wal")
        raise Problem(
            "journal_shortened" if log.is_file() and log.stat().st_size else "journal_log_missing",
            file=str(database),
            missing=describe_missing(last, missing),
            folder=folder,
        )
    if other := sorted(stream for stream, head in heads.items() if hashes[stream] != head.hash):
        raise Problem(
            "journal_differs", file=str(database), stream=other[0], number=heads[other[0]].number, folder=folder
        )


def describe_missing(last: Mapping[str, int], missing: Mapping[str, Head]) -> str:
    """ "e1: 12 (738–749), venue: 1 (31)": how many entries each stream lacks, and which."""
    return ", ".join(
        f"{stream}: {head.number - last.get(stream, 0)} ({_span(last.get(stream, 0) + 1, head.number)})"
        for stream, head in sorted(missing.items(), key=lambda item: (item[0] == VENUE, len(item[0]), item[0]))
    )


def new_lineage() -> str:
    return secrets.token_hex(8)


def open_read_only(database: Path) -> sqlite3.Connection:
    """A connection that changes nothing and leaves a damaged log in place."""
    return sqlite3.connect(f"file:{quote(str(database.absolute()))}?mode=ro", uri=True, timeout=5)


def _has_table(connection: sqlite3.Connection, name: str) -> bool:
    return bool(_first(connection, "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?", name))


def _first(connection: sqlite3.Connection, query: str, *values: object) -> Any:
    """The first column of the first row; None if there is none."""
    row = connection.execute(query, values).fetchone()
    return row[0] if row else None


def _empty(database: Path, named: HeadRecord, places: Sequence[Path]) -> Problem:
    backups = [str(place) for place in (database.parent / "backups", *places) if any(place.glob("roundtap-*"))]
    return Problem(
        "journal_empty",
        file=str(database),
        n=sum(head.number for head in named.heads.values()),
        missing=describe_missing({}, named.heads),
        lineage=named.lineage,
        noted_at=datetime.fromtimestamp(os.stat(database.with_name(HEAD_FILE)).st_mtime)
        .astimezone()
        .isoformat(" ", "minutes"),
        places=", ".join(backups) or "–",
        # The command names the hub's own folder and the stick anyhow.
        more="".join(
            f" {shlex.quote(each)}"
            for each in backups
            if each not in (str(database.parent / "backups"), "/media/roundtap")
        ),
        folder=str(database.parent),
    )


def _span(first: int, last: int) -> str:
    return str(first) if first == last else f"{first}–{last}"


def checksummed_line(fields: Mapping[str, Any], before: str = "", letters: int = CHECK_LETTERS) -> bytes:
    """JSON after its checksum, which also covers `before`."""
    text = json.dumps(fields, ensure_ascii=False, separators=(",", ":")).encode()
    return b"%s %s\n" % (checksum_of(text, before, letters).encode(), text)


def checksum_of(text: bytes, before: str = "", letters: int = CHECK_LETTERS) -> str:
    return hashlib.sha256(before.encode() + text).hexdigest()[:letters]


def _read_line(raw: bytes) -> dict[str, Any] | None:
    check, _, text = raw.partition(b" ")
    fields = json.loads(text) if check == checksum_of(text).encode() else None
    return fields if isinstance(fields, dict) else None


def write_at(file: int, data: bytes, at: int) -> None:
    while data:
        written = os.pwrite(file, data, at)
        data, at = data[written:], at + written


def overwrite_with_zeros(file: int) -> None:
    """Overwrite the content with zeros, as far as the disk allows."""
    length = os.fstat(file).st_size
    for at in range(0, length, 1 << 16):
        write_at(file, bytes(min(1 << 16, length - at)), at)
    os.fsync(file)
