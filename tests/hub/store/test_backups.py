"""Backups: one verified file with everything a hub's folder needs, three of them, and nothing else passes for one."""

import hashlib
import json
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from hub_kit import event_steps, head_is_noted, make_event, people

import event_kit
from faults import fails
from roundtap_core.event import commands as c
from roundtap_core.event.entries import VENUE, NewEntry
from roundtap_hub.app.main import HubResources, open_folder
from roundtap_hub.store.backups import COPIES_FOLDER, Maintenance, back_up, backups_in, make_backup, read_backup
from roundtap_hub.store.folder_copy import FolderCopy
from roundtap_hub.store.head_file import HEAD_FILE, HeadFile, HeadRecord, read_head_file
from roundtap_hub.store.journal import Journal
from roundtap_hub.store.recover import recover
from roundtap_hub.store.service import Step
from roundtap_hub.store.venue import EVENT_ARCHIVED, EVENT_DELETED


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "hub"
    made.mkdir()
    (made / "keys.json").write_text('{"table-1": "00"}')
    (made / "pin").write_text("a hash")
    (made / "tls").mkdir()
    (made / "tls" / "ca.pem").write_text("a certificate")
    return made


@pytest.fixture
def hub(folder: Path, no_upkeep: None) -> Iterator[HubResources]:
    """Backups are made by the tests themselves."""
    with closing(open_folder(folder, lambda _: None)) as opened:
        make_event(opened.service)
        yield opened


def named_in(hub: HubResources, folder: Path) -> HeadRecord:
    head_is_noted(hub.service)
    named = read_head_file(folder / HEAD_FILE)
    assert named is not None
    return named


def test_another_machine_goes_on_where_the_backup_was_made(hub: HubResources, folder: Path, tmp_path: Path) -> None:
    """While the hub runs: what is in its log only is in the backup, too."""
    made = make_backup(folder, tmp_path / "stick", named_in(hub, folder), "2026-11-22T10:00:00+00:00")
    hub.service.execute_one("e1", c.SetClock("start"), "organizer")

    backup = read_backup(made)
    assert (backup.made_at, backup.files) == ("2026-11-22T10:00:00+00:00", ("keys.json", "pin", "tls/ca.pem"))
    recover([made], tmp_path / "other", hub.clocks)

    assert (tmp_path / "other" / "tls" / "ca.pem").read_text() == "a certificate"
    assert (tmp_path / "other" / "roundtap.db").stat().st_mode & 0o777 == 0o600
    with closing(open_folder(tmp_path / "other", lambda _: None)) as other:
        assert other.service.snapshot.events["e1"].number == 7
        assert other.service.snapshot.people["e1"]["p3"].name == "Łukasz Żak"


def test_three_generations_stay(hub: HubResources, folder: Path, tmp_path: Path) -> None:
    made = []
    for n in range(5):
        hub.service.execute_one("e1", c.SetEventDetails({"venue": f"room {n}"}), "organizer")
        made.append(make_backup(folder, tmp_path / "stick", named_in(hub, folder), ""))
    assert {path.name for path in (tmp_path / "stick").iterdir()} == {path.name for path in made[-3:]}
    assert backups_in(tmp_path / "stick")[0] == made[-1]


def test_backups_of_another_hub_on_the_same_stick_are_not_touched(
    hub: HubResources, folder: Path, tmp_path: Path
) -> None:
    (tmp_path / "stick").mkdir()
    other = tmp_path / "stick" / "roundtap-0123456789abcdef-ab-00000001.backup"
    other.write_text("of another hub")
    for n in range(5):
        hub.service.execute_one("e1", c.SetEventDetails({"venue": f"room {n}"}), "organizer")
        make_backup(folder, tmp_path / "stick", named_in(hub, folder), "")
    assert len(backups_in(tmp_path / "stick")) == 4
    assert other.exists()


def test_a_copied_database_is_none(hub: HubResources, folder: Path, tmp_path: Path) -> None:
    for name in ("copied.db", "copied.backup"):
        shutil.copy(folder / "roundtap.db", tmp_path / name)
        with event_kit.refused("backup_none"):
            read_backup(tmp_path / name)
    with event_kit.refused("backup_none"):
        read_backup(tmp_path / "nothing.backup")


def test_a_backup_is_no_database_that_a_hub_starts_on(hub: HubResources, folder: Path, tmp_path: Path) -> None:
    made = make_backup(folder, tmp_path / "stick", named_in(hub, folder), "")
    (tmp_path / "other").mkdir()
    shutil.copy(made, tmp_path / "other" / "roundtap.db")
    with event_kit.refused("journal_copied"):
        open_folder(tmp_path / "other", lambda _: None)


