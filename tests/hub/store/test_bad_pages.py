"""Every page of a real journal is spoiled in turn: the hub serves with everything saved, or refuses with the next step.

A few pages each time, all of them in the long campaign.
"""

import random
import re
import shutil
import sqlite3
import tempfile
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest
from hub_kit import event_steps, make_event, people

import event_kit
from faults import fails
from roundtap.main import main
from roundtap_core.errors import Problem
from roundtap_core.event import commands as c
from roundtap_core.event.entries import VENUE, NewEntry
from roundtap_hub.access.staff import Staff
from roundtap_hub.access.unit_keys import STATION, TABLE, UnitKeys
from roundtap_hub.app.main import open_folder
from roundtap_hub.http.routes import JUDGE
from roundtap_hub.store.backups import Maintenance
from roundtap_hub.store.continuing import DAMAGED_FOLDER, MENDED
from roundtap_hub.store.journal import JournalConflict
from roundtap_hub.store.print_book import PrintJob, PrintState
from roundtap_hub.store.secure_files import DAMAGED, fault_kind
from roundtap_hub.store.service import Step
from roundtap_hub.store.venue import EVENT_ARCHIVED

DATABASE, PAGE = "roundtap.db", 4096
WAYS = ("zeroed", "flipped", "exchanged")
REFUSED = ("entry", "person", "unit_key", "staff", "alembic_version", "sqlite_schema")
"""What nothing else holds, as server/CODE.md says; all other tables can be made anew."""


pytestmark = pytest.mark.usefixtures("no_upkeep")


@pytest.fixture(scope="session")
def played(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A hub's folder in which every table has rows, shut down in mid-round."""
    folder = tmp_path_factory.mktemp("bad-pages") / "hub"
    folder.mkdir()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Maintenance, "start", lambda _: None)
        with closing(open_folder(folder, lambda _: None)) as hub:
            keys = UnitKeys(hub.service)
            for unit in ("table-1", "table-2"):
                keys.enrol(unit, TABLE, bytes(range(32)))
            keys.enrol("station-1", STATION, bytes(range(1, 33)))
            make_event(hub.service)
            for n in range(12):
                hub.service.execute_one("e1", c.SetEventDetails({"venue": f"room {n}", "organizer": "ł" * 400}), "ana")
            hub.service.execute(event_steps("e2"), "organizer", people("e2"))
            Staff(hub.service).add("Ana", JUDGE)
            hub.service.execute([Step(VENUE, NewEntry(EVENT_ARCHIVED, {"event": "e2"}))], "organizer")
            hub.service.snapshotter.snapshot_due()
            hub.service.execute([], "the snapshot is written")
            hub.service.execute_one("e1", c.SetClock("start"), "organizer")
            hub.service.checkpoint()
            hub.paper.order(PrintJob("e1/free/1", "e1", "free", 1, None, "A text"))
            hub.paper.update_states([("e1/free/1", PrintState("failed", "no paper", "station-1"))])
            hub.paper.save_printer_order("station-1", {"width": 32})
    return folder


def rows(database: Path, *tables: str) -> dict[str, list[tuple[object, ...]]]:
    with closing(sqlite3.connect(f"file:{database}?mode=ro", uri=True)) as connection:
        connection.text_factory = bytes
        return {table: sorted(connection.execute(f"SELECT * FROM {table} NOT INDEXED")) for table in tables}


def owners(database: Path) -> dict[int, tuple[str, bool]]:
    """By page: the table that it belongs to, and whether it is one of its index; "" for a page of nobody."""
    with closing(sqlite3.connect(database)) as connection:
        tables = dict(connection.execute("SELECT name, tbl_name FROM sqlite_master"))
        found = connection.execute("SELECT pageno, name FROM dbstat").fetchall()
    last = database.stat().st_size // PAGE
    known = {page: (tables.get(name, name), name.startswith("sqlite_auto")) for page, name in found}
    return {page: known.get(page, ("", True)) for page in range(1, last + 1)}


