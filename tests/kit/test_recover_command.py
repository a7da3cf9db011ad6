"""`roundtap recover`: one command makes a whole hub of whatever is left, and says what that is."""

import os
import re
import shutil
import sqlite3
import sys
from contextlib import closing
from functools import partial
from pathlib import Path

import pytest

from faults import fails
from roundtap.demo.demo import make_event
from roundtap.main import main
from roundtap_core.event import commands as c
from roundtap_core.event.commands import APPLY
from roundtap_core.event.entries import VENUE, NewEntry
from roundtap_core.records import Result, SidePair
from roundtap_core.words import LANGUAGES, catalogue
from roundtap_hub.app.main import open_folder
from roundtap_hub.store.backups import make_backup, purge_older_backups
from roundtap_hub.store.clocks import system_clocks
from roundtap_hub.store.continuing import MAKING, finish_continuing, recover_in_place
from roundtap_hub.store.head_file import HeadRecord, read_head_file
from roundtap_hub.store.journal import Journal
from roundtap_hub.store.read_model import read_venue
from roundtap_hub.store.recover import recover
from roundtap_hub.store.service import Step
from roundtap_hub.store.venue import EVENT_ARCHIVED, EVENT_DELETED, VENUE_KINDS, Venue


@pytest.fixture
def backup(tmp_path: Path) -> Path:
    hub = tmp_path / "hub"
    hub.mkdir()
    make_event(hub / "roundtap.db", 8, 4, "xwing-standard", name="Winter Open", event_id="ewinter")
    for name, content in (("keys.json", "{}"), ("pin", "a hash"), ("secret", "ab" * 32)):
        (hub / name).write_text(content)
        (hub / name).chmod(0o600)
    (hub / "tls").mkdir()
    (hub / "tls" / "ca.pem").write_text("a certificate")
    return make_backup(hub, tmp_path / "stick", HeadRecord("a hub", "old"), "2026-11-22T04:00")


def venue_of(folder: Path) -> Venue:
    with closing(Journal(f"sqlite:///{folder / 'roundtap.db'}", read_only=True)) as journal:
        return read_venue(journal, Venue())


