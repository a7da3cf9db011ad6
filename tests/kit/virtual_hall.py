"""A whole hall in one process on a virtual clock: the hub's service and real table units on mock pins, no waiting."""

from __future__ import annotations

import queue
import secrets
import tempfile
from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from hub_kit import hub_of, running
from recorded_reports import record_report
from wire_json import table_json

from press_script import Press
from roundtap_core.event import commands as c
from roundtap_core.event.entries import VENUE, NewEntry, Person
from roundtap_core.event.states import Entrant, EventState, Official
from roundtap_core.messages import ReportReceipt, TableStatus
from roundtap_core.records import Tournament
from roundtap_core.rulebooks.registry import rulebook
from roundtap_core.standings.totals import list_totals
from roundtap_core.typed import parse_message
from roundtap_core.wire import REPORT, verify_signature
from roundtap_devices.boards import RECOMMENDED
from roundtap_devices.display.screen import VirtualScreen
from roundtap_devices.display.signals import Signals
from roundtap_devices.input.gestures import Buttons
from roundtap_devices.input.pin_factory import mock_factory
from roundtap_hub.app.hub import Hub
from roundtap_hub.store.clocks import Clocks
from roundtap_hub.store.command_pipeline import validate_report
from roundtap_hub.store.journal import PersonRecord
from roundtap_hub.store.service import Step
from roundtap_hub.units.table_api import take_status
from roundtap_units.link.hub_time import HubTime
from roundtap_units.link.outbox import Outbox
from roundtap_units.table.dialogue.dialogue import Dialogue
from roundtap_units.table.unit import TableDisk, TableHardware, TableUnit
from roundtap_units.unit_config import unit_words

EVENT = "e1"  # the only event of a temporary journal
TAP_MS, PAUSE_MS, HOLD_MS = 60, 400, 700


class VirtualClock:
    """A monotonic clock in milliseconds that only advances when set."""

    def __init__(self) -> None:
        self.now_ms = 1_000_000


SESSION = "virtual"


