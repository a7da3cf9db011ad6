"""A shortened journal is never taken for a whole one: what the head file names must be there when a hub starts."""

import os
import shutil
import sqlite3
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from hub_kit import event_steps, head_is_noted, make_event, people

import event_kit
from faults import fails
from roundtap.main import main
from roundtap_core.errors import Problem
from roundtap_core.event import commands as c
from roundtap_core.event.entries import GENESIS, VENUE
from roundtap_core.words import LANGUAGES, core_words
from roundtap_hub.app.main import HubResources, open_folder
from roundtap_hub.store.folder_copy import COPY_FILE
from roundtap_hub.store.head_file import HEAD_FILE, HeadFile, HeadRecord, read_head_file
from roundtap_hub.store.journal import Head, Journal

DATABASE, LOG = "roundtap.db", "roundtap.db-wal"


def opened(folder: Path) -> HubResources:
    return open_folder(folder, lambda _: None)


def at_the_cut(folder: Path, to: Path) -> Path:
    """What a power cut leaves of a running hub's folder: its files as they lie, the log not yet emptied."""
    to.mkdir()
    for name in (DATABASE, LOG, HEAD_FILE):
        shutil.copy(folder / name, to / name)
    return to


@pytest.fixture
def cut(tmp_path: Path) -> Path:
    """A hub's folder after a power cut: venue and e1 in the database, the last of e1 and all of e2 in the log."""
    folder = tmp_path / "hub"
    folder.mkdir()
    with closing(opened(folder)) as first:
        make_event(first.service)
    with closing(opened(folder)) as again:
        again.service.execute_one("e1", c.SetClock("start"), "organizer")
        again.service.execute(event_steps("e2"), "organizer", people("e2"))
        head_is_noted(again.service)
        return at_the_cut(folder, tmp_path / "cut")


def test_a_hub_starts_again_though_the_head_file_lacks_the_newest_commit(tmp_path: Path) -> None:
    """Nobody waits for the head file: the power may go between the answer and its note."""
    folder = tmp_path / "hub"
    folder.mkdir()
    with closing(opened(folder)) as hub:
        make_event(hub.service)
        head_is_noted(hub.service)
        noted = (folder / HEAD_FILE).read_bytes()
        hub.service.execute_one("e1", c.SetClock("start"), "organizer")
        left = at_the_cut(folder, tmp_path / "cut")
    (left / HEAD_FILE).write_bytes(noted)
    with closing(opened(left)) as again:
        assert again.service.snapshot.events["e1"].clock.state == "running"


def contents(folder: Path) -> dict[str, bytes]:
    """What lies there; who only looks at a database leaves an index of its log, and an empty log."""
    found = {path.name: path.read_bytes() for path in folder.iterdir() if not path.name.endswith(("-shm", ".lock"))}
    return {name: data for name, data in found.items() if data or name != LOG}


def refusal(folder: Path) -> Problem:
    before = contents(folder)
    with pytest.raises(Problem) as caught:
        opened(folder).close()
    assert contents(folder) == before, "nothing is changed"
    texts = {caught.value.say(core_words(language)) for language in LANGUAGES}
    assert len(texts) == len(LANGUAGES)
    assert all("roundtap " in text and str(folder) in text for text in texts)
    return caught.value


def test_a_hub_starts_again_after_a_power_cut(cut: Path) -> None:
    with closing(opened(cut)) as hub:
        assert hub.service.snapshot.events["e2"].number == 5


def delete_log(folder: Path) -> None:
    (folder / LOG).unlink()


def flip_log(folder: Path) -> None:
    """One bit in the first frame: SQLite takes nothing of the log from there on, and says nothing."""
    data = bytearray((folder / LOG).read_bytes())
    data[32 + 24 + 100] ^= 1
    (folder / LOG).write_bytes(data)


