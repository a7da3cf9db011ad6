"""The service: one writer that commits in groups, shows nothing unsaved, and survives whatever is done to it."""

import sqlite3
import threading
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from hub_kit import HandClock, disk_fails, event_steps, make_event, people, running, stored, url_of

import event_kit
from event_kit import fold_entries
from faults import fails
from patience import GUARD_S
from roundtap_core.clock import COUNTING, RUNNING
from roundtap_core.errors import Problem
from roundtap_core.event import commands as c
from roundtap_core.event.entries import GENESIS, VENUE, Entry, NewEntry, Person, Timestamp, chain_entry
from roundtap_core.records import Result, SidePair
from roundtap_hub.store.journal import Head, Journal, JournalConflict, PersonRecord
from roundtap_hub.store.service import HubStopped, OutcomeUnknown, Service, Snapshot, Step

WON = Result(score=SidePair(100, 24))
MINUTE = 60_000


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "journal.db"


@pytest.fixture
def service(path: Path) -> Iterator[Service]:
    with running(path) as started:
        make_event(started)
        yield started


class Gate:
    """Holds the writer before a commit, so that requests gather behind it."""

    def __init__(self) -> None:
        self.commits = 0
        self.reached, self.opened = threading.Event(), threading.Event()
        self.opened.set()

    def __call__(self, point: str) -> None:
        if point == "before-commit":
            self.commits += 1
            self.reached.set()
            self.opened.wait(GUARD_S)

    def shut(self) -> None:
        self.reached.clear()
        self.opened.clear()


# --- committing --------------------------------------------------------------------------------------------------


def test_requests_that_wait_share_a_commit(path: Path) -> None:
    gate = Gate()
    with running(path, at_point=gate) as service:
        make_event(service)
        gate.shut()
        first = service.submit([Step("e1", c.SetClock("start"))], "organizer")
        assert gate.reached.wait(GUARD_S)
        before = gate.commits
        waiting = [service.submit([Step("e1", c.SetClock("adjust", n))], "organizer") for n in range(100)]
        gate.opened.set()
        numbers = [answer.result(GUARD_S)[0].number for answer in [first, *waiting]]
    assert numbers == list(range(numbers[0], numbers[0] + 101))
    assert gate.commits == before + 1
    assert len(stored(path)) == numbers[-1]


def test_nothing_is_shown_before_it_is_saved(path: Path) -> None:
    gate = Gate()
    with running(path, at_point=gate) as service:
        make_event(service)
        gate.shut()
        answer = service.submit([Step("e1", c.EnterResult("1.1", 0, WON))], "judge")
        assert gate.reached.wait(GUARD_S)
        assert service.snapshot.events["e1"].rounds[0].matches[0].match.result is None
        assert not answer.done()
        gate.opened.set()
        answer.result(GUARD_S)
        assert service.snapshot.events["e1"].rounds[0].matches[0].match.result == WON


def test_a_request_is_done_whole_or_not_at_all(service: Service, path: Path) -> None:
    before, saved = service.snapshot, len(stored(path))
    with event_kit.refused("clock_runs"):
        service.execute(
            [
                Step("e1", c.SetClock("start")),
                Step(VENUE, NewEntry("unit-placed", {"unit": "u", "table": 9})),
                Step("e1", c.SetClock("start")),
            ],
            "organizer",
            [PersonRecord("e1", "p1", "salt", Person("Somebody Else"))],
        )
    assert service.snapshot is before
    assert len(stored(path)) == saved


def test_one_refused_request_does_not_hinder_the_others_of_its_group(path: Path) -> None:
    gate = Gate()
    with running(path, at_point=gate) as service:
        make_event(service)
        gate.shut()
        answers = [
            service.submit([Step("e1", c.SetClock(action))], "x")
            for action in ("adjust", "start", "start", "no such action", "pause")
        ]
        gate.opened.set()
        outcomes = [type(answer.exception(10)) for answer in answers]
    assert outcomes == [type(None), type(None), Problem, KeyError, type(None)]


