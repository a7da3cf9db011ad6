"""Atomic writes: after a power cut a file is entirely the old or entirely the new one."""

import os
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path


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
