"""Backups: a hub's whole folder in one verified file, made while it runs, and before the journal's schema is migrated.

A backup is a database of its own kind: no one can mistake a copied roundtap.db for one, or the reverse.
"""

import hashlib
import json
import logging
import os
import shutil
import sqlite3
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, nullcontext, suppress
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

from sqlalchemy import create_engine
from sqlalchemy.exc import SQLAlchemyError

from roundtap_core.errors import Problem
from roundtap_core.event.entries import VENUE, Entry
from roundtap_hub.store import head_file, models
from roundtap_hub.store.book import PERSON_FORGOTTEN, Seat, rows_to_forget
from roundtap_hub.store.copies import RemovableCopy
from roundtap_hub.store.journal import DATABASE, Head, forgotten_row
from roundtap_hub.store.secure_files import BROKEN, disk_problem, errno_of, sqlite_code, unreadable_problem
from roundtap_hub.store.service import Service
from roundtap_hub.store.venue import ERASING_KINDS
from roundtap_machine.disk import replace_atomically, sync_to_disk

log = logging.getLogger(__name__)

FOLDER, COPIES_FOLDER, SUFFIX = "backups", "roundtap-backups", ".backup"
"""Folders of backups: in the hub's folder, and on a stick."""
SET_ASIDE = "set-aside"  # in the backups' folder: hubs' whole folders, each named by the epoch that took its place
STARTED_OVER = "before-"  # how folders begin into which a standby that starts over puts what it had
PRACTICE = "practice"  # the folder of the practice hub, which nobody keeps
GENERATIONS = 3
MARK = 0x52544231  # SQLite's application_id of a backup: "RTB1"
FORMAT = "1"
STEP_PAGES, STEP_PAUSE_S = 256, 0.02
"""A megabyte at a time, synced before the next: the writer's own sync never waits for a whole backup."""
FILE_BYTES_MAX, FILES_MAX = 1 << 20, 200
VALUE_BYTES_MAX = 64 << 20
# Sessions: one ended since would be alive again.
EXCLUDED_FILES = (DATABASE, f"{DATABASE}-wal", f"{DATABASE}-shm", head_file.HEAD_FILE, "sessions.json")
ABOUT, FILE = "backup_about", "backup_file"

BEFORE_UPGRADE = "before-upgrade"
"""In the backups' folder, with one folder per schema version ("0001"): neither the regular backups replace what is
there, nor those of a later version, which an older program could not read."""
LOOK_S = 5.0
BACKUP_EVERY_S = 60.0
REST = 20  # the pause between two backups is at least this many times as long as the last one took
IMMEDIATE_KINDS = ("round-published", "round-closed", "event-finished")  # a backup follows these at once


@dataclass(frozen=True, slots=True)
class Backup:
    """A verified backup, as its file describes it. `made_at`: wall time, "" if unknown; `files`: names of the folder's
    other files, as stored."""

    path: Path
    lineage: str
    epoch: str
    commits: int
    made_at: str
    heads: Mapping[str, Head]
    files: tuple[str, ...]


