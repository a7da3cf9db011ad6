"""What is left of a damaged journal: every stream's longest whole chain, wherever on the disk it is found."""

import hashlib
import json
import os
import random
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing, suppress
from itertools import count
from pathlib import Path

import pytest
from hub_kit import HandClock, event_steps, head_is_noted, make_event, people

from event_kit import refused
from roundtap.main import main
from roundtap_core.errors import Problem
from roundtap_core.event import commands as c
from roundtap_core.event.entries import VENUE, Entry, Person, entry_hash
from roundtap_core.wire import REPORT, digest, sign
from roundtap_hub.access.personal_links import PersonalLinks
from roundtap_hub.access.staff import Staff
from roundtap_hub.access.unit_keys import TABLE, UnitKeys, take_key_file
from roundtap_hub.app.main import open_folder
from roundtap_hub.http.routes import JUDGE, SCOREKEEPER
from roundtap_hub.store import recovery_sources
from roundtap_hub.store.backups import FOLDER, make_backup
from roundtap_hub.store.command_pipeline import report_step
from roundtap_hub.store.copies import CommitBatch
from roundtap_hub.store.folder_copy import COPY_FILE, FolderCopy, read_copy
from roundtap_hub.store.head_file import HeadRecord
from roundtap_hub.store.journal import Journal, PersonRecord, person_row
from roundtap_hub.store.models import is_damaged
from roundtap_hub.store.read_model import verify_journal
from roundtap_hub.store.recover import RecoveredStream, recover

KEY = bytes(range(32))
DATABASE, LOG = "roundtap.db", "roundtap.db-wal"


@pytest.fixture
def folder(tmp_path: Path, no_upkeep: None) -> Path:
    """A hub's folder after a power cut: e1 with a long text that does not fit a page, e2 only in the log."""
    made = tmp_path / "hub"
    made.mkdir()
    with closing(open_folder(made, lambda _: None)) as hub:
        UnitKeys(hub.service).enrol("table-1", TABLE, KEY)
        make_event(hub.service)
        for n in range(60):
            hub.service.execute_one("e1", c.SetEventDetails({"venue": f"room {n}", "organizer": "ł" * 60}), "organizer")
    with closing(open_folder(made, lambda _: None)) as hub:
        hub.service.execute(event_steps("e2"), "organizer", people("e2"))
        head_is_noted(hub.service)
        left = tmp_path / "left"
        shutil.copytree(made, left)
    return left


def whole(folder: Path) -> dict[str, list[Entry]]:
    copy = folder.with_name("whole")
    shutil.copytree(folder, copy)
    with closing(Journal(f"sqlite:///{copy / DATABASE}")) as journal:
        return journal.streams()


def rescue(folder: Path, *others: Path) -> dict[str, RecoveredStream]:
    before = {
        path: path.read_bytes() for path in folder.rglob("*") if path.is_file() and not path.name.endswith("-shm")
    }
    tokens = count(1)
    made = recover(
        [folder, *others],
        folder.with_name("new"),
        HandClock().clocks,
        "",
        lambda n_bytes: f"epoch {next(tokens)}"[: 2 * n_bytes],
    )
    assert {path: data for path, data in before.items() if path.read_bytes() != data} == {}, "nothing is changed"
    return {each.stream: each for each in made.streams}


def in_new(folder: Path) -> dict[str, list[Entry]]:
    """The salvaged journal, which a hub starts on."""
    with closing(open_folder(folder.with_name("new"), lambda _: None)) as hub:
        assert hub.service.snapshot.venue.epoch == "epoch 1"
    with closing(Journal(f"sqlite:///{folder.with_name('new') / DATABASE}")) as journal:
        return journal.streams()


def test_a_whole_journal_comes_whole_into_a_new_epoch(folder: Path) -> None:
    before = whole(folder)
    said = rescue(folder)
    assert not any(each.lacks for each in said.values())
    assert [said[stream].people for stream in ("e1", "e2")] == [4, 4]
    after = in_new(folder)
    assert {stream: after[stream] for stream in ("e1", "e2")} == {stream: before[stream] for stream in ("e1", "e2")}
    assert after[VENUE][: len(before[VENUE])] == before[VENUE]
    assert after[VENUE][-1].kind == "epoch-begun"


