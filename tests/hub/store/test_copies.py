"""Second copies: nobody is answered before every copy that counts holds the entry; one that fails stops nobody."""

import contextlib
import json
import os
import shutil
import threading
import tracemalloc
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from pathlib import Path

import pytest
from hub_kit import NAMES, HandClock, event_steps, make_event, people, running, url_of

import event_kit
from faults import fails
from patience import GUARD_S
from roundtap_core.errors import Problem
from roundtap_core.event import commands as c
from roundtap_core.event.entries import VENUE, NewEntry, Timestamp, chain_entry
from roundtap_hub.store.copies import AWAY, CURRENT, EJECTED, REFUSED, SLOW, CommitBatch, Copies, JournalCopy
from roundtap_hub.store.folder_copy import COPY_FILE, FORMAT, FolderCopy, read_copy
from roundtap_hub.store.head_file import checksum_of
from roundtap_hub.store.journal import Head, Journal
from roundtap_hub.store.service import Service, Step
from roundtap_hub.store.venue import EVENT_ARCHIVED, EVENT_DELETED

OLDER = Path(__file__).with_name("older_copy.journal")
"""A stick of an earlier version, whose rows name their columns: an event of four, of whom p4 was taken out."""


class Hub:
    """A service on a real file with copies."""

    def __init__(
        self,
        folder: Path,
        *copies: JournalCopy,
        lineage: str = "our line",
        within_s: float = GUARD_S,
        retry_s: float = 0.01,
    ) -> None:
        self.journal = Journal(url_of(folder / "journal.db"))
        self.service = Service(self.journal, HandClock().clocks)
        self.copies = Copies(
            self.journal,
            lineage,
            copies,
            lambda: self.service.snapshot.venue.epoch,
            self.service.storage.changed,
            within_s,
            retry_s,
        )
        self.service.set_copies(self.copies)
        self.service.start()
        self.copies.start()

    def close(self) -> None:
        self.service.stop()
        self.journal.close()

    def keys(self) -> list[str]:
        return [line.key for line in self.service.storage.lines()]

    def wait_for(self, state: str) -> None:
        changed = threading.Event()
        self.service.storage.listeners.append(changed.set)
        while [each.state for each in self.copies.states] != [state]:
            assert changed.wait(GUARD_S), self.copies.states
            changed.clear()


@pytest.fixture
def stick(tmp_path: Path) -> Path:
    made = tmp_path / "stick"
    made.mkdir()
    return made


def on(stick: Path) -> FolderCopy:
    return FolderCopy(stick, stick.parent, same_disk=True)


@pytest.fixture
def hub(tmp_path: Path, stick: Path) -> Iterator[Hub]:
    made = Hub(tmp_path, on(stick))
    made.wait_for(CURRENT)
    yield made
    made.close()


def heads_on(stick: Path) -> Mapping[str, Head]:
    found = read_copy(stick / COPY_FILE)
    assert not found.damaged
    return found.heads


def test_what_is_answered_is_on_the_copy(hub: Hub, stick: Path) -> None:
    made = hub.service.execute(event_steps(), "organizer", people())
    assert heads_on(stick)["e1"] == Head(5, made[-1].hash)
    assert "Łukasz Żak" in (stick / COPY_FILE).read_text()
    assert hub.keys() == ["copies"]


@pytest.mark.parametrize("what", ["a FIFO", "a link", "a folder", "4 GB"])
def test_what_is_no_copy_of_a_bounded_size_is_not_opened_and_not_touched(stick: Path, what: str) -> None:
    """Whoever prepared a stick with a FIFO stopped the thread that writes copies."""
    path = stick / COPY_FILE
    if what == "a FIFO":
        os.mkfifo(path)
    elif what == "a link":
        path.symlink_to("/dev/zero")
    elif what == "a folder":
        path.mkdir()
    else:
        with open(path, "xb") as file:
            file.truncate(4 << 30)
    with pytest.raises(Problem, match="unreadable or not a journal copy"):
        on(stick).open("our line", "e")
    assert [each.name for each in stick.iterdir()] == [COPY_FILE]