def cut_log_in_half(folder: Path) -> None:
    os.truncate(folder / LOG, (folder / LOG).stat().st_size // 2)


def without_the_last_row(folder: Path) -> None:
    with sqlite3.connect(folder / DATABASE) as connection:
        connection.execute("DELETE FROM entry WHERE stream = 'e1' AND number = 8")


def empty_database(folder: Path) -> None:
    (folder / LOG).unlink()
    (folder / DATABASE).write_bytes(b"")


def no_database(folder: Path) -> None:
    (folder / LOG).unlink()
    (folder / DATABASE).unlink()


def tables_without_rows(folder: Path) -> None:
    no_database(folder)
    Journal(f"sqlite:///{folder / DATABASE}").close()


def no_head_file(folder: Path) -> None:
    (folder / HEAD_FILE).unlink()


def only_the_database(folder: Path) -> None:
    (folder / HEAD_FILE).unlink()
    (folder / LOG).unlink()


def spoiled_head_file(folder: Path) -> None:
    (folder / HEAD_FILE).write_bytes(b"\0" * 4096)


@pytest.mark.parametrize(
    ("damage", "key", "said"),
    [
        (delete_log, "journal_log_missing", "e1: 1 (8), e2: 5 (1–5)"),
        (flip_log, "journal_shortened", "e1: 1 (8), e2: 5 (1–5)"),
        (cut_log_in_half, "journal_shortened", "e2: 5 (1–5)"),
        (without_the_last_row, "journal_", "e1: 1 (8)"),
        (empty_database, "journal_empty", "16"),
        (no_database, "journal_empty", "e1: 8 (1–8), e2: 5 (1–5), venue: 3 (1–3)"),
        (tables_without_rows, "journal_empty", "16"),
        (no_head_file, "journal_copied", "not a backup"),
        (only_the_database, "journal_copied", "not a backup"),
        (spoiled_head_file, "head_unreadable", HEAD_FILE),
    ],
)
def test_a_journal_that_lacks_what_was_saved_refuses_the_start(
    cut: Path, damage: Callable[[Path], None], key: str, said: str
) -> None:
    damage(cut)
    problem = refusal(cut)
    assert problem.key.startswith(key)
    assert said in problem.say()


def test_of_a_deleted_journal_it_is_told_what_the_head_file_knows_and_where_copies_are(
    cut: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TZ", "UTC")
    time.tzset()
    no_database(cut)
    os.utime(cut / HEAD_FILE, (1_764_000_000, 1_764_000_000))
    sticks = [tmp_path / "a stick", tmp_path / "empty", tmp_path / "none"]
    for stick in sticks[:2]:
        stick.mkdir()
    (sticks[0] / COPY_FILE).write_text("a copy")
    named = read_head_file(cut / HEAD_FILE)
    assert named is not None
    with pytest.raises(Problem) as refused:
        open_folder(cut, lambda _: None, sticks[:1], sticks=sticks[1:])
    for said in (
        named.lineage,
        "16 (",
        "e1: 8 (1–8)",
        "2025-11-24 16:00+00:00",
        f"Backups or copies: {sticks[0]}.",
        f"--from /media/roundtap {cut} '{sticks[0]}' --data {cut} --restart",
    ):
        assert said in refused.value.say()
    assert main(["journal", "verify", "--data", str(cut)]) == 2


def test_another_hub_s_head_file_is_none_of_ours(cut: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    opened(other).close()
    shutil.copy(other / HEAD_FILE, cut / HEAD_FILE)
    with event_kit.refused("journal_of_another"):
        opened(cut)


def test_another_entry_under_the_same_number_is_not_the_one_that_was_saved(cut: Path) -> None:
    with sqlite3.connect(cut / DATABASE) as connection:
        connection.execute("UPDATE entry SET hash = 'ab' WHERE stream = 'e1' AND number = 8")
    assert refusal(cut).key == "journal_differs"


def test_a_database_of_an_older_hub_gets_its_head_file_with_its_next_start(cut: Path) -> None:
    """It has no mark of a lineage; what this hub once opened has, and is a copied file without its head file."""
    (cut / HEAD_FILE).unlink()
    with sqlite3.connect(cut / DATABASE) as connection:
        connection.executescript(
            "DROP TABLE lineage; DROP TABLE unit_key; DROP TABLE staff; UPDATE alembic_version SET version_num = '0001'"
        )
    with closing(opened(cut)) as hub:
        assert hub.service.snapshot.events["e1"].number == 8
    named = read_head_file(cut / HEAD_FILE)
    assert named.heads["e1"].number == 8

    (cut / HEAD_FILE).unlink()
    with event_kit.refused("journal_copied"):
        opened(cut)


def test_what_was_committed_just_before_a_cut_may_be_ahead_of_the_head_file(cut: Path, tmp_path: Path) -> None:
    before = (cut / HEAD_FILE).read_bytes()
    with closing(opened(cut)) as hub:
        hub.service.execute_one("e1", c.SetClock("pause"), "organizer")
    (cut / HEAD_FILE).write_bytes(before)
    with closing(opened(cut)) as hub:
        assert hub.service.snapshot.events["e1"].number == 9


def test_the_head_file_names_each_commit_before_the_next_one(tmp_path: Path) -> None:
    with closing(opened(tmp_path)) as hub:
        made = hub.service.execute(event_steps(), "organizer", people())
        head_is_noted(hub.service)
        named = read_head_file(tmp_path / HEAD_FILE)
        assert named.heads["e1"] == Head(5, made[-1].hash)
        assert named.epoch == hub.service.snapshot.venue.epoch
        assert named.commits == 2
        assert set(named.heads) == {"e1", VENUE}


def test_two_hubs_do_not_run_on_one_folder(tmp_path: Path) -> None:
    with closing(opened(tmp_path)), pytest.raises(Problem, match="Another hub"):
        opened(tmp_path)
    opened(tmp_path).close()


# --- the file itself ---------------------------------------------------------------------------------------------


@pytest.fixture
def head(tmp_path: Path) -> HeadFile:
    made = HeadFile(tmp_path / HEAD_FILE)
    made.rewrite(HeadRecord("line", "epoch", 0, {}))
    return made


def test_a_torn_last_line_was_never_answered(head: HeadFile) -> None:
    head.note_commit("epoch", {"e1": Head(1, "aa")})
    whole = head.path.read_bytes().rstrip(b"\0")
    head.note_commit("epoch", {"e1": Head(2, "bb")})
    torn = head.path.read_bytes().rstrip(b"\0")
    for length in range(len(whole), len(torn)):
        head.path.write_bytes(torn[:length] + bytes(100))
        named = read_head_file(head.path)
        assert named.heads["e1"].number in ((1, 2) if length == len(torn) - 1 else (1,))


def test_it_is_made_anew_before_it_grows(head: HeadFile) -> None:
    heads = {f"e{n}": Head(1, GENESIS) for n in range(50)}
    head.note_commit("epoch", heads)
    for n in range(2, 2000):
        head.note_commit("epoch", {"e7": Head(n, f"{n:064}")})
    named = read_head_file(head.path)
    assert named.commits == 1999
    assert named.heads == {**heads, "e7": Head(1999, f"{1999:064}")}
    assert head.path.stat().st_size < 80_000


def test_a_note_that_failed_is_made_up_for_by_the_next_one(head: HeadFile, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(os, "fdatasync", fails(OSError(28, "full")))
        with pytest.raises(OSError, match="full"):
            head.note_commit("epoch", {"e1": Head(1, "aa")})
    head.note_commit("epoch", {"e2": Head(1, "bb")})
    named = read_head_file(head.path)
    assert named.heads == {"e1": Head(1, "aa"), "e2": Head(1, "bb")}


def test_a_head_file_that_cannot_be_written_fails_no_commit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with closing(opened(tmp_path)) as hub:

        def refuses(*_: object) -> None:
            raise OSError(28, "full")

        with monkeypatch.context() as patch:
            patch.setattr(HeadFile, "note_commit", refuses)
            assert hub.service.execute(event_steps(), "organizer", people())
            head_is_noted(hub.service)
            assert next(line.key for line in hub.service.storage.lines()) == "head"
        hub.service.execute_one("e1", c.SetEventDetails({"venue": "the back room"}), "organizer")
        head_is_noted(hub.service)
        assert "head" not in [line.key for line in hub.service.storage.lines()]