def test_keys_come_with_it_and_none_that_was_revoked(folder: Path) -> None:
    with closing(open_folder(folder, lambda _: None)) as hub:
        keys = UnitKeys(hub.service)
        keys.add("table-9")
        older = folder.with_name("older.db")
        shutil.copy(folder / DATABASE, older)
        shutil.copy(folder / LOG, older.with_name(older.name + "-wal"))
        keys.revoke("table-9")
    rescue(folder, older)
    with closing(open_folder(folder.with_name("new"), lambda _: None)) as hub:
        assert dict(UnitKeys(hub.service)) == {"table-1": KEY}


def test_the_staff_come_with_it_and_no_pin_that_was_replaced_or_revoked(folder: Path) -> None:
    with closing(open_folder(folder, lambda _: None)) as hub:
        staff = Staff(hub.service)
        (ana, first), (bea, gone) = staff.add("Ana", JUDGE), staff.add("Bea", JUDGE)
        older = folder.with_name("older.db")
        shutil.copy(folder / DATABASE, older)
        shutil.copy(folder / LOG, older.with_name(older.name + "-wal"))
        _, second = staff.replace_pin(ana.id)
        staff.revoke(bea.id)
    rescue(folder, older)
    with closing(open_folder(folder.with_name("new"), lambda _: None)) as hub:
        staff = Staff(hub.service)
        assert [person and person.name for person in map(staff.person_of, (first, second, gone))] == [None, "Ana", None]
        assert staff.name_of(f"judge:{bea.id}") == "Bea"


def spoil_entry(folder: Path, number: int) -> None:
    with closing(sqlite3.connect(folder / DATABASE)) as connection:
        connection.execute("UPDATE entry SET data = '{}' WHERE stream = ? AND number = ?", (VENUE, number))
        connection.commit()
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")


def test_what_was_said_of_keys_and_staff_beyond_a_break_counts_as_well(folder: Path) -> None:
    with closing(open_folder(folder, lambda _: None)) as hub:
        keys, staff = UnitKeys(hub.service), Staff(hub.service)
        keys.add("table-9")
        keys.add("table-8")
        (ana, first), (bea, gone), (kai, his) = (staff.add(name, JUDGE) for name in ("Ana", "Bea", "Kai"))
        before = hub.service.snapshot.venue.number
        keys.replace("table-1")
        keys.revoke("table-9")
        lost = keys.replace("table-8")
        added = keys.add("table-7")
        _, second = staff.replace_pin(ana.id)
        staff.revoke(bea.id)
        staff.change_role(kai.id, SCOREKEEPER)
    spoil_entry(folder, before + 1)
    said = rescue(folder)
    assert said[VENUE].beyond, "the chain ends before all of it"
    with closing(open_folder(folder.with_name("new"), lambda _: None)) as hub:
        keys, staff = UnitKeys(hub.service), Staff(hub.service)
        assert dict(keys) == {"table-8": lost, "table-7": added}, "nobody reads any more which key table-1 has"
        found = {pin: staff.person_of(pin) for pin in (first, second, gone, his)}
        assert [person and (person.name, person.role) for person in found.values()] == [
            None,
            ("Ana", JUDGE),
            None,
            ("Kai", SCOREKEEPER),
        ]


def test_what_was_said_of_links_beyond_a_break_counts_as_well(folder: Path) -> None:
    with closing(open_folder(folder, lambda _: None)) as hub:
        links = PersonalLinks(hub.service, b"s" * 32, lambda: 0)
        taken, kept = links.give("e1", "p1"), links.give("e1", "p2")
        before = hub.service.snapshot.venue.number
        UnitKeys(hub.service).add("table-9")
        links.revoke("e1", "p1")
        scanned = links.claim_by_slip("e1", "p3", "a phone that scanned")
    spoil_entry(folder, before + 1)
    rescue(folder)
    with closing(open_folder(folder.with_name("new"), lambda _: None)) as hub:
        links = PersonalLinks(hub.service, b"s" * 32, lambda: 0)
        assert [links.path("e1", who) == path for who, path in (("p1", taken), ("p2", kept), ("p3", scanned))] == [
            False,
            True,
            True,
        ]
        assert links.claim_by_slip("e1", "p3", "another phone") is None


