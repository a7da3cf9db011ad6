"""Lanes of few threads: who comes first, who waits, who is sent away."""

import asyncio
import threading
from collections.abc import Callable, Coroutine
from typing import Any

import pytest

from faults import fails
from patience import GUARD_S
from roundtap_hub.http.page_queues import (
    FIRST,
    HEAD_START,
    UNITS_IN_A_ROW,
    UNITS_MAX,
    Busy,
    ClientGone,
    FairLine,
    LoopTurns,
    PageQueue,
)

LONG = 30.0

CROWD = [f"10.42.0.{n}" for n in range(16)]


class Work:
    """Pieces of work that are done when they are let, and the order in which they were begun."""

    def __init__(self) -> None:
        self.begun: list[str] = []
        self.let = threading.Event()

    def __call__(self, name: str, waits: bool = False) -> Callable[[], str]:
        def piece() -> str:
            self.begun.append(name)
            assert not waits or self.let.wait(GUARD_S)
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


def test_a_lane_is_idle_again_once_all_its_work_is_done() -> None:
    async def scene(lane: PageQueue[str], work: Work) -> None:
        assert lane.idle.is_set()
        pieces = [await begin(lane.run(work(name, waits=True), LONG)) for name in "ab"]
        assert not lane.idle.is_set()
        work.let.set()
        assert await asyncio.gather(*pieces) == ["a", "b"]
        assert lane.idle.is_set()

    play(scene, threads=2)


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
        tasks = [
            await begin(lane.run(work("a", waits=True), LONG)),
            await begin(lane.run(work("b"), LONG)),
            await begin(lane.run(work("probe"), LONG, asker=FIRST)),
        ]
        work.let.set()
        await asyncio.gather(*tasks)

    assert play(scene).begun == ["a", "probe", "b"]


def test_whose_patience_ends_leaves_the_queue_to_the_others() -> None:
    async def scene(lane: PageQueue[str], work: Work) -> None:
        tasks = [await begin(lane.run(work("a", waits=True), LONG))]
        hasty = await begin(lane.run(work("hasty"), 0.001))
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
    async def scene(lane: PageQueue[str], work: Work) -> None:
        with pytest.raises(ValueError, match="a page"):
            await lane.run(fails(ValueError("a page")), LONG)
        assert await lane.run(work("b"), LONG) == "b"

    play(scene)


def test_what_takes_long_holds_nobody_up_as_long_as_there_is_a_spare_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("roundtap_hub.http.page_queues.LONG_S", 0.001)

    async def scene(lane: PageQueue[str], work: Work) -> None:
        tasks = [await begin(lane.run(work("long", waits=True), LONG)), await begin(lane.run(work("b"), LONG))]
        assert await tasks[1] == "b"
        tasks += [await begin(lane.run(work("long too", waits=True), LONG)), await begin(lane.run(work("c"), LONG))]
        await asyncio.sleep(0.01)
        assert not tasks[3].done(), "two threads, both at work"
        with pytest.raises(Busy):
            await lane.run(work("sent away"), 0.01)
        work.let.set()
        await asyncio.gather(*tasks)
        monkeypatch.setattr("roundtap_hub.http.page_queues.LONG_S", 30.0)
        work.let.clear()
        tasks = [await begin(lane.run(work("d", waits=True), LONG)), await begin(lane.run(work("e"), LONG))]
        assert not tasks[1].done(), "afterwards one at a time, as before"
        work.let.set()
        await asyncio.gather(*tasks)

    assert play(scene, spare=1).begun == ["long", "b", "long too", "c", "d", "e"]


# --- turns go by address ------------------------------------------------------------------------------------------


def asked_by_a_crowd(each: int = 60) -> FairLine[str]:
    """Sixteen addresses that wait with sixty requests each, and have had a few turns already."""
    line = FairLine[str]()
    for _ in range(each):
        for address in CROWD:
            line.add(address, address)
    for _ in range(40):
        line.pop()
    return line


def test_whoever_asks_once_is_before_the_sixty_requests_of_sixteen_addresses() -> None:
    """A *leave* was the 961st."""
    line = asked_by_a_crowd()
    line.add("honest", "leave")
    assert line.pop() == "leave"


def test_whoever_asks_again_waits_for_one_turn_of_each_other_address() -> None:
    line = asked_by_a_crowd()
    for _ in range(2):
        line.add("honest", "leave")
    turns = [line.pop() for _ in range(18)]
    assert turns[0] == turns[17] == "leave"
    assert sorted(turns[1:17]) == sorted(CROWD)


def test_at_a_login_who_comes_after_a_crowd_that_all_ask_for_the_first_time_has_the_next_turn_but_one() -> None:
    """Two hundred addresses of one laptop kept out for 22 seconds whoever came right after them."""
    line = FairLine[str](both_ends=True)
    for who in CROWD:
        line.add(who, who)
    line.add("desk", "desk")
    assert [line.pop() for _ in range(4)] == [CROWD[0], "desk", CROWD[1], CROWD[-1]]
    line.add(CROWD[0], "again")
    line.add("desk", "again")
    assert [line.pop() for _ in range(13)] == [CROWD[n] for n in (2, 14, 3, 13, 4, 12, 5, 11, 6, 10, 7, 9, 8)]
    assert len(line) == 2, "who had a turn waits for all that had none"


