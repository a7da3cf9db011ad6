"""A copy of the journal in another folder, on a stick: one file of JSON lines, each with a checksum over all before."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from roundtap_core.errors import Problem
from roundtap_core.event.entries import VENUE
from roundtap_hub.journal.copies import Batch
from roundtap_hub.journal.forgotten import REMOVED
from roundtap_hub.journal.journal import Head, PersonRow
from roundtap_hub.journal.rows import to_row
from roundtap_hub.journal.venue import DELETED
from roundtap_systemd.atomic_write import replacing

COPY_FILE = "roundtap-copy.journal"
FORMAT = 1


class FolderCopy:
    """A copy in `folder`, which is made by nobody here: it is the stick's.

    `data`: the hub's own folder: a copy on the same disk would die with it, and is refused. `may_be_missing`: a place
    where a stick is mounted if somebody plugs one in; until then there is no such copy. `same_disk` is for tests.
    """

    def __init__(self, folder: Path, data: Path, same_disk: bool = False, may_be_missing: bool = False) -> None:
        self.name = str(folder)
        self.folder = folder
        self.may_be_missing = may_be_missing
        self._data = data
        self._same_disk = same_disk
        self._file = -1
        self._chain = ""
        self._length = 0
        self._people_of: set[str] = set()

    def is_there(self) -> bool:
        return self.folder.is_dir() and (self._same_disk or not on_same_disk(self.folder, self._data))

    def open(self, lineage: str, epoch: str) -> Mapping[str, Head]:
        self.close()
        if not self.folder.is_dir():
            raise FileNotFoundError(2, f"no folder {self.folder}")
        if self.may_be_missing and not self.is_there():
            raise FileNotFoundError(2, f"no stick at {self.folder}")
        if not self._same_disk and on_same_disk(self.folder, self._data):
            raise Problem("copy_same_disk", copy=self.name)
        path = self.folder / COPY_FILE
        found = read_copy(path)
        if found is not None and found.lineage != lineage:
            raise Problem("copy_of_another", copy=self.name, file=COPY_FILE)
        if found is not None and (found.damaged or found.epoch != epoch):
            # It may hold what nobody else does: it is put aside, never written over.
            os.replace(path, _aside(path, "damaged" if found.damaged else found.epoch))
            found = None
        if found is None:
            found = CopyContent(lineage, epoch)
            self._make(path, [_first_line(lineage, epoch)])
        else:
            self._file = os.open(path, os.O_RDWR)
            os.ftruncate(self._file, found.length)
            os.fsync(self._file)
            self._chain, self._length = found.chain, found.length
        self._people_of = set(found.people_of)
        if found.deleted & self._people_of or found.taken_out & found.people:
            self._forget(found.deleted, found.taken_out)
        return found.heads

    def write(self, batch: Batch) -> None:
        if batch.entries or batch.people:
            self._append({"entries": [to_row(entry) for entry in batch.entries],
                          "people": [dict(row) for row in batch.people]})
            self._people_of |= {row["event"] for row in batch.people}
        if batch.gone & self._people_of or batch.taken_out:
            self._forget(batch.gone, batch.taken_out)

    def close(self) -> None:
        if self._file >= 0:
            os.close(self._file)
            self._file = -1

    def _append(self, said: Mapping[str, Any]) -> None:
        line, chain = _line(self._chain, said)
        try:
            _write(self._file, line, self._length)
            os.fsync(self._file)
        except OSError:
            with contextlib.suppress(OSError):
                os.ftruncate(self._file, self._length)
            raise
        self._chain, self._length = chain, self._length + len(line)

    def _forget(self, events: frozenset[str], people: frozenset[tuple[str, str]]) -> None:
        """The file anew without the people of these events, and without these; what it was is overwritten, as far as a
        stick lets us."""
        path = self.folder / COPY_FILE
        old = os.open(path, os.O_RDWR)
        try:
            self.close()
            self._make(path, _without_people(path, events, people))
            length = os.fstat(old).st_size
            for at in range(0, length, 1 << 16):
                _write(old, bytes(min(1 << 16, length - at)), at)
            os.fsync(old)
        finally:
            os.close(old)
        self._people_of -= events

    def _make(self, path: Path, lines: Iterator[Mapping[str, Any]] | list[Mapping[str, Any]]) -> None:
        chain, length = "", 0
        with replacing(path, on_fat=True) as temporary, open(temporary, "xb", opener=_own_file) as made:
            for said in lines:
                line, chain = _line(chain, said)
                length += made.write(line)
        self._file, self._chain, self._length = os.open(path, os.O_RDWR), chain, length


@dataclass(slots=True)
class CopyContent:
    """What a copy's file says. `length`: its bytes up to the last whole line; `damaged`: lines follow that do not hold.
    """

    lineage: str
    epoch: str
    heads: dict[str, Head] = field(default_factory=dict)
    people: set[tuple[str, str]] = field(default_factory=set)
    """(event, competitor) of every row of a person."""
    deleted: frozenset[str] = frozenset()
    taken_out: frozenset[tuple[str, str]] = frozenset()
    chain: str = ""
    length: int = 0
    damaged: bool = False

    @property
    def people_of(self) -> set[str]:
        """The events of which it holds people."""
        return {event for event, _ in self.people}


def read_copy(path: Path) -> CopyContent | None:
    """Look a copy through; None where there is none. Raises OSError, and Problem("copy_unreadable") for a file that is
    none."""
    content: CopyContent | None = None
    try:
        for said, chain, length in _lines(path):
            if content is None:
                if said.get("roundtap-copy") != FORMAT:
                    raise Problem("copy_unreadable", file=str(path))
                content = CopyContent(str(said["lineage"]), str(said["epoch"]))
            for row in said.get("entries", ()):
                content.heads[row["stream"]] = Head(row["number"], row["hash"])
                if row["stream"] == VENUE and row["kind"] == DELETED:
                    content.deleted |= {json.loads(row["data"])["event"]}
                elif row["kind"] == REMOVED:
                    content.taken_out |= {(row["stream"], json.loads(row["data"])["competitor"])}
            content.people |= {(row["event"], row["competitor"]) for row in said.get("people", ())}
            content.chain, content.length = chain, length
    except FileNotFoundError:
        return None
    except (KeyError, TypeError, ValueError) as error:
        raise Problem("copy_unreadable", file=str(path)) from error
    if content is None:
        raise Problem("copy_unreadable", file=str(path))
    # What is left after a cut of the power is one line without its end; anything more is damage.
    with open(path, "rb") as file:
        file.seek(content.length)
        content.damaged = b"\n" in file.read()
    return content


def rows_of_copy(path: Path) -> Iterator[tuple[list[dict[str, Any]], list[PersonRow]]]:
    """The rows of entries and people of each commit in a copy, in their order, as far as it holds."""
    for said, _, _ in _lines(path):
        yield said.get("entries", []), said.get("people", [])


def on_same_disk(folder: Path, data: Path) -> bool:
    """Whether both are on one file system, or the folder on the system's own: an empty place where a stick would be."""
    where = os.stat(folder).st_dev
    return where in (os.stat(data).st_dev, os.stat("/").st_dev)


