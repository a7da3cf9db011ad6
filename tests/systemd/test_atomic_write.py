"""A file that is written atomically is the old one or the new one, whatever fails in between."""

import os
import stat
from pathlib import Path

import pytest

from faults import fails
from roundtap_machine.disk import replace_atomically, write_atomically


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "pin"
    path.write_bytes(b"old")
    return path


@pytest.fixture
def steps(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What reaches the disk, in its order."""
    done: list[str] = []
    fsync, replace = os.fsync, os.replace

    def synced(descriptor: int) -> None:
        done.append(f"sync {Path(os.readlink(f'/proc/self/fd/{descriptor}')).name}")
        fsync(descriptor)

    def replaced(old: Path, new: Path) -> None:
        done.append(f"replace {Path(new).name}")
        replace(old, new)

    monkeypatch.setattr(os, "fsync", synced)
    monkeypatch.setattr(os, "replace", replaced)
    return done


def alone(path: Path) -> bool:
    return [each.name for each in path.parent.iterdir()] == [path.name]


def test_content_is_synced_before_the_name_and_the_name_before_the_return(path: Path, steps: list[str]) -> None:
    write_atomically(path, b"new")
    assert steps == ["sync .pin.new", "replace pin", f"sync {path.parent.name}"]
    assert path.read_bytes() == b"new"
    assert alone(path)


def test_on_fat_the_file_is_synced_under_its_new_name(path: Path, steps: list[str]) -> None:
    write_atomically(path, b"new", on_fat=True)
    assert steps == ["sync .pin.new", "replace pin", "sync pin", f"sync {path.parent.name}"]


@pytest.mark.parametrize("call", ["fsync", "replace", "fchmod"])
def test_a_disk_that_refuses_leaves_the_old_file_and_nothing_else(
    path: Path, monkeypatch: pytest.MonkeyPatch, call: str
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(os, call, fails(OSError(28, "No space left on device")))
        with pytest.raises(OSError, match="No space"):
            write_atomically(path, b"new", 0o600)
    assert path.read_bytes() == b"old"
    assert alone(path)


def test_whoever_writes_the_temporary_file_and_fails_leaves_none(path: Path) -> None:
    def write_half() -> None:
        with replace_atomically(path) as temporary:
            temporary.write_bytes(b"ne")
            raise ValueError("half of it")

    with pytest.raises(ValueError, match="half"):
        write_half()
    assert path.read_bytes() == b"old"
    assert alone(path)


@pytest.mark.parametrize("umask", [0o000, 0o022, 0o077])
@pytest.mark.parametrize("mode", [0o600, 0o640, 0o644])
def test_it_has_exactly_the_mode_that_was_asked_for(path: Path, umask: int, mode: int) -> None:
    before = os.umask(umask)
    try:
        write_atomically(path, b"new", mode)
    finally:
        os.umask(before)
    assert stat.S_IMODE(path.stat().st_mode) == mode


def test_what_a_power_cut_left_is_neither_followed_nor_kept(path: Path, tmp_path: Path) -> None:
    bystander = tmp_path / "bystander"
    bystander.write_bytes(b"theirs")
    (tmp_path / ".pin.new").symlink_to(bystander)
    write_atomically(path, b"new", 0o600)
    assert (path.read_bytes(), bystander.read_bytes(), path.is_symlink()) == (b"new", b"theirs", False)
