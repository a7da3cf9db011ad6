"""Two events in one hall with its units connected, everything by hand: what is asked, said, placed, and the time."""

import asyncio
import json
import random
import threading
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import Any

from hub_kit import HandClock, hello_of, hub_of, opened_hello, people
from wire_json import table_json

from patience import GUARD_S
from roundtap_core.errors import Problem
from roundtap_core.event import commands as c
from roundtap_core.event.entries import VENUE, NewEntry
from roundtap_core.event.states import Entrant, EventState
from roundtap_core.messages import TableStatus
from roundtap_core.records import CONCESSION, RULING, Result, SidePair, result_to_json
from roundtap_core.wire import FEED, open_envelope
from roundtap_hub.app.asgi import PhaseTimer
from roundtap_hub.app.hub import Hub
from roundtap_hub.store.service import Service, Step
from roundtap_hub.units.device_feed import DeviceFeed, UnitConnection
from roundtap_hub.units.table_api import take_status
from roundtap_hub.views.unit_presence import close_call, take_call

UNITS = [f"table-{n}" for n in range(1, 7)]
KEYS = {unit: bytes([n]) * 32 for n, unit in enumerate(UNITS)}
EVENTS = ("e1", "e2")
WHO = [f"p{n}" for n in range(1, 9)]
STRUCTURES: list[tuple[str, dict[str, Any]]] = [
    ("xwing-standard", {}),
    ("xwing-standard", {"structure": "own", "swiss_rounds": 1, "cut": 4, "third_place_match": True}),
    ("xwing-standard", {"structure": "own", "swiss_rounds": 0}),
    ("shatterpoint-premier", {}),
    ("warlords-of-terra", {}),
    ("keyforge-archon", {}),
]
RESULTS = [
    Result(score=SidePair(100, 24)),
    Result(score=SidePair(24, 100)),
    Result(ended=CONCESSION, conceded_by="a"),
    Result(ended=RULING, winner="b"),
]


class HandLoop:
    """Timers that ring when the hall's clock has come so far."""

    def __init__(self, clock: HandClock) -> None:
        self._clock = clock
        self._timers: list[tuple[float, Callable[[], None]]] = []

    def call_later(self, delay_s: float, ring: Callable[[], None]) -> Any:
        timer = (self._clock.ms + delay_s * 1000, ring)
        self._timers.append(timer)
        timers = self._timers

        class Handle:
            def cancel(self) -> None:
                if timer in timers:
                    timers.remove(timer)

        return Handle()

    def call_soon_threadsafe(self, step: Callable[[], None]) -> None:
        step()

    def is_closed(self) -> bool:
        return False

    def ring(self) -> None:
        while due := [timer for timer in self._timers if timer[0] <= self._clock.ms]:
            self._timers.remove(due[0])
            due[0][1]()


class Unit:
    """An open feed, and the last view that came by it."""

    def __init__(self, hub: Hub, feed: DeviceFeed, unit: str, reports: list[list[str]]) -> None:
        key, hello = opened_hello(hub.units, unit, hello_of(hub, unit, reports=reports))
        self.unit = unit
        self.connection: UnitConnection = feed.new_connection(key, hello)
        self.view: Any = None
        self.views = 0
        self.fates: list[str] = []
        self.task = asyncio.create_task(self._listen(feed, hello))

    async def _listen(self, feed: DeviceFeed, hello: dict[str, Any]) -> None:
        stream = feed.stream(self.connection, hello)
        try:
            async for chunk in stream:
                message = open_envelope(KEYS[self.unit], FEED, json.loads(chunk[len("data: ") :]))
                if message["type"] == "view":
                    self.view, self.views = message["view"], self.views + 1
                elif message["type"] == "fates":
                    self.fates += [fate["report_id"] for fate in message["fates"]]
        finally:
            await stream.aclose()  # type: ignore[attr-defined]


