"""The journal on disk: one chain that cannot fork, that shows tampering, and people kept beside it."""

import sqlite3
import threading
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from hub_kit import HandClock, make_event, people, running, stored, url_of
from sqlalchemy.dialects import postgresql
from sqlalchemy.schema import CreateTable

import event_kit
from roundtap_core.errors import Problem
from roundtap_core.event.entries import GENESIS, Entry, NewEntry, Person, Timestamp, chain_entry
from roundtap_hub.store.journal import Head, Journal, JournalConflict, PersonRecord
from roundtap_hub.store.models import CHECKPOINT, TABLES, CheckpointRow
from roundtap_hub.store.service import Service


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "journal.db"


@pytest.fixture
def journal(path: Path) -> Iterator[Journal]:
    with closing(Journal(url_of(path))) as made:
        yield made


def chain(n: int, word: str = "a", stream: str = "e1") -> list[Entry]:
    entries: list[Entry] = []
    for number in range(1, n + 1):
        prev = entries[-1].hash if entries else GENESIS
        new = NewEntry("noted", {"word": word, "text": "Łukasz, “ß” and\n\u2028 lines"})
        entries.append(chain_entry(new, stream, number, prev, Timestamp("boot", 10**12 + number, None), "somebody"))
    return entries


def by_hand(path: Path, statement: str, *values: object) -> None:
    with sqlite3.connect(path) as connection:
        connection.execute(statement, values)


def test_what_was_appended_is_read_back_by_anybody(journal: Journal, path: Path) -> None:
    entries = chain(3)
    journal.append(entries[:2])
    journal.append(entries[2:])
    assert stored(path) == entries


def test_streams_are_chains_of_their_own(journal: Journal) -> None:
    journal.append([*chain(2, stream="e1"), *chain(1, stream="venue")])
    assert {name: len(entries) for name, entries in journal.streams().items()} == {"e1": 2, "venue": 1}


def test_a_stream_is_read_from_any_of_its_entries_on(journal: Journal, monkeypatch: pytest.MonkeyPatch) -> None:
    """However many lie there, a few are in memory at once."""
    monkeypatch.setattr("roundtap_hub.store.journal.READ_AT_ONCE", 2)
    entries = chain(5)
    journal.append([*entries, *chain(1, stream="e10"), *chain(3, stream="venue")])
    assert list(journal.entries("e1")) == entries
    assert list(journal.entries("e1", Head(3, entries[2].hash))) == entries[3:]
    assert list(journal.entries("e1", Head(5, entries[4].hash))) == []
    with pytest.raises(Problem, match="altered at entry 4"):
        list(journal.entries("e1", Head(3, "another hash")))


def test_heads_are_the_last_entries_of_all_streams(journal: Journal) -> None:
    assert journal.heads() == {}
    assert journal.head("e1") == Head(0, GENESIS)
    long, short = chain(12, stream="e1"), chain(1, stream="venue")
    journal.append([*long, *short])
    assert journal.heads() == {"e1": Head(12, long[-1].hash), "venue": Head(1, short[-1].hash)}
    assert journal.holds("e1", Head(7, long[6].hash))
    assert not journal.holds("e1", Head(7, long[5].hash))
    assert not journal.holds("e1", Head(13, long[5].hash))


def test_people_of_some_events_are_read_without_the_others(journal: Journal) -> None:
    journal.append([], [PersonRecord(f"e{n}", "p1", "salt", Person(f"Eva {n}")) for n in (1, 2, 3)])
    assert journal.people(["e1", "e3"]) == {"e1": {"p1": Person("Eva 1")}, "e3": {"p1": Person("Eva 3")}}
    assert journal.people([]) == {}


def test_a_second_journal_on_the_same_file_cannot_fork_it(journal: Journal, path: Path) -> None:
    ours, theirs = chain(2, "ours"), chain(2, "theirs")
    with closing(Journal(url_of(path))) as second:
        journal.append(ours)
        with pytest.raises(JournalConflict):
            second.append(theirs)
        with pytest.raises(JournalConflict):
            second.append(theirs[1:])
    assert stored(path) == ours


def test_a_batch_is_saved_whole_or_not_at_all(journal: Journal, path: Path) -> None:
    entries = chain(3)
    journal.append(entries[2:])
    with pytest.raises(JournalConflict):
        journal.append(entries, [PersonRecord("e1", "p1", "salt", Person("Ana Ruiz"))])
    assert journal.people() == {}
    with sqlite3.connect(path) as connection:
        assert connection.execute("SELECT number FROM entry").fetchall() == [(3,)]


def test_what_could_not_be_saved_is_told_without_a_name(journal: Journal, path: Path) -> None:
    """The words go into the log."""
    by_hand(path, "CREATE TRIGGER refuse BEFORE INSERT ON person BEGIN SELECT RAISE(ABORT, 'no room'); END")
    with pytest.raises(JournalConflict, match="no room") as refused:
        journal.append([], [PersonRecord("e1", "p1", "salt", Person("Ana Ruiz"))])
    assert "Ana" not in str(refused.value)