def test_whose_revocation_cannot_be_read_any_more_is_out_as_their_row_is_empty(folder: Path) -> None:
    with closing(open_folder(folder, lambda _: None)) as hub:
        keys, staff = UnitKeys(hub.service), Staff(hub.service)
        keys.add("table-9")
        bea, pin = staff.add("Bea", JUDGE)
        older = folder.with_name("older.db")
        shutil.copy(folder / DATABASE, older)
        shutil.copy(folder / LOG, older.with_name(older.name + "-wal"))
        before = hub.service.snapshot.venue.number
        keys.revoke("table-9")
        staff.revoke(bea.id)
    for number in (before + 1, before + 2):
        spoil_entry(folder, number)
    rescue(folder, older)
    with closing(open_folder(folder.with_name("new"), lambda _: None)) as hub:
        assert dict(UnitKeys(hub.service)) == {"table-1": KEY}
        assert Staff(hub.service).person_of(pin) is None
        assert Staff(hub.service).name_of(f"judge:{bea.id}") == "Bea"


def test_a_file_of_keys_comes_into_the_new_journal(folder: Path) -> None:
    (folder / "keys.json").write_text(json.dumps({"table-2": KEY.hex()}))
    rescue(folder)
    with closing(open_folder(folder.with_name("new"), lambda _: None)) as hub:
        take_key_file(folder.with_name("new"), hub.service)
        assert set(UnitKeys(hub.service)) == {"table-1", "table-2"}


def flip_log(folder: Path) -> None:
    data = bytearray((folder / LOG).read_bytes())
    data[8] ^= 1
    data[32 + 20] ^= 1
    (folder / LOG).write_bytes(data)


def spoil_the_header(folder: Path) -> None:
    with open(folder / DATABASE, "r+b") as file:
        file.write(bytes(100))


def test_what_sqlite_does_not_read_any_more_is_found_on_its_pages(folder: Path) -> None:
    """A log that it passes over without a word, and a file that it says is no database."""
    before = whole(folder)
    flip_log(folder)
    spoil_the_header(folder)
    said = rescue(folder)
    assert not said["e1"].lacks
    assert not said["e2"].lacks
    after = in_new(folder)
    assert (after["e1"], after["e2"]) == (before["e1"], before["e2"])


def test_without_the_log_it_is_said_what_is_lost(folder: Path) -> None:
    (folder / LOG).unlink()
    said = rescue(folder)
    assert (said["e2"].entries, said["e2"].unread) == ([], [1, 2, 3, 4, 5])
    assert not said["e1"].lacks
    assert "e2" not in in_new(folder)


@pytest.mark.parametrize("seed", range(12))
def test_spoiled_pages_cost_only_what_stood_on_them(folder: Path, seed: int) -> None:
    before, chance = whole(folder), random.Random(seed)
    with open(folder / DATABASE, "r+b") as file:
        pages = os.stat(folder / DATABASE).st_size // 4096
        for page in chance.sample(range(pages), 3):
            file.seek(page * 4096)
            file.write(chance.randbytes(4096))
    said = rescue(folder)
    after = in_new(folder)
    for stream in ("e1", "e2"):
        kept = after.get(stream, [])
        assert kept == before[stream][: len(kept)]
        lost = sorted([*said[stream].unread, *(entry.number for entry in said[stream].beyond)])
        assert lost == list(range(len(kept) + 1, len(before[stream]) + 1))


def test_a_copy_on_a_stick_makes_up_for_everything(folder: Path, tmp_path: Path) -> None:
    before = whole(folder)
    with closing(FolderCopy(tmp_path, tmp_path, same_disk=True)) as stick:
        stick.open("line", "epoch")
        for stream, entries in before.items():
            who = [person_row(record) for record in people(stream)] if stream != VENUE else []
            stick.write(CommitBatch(entries, who))
    (folder / LOG).unlink()
    (folder / DATABASE).write_bytes(b"")
    said = rescue(folder, tmp_path / COPY_FILE)
    assert not any(each.lacks for each in said.values())
    assert in_new(folder)["e1"] == before["e1"]