def _lines(path: Path) -> Iterator[tuple[dict[str, Any], str, int]]:
    """Each line that holds, the chain after it, and the bytes up to its end."""
    chain, length = "", 0
    with open(path, "rb") as file:
        for raw in file:
            check, _, text = raw.rstrip(b"\n").partition(b" ")
            if not raw.endswith(b"\n") or check.decode("ascii", "replace") != _check(chain, text):
                return
            chain, length = check.decode(), length + len(raw)
            said = json.loads(text)
            if not isinstance(said, dict):
                raise ValueError("no object")
            yield said, chain, length


def _without_people(
    path: Path, events: frozenset[str], people: frozenset[tuple[str, str]]
) -> Iterator[Mapping[str, Any]]:
    for said, _, _ in _lines(path):
        if "people" in said:
            said["people"] = [row for row in said["people"]
                              if row["event"] not in events and (row["event"], row["competitor"]) not in people]
        yield said


def _first_line(lineage: str, epoch: str) -> dict[str, Any]:
    return {"roundtap-copy": FORMAT, "lineage": lineage, "epoch": epoch}


def _line(chain: str, said: Mapping[str, Any]) -> tuple[bytes, str]:
    text = json.dumps(said, ensure_ascii=False, separators=(",", ":")).encode()
    check = _check(chain, text)
    return b"%s %s\n" % (check.encode(), text), check


def _check(chain: str, text: bytes) -> str:
    return hashlib.sha256(chain.encode() + text).hexdigest()[:32]


def _aside(path: Path, word: str) -> Path:
    """A name that nothing has yet."""
    tries = [path.with_name(f"{path.stem}-{word[:16]}{number}.aside") for number in ("", "-2", "-3", "-4")]
    return next((each for each in tries if not each.exists()), tries[-1])


def _own_file(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)


def _write(file: int, data: bytes, at: int) -> None:
    while data:
        written = os.pwrite(file, data, at)
        data, at = data[written:], at + written