def make_backup(folder: Path, to: Path, named: head_file.HeadRecord, made_at: str) -> Path:
    """Make and verify a backup of the hub's folder in the folder `to`; the newest three are kept. The hub may run.
    Raises OSError, sqlite3.Error, and Problem("backup_damaged")."""
    to.mkdir(exist_ok=True, mode=0o700)
    path = to / f"roundtap-{named.lineage}-{named.epoch}-{named.commits:08}{SUFFIX}"
    with replace_atomically(path, on_fat=True) as temporary:
        os.close(os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
        with closing(head_file.open_read_only(folder / DATABASE)) as source, closing(_open_made(temporary)) as target:
            _copy_pages(source, target, temporary)
        with open(temporary, "r+b") as file:
            # Not one with a write-ahead log, which would be a second file beside it.
            os.pwrite(file.fileno(), b"\1\1", 18)
        with closing(_open_made(temporary)) as target:
            _describe(target, folder, named, made_at)
        read_backup(temporary)
    _prune(to, named, path)
    return path


def copy_backup(backup: Path, to: Path, named: head_file.HeadRecord) -> Path:
    """Copy a backup to another disk. Raises OSError."""
    to.mkdir(exist_ok=True, mode=0o700)
    path = to / backup.name
    with replace_atomically(path, on_fat=True) as temporary:
        shutil.copyfile(backup, temporary)
    _prune(to, named, path)
    return path


def read_backup(path: Path) -> Backup:
    """Verify a backup: pages, files, and that its journal holds the entries that it names. Raises
    Problem("backup_none") for any other file (also a copied roundtap.db), and Problem("backup_damaged")."""
    if not path.is_file():
        raise Problem("backup_none", file=str(path))
    try:
        with closing(head_file.open_read_only(path)) as connection:
            # No row may exhaust the memory.
            connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, VALUE_BYTES_MAX)
            if connection.execute("PRAGMA application_id").fetchone()[0] != MARK:
                raise Problem("backup_none", file=str(path))
            if connection.execute(COMPUTED).fetchone():
                # Anyone may have written the stick: a view that computes its rows might never end.
                raise Problem("backup_damaged", file=str(path), reason="sqlite_master")
            check = connection.execute("PRAGMA quick_check").fetchone()[0]
            if check != "ok":
                raise Problem("backup_damaged", file=str(path), reason=check)
            about = dict(connection.execute(f"SELECT key, value FROM {ABOUT}"))
            files = []
            for name, data, digest in connection.execute(f"SELECT name, data, digest FROM {FILE} ORDER BY name"):
                if hashlib.sha256(data).hexdigest() != digest or Path(name).is_absolute() or ".." in Path(name).parts:
                    raise Problem("backup_damaged", file=str(path), reason=name)
                files.append(name)
            heads = _heads(connection)
            if {stream: list(head) for stream, head in heads.items()} != json.loads(about["heads"]):
                raise Problem("backup_damaged", file=str(path), reason="heads")
            return Backup(
                path, about["lineage"], about["epoch"], int(about["commits"]), about["made_at"], heads, tuple(files)
            )
    except sqlite3.DatabaseError as error:
        if "not a database" in str(error):
            raise Problem("backup_none", file=str(path)) from error
        raise Problem("backup_damaged", file=str(path), reason=str(error)) from error
    except (KeyError, ValueError, TypeError) as error:
        raise Problem("backup_damaged", file=str(path), reason=str(error)) from error


def backups_in(folder: Path) -> list[Path]:
    """All backups in a folder, the newest first by modification time."""
    with suppress(OSError):
        return sorted(folder.glob(f"*{SUFFIX}"), key=lambda path: (path.stat().st_mtime_ns, path.name), reverse=True)
    return []


def newest_backup_in(place: Path) -> Path:
    """The newest backup in a folder of backups, a hub's folder or a stick; otherwise the path itself."""
    return next(
        (backups[0] for folder in (place, place / FOLDER, place / COPIES_FOLDER) if (backups := backups_in(folder))),
        place,
    )


FIRST_ENTRIES = "SELECT stream, hash FROM entry WHERE number = 1"
ERASING = f"SELECT kind, data FROM entry WHERE stream = '{VENUE}' AND kind IN (?, ?)"
COMPUTED = "SELECT 1 FROM sqlite_master WHERE type NOT IN ('table', 'index')"
_OF_JOB = "substr(job, 1, length(?1) + 1) = ?1 || '/'"
HOLD_NAMES = {"person": "event = ?", "print_order": "event = ?", "print_text": _OF_JOB, "print_state": _OF_JOB}
"""Table → which rows are of an event: what goes with it in a journal that runs, too."""


def purge_older_backups(folder: Path, newest: Path, everything: bool = True, asides: bool = True) -> None:
    """After an event was deleted or a person forgotten, remove backups that hold them, in subfolders too, and forget
    them in this hub's journals that were set aside (`asides`): such a one is kept with all others, unless it is damaged
    or lacks people. Without `everything` a backup goes only if it can be read and knows less of that than the `newest`:
    a stick was away, or the hub was killed. Raises OSError and sqlite3.Error: then try again."""
    lineage = newest.name.split("-")[1]
    with closing(head_file.open_read_only(folder / newest.name)) as connection:
        erasing = connection.execute(ERASING, ERASING_KINDS).fetchall()
        begun = dict(connection.execute(FIRST_ENTRIES).fetchall())
    erased = _erased(erasing)
    gone = [
        path
        for path in folder.rglob(f"*-{lineage}-*{SUFFIX}*")
        if path != folder / newest.name
        # A log beside it goes with it.
        and (everything or _lacks(path.with_name(path.name.partition(SUFFIX)[0] + SUFFIX), erased))
    ]
    # What a standby started over from has another line; what is damaged there may be another hub's.
    for database in folder.parent.glob(f"{STARTED_OVER}*/{DATABASE}") if asides else ():
        with suppress(sqlite3.DatabaseError):
            forget_aside(database, erasing, begun)
    for head in folder.glob(f"{SET_ASIDE}/*/{head_file.HEAD_FILE}") if asides else ():
        if lineage.encode() in head.read_bytes():
            try:
                forget_aside(head.with_name(DATABASE), erasing, begun)
            except sqlite3.DatabaseError as error:
                # One that is only locked, or on a full disk, is tried again with its other events.
                if not (
                    sqlite_code(error).startswith(BROKEN)
                    or "no such table: person" in str(error)
                    or not head.with_name(DATABASE).exists()
                ):
                    raise
                gone += head.parent.glob("*.db*") if everything else ()
    for path in gone:
        with open(path, "r+b") as file:
            head_file.overwrite_with_zeros(file.fileno())
        path.unlink()
    sync_to_disk(folder)


