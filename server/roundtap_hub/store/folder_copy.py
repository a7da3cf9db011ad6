"""A copy of the journal in another folder, on a stick: JSON lines, each with a checksum over all before.

No database: it would need four syncs per commit, or its newest commits would be in a second file when it is pulled out.
"""

import contextlib
import errno
import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any, get_args

import msgspec

from roundtap_core.errors import Problem
from roundtap_core.event.entries import VENUE
from roundtap_hub.store.book import PERSON_FORGOTTEN, Seat, rows_to_forget
from roundtap_hub.store.copies import COLUMNS, ENTRIES, PEOPLE, CommitBatch, Rows
from roundtap_hub.store.head_file import checksum_of, checksummed_line, overwrite_with_zeros, write_at
from roundtap_hub.store.journal import REMOVED, Head
from roundtap_hub.store.secure_files import is_bounded
from roundtap_hub.store.venue import EVENT_DELETED
from roundtap_machine.disk import check_place, replace_atomically

COPY_FILE, ASIDE = "roundtap-copy.journal", ".aside"
FORMAT = 1
CHECK_LETTERS = 32
COPY_BYTES_MAX = 1 << 30  # more than a thousand events
LINE_BYTES_MAX = 16 << 20
"""A longer commit has several lines. No row is as long: a form has 4 MB, whose quotes are escaped twice. Nor was a line
before there was this limit: 500 entries, and 512 people with lists of 10 kB, have 6 MB."""
STREAMS_MAX, PEOPLE_MAX = 10_000, 100_000  # of one copy: more than a store's hub has in twenty years
NAME_LETTERS = 200

Id = Annotated[str, msgspec.Meta(max_length=64)]
EntryRow = tuple[Id, int, Id, int, str, str, str, Id, Id]
PersonRow = tuple[Id, Id, str, str]
EntryObject = msgspec.defstruct("EntryObject", list(zip(COLUMNS[ENTRIES], get_args(EntryRow), strict=True)))
PersonObject = msgspec.defstruct("PersonObject", list(zip(COLUMNS[PEOPLE], get_args(PersonRow), strict=True)))
"""Rows of earlier versions, by column name."""


class CopyLine(msgspec.Struct, rename={"format": "roundtap-copy"}):
    """A line: the first one names the copy, others hold rows, those of an outbox a report. What else it says is not
    even made: of one line of empty lists, on a prepared stick, the hub took 1.7 GB."""

    format: int = 0
    lineage: str = ""
    epoch: str = ""
    entries: list[EntryRow | EntryObject] = []  # type: ignore[valid-type]
    people: list[PersonRow | PersonObject] = []  # type: ignore[valid-type]
    report: msgspec.Raw = msgspec.Raw()
    mac: str = ""

    @property
    def rows(self) -> Rows:
        return {
            kind: [row if isinstance(row, tuple) else msgspec.structs.astuple(row) for row in rows]
            for kind, rows in ((ENTRIES, self.entries), (PEOPLE, self.people))
        }


class RowFacts(msgspec.Struct):
    """What of an entry's data or time is read here; the rest is not even made."""

    name: str = ""
    competitor: str = ""
    event: str = ""
    seats: list[Seat] = []
    wall: str | None = None


READ_LINE = msgspec.json.Decoder(CopyLine).decode
READ_FACTS = msgspec.json.Decoder(RowFacts).decode


