"""`roundtap journal`: what lies in a hub's folder, and everything that may not hold, said line by line."""

import json
import os
import re
import shlex
import sqlite3
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from hub_kit import running

from roundtap.main import main
from roundtap_core.errors import Problem
from roundtap_core.event import commands as c
from roundtap_core.event.entries import VENUE, NewEntry, Person
from roundtap_core.event.states import Entrant, Official
from roundtap_core.records import Result, SidePair
from roundtap_core.words import LANGUAGES, core_words
from roundtap_hub.access.unit_keys import UnitKeys
from roundtap_hub.app.main import open_folder
from roundtap_hub.store.backups import make_backup
from roundtap_hub.store.copies import CommitBatch
from roundtap_hub.store.folder_copy import COPY_FILE, FolderCopy
from roundtap_hub.store.head_file import HeadRecord
from roundtap_hub.store.journal import Journal, PersonRecord, at_place
from roundtap_hub.store.service import Service, Step

NAMES = ("Ana Ruiz", "Bruno Maier", "Łukasz Żak", "Eva Luz")

BREAKS: dict[str, tuple[str, str]] = {
    "an entry": ("UPDATE entry SET data = '{}' WHERE stream = 'e1' AND number = 3", "journal_broken"),
    "an entry cut out": ("DELETE FROM entry WHERE stream = 'e1' AND number = 4", "journal_broken"),
    "the seal's state": ("UPDATE seal SET state = x'789c03000000000001'", "seal_wrong"),
    "the seal's summary": ("UPDATE seal SET summary = '{}'", "seal_wrong"),
    "a name": ("UPDATE person SET data = '{\"name\":\"Anna Ruiz\"}' WHERE competitor = 'p1'", "people_wrong"),
    "what is no person": ("UPDATE person SET data = '[]' WHERE competitor = 'p1'", "people_wrong"),
    "what is no text": ("UPDATE person SET salt = x'00' WHERE competitor = 'p1'", "people_wrong"),
    "a salt": ("UPDATE person SET salt = 'x' WHERE competitor = 'p2'", "people_wrong"),
    "a former official": ("UPDATE person SET data = '{\"name\":\"Otto\"}' WHERE competitor = 'o1'", "people_wrong"),
    "somebody missing": ("DELETE FROM person WHERE competitor = 'p3'", "people_wrong"),
    "somebody too many": ("INSERT INTO person VALUES ('e1', 'p9', 's', '{\"name\":\"Nobody\"}')", "people_wrong"),
}


def fill(service: Service, event: str = "e1") -> None:
    """A finished event of four players and an official who was replaced."""
    people = [PersonRecord(event, f"p{n}", f"salt {n}", Person(name)) for n, name in enumerate(NAMES, start=1)]
    people += [PersonRecord(event, who, "salt", Person(name)) for who, name in (("o1", "Oda"), ("o2", "Otis"))]
    entered = [c.EnterCompetitor(Entrant(p.competitor, p.person.digest(p.salt))) for p in people[:4]]
    officials = [c.SetOfficials((Official(p.competitor, "organizer", p.person.digest(p.salt)),)) for p in people[4:]]
    commands = [
        c.CreateEvent("Winter Open", "xwing-standard", None, {}, "#0072B2", 7),
        *entered,
        *officials,
        c.DrawRound(11),
        c.PublishRound(1, 1, noted="a test"),
    ]
    service.execute([Step(event, command) for command in commands], "organizer", people)
    for match in ("1.1", "1.2"):
        service.execute_one(event, c.EnterResult(match, 0, Result(score=SidePair(100, 24))), "organizer")
    service.execute_one(event, c.FinishEvent("the hall closes"), "organizer")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A hub's folder with a finished, sealed event e1 and an open one, e2."""
    with running(tmp_path / "roundtap.db") as service:
        fill(service)
        service.execute_one("e2", c.CreateEvent("Summer Open", "keyforge-archon", None, {}, "#0072B2", 7), "organizer")
        service.snapshotter.snapshot_due()
    return tmp_path


def by_hand(folder: Path, statement: str) -> None:
    with sqlite3.connect(folder / "roundtap.db") as connection:
        assert connection.execute(statement).rowcount