def test_a_full_disk_is_told_with_its_place(
    backup: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("roundtap.headless.recover.recover", fails(OSError(28, "No space left on device")))
    assert main(["recover", "--from", str(backup), "--data", str(tmp_path / "card")]) == 2
    assert capsys.readouterr().err == f"roundtap recover: {tmp_path / 'card'}: No space left on device\n"


def test_a_backup_becomes_a_whole_folder_in_a_new_epoch(
    backup: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = venue_of(tmp_path / "hub")
    again = tmp_path / "another machine" / "roundtap-data"

    assert main(["recover", "--from", str(backup), "--data", str(again)]) == 0

    said = capsys.readouterr().out
    assert "ewinter · “Winter Open” · " in said
    assert f" · up to round 1\n  from {backup}: 1–" in said
    assert f"keys.json, pin, secret, tls/ca.pem: from {backup}" in said
    assert "No data is known to be lost." in said
    assert (again / "tls" / "ca.pem").read_text() == "a certificate"
    assert (again / "secret").read_text() == "ab" * 32
    assert [oct(path.stat().st_mode)[-3:] for path in (again, again / "pin", again / "roundtap.db")] == [
        "700",
        "600",
        "600",
    ]
    venue = venue_of(again)
    assert venue.restore_state.copy[VENUE] == (before.number, before.head)
    assert venue.epoch not in ("", before.epoch)
    assert (venue.number, venue.tables) == (before.number + 1, before.tables)
    head = read_head_file(again / "roundtap.head")
    assert (head.epoch, head.heads[VENUE].number) == (venue.epoch, venue.number)


def test_a_hub_starts_from_it(backup: Path, tmp_path: Path) -> None:
    assert main(["recover", "--from", str(backup), "--data", str(tmp_path / "again")]) == 0
    with closing(open_folder(tmp_path / "again", lambda _: None)) as opened:
        assert opened.service.snapshot.events["ewinter"].name == "Winter Open"
        assert opened.service.snapshot.venue.restore_state is not None


def test_a_backup_of_a_hub_that_was_restored_begins_another_epoch(backup: Path, tmp_path: Path) -> None:
    assert main(["recover", "--from", str(backup), "--data", str(tmp_path / "again")]) == 0
    second = make_backup(tmp_path / "again", tmp_path / "stick 2", HeadRecord("a hub", "new"), "")
    assert main(["recover", "--from", str(second), "--data", str(tmp_path / "third")]) == 0
    epochs = {venue_of(tmp_path / name).epoch for name in ("hub", "again", "third")}
    assert len(epochs) == 3
    with closing(Journal(f"sqlite:///{tmp_path / 'third' / 'roundtap.db'}", read_only=True)) as journal:
        assert [entry.kind for entry in journal.entries(VENUE)].count("epoch-begun") == 3


def refused(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    assert main(["recover", "--from", *words]) == 2
    said = capsys.readouterr()
    assert said.out == ""
    return said.err


def test_of_a_copied_database_it_is_said_that_nobody_can_tell_what_it_lacks(
    backup: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Copied while the hub ran, without its log, it had 0 of 749 results and looked whole."""
    with closing(open_folder(tmp_path / "hub", lambda _: None)) as opened:
        opened.service.execute_one("ewinter", c.EnterResult("1.1", 0, Result(score=SidePair(100, 0))), "organizer")
        shutil.copy(tmp_path / "hub" / "roundtap.db", tmp_path / "copied.db")
    main(["recover", "--from", str(tmp_path / "copied.db"), "--data", str(tmp_path / "again")])
    assert f"{tmp_path / 'copied.db'} is a copied journal without its head file" in capsys.readouterr().out


def test_where_nothing_of_a_hub_is_nothing_is_made(
    backup: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "text").write_text("not a database")
    (tmp_path / "empty").mkdir()
    again = str(tmp_path / "again")
    for name in ("text", "empty"):
        assert "No hub data is readable" in refused(capsys, str(tmp_path / name), "--data", again)
    assert "Plug the stick in, or leave this place out" in refused(capsys, str(tmp_path / "not there"), "--data", again)
    assert not (tmp_path / "again").exists()
    assert not list(tmp_path.glob(".*recovering"))


def test_an_altered_entry_costs_what_follows_it_and_all_of_that_is_said(
    backup: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with closing(sqlite3.connect(backup)) as connection:
        (last,) = connection.execute("SELECT max(number) FROM entry WHERE stream = 'ewinter'").fetchone()
        connection.execute("UPDATE entry SET data = '{}' WHERE stream = 'ewinter' AND number = 3")
        connection.commit()
    assert main(["recover", "--from", str(backup), "--data", str(tmp_path / "again")]) == 1
    said = capsys.readouterr().out
    assert "  LOST: entries found nowhere: 3\n" in said
    assert f"  LOST: entries 4–{last} follow lost ones and do not count. Enter them again:\n" in said
    assert "    #4 player registered · demo · competitor " in said
    assert "Some data is lost, or was not read: see above." in said


def test_two_hubs_are_never_mixed_and_one_of_them_can_be_chosen(
    backup: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "other").mkdir()
    make_event(tmp_path / "other" / "roundtap.db", 4, 2, "xwing-standard", name="Summer Open", event_id="esummer")
    make_backup(tmp_path / "other", tmp_path / "stick", HeadRecord("another hub", "old"), "2026-11-21T04:00")
    again = str(tmp_path / "again")
    said = refused(capsys, str(tmp_path / "stick"), "--data", again)
    assert "a hub: “Winter Open”" in said
    assert "another hub: “Summer Open”" in said
    assert main(["recover", "--from", str(tmp_path / "stick"), "--data", again, "--lineage", "another hub"]) == 0
    assert f"not used: {backup} belongs to another hub" in capsys.readouterr().out


def test_a_folder_that_is_not_empty_is_never_written_over(
    backup: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = (tmp_path / "hub" / "roundtap.db").read_bytes()
    assert "is not empty" in refused(capsys, str(backup), "--data", str(tmp_path / "hub"))
    assert (tmp_path / "hub" / "roundtap.db").read_bytes() == before


def test_an_empty_folder_is_filled(backup: Path, tmp_path: Path) -> None:
    (tmp_path / "again").mkdir()
    assert main(["recover", "--from", str(backup), "--data", str(tmp_path / "again")]) == 0
    assert venue_of(tmp_path / "again").restore_state is not None


@pytest.fixture
def services(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A systemctl that notes what it is told; returns its notes."""
    programs, told = tmp_path / "programs", tmp_path / "told"
    programs.mkdir()
    runs = f'[ $2 = "$(cat {programs}/runs)" ] && echo active'
    (programs / "systemctl").write_text(f'#!/bin/sh\ncase $1 in\nis-active) {runs};;\n*) echo "$@" >> {told};;\nesac\n')
    (programs / "runs").write_text("roundtap-hub.service")
    (programs / "systemctl").chmod(0o755)
    monkeypatch.setenv("PATH", f"{programs}:{os.environ['PATH']}")
    monkeypatch.setattr("roundtap.headless.recover.HUB_FOLDER", tmp_path / "card")
    return told


def new_card(folder: Path) -> Path:
    """A hub that has started once, and has no event yet."""
    folder.mkdir()
    open_folder(folder, lambda _: None).close()
    return folder


def recipes() -> list[tuple[str, list[str]]]:
    """Every `roundtap recover` of the documents, word by word."""
    return [
        (f"{document.name}: {line}", line.split()[1:])
        for document in sorted((Path(__file__).parents[2] / "systemd").glob("*.md"))
        for line in re.findall(r"sudo roundtap (recover [^`\n]+)", document.read_text())
    ]


@pytest.mark.parametrize(("recipe", "words"), recipes(), ids=[recipe for recipe, _ in recipes()])
def test_each_printed_line_brings_a_new_card_to_the_event(
    backup: Path, tmp_path: Path, services: Path, recipe: str, words: list[str]
) -> None:
    """VENUE's said "not empty", ADMIN's "several hubs": the empty hub of the new card counted."""
    card = new_card(tmp_path / "card")
    newer = card / "backups" / "before-upgrade" / "0001"
    newer.mkdir(parents=True)
    shutil.copy(backup, newer / "….backup")
    here = {"/var/lib/roundtap": str(card), "/media/roundtap": str(backup.parent)}
    typed = [re.sub("|".join(here), lambda place: here[place[0]], word) for word in words]

    assert main(["recover", *typed]) == 0

    assert services.read_text().splitlines() == ["stop roundtap-hub.service", "start roundtap-hub.service"]
    opened = open_folder(card, lambda _: None)
    opened.close()
    assert opened.service.snapshot.events["ewinter"].name == "Winter Open"
    assert (card / "pin").read_text() == "a hash"
    [aside] = (card / "backups" / "set-aside").iterdir()
    assert venue_of(aside).restore_state is None


def test_a_hub_that_runs_is_not_replaced_and_nothing_is_started_twice(
    backup: Path, tmp_path: Path, services: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """systemctl has not stopped it: somebody started it by hand."""
    card = tmp_path / "card"
    card.mkdir()
    with closing(open_folder(card, lambda _: None)):
        assert "Another hub uses the folder" in refused(capsys, str(backup), "--data", str(card), "--restart")
    assert not (card / "backups" / "continue").exists()
    assert not (card / "backups" / "set-aside").exists()


def test_where_nothing_can_be_made_the_hub_goes_on_as_it_was(
    tmp_path: Path, services: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    card, empty = new_card(tmp_path / "card"), tmp_path / "empty"
    empty.mkdir()
    before = (card / "roundtap.db").read_bytes()
    assert "No hub data is readable" in refused(capsys, str(empty), "--data", str(card), "--restart")
    assert (card / "roundtap.db").read_bytes() == before
    assert services.read_text().splitlines()[-1] == "start roundtap-hub.service"


def test_a_service_that_did_not_run_is_started_only_for_what_was_recovered(
    backup: Path, tmp_path: Path, services: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    card, empty = new_card(tmp_path / "card"), tmp_path / "empty"
    empty.mkdir()
    (tmp_path / "programs" / "runs").write_text("none")
    refused(capsys, str(empty), "--data", str(card), "--restart")
    assert services.read_text().splitlines() == ["stop roundtap-hub.service"]
    assert main(["recover", "--from", str(backup), "--data", str(card), "--restart"]) == 0
    assert services.read_text().splitlines()[-1] == "start roundtap-hub.service"


def test_of_another_folder_than_the_service_s_no_service_is_stopped_or_started(
    backup: Path, tmp_path: Path, services: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A copied folder, on the machine of a hub that runs."""
    copied = new_card(tmp_path / "copied")
    assert main(["recover", "--from", str(backup), str(copied), "--data", str(copied), "--restart"]) == 0
    assert not services.exists()
    assert f"Start it with: roundtap hub --data {copied}" in capsys.readouterr().out


def test_nothing_is_kept_and_nothing_said_of_it_where_nothing_stood(
    backup: Path, tmp_path: Path, services: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    card = tmp_path / "card"
    assert main(["recover", "--from", str(backup), "--data", str(card), "--restart"]) == 0
    said = capsys.readouterr().out
    assert "The hub is running again" in said
    assert "What was there" not in said
    assert not (card / "backups").exists()
    assert main(["recover", "--from", str(backup), "--data", str(card), "--restart"]) == 0
    [aside] = (card / "backups" / "set-aside").iterdir()
    assert f"What was there is kept in {aside}." in capsys.readouterr().out


def test_a_standby_that_the_hall_may_be_using_is_not_ended_for_it(
    backup: Path, tmp_path: Path, services: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "programs" / "runs").write_text("roundtap-standby.service")
    said = refused(capsys, str(backup), "--data", str(tmp_path / "card"), "--restart")
    assert "A standby runs on this machine" in said
    assert not services.exists(), "nothing was stopped or started"
    assert not (tmp_path / "card").exists()


def test_what_was_recovered_and_never_looked_at_takes_no_hub_s_place(backup: Path, tmp_path: Path) -> None:
    card = new_card(tmp_path / "card")
    before = (card / "roundtap.db").read_bytes()
    recover([backup], card / MAKING, system_clocks())
    assert finish_continuing(card) is None
    assert (card / "roundtap.db").read_bytes() == before


def test_a_recovery_that_was_cut_short_is_tried_again(
    backup: Path, tmp_path: Path, services: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    card = new_card(tmp_path / "card")
    with monkeypatch.context() as patch:
        patch.setattr("roundtap_hub.store.continuing.put_in_place", lambda *_: sys.exit("the power goes"))
        with pytest.raises(SystemExit):
            recover_in_place([backup], card)
    assert main(["recover", "--from", str(backup), "--data", str(card), "--restart"]) == 0
    with closing(open_folder(card, lambda _: None)) as opened:
        assert [event.name for event in opened.service.snapshot.events.values()] == ["Winter Open"]


def test_several_hubs_are_named_with_events_size_and_time(
    backup: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "other").mkdir()
    make_event(tmp_path / "other" / "roundtap.db", 4, 2, "xwing-standard", name="Summer Open", event_id="esummer")
    make_backup(tmp_path / "other", tmp_path / "stick", HeadRecord("another hub", "old"), "2026-11-21T04:00")
    make_backup(new_card(tmp_path / "card"), tmp_path / "stick", HeadRecord("an empty hub", "new"), "")
    said = refused(capsys, str(tmp_path / "stick"), "--data", str(tmp_path / "again"))
    assert re.search(r"a hub: “Winter Open” · \d+ · \d{4}-\d\d-\d\d \d\d:\d\d", said)
    assert re.search(r"another hub: “Summer Open” · \d+ · ", said)


@pytest.fixture
def set_aside(backup: Path, tmp_path: Path, services: Path) -> Path:
    """What stood in `card`, of the same hub, with two events; the hub there has deleted one since."""
    card = tmp_path / "card"
    make_event(tmp_path / "hub" / "roundtap.db", 4, 2, "xwing-standard", name="Summer Open", event_id="esummer")
    again = make_backup(tmp_path / "hub", tmp_path / "stick", HeadRecord("a hub", "old", 1), "")
    assert main(["recover", "--from", str(again), "--data", str(card)]) == 0
    assert main(["recover", "--from", str(again), "--data", str(card), "--restart"]) == 0
    with closing(open_folder(card, lambda _: None)) as hub:
        for command in (c.UnpublishRound(1, "a rehearsal"), c.DiscardDraft()):
            hub.service.execute_one("ewinter", command, "organizer")
        for kind in (EVENT_ARCHIVED, EVENT_DELETED):
            hub.service.execute([Step(VENUE, NewEntry(kind, {"event": "ewinter"}))], "organizer")
    [aside] = (card / "backups" / "set-aside").iterdir()
    return aside


def test_an_event_that_is_deleted_is_forgotten_in_what_was_set_aside_of_the_same_hub_and_nothing_else(
    set_aside: Path,
) -> None:
    with closing(Journal(f"sqlite:///{set_aside / 'roundtap.db'}", read_only=True)) as journal:
        assert set(journal.people()) == {"esummer"}
        assert {"ewinter", "esummer", VENUE} <= journal.heads().keys()


def test_what_was_to_be_printed_of_a_deleted_event_goes_from_a_set_aside_journal_too(
    set_aside: Path, tmp_path: Path
) -> None:
    with closing(sqlite3.connect(set_aside / "roundtap.db")) as old:
        for event in ("ewinter", "esummer"):
            old.execute("INSERT INTO print_text (job, text) VALUES (?, 'Ana Ruiz')", (f"{event}/words/1",))
        old.commit()
    purge_again(tmp_path / "card")
    with closing(sqlite3.connect(set_aside / "roundtap.db")) as old:
        assert old.execute("SELECT job FROM print_text").fetchall() == [("esummer/words/1",)]


def test_a_set_aside_journal_in_which_nothing_can_be_forgotten_goes_as_a_whole(set_aside: Path, tmp_path: Path) -> None:
    (set_aside / "roundtap.db").write_bytes(b"Ana Ruiz on a damaged page" * 1000)
    newest = next((tmp_path / "card" / "backups").glob("*.backup"))
    purge_older_backups(tmp_path / "card" / "backups", newest)
    assert [path.name for path in set_aside.glob("*.db*")] == []
    assert (set_aside / "pin").exists()


def purge_again(card: Path) -> None:
    purge_older_backups(card / "backups", next((card / "backups").glob("*.backup")))


def stored(set_aside: Path) -> bytes:
    return b"".join(file.read_bytes() for file in set_aside.glob("*.db*"))


@pytest.fixture
def named_again(set_aside: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """What was set aside while it still names somebody of the deleted event."""
    monkeypatch.setattr(sqlite3, "connect", partial(sqlite3.connect, timeout=0))
    with closing(sqlite3.connect(set_aside / "roundtap.db")) as journal:
        journal.execute("INSERT INTO person (event, competitor, salt, data) VALUES ('ewinter', 'p9', '', 'Zoe Quill')")
        journal.commit()
    return set_aside


def test_a_set_aside_journal_that_somebody_holds_is_kept_and_tried_again(named_again: Path, tmp_path: Path) -> None:
    with closing(sqlite3.connect(named_again / "roundtap.db")) as other:
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(sqlite3.OperationalError, match="locked"):
            purge_again(tmp_path / "card")
    purge_again(tmp_path / "card")
    assert b"Zoe Quill" not in stored(named_again)
    with closing(Journal(f"sqlite:///{named_again / 'roundtap.db'}", read_only=True)) as journal:
        assert set(journal.people()) == {"esummer"}


def test_a_person_whom_a_reader_keeps_in_the_file_is_tried_again(named_again: Path, tmp_path: Path) -> None:
    with closing(sqlite3.connect(named_again / "roundtap.db")) as reader:
        reader.execute("BEGIN")
        reader.execute("SELECT count(*) FROM person").fetchone()
        with pytest.raises(sqlite3.OperationalError, match="who reads it"):
            purge_again(tmp_path / "card")
        assert b"Zoe Quill" in stored(named_again)
    purge_again(tmp_path / "card")
    assert b"Zoe Quill" not in stored(named_again)


@pytest.mark.parametrize("spoil", ["DROP TABLE person", None])
def test_a_set_aside_journal_without_people_goes_and_nothing_is_left_to_try(
    set_aside: Path, tmp_path: Path, spoil: str | None
) -> None:
    if spoil:
        with closing(sqlite3.connect(set_aside / "roundtap.db")) as journal:
            journal.execute(spoil)
    else:
        (set_aside / "roundtap.db").unlink()
    for _ in range(2):
        purge_again(tmp_path / "card")
        assert list(set_aside.glob("*.db*")) == []


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("kind", sorted({*APPLY, *VENUE_KINDS}))
def test_every_kind_of_entry_has_its_words_where_somebody_is_to_enter_it_again(kind: str, language: str) -> None:
    assert f"recover.kind.{kind}" in catalogue("roundtap", language)


def test_a_hub_that_never_had_a_stick_is_recovered_by_the_same_line(
    backup: Path, tmp_path: Path, services: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Only a stick makes /media/roundtap."""
    card, stick = new_card(tmp_path / "card"), tmp_path / "never plugged in"
    shutil.copytree(backup.parent, card / "backups", dirs_exist_ok=True)
    for each in card.glob("roundtap.*"):
        each.unlink()
    assert main(["recover", "--from", str(stick), str(card), "--data", str(card), "--restart"]) == 0
    said = capsys.readouterr().out
    assert f"not there: {stick}\n" in said
    assert "No data is known to be lost." in said
    assert services.read_text().splitlines() == ["stop roundtap-hub.service", "start roundtap-hub.service"]


def test_where_no_place_is_there_the_hub_is_not_even_stopped(
    tmp_path: Path, services: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    card, missing = new_card(tmp_path / "card"), tmp_path / "not there"
    said = refused(capsys, str(missing), "--data", str(card), "--restart")
    assert "Plug the stick in, or leave this place out" in said
    assert str(missing) in said
    assert not services.exists()
