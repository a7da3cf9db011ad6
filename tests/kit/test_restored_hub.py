"""The hub's card died and an older copy of its journal was put in: the tables bring back what it lacks."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from kit import Kit, wait_until
from roundtap_hub.journal.backups import make_backup, read_backup
from roundtap_hub.journal.head_file import HEAD_FILE, read_head_file
from test_power_cuts import one_entry_for_each_press, report_100_to_0, take_seats


@pytest.fixture
def kit(tmp_path: Path) -> Iterator[Kit]:
    made = Kit(tmp_path)
    yield made
    made.stop()


def backup_of(kit: Kit) -> Path:
    """A backup of a hub that runs, made as it makes them itself, on another disk."""
    named = read_head_file(kit.hub_folder / HEAD_FILE)
    assert named is not None
    return make_backup(kit.hub_folder, kit.folder / "elsewhere", named, "")


def restore(kit: Kit, backup: Path) -> None:
    for left in kit.hub_folder.glob("*"):
        shutil.rmtree(left) if left.is_dir() else left.unlink()
    read_backup(backup).unpack(kit.hub_folder)


def stop_hub(kit: Kit) -> None:
    assert kit.hub is not None
    kit.hub.terminate()
    assert kit.hub.wait(timeout=10) == 0


def test_a_restored_hub_takes_from_its_tables_what_it_lacks(kit: Kit) -> None:
    kit.start_hub()
    copy = backup_of(kit)
    table = kit.start_table()
    take_seats(table)
    report_100_to_0(table)
    table.tap("b")
    table.wait_for("SAVED")
    before = kit.reports()
    stop_hub(kit)
    restore(kit, copy)
    assert kit.reports() == []

    kit.start_hub()

    wait_until(lambda: len(kit.reports()) == 2, "both reports to come again")
    one_entry_for_each_press(kit)
    assert [e.data for e in kit.reports()] == [e.data for e in before]


def test_a_table_that_was_off_brings_its_reports_when_it_comes_back(kit: Kit) -> None:
    kit.start_hub()
    copy = backup_of(kit)
    table = kit.start_table()
    take_seats(table)
    report_100_to_0(table)
    table.tap("b")
    table.wait_for("SAVED")
    kit.units[1].terminate()
    kit.units[1].wait()
    stop_hub(kit)
    restore(kit, copy)
    kit.start_hub()

    table = kit.start_table()

    wait_until(lambda: len(kit.reports()) == 2, "both reports to come again")
    one_entry_for_each_press(kit)
