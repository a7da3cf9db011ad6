"""Files that only the hub's user may read, in folders that only it may open."""

from __future__ import annotations

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


def write_private(path: Path, text: str) -> None:
    """Write a file that only its owner may read, whole or not at all, and on the disk when this returns.

    Written by root it belongs to whom the folder belongs to: who helps with sudo locks no hub out.
    """
    write_private_bytes(path, text.encode())


def read_json(path: Path) -> Any:
    """What such a file says; None where there is none, or it says nothing that could be read."""
    with suppress(OSError, ValueError):
        return json.loads(path.read_text(encoding="utf-8"))
    return None


def write_private_bytes(path: Path, content: bytes) -> None:
    """The same for what may be no text."""
    folder = path.parent.stat()
    write_atomically(path, content, FILE_MODE, (folder.st_uid, folder.st_gid) if os.geteuid() == 0 else (-1, -1))


def lock_file(path: Path) -> int:
    """The file, made where it is not there, for this process alone until it is closed. BlockingIOError where another
    one has it."""
    file = os.open(path, os.O_RDWR | os.O_CREAT, FILE_MODE)
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(file)
        raise
    return file


def make_private_folder(folder: Path) -> list[Path]:
    """Make the folder, or narrow what is there: 0700, the files directly in it 0600.

    Returns what is open to others and could not be narrowed: it belongs to somebody else.
    """
    folder.mkdir(parents=True, exist_ok=True, mode=FOLDER_MODE)
    files = (path for path in sorted(folder.iterdir()) if path.is_file() and not path.is_symlink())
    return [path for path in (folder, *files) if not _restrict_mode(path)]


def _restrict_mode(path: Path) -> bool:
    try:
        mode = stat.S_IMODE(path.stat().st_mode)
        if mode & OTHERS:
            path.chmod(mode & ~OTHERS)
    except FileNotFoundError:
        # Another process's passing file: a journal's log that was just written back.
        return True
    except OSError:
        return False
    return True