def said(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    capsys.readouterr()
    code = main(["journal", *arguments])
    out = capsys.readouterr()
    return code, out.out, out.err


@pytest.fixture(autouse=True)
def in_english(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ROUNDTAP_LANG", "en")


def test_a_journal_that_holds(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = said(capsys, "verify", "--data", str(folder))
    lines = out.splitlines()
    assert (code, err, len(lines)) == (0, "", 3)
    assert lines[0].startswith("venue · 2 entries · ")
    assert lines[0].endswith("· intact")
    assert lines[1].startswith("e1 · “Winter Open” · 14 entries · ")
    assert lines[1].endswith(" · 6 people · sealed · intact")
    assert lines[2].startswith("e2 · “Summer Open” · 1 entry · ")
    assert lines[2].endswith(" · 0 people · no seal · intact")


def test_it_is_said_in_the_reader_s_language(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ROUNDTAP_LANG", "pl")
    assert "14 wpisów" in said(capsys, "verify", "--data", str(folder))[1]


def test_listed_is_every_stream_by_its_last_entry(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    _, as_text, _ = said(capsys, "list", "--data", str(folder))
    code, out, _ = said(capsys, "list", "--data", str(folder), "--format", "json")
    streams: list[dict[str, Any]] = json.loads(out)["streams"]
    with sqlite3.connect(folder / "roundtap.db") as connection:
        heads = dict(connection.execute("SELECT stream, hash FROM entry GROUP BY stream HAVING max(number)"))
    assert code == 0
    assert [(each["stream"], each["name"], each["entries"], each["seal"]) for each in streams] == [
        ("venue", "", 2, "none"),
        ("e1", "Winter Open", 14, "sealed"),
        ("e2", "Summer Open", 1, "none"),
    ]
    assert {each["stream"]: each["head"] for each in streams} == heads
    assert "intact" not in as_text


@pytest.mark.parametrize("what", BREAKS)
def test_what_does_not_hold_is_named_and_the_rest_is_looked_at(
    folder: Path, capsys: pytest.CaptureFixture[str], what: str
) -> None:
    statement, rule = BREAKS[what]
    by_hand(folder, statement)
    code, out, _ = said(capsys, "verify", "--data", str(folder), "--format", "json")
    wrong = {each["stream"]: [problem["rule"] for problem in each["wrong"]] for each in json.loads(out)["streams"]}
    assert (code, wrong) == (1, {"venue": [], "e1": [rule], "e2": []})
    text = said(capsys, "verify", "--data", str(folder))[1].splitlines()
    assert text[1].endswith("NOT INTACT")
    assert text[2].startswith("  ")
    assert said(capsys, "verify", "--data", str(folder), "--event", "e2")[0] == 0


@pytest.mark.parametrize("key", ["X'00ff'", "CAST(X'ff' AS TEXT)"])
def test_a_key_that_is_none_is_named(folder: Path, capsys: pytest.CaptureFixture[str], key: str) -> None:
    with closing(open_folder(folder, lambda _: None)) as hub:
        UnitKeys(hub.service).add("table-1")
    by_hand(folder, f"UPDATE unit_key SET key = {key}")
    code, out, _ = said(capsys, "verify", "--data", str(folder))
    assert code == 1
    assert "Row table-1 of the table unit_key is unreadable" in out


def test_a_seal_that_was_changed_and_still_is_one_is_noticed(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Somebody gave side b the game, in the seal alone: byte for byte it is not what the entries amount to."""
    with closing(Journal(f"sqlite:///{folder / 'roundtap.db'}")) as journal:
        seal = journal.event_snapshots.find("e1")
        assert seal
        other = type(seal)(seal.summary, seal.made_by, seal.state.replace(b'{"a":100,"b":24}', b'{"a":24,"b":100}'))
        assert other != seal
        journal.event_snapshots.save(other)
    code, out, _ = said(capsys, "verify", "--data", str(folder))
    assert code == 1
    assert "does not match its entries" in out


def test_a_seal_of_another_core_or_of_an_earlier_entry_is_no_fault(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    by_hand(folder, "UPDATE seal SET made_by = '0.0.1/x'")
    code, out, _ = said(capsys, "verify", "--data", str(folder))
    assert (code, "sealed by another version" in out) == (0, True)


def test_one_event_is_looked_at_alone(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = said(capsys, "verify", "--data", str(folder), "--event", "e1")
    assert (code, [line[:3] for line in out.splitlines()]) == (0, ["e1 "])
    code, out, err = said(capsys, "verify", "--data", str(folder), "--event", "e7")
    assert (code, out) == (2, "")
    assert "e7" in err


@pytest.mark.parametrize(
    ("make", "exit_code"),
    [
        (lambda folder: None, 2),
        (lambda folder: (folder / "roundtap.db").write_bytes(b"no" * 999), 1),
    ],
)
def test_where_there_is_no_journal_or_a_damaged_one_it_says_so(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], make: Callable[[Path], None], exit_code: int
) -> None:
    make(tmp_path)
    before = sorted(tmp_path.iterdir())
    code, out, err = said(capsys, "verify", "--data", str(tmp_path))
    assert (code, out) == (exit_code, "")
    assert str(tmp_path / "roundtap.db") in err
    assert sorted(tmp_path.iterdir()) == before


def test_looking_changes_nothing_even_in_the_journal_of_an_older_hub(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with sqlite3.connect(folder / "roundtap.db") as connection:
        connection.execute("DROP TABLE seal")
    connection.close()
    before = (folder / "roundtap.db").read_bytes()
    assert said(capsys, "verify", "--data", str(folder))[0] == 0
    assert said(capsys, "list", "--data", str(folder))[0] == 0
    assert (folder / "roundtap.db").read_bytes() == before


def test_it_looks_while_the_hub_writes(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with running(folder / "roundtap.db") as service:
        service.execute([Step(VENUE, NewEntry("event-archived", {"event": "e2"}))], "organizer")
        code, out, _ = said(capsys, "verify", "--data", str(folder))
        assert (code, "archived" in out) == (0, True)
        fill(service, "e3")
        assert said(capsys, "verify", "--data", str(folder), "--event", "e3")[0] == 0


@pytest.fixture
def backup(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """On a stick, of that hub."""
    stick = tmp_path_factory.mktemp("stick")
    (folder / "keys.json").write_text('{"table-1": "00"}')
    return make_backup(folder, stick / "roundtap-backups", HeadRecord("a hub", "x"), "2026-11-22T04:00")


@pytest.mark.parametrize(
    "place",
    [lambda backup: backup, lambda backup: backup.parent, lambda backup: backup.parent.parent],
    ids=["file", "folder", "stick"],
)
def test_a_backup_holds_what_its_hub_holds(
    folder: Path, backup: Path, place: Callable[[Path], Path], capsys: pytest.CaptureFixture[str]
) -> None:
    before = (backup.read_bytes(), sorted(backup.parent.parent.rglob("*")))
    hub = said(capsys, "verify", "--data", str(folder))[1].splitlines()
    code, out, err = said(capsys, "verify", "--backup", str(place(backup)))
    assert (code, err) == (0, "")
    assert out.splitlines() == [f"The backup {backup}, made 2026-11-22T04:00:", *hub]
    assert len(hub) == 3
    assert (backup.read_bytes(), sorted(backup.parent.parent.rglob("*"))) == before
    whole = json.loads(said(capsys, "verify", "--backup", str(place(backup)), "--format", "json")[1])
    assert whole["backup"] == {"file": str(backup), "made_at": "2026-11-22T04:00"}


def test_the_newest_of_a_hub_s_own_backups_is_taken(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    made = [make_backup(folder, folder / "backups", HeadRecord("a hub", "x", commits), "") for commits in (1, 2)]
    os.utime(made[0], (1, 1))
    assert f"The backup {made[1]}, made –:" in said(capsys, "verify", "--backup", str(folder))[1]


@pytest.mark.parametrize(
    ("language", "holds", "broken", "altered", "damaged"),
    [
        ("en", "intact", "NOT INTACT", "altered at entry 3", "is damaged"),
        ("es", "correcto", "NO ES CORRECTO", "alterado en la entrada 3", "está dañada"),
        ("de", "stimmt", "STIMMT NICHT", "bei Eintrag 3 verändert", "ist beschädigt"),
        ("pl", "zgadza się", "NIE ZGADZA SIĘ", "zmieniony przy wpisie 3", "jest uszkodzona"),
    ],
)
def test_a_backup_that_does_not_hold_is_told_in_the_reader_s_language(
    backup: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    language: str,
    holds: str,
    broken: str,
    altered: str,
    damaged: str,
) -> None:
    monkeypatch.setenv("ROUNDTAP_LANG", language)
    assert said(capsys, "verify", "--backup", str(backup))[1].splitlines()[2].endswith(holds)
    with closing(sqlite3.connect(backup)) as connection:
        connection.execute("UPDATE entry SET data = '{}' WHERE stream = 'e1' AND number = 3")
        connection.commit()
    code, out, _ = said(capsys, "verify", "--backup", str(backup))
    assert (code, broken in out, altered in out) == (1, True, True)
    with closing(sqlite3.connect(backup)) as connection:
        connection.execute("UPDATE backup_file SET data = x'00'")
        connection.commit()
    code, out, err = said(capsys, "verify", "--backup", str(backup))
    assert (code, out, damaged in err) == (2, "", True)


def test_where_no_backup_lies_it_says_so(
    folder: Path, tmp_path_factory: pytest.TempPathFactory, capsys: pytest.CaptureFixture[str]
) -> None:
    for place in (tmp_path_factory.mktemp("empty"), folder / "roundtap.db", folder / "nowhere"):
        code, out, err = said(capsys, "verify", "--backup", str(place))
        assert (code, out) == (2, "")
        assert f"{place} is not a backup of a hub" in err


def test_the_command_needs_no_web_server(folder: Path) -> None:
    import subprocess

    code = (
        "import sys; from roundtap.main import main; main(['journal', 'list', '--data', sys.argv[1]]); "
        "assert not {'flask', 'uvicorn', 'werkzeug'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code, str(folder)], check=True, capture_output=True)


def test_of_a_damaged_copy_it_is_said_how_much_is_left(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with closing(Journal(f"sqlite:///{folder / 'roundtap.db'}", read_only=True)) as journal:
        (stick := folder / "stick").mkdir()
        with closing(FolderCopy(stick, folder, same_disk=True)) as copy:
            copy.open(journal.lineage or "", "epoch")
            for entry in journal.streams()["e1"]:
                copy.write(CommitBatch([entry]))
    lines = (stick / COPY_FILE).read_bytes().splitlines(keepends=True)
    lines[5] = b"\0" * (len(lines[5]) - 1) + b"\n"
    (stick / COPY_FILE).write_bytes(b"".join(lines))
    code, out, _ = said(capsys, "verify", "--data", str(folder), "--copy", str(stick / COPY_FILE))
    assert code == 1
    assert "is damaged. Readable entries: 13 of 17" in out


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("what", ["an entry", "a name"])
def test_of_a_backup_that_does_not_hold_no_running_hub_is_stopped(
    backup: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, what: str, language: str
) -> None:
    """ADMIN's look on the evening before had printed the command that stops the hub and replaces its folder."""
    monkeypatch.setenv("ROUNDTAP_LANG", language)
    with closing(sqlite3.connect(backup)) as connection:
        connection.execute(BREAKS[what][0])
        connection.commit()
    for shape in ("text", "json"):
        code, out, _ = said(capsys, "verify", "--backup", str(backup), "--format", shape)
        assert (code, "recover" in out) == (1, False)
        assert "sudo roundtap backup --data /var/lib/roundtap" in out


@pytest.mark.parametrize("what", ["an entry", "a name", "the head file", "the journal", "its pages"])
def test_the_recovery_of_a_folder_can_be_typed_as_it_stands(
    folder: Path, capsys: pytest.CaptureFixture[str], what: str
) -> None:
    open_folder(folder, lambda _: None).close()
    here = folder / "my hub's"
    here.mkdir()
    for each in folder.glob("roundtap.*"):
        each.rename(here / each.name)
    if what in BREAKS:
        by_hand(here, BREAKS[what][0])
    elif what == "its pages":
        (here / "roundtap.db").write_bytes(b"no" * 999)
    else:
        (here / {"the head file": "roundtap.head", "the journal": "roundtap.db"}[what]).unlink()
    code, out, err = said(capsys, "verify", "--data", str(here))
    [line] = re.findall("“sudo ([^“”]+)”", out + err)
    assert code != 0
    assert shlex.split(line) == [
        "roundtap",
        "recover",
        "--from",
        "/media/roundtap",
        str(here),
        "--data",
        str(here),
        "--restart",
    ]


def test_a_problem_of_a_database_names_its_dump() -> None:
    for key in ("journal_broken", "people_wrong"):
        problem = Problem(key, stream="e1", number=3, event="e1", name="Winter Open", n=1, who="p1")
        for language in LANGUAGES:
            assert "pg_restore" in at_place(problem, Path("data"), "database").say(core_words(language))


@pytest.mark.parametrize("shape", ["text", "json"])
def test_no_file_s_name_controls_the_terminal(
    folder: Path, backup: Path, capsys: pytest.CaptureFixture[str], shape: str
) -> None:
    """A stick's, and those of a journal that is refused: its page of people is spoiled."""
    stick = backup.rename(backup.with_name(f"roundtap-\x1b[2J{backup.name}"))
    open_folder(folder, lambda _: None).close()
    hub = folder / "\x1b[2Jhub"
    hub.mkdir()
    for each in folder.glob("roundtap.*"):
        each.rename(hub / each.name)
    with closing(sqlite3.connect(hub / "roundtap.db")) as connection:
        (page,) = connection.execute("SELECT rootpage FROM sqlite_schema WHERE name = 'person'").fetchone()
    with open(hub / "roundtap.db", "r+b") as file:
        file.seek((page - 1) * 4096)
        file.write(bytes(4096))
    for place in (("--backup", str(stick)), ("--data", str(hub))):
        _, out, err = said(capsys, "verify", *place, "--format", shape)
        assert "2J" in out + err
        assert "\x1b" not in out + err
