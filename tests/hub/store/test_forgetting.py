"""A person is forgotten everywhere: four Fridays with a takeover and a restore between them, and then no file of hub,
stick or standby holds the name."""

import shutil
import zlib
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from functools import partial
from pathlib import Path

import pytest
from hub_kit import HandClock

from roundtap_core.event import commands as c
from roundtap_core.event.entries import VENUE, Entry, NewEntry
from roundtap_core.event.person import Person
from roundtap_core.event.states import Entrant
from roundtap_hub.app import main as app_main
from roundtap_hub.app.main import HubResources, open_folder
from roundtap_hub.app.standby.standby_folder import StandbyFolder, promote_folder
from roundtap_hub.store.backups import FOLDER, SET_ASIDE, backups_in
from roundtap_hub.store.clocks import Clocks
from roundtap_hub.store.folder_copy import FolderCopy
from roundtap_hub.store.journal import Journal, PersonRecord
from roundtap_hub.store.recover import recover
from roundtap_hub.store.service import Service, Step
from roundtap_hub.store.verify import verify_journal

GONE, SPELLED = "Żółcia Brzęczyszczykiewicz", "Zolcia BRZECZYSZCZYKIEWICZ-Luz"
STAYS = "Łukasz Żak"
TRACES = ("brzęczyszczykiewicz", r"brz\u0119czyszczykiewicz", "brzeczyszczykiewicz")
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
def opened(week: Week, monkeypatch: pytest.MonkeyPatch) -> Callable[..., HubResources]:
    """Open a hub's folder with a stick that lies on the same disk here."""
    monkeypatch.setattr(app_main, "FolderCopy", partial(FolderCopy, same_disk=True))

    def of(folder: Path, *sticks: Path) -> HubResources:
        for each in (folder, *sticks):
            each.mkdir(exist_ok=True)
        (folder / "secret").write_text("5e" * 32)
        return open_folder(folder, lambda _: None, sticks, week.clocks)

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
    for number, places in enumerate(([after], [drawer, stick], [drawer, hub])):
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