def test_whose_row_is_lost_everywhere_has_a_stand_in_with_which_the_hub_starts(folder: Path) -> None:
    with closing(sqlite3.connect(folder / DATABASE, isolation_level=None)) as database:
        for statement in (
            "PRAGMA secure_delete = ON",
            "DELETE FROM person WHERE competitor = 'p3'",
            "PRAGMA wal_checkpoint(TRUNCATE)",
        ):
            database.execute(statement)
    assert rescue(folder)["e1"].people_lost == ("p3",)
    with closing(open_folder(folder.with_name("new"), lambda _: None)) as hub:
        assert is_damaged("p3", hub.service.snapshot.people["e1"]["p3"])
    with closing(Journal(f"sqlite:///{folder.with_name('new') / DATABASE}", read_only=True)) as journal:
        assert not any(found.wrong for found in verify_journal(journal)), "there is nothing to be done about it"


def test_an_older_row_of_a_player_is_what_the_entries_mean_from_now_on(folder: Path) -> None:
    """The newer one lies nowhere any more. The hub starts, with the older name."""
    with closing(sqlite3.connect(folder / DATABASE)) as database:
        [row] = database.execute("SELECT * FROM person WHERE event = 'e1' AND competitor = 'p3'").fetchall()
    with closing(open_folder(folder, lambda _: None)) as hub:
        person = Person("Ana Renamed")
        hub.service.execute_one(
            "e1", c.ChangePerson("p3", person.digest("s")), "organizer", [PersonRecord("e1", "p3", "s", person)]
        )
    with closing(sqlite3.connect(folder / DATABASE)) as database:
        database.execute("PRAGMA secure_delete = ON")
        database.execute("DELETE FROM person WHERE event = 'e1' AND competitor = 'p3'")
        database.execute("INSERT INTO person VALUES (?, ?, ?, ?)", row)
        database.commit()
        database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        database.execute("VACUUM")
    assert list(rescue(folder)["e1"].people_older) == ["p3"]
    with closing(open_folder(folder.with_name("new"), lambda _: None)) as hub:
        assert hub.service.snapshot.people["e1"]["p3"].name == json.loads(row[3])["name"]


def test_a_copy_of_an_earlier_version_is_recovered_from(tmp_path: Path) -> None:
    """Its rows name their columns. The folder itself is gone."""
    lost = tmp_path / "lost"
    lost.mkdir()
    said = rescue(lost, Path(__file__).with_name("older_copy.journal"))
    assert not any(each.lacks for each in said.values())
    assert (len(said["e1"].entries), said["e1"].people) == (7, 3)
    assert [entry.kind for entry in in_new(lost)["e1"]] == [
        "event-created",
        *4 * ["competitor-entered"],
        "competitor-removed",
        "about-set",
    ]


@pytest.mark.parametrize("altered", ["actor = 'nobody'", "hash = '00'", "data = replace(data, 'Winter', 'Wintar')"])
def test_an_altered_entry_is_lost_unless_another_source_has_it(folder: Path, altered: str) -> None:
    backup = make_backup(folder, folder.with_name("stick"), HeadRecord("a hub"), "")
    before = whole(folder)
    shutil.rmtree(folder / FOLDER, ignore_errors=True)
    with closing(sqlite3.connect(folder / DATABASE)) as connection:
        connection.execute(f"UPDATE entry SET {altered} WHERE stream = 'e1' AND number = 1")
        connection.commit()
        connection.execute("VACUUM")
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    said = rescue(folder)["e1"]
    assert (said.entries, said.unread, said.beyond) == ([], [1], before["e1"][1:])
    shutil.rmtree(folder.with_name("new"))
    assert not rescue(folder, backup)["e1"].lacks
    assert in_new(folder)["e1"] == before["e1"]