class FolderCopy:
    """A copy in `folder`, which must exist: it is the stick's. `data`: the hub's own folder; a copy on the same disk
    would fail with it and is refused. `may_be_missing`: a mount point for a stick; until one is plugged in there is no
    copy. `same_disk`: for tests."""

    def __init__(self, folder: Path, data: Path, same_disk: bool = False, may_be_missing: bool = False) -> None:
        self.name = str(folder)
        self.folder = folder
        self.may_be_missing = may_be_missing
        self._data = data
        self._same_disk = same_disk
        # Whether a disk was mounted at the folder itself: without one it then is a bare mount point.
        self._was_mounted = may_be_missing
        self._file = -1
        self._pinned = contextlib.ExitStack()
        self._path = folder
        self._held = CopyContent("", "")
        self._refused: tuple[tuple[int, ...], Problem] | None = None

    def is_there(self) -> bool:
        with contextlib.suppress(OSError, Problem), self.pinned():
            return True
        return False

    @contextlib.contextmanager
    def pinned(self) -> Iterator[Path]:
        place = os.open(self.folder, os.O_RDONLY | os.O_DIRECTORY)
        try:
            if not self._same_disk:
                self._refuse_bare(place)
            yield Path(f"/proc/self/fd/{place}")
        finally:
            os.close(place)

    def verify_place(self) -> None:
        check_place(self.folder / COPY_FILE, os.fstat(self._file))

    def open(self, lineage: str, epoch: str) -> Mapping[str, Head]:
        self.close()
        path = self._path = self._pinned.enter_context(self.pinned()) / COPY_FILE
        content = self._read(path, lineage)
        if content is not None and (content.damaged or content.epoch != epoch):
            # It may hold entries that exist nowhere else: it is renamed, never overwritten.
            os.replace(path, _aside(path, "damaged" if content.damaged else content.epoch))
            content = None
        self._held = content or CopyContent(lineage, epoch)
        if content is None:
            self._start([{"roundtap-copy": FORMAT, "lineage": lineage, "epoch": epoch}])
        else:
            self._file = os.open(path, os.O_RDWR)
            os.ftruncate(self._file, content.length)
            os.fsync(self._file)
            self._purge_forgotten()
        return dict(self._held.heads)

    def write(self, batch: CommitBatch) -> None:
        if not (batch.entries or batch.people):
            return
        held = self._held
        parts = list(_lines_within(held.chain, batch.rows()))
        try:
            write_at(self._file, b"".join(line for _, line in parts), held.length)
            os.fsync(self._file)
        except OSError:
            with contextlib.suppress(OSError):
                os.ftruncate(self._file, held.length)
            raise
        for rows, line in parts:
            held.apply_line(rows, _chain_of(line), held.length + len(line))
        self._purge_forgotten()
        self.verify_place()

    def close(self) -> None:
        if self._file >= 0:
            os.close(self._file)
            self._file = -1
        self._pinned.close()

    def _read(self, path: Path, lineage: str) -> "CopyContent | None":
        """What is to be gone on with. What was refused is read again only once it has changed: a gigabyte takes a
        minute."""
        looked = path.lstat() if os.path.lexists(path) else None
        is_at = looked and (looked.st_dev, looked.st_ino, looked.st_size, looked.st_mtime_ns, looked.st_ctime_ns)
        if self._refused is not None and is_at == self._refused[0]:
            raise self._refused[1].with_traceback(None)
        try:
            content = read_copy(path, lineage)
            if content is not None and content.lineage != lineage:
                raise Problem("copy_of_another", copy=self.name, file=COPY_FILE, found=content)
        except Problem as problem:
            self._refused = (is_at, problem) if is_at is not None else None
            raise
        return content

    def _refuse_bare(self, place: int) -> None:
        """Without a stick, the open folder `place` is one of the hub's own disk or of the root file system."""
        disk, above = os.fstat(place).st_dev, os.stat("..", dir_fd=place).st_dev
        is_own = disk in (os.stat(self._data).st_dev, os.stat("/").st_dev)
        if is_own and not self.may_be_missing:
            raise Problem("copy_same_disk", copy=self.name)
        if is_own or (self._was_mounted and disk == above):
            raise FileNotFoundError(errno.ENOENT, f"nothing at {self.folder}")
        self._was_mounted |= disk != above

    def _purge_forgotten(self) -> None:
        """Rewrite the file without people who must be forgotten, and what was renamed here."""
        held = self._held
        for path in self._path.parent.glob(f"{Path(COPY_FILE).stem}-*{ASIDE}") if held.deleted or held.seats else ():
            rows = [row for line in _readable(path, held.lineage) for row in line.rows[PEOPLE]]
            if gone := rows_to_forget(rows, held.seats, held.heads.keys(), held.deleted):
                _make(path, _lines_without(_readable(path, held.lineage), gone))
        held.deleted, held.seats = set(), set()
        if held.forgotten:
            os.close(self._file)
            self._file = -1
            self._start(_lines_without((line for line, _, _ in _lines(self._path)), held.forgotten))
            held.forgotten = set()

    def _start(self, lines: Iterable[Mapping[str, Any]]) -> None:
        self._held.chain, self._held.length = _make(self._path, lines)
        self._file = os.open(self._path, os.O_RDWR)


def _make(path: Path, lines: Iterable[Mapping[str, Any]]) -> tuple[str, int]:
    """Write a file of these lines; one that is there is replaced, and overwritten as far as a stick allows. Returns the
    last checksum and the bytes."""
    chain, length = "", 0
    with open(path, "r+b") if path.exists() else contextlib.nullcontext() as old:
        with (
            replace_atomically(path, on_fat=True) as temporary,
            open(temporary, "xb", opener=lambda name, flags: os.open(name, flags, 0o600)) as made,
        ):
            for fields in lines:
                line = checksummed_line(fields, chain, CHECK_LETTERS)
                chain, length = _chain_of(line), length + made.write(line)
        if old is not None:
            overwrite_with_zeros(old.fileno())
    return chain, length