def test_requests_of_one_address_keep_their_order() -> None:
    line = FairLine[str]()
    for item in ("a1", "a2", "b1", "a3"):
        line.add(item[0], item)
    assert [line.pop() for _ in range(4)] == ["a1", "b1", "a2", "a3"]


def test_whoever_waits_again_has_a_turn_however_many_others_come() -> None:
    """Each of them from an address of its own, of which one phone may have any number."""
    line = FairLine[str]()
    line.add("honest", "first page")
    line.add("honest", "second page")
    assert line.pop() == "first page"
    turns = []
    for number in range(2 * HEAD_START):
        line.add(f"new {number}", "another")
        turns.append(line.pop())
    assert turns.index("second page") <= HEAD_START + 1


def test_of_addresses_that_have_gone_no_more_are_remembered_than_matter(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("roundtap_hub.http.page_queues.REMEMBERED_MAX", 2 * HEAD_START)
    line = FairLine[str]()
    for number in range(20 * HEAD_START):
        line.add(f"new {number}", "page")
        line.pop()
    assert len(line._last) <= 2 * HEAD_START
    assert len(line) == 0


def test_a_lane_serves_whoever_asks_once_next() -> None:
    async def scene(lane: PageQueue[str], work: Work) -> None:
        tasks = [await begin(lane.run(work("now", waits=True), LONG))]
        tasks += [await begin(lane.run(work("greedy"), LONG, asker="10.42.0.7")) for _ in range(60)]
        tasks.append(await begin(lane.run(work("leave"), LONG, asker="10.42.0.8")))
        work.let.set()
        await asyncio.gather(*tasks)

    assert play(scene).begun.index("leave") == 2, "at most one of each address is before it"


def test_the_loop_s_turns_go_by_address_too() -> None:
    """A report was read after all that sixty connections of each of sixteen addresses had sent."""
    handled: list[str] = []

    async def scene() -> None:
        turns = LoopTurns()
        for address in CROWD * 60:
            turns.run_soon(address, lambda address=address: handled.append(address))  # type: ignore[misc]
        turns.run_soon("unit", lambda: handled.append("report"))
        while len(handled) < 961:
            await asyncio.sleep(0)

    asyncio.run(scene())
    assert handled.index("report") == len(CROWD)
    assert handled[-16:] != handled[-1:] * 16


def test_a_unit_waits_for_no_page_however_many_phones_ask() -> None:
    """At a quarter of a core report after closing 500 phones' pages: 1.3 s instead of 0.1."""
    handled: list[str] = []

    async def scene() -> None:
        turns = LoopTurns()
        turns.prefer("10.42.0.9")
        for number in range(500):
            turns.run_soon(f"phone {number}", lambda: handled.append("page"))
        turns.run_soon("10.42.0.9", lambda: handled.append("report"))
        turns.run_soon("new phone", lambda: handled.append("page"))
        while len(handled) < 502:
            await asyncio.sleep(0)

    asyncio.run(scene())
    assert handled.index("report") == 0


def test_whoever_passes_for_a_unit_keeps_no_phone_out() -> None:
    """A packet of a unit that is sent once more is answered too, and prefers the address that it came from."""
    handled: list[str] = []

    async def scene() -> None:
        turns = LoopTurns()
        for number in range(16):
            turns.prefer(f"greedy {number}")
            for _ in range(60):
                turns.run_soon(f"greedy {number}", lambda: handled.append("greedy"))
        for _ in range(2):
            turns.run_soon("phone", lambda: handled.append("leave"))
        while len(handled) < 962:
            await asyncio.sleep(0)

    asyncio.run(scene())
    assert [place for place, what in enumerate(handled) if what == "leave"] == [UNITS_IN_A_ROW, 2 * UNITS_IN_A_ROW + 1]


def test_only_the_latest_units_come_first_so_that_addresses_are_not_collected_for_ever() -> None:
    handled: list[str] = []

    async def scene() -> None:
        turns = LoopTurns()
        for number in range(UNITS_MAX + 1):
            turns.prefer(f"unit {number}")
        for who in ("phone", "unit 0", "unit 1", f"unit {UNITS_MAX}"):
            turns.run_soon(who, lambda who=who: handled.append(who))  # type: ignore[misc]
        while len(handled) < 4:
            await asyncio.sleep(0)

    asyncio.run(scene())
    assert handled == ["unit 1", f"unit {UNITS_MAX}", "phone", "unit 0"]


def test_between_two_calls_in_turn_the_loop_does_what_else_there_is() -> None:
    """What a report waits for next is not behind everything that others have sent."""
    handled: list[str] = []

    async def scene() -> None:
        turns = LoopTurns()
        for number in range(10):
            turns.run_soon("greedy", lambda number=number: handled.append(f"greedy {number}"))  # type: ignore[misc]
        await asyncio.sleep(0)
        handled.append("what was under way")
        await asyncio.sleep(0)

    asyncio.run(scene())
    assert handled[:2] == ["greedy 0", "what was under way"]
