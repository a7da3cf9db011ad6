"""Disks that are full, read-only, failing or slow: an answer is never an error for something that was done."""

import errno
import os
import sqlite3
import threading
from collections.abc import Iterator
from contextlib import closing
from itertools import pairwise
from pathlib import Path

import pytest
from hub_kit import HandClock, disk_fails, make_event, running, stored
from pages_kit import House
from sqlalchemy import event
from sqlalchemy.exc import DBAPIError

import event_kit
from faults import fails
from patience import GUARD_S
from roundtap_core.errors import Problem
from roundtap_core.event import commands as c
from roundtap_core.words import LANGUAGES
from roundtap_hub.store import service as service_module
from roundtap_hub.store.copies import SLOW_MS, WELL_AGAIN_MS, Copies, StorageState
from roundtap_hub.store.journal import JournalConflict
from roundtap_hub.store.service import HubStopped, OutcomeUnknown, Service


@pytest.fixture
def clock() -> HandClock:
    return HandClock()


@pytest.fixture
def service(tmp_path: Path, clock: HandClock) -> Iterator[Service]:
    with running(tmp_path / "journal.db", clock) as started:
        make_event(started)
        yield started


def keys(service: Service) -> list[str]:
    return [line.key for line in service.storage.lines()]


@pytest.mark.parametrize(
    ("code", "key"),
    [
        ("SQLITE_FULL", "full"),
        ("SQLITE_READONLY", "read-only"),
        ("SQLITE_IOERR_WRITE", "failing"),
    ],
)
def test_the_console_says_what_the_disk_did_and_when_it_is_well_again(
    service: Service, clock: HandClock, code: str, key: str
) -> None:
    with disk_fails(service, JournalConflict("it refuses", code)):
        with pytest.raises(Problem, match="Nothing changed"):
            service.execute_one("e1", c.SetClock("start"), "organizer")
        assert keys(service) == [key]
    service.execute_one("e1", c.SetClock("start"), "organizer")
    assert keys(service) == ["well"]
    clock.ms += WELL_AGAIN_MS
    service.storage.disk_checked(10**12, False, 0)
    assert keys(service) == []


