"""Atomic writes: after a power cut a file is the old one or the new one, whole."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path


def write_atomically(path: Path, content: bytes, mode: int | None = None, owner: tuple[int, int] = (-1, -1),
                     on_fat: bool = False) -> None:
    """Replace a file; what is written is on the disk when this returns. OSError: the old file stands.

    `mode`: exactly this one, from the first byte on; None: as the umask says. `owner`: user and group; -1: as it comes.
    `on_fat`: as for `replacing`.
    """
    with replacing(path, on_fat) as temporary:
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW
        with os.fdopen(os.open(temporary, flags, 0o666 if mode is None else 0o600), "wb") as file:
            if owner != (-1, -1):
                os.fchown(file.fileno(), *owner)
            if mode is not None:
                os.fchmod(file.fileno(), mode)
            file.write(content)


@contextmanager
def replacing(path: Path, on_fat: bool = False) -> Iterator[Path]:
    """Yields the path of a temporary file, which is not there yet; written by the block, it is synced and takes the
    place of `path`. If anything fails it is removed, and the old file stands.

    `on_fat`: the folder may be a stick's or a boot partition's, where size and first cluster reach the entry under the
    new name only when the file is synced once more.
    """
    # A dot: whatever reads all files of a folder of settings passes over one that a power cut left there.
    temporary = path.with_name(f".{path.name}.new")
    temporary.unlink(missing_ok=True)
    try:
        yield temporary
        sync(temporary)
        os.replace(temporary, path)
    except BaseException:
        with suppress(OSError):
            temporary.unlink()
        raise
    if on_fat:
        sync(path)
    sync(path.parent)


def sync(path: Path) -> None:
    """A file's content; or a folder, without which a new file's name is not safe."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