def spoil(database: Path, way: str, page: int, other: int, chance: random.Random) -> None:
    data = bytearray(database.read_bytes())
    one, two = (slice((number - 1) * PAGE, number * PAGE) for number in (page, other))
    if way == "zeroed":
        data[one] = bytes(PAGE)
    elif way == "exchanged":
        data[one], data[two] = data[two], data[one]
    else:
        for bit in chance.sample(range(PAGE * 8), 8):
            data[one.start + bit // 8] ^= 1 << bit % 8
    database.write_bytes(data)


def recover_line(folder: str) -> str:
    """The one line that goes on with what is left, as systemd/ADMIN.md prints it."""
    return f"sudo roundtap recover --from /media/roundtap {folder} --data {folder} --restart"


def is_spared(owner: tuple[str, bool]) -> bool:
    """Whether the hub must serve without this page."""
    table, in_index = owner
    return table not in REFUSED or in_index


def cases(played: Path, seed: int = 0) -> Iterator[tuple[str, int, int, random.Random]]:
    last = (played / DATABASE).stat().st_size // PAGE
    for way in WAYS:
        for page in range(1, last + 1):
            chance = random.Random(f"{way} {page} {seed}")
            yield way, page, chance.choice([other for other in range(1, last + 1) if other != page]), chance


def test_verify_names_the_next_step_where_it_cannot_read_the_streams_itself(
    played: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    index = next(page for page, owner in owners(played / DATABASE).items() if owner == ("entry", True))
    shutil.copytree(played, tmp_path / "hub", ignore=shutil.ignore_patterns("*.lock"))
    spoil(tmp_path / "hub" / DATABASE, "zeroed", index, index, random.Random(1))
    assert main(["journal", "verify", "--data", str(tmp_path / "hub")]) == 1
    assert "Restart the hub" in capsys.readouterr().out


@pytest.mark.parametrize("table", ["person", "entry", "sqlite_schema"])
def test_verify_lists_what_is_left_of_a_journal_that_is_refused(
    played: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], table: str
) -> None:
    """Where it had sent in a circle, to `journal verify` itself."""
    page = max(page for page, owner in owners(played / DATABASE).items() if owner == (table, False))
    shutil.copytree(played, tmp_path / "hub", ignore=shutil.ignore_patterns("*.lock"))
    spoil(tmp_path / "hub" / DATABASE, "zeroed", page, page, random.Random(1))
    assert main(["journal", "verify", "--data", str(tmp_path / "hub")]) == 1
    told = capsys.readouterr()
    assert re.search(r"^e1 · “Winter Open” · \d+ entries", told.out, re.MULTILINE)
    assert f"from {tmp_path / 'hub' / DATABASE}: 1" in told.out
    assert recover_line(str(tmp_path / "hub")) in told.err
    assert main(["journal", "verify", "--data", str(tmp_path / "hub"), "--format", "json"]) == 1
    for_programs = capsys.readouterr()
    assert (for_programs.out, for_programs.err) == ("", told.out + told.err)


@pytest.mark.parametrize("shard", range(4))
def test_of_every_page_the_next_step_is_one_and_no_text_names_a_temporary_file(
    played: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], shard: int
) -> None:
    passing = tmp_path / "passing"
    passing.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(passing))
    for page, owner in list(owners(played / DATABASE).items())[shard::4]:
        folder = tmp_path / f"hub-{page}"
        shutil.copytree(played, folder, ignore=shutil.ignore_patterns("*.lock"))
        spoil(folder / DATABASE, "zeroed", page, page, random.Random(1))
        verified = main(["journal", "verify", "--data", str(folder)])
        told = capsys.readouterr()
        looked, started = told.out + told.err, ""
        try:
            open_folder(folder, lambda _: None).close()
        except Problem as refused:
            started = str(refused)
        for said in (looked, started):
            assert not any(each in said for each in (str(passing), MENDED, "-wal", "journal verify")), (owner, said)
        steps = ["Restart the hub" in looked, recover_line(str(folder)) in looked]
        assert steps == [bool(verified) and not started, bool(started)], (owner, looked)
        assert looked.count("recover --from") == started.count("recover --from") == bool(started), (owner, looked)


