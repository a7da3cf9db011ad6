"""A whole table unit for one test, on a virtual clock, with a link that only remembers."""

import itertools
import os
from collections.abc import Callable, Mapping
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from form_kit import form_to_json
from roundtap_core.messages import ReportReceipt
from roundtap_core.rulebooks.registry import rulebook
from roundtap_devices.boards import load_board
from roundtap_devices.display.screen import VirtualScreen
from roundtap_devices.display.signals import Signals
from roundtap_devices.input.gestures import Edge
from roundtap_devices.input.pin_factory import mock_factory
from roundtap_units.link.hub_choice import UnitMemory
from roundtap_units.link.hub_time import HubTime
from roundtap_units.link.outbox import Outbox, StoredReport, StoredView
from roundtap_units.table.dialogue.dialogue import Dialogue
from roundtap_units.table.unit import TableDisk, TableHardware, TableUnit
from roundtap_units.unit_config import unit_words

KEY = bytes(range(32))
FULL, READ_ONLY = {"f_bavail": 0}, {"f_flag": os.ST_RDONLY}

BOOK = rulebook("xwing-standard")


def other_disk(**fields: int) -> Callable[[object], Any]:
    """`os.statvfs` of a disk that differs from this one in these fields."""
    real = os.statvfs

    def look(folder: Any) -> Any:
        found = real(folder)
        return SimpleNamespace(**{name: getattr(found, name) for name in dir(found) if name.startswith("f_")} | fields)

    return look


def view(**changes: Any) -> dict[str, Any]:
    """What the hub says of table 12: round 3 runs, Ana (a) against Bruno (b), nothing reported."""
    match = {
        "id": "3.7",
        "revision": 0,
        "a": {"id": "p1", "name": "Ana R."},
        "b": {"id": "p2", "name": "Bruno M."},
        "state": "open",
        "reports": {"a": None, "b": None},
        "result": None,
        "number": None,
    }
    clock = {"state": "running", "deadline_ms": 4_000_000, "remaining_ms": 4_000_000, "total_ms": 4_500_000}
    return {
        "table": 12,
        "finished": [],
        "event": {"id": "e1", "name": "Winter Open", "color": "#0072B2", "rulebook": BOOK.id},
        "round": {"number": 3, "of": 5, "stage": "swiss", "status": "published"},
        "match": match,
        "options": BOOK.options({}),
        "form": form_to_json(BOOK.form(BOOK.options({}))),
        "clock": clock,
        "call": None,
        "next": None,
        **changes,
    }


class FakeLink:
    """Remembers what the unit asked of it, and what lay on the disk at that moment."""

    def __init__(self, outbox: Outbox, path: Path) -> None:
        self.time = HubTime()
        self.statuses: list[dict[str, Any]] = []
        self.on_disk_when_sent: list[list[str]] = []
        self._outbox, self._path = outbox, path

    def send_reports(self) -> None:
        self.on_disk_when_sent.append([kept.id for kept in Outbox(self._path).waiting()])

    def send_status(self, status: Any) -> None:
        self.statuses.append(dict(status))

    def keep_status(self, status: Any) -> None:
        self.kept = dict(status)


class Unit:
    """A table unit that lives in one test: `tap`, `hub_says`, `says`. `shines`: which lamps are on; `lamp`: what its
    own has done. `stored`, `memory`: what it keeps beside its outbox, if anything."""

    def __init__(
        self, folder: Path, start_ms: int = 0, stored: StoredView | None = None, memory: UnitMemory | None = None
    ) -> None:
        self.path = folder / "outbox.jsonl"
        self.outbox = Outbox(self.path)
        self.link = FakeLink(self.outbox, self.path)
        self.now_ms = start_ms
        self.texts: list[str] = [""]
        self.screen, self.lamp = VirtualScreen(), list[bool]()
        self.shines: set[str] = set()
        counter = itertools.count(len(self.outbox.all()) + 1)
        self.unit = TableUnit(
            "table-12",
            KEY,
            Dialogue(unit_words("en"), "edge"),
            self.link,
            TableHardware(
                self.screen,
                Signals(load_board("recommended"), mock_factory(), self._shone),
                heard=self.texts.append,
            ),
            TableDisk(self.outbox, stored or StoredView(None), memory or UnitMemory(None)),
            new_id=lambda: f"id{next(counter)}",
            now_ms=start_ms,
        )
        self.unit.step(self.now_ms)

    def _shone(self, on: Mapping[str, bool]) -> None:
        self.shines = {name for name, shines in on.items() if shines}
        self.lamp.append(on["lamp"])

    @property
    def says(self) -> str:
        return self.texts[-1]

    def hub_says(self, kind: str, value: Any) -> None:
        self.now_ms += 10
        self.unit.step(self.now_ms, [(kind, value)])

    def tap(self, *keys: str) -> None:
        for key in keys:
            for down in (True, False):
                self.now_ms += 60
                self.unit.step(self.now_ms, [Edge(key, down, self.now_ms)])
                self.wait(400)

    def wait(self, ms: int) -> None:
        """Let time pass, stepping whenever the unit wants to be stepped."""
        until_ms = self.now_ms + ms
        while self.now_ms < until_ms:
            self.now_ms = min(until_ms, max(self.now_ms + 1, self.unit.due_ms(self.now_ms)))
            self.unit.step(self.now_ms)

    def hub_answers(self, n: int, fate: str = "accepted", **more: Any) -> StoredReport:
        kept = self.outbox.settle(
            ReportReceipt(**{"report_id": f"table-12-id{n}", "fate": fate, "number": 1040 + n, "hash": "h", **more})
        )
        assert kept is not None
        self.hub_says("fate", kept)
        self.outbox.flush_fates()
        return kept


class Lone(Unit):
    """A unit with everything that it keeps on its disk; `boot`: which start of its machine this is."""

    def __init__(self, folder: Path, start_ms: int = 0, boot: str = "monday") -> None:
        self.stored = StoredView(folder / "view.json", boot, lambda: self.now_ms)
        super().__init__(folder, start_ms, self.stored, UnitMemory(folder / "unit.json"))

    def hub_time(self, hub_ms: int) -> None:
        self.link.time.add_round_trip(hub_ms, self.now_ms, self.now_ms)

    def hold_together(self, *keys: str) -> None:
        self.unit.step(self.now_ms, [Edge(key, True, self.now_ms) for key in keys])
        self.wait(2000)
        self.unit.step(self.now_ms, [Edge(key, False, self.now_ms) for key in keys])
        self.wait(100)

    def call_a_judge(self) -> None:
        self.hold_together("up", "down")
