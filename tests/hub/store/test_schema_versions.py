"""The form of a journal's tables: noted, brought to the program's own after a backup that leads back, never guessed."""

import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from forms_kit import FAILS, LATER, later_forms, later_program
from hub_kit import make_event
from sqlalchemy import MetaData, create_engine

import event_kit
from roundtap.main import main
from roundtap_core.errors import Problem
from roundtap_core.event import commands as c
from roundtap_core.event.entries import VENUE
from roundtap_core.version import version
from roundtap_core.words import LANGUAGES, core_words
from roundtap_hub.access.unit_keys import UnitKeys, take_key_file
from roundtap_hub.app.main import HubResources, open_folder
from roundtap_hub.app.standby.peers import StandbyFolder
from roundtap_hub.store.backups import (
    BEFORE_UPGRADE,
    back_up,
    back_up_before_upgrade,
    backups_in,
    make_backup,
    purge_older_backups,
    read_backup,
)
from roundtap_hub.store.head_file import HEAD_FILE, read_head_file
from roundtap_hub.store.journal import DATABASE, Head, Journal, sqlite_url
from roundtap_hub.store.models import CURRENT, create_all
from roundtap_hub.store.print_book import PrintBook

KEY = bytes(range(32))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "hub"
    made.mkdir()
    return made


@pytest.fixture
def hub(folder: Path, no_upkeep: None) -> Iterator[HubResources]:
    """With an event; closed by whoever takes it further."""
    with closing(open_folder(folder, lambda _: None)) as opened:
        make_event(opened.service)
        yield opened


@pytest.fixture
def rested(hub: HubResources, folder: Path) -> Path:
    """The folder of that hub, stopped."""
    hub.close()
    return folder


def rows(folder: Path, query: str) -> list[tuple[object, ...]]:
    with closing(sqlite3.connect(folder / DATABASE)) as connection:
        return connection.execute(query).fetchall()


def dump(folder: Path) -> list[str]:
    with closing(sqlite3.connect(folder / DATABASE)) as connection:
        return list(connection.iterdump())


def change(folder: Path, *statements: str) -> None:
    with closing(sqlite3.connect(folder / DATABASE)) as connection:
        for statement in statements:
            connection.execute(statement)
        connection.commit()


def as_before_forms(folder: Path) -> None:
    """What a hub of before this file left behind."""
    change(folder, "DROP TABLE alembic_version", "DROP TABLE written_by")


def heads(folder: Path) -> dict[str, Head]:
    with closing(Journal(sqlite_url(folder), read_only=True)) as journal:
        return journal.heads()


# --- forms noted --------------------------------------------------------------------------------------------------


FORM_0001 = """
CREATE TABLE alembic_version (version_num VARCHAR(32) NOT NULL PRIMARY KEY);
INSERT INTO alembic_version VALUES ('0001');
CREATE TABLE written_by (number INTEGER NOT NULL PRIMARY KEY, form VARCHAR NOT NULL, version VARCHAR NOT NULL);
CREATE TABLE entry (stream VARCHAR NOT NULL, number INTEGER NOT NULL, kind VARCHAR NOT NULL, version INTEGER NOT NULL,
    at VARCHAR NOT NULL, actor VARCHAR NOT NULL, data VARCHAR NOT NULL, prev VARCHAR NOT NULL, hash VARCHAR NOT NULL,
    PRIMARY KEY (stream, number));
CREATE TABLE person (event VARCHAR NOT NULL, competitor VARCHAR NOT NULL, salt VARCHAR NOT NULL, data VARCHAR NOT NULL,
    PRIMARY KEY (event, competitor));
CREATE TABLE checkpoint (event VARCHAR NOT NULL PRIMARY KEY, remaining_ms BIGINT NOT NULL, boot_id VARCHAR NOT NULL,
    mono_ms BIGINT NOT NULL);
CREATE TABLE seal (event VARCHAR NOT NULL PRIMARY KEY, number INTEGER NOT NULL, head VARCHAR NOT NULL,
    made_by VARCHAR NOT NULL, summary VARCHAR NOT NULL, state BLOB NOT NULL);
CREATE TABLE print_state (job VARCHAR NOT NULL PRIMARY KEY, state VARCHAR NOT NULL, detail VARCHAR NOT NULL,
    unit VARCHAR NOT NULL);
CREATE TABLE print_order (number INTEGER NOT NULL PRIMARY KEY, job VARCHAR NOT NULL, event VARCHAR NOT NULL,
    kind VARCHAR NOT NULL, round INTEGER NOT NULL, match VARCHAR);
CREATE TABLE print_setting (unit VARCHAR NOT NULL PRIMARY KEY, said VARCHAR NOT NULL);
CREATE TABLE print_text (job VARCHAR NOT NULL PRIMARY KEY, text VARCHAR NOT NULL);
"""
"""A database as the first program that counted forms made it."""