def test_what_a_prepared_line_says_beside_its_rows_costs_next_to_no_memory(stick: Path) -> None:
    """Of 60 MB of empty lists the hub took 1.7 GB."""
    text = b'{"roundtap-copy":1,"lineage":"our line","epoch":"e","x":[' + b"[]," * 3_000_000 + b"0]}"
    (stick / COPY_FILE).write_bytes(checksum_of(text, "", 32).encode() + b" " + text + b"\n")
    tracemalloc.start()
    try:
        assert read_copy(stick / COPY_FILE) is not None
        assert tracemalloc.get_traced_memory()[1] < 6 * len(text)
    finally:
        tracemalloc.stop()


def prepare(stick: Path, lines: Iterator[str], lineage: str = "our line") -> Path:
    """A file as anybody can write it, with right checksums."""
    path, chain = stick / COPY_FILE, ""
    with open(path, "wb") as file:
        for text in (f'{{"roundtap-copy":{FORMAT},"lineage":"{lineage}","epoch":"e"}}', *lines):
            chain = checksum_of(text.encode(), chain, 32)
            file.write(f"{chain} {text}\n".encode())
    return path


ENTRY = '["%s",%d,"%s",1,"{\\"wall\\":null}","hub","%s","",""]'


@pytest.mark.parametrize(
    "line",
    [
        lambda n: '{"entries":[' + ENTRY % (f"e{n}", 1, "clock-set", "{}") + "]}",
        lambda n: f'{{"people":[["e1","p{n}","s","{{}}"]]}}',
        lambda n: '{"entries":[' + ENTRY % ("e" * 5000, n, "clock-set", "{}") + "]}",
    ],
)
def test_a_prepared_copy_of_more_streams_or_people_than_hubs_have_is_refused(
    stick: Path, line: Callable[[int], str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each line is short; all together they filled the memory."""
    monkeypatch.setattr("roundtap_hub.store.folder_copy.STREAMS_MAX", 50)
    monkeypatch.setattr("roundtap_hub.store.folder_copy.PEOPLE_MAX", 50)
    path = prepare(stick, (line(n) for n in range(60)))
    with pytest.raises(Problem, match="unreadable or not a journal copy"):
        read_copy(path, "our line")


def test_of_another_hub_s_copy_only_what_is_offered_stays_in_memory(stick: Path, tmp_path: Path) -> None:
    prepare(stick, (f'{{"people":[["e1","p{n}","s","{{}}"]]}}' for n in range(60)), "another line")
    with pytest.raises(Problem) as refused:
        on(stick).open("our line", "e")
    assert refused.value.params["found"].people == set()


def test_what_an_entry_says_beside_its_name_costs_next_to_no_memory(stick: Path) -> None:
    data = '{\\"name\\":\\"Winter Open\\",\\"x\\":[' + "[]," * 2_000_000 + "0]}"
    path = prepare(stick, iter(['{"entries":[' + ENTRY % ("e1", 1, "event-created", data) + "]}"]))
    tracemalloc.start()
    try:
        found = read_copy(path)
        assert found.names == {"e1": "Winter Open"}
        assert tracemalloc.get_traced_memory()[1] < 8 * len(data)
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("change", ["nothing", "a line more", "another file"])
def test_a_copy_that_was_refused_is_read_again_only_once_it_has_changed(
    stick: Path, monkeypatch: pytest.MonkeyPatch, change: str
) -> None:
    """A gigabyte was read through every five seconds."""
    path = prepare(stick, iter(()), "another line")
    copy, reads = on(stick), list[Path]()

    def count(where: Path, *more: str) -> object:
        reads.append(where)
        return read_copy(where, *more)

    monkeypatch.setattr("roundtap_hub.store.folder_copy.read_copy", count)
    for _ in range(3):
        with pytest.raises(Problem, match="another hub's journal"):
            copy.open("our line", "e")
    assert len(reads) == 1
    if change == "a line more":
        path.write_bytes(path.read_bytes() + b"x")
    elif change == "another file":
        path.unlink()
    with contextlib.suppress(Problem):
        copy.open("our line", "e")
    copy.close()
    assert len(reads) == (1 if change == "nothing" else 2)


def test_however_much_one_commit_holds_no_line_is_longer_than_is_read(
    tmp_path: Path, stick: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of a larger event the hub put its own copy aside as damaged, whenever it opened it."""
    monkeypatch.setattr("roundtap_hub.store.folder_copy.LINE_BYTES_MAX", 1500)
    for _ in range(2):
        with closing(Hub(tmp_path, on(stick))) as hub:
            hub.wait_for(CURRENT)
            hub.service.execute(event_steps(f"e{_}"), "organizer", people(f"e{_}"))
    assert max(map(len, (stick / COPY_FILE).read_bytes().splitlines())) < 1500
    assert heads_on(stick)["e0"].number == heads_on(stick)["e1"].number == 5
    assert {row[1] for said in lines(stick) for row in said.get("people", [])} == {"p1", "p2", "p3", "p4"}
    assert [each.name for each in stick.iterdir()] == [COPY_FILE], "nothing was put aside"


def test_a_copy_followed_by_much_that_is_damaged_is_read_in_parts(
    hub: Hub, stick: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("roundtap_hub.store.folder_copy.LINE_BYTES_MAX", 8192)
    hub.service.execute(event_steps(), "organizer", people())
    before = read_copy(stick / COPY_FILE)
    assert before is not None
    with open(stick / COPY_FILE, "ab") as file:
        file.write(b"x" * 20_000 + b"\n")
    after = read_copy(stick / COPY_FILE)
    assert (after.length, after.heads, after.damaged) == (before.length, before.heads, True)


def test_nobody_is_answered_before(tmp_path: Path) -> None:
    class Held:
        name = "held"
        asked, let_go = threading.Event(), threading.Event()

        def open(self, *_: str) -> dict[str, Head]:
            return {}

        def write(self, batch: CommitBatch) -> None:
            if any(entry.kind == "clock-set" for entry in batch.entries):
                self.asked.set()
                self.let_go.wait(GUARD_S)

        def verify_place(self) -> None:
            pass

        def close(self) -> None:
            pass

    held = Held()
    with closing(Hub(tmp_path, held)) as hub:
        make_event(hub.service)
        hub.wait_for(CURRENT)
        answer = hub.service.submit([Step("e1", c.SetClock("start"))], "organizer")
        assert held.asked.wait(GUARD_S)
        assert not answer.done()
        assert hub.service.snapshot.events["e1"].number == 7, "nor is it shown"
        held.let_go.set()
        assert answer.result(GUARD_S)[0].number == 8


def test_a_copy_that_is_too_slow_is_given_up_and_told_at_once(tmp_path: Path) -> None:
    class Slow:
        name = "slow"
        let_go = threading.Event()
        held: dict[str, Head] = {}

        def open(self, *_: str) -> dict[str, Head]:
            return dict(self.held)

        def write(self, batch: CommitBatch) -> None:
            if any(entry.kind == "about-set" for entry in batch.entries):
                self.let_go.wait(GUARD_S)
            self.held.update(batch.heads)

        def verify_place(self) -> None:
            pass

        def close(self) -> None:
            pass

    slow = Slow()
    with closing(Hub(tmp_path, slow, within_s=0)) as hub:
        make_event(hub.service)
        hub.wait_for(CURRENT)
        hub.service.execute_one("e1", c.SetEventDetails({"venue": "the back room"}), "organizer")
        assert hub.copies.states[0].state == SLOW
        assert hub.keys() == ["copy.slow", "one_copy"]
        hub.service.execute_one("e1", c.SetClock("start"), "organizer")
        slow.let_go.set()
        hub.wait_for(CURRENT)
        assert slow.held["e1"].number == 9, "it was brought up to date before it counts again"


def test_a_stick_that_was_pulled_catches_up(hub: Hub, stick: Path) -> None:
    make_event(hub.service)
    away = stick.rename(stick.with_name("away"))
    hub.service.execute_one("e1", c.SetEventDetails({"venue": "the back room"}), "organizer")
    hub.service.execute_one("e1", c.SetClock("start"), "organizer")
    hub.wait_for(AWAY)
    assert hub.keys() == ["copy.away", "one_copy"]
    hub.service.execute(event_steps("e2"), "organizer", people("e2"))
    away.rename(stick)
    hub.wait_for(CURRENT)
    assert heads_on(stick) == hub.journal.heads()
    assert {row[0] for said in lines(stick) for row in said.get("people", [])} == {"e1", "e2"}


def lines(stick: Path) -> list[dict[str, list[list[str]]]]:
    return [json.loads(line.partition(" ")[2]) for line in (stick / COPY_FILE).read_text().splitlines()]


def test_a_stick_of_another_hub_is_left_alone_and_refused_with_words(hub: Hub, stick: Path, tmp_path: Path) -> None:
    before = (stick / COPY_FILE).read_bytes()
    other = tmp_path / "other"
    other.mkdir()
    hub.close()
    with closing(Hub(other, on(stick), lineage="another line", retry_s=1000)) as second:
        make_event(second.service)
        second.wait_for(REFUSED)
        assert second.copies.states[0].problem.key == "copy_of_another"
        assert second.keys() == ["copy.refused", "one_copy"]
        assert not any(str(stick) in link for link in open_files()), "it can be unmounted"
        assert (stick / COPY_FILE).read_bytes() == before


def test_an_empty_hub_puts_nothing_beside_another_hub_s_journal(hub: Hub, stick: Path, tmp_path: Path) -> None:
    """It is offered as unchanged, and the empty hub's backup lay there before anybody had pressed *Continue*."""
    other = tmp_path / "other"
    other.mkdir()
    hub.service.execute(event_steps(), "organizer", people())
    hub.close()
    with closing(Hub(other, on(stick), lineage="another line", retry_s=1000)) as second:
        assert second.copies.plugged_in() == [], "nor before it was read"
        second.wait_for(REFUSED)
        assert second.copies.plugged_in() == []
        make_event(second.service)
        assert [copy.folder for copy in second.copies.plugged_in()] == [stick], (
            "a hub with an event is kept where it can"
        )


def test_a_copy_that_knows_more_is_never_written_over(tmp_path: Path, stick: Path) -> None:
    """An older database was put in: the stick has what it lacks."""
    with closing(Hub(tmp_path, on(stick))) as first:
        first.wait_for(CURRENT)
        make_event(first.service)
    shutil.copy(tmp_path / "journal.db", tmp_path / "older.db")
    with closing(Hub(tmp_path, on(stick))) as again:
        again.wait_for(CURRENT)
        again.service.execute_one("e1", c.SetClock("start"), "organizer")
    before = (stick / COPY_FILE).read_bytes()
    shutil.copy(tmp_path / "older.db", tmp_path / "journal.db")

    with closing(Hub(tmp_path, on(stick))) as restored:
        restored.service.execute_one("e1", c.SetEventDetails({"venue": "the back room"}), "organizer")
        restored.wait_for(REFUSED)

        assert restored.copies.states[0].problem.key == "copy_knows_more"
        assert (stick / COPY_FILE).read_bytes() == before


def test_a_new_epoch_begins_a_new_file_and_puts_the_old_one_aside(tmp_path: Path, stick: Path) -> None:
    with closing(on(stick)) as copy:
        copy.open("our line", "epoch one")
    before = (stick / COPY_FILE).read_bytes()
    copy.open("our line", "epoch two")
    copy.close()
    assert [path.read_bytes() for path in stick.glob("*.aside")] == [before]


def test_a_torn_line_is_cut_off_and_a_damaged_file_put_aside(hub: Hub, stick: Path, tmp_path: Path) -> None:
    make_event(hub.service)
    hub.close()
    whole = (stick / COPY_FILE).read_bytes()
    (stick / COPY_FILE).write_bytes(whole + b'0123 {"entries"')
    with closing(Hub(tmp_path, on(stick))) as again:
        again.wait_for(CURRENT)
    assert (stick / COPY_FILE).read_bytes() == whole

    (stick / COPY_FILE).write_bytes(whole.replace(b"Ana Ruiz", b"Eva Ruiz", 1))
    with closing(Hub(tmp_path, on(stick))) as again:
        again.wait_for(CURRENT)
        assert heads_on(stick) == again.journal.heads()
        assert len(list(stick.glob("*.aside"))) == 1


def test_a_deleted_event_s_people_are_forgotten_on_the_stick_too(hub: Hub, stick: Path) -> None:
    hub.service.execute(event_steps(), "organizer", people())
    hub.service.execute(event_steps("e2"), "organizer", people("e2"))
    for kind in (EVENT_ARCHIVED, EVENT_DELETED):
        hub.service.execute([Step(VENUE, NewEntry(kind, {"event": "e1"}))], "organizer")
    assert {row[0] for said in lines(stick) for row in said.get("people", [])} == {"e2"}
    assert heads_on(stick) == hub.journal.heads()
    hub.service.execute_one("e2", c.SetEventDetails({"venue": "the back room"}), "organizer")
    assert heads_on(stick) == hub.journal.heads()


def test_a_stick_of_an_earlier_version_is_read_gone_on_with_and_forgets_as_any_other(
    tmp_path: Path, stick: Path
) -> None:
    path = Path(shutil.copy(OLDER, stick / COPY_FILE))
    lineage = str(lines(stick)[0]["lineage"])
    before = read_copy(path, lineage)
    assert ({stream: head.number for stream, head in before.heads.items()}, before.damaged) == (
        {"venue": 1, "e1": 7},
        False,
    )
    assert before.people == {("e1", "p1"), ("e1", "p2"), ("e1", "p3")}
    with closing(on(stick)) as copy:
        assert copy.open(before.lineage, before.epoch) == before.heads
        gone = chain_entry(
            NewEntry("competitor-removed", {"competitor": "p1"}),
            "e1",
            8,
            before.heads["e1"].hash,
            Timestamp("boot", 0, None),
            "organizer",
        )
        copy.write(CommitBatch([gone]))
    after = read_copy(path, lineage)
    assert (after.heads["e1"], after.damaged) == (Head(8, gone.hash), False)
    assert after.people == {("e1", "p2"), ("e1", "p3")}
    assert NAMES[0] not in path.read_text()


def test_a_folder_on_the_hub_s_own_disk_is_no_second_copy(tmp_path: Path, stick: Path) -> None:
    with event_kit.refused("copy_same_disk"):
        FolderCopy(stick, tmp_path).open("our line", "epoch")
    assert not list(stick.iterdir())


def test_without_a_copy_the_console_says_one_copy(tmp_path: Path) -> None:
    with closing(Hub(tmp_path)) as hub:
        make_event(hub.service)
        assert hub.keys() == ["one_copy"]


def test_an_entry_that_was_taken_out_is_forgotten_in_the_journal_and_on_the_stick_at_once(
    hub: Hub,
    stick: Path,
) -> None:
    hub.service.execute(event_steps(), "organizer", people())
    assert "Łukasz Żak" in (stick / COPY_FILE).read_text()
    gone = next(who for who, person in hub.service.snapshot.people["e1"].items() if person.name == "Łukasz Żak")
    hub.service.execute_one("e1", c.RemoveCompetitor(gone), "organizer")
    assert gone not in hub.service.snapshot.people["e1"]
    assert gone not in hub.journal.people({"e1"})["e1"]
    assert "Łukasz Żak" not in (stick / COPY_FILE).read_text()
    assert heads_on(stick) == hub.journal.heads()


def test_a_stick_that_was_away_forgets_them_when_it_is_back(tmp_path: Path, stick: Path) -> None:
    with running(tmp_path / "journal.db") as service:
        made = service.execute(event_steps(), "organizer", people())
        with closing(on(stick)) as copy:
            copy.open("our line", service.snapshot.venue.epoch)
            rows = list(service.journal.person_rows("e1"))
            copy.write(
                CommitBatch(made, [{key: row[key] for key in ("event", "competitor", "salt", "data")} for row in rows])
            )  # type: ignore[misc]
        gone = service.execute_one("e1", c.RemoveCompetitor("p1"), "organizer")
        raw = read_copy(stick / COPY_FILE, "our line")
        assert ("e1", "p1") in raw.people
        copy.open("our line", service.snapshot.venue.epoch)
        copy.write(CommitBatch(gone))
        copy.close()
        after = read_copy(stick / COPY_FILE, "our line")
        assert ("e1", "p1") not in after.people


def test_a_stick_that_is_let_go_of_is_closed_and_nobody_waits_for_it(hub: Hub, stick: Path) -> None:
    hub.service.execute(event_steps(), "organizer", people())
    assert hub.copies.eject(str(stick), GUARD_S)
    assert hub.copies.states[0].state == EJECTED
    assert hub.copies.plugged_in() == []
    assert not any(str(stick) in link for link in open_files())
    held = (stick / COPY_FILE).read_bytes()
    hub.service.execute([Step("e1", c.DrawRound(11))], "organizer")
    assert (stick / COPY_FILE).read_bytes() == held
    assert {"copy.let-go"} <= set(hub.keys())


def test_a_stick_that_was_pulled_and_comes_back_holds_everything_again(hub: Hub, stick: Path) -> None:
    hub.service.execute(event_steps(), "organizer", people())
    assert hub.copies.eject(str(stick), GUARD_S)
    away = stick.with_name("away")
    stick.rename(away)
    hub.service.execute([Step("e1", c.DrawRound(11))], "organizer")
    while not hub.copies._keepers[str(stick)]._was_gone:
        threading.Event().wait(0.01)
    away.rename(stick)
    hub.wait_for(CURRENT)
    assert heads_on(stick)["e1"].number == 6


def test_a_stick_that_could_not_be_unmounted_is_taken_back(hub: Hub, stick: Path) -> None:
    assert hub.copies.eject(str(stick), GUARD_S)
    hub.copies.cancel_eject(str(stick))
    hub.wait_for(CURRENT)
    assert [copy.folder for copy in hub.copies.plugged_in()] == [stick]


def test_what_is_no_stick_is_not_let_go_of(hub: Hub) -> None:
    assert not hub.copies.eject("/somewhere/else", 10)
    assert [state.name for state in hub.copies.removable()] == [state.name for state in hub.copies.states]


def open_files() -> list[str]:
    found = []
    for link in Path("/proc/self/fd").iterdir():
        with contextlib.suppress(OSError):
            found.append(str(link.readlink()))
    return found


# --- a stick that may be there


def maybe(stick: Path) -> FolderCopy:
    return FolderCopy(stick, stick.parent, same_disk=True, may_be_missing=True)


def test_where_no_stick_was_ever_plugged_in_nothing_is_wrong(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    with closing(Hub(tmp_path, maybe(tmp_path / "none"))) as hub:
        make_event(hub.service)
        assert hub.copies.states == hub.copies.removable() == []
        assert hub.keys() == ["one_copy"]
        assert "The copy on" not in caplog.text


def test_a_stick_that_is_plugged_in_later_is_a_copy_from_then_on_and_is_missed(tmp_path: Path, stick: Path) -> None:
    stick.rmdir()
    with closing(Hub(tmp_path, maybe(stick))) as hub:
        changed = threading.Event()
        hub.service.storage.listeners.append(changed.set)
        made = make_event(hub.service)
        stick.mkdir()
        while [state.state for state in hub.copies.states] != [CURRENT]:
            assert changed.wait(GUARD_S), hub.copies.states
            changed.clear()
        assert heads_on(stick)["e1"].number == len(list(hub.journal.entries("e1")))
        assert made is not None
        shutil.rmtree(stick)
        assert hub.copies.eject(str(stick), GUARD_S)
        hub.copies.cancel_eject(str(stick))
        hub.wait_for(AWAY)


def test_an_empty_place_on_the_hub_s_own_disk_is_no_stick(tmp_path: Path, stick: Path) -> None:
    """systemd leaves the folder behind when a stick was pulled out."""
    with pytest.raises(FileNotFoundError):
        FolderCopy(stick, tmp_path, may_be_missing=True).open("our line", "epoch")
    with pytest.raises(Problem):
        FolderCopy(stick, tmp_path).open("our line", "epoch")


def test_a_copy_that_is_pulled_before_it_has_the_people_gets_them_when_it_is_back(tmp_path: Path, stick: Path) -> None:
    class Pulled(FolderCopy):
        pulled = False

        def write(self, batch: CommitBatch) -> None:
            if batch.people and not self.pulled:
                self.pulled = True
                raise OSError(5, "pulled")
            super().write(batch)

    with closing(Hub(tmp_path)) as alone:
        make_event(alone.service)
    with closing(Hub(tmp_path, Pulled(stick, tmp_path, same_disk=True))) as hub:
        hub.wait_for(CURRENT)
    assert "Łukasz Żak" in (stick / COPY_FILE).read_text()


def test_a_stick_that_may_not_be_looked_into_is_not_there(
    hub: Hub, stick: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "open", fails(PermissionError(13, "no")))
    assert not on(stick).is_there()
    assert hub.copies.plugged_in() == []
