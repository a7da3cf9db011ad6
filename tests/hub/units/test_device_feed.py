"""Whose view is made anew: never too few of them, and of a report only its own table's."""

import asyncio
import json
import random
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from feed_hall import EVENTS, KEYS, STRUCTURES, UNITS, FeedHall, anything
from hub_kit import HandClock, running

from roundtap_core.event import commands as c
from roundtap_core.event.entries import VENUE, NewEntry
from roundtap_core.event.states import EventState
from roundtap_core.records import Result, SidePair
from roundtap_core.wire import canonical_json, envelope_json, verify_signature
from roundtap_hub.store.service import Step
from roundtap_hub.units import device_feed
from roundtap_hub.units.units import IDENTIFY

MINUTE = 60_000
SCORE: Any = {"score": {"a": 100, "b": 24}}


def play(path: Path, seed: int, evening: Callable[[FeedHall], Awaitable[None]]) -> None:
    """An evening in a hall, within a loop of its own; at its end everybody hangs up."""
    clock = HandClock()

    async def whole() -> None:
        hall = FeedHall(service, clock, random.Random(seed))
        await evening(hall)
        for unit in list(hall.units):
            await hall.leave(unit)
        hall.boundaries.stop()

    with running(path / f"{seed}.db", clock) as service:
        asyncio.run(whole())


async def two_events(hall: FeedHall) -> None:
    """Four and six players, round 1 of both published, a connected unit at each of the five tables."""
    for event, players in zip(EVENTS, (4, 6), strict=True):
        hall.open(event, "xwing-standard", {}, players)
        hall.tell(event, c.DrawRound(1))
        hall.tell(event, c.PublishRound(1, 1))
    for table, unit in enumerate(UNITS[:5], start=1):
        hall.place(unit, table)
        await hall.connect(unit)


# --- nothing is missed -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", [*range(8), *(pytest.param(seed, marks=pytest.mark.long) for seed in range(8, 24))])
def test_whatever_happens_every_unit_shows_what_a_view_from_nothing_shows(tmp_path: Path, seed: int) -> None:
    """Commands, statuses, placements, connections and the clock in any order, several at once: each time the feed has
    come to rest, the last view that was sent is the one that is worked out anew."""

    async def evening(hall: FeedHall) -> None:
        for number, event in enumerate(EVENTS):
            rulebook, options = STRUCTURES[(seed + number * 2) % len(STRUCTURES)]
            hall.open(event, rulebook, options, hall.chance.randint(4, 8))
            hall.next_round(event)
        for table, unit in enumerate(UNITS[:4], start=1):
            hall.place(unit, table)
            await hall.connect(unit)
        for _ in range(80):
            for _ in range(hall.chance.choice([1, 1, 1, 2, 5])):
                await anything(hall)
            await hall.settle()
            for unit in hall.units:
                assert unit.view == hall.fresh(unit), unit.unit

    play(tmp_path, seed, evening)


def test_an_event_that_changes_and_changes_back_before_a_unit_was_told_ends_as_it_is(tmp_path: Path) -> None:
    async def evening(hall: FeedHall) -> None:
        hall.open("e1", "xwing-standard", {}, 4)
        for unit in UNITS[:2]:
            hall.place(unit, int(unit[-1]))
        early = await hall.connect("table-1")
        own, basic = c.SetOptions({"structure": "own", "swiss_rounds": 2}), c.SetOptions({"structure": "basic"})
        hall.tell("e1", own)
        late = await hall.connect("table-2")
        for command in (basic, own, basic):
            hall.tell("e1", command)
        await hall.settle()
        for unit in (early, late):
            assert unit.view == hall.fresh(unit)
            assert unit.view["options"]["structure"] == "basic"

    play(tmp_path, 1, evening)


def test_a_journal_that_was_read_again_is_shown_anew(tmp_path: Path) -> None:
    """After a commit that failed nobody knows what is on the disk: what is read there counts, for every table."""

    async def evening(hall: FeedHall) -> None:
        await two_events(hall)
        snapshot = hall.service.snapshot
        hall.tell("e1", c.EnterResult("1.1", 0, Result(score=SidePair(100, 24))))
        await hall.settle()
        hall.service.snapshot = snapshot
        hall.feed._enqueue_news([], None)
        await hall.settle()
        assert all(unit.view == hall.fresh(unit) for unit in hall.units)
        assert hall.units[0].view["match"]["result"] is None

    play(tmp_path, 1, evening)


