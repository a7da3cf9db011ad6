"""A person is forgotten everywhere: four Fridays with a takeover and a restore between them, and then no file of hub,
stick or standby holds the name."""

import json
import shutil
import sqlite3
import zlib
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from pathlib import Path

import pytest
from hub_kit import HandClock, running

from event_kit import refused
from kit import wait_until
from roundtap_core.event import commands as c
from roundtap_core.event.entries import VENUE, Entry, NewEntry, Person, Timestamp
from roundtap_core.event.states import Entrant
from roundtap_hub.app.main import HubResources, open_folder
from roundtap_hub.app.standby.peers import StandbyFolder, promote_folder
from roundtap_hub.store.backups import COPIES_FOLDER, FOLDER, SET_ASIDE, backups_in
from roundtap_hub.store.clocks import Clocks
from roundtap_hub.store.copies import CURRENT
from roundtap_hub.store.folder_copy import FolderCopy
from roundtap_hub.store.journal import Journal, JournalConflict, PersonRecord
from roundtap_hub.store.journal_identity import seal_after
from roundtap_hub.store.print_book import PrintBook, PrintJob
from roundtap_hub.store.read_model import verify_journal
from roundtap_hub.store.recover import recover
from roundtap_hub.store.service import Service, Step

GONE, SPELLED = "Żółcia Brzęczyszczykiewicz", "Zolcia BRZECZYSZCZYKIEWICZ-Luz"
STAYS = "Łukasz Żak"
TRACES = ("brzęczyszczykiewicz", r"brz\u0119czyszczykiewicz", "brzeczyszczykiewicz")
AT = Timestamp("boot-1", 0)
FRIDAY = "2026-11-{:02}T18:00:00+01:00"


class Week:
    """The wall clock of one Friday after the other."""

    def __init__(self) -> None:
        self.day = 6

    @property
    def clocks(self) -> Clocks:
        return Clocks("boot-1", lambda: 5_000_000, lambda: FRIDAY.format(self.day))


@pytest.fixture
def week() -> Week:
    return Week()


@pytest.fixture
def opened(week: Week) -> Callable[..., HubResources]:
    """Open a hub's folder with a stick that lies on the same disk here."""

    def of(folder: Path, *sticks: Path) -> HubResources:
        for each in (folder, *sticks):
            each.mkdir(exist_ok=True)
        (folder / "secret").write_text("5e" * 32)
        hub = open_folder(folder, lambda _: None, clocks=week.clocks)
        copies = hub.service.copies
        assert copies is not None
        for stick in sticks:
            copies.add(FolderCopy(stick, folder, same_disk=True), 0.01)
        wait_until(lambda: all(each.state == CURRENT for each in copies.states), "the stick")
        return hub

    return of


def friday(service: Service, event: str, *names: str, over: bool = True) -> None:
    records = [PersonRecord(event, f"p{n}", f"salt {event} {n}", Person(name)) for n, name in enumerate(names, 1)]
    entered = [c.EnterCompetitor(Entrant(each.competitor, each.person.digest(each.salt))) for each in records]
    create = c.CreateEvent(f"Friday {event}", "xwing-standard", None, {}, "#0072B2", 7)
    begun = Step(VENUE, NewEntry("event-begun", {"event": event}))
    service.execute([begun, *(Step(event, command) for command in (create, *entered))], "organizer", records)
    if over:
        told(service, "event-archived", event=event)


def told(service: Service, kind: str, **data: object) -> list[Entry]:
    return service.execute([Step(VENUE, NewEntry(kind, data))], "organizer")


def person(service: Service, *names: str) -> list[str]:
    return [each.id for name in names for each in service.snapshot.known_people() if each.person.name == name]


def forget(service: Service, *names: str) -> None:
    for who in person(service, *names):
        told(service, "person-forgotten", person=who)


def follow(hub: HubResources, folder: StandbyFolder) -> None:
    """What the hub tells a standby until it is level."""
    assert hub.service.copies is not None
    for batch in hub.service.copies.missing_batches(folder.heads):
        rows = batch.rows()
        folder.append_rows(rows["entries"], rows["people"])


def files_that_name(*places: Path) -> list[str]:
    """Every file with the name in it: as it is, in JSON, folded, or packed."""
    return [
        f"{path.relative_to(place.parent)}"
        for place in places
        for path in sorted(place.rglob("*"))
        if path.is_file() and any(trace.encode() in text for text in texts(path.read_bytes()) for trace in TRACES)
    ]


def texts(data: bytes) -> Iterator[bytes]:
    yield data.decode(errors="replace").lower().encode()
    yield data.lower()
    for head in (b"\x78\x01", b"\x78\x5e", b"\x78\x9c", b"\x78\xda"):
        at = data.find(head)
        while at >= 0:
            with suppress(zlib.error):
                yield zlib.decompressobj().decompress(data[at:]).decode(errors="replace").lower().encode()
            at = data.find(head, at + 1)


