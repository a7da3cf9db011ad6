"""A hub made of an older backup: whom somebody took out since stays out, wherever that can still be read."""

import json
import os
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from roundtap_core.event.entries import VENUE
from roundtap_hub.access.personal_links import PersonalLinks
from roundtap_hub.access.staff import Staff
from roundtap_hub.access.unit_keys import TABLE, UnitKeys, take_key_file
from roundtap_hub.app.main import HubResources, open_folder
from roundtap_hub.http.routes import JUDGE, SCOREKEEPER
from roundtap_hub.store.backups import COPIES_FOLDER, FOLDER, make_backup
from roundtap_hub.store.clocks import Clocks
from roundtap_hub.store.copies import CommitBatch
from roundtap_hub.store.folder_copy import COPY_FILE, FolderCopy
from roundtap_hub.store.head_file import HEAD_FILE, HeadRecord, read_head_file
from roundtap_hub.store.journal import DATABASE
from roundtap_hub.store.recover import recover
from roundtap_hub.store.service import Step
from roundtap_hub.store.venue import unit_placed_entry

KEY, OTHER = bytes(range(32)), bytes(range(50, 82))
JOURNAL, BACKUP, COPY, ASIDE = "the journal itself", "a newer backup", "the copy", "a copy put aside"
BESIDE = "the journal in the same folder"
NOWHERE = "nowhere"
CLOCKS = Clocks("boot", lambda: 1, lambda: None)
WHERE = [JOURNAL, BESIDE, BACKUP, COPY, ASIDE, NOWHERE]
PHONE, STRANGER = "a phone that scanned", "a phone that scanned too late"


