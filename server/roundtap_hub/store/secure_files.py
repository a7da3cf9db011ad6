"""The hub's own files, which nobody else may read; and why its folder cannot be read or written, as a problem."""

import errno
import fcntl
import json
import os
import stat
from contextlib import suppress
from pathlib import Path
from typing import Any

from roundtap_core.errors import Problem
from roundtap_machine.disk import FAILING, FULL, READ_ONLY, disk_fault, forget_cached, try_writing, write_atomically

FOLDER_MODE, FILE_MODE = 0o700, 0o600
OTHERS = 0o077
DAMAGED, MOVED = "damaged", "moved"
_KEYS = {FULL: "disk_full", READ_ONLY: "disk_read_only", FAILING: "disk_failing", MOVED: "folder_moved"}
_OF_A_DISK = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EROFS, errno.EIO, errno.EUCLEAN, errno.ENXIO, errno.ENODEV)
_CODES = (
    ("SQLITE_FULL", errno.ENOSPC),
    ("SQLITE_READONLY", errno.EROFS),
    ("SQLITE_IOERR", errno.EIO),
    ("SQLITE_CANTOPEN", errno.ENOENT),
)
BROKEN = ("SQLITE_CORRUPT", "SQLITE_NOTADB")
_UNREADABLE = (*BROKEN, "SQLITE_CONSTRAINT", "SQLITE_ERROR")  # of a file with our tables, so that somebody altered it
FILES = ("roundtap.db", "roundtap.db-wal", "roundtap.head")


def write_private(path: Path, content: str | bytes) -> None:
    """Write a file that only its owner may read, atomically and synced. If root writes it, it gets the folder's owner:
    help with sudo must not lock the hub out."""
    raw, folder = content.encode() if isinstance(content, str) else content, path.parent.stat()
    write_atomically(path, raw, FILE_MODE, (folder.st_uid, folder.st_gid) if os.geteuid() == 0 else (-1, -1))


def read_json(path: Path) -> Any:
    """The file's JSON; None if it is missing or unreadable."""
    with suppress(OSError, ValueError):
        return json.loads(path.read_text(encoding="utf-8"))
    return None


def is_bounded(path: Path, bytes_max: int) -> bool:
    """Whether this is an ordinary file, no link, of at most so many bytes. Anybody may have written a stick, and who
    opens a FIFO waits for ever. Raises OSError."""
    status = os.lstat(path)
    return stat.S_ISREG(status.st_mode) and status.st_size <= bytes_max


def lock_file(path: Path) -> int:
    """Open (or create) and lock the file until it is closed. BlockingIOError if another process holds the lock."""
    file = os.open(path, os.O_RDWR | os.O_CREAT, FILE_MODE)
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(file)
        raise
    return file


def make_private_folder(folder: Path) -> list[Path]:
    """Create the folder, or restrict an existing one: 0700, the files directly in it 0600. Returns what is open to
    others and could not be restricted: it belongs to another user."""
    folder.mkdir(parents=True, exist_ok=True, mode=FOLDER_MODE)
    files = (path for path in sorted(folder.iterdir()) if path.is_file() and not path.is_symlink())
    return [path for path in (folder, *files) if not _restrict_mode(path)]


def _restrict_mode(path: Path) -> bool:
    try:
        mode = stat.S_IMODE(path.stat().st_mode)
        if mode & OTHERS:
            path.chmod(mode & ~OTHERS)
    except FileNotFoundError:
        # Another process's temporary file, such as a write-ahead log that was just merged.
        return True
    except OSError:
        return False
    return True


def sqlite_code(error: BaseException) -> str:
    """The name of SQLite's result code, "SQLITE_IOERR_FSYNC"; "" where the error is not SQLite's."""
    return getattr(getattr(error, "orig", None) or error, "sqlite_errorname", None) or ""


def errno_of(code: str) -> int | None:
    """The errno that stands for a result code; None: no storage is at fault."""
    return next((number for name, number in _CODES if code.startswith(name)), None)


def storage_problem(fault: str, folder: Path, reason: object = "") -> Problem:
    return Problem(_KEYS[fault], folder=str(folder), reason=str(reason))


def fault_kind(problem: Problem) -> str:
    """FULL, READ_ONLY, FAILING or MOVED for a problem of the disk; DAMAGED for one of what is on it."""
    return next((fault for fault, key in _KEYS.items() if key == problem.key), DAMAGED)


def is_of_disk(problem: Problem) -> bool:
    return fault_kind(problem) != DAMAGED


def disk_problem(error: OSError, folder: Path) -> Problem | None:
    """The problem of the disk under `folder` behind this error; None where the disk is not its cause."""
    if error.errno not in _OF_A_DISK:
        return None
    return storage_problem(disk_fault(error.errno), folder, error.strerror or error)


def unreadable_problem(error: Exception, database: Path) -> Problem:
    """Why a database cannot be opened or read. SQLite names only some causes: on a full disk it reports an I/O error
    about its shared memory, on a read-only one that it cannot open the file. So the disk is asked."""
    code, reason = sqlite_code(error), str(getattr(error, "orig", None) or error)
    # Text that is none, and a word for a number, are noticed by Python alone.
    if code.startswith(_UNREADABLE) or isinstance(error, ValueError | TypeError) or "Could not decode" in reason:
        return Problem("journal_damaged", file=str(database), reason=reason, folder=str(database.parent))
    if errno_of(code) is not None:
        with suppress(FileNotFoundError):
            if fault := probe_folder(database.parent):
                return storage_problem(disk_fault(fault.errno), database.parent, fault.strerror)
    if code.startswith("SQLITE_IOERR"):
        return storage_problem(FAILING, database.parent, reason)
    return Problem("journal_unreadable", reason=reason, folder=str(database.parent))


def probe_folder(folder: Path) -> OSError | None:
    """What the disk refuses there: a write with its sync, or the hub's files read to their end."""
    try:
        try_writing(folder)
        for name in FILES:
            with suppress(FileNotFoundError), open(folder / name, "rb", buffering=0) as file:
                while file.read(1 << 20):
                    pass
    except OSError as error:
        return error if error.errno in _OF_A_DISK else None
    return None


def drop_cached_files(folder: Path) -> None:
    """Sync the hub's files and drop them from the kernel's cache, so that what is read next is on the disk: after a
    failed sync the cache may hold what is not. Raises as `disk_problem`."""
    try:
        for name in FILES:
            with suppress(FileNotFoundError), open(folder / name, "rb", buffering=0) as file:
                os.fsync(file.fileno())
                forget_cached(file.fileno())
    except OSError as error:
        raise disk_problem(error, folder) or error from error