def test_the_first_view_knows_what_came_of_the_hello(tmp_path: Path) -> None:
    """Seen: a restored hub showed a table last round's match for a moment, before it had noted what the table held."""

    async def evening(hall: FeedHall) -> None:
        hall.open("e1", "xwing-standard", {}, 4)
        hall.next_round("e1")
        hall.place("table-1", 1)
        hall.feed.on_hello.append(
            lambda unit, _: hall.service.submit(
                [Step(VENUE, NewEntry("unit-placed", {"unit": unit, "table": 2}))], "a hello"
            )
        )
        unit = await hall.connect("table-1")
        while unit.view is None:
            await asyncio.sleep(0)
        await hall.settle()
        assert (unit.view["table"], unit.views) == (2, 1)

    play(tmp_path, 1, evening)


# --- and nobody is asked for nothing ----------------------------------------------------------------------------


def made(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The units whose views are worked out from now on."""
    asked: list[str] = []
    real = device_feed.table_view

    def noted(snapshot: Any, unit: str, *rest: Any) -> Any:
        asked.append(unit)
        return real(snapshot, unit, *rest)

    monkeypatch.setattr(device_feed, "table_view", noted)
    return asked


@pytest.mark.parametrize(
    ("happens", "concerned"),
    [
        (lambda hall: hall.tell("e1", c.RecordReport("r1", "1.2", "a", 0, SCORE, "b"), "unit:table-2"), {"table-2"}),
        (lambda hall: hall.tell("e1", c.RecordReport("r1", "9.9", "a", 0, SCORE, "b"), "unit:table-2"), set()),
        (lambda hall: hall.tell("e2", c.EnterResult("1.1", 0, Result(score=SidePair(100, 24)))), {"table-3"}),
        (lambda hall: hall.tell("e2", c.NoteLot("1.1", "initiative", "a")), {"table-3"}),
        (lambda hall: hall.tell("e1", c.SetClock("start")), {"table-1", "table-2"}),
        (lambda hall: hall.tell("e2", c.SetClock("start")), {"table-3", "table-4", "table-5"}),
        (lambda hall: hall.tell("e1", c.DropCompetitor("p1")), {"table-1", "table-2"}),
        (lambda hall: hall.place("table-5", 6), {"table-5"}),
        (lambda hall: hall.place("table-4", 1), {"table-1", "table-4"}),
        (lambda hall: hall.hub.presence.update("table-4", 1, call=True), {"table-4"}),
        (lambda hall: hall.hub.presence.update("table-4", 1, call_ms=91_500), {"table-4"}),
        (lambda hall: hall.tell("e1", c.CallJudge("1.2", "unit:table-2")), {"table-2"}),
        (lambda hall: hall.tell("e1", c.CallJudge("1.2", "phone:p1")), set()),
        (lambda hall: hall.tell("e2", c.AskToDrop("p1", "unit:table-3")), {"table-3"}),
        (lambda hall: hall.hub.presence.update("table-4", 1, seated=frozenset("a"), draft=True, waiting=1), set()),
        (lambda hall: hall.hub.presence.mark_at_table("e1", "1.1", "p1"), set()),
        (lambda hall: hall.pass_ms(200 * MINUTE), set()),
    ],
)
def test_a_view_is_made_only_where_something_may_have_changed(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    happens: Callable[[FeedHall], None],
    concerned: set[str],
) -> None:
    async def evening(hall: FeedHall) -> None:
        await two_events(hall)
        hall.tell("e1", c.RecordReport("r0", "1.2", "b", 0, SCORE, "b"), "unit:table-2")
        await hall.settle()
        asked = made(monkeypatch)
        happens(hall)
        await hall.settle()
        assert set(asked) == concerned if concerned else asked == []
        assert len(asked) == len(concerned)

    play(tmp_path, 1, evening)


def test_hidden_minutes_that_are_over_are_told_at_their_own_tables_only(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The one thing that changes a view without anybody's doing."""

    async def evening(hall: FeedHall) -> None:
        for table, (event, rulebook) in enumerate((("e1", "shatterpoint-premier"), ("e2", "xwing-standard")), start=1):
            hall.open(event, rulebook, {}, 4)
            hall.next_round(event)
            hall.tell(event, c.SetClock("start"))
            number = hall.state(event).rounds[0].matches[0].match.table
            hall.place(f"table-{table}", number)
            await hall.connect(f"table-{table}")
        hall.tell("e1", c.SetExtraMinutes(1, 3))
        await hall.settle()
        total_ms = hall.state("e1").clock.total_ms or 0
        hall.pass_ms(total_ms + 2 * MINUTE)
        await hall.settle()
        assert [unit.view["clock"]["over"] for unit in hall.units] == [False, False]
        asked = made(monkeypatch)
        hall.pass_ms(2 * MINUTE)
        await hall.settle()
        assert [unit.view["clock"]["over"] for unit in hall.units] == [True, False]
        assert asked == ["table-1"]

    play(tmp_path, 1, evening)


def test_a_hall_that_comes_back_at_once_is_greeted_with_one_view_each(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def evening(hall: FeedHall) -> None:
        await two_events(hall)
        for unit in list(hall.units):
            await hall.leave(unit)
        asked = made(monkeypatch)
        for unit in UNITS:
            await hall.connect(unit)
        assert sorted(asked) == UNITS

    play(tmp_path, 1, evening)


def test_the_report_s_own_unit_hears_its_fate_and_no_other(tmp_path: Path) -> None:
    async def evening(hall: FeedHall) -> None:
        await two_events(hall)
        hall.tell("e1", c.RecordReport("r1", "1.2", "a", 0, SCORE, "b"), "unit:table-2")
        await hall.settle()
        assert {unit.unit: unit.fates for unit in hall.units if unit.fates} == {"table-2": ["r1"]}

    play(tmp_path, 1, evening)


# --- what a unit may forget --------------------------------------------------------------------------------------


def finish(hall: FeedHall, event: str) -> EventState:
    for match in hall.state(event).rounds[0].matches:
        hall.tell(event, c.EnterResult(match.id, 0, Result(score=SidePair(100, 24))))
    hall.tell(event, c.FinishEvent("the hall closes"))
    assert hall.state(event).finished
    return hall.state(event)


def test_a_unit_is_told_of_finished_events_that_it_has_reports_of_and_of_no_others(tmp_path: Path) -> None:
    """One keeps a report of e1 since yesterday, one has just reported there, one has nothing to do with it."""

    async def evening(hall: FeedHall) -> None:
        await two_events(hall)
        since_yesterday = await hall.connect("table-6", [["e1", "r0"], ["gone", "r9"]])
        hall.tell("e1", c.RecordReport("r1", "1.2", "a", 0, SCORE, "b"), "unit:table-2")
        await hall.settle()
        assert all(unit.view["finished"] == [] for unit in hall.units)
        finish(hall, "e1")
        await hall.settle()
        told = {unit.unit: unit.view["finished"] for unit in hall.units}
        assert told == {**{unit: [] for unit in UNITS}, "table-2": ["e1"], "table-6": ["e1"]}
        again = await hall.connect("table-1", [["e1", "r7"]])
        assert again.view["finished"] == ["e1"]
        assert since_yesterday.view == hall.fresh(since_yesterday)

    play(tmp_path, 1, evening)


def test_a_report_that_comes_after_the_end_is_answered_and_may_then_be_forgotten(tmp_path: Path) -> None:
    async def evening(hall: FeedHall) -> None:
        await two_events(hall)
        finish(hall, "e1")
        hall.tell("e1", c.RecordReport("r1", "1.2", "a", 0, SCORE, "b"), "unit:table-2")
        await hall.settle()
        [unit] = [unit for unit in hall.units if unit.unit == "table-2"]
        assert unit.fates == ["r1"]
        assert unit.view["finished"] == ["e1"]

    play(tmp_path, 1, evening)


def test_the_word_on_a_view_is_canonical_though_its_json_is_made_once(tmp_path: Path) -> None:
    """Who verifies it writes it down anew, with its keys in their order."""
    payload = {"nonce": "n", "seq": 1, "now_ms": 5, "type": "view", "view": {"name": "Żak", "a": [1, None, True]}}
    raw = envelope_json(KEYS["table-1"], "roundtap/feed/1", canonical_json(payload))
    message = json.loads(raw)
    assert message["payload"] == payload
    assert verify_signature(KEYS["table-1"], "roundtap/feed/1", payload, message["mac"])


def test_the_unit_that_is_to_show_itself_is_told_and_nobody_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    told: list[str] = []

    async def evening(hall: FeedHall) -> None:
        await two_events(hall)
        send = hall.feed._send

        def listened(to: device_feed.UnitConnection, message: Any) -> None:
            if message == IDENTIFY:
                told.append(to.unit)
            send(to, message)

        monkeypatch.setattr(hall.feed, "_send", listened)
        assert hall.hub.presence.send(UNITS[0], IDENTIFY)
        assert not hall.hub.presence.send("nobody", IDENTIFY)
        await hall.settle()

    play(tmp_path, 1, evening)
    assert told == [UNITS[0]]