@dataclass(slots=True)
class CopyContent:
    """A copy file's content. `names`: of its events; `until`: when its newest entry was made, wall time, "" if unknown.
    `people`: (event, competitor) of those to keep, in the hub's own copy; `forgotten`: of those whose rows must go;
    `deleted`, `seats`: events and persons that must go from what was renamed, too; `length`: bytes up to the last whole
    line; `damaged`: invalid lines follow."""

    lineage: str
    epoch: str
    heads: dict[str, Head] = field(default_factory=dict)
    names: dict[str, str] = field(default_factory=dict)
    until: str = ""
    people: set[tuple[str, str]] = field(default_factory=set)
    forgotten: set[tuple[str, str]] = field(default_factory=set)
    deleted: set[str] = field(default_factory=set)
    seats: set[Seat] = field(default_factory=set)
    chain: str = ""
    length: int = 0
    damaged: bool = False

    def apply_line(self, rows: Rows, chain: str, length: int, is_own: bool = True) -> None:
        """Add a line, after which the checksum is `chain`. Raises ValueError where it is more than any hub has."""
        self.chain, self.length = chain, length
        if is_own:
            self.people.update((event, competitor) for event, competitor, *_ in rows[PEOPLE])
        for stream, number, kind, _, at, _, data, _, hashed in rows[ENTRIES]:
            self.heads[stream] = Head(number, hashed)
            self.until = (READ_FACTS(at).wall or self.until)[:NAME_LETTERS]
            if kind == "event-created":
                self.names[stream] = READ_FACTS(data).name[:NAME_LETTERS]
            elif kind == REMOVED:
                self.forgotten |= self.people & {(stream, READ_FACTS(data).competitor)}
            elif stream == VENUE and kind == EVENT_DELETED:
                event = READ_FACTS(data).event
                self.names.pop(event, None)
                self.deleted.add(event)
                self.forgotten |= {each for each in self.people if each[0] == event}
            elif stream == VENUE and kind == PERSON_FORGOTTEN:
                self.seats |= set(READ_FACTS(data).seats)
                self.forgotten |= self.people & self.seats
        self.people -= self.forgotten
        if len(self.heads) > STREAMS_MAX or len(self.people) > PEOPLE_MAX:
            raise ValueError("more than any hub has")


def read_copy(path: Path, own: str = "") -> CopyContent | None:
    """Verify a copy; None if there is none. `own`: the lineage of which the people are collected, as some may have to
    be forgotten. Raises OSError, and Problem("copy_unreadable") for any other file."""
    content: CopyContent | None = None
    try:
        if not is_bounded(path, COPY_BYTES_MAX):
            raise Problem("copy_unreadable", file=str(path.resolve()))
        for line, chain, length in _lines(path):
            if content is None:
                if line.format != FORMAT:
                    raise Problem("copy_unreadable", file=str(path.resolve()))
                content = CopyContent(line.lineage, line.epoch)
            content.apply_line(line.rows, chain, length, content.lineage == own)
    except FileNotFoundError:
        return None
    except (KeyError, TypeError, ValueError, RecursionError) as error:
        raise Problem("copy_unreadable", file=str(path.resolve())) from error
    if content is None:
        raise Problem("copy_unreadable", file=str(path.resolve()))
    # A power cut leaves one line without its end; anything more is damage.
    with open(path, "rb") as file:
        file.seek(content.length)
        content.damaged = any(b"\n" in part for part in iter(lambda: file.read(LINE_BYTES_MAX), b""))
    return content


def _lines(path: Path) -> Iterator[tuple[CopyLine, str, int]]:
    """Each valid line, the chain after it, and the bytes up to its end."""
    chain, length = "", 0
    with open(path, "rb") as file:
        while raw := file.readline(LINE_BYTES_MAX):
            check, _, text = raw.rstrip(b"\n").partition(b" ")
            if not raw.endswith(b"\n") or check.decode("ascii", "replace") != checksum_of(text, chain, CHECK_LETTERS):
                return
            chain, length = check.decode(), length + len(raw)
            yield READ_LINE(text), chain, length


def _readable(path: Path, lineage: str) -> Iterator[CopyLine]:
    """Every line of this hub's file that can be read, whatever its checksum; none of another hub's."""
    with open(path, "rb") as file:
        while raw := file.readline(LINE_BYTES_MAX):
            with contextlib.suppress(ValueError, RecursionError):
                line = READ_LINE(raw[raw.index(b"{") :])
                if line.lineage not in ("", lineage):
                    return
                yield line


def _lines_without(lines: Iterable[CopyLine], people: set[tuple[str, str]]) -> Iterator[Mapping[str, Any]]:
    for line in lines:
        if line.format:
            yield {"roundtap-copy": line.format, "lineage": line.lineage, "epoch": line.epoch}
        else:
            rows = line.rows
            yield {**rows, PEOPLE: [row for row in rows[PEOPLE] if (row[0], row[1]) not in people]}


def _chain_of(line: bytes) -> str:
    return line[:CHECK_LETTERS].decode()


def _lines_within(chain: str, rows: Rows) -> Iterator[tuple[Rows, bytes]]:
    """The rows in parts of which none makes too long a line, people first: no entry is without them."""
    line = checksummed_line(rows, chain, CHECK_LETTERS)
    each = [(kind, row) for kind in (PEOPLE, ENTRIES) for row in rows[kind]]
    if len(line) <= LINE_BYTES_MAX or len(each) == 1:
        yield rows, line
        return
    for half in (each[: len(each) // 2], each[len(each) // 2 :]):
        for part, line in _lines_within(chain, {kind: [row for of, row in half if of == kind] for kind in rows}):
            chain = _chain_of(line)
            yield part, line


def _aside(path: Path, word: str) -> Path:
    """An unused name."""
    tries = [path.with_name(f"{path.stem}-{word[:16]}{number}{ASIDE}") for number in ("", "-2", "-3", "-4")]
    return next((each for each in tries if not each.exists()), tries[-1])