def test_a_line_that_is_damaged_on_a_stick_costs_itself_alone(folder: Path, tmp_path: Path) -> None:
    before = whole(folder)
    with closing(FolderCopy(tmp_path, tmp_path, same_disk=True)) as stick:
        stick.open("line", "epoch")
        for entry in before["e1"]:
            stick.write(CommitBatch([entry]))
    lines = (tmp_path / COPY_FILE).read_bytes().split(b"\n")
    lines[20] = lines[20].replace(b"a", b"\xff")
    (tmp_path / COPY_FILE).write_bytes(b"\n".join(lines))
    lost = folder.with_name("lost")
    lost.mkdir()
    said = rescue(lost, tmp_path / COPY_FILE)["e1"]
    assert (len(said.entries), said.unread) == (19, [20])
    assert said.beyond == before["e1"][20:]


@pytest.mark.parametrize("with_folder", [True, False])
def test_of_a_copy_of_which_a_third_is_missing_it_is_said_how_much_is_left(
    folder: Path, tmp_path: Path, with_folder: bool
) -> None:
    """What it lacks may stand elsewhere: the stick is no second copy all the same."""
    before = whole(folder)
    with closing(FolderCopy(tmp_path, tmp_path, same_disk=True)) as stick:
        stick.open("line", "epoch")
        for entry in (entry for stream in before.values() for entry in stream):
            stick.write(CommitBatch([entry]))
    path, known = tmp_path / COPY_FILE, sum(map(len, before.values()))
    lines = path.read_bytes().splitlines(keepends=True)
    third = len(lines) // 3
    path.write_bytes(b"".join([*lines[:third], b"\0" * len(b"".join(lines[third:-third])), *lines[-third:]]))
    (empty := tmp_path / "empty").mkdir()
    made = recover([folder if with_folder else empty, path], tmp_path / "new", HandClock().clocks)
    assert made.partly == [(path, 2 * third - 1, known)]
    assert [path for path, why in made.notes if why == "cut"] == []


