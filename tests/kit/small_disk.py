"""Disks of a test's own, in a mount namespace that ends with it: one that fills up, and one that breaks."""

import ctypes
import fcntl
import os
import struct
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

CLONE_NEWNS = 0x00020000
EXT4_SHUTDOWN, NO_LOG_FLUSH = 0x8004587D, 2
IMAGE_BYTES = 16 << 20
libc = ctypes.CDLL(None, use_errno=True)


@contextmanager
def own_mounts() -> Iterator[None]:
    """What is mounted within is seen by this thread and the processes that it starts, and gone with the last of them.
    Skips the test where it may not."""
    if os.geteuid() != 0:
        pytest.skip("only root may mount a disk")
    here, before = Path.cwd(), os.open("/proc/thread-self/ns/mnt", os.O_RDONLY)
    try:
        if libc.unshare(CLONE_NEWNS):
            pytest.skip(f"no mount namespace here: {os.strerror(ctypes.get_errno())}")
        mount("--make-rprivate", "/")
        yield
    finally:
        libc.setns(before, CLONE_NEWNS)
        os.close(before)
        os.chdir(here)


def mount(*words: str) -> None:
    done = subprocess.run(["mount", *words], capture_output=True, text=True, check=False)
    if done.returncode:
        pytest.skip(f"no such mount here: {done.stderr.strip()}")


class SmallDisk:
    """Some megabytes in memory, mounted at `path`."""

    def __init__(self, path: Path, megabytes: int = 4) -> None:
        self.path, self._ballast = path, path / "photos"
        path.mkdir(parents=True, exist_ok=True)
        mount("-t", "tmpfs", "-o", f"size={megabytes}m", "none", str(path))

    def fill(self) -> None:
        """Not one block stays free, as with somebody's photos."""
        with open(self._ballast, "wb", buffering=0) as file:
            try:
                while True:
                    file.write(bytes(4096))
            except OSError:
                return

    def make_room(self) -> None:
        self._ballast.unlink()

    def lock(self) -> None:
        """Read-only; the kernel refuses that while somebody has a file open for writing."""
        mount("-o", "remount,ro", str(self.path))

    def unlock(self) -> None:
        mount("-o", "remount,rw", str(self.path))


class CardImage:
    """A card with ext4, in a file, mounted at `path`."""

    def __init__(self, path: Path, image: Path) -> None:
        self.path, self._image = path, image
        path.mkdir(parents=True, exist_ok=True)
        with open(image, "wb") as file:
            file.truncate(IMAGE_BYTES)
        if subprocess.run(["mkfs.ext4", "-q", str(image)], check=False).returncode:
            pytest.skip("no mkfs.ext4 here")
        self.put_in()

    def put_in(self) -> None:
        mount("-o", "loop,errors=remount-ro", str(self._image), str(self.path))

    def take_out(self) -> bool:
        """Whether nobody has a file open on it any more."""
        return subprocess.run(["umount", str(self.path)], capture_output=True, check=False).returncode == 0

    def breaks(self) -> None:
        """Every read of the disk, write and sync is an I/O error from now on, until it is taken out and put in."""
        folder = os.open(self.path, os.O_RDONLY)
        fcntl.ioctl(folder, EXT4_SHUTDOWN, struct.pack("I", NO_LOG_FLUSH))
        os.close(folder)

    def locks_itself(self) -> None:
        """What Linux does with a worn card: the file system finds an error and refuses every write."""
        device = os.stat(self.path).st_dev
        name = Path(f"/sys/dev/block/{os.major(device)}:{os.minor(device)}").resolve().name
        Path(f"/sys/fs/ext4/{name}/trigger_fs_error").write_text("1", encoding="ascii")