class FeedHall:
    """Use within a running loop."""

    def __init__(self, service: Service, clock: HandClock, chance: random.Random) -> None:
        self.service, self.clock, self.chance = service, clock, chance
        self.hub = hub_of(service, clock, keys=KEYS)
        self.feed = DeviceFeed(self.hub)
        self.feed.bind(asyncio.get_running_loop())
        self.timers = HandLoop(clock)
        self.boundaries = PhaseTimer(self.hub, self.feed.refresh)
        self.boundaries.bind(self.timers)  # type: ignore[arg-type]
        self.units: list[Unit] = []
        self.asked = 0
        self._published = threading.Semaphore(0)
        # The last to be told: when this is released, everybody else has been told as well.
        service.listen(lambda *_: self._published.release())

    def state(self, event: str) -> EventState:
        return self.service.snapshot.events.get(event) or EventState(event)

    def ask(self, *steps: Step, actor: str = "organizer", persons: Any = ()) -> None:
        """What is refused changes nothing."""
        self.asked += 1
        with suppress(Problem):
            if self.service.execute(list(steps), actor, persons):
                assert self._published.acquire(timeout=GUARD_S)

    def tell(self, event: str, command: Any, actor: str = "organizer") -> None:
        self.ask(Step(event, command), actor=actor)

    def open(self, event: str, rulebook: str, options: dict[str, Any], players: int) -> None:
        entering = people(event, [f"Somebody Number{n}" for n in range(1, players + 1)])
        create = c.CreateEvent(f"Cup {event}", rulebook, None, options, "#0072B2", 7)
        entered = [c.EnterCompetitor(Entrant(one.competitor, one.person.digest(one.salt))) for one in entering]
        self.ask(*[Step(event, command) for command in (create, *entered)], persons=entering)

    def place(self, unit: str, table: int | None) -> None:
        self.ask(Step(VENUE, NewEntry("unit-placed", {"unit": unit, "table": table})))

    def next_round(self, event: str) -> None:
        """Every result that is missing, the cut if it is due, a draw, its publication with whatever is open, perhaps
        the start."""
        live = self.state(event).live
        for match in live.open_matches if live is not None else ():
            self.tell(event, c.EnterResult(match.id, match.revision, self.chance.choice(RESULTS)))
        self.tell(event, c.DrawRound(self.asked))
        if self.state(event).draft is None:
            self.tell(event, c.MakeCut())
            self.tell(event, c.DrawRound(self.asked))
        draft = self.state(event).draft
        if draft is not None:
            attempt = draft.draw.attempt if draft.draw else 1
            self.tell(event, c.PublishRound(draft.number, attempt, noted="so be it"))
            if self.chance.random() < 0.5:
                self.tell(event, c.SetClock("start"))

    async def connect(self, unit: str, reports: list[list[str]] | None = None) -> Unit:
        made = Unit(self.hub, self.feed, unit, reports or [])
        self.units.append(made)
        await self.settle()
        return made

    async def leave(self, unit: Unit) -> None:
        self.units.remove(unit)
        unit.task.cancel()
        await asyncio.gather(unit.task, return_exceptions=True)

    async def settle(self) -> None:
        """Until nothing is on its way any more."""
        for _ in range(1000):
            await asyncio.sleep(0)
            if not self.feed._news and not self.feed._pushing and not any(u.connection.queue for u in self.units):
                await asyncio.sleep(0)
                # A feed whose unit has said hello again since has ended.
                self.units = [u for u in self.units if u.connection in self.feed._connections.get(u.unit, ())]
                return
        raise AssertionError("the feed does not come to rest")

    def fresh(self, unit: Unit) -> Any:
        """What the unit should show now, worked out from nothing but what is saved and said."""
        return table_json(
            self.service.snapshot,
            unit.unit,
            self.hub.presence.units.get(unit.unit),
            self.hub.clocks.now(),
            unit.connection.reported,
        )

    def pass_ms(self, ms: int) -> None:
        self.clock.ms += ms
        self.timers.ring()