def test_a_copy_that_ends_within_a_line_may_lack_the_latest(folder: Path, tmp_path: Path) -> None:
    """A stick's file system was repaired, and has cut the file."""
    with closing(FolderCopy(tmp_path, tmp_path, same_disk=True)) as stick:
        stick.open("line", "epoch")
        for entry in whole(folder)["e1"]:
            stick.write(CommitBatch([entry]))
    path = tmp_path / COPY_FILE
    os.truncate(path, path.stat().st_size * 2 // 3)
    assert (path, "cut") in recover([path], tmp_path / "new", HandClock().clocks).notes


def test_of_two_hubs_that_went_on_from_one_copy_the_later_epoch_counts_and_the_other_is_named(folder: Path) -> None:
    copied = folder.with_name("copied")
    shutil.copytree(folder, copied)
    rescue(copied)
    for place, rooms in ((folder, ("a", "b", "c")), (folder.with_name("new"), ("d",))):
        with closing(open_folder(place, lambda _: None)) as hub:
            for room in rooms:
                hub.service.execute_one("e1", c.SetEventDetails({"venue": room}), "organizer")
    later = Path(shutil.move(folder.with_name("new"), folder.with_name("later")))
    said = rescue(folder, later)["e1"]
    assert [entry.data["about"]["venue"] for entry in said.branch] == ["a", "b", "c"]
    assert said.lacks
    assert in_new(folder)["e1"][-1].data["about"]["venue"] == "d"


def test_what_lies_on_a_page_never_takes_the_place_of_what_was_saved(folder: Path) -> None:
    """A commit that failed may have left more entries in the log than the one that was saved in its place."""
    other = folder.with_name("other")
    shutil.copytree(folder, other)
    for place, rooms in ((folder, ("saved",)), (other, ("never", "saved", "anywhere"))):
        with closing(open_folder(place, lambda _: None)) as hub:
            for room in rooms:
                hub.service.execute_one("e1", c.SetEventDetails({"venue": room}), "organizer")
    shutil.rmtree(other / FOLDER, ignore_errors=True)
    spoil_the_header(other)
    said = rescue(folder, other / DATABASE)["e1"]
    assert said.entries[-1].data["about"]["venue"] == "saved"
    assert len(said.branch) == 3


def test_a_person_s_row_that_was_moved_is_found_by_its_digest_and_an_emptied_one_is_named(folder: Path) -> None:
    shutil.rmtree(folder / FOLDER, ignore_errors=True)
    with closing(sqlite3.connect(folder / DATABASE)) as connection:
        connection.execute("UPDATE person SET competitor = 'p9' WHERE event = 'e1' AND competitor = 'p1'")
        connection.execute("UPDATE person SET data = '{}' WHERE competitor = 'p2'")
        connection.commit()
        connection.execute("VACUUM")
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    said = rescue(folder)["e1"]
    assert (said.people, said.people_lost, said.names["p1"]) == (3, ("p2",), "Ana Ruiz")


def test_what_the_printers_printed_is_not_printed_again(folder: Path) -> None:
    with closing(sqlite3.connect(folder / DATABASE)) as connection:
        connection.execute("INSERT INTO print_state VALUES ('e1/pairings/1', 'printed', '', 'station-1')")
        connection.commit()
    rescue(folder)
    with closing(sqlite3.connect(folder.with_name("new") / DATABASE)) as connection:
        assert connection.execute("SELECT job, state FROM print_state").fetchall() == [("e1/pairings/1", "printed")]


@pytest.mark.parametrize(
    "strange",
    [
        {"entries": 5},
        {"entries": [5]},
        {"entries": [[]]},
        {"entries": ["venue"]},
        {"entries": [{"stream": "e1"}]},
        {"entries": [["e1", "one", [], {}, None, 5, "{", [], {}]]},
        {"people": [5]},
        {"people": [[]]},
        {"lineage": 5, "report": {}, "mac": []},
        {"people": [["e1", "p1", "salt", ["a list"]]]},
        {"people": [["e1", [], {}, "{}"]]},
        {"people": {"e1": 5}},
    ],
)
def test_a_stranger_s_copy_stops_nobody(tmp_path: Path, strange: object) -> None:
    """Anybody can put a file on a stick, with all its checksums."""
    chain, lines = "", []
    for said in ({"roundtap-copy": 1, "lineage": "our line", "epoch": "e"}, strange):
        text = json.dumps(said).encode()
        chain = hashlib.sha256(chain.encode() + text).hexdigest()[:32]
        lines.append(chain.encode() + b" " + text + b"\n")
    path = tmp_path / "roundtap-copy.journal"
    path.write_bytes(b"".join(lines))
    (lost := tmp_path / "lost").mkdir()
    said = rescue(lost, path, Path(__file__).with_name("older_copy.journal"))
    assert (len(said["e1"].entries), said["e1"].people, said["e1"].lacks) == (7, 3, False)
    with suppress(Problem):
        found = read_copy(path)
        assert found.lineage == "our line"


def report(report_id: str, match: str = "1.1", event: str = "e1") -> dict[str, object]:
    return {
        "report_id": report_id,
        "unit": "table-1",
        "event": event,
        "match": match,
        "side": "a",
        "revision": 0,
        "result": {"score": {"a": 100, "b": 24}},
    }


@pytest.mark.parametrize("name", [COPY_FILE, DATABASE, f"{DATABASE}-wal", "roundtap.head", "outbox.jsonl", "x.backup"])
@pytest.mark.parametrize("what", ["a FIFO", "4 GB"])
def test_what_is_no_ordinary_file_or_too_large_is_passed_over_and_said(tmp_path: Path, what: str, name: str) -> None:
    """A FIFO was opened, and the hub waited for ever; of 300 MB it took 610 MB."""
    (stick := tmp_path / "stick").mkdir()
    (stick / "roundtap-copy-old.journal").write_bytes(Path(__file__).with_name("older_copy.journal").read_bytes())
    if what == "a FIFO":
        os.mkfifo(stick / name)
    else:
        with open(stick / name, "xb") as file:
            file.truncate(4 << 30)
    made = recover([stick], tmp_path / "new", HandClock().clocks)
    assert ((stick / name), "unbounded") in made.notes
    assert [len(each.entries) for each in made.streams if each.stream == "e1"] == [7]


def test_of_many_files_the_newest_are_read_and_the_rest_is_said_and_counts_as_lacking(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two hundred backups of zeros took a quarter of an hour; smaller, older ones kept the newest copy out."""
    monkeypatch.setattr(recovery_sources, "TOTAL_BYTES_MAX", 30_000)
    (stick := tmp_path / "stick").mkdir()
    copy = stick / "roundtap-copy.journal"
    copy.write_bytes(Path(__file__).with_name("older_copy.journal").read_bytes() + bytes(12_000))
    os.utime(copy, (5000, 5000))
    for n in range(4):
        (stick / f"{n}.backup").write_bytes(bytes(10_000 + n))
        os.utime(stick / f"{n}.backup", (1000 + n, 1000 + n))
    made = recover([stick], tmp_path / "new", HandClock().clocks)
    assert [path.name for path, why in made.notes if why == "unbounded"] == ["2.backup", "1.backup", "0.backup"]
    assert [len(each.entries) for each in made.streams if each.stream == "e1"] == [7]
    assert made.lacks
    # What a person names is read, however large it is.
    named = recover([stick, *(stick / f"{n}.backup" for n in range(3))], tmp_path / "again", HandClock().clocks)
    assert [path.name for path, why in named.notes if why == "unbounded"] == []
    assert not named.lacks


def test_a_journal_s_log_counts_with_it(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is newer than its database, and may be larger."""
    database, log = folder / DATABASE, folder / LOG
    os.utime(database, (1000, 1000))
    size = database.stat().st_size + log.stat().st_size
    backups = sorted((folder / FOLDER).glob("*.backup"))
    monkeypatch.setattr(recovery_sources, "TOTAL_BYTES_MAX", size)
    assert recovery_sources.within_total([*backups, database], [], []) == [database]
    monkeypatch.setattr(recovery_sources, "TOTAL_BYTES_MAX", size - 1)
    assert database not in recovery_sources.within_total([*backups, database], [], [])


def test_of_a_file_with_more_rows_than_any_hub_has_no_more_are_taken_and_that_is_said(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of 120 MB of the smallest rows the hub took 2.4 GB."""
    monkeypatch.setattr(recovery_sources, "ROWS_MAX", 1000)
    (stick := tmp_path / "stick").mkdir()
    (stick / "roundtap-copy.journal").write_bytes(b"".join(b'["e1","p%d","salt","{}"]\n' % n for n in range(5000)))
    made = recover([folder, stick], tmp_path / "new", HandClock().clocks)
    assert (stick / "roundtap-copy.journal", "unbounded") in made.notes
    source = recovery_sources.read_source(stick / "roundtap-copy.journal", {})
    assert len(source.people) == 500, "each might be one of the staff, too"


def test_reports_that_units_keep_are_taken_and_others_left_to_their_units(folder: Path, tmp_path: Path) -> None:
    kept = [report("r1"), report("r2", match="9.9"), report("r3", event="e7"), {**report("r4"), "side": "b"}]
    lines = [{"report": each, "mac": sign(KEY, REPORT, each)} for each in kept]
    lines[3]["mac"] = "00" * 32
    outbox = tmp_path / "outbox.jsonl"
    outbox.write_text("".join(json.dumps(line) + "\n" for line in lines) + '{"fate": {}}\ntorn')
    said = rescue(folder, outbox)
    assert (said["e1"].taken, said["e1"].waiting, said["e1"].left, said["e7"].waiting) == (1, 1, 1, 1)
    assert in_new(folder)["e1"][-1].data["report_id"] == "r1"


def rewrite_chain(folder: Path, number: int, old: str, new: str) -> None:
    """Alter an entry's data and compute every later hash anew: the chain alone proves nothing."""
    with closing(sqlite3.connect(folder / DATABASE)) as connection:
        rows = connection.execute("SELECT * FROM entry WHERE stream = 'e1' ORDER BY number").fetchall()
        before = rows[number - 2][-1]
        for row in rows[number - 1 :]:
            fields = [*row[:6], row[6].replace(old, new) if row[1] == number else row[6], before]
            before = entry_hash(*fields)
            connection.execute(
                "UPDATE entry SET data = ?, prev = ?, hash = ? WHERE stream = 'e1' AND number = ?",
                (*fields[6:], before, row[1]),
            )
        connection.commit()
        # Nothing of the old chain is left on any page.
        connection.execute("VACUUM")
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")


def test_a_rewritten_chain_is_contradicted_by_the_head_file(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    shutil.rmtree(folder / FOLDER, ignore_errors=True)
    last = len(whole(folder)["e1"])
    rewrite_chain(folder, last - 10, "room", "hall")
    said = rescue(folder)["e1"]
    assert len(said.entries) == last
    assert said.contradicted == [(folder / "roundtap.head", last)]
    assert said.lacks
    shutil.rmtree(folder.with_name("new"))
    assert main(["recover", "--from", str(folder), "--data", str(folder.with_name("new"))]) == 1
    out = capsys.readouterr().out
    assert f"CONTRADICTED: {folder / 'roundtap.head'} has a different entry {last}." in out
    assert "No data is known to be lost" not in out


def test_what_the_head_file_names_wins_where_a_stick_still_holds_it(folder: Path, tmp_path: Path) -> None:
    streams = whole(folder)
    before = streams["e1"]
    with closing(FolderCopy(tmp_path, tmp_path, same_disk=True)) as stick:
        stick.open("line", "epoch")
        for stream, entries in streams.items():
            who = [person_row(record) for record in people(stream)] if stream != VENUE else []
            stick.write(CommitBatch(entries, who))
    shutil.rmtree(folder / FOLDER, ignore_errors=True)
    rewrite_chain(folder, len(before) - 10, "room", "hall")
    said = rescue(folder, tmp_path / COPY_FILE)["e1"]
    assert list(said.entries[: len(before)]) == before
    assert len(said.branch) == 11
    assert said.lacks


def test_a_rewritten_report_is_contradicted_by_its_unit_s_outbox(folder: Path, tmp_path: Path) -> None:
    """The head file is gone with it; the unit signed what it sent."""
    kept = report("r1")
    with closing(open_folder(folder, lambda _: None)) as hub:
        hub.service.execute([report_step(kept, digest(kept))], "organizer")
    number = len(whole(folder)["e1"])
    shutil.rmtree(folder.with_name("whole"))
    shutil.rmtree(folder / FOLDER, ignore_errors=True)
    (folder / "roundtap.head").unlink()
    outbox = tmp_path / "outbox.jsonl"
    outbox.write_text(json.dumps({"report": kept, "mac": sign(KEY, REPORT, kept)}) + "\n")
    assert rescue(folder, outbox)["e1"].contradicted == []
    shutil.rmtree(folder.with_name("new"))
    rewrite_chain(folder, number, '"b":24', '"b":42')
    assert rescue(folder, outbox)["e1"].contradicted == [(outbox, number)]
    shutil.rmtree(folder.with_name("new"))
    outbox.write_text(json.dumps({"report": kept, "mac": "00" * 32}) + "\n")
    assert rescue(folder, outbox)["e1"].contradicted == [], "anybody can write an outbox"


@pytest.mark.parametrize(
    ("prepare", "key"),
    [
        (lambda folder: folder.with_name("new").mkdir() or (folder.with_name("new") / "x").touch(), "folder_not_empty"),
        (lambda folder: [path.unlink() for path in folder.glob("roundtap.*")], "nothing_to_recover"),
    ],
)
def test_what_cannot_be_done_is_said(folder: Path, prepare: Callable[[Path], object], key: str) -> None:
    prepare(folder)
    with refused(key):
        rescue(folder)


@pytest.mark.parametrize("heads", ['{"e1": [1000000000000, "00"]}', '{"e1": ["many", "00"]}', '{"e1": 5}', "[]", "{"])
def test_what_a_stranger_s_backup_says_of_itself_stops_nobody(folder: Path, tmp_path: Path, heads: str) -> None:
    backup = make_backup(folder, tmp_path / "stick", HeadRecord("a hub"), "")
    with closing(sqlite3.connect(backup)) as connection:
        connection.execute("UPDATE backup_about SET value = ? WHERE key = 'heads'", (heads,))
        connection.commit()
    assert not rescue(folder, backup)["e1"].lacks