def names_in(folder: Path, event: str) -> list[str]:
    with closing(Journal(f"sqlite:///{folder / 'roundtap.db'}", read_only=True)) as journal:
        return [each.name for each in journal.people([event]).get(event, {}).values()]


def wrong_in(folder: Path) -> list[str]:
    with closing(Journal(f"sqlite:///{folder / 'roundtap.db'}", read_only=True)) as journal:
        return [wrong.key for check in verify_journal(journal) for wrong in check.wrong]


def take_backup(folder: Path, to: Path) -> Path:
    return Path(shutil.copy(backups_in(folder / FOLDER)[0], to))


def test_after_four_fridays_no_file_names_who_was_forgotten(
    tmp_path: Path, opened: Callable[..., HubResources], week: Week
) -> None:
    hub, stick, second, new = (tmp_path / name for name in ("hub", "stick", "second", "new"))
    firsts = tmp_path / "first's stick"
    (drawer := tmp_path / "drawer").mkdir()
    with closing(opened(hub, firsts)) as first:
        friday(first.service, "e1", GONE, STAYS)
    before = take_backup(hub, drawer)
    week.day = 13
    with closing(opened(hub, firsts)) as first:
        friday(first.service, "e2", SPELLED, STAYS)
        told(
            first.service,
            "people-joined",
            person=person(first.service, GONE)[0],
            other=person(first.service, SPELLED)[0],
        )
        standby = StandbyFolder(second)
        standby.open()
        follow(first, standby)
    standby.close()
    (second / "secret").write_text("5e" * 32)
    promote_folder(second, week.clocks.at(), lambda n: "ab" * n)
    week.day = 20
    with closing(opened(second, stick)) as taken_over:
        friday(taken_over.service, "e3", STAYS, GONE)
        assert len(taken_over.service.snapshot.known_people()) == 2
    middle = take_backup(second, drawer)
    with closing(opened(second, stick)) as taken_over:
        friday(taken_over.service, "lost", GONE, STAYS, over=False)
    copied = shutil.copytree(second, tmp_path / "copied")
    # The restored hub lacks the last event; what stood there is set aside.
    recover([middle], new, week.clocks)
    (new / FOLDER / SET_ASIDE).mkdir(parents=True)
    shutil.move(second, new / FOLDER / SET_ASIDE / "epoch")
    again = StandbyFolder(hub)
    again.set_aside()
    again.open()
    week.day = 27
    with closing(opened(new, stick)) as restored:
        friday(restored.service, "e4", "Ana Ruiz", GONE)
        follow(restored, again)
        assert len(list(stick.glob("*.aside"))) == 1, "of the hub before"
        assert {each.split("/")[0] for each in files_that_name(new, stick, hub)} == {"new", "stick", "hub"}
        forget(restored.service, GONE, SPELLED)
        follow(restored, again)
        assert [each.person.name for each in restored.service.snapshot.known_people()] == ["Ana Ruiz", STAYS]
        assert restored.service.snapshot.names_of("e4") == {"p1": "Ana R.", "p2": "Player 2 (forgotten)"}
    again.close()
    assert files_that_name(new, stick, hub) == []
    assert [names_in(new, event)[1] for event in ("e1", "e3", "e4")] == [STAYS, *["Player 2 (forgotten)"] * 2]
    assert (wrong_in(new), wrong_in(hub)) == ([], [])

    after = take_backup(new, tmp_path)
    beside = Path(shutil.copy(middle, stick / COPIES_FOLDER))
    assert files_that_name(stick) != []
    for number, places in enumerate(([after], [drawer, stick], [drawer, hub], [beside], [new, copied])):
        recover(places, made := tmp_path / f"made {number}", week.clocks)
        assert (files_that_name(made), wrong_in(made)) == ([], [])
        assert sorted(names_in(made, "e2")) == ["Player 1 (forgotten)", STAYS]
    made_alone(tmp_path, before, opened)


def made_alone(tmp_path: Path, before: Path, opened: Callable[..., HubResources]) -> None:
    """Where nothing knows who was forgotten, the hub says of which day its copy is."""
    (alone := tmp_path / "alone").mkdir()
    recover([Path(shutil.copy(before, alone))], tmp_path / "back", HandClock().clocks)
    assert names_in(tmp_path / "back", "e1") == [GONE, STAYS]
    with closing(opened(tmp_path / "back")) as back:
        assert back.service.snapshot.venue.copied_at == FRIDAY.format(6)


