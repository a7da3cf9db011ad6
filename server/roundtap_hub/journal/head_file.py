"""The head file: what the journal must hold, noted beside it after every commit, so that a shortened one is found out.

A database alone cannot say that its last rows are missing: one without its write-ahead log, a copied one and an empty
one look whole.
"""

from __future__ import annotations

import hashlib
import json
import os
import secrets
import sqlite3
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any
from urllib.parse import quote

from roundtap_core.errors import Problem
from roundtap_core.event.entries import VENUE
from roundtap_hub.journal.journal import Head, Journal
from roundtap_hub.private_files import held_alone
from roundtap_systemd.atomic_write import write_atomically

HEAD_FILE = "roundtap.head"
LINEAGE_TABLE = "lineage"
SPARE_BYTES = 64 * 1024
"""Written with zeros when the file is made anew: a note then changes no length, and its sync is one write."""
CHECK_LETTERS = 16


@dataclass(frozen=True, slots=True)
class Named:
    """What a head file names. `lineage`: the journal that it belongs to; `commits`: how many there were so far."""

    lineage: str
    epoch: str = ""
    commits: int = 0
    heads: Mapping[str, Head] = field(default_factory=dict)

    def to_json(self) -> dict[str, Any]:
        return {"lineage": self.lineage, "epoch": self.epoch, "commits": self.commits,
                "heads": {stream: list(head) for stream, head in self.heads.items()}}

    @classmethod
    def from_json(cls, said: Mapping[str, Any]) -> Named:
        """Raises KeyError, TypeError or ValueError where it is none."""
        heads = {str(stream): Head(int(number), str(head)) for stream, (number, head) in said["heads"].items()}
        return cls(str(said["lineage"]), str(said["epoch"]), int(said["commits"]), heads)


