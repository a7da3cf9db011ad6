"""What a disk's refusal means: it is full, can only be read, or fails; and a look whether it takes writes at all."""

import errno
import os
import tempfile
from contextlib import suppress
from pathlib import Path

FULL, READ_ONLY, FAILING = "full", "read-only", "failing"
_KINDS = {errno.ENOSPC: FULL, errno.EDQUOT: FULL, errno.EFBIG: FULL, errno.EROFS: READ_ONLY}
ROOM_BYTES = 64 * 1024
"""What a database needs to be opened at all, for its shared memory and the first frames of its log."""


def disk_fault(number: int | None) -> str:
    """What a refusal with this errno means: FULL, READ_ONLY, and FAILING for every other one."""
    return _KINDS.get(number or 0, FAILING)


def check_room(folder: Path, room_bytes: int = 1) -> None:
    """Look, without writing, whether the file system there has room for this process. Raises OSError: ENOSPC, EROFS, or
    what the look itself met."""
    volume = os.statvfs(folder)
    full = volume.f_bavail * volume.f_frsize < room_bytes or (volume.f_files and not volume.f_favail)
    if volume.f_flag & os.ST_RDONLY or full:
        number = errno.EROFS if volume.f_flag & os.ST_RDONLY else errno.ENOSPC
        raise OSError(number, os.strerror(number), str(folder))


def check_place(path: Path, opened: os.stat_result) -> None:
    """Raise OSError(ESTALE) unless `path` still leads to the file that is open: one that was moved, deleted or
    unmounted takes every write."""
    with suppress(FileNotFoundError, NotADirectoryError):
        if os.path.samestat(opened, os.stat(path)):
            return
    raise OSError(errno.ESTALE, f"nothing at {path.parent}")


def try_writing(folder: Path, room_bytes: int = ROOM_BYTES) -> None:
    """Write and sync a nameless file: a quota or a failing disk refuses only that. Raises OSError."""
    check_room(folder, room_bytes)
    with tempfile.TemporaryFile(dir=folder, buffering=0) as file:
        file.write(bytes(room_bytes))
        os.fsync(file.fileno())


def forget_cached(descriptor: int) -> None:
    """Hint that what is read of this file next should come from the disk; not every system knows the hint."""
    with suppress(AttributeError, OSError):
        os.posix_fadvise(descriptor, 0, 0, os.POSIX_FADV_DONTNEED)
