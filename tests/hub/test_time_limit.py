"""A command that takes over its time is ended and refused; the writer lives, and nothing has changed."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from hub_kit import HandClock, make_event, people, running, stored

from roundtap_core.errors import Problem
from roundtap_core.event import commands as c
from roundtap_hub.journal import deciding
from roundtap_hub.journal.service import Step
from roundtap_hub.journal.time_limit import AGAIN_S, LIMIT_S, PATIENCE_S, TimeLimit


class Steps:
    """Processor time that passes by the steps of what runs: a second each. Somebody looks at every one of them."""

    def __init__(self, seconds: float = 1) -> None:
        self.used_s = 0.0
        self.passed_s = 0.0
        self.seconds = seconds
        self.limit = TimeLimit(lambda _: self.used_s, lambda: self.passed_s, watch=False)
        self.taken = 0

    def __call__(self) -> None:
        self.taken += 1
        self.used_s += self.seconds
        self.limit.look()


def for_ever(step: Callable[[], None]) -> Callable[[], None]:
    def work() -> None:
        while True:
            step()

    return work


def test_what_runs_for_ever_is_ended_at_the_limit() -> None:
    step = Steps()
    with pytest.raises(Problem, check=lambda problem: problem.key == "took_too_long"):
        step.limit.within(for_ever(step))
    assert step.taken == LIMIT_S + 1


def test_who_is_done_in_time_is_left_alone() -> None:
    step = Steps(LIMIT_S / 10)

    def honest() -> str:
        for _ in range(9):
            step()
        return "done"

    assert [step.limit.within(honest) for _ in range(20)] == ["done"] * 20


def test_a_problem_of_the_work_stays_that_problem() -> None:
    def refused() -> None:
        raise Problem("no_draft")

    with pytest.raises(Problem, check=lambda problem: problem.key == "no_draft"):
        Steps().limit.within(refused)


def test_nothing_hits_who_has_left() -> None:
    """However late somebody looks: what is committed after the decision is never interrupted."""
    step = Steps()
    step.limit.within(lambda: step())
    for _ in range(100):
        step()
    assert step.taken == 101


def test_a_word_that_falls_into_the_last_step_is_taken_back() -> None:
    """The look at the very end is in time for nobody: the caller goes on undisturbed, or is told; never hit later."""
    step = Steps()

    def nearly() -> str:
        step()
        step.used_s += LIMIT_S
        # The word comes with the return, before the next step of Python's.
        threading.Thread(target=step.limit.look).run()
        return "done"

    for _ in range(50):
        with suppress(Problem):
            step.limit.within(nearly)
        assert sum(range(1000)) == 499_500


def test_code_that_catches_every_exception_does_not_stop_it() -> None:
    step = Steps()

    def stubborn() -> None:
        while True:
            try:
                step()
            except Exception:
                continue

    with pytest.raises(Problem, check=lambda problem: problem.key == "took_too_long"):
        step.limit.within(stubborn)


def test_who_swallows_the_first_word_is_told_again() -> None:
    step, swallowed = Steps(), []

    def bare() -> None:
        while True:
            try:
                for_ever(step)()
            except BaseException as word:
                swallowed.append(word)
                if len(swallowed) == 3:
                    raise

    with pytest.raises(Problem, check=lambda problem: problem.key == "took_too_long"):
        step.limit.within(bare)
    assert step.taken >= LIMIT_S + 2 * AGAIN_S


def test_an_end_within_a_finally_leaves_the_caller_whole() -> None:
    step = Steps()

    def clearing() -> None:
        try:
            raise KeyError("work")
        finally:
            for_ever(step)()

    with pytest.raises(Problem, check=lambda problem: problem.key == "took_too_long"):
        step.limit.within(clearing)
    assert step.limit.within(lambda: "next") == "next"


def test_a_hub_that_gets_little_processor_is_not_kept_from_its_watchdog() -> None:
    """A tenth of a processor: the limit would take a minute, and systemd waits for thirty seconds."""
    step = Steps(0.1)

    def slow() -> None:
        while True:
            step.passed_s += 1
            step()

    with pytest.raises(Problem, check=lambda problem: problem.key == "took_too_long"):
        step.limit.within(slow)
    assert PATIENCE_S <= step.passed_s <= PATIENCE_S + 2
    assert 15 + PATIENCE_S < 30


def test_a_machine_that_stood_still_is_no_reason() -> None:
    """Asleep for a minute: the command has used nothing."""
    step = Steps(0)

    def asleep() -> str:
        step()
        step.passed_s += 60
        step()
        return "done"

    assert step.limit.within(asleep) == "done"


HANGS = "hangs"


def hanging(monkeypatch: pytest.MonkeyPatch, step: Callable[[], None]) -> None:
    """One command finds a rulebook that never comes to an end."""
    decide = deciding.decide

    def stub(state: Any, command: Any, now: Any) -> Any:
        if isinstance(command, c.Tick) and command.what == HANGS:
            for_ever(step)()
        return decide(state, command, now)

    monkeypatch.setattr(deciding, "decide", stub)


def test_the_writer_lives_and_nothing_has_changed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    step = Steps()
    hanging(monkeypatch, step)
    with running(tmp_path / "roundtap.db", HandClock()) as service:
        service.limit = step.limit
        make_event(service)
        before, lay_there = service.snapshot, stored(tmp_path / "roundtap.db")
        changed = [Step("e1", c.Tick(*tick)) for tick in (("p1", "sleeves"), ("p1", HANGS), ("p2", "dice"))]
        refused = service.submit(changed, "organizer", people()[:1])
        beside = service.submit([Step("e1", c.Tick("p3", "sleeves"))], "organizer")
        with pytest.raises(Problem, check=lambda problem: problem.key == "took_too_long"):
            refused.result(10)
        assert [entry.data["competitor"] for entry in beside.result(10)] == ["p3"]
        after = service.snapshot.events["e1"]
        assert after.entrants["p1"] == before.events["e1"].entrants["p1"]
        assert [entry.kind for entry in stored(tmp_path / "roundtap.db")[len(lay_there):]] == ["ticked"]


def test_somebody_looks_by_himself(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With the watcher's own thread and the processor's own clock, and a limit that is soon reached."""
    monkeypatch.setattr("roundtap_hub.journal.time_limit.LIMIT_S", 0.2)
    monkeypatch.setattr("roundtap_hub.journal.time_limit.LOOK_EVERY_S", 0.01)
    hanging(monkeypatch, lambda: None)
    with running(tmp_path / "roundtap.db", HandClock()) as service:
        make_event(service)
        for _ in range(3):
            with pytest.raises(Problem, check=lambda problem: problem.key == "took_too_long"):
                service.tell("e1", c.Tick("p1", HANGS), "organizer")
            ticked = service.snapshot.events["e1"].entrants["p1"].ticks
            assert service.tell("e1", c.Tick("p1", "sleeves", on=not ticked), "organizer")


def test_it_is_cheap() -> None:
    """A report is decided in some thirty millionths of a second: what watches over it asks the system nothing."""
    limit = TimeLimit(watch=False)
    asked: list[int] = []
    limit._used_s = lambda clock: asked.append(clock) or time.thread_time()  # type: ignore[func-returns-value]
    for _ in range(100):
        limit.within(lambda: None)
    assert not asked