class HeadFile:
    """One hub's head file, held (no second hub on the same folder) until `close`.

    Lines of JSON, each with a checksum: the first names every stream, each later one what a commit changed. A torn last
    line is of the newest commit. Raises Problem("folder_in_use") and Problem("head_unreadable").
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        try:
            self._lock = held_alone(path.with_suffix(".lock"))
        except BlockingIOError:
            raise Problem("folder_in_use", folder=str(path.parent)) from None
        self._file = -1
        self._at = 0
        self._owed: dict[str, Head] = {}
        try:
            self.named = read_head_file(path)
        except Problem:
            os.close(self._lock)
            raise

    def close(self) -> None:
        """Let go of the folder."""
        if self._file >= 0:
            os.close(self._file)
            self._file = -1
        if self._lock >= 0:
            os.close(self._lock)
            self._lock = -1

    def begin(self, named: Named) -> None:
        """Make the file anew, whole or not at all. Raises OSError."""
        data = _line(named.to_json())
        write_atomically(self.path, data + bytes(SPARE_BYTES), 0o600)
        made = os.open(self.path, os.O_RDWR)
        if self._file >= 0:
            os.close(self._file)
        self._file, self._at, self.named = made, len(data), named

    def note(self, epoch: str, heads: Mapping[str, Head]) -> None:
        """A commit is on the disk: these are the last entries of the streams that it wrote to. On return the note is
        there, too. Raises OSError; the next note then names what this one did not."""
        named = self.named
        assert named is not None
        owed = self._owed = {**self._owed, **heads}
        now = replace(named, epoch=epoch, commits=named.commits + 1, heads={**named.heads, **owed})
        line = _line({"epoch": epoch, "commits": now.commits,
                      "heads": {stream: list(head) for stream, head in owed.items()}})
        length = os.fstat(self._file).st_size if self._file >= 0 else 0
        if self._at + len(line) >= length:
            self.begin(now)
        else:
            _write_all(self._file, line, self._at)
            os.fdatasync(self._file)
            self._at += len(line)
            self.named = now
        self._owed = {}


def begin_head(head: HeadFile, journal: Journal, epoch: str) -> str:
    """Name everything that the journal holds; a new journal, and one that an older hub made, gets its lineage now.

    Returns the lineage. Raises OSError and JournalConflict where the disk refuses: then the next commit names it all.
    """
    known = head.named
    lineage = journal.lineage or (known.lineage if known else new_lineage())
    named = Named(lineage, epoch, known.commits if known else 0, journal.heads())
    # First the file, then the mark: a database with the mark and without the file is a copied one.
    try:
        head.begin(named)
    except OSError:
        head.named = named
        raise
    if not journal.lineage:
        journal.begin_lineage(lineage)
    return lineage


def read_head_file(path: Path) -> Named | None:
    """What the file names; None where there is none. Raises Problem("head_unreadable")."""
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise Problem("head_unreadable", file=str(path)) from error
    named: Named | None = None
    for raw in data.rstrip(b"\0").split(b"\n"):
        said = _read_line(raw)
        if said is None:
            # Torn, or spoiled: what follows names later commits, and holds by itself.
            continue
        try:
            if "lineage" in said:
                named = Named.from_json(said)
            elif named is not None:
                more = Named.from_json({**said, "lineage": named.lineage})
                named = replace(more, heads={**named.heads, **more.heads})
        except (KeyError, TypeError, ValueError) as error:
            raise Problem("head_unreadable", file=str(path)) from error
    if named is None:
        raise Problem("head_unreadable", file=str(path))
    return named


def check_database(database: Path, named: Named | None) -> None:
    """Whether the database holds what the head file names (it may hold more: the power went between both).

    Only looks: neither the database nor its log are changed. Raises Problem where it does not, where it is a copied
    file without a head file ("journal_copied"), and where it cannot be read ("journal_unreadable"). A database that an
    older hub made has no mark of a lineage and needs no head file: it gets both with its next start.
    """
    if not database.is_file() or not database.stat().st_size:
        if named is not None and named.heads:
            raise _empty(database, named.heads)
        return
    try:
        found = _look(database, named.heads if named else {})
    except sqlite3.Error as error:
        if named is None:
            raise Problem("journal_unreadable", reason=str(error)) from error
        raise Problem("journal_damaged", file=str(database), reason=str(error), folder=str(database.parent)) from error
    if named is None:
        if found.lineage:
            raise Problem("journal_copied", file=str(database), head=HEAD_FILE)
        return
    if found.lineage and found.lineage != named.lineage:
        raise Problem("journal_of_another", file=str(database), head=HEAD_FILE)
    missing = {stream: head for stream, head in named.heads.items() if found.last.get(stream, 0) < head.number}
    if named.heads and not any(found.last.values()):
        raise _empty(database, named.heads)
    if missing:
        said, folder = say_missing(found.last, missing), str(database.parent)
        if _has_bytes(database.with_name(database.name + "-wal")):
            raise Problem("journal_shortened", file=str(database), missing=said, folder=folder)
        raise Problem("journal_log_missing", file=str(database), missing=said, folder=folder)
    other = sorted(stream for stream, head in named.heads.items() if found.hashes.get(stream) != head.hash)
    if other:
        raise Problem("journal_differs", file=str(database), stream=other[0], number=named.heads[other[0]].number,
                      folder=str(database.parent))


def say_missing(last: Mapping[str, int], missing: Mapping[str, Head]) -> str:
    """"e1: 12 (738–749), venue: 1 (31)": how many entries of which stream, and which."""
    return ", ".join(
        f"{stream}: {head.number - last.get(stream, 0)} ({_span(last.get(stream, 0) + 1, head.number)})"
        for stream, head in sorted(missing.items(), key=lambda item: (item[0] == VENUE, len(item[0]), item[0])))


def lineage_of(database: Path) -> str:
    """The lineage that a database says it is of; "" where none. Raises sqlite3.Error."""
    return _look(database, {}).lineage


def new_lineage() -> str:
    return secrets.token_hex(8)


@dataclass(frozen=True, slots=True)
class _Found:
    lineage: str
    last: Mapping[str, int]
    hashes: Mapping[str, str]


def looking_at(database: Path) -> sqlite3.Connection:
    """A connection that changes nothing, and leaves a log that it cannot make sense of where it is."""
    return sqlite3.connect(f"file:{quote(str(database.absolute()))}?mode=ro", uri=True, timeout=5)


def _look(database: Path, heads: Mapping[str, Head]) -> _Found:
    connection = looking_at(database)
    try:
        tables = {name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
        lineage, last, hashes = "", dict[str, int](), dict[str, str]()
        if LINEAGE_TABLE in tables:
            row = connection.execute(f"SELECT id FROM {LINEAGE_TABLE}").fetchone()
            lineage = str(row[0]) if row else ""
        for stream, head in heads.items() if "entry" in tables else ():
            newest = connection.execute("SELECT max(number) FROM entry WHERE stream = ?", (stream,)).fetchone()[0]
            last[stream] = newest or 0
            row = connection.execute("SELECT hash FROM entry WHERE stream = ? AND number = ?",
                                     (stream, head.number)).fetchone()
            if row:
                hashes[stream] = row[0]
    finally:
        connection.close()
    return _Found(lineage, last, hashes)


def _empty(database: Path, heads: Mapping[str, Head]) -> Problem:
    return Problem("journal_empty", file=str(database), n=sum(head.number for head in heads.values()),
                   missing=say_missing({}, heads))


def _span(first: int, last: int) -> str:
    return str(first) if first == last else f"{first}–{last}"


def _has_bytes(path: Path) -> bool:
    return path.is_file() and path.stat().st_size > 0


def _line(said: Mapping[str, Any]) -> bytes:
    text = json.dumps(said, ensure_ascii=False, separators=(",", ":")).encode()
    return b"%s %s\n" % (_check(text), text)


def _read_line(raw: bytes) -> dict[str, Any] | None:
    check, _, text = raw.partition(b" ")
    if check != _check(text):
        return None
    said = json.loads(text)
    return said if isinstance(said, dict) else None


def _check(text: bytes) -> bytes:
    return hashlib.sha256(text).hexdigest()[:CHECK_LETTERS].encode()


def _write_all(file: int, data: bytes, at: int) -> None:
    while data:
        written = os.pwrite(file, data, at)
        data, at = data[written:], at + written
