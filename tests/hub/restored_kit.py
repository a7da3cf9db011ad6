"""What the tests of a restored hub share: an evening that goes on after its copy was made, and what its tables hold."""

import asyncio
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pages_kit import PEOPLE, Browser, House, open_house
from recorded_reports import record_report

from roundtap_core.event.states import EventState, MatchState
from roundtap_core.messages import Hello
from roundtap_core.records import Result, Side, SidePair, result_to_json
from roundtap_core.typed import parse_message
from roundtap_core.wire import digest
from roundtap_hub.store.backups import make_backup
from roundtap_hub.store.clocks import Clocks
from roundtap_hub.store.command_pipeline import validate_report
from roundtap_hub.store.head_file import HeadRecord
from roundtap_hub.store.recover import recover
from roundtap_hub.units.table_api import HelloHandler

CLOCKS = Clocks("another boot", lambda: 5, lambda: "2026-11-22T05:00")


def backup_of(folder: Path, to: Path) -> Path:
    """A backup of a hub's folder, as a hub writes one."""
    return make_backup(folder, to, HeadRecord("a hub", "an epoch"), "2026-11-22T04:00")


@dataclass
class Table:
    """A table unit as the hub knows it: what it holds, and the reports in its outbox."""

    unit: str
    house: House
    reports: list[dict[str, Any]] = field(default_factory=list)
    holds: dict[str, Any] | None = None
    heads: dict[str, list[Any]] = field(default_factory=dict)
    epoch: str = ""

    def look(self) -> None:
        """Take in the view that the hub has for it."""
        snapshot = self.house.service.snapshot
        state, table = self.house.event, snapshot.venue.tables[self.unit]
        self.epoch = snapshot.venue.epoch
        played = state.public_rounds[-1]
        match = next((m for m in played.matches if m.match.table == table), None)
        self.holds = match and {
            "event": state.id,
            "round": played.number,
            "stage": played.stage,
            "draw": played.mark,
            "table": table,
            "match": match.id,
            "revision": match.revision,
            "a": match.match.a,
            "b": match.match.b,
            "state": match.state,
            "number": match.number,
            "result": result_to_json(match.match.result) if match.match.result else None,
        }

    def report(self, side: Side, a: int, b: int) -> str:
        """A press on this table: the fate that it had."""
        assert self.holds is not None
        held, serial = (
            self.holds,
            1 + sum(said["side"] == side and said["match"] == self.holds["match"] for said in self.reports),
        )
        self.reports.append(
            {
                "report_id": f"{self.unit}-{len(self.reports)}",
                "unit": self.unit,
                "event": held["event"],
                "match": held["match"],
                "side": side,
                "revision": held["revision"],
                "result": result_to_json(Result(score=SidePair(a, b))),
                "draw": held["draw"],
                "serial": serial,
                "agrees_to": None,
                "round": held["round"],
                "a": held["a"],
                "b": held["b"],
            }
        )
        fate = self.send(self.reports[-1])
        self.look()
        return fate

    def both(self, a: int, b: int) -> None:
        assert [self.report("a", a, b), self.report("b", a, b)] == ["accepted", "accepted"]

    def send(self, report: Mapping[str, Any]) -> str:
        echo = record_report(self.house.hub.service, validate_report(dict(report)))
        if echo["fate"] == "accepted":
            self.heads[report["event"]] = [echo["number"], echo["hash"]]
        return str(echo["fate"])

    def hello(self, house: House) -> None:
        """Be heard by a hub, and offer it everything in the outbox that it does not know."""
        self.house = house

        async def on_loop() -> None:
            noted = HelloHandler(house.hub).handle(
                self.unit,
                parse_message(
                    Hello,
                    {
                        "unit": self.unit,
                        "nonce": "n",
                        "core": "0",
                        "reports": [],
                        "holds": self.holds,
                        "heads": dict(self.heads),
                        "epoch": self.epoch,
                    },
                ),
            )
            if noted is not None:
                await asyncio.wrap_future(noted)

        asyncio.run(on_loop())

    def come_back(self, house: House) -> list[str]:
        self.hello(house)
        return [self.send(report) for report in self.reports]

    def fates(self) -> list[str]:
        """What the hub says now of each report that it holds."""
        return [self.send(report) for report in self.reports]


@dataclass
class Evening:
    """A hub with an event of six, and its three tables."""

    house: House
    tables: list[Table]

    def look(self) -> None:
        for table in self.tables:
            table.look()

    def next_round(self) -> None:
        self.house.publish()
        self.look()

    def play(self, results: Mapping[int, tuple[int, int]] | None = None) -> None:
        for number, table in enumerate(self.tables, start=1):
            table.both(*(results or {}).get(number, (100, 10 * number)))


@contextmanager
def evening(folder: Path, people: list[str] | None = None) -> Iterator[Evening]:
    """The event is made; nothing is drawn. A unit stands at each of three tables."""
    folder.mkdir()
    (folder / "keys.json").write_text("{}")
    (folder / "pin").write_text("a hash")
    with open_house(folder) as house:
        house.with_event(people or PEOPLE)
        tables = [Table(f"unit-{number}", house) for number in (1, 2, 3)]
        for number, table in enumerate(tables, start=1):
            house.place(table.unit, number)
        yield Evening(house, tables)


@contextmanager
def restored_house(backup: Path, folder: Path) -> Iterator[tuple[House, Browser]]:
    """A hub restored from a backup, with an organizer's browser."""
    recover([backup], folder, CLOCKS)
    with open_house(folder) as house:
        yield house, house.organizer()


def results(state: EventState) -> dict[str, Any]:
    """Match by match: who met whom, and what stands."""

    def line(match: MatchState) -> list[Any]:
        result = match.match.result
        return [match.match.a, match.match.b, result_to_json(result) if result else None]

    return {match.id: line(match) for played in state.public_rounds for match in played.matches}


def body_of(report: Mapping[str, Any]) -> str:
    return digest(dict(report))