def test_a_checkpoint_that_fails_tells_too(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    service.execute_one("e1", c.SetClock("start"), "organizer")
    monkeypatch.setattr(service.journal, "put", fails(JournalConflict("full", "SQLITE_FULL")))
    service.checkpoint()
    assert keys(service) == ["full"]


def test_a_disk_that_works_again_is_found_out_by_itself(service: Service, tmp_path: Path) -> None:
    """Nobody presses anything while the console says that nothing can be saved."""
    with disk_fails(service), pytest.raises(Problem):
        service.execute_one("e1", c.SetClock("start"), "organizer")
    well = threading.Event()
    service.storage.listeners.append(well.set)
    service.check_disk(tmp_path)
    assert well.wait(GUARD_S)
    assert keys(service) == ["well"]


def test_a_slow_commit_is_told_and_forgotten(service: Service, clock: HandClock) -> None:
    service.journal.disk = lambda *_: setattr(clock, "ms", clock.ms + SLOW_MS + 10_000)
    service.execute_one("e1", c.SetClock("start"), "organizer")
    service.journal.disk = lambda *_: None
    assert [(line.key, line.n) for line in service.storage.lines()] == [("slow", 13)]
    clock.ms += WELL_AGAIN_MS
    service.execute_one("e1", c.SetClock("pause"), "organizer")
    assert keys(service) == []


def test_a_full_disk_is_seen_before_it_is_full() -> None:
    state = StorageState(lambda: 0)
    state.disk_checked(10_000_000, False, 0)
    assert [line.key for line in state.lines()] == ["low"]
    state.failed(errno.ENOSPC)
    assert [line.key for line in state.lines()] == ["full"]


# --- who waits ---------------------------------------------------------------------------------------------------


class Stuck:
    """A sync that does not return until it is let go."""

    def __init__(self) -> None:
        self.reached, self.let_go = threading.Event(), threading.Event()

    def __call__(self, point: str) -> None:
        if point == "before-commit" and self.armed:
            self.reached.set()
            self.let_go.wait(GUARD_S)

    armed = False


@pytest.fixture
def patience(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(service_module, "COMMIT_TIMEOUT_S", 0.0)


def test_who_waits_behind_a_stuck_disk_is_told_that_nothing_was_changed_and_it_is_so(
    tmp_path: Path, patience: None
) -> None:
    """Seen: +5 minutes answered 500 behind a 13 s sync, then pressed again: +10 was on record."""
    stuck = Stuck()
    path = tmp_path / "journal.db"
    with running(path, at_point=stuck) as service:
        make_event(service)
        stuck.armed = True
        begun = service.submit([service_module.Step("e1", c.SetClock("start"))], "organizer")
        assert stuck.reached.wait(GUARD_S)
        with event_kit.refused("hub_slow"):
            service.execute([service_module.Step("e1", c.SetClock("adjust", 5 * 60_000))], "organizer", timeout_s=0)
        stuck.armed = False
        stuck.let_go.set()
        begun.result(GUARD_S)
        service.execute_one("e1", c.SetClock("adjust", 60_000), "organizer")
    total_ms = [entry.data["remaining_ms"] for entry in stored(path)[7:]]
    assert [later - first for first, later in pairwise(total_ms)] == [60_000]


def test_who_waits_for_a_commit_that_has_begun_learns_how_it_ended(tmp_path: Path) -> None:
    stuck = Stuck()
    path = tmp_path / "journal.db"
    with running(path, at_point=stuck) as service:
        make_event(service)
        stuck.armed = True
        answer = service.submit([service_module.Step("e1", c.SetClock("start"))], "organizer")
        assert stuck.reached.wait(GUARD_S)
        assert not answer.cancel(), "the writer has begun"
        stuck.armed = False
        stuck.let_go.set()
        assert answer.result(GUARD_S)[0].kind == "clock-set"


def sync_fails(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    """From now on SQLite reports of every commit that its sync failed. Its frames are in the log by then."""

    def fails(*_: object) -> None:
        refused = sqlite3.OperationalError("disk I/O error")
        refused.sqlite_errorname = "SQLITE_IOERR_FSYNC"  # type: ignore[misc]
        raise DBAPIError("COMMIT", None, refused)

    event.listen(service.journal._engine, "commit", fails)


def test_a_failed_sync_is_never_believed(service: Service, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The kernel may hold pages as clean that never reached the disk: this process reads and writes nothing more."""
    told: list[str] = []
    service.when_must_reopen(lambda: told.append("reopen"))
    sync_fails(service, monkeypatch)
    with pytest.raises(OutcomeUnknown) as caught:
        service.execute_one("e1", c.SetClock("start"), "organizer")
    assert isinstance(caught.value.answer.exception(), OutcomeUnknown), "and whoever looks later hears the same"
    log_bytes = (tmp_path / "journal.db-wal").stat().st_size
    with pytest.raises(HubStopped):
        service.execute_one("e1", c.SetClock("start"), "organizer")
    service.checkpoint()
    service.check_disk(tmp_path)
    service.stop()
    assert (tmp_path / "journal.db-wal").stat().st_size == log_bytes
    assert told == ["reopen"]
    assert service.journal.sync_failed


def test_a_failed_checkpoint_of_the_clock_is_a_failed_sync_as_well(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    service.execute_one("e1", c.SetClock("start"), "organizer")
    sync_fails(service, monkeypatch)
    service.checkpoint()
    assert service.must_reopen
    told: list[str] = []
    service.when_must_reopen(lambda: told.append("at once"))
    assert told == ["at once"]


@pytest.mark.parametrize(
    ("refusal", "key", "reopens"),
    [
        (errno.EDQUOT, "full", False),
        (errno.EROFS, "read-only", False),
        (errno.EIO, "failing", True),
    ],
)
def test_what_sqlite_calls_an_i_o_error_is_asked_of_the_disk_itself(
    service: Service, monkeypatch: pytest.MonkeyPatch, refusal: int, key: str, reopens: bool
) -> None:
    """A quota, or a file system that has become read-only, is no failing disk: nothing was written at all."""

    def refuses(*_: object) -> None:
        refused = sqlite3.OperationalError("disk I/O error")
        refused.sqlite_errorname = "SQLITE_IOERR_WRITE"  # type: ignore[misc]
        raise DBAPIError("INSERT", None, refused)

    monkeypatch.setattr("roundtap_hub.store.journal.probe_folder", lambda _: OSError(refusal, os.strerror(refusal)))
    monkeypatch.setattr(service.journal, "_put_entries", refuses)
    with pytest.raises(OutcomeUnknown if reopens else Problem):
        service.execute_one("e1", c.SetClock("start"), "organizer")
    assert (keys(service), service.must_reopen) == ([key], reopens)


# --- the log of somebody who always reads ------------------------------------------------------------------------


def test_a_log_that_grew_while_somebody_read_is_emptied(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(service_module, "LOG_TRIM_BYTES", 100_000)
    path = tmp_path / "journal.db"
    with running(path) as service:
        make_event(service)
        with closing(sqlite3.connect(path)) as reader:
            reader.execute("BEGIN")
            reader.execute("SELECT count(*) FROM entry").fetchall()
            for n in range(150):
                service.execute_one("e1", c.SetEventDetails({"venue": f"room {n}" + "x" * 50}), "organizer")
            assert service.journal.log_bytes() > 100_000
        service.check_disk(tmp_path)
        service.execute([], "x")
        service.stop()
        assert service.journal.log_bytes() < 100_000


# --- on the pages ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_organizer_s_page_says_it_and_no_player_s(house: House, language: str) -> None:
    organizer = house.with_event()
    house.publish()
    organizer.headers = {"Accept-Language": language}
    house.service.storage.failed(errno.ENOSPC)
    house.service.set_copies(Copies(house.service.journal, "line", [], lambda: ""))
    for page in ("/console", "/console/e1", "/console/e1/match/1.1", "/console/e1/officials"):
        text = organizer.get(page).text
        assert text.count('class="storage ') == 2, page
        assert "storage.full" not in text
    for page in ("/e/e1", "/wall/e1", "/"):
        assert 'class="storage' not in organizer.get(page).text
        assert 'class="storage' not in house.browser().get(page).text


def test_a_console_that_is_open_gets_the_line(house: House) -> None:
    organizer = house.with_event()
    seen = organizer.console().text.split('data-seen="')[1].split('"')[0]
    house.service.storage.failed(errno.ENOSPC)
    patch = organizer.get(f"/console/e1?since={seen}")
    assert patch.content_type == "application/json"
    assert "Nothing can be saved" in patch.text
    assert len(patch.text) < 2000