def forget_aside(database: Path, entries: Iterable[tuple[str, str]], begun: Mapping[str, str]) -> None:
    """Forget in another journal of this hub whom these entries (kind, JSON) erase; `begun`: FIRST_ENTRIES here. Another
    hub's, which may have events of the same names, stays as it is. Raises sqlite3.Error."""
    erased = _erased(entries)
    deleted = {event for event, who in erased if not who}
    with closing(_open_made(database, "secure_delete = ON")) as connection:
        if begun.items().isdisjoint(connection.execute(FIRST_ENTRIES).fetchall()):
            return
        there = {name for (name,) in connection.execute("SELECT name FROM sqlite_master")}
        rows = connection.execute("SELECT event, competitor, salt, data FROM person").fetchall()
        seats = rows_to_forget(rows, {seat for seat in erased if seat[1]}, begun.keys())
        for table, of_event in HOLD_NAMES.items():
            # An older hub's journal lacks some, but never people.
            if table in there or table == "person":
                of = deleted if table == "person" else deleted | {event for event, _ in seats}
                connection.executemany(f"DELETE FROM {table} WHERE {of_event}", [(event,) for event in of])
        connection.executemany(
            "UPDATE person SET salt = :salt, data = :data WHERE event = :event AND competitor = :competitor",
            [dict(forgotten_row(seat)) for seat in seats],
        )
        connection.commit()
        if connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0]:
            raise sqlite3.OperationalError("database is locked: who reads it keeps what was deleted")


def _erased(entries: Iterable[tuple[str, str]]) -> set[Seat]:
    """Whom these entries (kind, JSON) erase: seats, and (event, "") for all of an event."""
    told = [(kind, json.loads(data)) for kind, data in entries]
    return {
        (event, who)
        for kind, data in told
        for event, who in (data["seats"] if kind == PERSON_FORGOTTEN else [(data["event"], "")])
    }


def _lacks(backup: Path, erased: set[Seat]) -> bool:
    """Whether a backup can be read, and does not know of all who are erased."""
    with suppress(sqlite3.Error, ValueError, TypeError, KeyError), closing(head_file.open_read_only(backup)) as there:
        there.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, VALUE_BYTES_MAX)
        return not (there.execute(COMPUTED).fetchone() or erased <= _erased(there.execute(ERASING, ERASING_KINDS)))
    return False


def _open_made(path: Path, pragma: str = "journal_mode = MEMORY") -> sqlite3.Connection:
    """A connection that makes no file: SQLite resolves a pinned path, and a mount point may be bare by now."""
    connection = sqlite3.connect(f"file:{quote(str(path))}?mode=rw", uri=True)
    connection.execute(f"PRAGMA {pragma}")
    return connection


def _copy_pages(source: sqlite3.Connection, target: sqlite3.Connection, path: Path) -> None:
    """Copy one consistent snapshot: a read transaction is held, so that no commit restarts the copy."""
    target.execute("PRAGMA synchronous = OFF")
    source.isolation_level = None
    source.execute("BEGIN")
    source.execute("SELECT count(*) FROM sqlite_master").fetchone()
    source.backup(target, pages=STEP_PAGES, progress=lambda *_: sync_to_disk(path), sleep=STEP_PAUSE_S)
    source.execute("COMMIT")


