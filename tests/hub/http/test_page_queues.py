"""Lanes of few threads: who comes first, who waits, who is sent away, and pages that give way to reports."""

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
    AddressBusy,
    Busy,
    ClientGone,
    FairLine,
    LoopTurns,
    PageQueue,
    QueueLimits,
    RequestPriority,
)

LONG = QueueLimits(100, 30.0)

CROWD = [f"10.42.0.{n}" for n in range(16)]


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
            await scene(PageQueue("test", threads, spare, per_address=60), work)
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
        tasks = [
            await begin(lane.run(work("a", waits=True), LONG)),
            await begin(lane.run(work("b"), LONG)),
            await begin(lane.run(work("probe"), LONG, asker=FIRST)),
        ]
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


def test_one_address_waits_with_so_many_and_the_next_is_told_that_it_is_this_address() -> None:
    async def scene(lane: PageQueue[str], work: Work) -> None:
        tasks = [await begin(lane.run(work("now", waits=True), LONG))]
        tasks += [await begin(lane.run(work("greedy"), LONG, asker="10.42.0.7")) for _ in range(60)]
        with pytest.raises(AddressBusy):
            await lane.run(work("one more"), LONG, asker="10.42.0.7")
        work.let.set()
        await asyncio.gather(*tasks)

    assert play(scene).begun == ["now", *["greedy"] * 60]


def test_where_the_line_is_full_the_address_with_most_loses_the_last_of_its_requests() -> None:
    """Sixteen addresses filled it, and everybody else was sent away."""

    async def scene(lane: PageQueue[str], work: Work) -> None:
        limits = QueueLimits(5, 30.0)
        tasks = [await begin(lane.run(work("now", waits=True), limits))]
        greedy = [await begin(lane.run(work(f"greedy {n}"), limits, asker="10.42.0.7")) for n in range(4)]
        tasks += [await begin(lane.run(work(name), limits, asker=name)) for name in ("leave", "call")]
        with pytest.raises(AddressBusy):
            await greedy[3]
        work.let.set()
        await asyncio.gather(*tasks, *greedy[:3])

    assert play(scene).begun == ["now", "greedy 0", "leave", "call", "greedy 1", "greedy 2"]


def test_where_the_line_is_full_of_single_requests_who_had_a_turn_makes_room_for_who_had_none() -> None:
    """Sixty addresses of one laptop filled the line of the logins, one request each, and came again at once."""

    async def scene(lane: PageQueue[str], work: Work) -> None:
        crowd = QueueLimits(len(CROWD), 30.0)
        first = asyncio.create_task(lane.run(work("first", waits=True), crowd))
        await asyncio.sleep(0)
        for again in ("", " again"):
            waiting = [
                asyncio.create_task(lane.run(work(f"{who}{again}", waits=not again), crowd, asker=who)) for who in CROWD
            ]
            await asyncio.sleep(0)
            if not again:
                with pytest.raises(Busy):
                    await lane.run(work("10.42.1.1"), crowd, asker="10.42.1.1")
                work.let.set()
                await asyncio.gather(first, *waiting)
                work.let.clear()
                first = asyncio.create_task(lane.run(work("second", waits=True), crowd))
                await asyncio.sleep(0)
        newcomer = asyncio.create_task(lane.run(work("10.42.1.1"), crowd, asker="10.42.1.1"))
        await asyncio.sleep(0)
        work.let.set()
        assert await newcomer == "10.42.1.1"
        assert [type(each) for each in await asyncio.gather(*waiting, return_exceptions=True)].count(AddressBusy) == 1

    work = play(scene)
    assert work.begun[len(CROWD) + 1 :][:2] == ["second", "10.42.1.1"]


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


# --- reports go first ---------------------------------------------------------------------------------------------


@pytest.fixture
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """A page gives way for as long as it takes."""
    monkeypatch.setattr("roundtap_hub.http.page_queues.GIVE_WAY_S", GUARD_S)


@pytest.mark.usefixtures("patient")
def test_a_page_is_begun_when_the_last_report_has_its_echo() -> None:
    precedence, begun = RequestPriority(), threading.Event()

    def page() -> None:
        precedence.give_way()
        begun.set()

    with precedence:
        with precedence:
            thread = threading.Thread(target=page)
            thread.start()
        assert not begun.is_set()
    thread.join(timeout=GUARD_S)
    assert begun.is_set()


@pytest.mark.usefixtures("patient")
def test_a_players_page_gives_way_to_reports_and_to_the_staff_whose_pages_give_way_to_reports() -> None:
    reports = RequestPriority()
    staff, begun = RequestPriority(reports), threading.Event()

    def players_page() -> None:
        staff.give_way()
        begun.set()

    thread = threading.Thread(target=players_page)
    with staff:
        reports.give_way()
        with reports:
            thread.start()
        assert not begun.is_set()
    thread.join(timeout=GUARD_S)
    assert begun.is_set()


def test_a_page_does_not_wait_for_ever() -> None:
    precedence = RequestPriority()
    with precedence:
        precedence.give_way()


def test_who_waits_for_a_place_in_the_lane_is_not_under_way_yet() -> None:
    staff = RequestPriority()

    async def go() -> None:
        lane, first_may_end = PageQueue[bool]("staff", 1, 0, 8), threading.Event()
        first = asyncio.ensure_future(lane.run(lambda: first_may_end.wait(30), LONG))
        second = asyncio.ensure_future(lane.run(lambda: not staff._free.is_set(), LONG, running=staff))
        await asyncio.sleep(0)
        assert staff._free.is_set(), "the first holds the place"
        first_may_end.set()
        assert await first
        assert await second, "under way while it runs"
        assert staff._free.is_set()

    asyncio.run(go())


def test_a_report_that_failed_is_under_way_no_longer() -> None:
    precedence = RequestPriority()
    with pytest.raises(ValueError, match="x"), precedence:
        raise ValueError("x")
    precedence.give_way()
    assert precedence._free.is_set()