class DirectLink:
    """A unit's link without a network: the same signed reports, passed directly to the hub's device code."""

    def __init__(
        self, hub: Hub, unit: str, outbox: Outbox, incoming: queue.SimpleQueue[object], clock: VirtualClock
    ) -> None:
        self.time = HubTime()
        self.time.add_round_trip(clock.now_ms, clock.now_ms, clock.now_ms)
        self._hub, self._unit, self.outbox, self.incoming, self._clock = hub, unit, outbox, incoming, clock
        self._made_of: tuple[object, ...] = ()
        self._last_view: Mapping[str, Any] | None = None

    def send_reports(self) -> None:
        for kept in self.outbox.waiting():
            assert verify_signature(self._hub.units.keys[self._unit], REPORT, kept.report, kept.mac)
            settled = self.outbox.settle(
                parse_message(ReportReceipt, record_report(self._hub.service, validate_report(dict(kept.report))))
            )
            if settled is not None:
                self.incoming.put(("fate", settled))
        self.outbox.flush_fates()

    def send_status(self, status: Mapping[str, Any]) -> None:
        said = {**status, "unit": self._unit, "session": SESSION, "seq": 1, "waiting": 0}
        take_status(self._hub, parse_message(TableStatus, said), self._clock.now_ms)
        # What the status asks for is recorded before virtual time goes on.
        self._hub.service.execute([], "rehearsal")

    def keep_status(self, status: Mapping[str, Any]) -> None:
        pass

    def push_view(self) -> None:
        status = self._hub.presence.units.get(self._unit)
        reported = {str(kept.report["event"]) for kept in self.outbox.all()}
        # Skip unchanged input; changes by time alone appear within a second.
        made_of = (self._hub.service.snapshot, status, reported, self._clock.now_ms // 1000)
        if made_of == self._made_of:
            return
        self._made_of = made_of
        view = table_json(self._hub.service.snapshot, self._unit, status, self._hub.clocks.now(), reported)
        if view != self._last_view:
            self._last_view = view
            self.incoming.put(("view", view))


class VirtualTable:
    """One table unit on mock pins, and simulated presses."""

    def __init__(self, hub: Hub, number: int, folder: Path, clock: VirtualClock) -> None:
        unit = f"table-{number}"
        self._clock = clock
        self._incoming: queue.SimpleQueue[object] = queue.SimpleQueue()
        self._pins = mock_factory(lambda: clock.now_ms / 1000)
        outbox = Outbox(folder / unit / "outbox.jsonl")
        self.link = DirectLink(hub, unit, outbox, self._incoming, clock)
        self.screen = VirtualScreen()
        self.screen_text = ""
        self.unit = TableUnit(
            unit,
            hub.units.keys[unit],
            Dialogue(unit_words("en"), "edge"),
            self.link,
            TableHardware(self.screen, Signals(RECOMMENDED, self._pins), heard=self._on_screen_text),
            TableDisk(outbox),
        )
        self._buttons = Buttons(RECOMMENDED, self._pins, self._incoming, lambda: clock.now_ms)

    def _on_screen_text(self, text: str) -> None:
        self.screen_text = text

    def step(self) -> None:
        self.link.push_view()
        items: list[object] = []
        while not self._incoming.empty():
            items.append(self._incoming.get_nowait())
        self.unit.step(self._clock.now_ms, items)

    def press(self, press: Press) -> None:
        """Press a button: down, a moment, up, a moment."""
        pin = self._pins.pin(RECOMMENDED.pins.keys()[press.key])
        pin.drive_low()
        self._advance(HOLD_MS if press.kind == "hold" else TAP_MS)
        pin.drive_high()
        self._advance(PAUSE_MS)

    def _advance(self, ms: int) -> None:
        until_ms = self._clock.now_ms + ms
        self.step()
        while (due_ms := self.unit.due_ms(self._clock.now_ms)) < until_ms:
            self._clock.now_ms = max(due_ms, self._clock.now_ms + 1)
            self.step()
        self._clock.now_ms = until_ms
        self.step()

    def close(self) -> None:
        self._buttons.close()


class VirtualHall:
    """Hub, tables and one event in this process; a context manager over a temporary folder."""

    def __init__(self, tables: int) -> None:
        self._open = ExitStack()
        folder = Path(self._open.enter_context(tempfile.TemporaryDirectory(prefix="roundtap-hall-")))
        self.clock = VirtualClock()
        clocks = Clocks("virtual", lambda: self.clock.now_ms, lambda: None)
        self.service = self._open.enter_context(running(folder / "roundtap.db", clocks))
        keys = {f"table-{n}": secrets.token_bytes(32) for n in range(1, tables + 1)}
        self.hub = hub_of(self.service, clocks, keys=keys)
        self.service.execute(
            [Step(VENUE, NewEntry("unit-placed", {"unit": unit, "table": n})) for n, unit in enumerate(keys, start=1)],
            "rehearsal",
        )
        for unit in keys:
            # As with a unit's first status: what it asks from then on is new.
            self.hub.presence.update(unit, self.clock.now_ms, run=SESSION)
        self.tables = {n: VirtualTable(self.hub, n, folder, self.clock) for n in range(1, tables + 1)}

    def __enter__(self) -> VirtualHall:
        return self

    def __exit__(self, *_: object) -> None:
        for table in self.tables.values():
            table.close()
        self._open.close()

    @property
    def state(self) -> EventState:
        return self.service.snapshot.events[EVENT]

    def submit(self, command: c.Command) -> None:
        self.service.execute_one(EVENT, command, "rehearsal")

    def enter(self, tournament: Tournament) -> None:
        """Create the event and enter its competitors, before any has left."""
        totals = list_totals(tournament)
        people, steps = (
            [],
            [
                Step(
                    EVENT,
                    c.CreateEvent(
                        tournament.name,
                        tournament.rulebook,
                        tournament.level,
                        tournament.options,
                        "#0072B2",
                        tournament.seed,
                    ),
                )
            ],
        )
        for competitor in tournament.competitors:
            person, salt = Person.of(competitor), secrets.token_hex(8)
            people.append(PersonRecord(EVENT, competitor.id, salt, person))
            steps.append(
                Step(
                    EVENT,
                    c.EnterCompetitor(
                        Entrant(
                            competitor.id,
                            person.digest(salt),
                            competitor.won_bye,
                            competitor.came_with,
                            competitor.fixed_table,
                            list_total=totals.get(competitor.id),
                        )
                    ),
                )
            )
        if rulebook(tournament.rulebook).judge_required:
            # The person who runs the rehearsal is its judge.
            steps.append(Step(EVENT, c.SetOfficials((Official("o1", "organizer"),))))
        self.service.execute(steps, "rehearsal", people)

    def wait(self, ms: int) -> None:
        self.clock.now_ms += ms
        self.step()

    def step(self) -> None:
        for table in self.tables.values():
            table.step()
