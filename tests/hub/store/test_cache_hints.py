"""The hint to the kernel's cache at a hub's start may fail or be missing; the sync before it may not."""

import errno
import os
from pathlib import Path

import pytest

from faults import fails
from roundtap_core.errors import Problem
from roundtap_hub.app.main import open_folder
from roundtap_hub.store.secure_files import drop_cached_files


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A hub's folder, shut down."""
    open_folder(tmp_path, lambda _: None).close()
    return tmp_path


@pytest.mark.parametrize("code", [errno.ENOSYS, errno.EINVAL, errno.EOPNOTSUPP, errno.EPERM])
def test_a_kernel_or_file_system_without_the_hint_starts_the_hub(
    folder: Path, monkeypatch: pytest.MonkeyPatch, code: int
) -> None:
    """As small kernels (CONFIG_ADVISE_SYSCALLS=n), and sandboxes that forbid it."""

    monkeypatch.setattr(os, "posix_fadvise", fails(OSError(code, os.strerror(code))))
    open_folder(folder, lambda _: None).close()


def test_a_system_without_the_call_starts_the_hub(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(os, "posix_fadvise")
    open_folder(folder, lambda _: None).close()


def test_a_failed_sync_is_told(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "fsync", fails(OSError(errno.EIO, os.strerror(errno.EIO))))
    with pytest.raises((Problem, OSError)):
        drop_cached_files(folder)
