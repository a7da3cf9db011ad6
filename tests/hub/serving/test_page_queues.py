"""Lanes of few threads: who comes first, who waits, who is sent away, and pages that give way to reports."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Coroutine
from typing import Any

import pytest

from roundtap_hub.serving.page_queues import Busy, ClientGone, PageQueue, QueueLimits, ReportPriority, WatchedThread

LONG = QueueLimits(100, 30.0)


class Work:
    """Pieces of work that are done when they are let, and the order in which they were begun."""

    def __init__(self) -> None:
        self.begun: list[str] = []
        self.let = threading.Event()

    def __call__(self, name: str, waits: bool = False) -> Callable[[], str]:
        def piece() -> str:
            self.begun.append(name)
            assert not waits or self.let.wait(30)
            return name

        return piece


def play(scene: Callable[[PageQueue[str], Work], Coroutine[Any, Any, None]], threads: int = 1, spare: int = 0) -> Work:
    """A scene with a lane; at its end every thread is let go."""
    work = Work()

    async def run() -> None:
        try:
            await scene(PageQueue("test", threads, spare), work)
        finally:
            work.let.set()

    asyncio.run(run())
    return work


async def begin(work: Coroutine[Any, Any, str]) -> asyncio.Task[str]:
    """The work, as far as it comes by itself."""
    task = asyncio.create_task(work)
    for _ in range(3):
        await asyncio.sleep(0)
    return task


def test_who_comes_first_is_served_first_by_as_many_threads_as_there_are() -> None:
    async def scene(lane: PageQueue[str], work: Work) -> None:
        tasks = [await begin(lane.run(work("a", waits=True), LONG))]
        tasks += [await begin(lane.run(work(name), LONG)) for name in "bcd"]
        assert not any(task.done() for task in tasks)
        work.let.set()
        assert await asyncio.gather(*tasks) == ["a", "b", "c", "d"]

    assert play(scene).begun == ["a", "b", "c", "d"]


def test_the_watchdog_is_the_next_not_the_last() -> None:
    async def scene(lane: PageQueue[str], work: Work) -> None:
        tasks = [await begin(lane.run(work("a", waits=True), LONG)), await begin(lane.run(work("b"), LONG)),
                 await begin(lane.run(work("probe"), LONG, first=True))]
        work.let.set()
        await asyncio.gather(*tasks)

    assert play(scene).begun == ["a", "probe", "b"]


def test_behind_a_full_queue_nobody_waits_and_nothing_is_done() -> None:
    async def scene(lane: PageQueue[str], work: Work) -> None:
        tasks = [await begin(lane.run(work("a", waits=True), LONG)), await begin(lane.run(work("b"), LONG))]
        with pytest.raises(Busy):
            await lane.run(work("c"), QueueLimits(1, 30.0))
        work.let.set()
        await asyncio.gather(*tasks)

    assert play(scene).begun == ["a", "b"]


def test_whose_patience_ends_leaves_the_queue_to_the_others() -> None:
    async def scene(lane: PageQueue[str], work: Work) -> None:
        tasks = [await begin(lane.run(work("a", waits=True), LONG))]
        hasty = await begin(lane.run(work("hasty"), QueueLimits(100, 0.001)))
        tasks.append(await begin(lane.run(work("b"), LONG)))
        with pytest.raises(Busy):
            await hasty
        work.let.set()
        await asyncio.gather(*tasks)
        assert await lane.run(work("c"), LONG) == "c"

    assert play(scene).begun == ["a", "b", "c"]


def test_for_who_has_gone_while_waiting_nothing_is_made() -> None:
    async def scene(lane: PageQueue[str], work: Work) -> None:
        left = asyncio.Event()
        tasks = [await begin(lane.run(work("a", waits=True), LONG))]
        gone = await begin(lane.run(work("gone"), LONG, left.wait))
        stays = await begin(lane.run(work("stays"), LONG, asyncio.Event().wait))
        left.set()
        with pytest.raises(ClientGone):
            await gone
        work.let.set()
        await asyncio.gather(*tasks, stays)

    assert play(scene).begun == ["a", "stays"]


def test_who_goes_at_the_very_moment_of_their_turn_hands_it_on() -> None:
    async def scene(lane: PageQueue[str], work: Work) -> None:
        left = asyncio.get_running_loop().create_future()
        tasks = [await begin(lane.run(work("a", waits=True), LONG))]
        gone = await begin(lane.run(work("gone"), LONG, lambda: left))
        tasks.append(await begin(lane.run(work("b"), LONG)))
        lane._release()
        left.set_result(None)
        with pytest.raises(ClientGone):
            await gone
        work.let.set()
        assert await asyncio.gather(*tasks) == ["a", "b"]

    assert play(scene).begun == ["a", "b"]


def test_a_cancelled_request_leaves_its_place_and_its_thread() -> None:
    async def scene(lane: PageQueue[str], work: Work) -> None:
        first = await begin(lane.run(work("a", waits=True), LONG))
        waiting = await begin(lane.run(work("b"), LONG))
        for task in (waiting, first):
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
        work.let.set()
        assert await lane.run(work("c"), LONG) == "c"

    assert play(scene).begun == ["a", "c"]


def test_what_fails_in_its_thread_fails_for_who_asked_and_the_lane_goes_on() -> None:
    def broken() -> str:
        raise ValueError("a page")

    async def scene(lane: PageQueue[str], work: Work) -> None:
        with pytest.raises(ValueError, match="a page"):
            await lane.run(broken, LONG)
        assert await lane.run(work("b"), LONG) == "b"

    play(scene)


def test_what_takes_long_holds_nobody_up_as_long_as_there_is_a_spare_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("roundtap_hub.serving.page_queues.LONG_S", 0.001)

    async def scene(lane: PageQueue[str], work: Work) -> None:
        tasks = [await begin(lane.run(work("long", waits=True), LONG)), await begin(lane.run(work("b"), LONG))]
        assert await tasks[1] == "b"
        tasks += [await begin(lane.run(work("long too", waits=True), LONG)), await begin(lane.run(work("c"), LONG))]
        await asyncio.sleep(0.01)
        assert not tasks[3].done(), "two threads, both at work"
        work.let.set()
        await asyncio.gather(*tasks)
        monkeypatch.setattr("roundtap_hub.serving.page_queues.LONG_S", 30.0)
        work.let.clear()
        tasks = [await begin(lane.run(work("d", waits=True), LONG)), await begin(lane.run(work("e"), LONG))]
        assert not tasks[1].done(), "afterwards one at a time, as before"
        work.let.set()
        await asyncio.gather(*tasks)

    assert play(scene, spare=1).begun == ["long", "b", "long too", "c", "d", "e"]


def test_a_thread_with_a_long_queue_moves_and_one_that_hangs_does_not() -> None:
    work = Work()

    async def scene() -> None:
        thread = WatchedThread("test")
        await thread.probe()
        last, hold = threading.Event(), threading.Event()
        queue = [thread.submit(work("now", waits=True)), thread.submit(hold.wait, 30), thread.submit(last.set)]
        probe = asyncio.create_task(thread.probe())
        given_up = asyncio.create_task(thread.probe())
        for _ in range(3):
            await asyncio.sleep(0)
        assert not probe.done(), "what it does now goes on and on"
        given_up.cancel()
        work.let.set()
        await probe
        assert not last.is_set(), "the end of the queue is not waited for"
        hold.set()
        await asyncio.gather(*(asyncio.wrap_future(each) for each in queue))

    asyncio.run(scene())


# --- reports go first ---------------------------------------------------------------------------------------------


def test_a_page_is_begun_when_the_last_report_has_its_echo(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("roundtap_hub.serving.page_queues.GIVE_WAY_S", 30.0)
    precedence, begun = ReportPriority(), threading.Event()

    def page() -> None:
        precedence.give_way()
        begun.set()

    with precedence:
        with precedence:
            thread = threading.Thread(target=page)
            thread.start()
        assert not begun.is_set()
    thread.join(timeout=30)
    assert begun.is_set()


def test_a_page_does_not_wait_for_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("roundtap_hub.serving.page_queues.GIVE_WAY_S", 0.001)
    precedence = ReportPriority()
    with precedence:
        precedence.give_way()


def test_a_report_that_failed_is_under_way_no_longer() -> None:
    precedence = ReportPriority()
    with pytest.raises(ValueError, match="x"), precedence:
        raise ValueError("x")
    precedence.give_way()
    assert precedence._free.is_set()