async def anything(hall: FeedHall) -> None:
    """One thing that somebody in the hall may do."""
    chance = hall.chance
    event = chance.choice(EVENTS)
    state = hall.state(event)
    draw = chance.choice
    live = state.live
    found = draw(live.matches) if live is not None and chance.random() < 0.8 else None
    match = found.id if found is not None else f"{draw((1, 2, 3))}.{draw((1, 2, 3, 4))}"
    at = state.find_match(match)
    revision = at[1].revision if at is not None else 0
    unit = draw(UNITS)
    often = ["report", "status", "EnterResult", "next", "clock", "rare"]
    kind = draw([*often, *often, "report", "rare", "desk", "place", "link", "time", "officials", "draw", "people"])
    if kind == "report":
        result = result_to_json(draw(RESULTS[:3]))
        hall.tell(event, c.RecordReport(f"r{hall.asked}", match, draw("ab"), revision, result, "b"), f"unit:{unit}")
    elif kind == "status":
        said = {"match": match, "seated": draw(["", "a", "ab"]), "leave": draw(["", "a", "ab"])}
        levels = {"call": draw([True, False]), "draft": draw([True, False])}
        others = {"unit": unit, "session": draw("st"), "seq": 1, "clock_ms": None, "waiting": 0}
        take_status(
            hall.hub,
            TableStatus(**{**said, **levels, **others, "seated": frozenset(said["seated"])}),  # type: ignore[arg-type]
            hall.clock.ms,
        )
        hall.tell(event, c.SetClock("pause"))
    elif kind == "desk":
        hall_now = hall.hub.presence
        draw(
            [
                lambda: hall_now.change(unit, partial(take_call, by=draw(["Ann", "Bo"]))),
                lambda: hall_now.change(unit, close_call),
                lambda: hall.tell(event, c.TakeCall(match, draw(["Ann", "Bo"]))),
                lambda: hall.tell(event, c.CloseCall(match)),
                lambda: hall.tell(event, c.RefuseDrop(draw(WHO))),
                lambda: hall_now.mark_at_table(event, match, "p1"),
            ]
        )()
    elif kind == "place":
        hall.place(unit, draw([None, 1, 2, 3, 4, 5, 6]))
    elif kind == "link":
        if hall.units and chance.random() < 0.4:
            await hall.leave(draw(hall.units))
        else:
            reports: list[list[str]] = draw([[], [["e1", "r1"]], [["e2", "r1"], ["e1", "r2"]]])
            hall.units.append(Unit(hall.hub, hall.feed, unit, reports))
    elif kind == "time":
        hall.pass_ms(draw([1, 1000, 60_000, 2 * 60_000, 20 * 60_000, 80 * 60_000]))
    elif kind == "EnterResult":
        hall.tell(event, c.EnterResult(match, revision, draw([None, *RESULTS])))
    elif kind == "officials":
        for one in live.open_matches if live is not None else ():
            hall.tell(event, c.EnterResult(one.id, one.revision, draw(RESULTS)))
    elif kind == "draw":
        hall.tell(event, draw([c.DrawRound(hall.asked), c.MakeCut(), c.DiscardDraft()]))
    elif kind == "next":
        hall.next_round(event)
    elif kind == "clock":
        hall.tell(
            event,
            draw(
                [
                    c.SetClock("start"),
                    c.SetClock("start"),
                    c.SetClock("pause"),
                    c.SetClock("adjust", draw([-300_000, 300_000])),
                    c.SetExtraMinutes(len(state.rounds), draw([0, 1, 3])),
                ]
            ),
        )
    elif kind == "people":
        who = draw(WHO)
        named = people(event, [f"{draw(['Ina', 'Jo'])} Other{n}" for n in range(1, 9)])[int(who[1:]) - 1]
        changed = c.ChangePerson(who, named.person.digest(named.salt))
        draw(
            [
                lambda: hall.tell(event, c.DropCompetitor(who)),
                lambda: hall.tell(event, c.ReturnCompetitor(who)),
                lambda: hall.ask(Step(event, changed), persons=[named]),
                lambda: hall.tell(event, c.EnterCompetitor(Entrant(who, "d"), meets=draw([None, match]))),
                lambda: hall.tell(event, c.SubmitList(who, "d", draw([98, 100]))),
            ]
        )()
    else:
        hall.tell(
            event,
            draw(
                [
                    c.NoShow(match, draw(WHO)),
                    c.DoubleNoShow(match),
                    c.UndoNoShow(match),
                    c.GrantExtension(match, draw([2, 5])),
                    c.NoteRuling(match, "so"),
                    c.NoteLot(match, draw(["initiative", "first_player"]), draw("ab")),
                    c.SetOptions({"structure": draw(["basic", "own"])}),
                    c.FinishEvent("the hall closes"),
                    c.ReopenEvent(),
                    c.SetPicks(match, (1,)),
                    c.GiveWarning(draw(WHO), "slow"),
                    c.Disqualify(draw(WHO), "x"),
                ]
            ),
        )