def test_a_row_that_is_still_there_is_found_and_the_one_in_its_place_is_fine(tmp_path: Path) -> None:
    with running(tmp_path / "roundtap.db") as service:
        friday(service, "e1", GONE, STAYS)
        friday(service, "e2", STAYS)
        row = next(each for each in service.journal.person_rows("e1") if each["competitor"] == "p1")
        forget(service, GONE)
        assert wrong_in(tmp_path) == []
        friday(service, "e3", GONE)
    with closing(sqlite3.connect(tmp_path / "roundtap.db")) as journal:
        journal.execute("UPDATE person SET salt = :salt, data = :data WHERE event = 'e1' AND competitor = 'p1'", row)
        journal.commit()
    assert wrong_in(tmp_path) == ["people_not_forgotten"]


def test_who_comes_again_after_being_forgotten_is_somebody_new(tmp_path: Path) -> None:
    with running(tmp_path / "roundtap.db") as service:
        friday(service, "e1", GONE, STAYS)
        forget(service, GONE)
        friday(service, "e2", GONE)
        [again] = [each for each in service.snapshot.known_people() if each.person.name == GONE]
        assert again.seats == (("e2", "p1"),)


@pytest.fixture
def earlier(tmp_path: Path) -> Path:
    """The journal of a hub of an earlier version: two events that are over, and no book."""
    path = tmp_path / "roundtap.db"
    with running(path) as service:
        friday(service, "e1", GONE, STAYS)
        friday(service, "e2", STAYS, GONE)
    with closing(sqlite3.connect(path)) as journal:
        keep = "kind IN ('epoch-begun', 'event-begun', 'event-archived')"
        rows = journal.execute(f"SELECT kind, data FROM entry WHERE stream = 'venue' AND {keep} ORDER BY number")
        entries = seal_after([], [NewEntry(kind, json.loads(data)) for kind, data in rows], AT, "organizer")
        journal.execute("DELETE FROM entry WHERE stream = 'venue'")
        journal.commit()
    with closing(Journal(f"sqlite:///{path}")) as again:
        again.append(entries)
    return path


def test_nobody_is_forgotten_before_every_earlier_event_is_read(earlier: Path) -> None:
    with running(earlier) as service:
        assert service.snapshot.unread_events() == ["e1", "e2"]
        with refused("book_unread"):
            told(service, "person-forgotten", person="anybody")
        service.snapshotter.snapshot_due()
        assert service.snapshot.unread_events() == []
        forget(service, GONE)
        assert [each.seats for each in service.snapshot.known_people()] == [(("e1", "p2"), ("e2", "p1"))]
    assert files_that_name(earlier.parent) == []


def test_a_damaged_event_is_put_away_all_the_same_and_has_to_be_deleted_first(earlier: Path) -> None:
    with closing(sqlite3.connect(earlier)) as journal:
        journal.execute("UPDATE entry SET data = '{}' WHERE stream = 'e1' AND kind = 'competitor-entered'")
        journal.execute("UPDATE entry SET kind = 'event-finished' WHERE stream = 'e1' AND number = 3")
        journal.commit()
    with running(earlier) as service:
        told(service, "event-restored", event="e1")
        assert [entry.kind for entry in told(service, "event-archived", event="e1")] == ["event-archived"]
        service.snapshotter.snapshot_due()
        assert service.snapshot.unread_events() == ["e1"]
        with refused("book_unread"):
            forget(service, GONE)
        told(service, "event-deleted", event="e1")
        forget(service, GONE)
    assert files_that_name(earlier.parent) == []


def test_what_was_to_be_printed_at_their_events_is_not_restored(tmp_path: Path, week: Week) -> None:
    (hub := tmp_path / "hub").mkdir()
    with closing(open_folder(hub, lambda _: None, clocks=week.clocks)) as opened:
        friday(opened.service, "e1", GONE, STAYS)
        friday(opened.service, "e2", STAYS)
        assert opened.paper is not None
        for event in ("e1", "e2"):
            opened.paper.order(PrintJob(f"{event}/words/1", event, "words", 1, text=f"{GONE} / {event}"))
        forget(opened.service, GONE)
    recover([hub], made := tmp_path / "made", week.clocks)
    with closing(PrintBook(f"sqlite:///{made / 'roundtap.db'}")) as book:
        assert [job.event for job in book.orders] == ["e2"]


def test_a_regular_who_is_entered_keeps_the_seat_that_another_desk_s_entry_moved(tmp_path: Path) -> None:
    with running(tmp_path / "roundtap.db") as service:
        friday(service, "e1", GONE, STAYS)
        friday(service, "e2", over=False)
        for name in (GONE, STAYS):
            record = PersonRecord("e2", "p1", f"salt {name}", Person(name))
            enter = c.EnterCompetitor(Entrant("p1", record.person.digest(record.salt)))
            known = NewEntry("people-known", {"event": "e2", "persons": {"p1": person(service, name)[0]}})
            service.execute([Step("e2", enter), Step(VENUE, known)], "organizer", [record])
        assert [each.seats[-1] for each in service.snapshot.known_people()] == [("e2", "p1"), ("e2", "p2")]