def test_a_new_journal_has_the_tables_that_every_form_one_after_the_other_would_have_made(tmp_path: Path) -> None:
    """Who changes models.py without a step meets this."""
    made, moved = MetaData(), MetaData()
    for name, into in (("made", made), ("moved", moved)):
        engine = create_engine(f"sqlite:///{tmp_path / name}.db")
        with closing(sqlite3.connect(tmp_path / f"{name}.db")) as connection:
            connection.executescript(
                FORM_0001 + "".join(f"{each};" for step in CURRENT.steps.values() for each in step)
                if name == "moved"
                else ""
            )
        if name == "made":
            with engine.begin() as connection:
                create_all(connection)
        into.reflect(engine)
        engine.dispose()

    def shape(tables: MetaData) -> dict[str, list[str]]:
        return {
            table.name: [
                f"{column.name} {column.type} {column.nullable} {column.primary_key}" for column in table.columns
            ]
            for table in tables.sorted_tables
            if table.name != "lineage"
        }

    assert shape(made) == shape(moved)


def test_a_new_journal_says_its_form_and_by_whom(rested: Path) -> None:
    assert rows(rested, "SELECT * FROM alembic_version") == [(CURRENT.newest,)]
    assert rows(rested, "SELECT form, version FROM written_by") == [(CURRENT.newest, version())]


def test_a_journal_of_before_forms_gets_its_form_and_keeps_everything(rested: Path) -> None:
    before = heads(rested)
    as_before_forms(rested)
    open_folder(rested, lambda _: None).close()
    assert rows(rested, "SELECT * FROM alembic_version") == [(CURRENT.newest,)]
    assert heads(rested) == before


def test_who_only_looks_changes_nothing(rested: Path) -> None:
    as_before_forms(rested)
    before = dump(rested)
    assert heads(rested)
    assert dump(rested) == before


def test_a_standby_s_journal_of_an_earlier_program_gets_a_print_book(rested: Path) -> None:
    """Only a hub made the print book's tables, at its start."""
    change(
        rested,
        *(f"DROP TABLE print_{name}" for name in ("state", "order", "text", "setting")),
        "UPDATE written_by SET version = '0.0.1'",
    )
    with closing(open_folder(rested, lambda _: None)):
        assert PrintBook(sqlite_url(rested)).orders == []


def as_of_form_0001(folder: Path) -> None:
    """As the program left it that kept units' keys in a file."""
    change(
        folder,
        "DROP TABLE unit_key",
        "DROP TABLE staff",
        "UPDATE alembic_version SET version_num = '0001'",
        "UPDATE written_by SET form = '0001'",
    )


def test_a_folder_of_form_0001_is_backed_up_opened_and_goes_on(rested: Path) -> None:
    (rested / "keys.json").write_text(json.dumps({"table-1": KEY.hex()}))
    as_of_form_0001(rested)
    before = heads(rested)
    assert before, "who only looks reads it as it is"
    with closing(open_folder(rested, lambda _: None)) as opened:
        take_key_file(rested, opened.service)
        assert dict(UnitKeys(opened.service)) == {"table-1": KEY}
        opened.service.execute_one("e1", c.SetEventDetails({"venue": "the new hall"}), "organizer")
    (kept,) = (rested / "backups" / BEFORE_UPGRADE / "0001").iterdir()
    assert read_backup(kept).heads == before
    assert "keys.json" in read_backup(kept).files
    assert rows(rested, "SELECT form, version FROM written_by") == [("0001", version()), ("0002", version())]


