"""Files that only the hub's user may read, in folders that only it may open."""

import fcntl
import json
import os
import stat
from contextlib import suppress
from pathlib import Path
from typing import Any

from roundtap_machine.atomic_write import write_atomically

FOLDER_MODE, FILE_MODE = 0o700, 0o600
OTHERS = 0o077


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
