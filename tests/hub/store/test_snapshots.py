"""Events at rest: sealed from their entries, unread at the start, opened when somebody looks, in play when told so."""

import json
import sqlite3
import threading
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest
from hub_kit import HandClock, event_steps, hub_of, make_event, people, running, stored, url_of
from recorded_reports import record_report
from sqlalchemy import update
from wire_json import table_json

from event_kit import fold_entries
from patience import GUARD_S
from roundtap_core.errors import Problem
from roundtap_core.event import commands as c
from roundtap_core.event.entries import Entry, Person
from roundtap_core.event.states import EventState, decode_state, encode_state
from roundtap_core.eventfile.read import parse_event_file
from roundtap_core.records import Result, SidePair
from roundtap_hub.events.new_event import import_steps
from roundtap_hub.http.routes import PageKey
from roundtap_hub.live.page_cache import HubNow, version_of
from roundtap_hub.paper.print_jobs import wanted_jobs
from roundtap_hub.store.event_cache import CACHE_MAX, DormantEvents, LoadedEvent
from roundtap_hub.store.journal import START, Head, Journal
from roundtap_hub.store.models import EVENT_SNAPSHOT
from roundtap_hub.store.service import Service, Step
from roundtap_hub.store.snapshots import EventSummary, running_core, snapshot_event, summary_of
from roundtap_hub.units.table_api import find_fate

WON = Result(score=SidePair(100, 24))
WORKED = sorted((Path(__file__).parents[2] / "core/worked_events").glob("*.json"))


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "journal.db"


def finish(service: Service, event: str = "e1") -> None:
    """Both matches of round 1 are won by side a, and that was it."""
    for match in ("1.1", "1.2"):
        service.execute_one(event, c.EnterResult(match, 0, WON), "judge")
    service.execute_one(event, c.FinishEvent("the hall closes"), "organizer")


def correct(service: Service, event: str = "e1") -> None:
    """After the end: it was the other way round."""
    match = service.snapshot.event(event).find_match("1.1")  # type: ignore[union-attr]
    assert match
    commands = (
        c.ReopenEvent(),
        c.EnterResult("1.1", match[1].revision, Result(score=SidePair(24, 100)), reason="misread"),
        c.FinishEvent("the hall closes"),
    )
    service.execute([Step(event, command) for command in commands], "judge")


def with_finished_event(path: Path, sealed: bool = True) -> EventState:
    """A journal with the finished event e1 in it, and the state it ended in."""
    with running(path) as service:
        make_event(service)
        finish(service)
        if sealed:
            service.snapshotter.snapshot_due()
        return service.snapshot.events["e1"]


@contextmanager
def opened(path: Path) -> Iterator[Journal]:
    with closing(Journal(url_of(path))) as journal:
        yield journal