def test_a_damaged_backup_is_said_to_be_one(hub: HubResources, folder: Path, tmp_path: Path) -> None:
    made = make_backup(folder, tmp_path / "stick", named_in(hub, folder), "")
    data = made.read_bytes()
    made.write_bytes(data[: len(data) // 2])
    with event_kit.refused("backup_damaged"):
        read_backup(made)
    made.write_bytes(data.replace(b"a certificate", b"A certificate"))
    with event_kit.refused("backup_damaged"):
        read_backup(made)


def test_what_a_power_cut_left_half_made_goes_with_the_next_one(
    hub: HubResources, folder: Path, tmp_path: Path
) -> None:
    made = make_backup(folder, tmp_path / "stick", named_in(hub, folder), "")
    (made.parent / f".{made.name}.new").write_bytes(b"half of it")
    (made.parent / ".theirs").write_bytes(b"somebody else's")
    newer = make_backup(folder, tmp_path / "stick", replace(named_in(hub, folder), commits=9999), "")
    assert sorted(path.name for path in made.parent.iterdir()) == sorted([".theirs", made.name, newer.name])


def test_a_row_that_is_missing_in_it_is_noticed(hub: HubResources, folder: Path, tmp_path: Path) -> None:
    made = make_backup(folder, tmp_path / "stick", named_in(hub, folder), "")
    with closing(sqlite3.connect(made)) as connection:
        connection.execute("DELETE FROM entry WHERE stream = 'e1' AND number = 7")
        connection.commit()
    with event_kit.refused("backup_damaged"):
        read_backup(made)


def test_a_commit_while_it_is_made_is_not_in_it_and_does_not_begin_it_anew(
    hub: HubResources, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("roundtap_hub.store.backups.STEP_PAGES", 1)
    monkeypatch.setattr("roundtap_hub.store.backups.STEP_PAUSE_S", 0)
    told: list[int] = []

    def step(path: Path) -> None:
        if path.name.endswith("new") and len(told) < 5:
            told.append(
                len(hub.service.execute_one("e1", c.SetEventDetails({"venue": f"room {len(told)}"}), "organizer"))
            )

    monkeypatch.setattr("roundtap_hub.store.backups.sync_to_disk", step)
    backup = read_backup(make_backup(folder, tmp_path / "stick", named_in(hub, folder), ""))
    assert told == [1] * 5
    assert backup.heads["e1"].number == 7
    assert hub.service.snapshot.events["e1"].number == 12


def test_a_disk_without_room_for_a_backup_is_told_as_full(
    hub: HubResources, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """SQLite has an error of its own for that."""
    full = sqlite3.OperationalError("database or disk is full")
    full.sqlite_errorname = "SQLITE_FULL"

    monkeypatch.setattr("roundtap_hub.store.backups.make_backup", fails(full))
    with event_kit.refused("disk_full"):
        back_up(folder, "")


# --- who makes them ----------------------------------------------------------------------------------------------


@pytest.fixture
def stick(tmp_path: Path) -> Path:
    made = tmp_path / "stick"
    made.mkdir()
    return made


def upkeep_of(hub: HubResources, folder: Path, stick: Path) -> Maintenance:
    head = HeadFile.__new__(HeadFile)
    head.record = named_in(hub, folder)
    return Maintenance(hub.service, folder, head, lambda: [FolderCopy(stick, folder, same_disk=True)], lambda: None)


def test_a_backup_lies_in_the_folder_and_on_every_stick(hub: HubResources, folder: Path, stick: Path) -> None:
    upkeep_of(hub, folder, stick).back_up()
    here, there = backups_in(folder / "backups"), backups_in(stick / COPIES_FOLDER)
    assert [path.name for path in here][:1] == [path.name for path in there]
    assert here[0].read_bytes() == there[0].read_bytes()


def test_a_full_card_does_not_keep_the_stick_from_its_backup(hub: HubResources, folder: Path, stick: Path) -> None:
    (folder / "backups").write_text("no folder")
    upkeep_of(hub, folder, stick).back_up()
    assert len(backups_in(stick / COPIES_FOLDER)) == 1
    assert "backup" in [line.key for line in hub.service.storage.lines()]
    (folder / "backups").unlink()
    upkeep_of(hub, folder, stick).back_up()
    assert "backup" not in [line.key for line in hub.service.storage.lines()]


def test_a_deleted_event_s_people_are_in_no_backup(folder: Path, stick: Path) -> None:
    with closing(open_folder(folder, lambda _: None)) as hub:
        hub.service.execute(event_steps(), "organizer", people())
    assert b"Ana Ruiz" in backups_in(folder / "backups")[0].read_bytes()
    with closing(open_folder(folder, lambda _: None)) as hub:
        for kind in (EVENT_ARCHIVED, EVENT_DELETED):
            hub.service.execute([Step(VENUE, NewEntry(kind, {"event": "e1"}))], "organizer")
    assert not any(b"Ana Ruiz" in path.read_bytes() for path in backups_in(folder / "backups"))
    assert len(backups_in(folder / "backups")) == 1


def test_a_hub_that_stops_leaves_a_backup_of_everything(folder: Path) -> None:
    with closing(open_folder(folder, lambda _: None)) as hub:
        make_event(hub.service)
    backup = read_backup(backups_in(folder / "backups")[0])
    with closing(Journal(f"sqlite:///{folder / 'roundtap.db'}", read_only=True)) as journal:  # type: ignore[type-var]
        assert backup.heads == journal.heads()
    assert json.loads((folder / "keys.json").read_text())


@pytest.mark.parametrize(
    "planted",
    [
        # (With a recursive query in it this would never end.)
        "CREATE VIEW backup_file AS SELECT 'x' AS name, 384 AS mode, x'78' AS data, "
        f"'{hashlib.sha256(b'x').hexdigest()}' AS digest",
        "CREATE TRIGGER t AFTER INSERT ON entry BEGIN DELETE FROM entry; END",
    ],
)
def test_a_file_on_a_stick_that_computes_instead_of_holding_is_no_backup(
    hub: HubResources, folder: Path, tmp_path: Path, planted: str
) -> None:
    """Somebody's stick, read by the hub that runs the evening: a view without an end would take its memory."""
    made = make_backup(folder, tmp_path / "stick", named_in(hub, folder), "")
    with closing(sqlite3.connect(made)) as changed:
        if "VIEW" in planted:
            changed.execute("DROP TABLE backup_file")
        changed.execute(planted)
        changed.commit()
    with event_kit.refused("backup_damaged"):
        read_backup(made)