def test_another_hub_s_journal_below_a_standby_keeps_its_people(tmp_path: Path, week: Week) -> None:
    """Its events may have the same ids."""
    second, hub = tmp_path / "second", tmp_path / "hub"
    for folder, name in ((second, STAYS), (hub, GONE)):
        folder.mkdir()
        with closing(open_folder(folder, lambda _: None, clocks=week.clocks)) as opened:
            friday(opened.service, "e1", name)
    standby = StandbyFolder(second)
    standby.set_aside()
    standby.open()
    with closing(open_folder(hub, lambda _: None, clocks=week.clocks)) as opened:
        forget(opened.service, GONE)
        follow(opened, standby)
    standby.close()
    assert names_in(second / "before-1", "e1") == [STAYS]
    assert names_in(second, "e1") == ["Player 1 (forgotten)"]


def test_a_hub_that_is_killed_too_soon_forgets_once_it_starts_again(
    tmp_path: Path, opened: Callable[..., HubResources]
) -> None:
    hub, stick = tmp_path / "hub", tmp_path / "stick"
    with closing(opened(hub, stick)) as before:
        friday(before.service, "e1", GONE, STAYS)
    (aside := hub / FOLDER / SET_ASIDE / "epoch").mkdir(parents=True)
    for file in (hub / "roundtap.db", hub / "roundtap.head"):
        shutil.copy(file, aside)
    backups = (hub / FOLDER, stick / COPIES_FOLDER)
    held = [shutil.copytree(each, tmp_path / f"held {n}") for n, each in enumerate(backups)]
    with closing(opened(hub, stick)) as killed:
        forget(killed.service, GONE)
    for there, each in zip(backups, held, strict=True):
        shutil.rmtree(there)
        each.rename(there)
    assert {each.split("/")[0] for each in files_that_name(hub, stick)} == {"hub", "stick"}
    opened(hub, stick).close()
    assert files_that_name(hub, stick) == []
    assert names_in(aside, "e1") == ["Player 1 (forgotten)", STAYS]
    with closing(opened(hub, stick)) as again:
        friday(again.service, "e2", STAYS)
    assert len(backups_in(hub / FOLDER)) == len(backups_in(stick / COPIES_FOLDER)) > 1, "what knows of it is kept"


def test_a_stick_that_was_away_forgets_once_it_is_back(tmp_path: Path, opened: Callable[..., HubResources]) -> None:
    hub, stick = tmp_path / "hub", tmp_path / "stick"
    with closing(opened(hub, stick)) as before:
        friday(before.service, "e1", GONE, STAYS)
    with closing(opened(hub)) as without:
        forget(without.service, GONE)
    assert files_that_name(hub, stick) != []
    opened(hub, stick).close()
    assert files_that_name(hub, stick) == []


def test_a_stick_that_comes_while_nothing_happens_forgets_all_the_same(
    tmp_path: Path, opened: Callable[..., HubResources]
) -> None:
    hub, stick = tmp_path / "hub", tmp_path / "stick"
    with closing(opened(hub, stick)) as before:
        friday(before.service, "e1", GONE, STAYS)
    with closing(opened(hub)) as without:
        forget(without.service, GONE)
        wait_until(lambda: files_that_name(hub) == [], "the backup")
        copies = without.service.copies
        assert copies is not None
        assert files_that_name(stick) != []
        copies.add(FolderCopy(stick, hub, same_disk=True), 0.01)
        wait_until(lambda: copies.states[-1].state == CURRENT, "the stick")
    assert files_that_name(stick) == []


def test_a_standby_forgets_first_what_it_set_aside(tmp_path: Path, opened: Callable[..., HubResources]) -> None:
    """It may be killed in between, and what it has is not told it again."""
    standby = StandbyFolder(tmp_path / "second")
    standby.open()
    with closing(opened(tmp_path / "hub")) as hub:
        friday(hub.service, "e1", GONE, STAYS)
        follow(hub, standby)
        standby.close()
        standby = StandbyFolder(tmp_path / "second")
        standby.set_aside()
        standby.open()
        follow(hub, standby)
        forget(hub.service, GONE)
        with closing(sqlite3.connect(tmp_path / "second" / "roundtap.db")) as full:
            full.execute("CREATE TRIGGER full BEFORE INSERT ON entry BEGIN SELECT RAISE(ABORT, 'full'); END")
        with pytest.raises(JournalConflict):
            follow(hub, standby)
    standby.close()
    assert names_in(tmp_path / "second" / "before-1", "e1") == ["Player 1 (forgotten)", STAYS]