def test_what_is_live_is_the_fold_of_what_is_saved(service: Service, path: Path) -> None:
    service.execute_one("e1", c.EnterResult("1.1", 0, WON), "judge")
    service.execute_one("e1", c.DropCompetitor("p1"), "organizer")
    assert service.snapshot.events["e1"] == fold_entries("e1", stored(path))


def test_an_event_nobody_created_takes_no_command(service: Service) -> None:
    with pytest.raises(Problem, match="e7"):
        service.execute_one("e7", c.DrawRound(1), "organizer")


# --- when saving fails -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("error", [JournalConflict("no"), OSError(28, "full"), ValueError("odd"), TypeError("a bug")])
def test_a_commit_that_fails_changes_nothing_and_the_next_one_works(service: Service, error: Exception) -> None:
    before = service.snapshot.events["e1"]
    with disk_fails(service, error), event_kit.refused("not_saved"):
        service.execute_one("e1", c.SetClock("start"), "organizer")
    assert service.snapshot.events["e1"] == before
    assert service.execute_one("e1", c.SetClock("start"), "organizer")[0].number == before.number + 1


def test_a_hub_that_cannot_even_read_says_that_nobody_knows_and_wants_a_new_process(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither "saved" nor "nothing changed" would be true."""
    before = service.snapshot
    told = threading.Event()
    service.when_must_reopen(told.set)
    service.journal.disk = fails(JournalConflict("full", "SQLITE_FULL"))
    monkeypatch.setattr(service.journal, "holds", fails(Problem("journal_unreadable", reason="I/O", folder="hub")))
    with pytest.raises(OutcomeUnknown):
        service.execute_one("e1", c.SetClock("start"), "organizer")
    assert told.wait(GUARD_S)
    with pytest.raises(HubStopped):
        service.execute_one("e1", c.SetClock("start"), "organizer")
    assert service.snapshot is before


def test_a_commit_that_failed_is_looked_for_where_it_would_be(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Years of other events, and what is known of this one, are not read again."""
    service.execute(event_steps("e2"), "organizer", people("e2"))
    other, read = service.snapshot.events["e2"], service.journal.entries
    looked: list[tuple[str, int]] = []

    def watched(stream: str, after: Head) -> Iterator[Entry]:
        looked.append((stream, after.number))
        return read(stream, after)

    with monkeypatch.context() as patch:
        patch.setattr(service.journal, "entries", watched)
        with disk_fails(service, OSError(28, "full")), pytest.raises(Problem, match="Saving failed"):
            service.execute_one("e1", c.SetClock("start"), "organizer")

    assert looked == [("e1", service.snapshot.events["e1"].number)]
    assert service.snapshot.events["e2"] is other


def test_a_journal_that_was_replaced_under_the_hub_is_read_from_the_beginning(service: Service, path: Path) -> None:
    """A backup was put back while the hub ran: what it knew is not what lies there."""
    known = service.snapshot.events["e1"]
    created = chain_entry(
        NewEntry("event-created", {**stored(path)[0].data, "name": "Summer Open"}),
        "e1",
        1,
        GENESIS,
        Timestamp("other", 1),
        "another hub",
    )
    with sqlite3.connect(path) as connection:
        connection.execute("DELETE FROM entry WHERE stream = 'e1'")
    with closing(Journal(url_of(path))) as other:
        other.append([created])
    with disk_fails(service, JournalConflict("no")), pytest.raises(Problem, match="Saving failed"):
        service.execute_one("e1", c.SetClock("start"), "organizer")
    assert (known.name, service.snapshot.events["e1"].name) == ("Winter Open", "Summer Open")
    assert service.snapshot.events["e1"].number == 1


def test_a_commit_that_only_seemed_to_fail_is_answered_as_what_it_is(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The sync failed after the write, and the fact is there: whoever is told otherwise does it twice."""
    append = service.journal.append

    def saved_but_broken(*saved: Any) -> None:
        append(*saved)
        raise OSError(5, "I/O")

    report = c.RecordReport("r1", "1.1", "a", 0, {"score": {"a": 100, "b": 24}}, "body")
    with monkeypatch.context() as patch:
        patch.setattr(service.journal, "append", saved_but_broken)
        made = service.execute_one("e1", report, "unit:table-1")

    assert [entry.data["report_id"] for entry in made] == ["r1"]
    assert service.execute_one("e1", report, "unit:table-1") == []
    assert service.snapshot.events["e1"].fates["r1"].fate == "accepted"


def test_a_bug_between_commit_and_answer_makes_no_error_of_what_is_done(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        broken = fails(ZeroDivisionError())
        patch.setattr("roundtap_hub.store.read_model.Snapshot.with_names", broken)
        assert [entry.kind for entry in service.execute_one("e1", c.SetClock("start"), "organizer")] == ["clock-set"]
    with event_kit.refused("clock_runs"):
        service.execute_one("e1", c.SetClock("start"), "organizer")


def test_a_faster_writer_is_noticed_and_believed(service: Service, path: Path) -> None:
    """A second hub on the same file: the slower one learns what was written, and never forks."""
    state = service.snapshot.events["e1"]
    heard: list[int] = []
    service.listen(lambda snapshot, _: heard.append(snapshot.events["e1"].number))
    with closing(Journal(url_of(path))) as other:
        other.append(
            [
                chain_entry(
                    NewEntry("competitor-dropped", {"competitor": "p1", "after": 1}),
                    "e1",
                    state.number + 1,
                    state.head,
                    Timestamp("other", 1),
                    "another hub",
                )
            ]
        )

    with event_kit.refused("not_saved"):
        service.execute_one("e1", c.SetClock("start"), "organizer")

    assert service.snapshot.events["e1"].entrants["p1"].dropped_after == 1
    assert heard == [state.number + 1]
    assert service.execute_one("e1", c.SetClock("start"), "organizer")[0].number == state.number + 2


# --- listeners, and the end --------------------------------------------------------------------------------------


def test_a_listener_that_fails_hinders_nobody(service: Service) -> None:
    heard: list[list[str]] = []

    service.listen(fails(RuntimeError("the feed is gone")))
    service.listen(lambda snapshot, entries: heard.append([entry.kind for entry in entries]))
    service.execute_one("e1", c.SetClock("start"), "organizer")
    service.execute_one("e1", c.SetClock("pause"), "organizer")
    service.stop()
    assert heard == [["clock-set"], ["clock-set"]]


def test_a_listener_is_told_what_was_saved(service: Service) -> None:
    shown: list[Snapshot] = []
    service.listen(lambda snapshot, _: shown.append(snapshot))
    service.execute_one("e1", c.SetClock("start"), "organizer")
    service.stop()
    assert shown[-1].events["e1"].clock.state == RUNNING


def test_who_gave_up_waiting_harms_nobody(path: Path) -> None:
    gate = Gate()
    with running(path, at_point=gate) as service:
        make_event(service)
        gate.shut()
        first = service.submit([Step("e1", c.SetClock("start"))], "x")
        assert gate.reached.wait(GUARD_S)
        gone = service.submit([Step("e1", c.SetClock("pause"))], "x")
        assert gone.cancel()
        gate.opened.set()
        first.result(GUARD_S)
        assert service.execute_one("e1", c.SetClock("pause"), "x")


def test_stopping_finishes_what_was_submitted_and_refuses_the_rest(path: Path) -> None:
    with running(path) as service:
        make_event(service)
        answers = [service.submit([Step("e1", c.SetClock("adjust", n))], "x") for n in range(50)]
        service.stop()
        with pytest.raises(HubStopped):
            service.execute_one("e1", c.SetClock("start"), "x")
        assert all(len(answer.result(0)) == 1 for answer in answers)


def test_everybody_is_answered_while_the_hub_stops(path: Path) -> None:
    outcomes: list[str] = []
    with running(path) as service:
        make_event(service)

        def ask() -> None:
            for n in range(20):
                try:
                    service.execute([Step("e1", c.SetClock("adjust", n))], "x", timeout_s=GUARD_S)
                except HubStopped:
                    outcomes.append("stopped")
                except BaseException as error:
                    outcomes.append(repr(error))

        threads = [threading.Thread(target=ask) for _ in range(8)]
        for thread in threads:
            thread.start()
        service.stop()
        for thread in threads:
            thread.join()
    assert set(outcomes) <= {"stopped"}


# --- starting again ----------------------------------------------------------------------------------------------


def test_a_fresh_journal_begins_an_epoch_and_keeps_it(path: Path) -> None:
    with running(path) as service:
        epoch = service.snapshot.venue.epoch
    assert len(epoch) == 16
    with running(path) as service:
        assert service.snapshot.venue.epoch == epoch


def started_round(path: Path, clock: HandClock) -> None:
    with running(path, clock) as service:
        make_event(service)
        service.execute_one("e1", c.SetClock("start"), "organizer")
        clock.ms += 10 * MINUTE
        service.checkpoint()


def test_after_a_restart_under_the_same_boot_the_round_ran_on(path: Path) -> None:
    clock = HandClock()
    started_round(path, clock)
    clock.ms += 2 * MINUTE
    with running(path, clock) as service:
        now = clock.clocks.now()
        assert service.snapshot.events["e1"].clock.state == RUNNING
        assert service.snapshot.events["e1"].clock.remaining_at(now) == 63 * MINUTE


def test_after_a_power_cut_the_round_waits_at_the_last_checkpoint(path: Path) -> None:
    started_round(path, HandClock())
    later = HandClock("boot-2", 50)
    with running(path, later) as service:
        held = service.snapshot.events["e1"].clock
        assert (held.state, held.remaining_ms) == (COUNTING, 65 * MINUTE)
        service.execute_one("e1", c.SetClock("start"), "organizer")
        later.ms += MINUTE
        assert service.snapshot.events["e1"].clock.remaining_at(later.clocks.now()) == 64 * MINUTE


def test_a_checkpoint_from_before_the_clock_was_set_does_not_count(path: Path) -> None:
    clock = HandClock()
    started_round(path, clock)
    with running(path, clock) as service:
        clock.ms += 1
        service.execute_one("e1", c.SetClock("adjust", 30 * MINUTE), "organizer")
    with running(path, HandClock("boot-2", 50)) as service:
        assert service.snapshot.events["e1"].clock.remaining_ms == 95 * MINUTE - 1


def test_a_checkpoint_of_the_round_before_does_not_count(path: Path) -> None:
    clock = HandClock()
    started_round(path, clock)
    with running(path, clock) as service:
        clock.ms += 1
        for match in ("1.1", "1.2"):
            service.execute_one("e1", c.EnterResult(match, 0, WON), "judge")
        again = (c.DrawRound(1), c.PublishRound(2, 1), c.SetClock("start"))
        service.execute([Step("e1", command) for command in again], "x")
    with running(path, HandClock("boot-2", 50)) as service:
        assert service.snapshot.events["e1"].clock.remaining_ms == 75 * MINUTE


def test_only_running_clocks_are_noted(service: Service) -> None:
    service.checkpoint()
    assert service.journal.checkpoints() == {}


def test_a_core_that_computes_otherwise_is_noticed(
    path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    with running(path) as service:
        make_event(service)
        assert service.snapshot.events["e1"].diverged == ()

    def changed_core(_: Any) -> str:
        return "another digest"

    monkeypatch.setattr("roundtap_core.event.states.state_digest", changed_core)
    with running(path) as service:
        assert service.snapshot.events["e1"].diverged == (1,)
    assert "computed otherwise" in caplog.text


def test_people_survive_a_restart(path: Path) -> None:
    with running(path) as service:
        service.execute(event_steps(), "organizer", people())
    with running(path) as service:
        assert service.snapshot.people["e1"]["p1"] == Person("Ana Ruiz")


def test_two_units_refused_at_once_for_an_unknown_event_make_one_entry(path: Path) -> None:
    gate = Gate()
    refused = NewEntry("report-refused", {"report_id": "r1", "event": "gone", "body": "b"})
    with running(path, at_point=gate) as service:
        make_event(service)
        gate.shut()
        answers = [service.submit([Step(VENUE, refused)], "unit:table-1") for _ in range(3)]
        gate.opened.set()
        made = [len(answer.result(GUARD_S)) for answer in answers]
        assert made == [1, 0, 0]
        assert service.snapshot.venue.refused["r1"].reason == "unknown-match"