def check(played: Path, folder: Path, case: tuple[str, int, int, random.Random]) -> None:
    """Spoil one page, verify, start, write, start again."""
    way, page, other, chance = case
    shutil.copytree(played, folder, ignore=shutil.ignore_patterns("*.lock"))
    database = folder / DATABASE
    owner = owners(database)
    told = f"{way} page {page} of {owner[page]}" + (f" with {other} of {owner[other]}" if way == "exchanged" else "")
    before = rows(database, "entry", "person", "unit_key", "staff", "lineage")
    spoil(database, way, page, other, chance)
    spoilt = database.read_bytes()
    verified = main(["journal", "verify", "--data", str(folder)])
    assert database.read_bytes() == spoilt, f"{told}: looking changes nothing"
    hub = refused = None
    try:
        hub = open_folder(folder, lambda _: None)
    except Problem as problem:
        refused = problem
    if hub is None:
        assert fault_kind(refused) == DAMAGED, told
        # As the hub's log says it, which knows the folder.
        said = str(refused.replace(refused.where, folder=str(folder)))
        assert said.count(recover_line(str(folder))) == 1, f"{told}: {said}"
        assert not any(each in said for each in (MENDED, "-wal", "journal verify", "Restart")), f"{told}: {said}"
        assert verified != 0, told
        touched = [owner[each] for each in ((page, other) if way == "exchanged" else (page,))]
        assert not all(map(is_spared, touched)), f"{told}: {refused}"
        assert database.read_bytes() == spoilt, told
        return
    try:
        mended = hub.service.storage.mended
        # A snapshot that does not unpack is folded again where it stands; an altered key or PIN costs itself alone.
        told_only = way == "flipped" and owner[page][0] in ("seal", "unit_key", "staff")
        assert verified == (1 if mended or (verified and told_only) else 0), f"{told}: {mended}"
        after = rows(database, *before)
        altered = [table for table in before if after[table] != before[table]]
        assert not altered or (altered == [owner[page][0]] and told_only and verified), f"{told}: {altered}"
        aside = sorted((folder / "backups" / DAMAGED_FOLDER).glob("*.backup"))
        assert [each.read_bytes() for each in aside] == ([spoilt] if mended else []), told
        hub.service.execute_one("e1", c.SetClock("adjust", 60_000), "organizer")
        hub.service.checkpoint()
        assert hub.service.storage.fault == "", told
        assert not hub.service.must_reopen, told
        hub.paper.order(PrintJob("e1/free/2", "e1", "free", 1, None, "A text"))
        hub.service.snapshotter.snapshot_due()
        assert [state.name for state in hub.service.snapshot.events.values()] == ["Winter Open"], told
        assert hub.service.snapshot.event("e2") is not None
    finally:
        hub.close()
    with closing(open_folder(folder, lambda _: None)) as hub:
        assert not hub.service.storage.mended, f"{told}: the second start finds a whole file"


def test_a_dozen_bad_pages(played: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    for number, case in enumerate(random.Random(7).sample(list(cases(played)), 12)):
        check(played, tmp_path / f"hub-{number}", case)
    assert [record for record in caplog.records if record.exc_info] == []


@pytest.mark.parametrize("way", WAYS)
def test_a_bad_page_of_the_clock_s_notes_costs_nothing(played: Path, tmp_path: Path, way: str) -> None:
    """Where it had stopped for good: "the card fails, not the journal"."""
    mine = [page for page, owner in owners(played / DATABASE).items() if owner[0] == "checkpoint"]
    assert len(mine) == 2
    for page in mine:
        check(played, tmp_path / f"{page}", (way, page, sum(mine) - page, random.Random(page)))


@pytest.mark.long
@pytest.mark.parametrize("seed", range(8))
def test_every_page_zeroed_flipped_and_exchanged(
    played: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture, seed: int
) -> None:
    for number, case in enumerate(cases(played, seed)):
        check(played, tmp_path / f"hub-{number}", case)
    assert [record for record in caplog.records if record.exc_info] == []


@pytest.fixture
def recovery_refused(played: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], Path]:
    """A folder whose journal would be made anew, were it not for this refusal of SQLite's."""

    def make(code: str) -> Path:
        index = next(page for page, owner in owners(played / DATABASE).items() if owner == ("entry", True))
        shutil.copytree(played, tmp_path / "hub", ignore=shutil.ignore_patterns("*.lock"))
        spoil(tmp_path / "hub" / DATABASE, "zeroed", index, index, random.Random(1))
        monkeypatch.setattr(
            "roundtap_hub.store.continuing.recover", fails(JournalConflict("nothing was written", code))
        )
        return tmp_path / "hub"

    return make


def test_a_full_disk_is_told_as_one_where_the_journal_would_be_made_anew(
    recovery_refused: Callable[[str], Path],
) -> None:
    folder = recovery_refused("SQLITE_FULL")
    with event_kit.refused("disk_full"):
        open_folder(folder, lambda _: None)
    assert not (folder / MENDED).exists()


@pytest.mark.parametrize("code", ["", "SQLITE_CONSTRAINT_PRIMARYKEY"])
def test_a_bug_is_not_told_as_a_failing_card(recovery_refused: Callable[[str], Path], code: str) -> None:
    folder = recovery_refused(code)
    with pytest.raises(JournalConflict):
        open_folder(folder, lambda _: None)
    assert not (folder / MENDED).exists()
