"""Files that outlast a power cut, each entirely the old or the new one; and what a disk's refusal means."""

import errno
import os
import signal
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
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


def write_atomically(
    path: Path, content: bytes, mode: int | None = None, owner: tuple[int, int] = (-1, -1), on_fat: bool = False
) -> None:
    """Replace a file, durably once this returns. OSError: the old file is unchanged. `mode`: set before the first byte
    is written; None: by the umask. `owner`: user and group, -1: the default. `on_fat`: as for `replace_atomically`."""
    with replace_atomically(path, on_fat) as temporary:
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW
        with os.fdopen(os.open(temporary, flags, 0o666 if mode is None else 0o600), "wb") as file:
            if owner != (-1, -1):
                os.fchown(file.fileno(), *owner)
            if mode is not None:
                os.fchmod(file.fileno(), mode)
            file.write(content)


@contextmanager
def replace_atomically(path: Path, on_fat: bool = False) -> Iterator[Path]:
    """Yields the path of a temporary file for the block to create; it is then synced and replaces `path`. On any
    failure it is removed, and the old file is unchanged. `on_fat`: the folder may be on a stick or a boot partition,
    where size and first cluster reach the directory entry under the new name only when the file is synced once more."""
    # With a dot: programs that read all files of a folder skip one left by a power cut.
    temporary = path.with_name(f".{path.name}.new")
    temporary.unlink(missing_ok=True)
    try:
        yield temporary
        sync_to_disk(temporary)
        os.replace(temporary, path)
    except BaseException:
        with suppress(OSError):
            temporary.unlink()
        raise
    if on_fat:
        sync_to_disk(path)
    sync_to_disk(path.parent)


def sync_to_disk(path: Path) -> None:
    """Sync a file's content, or a folder, without which a new file's name is not durable."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def crash_point(name: str | None) -> Callable[[str], None]:
    """A power cut for tests: the process is killed, unflushed, when it reaches the point `name`."""

    def at_point(point: str) -> None:
        if point == name:
            os.kill(os.getpid(), signal.SIGKILL)

    return at_point