def _describe(target: sqlite3.Connection, folder: Path, named: head_file.HeadRecord, made_at: str) -> None:
    target.execute(f"PRAGMA application_id = {MARK}")
    target.execute(f"CREATE TABLE {ABOUT} (key TEXT PRIMARY KEY, value TEXT NOT NULL)")
    target.execute(
        f"CREATE TABLE {FILE} (name TEXT PRIMARY KEY, mode INTEGER NOT NULL, data BLOB NOT NULL, digest TEXT NOT NULL)"
    )
    # A database of an older hub may lack the table or the row.
    target.execute(f"CREATE TABLE IF NOT EXISTS {head_file.LINEAGE_TABLE} (id VARCHAR NOT NULL PRIMARY KEY)")
    target.execute(
        f"INSERT INTO {head_file.LINEAGE_TABLE} SELECT ? WHERE NOT EXISTS (SELECT 1 FROM {head_file.LINEAGE_TABLE})",
        (named.lineage,),
    )
    heads = json.dumps({stream: list(head) for stream, head in _heads(target).items()})
    about = {
        "format": FORMAT,
        "lineage": named.lineage,
        "epoch": named.epoch,
        "commits": str(named.commits),
        "made_at": made_at,
        "heads": heads,
    }
    target.executemany(f"INSERT INTO {ABOUT} VALUES (?, ?)", about.items())
    for path in other_files(folder):
        with suppress(FileNotFoundError):
            data = path.read_bytes()
            target.execute(
                f"INSERT INTO {FILE} VALUES (?, ?, ?, ?)",
                (str(path.relative_to(folder)), path.stat().st_mode & 0o700, data, hashlib.sha256(data).hexdigest()),
            )
    target.commit()


def other_files(folder: Path) -> Iterator[Path]:
    """Everything the folder needs besides the journal: keys, PIN, secret, certificates and other files."""
    count = 0
    for path in sorted(folder.rglob("*")):
        name = path.relative_to(folder)
        if (
            name.parts[0] in (FOLDER, PRACTICE)
            or path.name in EXCLUDED_FILES
            or path.name.endswith((".lock", "new", ".tmp"))
        ):
            continue
        if path.is_file() and not path.is_symlink() and path.stat().st_size <= FILE_BYTES_MAX and count < FILES_MAX:
            count += 1
            yield path


def _heads(connection: sqlite3.Connection) -> dict[str, Head]:
    return {
        stream: Head(number, hashed)
        for stream, number, hashed in connection.execute(
            "SELECT stream, number, hash FROM entry e WHERE number = "
            "(SELECT max(number) FROM entry WHERE stream = e.stream) ORDER BY stream"
        )
    }


def _prune(folder: Path, named: head_file.HeadRecord, newest: Path) -> None:
    """Keep three of this epoch and three of earlier ones: what an epoch dropped may still be wanted."""
    own = list(folder.glob(f"roundtap-{named.lineage}-*{SUFFIX}"))
    ours = sorted(
        (path for path in own if path.name.startswith(f"roundtap-{named.lineage}-{named.epoch}-")),
        key=lambda path: path.name,
        reverse=True,
    )
    others = sorted((path for path in own if path not in ours), key=lambda path: path.stat().st_mtime_ns, reverse=True)
    for path in ours[GENERATIONS:] + others[GENERATIONS:]:
        if path != newest:
            path.unlink(missing_ok=True)
    # A file left half-made by a power cut is as large as a backup.
    for path in (*folder.glob(f".roundtap-{named.lineage}-*"), *folder.glob(f"roundtap-{named.lineage}*-new")):
        path.unlink(missing_ok=True)


def back_up(folder: Path, made_at: str, named: head_file.HeadRecord | None = None) -> Path:
    """Back up the folder where regular backups do not replace it; the hub may run. Raises Problem("backup_failed"),
    Problem("journal_unreadable"), and Problem("no_journal") if there is none."""
    if not (folder / DATABASE).is_file():
        raise Problem("no_journal", where=str(folder / DATABASE))
    named = (
        named or head_file.read_head_file(folder / head_file.HEAD_FILE) or head_file.HeadRecord(head_file.new_lineage())
    )
    to = folder / FOLDER / BEFORE_UPGRADE / schema_of(folder / DATABASE).form
    try:
        to.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        return make_backup(folder, to, named, made_at)
    except (OSError, sqlite3.Error) as error:
        full = disk_problem(
            error if isinstance(error, OSError) else OSError(errno_of(sqlite_code(error)), str(error)), folder
        )
        raise full or Problem("backup_failed", folder=str(to), reason=str(error)) from error