def reading_of(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Of which streams entries are read from now on."""
    read: list[str] = []
    entries = Journal.entries

    def watched(self: Journal, stream: str, after: Head = START) -> Iterator[Entry]:
        read.append(stream)
        return entries(self, stream, after)

    monkeypatch.setattr(Journal, "entries", watched)
    return read


# --- seals -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("file", WORKED, ids=lambda file: file.stem)
def test_the_seal_of_a_worked_event_is_the_fold_of_its_entries(path: Path, file: Path) -> None:
    """Of every rulebook: the state comes back from its bytes, and folded from the disk it makes the same ones."""
    with running(path) as service:
        steps, who = import_steps("e1", parse_event_file(file.read_text(encoding="utf-8")), "#0072B2")
        service.execute(steps, "organizer", who)
        state = service.snapshot.events["e1"]
    folded = fold_entries("e1", stored(path))
    assert encode_state(state) == encode_state(folded)
    assert decode_state(encode_state(state)) == folded


def test_a_finished_event_is_sealed_and_the_seal_is_its_state(path: Path) -> None:
    state = with_finished_event(path)
    with opened(path) as journal:
        seal = journal.event_snapshots.find("e1")
    assert seal == snapshot_event(state)
    assert seal.summary == EventSummary(
        "e1", state.number, state.head, "Winter Open", "xwing-standard", "#0072B2", "", 4, True
    )


def test_a_seal_is_made_anew_when_something_in_its_event_changed(path: Path) -> None:
    with_finished_event(path)
    with running(path) as service:
        correct(service)
        service.snapshotter.snapshot_due()
        corrected = service.snapshot.event("e1")
    assert corrected
    with opened(path) as journal:
        assert journal.event_snapshots.find("e1") == snapshot_event(corrected)


def test_what_is_in_play_is_not_sealed(path: Path) -> None:
    with running(path) as service:
        make_event(service)
        assert list(service.snapshotter.due()) == []


def test_an_event_that_cannot_be_sealed_is_tried_once_and_hinders_nobody(
    path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with_finished_event(path, sealed=False)
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("UPDATE entry SET data = '{}' WHERE stream = 'e1' AND number = 3")
    with running(path) as service:
        service.snapshotter.snapshot_due()
        assert list(service.snapshotter.due()) == []
        assert make_event(service, "e2")
    assert "event e1 cannot be sealed" in caplog.text


# --- the start ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("sealed", [True, False])
def test_the_start_reads_no_entry_of_a_finished_event(
    path: Path, monkeypatch: pytest.MonkeyPatch, sealed: bool
) -> None:
    state = with_finished_event(path, sealed)
    with running(path) as service:
        service.execute(event_steps("e2"), "organizer", people("e2"))
    read = reading_of(monkeypatch)
    with running(path) as service:
        assert read == ["venue", "e2"]
        assert list(service.snapshot.events) == ["e2"]
        assert service.snapshot.dormant["e1"] == summary_of(state)
        assert list(service.snapshot.people) == ["e2"]


def test_a_reopened_event_is_in_play_after_the_start(path: Path) -> None:
    with_finished_event(path)
    with running(path) as service:
        service.execute_one("e1", c.ReopenEvent(), "organizer")
    with running(path) as service:
        assert list(service.snapshot.events) == ["e1"]
        assert service.snapshot.dormant == {}


def test_an_event_of_the_shelf_is_as_it_ended(path: Path) -> None:
    state = with_finished_event(path)
    with running(path) as service:
        assert service.snapshot.event("e1") == state
        assert service.snapshot.people_of("e1")["p1"] == Person("Ana Ruiz")
        assert service.snapshot.names_of("e1")["p1"] == "Ana R."
        assert service.snapshot.event("e2") is None


Damage = Callable[[Journal], None]


def _set(**values: object) -> Damage:
    def damage(journal: Journal) -> None:
        with journal._engine.begin() as connection:
            connection.execute(update(EVENT_SNAPSHOT).values(**values))

    return damage


@pytest.mark.parametrize(
    "damage",
    [
        _set(made_by="0.0.9/another"),
        _set(state=b"\x78\x01 no such thing"),
        _set(state=b""),
        _set(summary="{}"),
        _set(summary="not JSON"),
        _set(head="0" * 64),
        _set(number=1),
    ],
)
def test_a_seal_that_does_not_fit_is_not_believed(path: Path, monkeypatch: pytest.MonkeyPatch, damage: Damage) -> None:
    """Correct though slower, and a fitting one takes its place."""
    state = with_finished_event(path)
    with opened(path) as journal:
        damage(journal)
    read = reading_of(monkeypatch)
    with running(path) as service:
        assert service.snapshot.dormant["e1"].name == "Winter Open"
        assert service.snapshot.event("e1") == state
        assert "e1" in read
        service.snapshotter.snapshot_due()
    with opened(path) as journal:
        assert journal.event_snapshots.find("e1") == snapshot_event(state)


def test_a_seal_of_an_earlier_entry_is_not_believed(path: Path) -> None:
    """The hub died before it could seal the event again."""
    with_finished_event(path)
    with running(path) as service:
        correct(service)
        corrected = service.snapshot.event("e1")
        service.snapshotter.stop()
    with running(path) as service:
        assert service.snapshot.event("e1") == corrected
        assert corrected
        assert corrected.head == stored(path)[-1].hash


# --- in play again -----------------------------------------------------------------------------------------------


def test_a_result_is_corrected_after_the_end(path: Path) -> None:
    state = with_finished_event(path)
    with running(path) as service:
        correct(service)
        assert service.snapshot.dormant == {}
        corrected = service.snapshot.events["e1"]
        # Reopened, corrected, and finished with what is open named anew.
        assert corrected.number == state.number + 4
        assert service.snapshot.names["e1"]["p1"] == "Ana R."
        assert service.snapshot.people["e1"]["p1"] == Person("Ana Ruiz")
    assert fold_entries("e1", stored(path)) == corrected


def test_what_is_refused_leaves_an_event_on_the_shelf(path: Path) -> None:
    with_finished_event(path)
    with running(path) as service:
        with pytest.raises(Problem):
            service.execute_one("e1", c.FinishEvent("the hall closes"), "organizer")
        assert list(service.snapshot.dormant) == ["e1"]


def test_the_last_finished_events_stay_whole_and_those_before_them_go_to_the_shelf(path: Path) -> None:
    """The standings of what has just ended are printed, and looked at by everybody."""
    with running(path) as service:
        for event in ("e1", "e2", "e3", "e4"):
            service.execute(
                [*event_steps(event), Step(event, c.DrawRound(11)), Step(event, c.PublishRound(1, 1))],
                "o",
                people(event),
            )
            finish(service, event)
            service.snapshotter.snapshot_due()
            service.execute([], "nobody")
        service.execute([*event_steps("e5")], "o", people("e5"))
        service.execute([], "nobody")
        assert list(service.snapshot.dormant) == ["e1", "e2"]
        assert list(service.snapshot.events) == ["e3", "e4", "e5"]
        assert service.snapshot.event("e1") == fold_entries("e1", stored(path))


# --- who looks at what -------------------------------------------------------------------------------------------


def test_a_report_of_an_event_on_the_shelf_keeps_its_fate(path: Path) -> None:
    report = {
        "report_id": "r1",
        "unit": "table-1",
        "event": "e1",
        "match": "1.1",
        "side": "a",
        "revision": 0,
        "result": {"score": {"a": 100, "b": 24}},
    }
    clock = HandClock()
    with running(path, clock) as service:
        make_event(service)
        told = record_report(service, report)
        finish(service)
    with running(path, clock) as service:
        assert "e1" in service.snapshot.dormant
        assert record_report(service, report) == told
        late = record_report(service, {**report, "report_id": "r2"})
        assert (late["fate"], late["reason"]) == ("refused", "late")
        assert find_fate(service.snapshot, "e1", "r2") is not None


def test_tables_clocks_and_paper_know_nothing_of_the_shelf(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """But that a unit may forget its reports; and a page that is open is not read for it."""
    with_finished_event(path)
    with running(path) as service:
        read = reading_of(monkeypatch)
        monkeypatch.setattr(Journal, "people", None)
        view = table_json(service.snapshot, "table-1", reported=["e1", "e2"])
        assert (view["event"], view["finished"]) == (None, ["e1"])
        assert wanted_jobs(service.snapshot, [], {}, "station") == []
        hub = hub_of(service, HandClock())
        standings, pairings = (
            version_of(HubNow(hub, service.snapshot, {}), PageKey(kind, "e1")) for kind in ("standings", "pairings")
        )
        assert standings not in ("none", pairings)
        service.checkpoint()
        assert read == []


def test_the_next_event_has_an_id_that_nobody_had(path: Path) -> None:
    with_finished_event(path)
    with running(path) as service:
        assert service.snapshot.ids == ["e1"]


# --- opening -----------------------------------------------------------------------------------------------------


class Reader(DormantEvents):
    """A shelf whose reading can be held up, and counted."""

    def __init__(self) -> None:
        super().__init__(None)  # type: ignore[arg-type]
        self.read_ids: list[str] = []
        self.go = threading.Event()
        self.go.set()

    def read(self, summary: EventSummary, breath: Callable[[], object] = lambda: None) -> LoadedEvent:
        self.read_ids.append(summary.id)
        self.go.wait(GUARD_S)
        if summary.id == "broken":
            raise Problem("journal_broken", stream="broken", number=1)
        return LoadedEvent(EventState(summary.id, summary.number, summary.head), {}, {})


def summary(event_id: str) -> EventSummary:
    return EventSummary(event_id, 1, "head", "Name", "xwing-standard", "#000000")


def test_an_open_event_is_not_read_again_until_others_were_opened() -> None:
    shelf = Reader()
    first = shelf.open(summary("e1"))
    assert shelf.open(summary("e1")) is first
    for n in range(2, CACHE_MAX + 1):
        shelf.open(summary(f"e{n}"))
    assert shelf.open(summary("e1")) is first
    shelf.open(summary("e100"))
    shelf.open(summary("e2"))
    assert shelf.read_ids == ["e1", *[f"e{n}" for n in range(2, CACHE_MAX + 1)], "e100", "e2"]


def test_who_comes_while_an_event_is_opened_waits_for_that() -> None:
    shelf, found = Reader(), []
    shelf.go.clear()
    threads = [threading.Thread(target=lambda: found.append(shelf.open(summary("e1")))) for _ in range(8)]
    for thread in threads:
        thread.start()
    shelf.go.set()
    for thread in threads:
        thread.join()
    assert shelf.read_ids == ["e1"]
    assert len({id(each) for each in found}) == 1


def test_what_could_not_be_opened_is_tried_again() -> None:
    shelf = Reader()
    for _ in range(2):
        with pytest.raises(Problem):
            shelf.open(summary("broken"))
    assert shelf.read_ids == ["broken", "broken"]


def test_the_core_that_made_a_seal_is_named() -> None:
    assert running_core().startswith("0.1.0/")
    assert json.dumps(running_core())


@pytest.mark.parametrize(
    "data",
    [
        7,
        1.5,
        "",
        "{",
        "null",
        "[]",
        '{"name": 7, "about": 7}',
        '{"color":#',
        b'{"name":"F\x9a"}',
        b"",
    ],
)
def test_an_event_at_rest_whose_first_row_is_damaged_is_listed_and_said_to_be_broken_when_somebody_looks(
    path: Path, data: object
) -> None:
    with_finished_event(path, sealed=False)
    with sqlite3.connect(path) as database:
        database.execute("DELETE FROM seal")
        database.execute("UPDATE entry SET data = ? WHERE stream = 'e1' AND kind = 'event-created'", (data,))
    with closing(Journal(f"sqlite:///{path}")) as journal:
        summary = journal.rough_summary("e1", journal.heads()["e1"])
        assert summary.name in ("e1", "7", "Winter Open")
        assert summary.finished
        with pytest.raises(Problem):
            list(journal.entries("e1"))