class Evening:
    """A hub with two units, two judges and two players' links, its backup of then, and what was taken back since."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.stick = folder / "hub", folder / "stick"
        self.folder.mkdir(parents=True)
        self.stick.mkdir()
        with closing(self.opened()) as hub:
            for unit, key in (("table-1", KEY), ("table-2", OTHER)):
                UnitKeys(hub.service).enrol(unit, TABLE, key)
            staff = Staff(hub.service)
            (self.eva, self.hers), (self.kai, self.his) = staff.add("Eva", JUDGE), staff.add("Kai", JUDGE)
            links = links_of(hub)
            self.taken, self.kept = links.give("e1", "p1"), links.claim_by_slip("e1", "p2", PHONE)
        self.older = self.backup(self.stick / COPIES_FOLDER)
        with closing(self.opened()) as hub:
            UnitKeys(hub.service).revoke("table-1")
            staff = Staff(hub.service)
            staff.revoke(self.eva.id)
            staff.change_role(self.kai.id, SCOREKEEPER)
            self.added = UnitKeys(hub.service).add("table-3")
            links_of(hub).revoke("e1", "p1")
            links_of(hub).claim_by_slip("e1", "p3", PHONE)
            self.entries = list(hub.service.entries(VENUE))

    def opened(self) -> HubResources:
        return open_folder(self.folder, lambda _: None)

    @property
    def named(self) -> HeadRecord:
        named = read_head_file(self.folder / HEAD_FILE)
        assert named is not None
        return named

    def backup(self, to: Path) -> Path:
        return make_backup(self.folder, to, self.named, "")

    def copy(self, lineage: str = "") -> Path:
        with closing(FolderCopy(self.stick, self.folder, same_disk=True)) as copy:
            copy.open(lineage or self.named.lineage, self.named.epoch)
            copy.write(CommitBatch(self.entries))
        return self.stick / COPY_FILE

    def as_known(self, where: str) -> Path:
        """The older backup, and beside it whatever else there is."""
        if where == JOURNAL:
            (self.folder / FOLDER).mkdir()
            return Path(shutil.copy(self.older, self.folder / FOLDER))
        if where == BESIDE:
            return Path(shutil.copy(self.older, self.folder))
        if where == BACKUP:
            self.backup(self.stick / COPIES_FOLDER)
        elif where in (COPY, ASIDE):
            path = self.copy()
            if where == ASIDE:
                path.rename(path.with_name("roundtap-copy-an-epoch.aside"))
        return self.older


def links_of(hub: HubResources) -> PersonalLinks:
    return PersonalLinks(hub.service, b"s" * 32, lambda: 0)


@pytest.fixture
def evening(tmp_path: Path, no_upkeep: None) -> Evening:
    return Evening(tmp_path)


def came_back(evening: Evening, backup: Path, new: Path) -> tuple[dict[str, bytes], list[tuple[str, str] | None]]:
    """Units with their keys, and whom the two PINs open the door for in which role, at the hub made of the backup."""
    recover([backup], new, CLOCKS)
    with closing(open_folder(new, lambda _: None)) as hub:
        take_key_file(new, hub.service)
        staff = Staff(hub.service)
        found = [staff.person_of(pin) for pin in (evening.hers, evening.his)]
        keys = dict(UnitKeys(hub.service))
    return keys, [person and (person.name, person.role) for person in found]


@pytest.mark.parametrize("where", WHERE)
def test_what_was_revoked_since_an_older_backup_stays_revoked_where_anybody_still_knows(
    evening: Evening, tmp_path: Path, where: str
) -> None:
    keys, people = came_back(evening, evening.as_known(where), tmp_path / "new")
    if where == NOWHERE:
        assert (keys, people) == ({"table-1": KEY, "table-2": OTHER}, [("Eva", JUDGE), ("Kai", JUDGE)])
        return
    # A copy has entries and people only.
    assert keys == {"table-2": OTHER, **({"table-3": evening.added} if where in (JOURNAL, BESIDE, BACKUP) else {})}
    assert people == [None, ("Kai", SCOREKEEPER)]


@pytest.mark.parametrize("where", WHERE)
def test_a_link_that_was_taken_back_since_opens_nothing_where_anybody_still_knows_and_no_slip_gives_one_twice(
    evening: Evening, tmp_path: Path, where: str
) -> None:
    recover([evening.as_known(where)], tmp_path / "new", CLOCKS)
    evening.folder = tmp_path / "new"
    with closing(evening.opened()) as hub:
        links = links_of(hub)
        assert links.path("e1", "p2") == evening.kept
        assert links.claim_by_slip("e1", "p2", STRANGER) is None
        assert (links.path("e1", "p1") == evening.taken) == (where == NOWHERE)
        assert links.is_given("e1", "p1") == (where == NOWHERE)
        assert (links.claim_by_slip("e1", "p3", STRANGER) is None) == (where != NOWHERE)


def test_a_rehearsal_on_another_machine_gives_nobody_a_link_and_may_take_one_back(
    evening: Evening, tmp_path: Path
) -> None:
    came_back(evening, evening.older, tmp_path / "home")
    hall, evening.folder = evening.folder, tmp_path / "home"
    with closing(evening.opened()) as hub:
        links_of(hub).revoke("e1", "p2")
        links_of(hub).claim_by_slip("e1", "p4", STRANGER)
    evening.backup(evening.stick / COPIES_FOLDER)
    evening.folder = hall
    backup = evening.backup(evening.stick / COPIES_FOLDER)
    recover([backup], tmp_path / "new", CLOCKS)
    evening.folder = tmp_path / "new"
    with closing(evening.opened()) as hub:
        links = links_of(hub)
        assert links.path("e1", "p2") != evening.kept
        assert links.path("e1", "p1") != evening.taken
        assert [links.is_given("e1", who) for who in ("p2", "p3", "p4")] == [False, True, False]
        assert links.claim_by_slip("e1", "p4", PHONE)


def test_an_older_end_takes_back_nothing_that_was_said_after_a_restore(evening: Evening, tmp_path: Path) -> None:
    """It is longer than the newer one: numbers alone would put its words last."""
    evening.backup(evening.stick / COPIES_FOLDER)
    came_back(evening, evening.older, tmp_path / "new")
    older_end, evening.folder = evening.folder, tmp_path / "new"
    with closing(evening.opened()) as hub:
        UnitKeys(hub.service).revoke("table-2")
        Staff(hub.service).revoke(evening.kai.id)
    evening.folder = older_end
    with closing(evening.opened()) as hub:
        for table in range(40, 60):
            hub.service.execute([Step(VENUE, unit_placed_entry("table-3", table))], "organizer")
        UnitKeys(hub.service).replace("table-2")
        _, pin = Staff(hub.service).replace_pin(evening.kai.id)
    evening.backup(evening.stick / COPIES_FOLDER)
    evening.folder = tmp_path / "new"
    keys, people = came_back(evening, evening.backup(evening.stick / COPIES_FOLDER), tmp_path / "newest")
    assert keys == {"table-3": evening.added}
    assert people == [None, None]
    evening.folder = tmp_path / "newest"
    with closing(evening.opened()) as hub:
        assert Staff(hub.service).person_of(pin) is None


def test_a_rehearsal_on_another_machine_gives_nobody_a_key_and_may_take_one_away(
    evening: Evening, tmp_path: Path
) -> None:
    """Made of the older backup, it is of a later epoch than the hub in the hall, which goes on as it is."""
    came_back(evening, evening.older, tmp_path / "home")
    hall, evening.folder = evening.folder, tmp_path / "home"
    with closing(evening.opened()) as hub:
        UnitKeys(hub.service).enrol("table-1", TABLE, bytes(32), replaces=True)
        UnitKeys(hub.service).revoke("table-2")
    evening.backup(evening.stick / COPIES_FOLDER)
    evening.folder = hall
    backup = evening.backup(evening.stick / COPIES_FOLDER)
    assert came_back(evening, backup, tmp_path / "new")[0] == {"table-3": evening.added}


def test_a_row_that_is_none_does_not_keep_a_backup_from_being_used(evening: Evening, tmp_path: Path) -> None:
    with sqlite3.connect(evening.folder / DATABASE) as connection:
        connection.execute("UPDATE unit_key SET key = X'00ff' WHERE unit = 'table-2'")
        connection.execute("UPDATE staff SET name = X'00ff' WHERE name = 'Kai'")
    backup = evening.backup(tmp_path / "elsewhere")
    assert came_back(evening, backup, tmp_path / "new") == ({"table-3": evening.added}, [None, None])


def test_a_unit_that_is_enrolled_again_after_a_restore_keeps_its_key_at_the_next_one(
    evening: Evening, tmp_path: Path
) -> None:
    """At the first restore nobody had the key of which a copy knew: that was no revocation."""
    evening.copy()
    came_back(evening, evening.older, tmp_path / "new")
    evening.folder = tmp_path / "new"
    between = evening.backup(evening.stick / COPIES_FOLDER)
    with closing(evening.opened()) as hub:
        UnitKeys(hub.service).enrol("table-3", TABLE, bytes(32))
    assert between.exists()
    backup = evening.backup(evening.stick / COPIES_FOLDER)
    assert came_back(evening, backup, tmp_path / "newest")[0] == {"table-2": OTHER, "table-3": bytes(32)}


@pytest.mark.skipif(os.getuid() != 0, reason="only root can give a file away")
def test_a_file_of_somebody_else_s_is_not_believed(evening: Evening, tmp_path: Path) -> None:
    os.chown(evening.backup(evening.stick / COPIES_FOLDER), 4711, 4711)
    assert came_back(evening, evening.older, tmp_path / "new")[0] == {"table-1": KEY, "table-2": OTHER}


def test_a_row_from_before_the_revocation_is_empty_in_the_hub_that_is_made(evening: Evening, tmp_path: Path) -> None:
    evening.backup(evening.stick / COPIES_FOLDER)
    came_back(evening, evening.older, tmp_path / "new")
    with sqlite3.connect(tmp_path / "new" / DATABASE) as connection:
        assert dict(connection.execute("SELECT unit, key FROM unit_key"))["table-1"] == ""
        assert dict(connection.execute("SELECT name, hashed FROM staff"))["Eva"] == ""


def test_another_hub_s_stick_says_nothing_of_this_one_and_a_spoilt_file_stops_nobody(
    evening: Evening, tmp_path: Path
) -> None:
    other = Evening(tmp_path / "another hub")
    evening.entries = other.entries
    evening.copy(other.named.lineage)
    (evening.stick / COPIES_FOLDER / "spoilt.backup").write_bytes(b"SQLite format 3\0" + bytes(5000))
    (evening.stick / DATABASE).write_text("no database")
    (evening.stick / "roundtap-copy-x.aside").write_text("no copy")
    assert came_back(evening, evening.older, tmp_path / "new")[0] == {"table-1": KEY, "table-2": OTHER}


def test_a_key_file_in_an_older_backup_revives_no_unit(evening: Evening, tmp_path: Path) -> None:
    """Its journal did not have these keys yet."""
    evening.folder, evening.stick = tmp_path / "earlier", tmp_path / "other"
    for made in (evening.folder, evening.stick):
        made.mkdir()
    evening.opened().close()
    (evening.folder / "keys.json").write_text(json.dumps({"table-1": KEY.hex(), "table-2": OTHER.hex()}))
    older = evening.backup(evening.stick / COPIES_FOLDER)
    with closing(evening.opened()) as hub:
        take_key_file(evening.folder, hub.service)
        UnitKeys(hub.service).revoke("table-1")
        evening.entries = list(hub.service.entries(VENUE))
    evening.copy()
    assert came_back(evening, older, tmp_path / "new") == ({"table-2": OTHER}, [None, None])