def back_up_before_upgrade(
    folder: Path,
    named: head_file.HeadRecord | None,
    made_at: str,
    migrations: models.Migrations = models.CURRENT,
) -> Path | None:
    """Back up before the journal's schema is migrated; None if it is current or there is no journal yet. Raises as
    `back_up`, and Problem("journal_newer")."""
    database = folder / DATABASE
    if not database.is_file() or not database.stat().st_size:
        return None
    return back_up(folder, made_at, named) if models.needs_migration(schema_of(database), migrations) else None


def schema_of(database: Path) -> models.DatabaseSchema:
    """What a database or a backup says of its schema. Raises Problem("journal_unreadable")."""
    engine = create_engine("sqlite://", creator=lambda: head_file.open_read_only(database))
    try:
        with engine.connect() as connection:
            return models.read_schema(connection)
    except (SQLAlchemyError, UnicodeError) as error:
        raise unreadable_problem(error, database) from error
    finally:
        engine.dispose()


class Maintenance:
    """A thread that checks the disk every few seconds and backs up every minute and after every round. `copies`:
    returns the copies on other disks beside which the backups go, too; `wall`: returns the time of a backup."""

    def __init__(
        self,
        service: Service,
        folder: Path,
        head: head_file.HeadFile,
        copies: Callable[[], Sequence[RemovableCopy]],
        wall: Callable[[], str | None],
    ) -> None:
        self._service = service
        self._folder = folder
        self._head = head
        self._copies = copies
        self._wall = wall
        self._ended = False
        self._wake = threading.Event()
        self._urgent = True
        self._forget = False
        self._places = dict[Path, RemovableCopy]()  # that were there at the last backup
        self._saved_commits = -1
        self._made_s = -BACKUP_EVERY_S
        self._took_s = 0.0
        self._thread = threading.Thread(target=self._run, name="upkeep", daemon=True)
        service.listen(self._committed)

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        """Stop after a last backup, if there is anything new."""
        self._ended = True
        self._wake.set()
        if self._thread.is_alive():
            self._thread.join(timeout=15)

    def back_up(self) -> None:
        """Make a backup now in every place and report the outcome to the service."""
        named, from_s = self._head.record, time.monotonic()
        if named is None:
            return
        forget, self._forget, self._urgent = self._forget, False, False
        self._places = {copy.folder: copy for copy in self._copies()}
        made: Path | None = None
        problem: Problem | None = None
        for copy in (None, *self._places.values()):
            to = self._folder / FOLDER if copy is None else copy.folder / COPIES_FOLDER
            try:
                with nullcontext(to.parent) if copy is None else copy.pinned() as place:
                    written = (
                        make_backup(self._folder, place / to.name, named, self._wall() or "")
                        if made is None
                        else copy_backup(made, place / to.name, named)
                    )
                    # At the start, what was forgotten last may still lie anywhere.
                    purge_older_backups(place / to.name, written, forget, asides=forget or self._saved_commits < 0)
                made = written if copy is None else made
            except (OSError, sqlite3.Error) as error:
                problem = problem or Problem("backup_failed", folder=str(to), reason=str(error))
            except Problem as damaged:
                problem = problem or damaged.replace("", file=str(to))
        if problem is None:
            self._saved_commits = named.commits
        elif forget:
            self._forget = True
        self._made_s = time.monotonic()
        self._took_s = self._made_s - from_s
        self._service.storage.backup_made(problem)

    def _committed(self, _: object, entries: Sequence[Entry]) -> None:
        if any(entry.kind in ERASING_KINDS for entry in entries):
            self._forget = self._urgent = True
        if any(entry.kind in IMMEDIATE_KINDS for entry in entries):
            self._urgent = True
        if self._urgent:
            self._wake.set()

    def _due(self) -> bool:
        named = self._head.record
        if named is None or named.commits == self._saved_commits:
            return self._forget or any(copy.folder not in self._places for copy in self._copies())
        rested_s = time.monotonic() - self._made_s
        return self._urgent or self._ended or rested_s >= max(BACKUP_EVERY_S, REST * self._took_s)

    def _run(self) -> None:
        while True:
            self._wake.wait(LOOK_S)
            self._wake.clear()
            ended = self._ended
            try:
                if not ended:
                    self._service.check_disk(self._folder)
                if self._due():
                    self.back_up()
            except Exception:
                log.exception("the folder's upkeep failed")
            if ended:
                return