@pytest.mark.usefixtures("hub_here", "nobody_waits")
def test_a_damaged_page_of_keys_is_told_like_any_other_and_leaves_the_rest_to_recover(
    rested: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    with closing(open_folder(rested, lambda _: None)) as opened:
        UnitKeys(opened.service).enrol("table-1", "table", KEY)
    with open(rested / DATABASE, "r+b") as file:
        file.seek(file.read().index(KEY.hex().encode()) // 4096 * 4096)
        file.write(bytes(range(256)) * 16)
    assert main(["hub", "--data", str(rested), "--port", "0", "--secure-port", "0"]) == 0
    said = capfd.readouterr().err
    assert "roundtap.db is damaged" in said
    assert "Traceback" not in said
    assert main(["recover", "--from", str(rested), "--data", str(tmp_path / "new")]) == 1
    assert "keys or PINs. Create them again: table-1" in capfd.readouterr().out
    assert heads(tmp_path / "new")["e1"] == heads(rested)["e1"]


def test_a_standby_s_journal_of_form_0001_gets_a_print_book(rested: Path) -> None:
    as_of_form_0001(rested)
    change(rested, *(f"DROP TABLE print_{name}" for name in ("state", "order", "text", "setting")))
    with closing(open_folder(rested, lambda _: None)):
        assert PrintBook(sqlite_url(rested)).orders == []


# --- onwards ------------------------------------------------------------------------------------------------------


def test_a_later_form_comes_after_a_backup_that_the_hub_s_own_do_not_replace(rested: Path, tmp_path: Path) -> None:
    before, later = heads(rested), later_forms()
    made = back_up_before_upgrade(rested, read_head_file(rested / HEAD_FILE), "2026-11-22T10:00:00+00:00", later)
    Journal(sqlite_url(rested), migrations=later).close()

    assert made.parent == rested / "backups" / BEFORE_UPGRADE / CURRENT.newest
    assert made not in backups_in(rested / "backups")
    assert read_backup(made).heads == before
    assert rows(rested, "SELECT DISTINCT mood FROM person") == [("calm",)]
    assert rows(rested, "SELECT form, version FROM written_by") == [(CURRENT.newest, version()), ("0003", LATER)]
    with closing(Journal(sqlite_url(rested), migrations=later)) as journal:
        assert journal.heads() == before


def test_no_backup_is_made_where_nothing_moves(rested: Path, tmp_path: Path) -> None:
    assert back_up_before_upgrade(rested, None, "") is None
    assert back_up_before_upgrade(tmp_path / "new", None, "") is None
    assert not (rested / "backups" / BEFORE_UPGRADE).exists()


def test_a_form_that_fails_half_way_leaves_all_as_it_was(rested: Path, tmp_path: Path) -> None:
    before = dump(rested)
    with pytest.raises(Problem) as failed:
        Journal(sqlite_url(rested), migrations=later_forms(FAILS))
    assert failed.value.key == "journal_form_failed"
    assert failed.value.params["reason"] == "no such table: nowhere"
    assert dump(rested) == before
    open_folder(rested, lambda _: None).close()


def test_a_backup_that_cannot_be_made_keeps_the_journal_from_moving(rested: Path, tmp_path: Path) -> None:
    (rested / "backups").mkdir(exist_ok=True)
    (rested / "backups" / BEFORE_UPGRADE).write_text("in the way")
    with event_kit.refused("backup_failed"):
        back_up_before_upgrade(rested, None, "", later_forms())


def test_somebody_who_only_looks_is_told_that_the_form_is_an_earlier_one(rested: Path, tmp_path: Path) -> None:
    with pytest.raises(Problem) as refused:
        Journal(sqlite_url(rested), read_only=True, migrations=later_forms())
    assert (refused.value.key, refused.value.params["form"]) == ("journal_older", CURRENT.newest)


def test_the_backup_of_an_event_that_is_deleted_goes_as_well(rested: Path) -> None:
    kept, named = back_up(rested, ""), read_head_file(rested / HEAD_FILE)
    assert named is not None
    newest = make_backup(rested, rested / "backups", named, "")
    purge_older_backups(rested / "backups", newest)
    assert (newest.exists(), kept.exists()) == (True, False)


# --- back ---------------------------------------------------------------------------------------------------------


@pytest.fixture
def moved_on(rested: Path, tmp_path: Path) -> Path:
    """The folder after a later program had it."""
    Journal(sqlite_url(rested), migrations=later_forms()).close()
    return rested


@pytest.mark.usefixtures("hub_here")
def test_an_older_program_names_the_later_version_and_the_way_back(
    moved_on: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    before = dump(moved_on)
    assert main(["hub", "--data", str(moved_on), "--port", "0", "--secure-port", "0"]) == 2
    said = capfd.readouterr().err
    for words in (LATER, version(), "roundtap recover", "backups/before-upgrade/0002", "Nothing changed"):
        assert words in said
    assert dump(moved_on) == before


def test_the_refusal_is_said_in_every_language() -> None:
    said = Problem("journal_newer", form="0002", version=LATER, newest="0001", own="0.1")
    for language in LANGUAGES:
        text = said.say(core_words(language))
        assert "roundtap recover" in text
        assert "backups/before-upgrade/0001" in text


def test_the_older_program_goes_on_with_the_backup_from_before(
    rested: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    (rested / "keys.json").write_text('{"table-1": "00"}')
    before, events = heads(rested), events_in(rested)
    with later_program():
        with closing(open_folder(rested, lambda _: None)) as opened:
            opened.service.execute_one("e1", c.SetEventDetails({"venue": "the new hall"}), "organizer")
        # Somebody who goes back has the later program make one more, which must not take its place.
        assert back_up(rested, "").parent == rested / "backups" / BEFORE_UPGRADE / "0003"
    assert rows(rested, "SELECT * FROM alembic_version") == [("0003",)]

    (kept,) = (rested / "backups" / BEFORE_UPGRADE / CURRENT.newest).iterdir()
    assert main(["recover", "--from", str(kept), "--data", str(tmp_path / "back")]) == 0
    assert "Winter Open" in capfd.readouterr().out
    assert events_in(tmp_path / "back") == events
    assert {**heads(tmp_path / "back"), VENUE: before[VENUE]} == before
    assert (tmp_path / "back" / "keys.json").read_text() == '{"table-1": "00"}'
    open_folder(tmp_path / "back", lambda _: None).close()


def events_in(folder: Path) -> list[tuple[object, ...]]:
    """Every entry of the events, and every person."""
    return rows(folder, "SELECT * FROM entry WHERE stream != 'venue' ORDER BY stream, number") + rows(
        folder, "SELECT * FROM person ORDER BY event, competitor"
    )


def test_a_backup_of_the_later_form_is_refused_by_the_older_program(
    moved_on: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    made = back_up(moved_on, "")
    assert main(["recover", "--from", str(made), "--data", str(tmp_path / "back")]) == 2
    assert LATER in capfd.readouterr().err
    assert not (tmp_path / "back").exists()


def test_a_standby_keeps_a_backup_too(rested: Path, tmp_path: Path) -> None:
    with later_program(), closing(StandbyFolder(rested)) as standby:
        standby.open()
    (kept,) = (rested / "backups" / BEFORE_UPGRADE / CURRENT.newest).iterdir()
    assert read_backup(kept).heads.keys() == {"venue", "e1"}


# --- the command --------------------------------------------------------------------------------------------------


def test_a_running_hub_is_backed_up_by_a_command(
    hub: HubResources, folder: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    assert main(["backup", "--data", str(folder)]) == 0
    made = Path(capfd.readouterr().out.strip())
    assert made.parent == folder / "backups" / BEFORE_UPGRADE / CURRENT.newest
    assert read_backup(made).heads == heads(folder)


def test_no_backup_of_nothing(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["backup", "--data", str(tmp_path)]) == 2
    assert str(tmp_path) in capfd.readouterr().err
    assert list(tmp_path.iterdir()) == []
