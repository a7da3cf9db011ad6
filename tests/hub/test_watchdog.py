"""The hub's watchdog: heard from as long as the journal's writer answers, and only so long."""

from __future__ import annotations

import asyncio
from concurrent.futures import Future
from pathlib import Path
from typing import Any

from hub_kit import running

from roundtap_core.errors import Problem
from roundtap_hub.journal.service import HubStopped
from roundtap_hub.watchdog import keep_watchdog
from roundtap_systemd.notify import Notify


class Said(Notify):
    """A notifier that keeps what it was told to say."""

    def __init__(self, limit_us: str = "2000") -> None:
        super().__init__({"WATCHDOG_USEC": limit_us})
        self.said: list[str] = []

    def tell(self, state: str) -> None:
        self.said.append(state)


class Writer:
    """A service whose writer answers as it is told: None never, an exception by refusing."""

    def __init__(self, *answers: BaseException | list[Any] | None) -> None:
        self.answers = list(answers)

    def submit(self, steps: object, actor: str) -> Future[Any]:
        answer: Future[Any] = Future()
        given = self.answers.pop(0)
        if isinstance(given, BaseException):
            answer.set_exception(given)
        elif given is not None:
            answer.set_result(given)
        return answer


def watched(writer: Any, says: Said) -> list[str]:
    """What is said until nothing more can be: the loop has nothing left to do but wait for the writer."""

    async def watch() -> None:
        task = asyncio.create_task(keep_watchdog(says, writer))
        while not task.done() and getattr(writer, "answers", True):
            await asyncio.sleep(0.001)
        for _ in range(20):
            await asyncio.sleep(0.001)
        task.cancel()

    asyncio.run(watch())
    return says.said


def test_a_writer_that_answers_is_alive_even_when_it_refuses() -> None:
    assert watched(Writer([], Problem("not_saved"), [], None), Said()) == ["WATCHDOG=1"] * 3


def test_a_writer_that_does_not_answer_is_not() -> None:
    assert watched(Writer([], None), Said()) == ["WATCHDOG=1"]


def test_a_hub_that_stops_says_no_more() -> None:
    assert watched(Writer([], HubStopped(), []), Said()) == ["WATCHDOG=1"]


def test_nobody_asked_for_a_watchdog() -> None:
    silent = Notify({})
    assert silent.every_ms is None
    silent.tell("READY=1")


def test_asking_the_real_writer_whether_it_lives_writes_nothing(tmp_path: Path) -> None:
    with running(tmp_path / "roundtap.db") as service:
        before = service.snapshot
        assert service.submit([], "watchdog").result(timeout=10) == []
        assert service.snapshot is before