def test_a_commit_is_a_full_sync_to_a_write_ahead_log(journal: Journal) -> None:
    with journal._engine.connect() as connection:
        assert connection.exec_driver_sql("PRAGMA journal_mode").scalar() == "wal"
        assert connection.exec_driver_sql("PRAGMA synchronous").scalar() == 2


@pytest.mark.parametrize(
    ("column", "value"),
    [
        ("data", '{"word":"b"}'),
        ("data", "not JSON"),
        ("data", "[]"),
        ("kind", "other"),
        ("actor", "organizer"),
        ("at", '{"boot_id":"boot","mono_ms":1,"wall":null}'),
        ("at", "{}"),
        ("at", "null"),
        ("prev", GENESIS),
        ("hash", "0" * 64),
        ("version", 2),
        ("number", 7),
    ],
)
def test_a_changed_entry_is_named(journal: Journal, path: Path, column: str, value: object) -> None:
    journal.append(chain(3))
    by_hand(path, f"UPDATE entry SET {column} = ? WHERE number = 2", value)

    with pytest.raises(Problem) as caught:
        journal.streams()

    assert caught.value.key == "journal_broken"
    assert caught.value.params["stream"] == "e1"
    assert caught.value.params["number"] == (3 if column == "number" else 2)


def test_a_missing_entry_is_noticed(journal: Journal, path: Path) -> None:
    journal.append(chain(3))
    by_hand(path, "DELETE FROM entry WHERE number = 2")
    with pytest.raises(Problem, match="altered at entry 3"):
        journal.streams()


def test_a_file_that_is_no_journal_is_said_to_be_none(path: Path) -> None:
    path.write_bytes(b"Ana 100, Bruno 24\n" * 100)
    with event_kit.refused("journal_damaged"):
        Journal(url_of(path))
    with pytest.raises(Problem, match="folder"):
        Journal(url_of(path.parent / "nowhere" / "journal.db"))


def test_an_entry_of_an_unknown_kind_stops_the_start(path: Path) -> None:
    with running(path) as service:
        make_event(service)
        state = service.snapshot.events["e1"]
    with closing(Journal(url_of(path))) as journal:
        journal.append(
            [chain_entry(NewEntry("teleported", {}), "e1", state.number + 1, state.head, Timestamp("b", 1), "x")]
        )
        with pytest.raises(Problem, match="teleported"):
            Service(journal, HandClock().clocks)


def test_people_lie_beside_and_entries_hold_no_name(path: Path) -> None:
    with running(path) as service:
        make_event(service)
        assert service.snapshot.people["e1"]["p3"] == Person("Łukasz Żak")
    with sqlite3.connect(path) as connection:
        entries = "".join(connection.execute("SELECT group_concat(data) FROM entry").fetchone())
    assert not any(record.person.name in entries for record in people())
    assert people()[2].person.digest("salt 3") in entries


def test_a_person_changes_in_place(journal: Journal) -> None:
    for name in ("Eva Lutz", "Eva Luz"):
        journal.append([], [PersonRecord("e1", "p4", "salt", Person(name, list={"total": 99.5, "ships": ["X"]}))])
    assert journal.people() == {"e1": {"p4": Person("Eva Luz", list={"total": 99.5, "ships": ["X"]})}}


def test_the_last_checkpoint_of_an_event_is_kept(journal: Journal) -> None:
    journal.put([CheckpointRow(event="e1", remaining_ms=1000, boot_id="boot", mono_ms=5_000_000_000)])
    journal.put([CheckpointRow(event="e1", remaining_ms=-20, boot_id="boot", mono_ms=5_000_005_000)])
    assert journal.checkpoints()["e1"].remaining_ms == -20
    assert (journal.checkpoints()["e1"].boot_id, journal.checkpoints()["e1"].mono_ms) == ("boot", 5_000_005_000)


def test_checkpoints_do_not_get_in_the_writers_way(journal: Journal, path: Path) -> None:
    """They come from another thread, over another connection, to the same file."""
    failures: list[Exception] = []

    def checkpoints() -> None:
        try:
            for n in range(60):
                journal.put([CheckpointRow(event="e1", remaining_ms=n, boot_id="boot", mono_ms=n)])
        except Exception as error:
            failures.append(error)

    thread = threading.Thread(target=checkpoints)
    thread.start()
    entries = chain(60)
    for entry in entries:
        journal.append([entry], [PersonRecord("e1", f"p{entry.number}", "salt", Person("Kai Eich"))])
    thread.join()
    assert failures == []
    assert stored(path) == entries


def test_milliseconds_of_a_long_uptime_fit_any_database() -> None:
    """In PostgreSQL an INTEGER ends after 25 days."""
    assert "mono_ms BIGINT" in str(CreateTable(CHECKPOINT).compile(dialect=postgresql.dialect()))
    for table in TABLES.values():
        CreateTable(table).compile(dialect=postgresql.dialect())
