"""A stick that was unmounted while the hub wrote to it is no copy, and its bare mount point takes nothing: on tmpfs."""

import contextlib
import ctypes
import os
import sqlite3
import subprocess
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import pytest
from hub_kit import make_event
from test_copies import Hub, heads_on

from patience import GUARD_S
from roundtap_core.event import commands as c
from roundtap_hub.store.backups import COPIES_FOLDER, copy_backup, make_backup
from roundtap_hub.store.copies import AWAY, CURRENT, REFUSED
from roundtap_hub.store.folder_copy import COPY_FILE, FolderCopy
from roundtap_hub.store.head_file import HeadRecord

CLONE_NEWNS = 0x00020000

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="only root may mount something")


def in_mount_namespace(body: Callable[[], None]) -> None:
    """Run `body` in a thread whose mounts, and those of every thread it starts, are seen by nobody else."""

    def run() -> None:
        libc = ctypes.CDLL(None, use_errno=True)
        if libc.unshare(CLONE_NEWNS) or subprocess.run(["mount", "--make-rprivate", "/"], check=False).returncode:
            pytest.skip("nobody may mount here")
        body()

    with ThreadPoolExecutor(1) as threads:
        threads.submit(run).result()


def mount(point: Path) -> None:
    subprocess.run(["mount", "-t", "tmpfs", "none", str(point)], check=True)


def unmount_lazily(point: Path) -> None:
    subprocess.run(["umount", "--lazy", str(point)], check=True)


@pytest.fixture
def point(tmp_path: Path) -> Path:
    """Where a stick is mounted: a folder of the hub's own disk."""
    made = tmp_path / "media"
    made.mkdir()
    return made


@pytest.mark.parametrize("may_be_missing", [True, False], ids=["--stick", "--copy"])
def test_a_stick_that_was_unmounted_under_its_copy_is_none_from_the_next_commit_on(
    tmp_path: Path, point: Path, may_be_missing: bool
) -> None:
    def body() -> None:
        mount(point)
        with closing(Hub(tmp_path, FolderCopy(point, tmp_path, may_be_missing=may_be_missing), retry_s=1000)) as hub:
            hub.wait_for(CURRENT)
            make_event(hub.service)
            held = os.open(point / COPY_FILE, os.O_RDONLY)
            unmount_lazily(point)
            hub.service.execute_one("e1", c.SetEventDetails({"venue": "the back room"}), "organizer")
            assert hub.keys() == ["copy.away", "one_copy"]
            assert hub.copies.states[0].state == AWAY
            assert list(point.iterdir()) == []
            assert b"the back room" in os.pread(held, 1 << 20, 0), "it could be written to all the same"
            os.close(held)

    in_mount_namespace(body)


def test_it_is_noticed_without_a_commit_and_a_stick_mounted_there_later_is_the_copy(
    tmp_path: Path, point: Path
) -> None:
    def body() -> None:
        mount(point)
        with closing(Hub(tmp_path, FolderCopy(point, tmp_path, may_be_missing=True))) as hub:
            hub.wait_for(CURRENT)
            make_event(hub.service)
            unmount_lazily(point)
            hub.wait_for(AWAY)
            hub.service.execute_one("e1", c.SetClock("start"), "organizer")
            assert list(point.iterdir()) == []
            mount(point)
            hub.wait_for(CURRENT)
            assert heads_on(point) == hub.journal.heads()
            changed = threading.Event()
            hub.service.storage.listeners.append(changed.set)
            mount(point)
            while not (point / COPY_FILE).exists():
                assert changed.wait(GUARD_S)
                changed.clear()
            hub.wait_for(CURRENT)
            assert heads_on(point) == hub.journal.heads(), "of two sticks on one mount point, the one that is seen"

    in_mount_namespace(body)


def test_a_mount_point_without_a_stick_takes_nothing_from_the_start_on(tmp_path: Path, point: Path) -> None:
    for may_be_missing, states in ((True, []), (False, [REFUSED])):
        with closing(Hub(tmp_path, FolderCopy(point, tmp_path, may_be_missing=may_be_missing))) as hub:
            make_event(hub.service, f"e{may_be_missing:d}")
            for state in states:
                hub.wait_for(state)
            assert [state.state for state in hub.copies.states] == states
            assert hub.copies.plugged_in() == []
            assert list(point.iterdir()) == []


def test_a_mount_point_on_a_third_file_system_is_no_stick_either(tmp_path: Path, point: Path) -> None:
    """A desktop's mount points are in memory, and a copy there would be gone with the power."""

    def body() -> None:
        mount(point)
        stick = point / "stick"
        stick.mkdir()
        assert not FolderCopy(stick, tmp_path, may_be_missing=True).is_there()
        by_hand = FolderCopy(stick, tmp_path)
        mount(stick)
        assert by_hand.is_there()
        unmount_lazily(stick)
        assert not by_hand.is_there()
        assert list(stick.iterdir()) == []

    in_mount_namespace(body)


def test_a_backup_under_way_never_goes_into_the_bare_mount_point(tmp_path: Path, point: Path) -> None:
    """The stick is unmounted after somebody saw that it is there: the backup goes to the stick, or nowhere."""

    def body() -> None:
        with closing(Hub(tmp_path)) as hub:
            make_event(hub.service)
        (tmp_path / "journal.db").rename(tmp_path / "roundtap.db")
        named = HeadRecord("line", "epoch", 1)
        made = make_backup(tmp_path, tmp_path / "backups", named, "")
        for write in (lambda to: make_backup(tmp_path, to, named, ""), lambda to: copy_backup(made, to, named)):
            mount(point)
            with FolderCopy(point, tmp_path, may_be_missing=True).pinned() as stick:
                unmount_lazily(point)
                with contextlib.suppress(OSError, sqlite3.Error):
                    write(stick / COPIES_FOLDER)
            assert list(point.iterdir()) == []

    in_mount_namespace(body)
