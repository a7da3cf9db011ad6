"""A hub gone wild before a real unit: signed messages that are nearly right, presses in between, all by a seed."""

import copy
import itertools
import json
import random
import time
from collections import Counter
from pathlib import Path
from typing import Any

from form_kit import form_to_json
from roundtap_core.rulebooks.registry import RULEBOOKS
from roundtap_core.version import version
from roundtap_core.wire import FEED, envelope, open_envelope
from roundtap_devices.boards import load_board
from roundtap_devices.display.screen import VirtualScreen
from roundtap_devices.display.signals import Signals
from roundtap_devices.input.gestures import Edge
from roundtap_devices.input.pin_factory import mock_factory
from roundtap_units.link.hub_choice import UnitMemory
from roundtap_units.link.hub_time import FeedAge
from roundtap_units.link.link import MALFORMED, HubAddress, HubLink
from roundtap_units.link.outbox import Outbox, StoredView
from roundtap_units.table.dialogue.dialogue import Dialogue
from roundtap_units.table.unit import TableDisk, TableHardware, TableUnit
from roundtap_units.unit_config import unit_words

KEY = bytes(range(32))
PLACE = ("127.0.0.1", 1)
HANG_S = 5.0
"""Of processor time, for one step: the slowest takes a hundredth of it."""
ODD = (
    None,
    True,
    False,
    0,
    -1,
    1,
    2,
    7,
    99,
    10**4,
    10**6,
    10**9,
    2**53 - 1,
    2**63,
    -(10**12),
    10**30,
    "",
    " ",
    "a",
    "b",
    "running",
    "counting",
    "paused",
    "idle",
    "agreed",
    "second",
    "decided",
    "dispute",
    "closed",
    "x" * 5000,
    "\n",
    "\u202e",
    "\x00",
    "\ud800",
    "😀" * 40,
    "figure",
    "picks",
    "choice",
    "swiss",
    [],
    {},
    [[]],
    [{}],
    {"a": 1},
    {"a": 1, "b": 2},
    {"score": {"a": 10**9, "b": -5}},
    {"score": {"a": 100, "b": 24}},
    ["a", "b"],
    [1] * 3000,
    {"name": "x" * 3000},
    {"id": 5},
    1.5,
)
"""What is put in the place of something."""
NAMES = (
    "id",
    "name",
    "table",
    "match",
    "form",
    "clock",
    "ways",
    "steps",
    "maximum",
    "per_side",
    "wheels",
    "options",
    "x",
)


def right_view(book_id: str, state: str = "open") -> dict[str, Any]:
    """The view of a match under way, as a hub sends it."""
    book = RULEBOOKS[book_id]
    options = book.options({})
    side = {"name": "Ana R.", "id": "c1", "to_field": None, "must": False}
    if book.squads is not None:
        side = {**side, "to_field": [1, 2, 3]}
    match = {
        "id": "3.7",
        "revision": 0,
        "draw": "d1",
        "a": side,
        "b": {**side, "name": "Bruno M.", "id": "c2"},
        "state": state,
        "reports": {"a": None, "b": None},
        "result": None,
        "number": None,
        "last": None,
        "lots": {},
        "before_play": None,
        "corrected": False,
        "heard": {"a": 0, "b": 0},
        "said": {"a": None, "b": None},
        "second": None,
    }
    clock = {
        "state": "running",
        "deadline_ms": 4_000_000,
        "remaining_ms": 4_000_000,
        "total_ms": 4_500_000,
        "phases": [{"key": "phase.last_minutes", "from_ms": 1000}],
        "open_end": False,
        "over": False,
    }
    event = {"id": "e1", "name": "Winter Open", "color": "#0072B2", "rulebook": book_id}
    return {
        "table": 12,
        "finished": [],
        "event": event,
        "round": {"number": 3, "of": 5, "stage": "swiss", "status": "published"},
        "match": match,
        "options": options,
        "situation": {"stage": "swiss", "totals": None, "houses": None},
        "rounds_left": 2,
        "form": json.loads(json.dumps(form_to_json(book.form(options)))),
        "clock": clock,
        "call": None,
        "leave_refused": [],
        "next": None,
    }


def spoilt(value: Any, chance: random.Random, times: int) -> Any:
    """The value with so many places changed, left out, doubled or swapped."""
    made = copy.deepcopy(value)
    for _ in range(times):
        places = list(_places(made))
        if not places:
            return copy.deepcopy(chance.choice(ODD))
        parent, key = chance.choice(places)
        what = chance.randrange(8)
        if what == 0:
            del parent[key]
        elif what == 1 and isinstance(parent, dict):
            parent[chance.choice(NAMES)] = copy.deepcopy(chance.choice(ODD))
        elif what == 2:
            other, there = chance.choice(places)
            parent[key] = copy.deepcopy(other[there])
        elif what == 3 and type(parent[key]) is int:
            parent[key] = chance.choice((-1, 1, 10, 10**9)) * parent[key] + chance.randrange(-3, 4)
        else:
            parent[key] = copy.deepcopy(chance.choice(ODD))
    return made


def _places(value: Any) -> Any:
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, each in list(items):
        yield value, key
        yield from _places(each)


class Bench:
    """A real link (without its threads), outbox, dialogue and unit; `now_ms` is theirs."""

    def __init__(self, folder: Path, facing: str = "edge") -> None:
        self.now_ms = 1000
        self.items: list[object] = []
        self.folder = folder
        self.outbox = Outbox(folder / "outbox.jsonl")
        self.memory = UnitMemory(folder / "unit.json")
        self.stored = StoredView(folder / "view.json", "boot")
        self.link = HubLink(
            HubAddress(*PLACE, "table-12", KEY),
            self.outbox,
            lambda kind, value: self.items.append((kind, value)),
            lambda: self.now_ms,
            self.memory,
            self.stored.held_match,
        )
        self.says = ""
        ids = itertools.count(1)
        self.unit = TableUnit(
            "table-12",
            KEY,
            Dialogue(unit_words("en"), facing),
            self.link,
            TableHardware(VirtualScreen(), Signals(load_board("recommended"), mock_factory()), heard=self._heard),
            TableDisk(self.outbox, self.stored, self.memory),
            new_id=lambda: f"{next(ids):x}",
        )
        self.age = FeedAge(self.link.time)
        self.counts: Counter[str] = Counter()
        self.slowest_s = 0.0
        self.step()

    def _heard(self, text: str) -> None:
        self.says = text

    def step(self, *more: object) -> None:
        """What the loop does. An exception here would end the unit."""
        items, self.items = [*self.items, *more], []
        began = time.process_time()
        self.unit.step(self.now_ms, items)
        self.unit.due_ms(self.now_ms)
        self.slowest_s = max(self.slowest_s, time.process_time() - began)

    def hub_says(self, payload: Any) -> None:
        """One message of the feed, signed, as the link's thread takes it."""
        self.now_ms += 50
        self.counts["messages"] += 1
        try:
            message = open_envelope(KEY, FEED, json.loads(json.dumps(envelope(KEY, FEED, payload))))
            if message is None:
                raise ValueError("no signature holds")
            self.link.handle_message(message, PLACE, self.age)
        except MALFORMED:
            # As the link's thread does: this feed is over, the next one begins.
            self.counts["feed ended"] += 1
            self.age = FeedAge(self.link.time)
        self.step()

    def tap(self, *keys: str) -> None:
        for key in keys:
            for down in (True, False):
                self.now_ms += 60
                self.step(Edge(key, down, self.now_ms))
            self.now_ms += 900
            self.step()

    def works(self) -> bool:
        """Whether a right view is shown rightly, after whatever was before it."""
        self.link.time.reset()
        self.age = FeedAge(self.link.time)
        self.hub_says(head("welcome", self, session="s", core=version(), boot="b", epoch=self.memory.epoch or "x"))
        view = right_view("xwing-standard")
        view["match"] = {**view["match"], "id": "9.9", "draw": "d9"}
        self.hub_says({**head("view", self), "view": view})
        self.now_ms += 11_000
        self.hub_says(head("beat", self))
        for _ in range(6):
            # Pages that stay until somebody has read them, a called judge.
            if "Ana R." in self.says:
                return self.unit.is_healthy(self.now_ms)
            self.tap("up")
        return False


def head(kind: str, bench: Bench, **more: Any) -> dict[str, Any]:
    return {"type": kind, "nonce": "n", "seq": 1, "now_ms": bench.now_ms, **more}


def wild_step(bench: Bench, chance: random.Random) -> None:
    """One message that is nearly right, or a few presses."""
    what = chance.randrange(10)
    if what < 5:
        view = right_view(chance.choice(sorted(RULEBOOKS)), chance.choice(("open", "one-sided", "dispute", "agreed")))
        view["match"]["draw"] = chance.choice(("d1", "d2", "d3"))
        view["match"]["result"] = chance.choice((None, {"score": {"a": 100, "b": 24}}))
        bench.hub_says({**head("view", bench), "view": spoilt(view, chance, chance.choice((0, 1, 1, 2, 5)))})
    elif what == 5:
        kept = [one.id for one in bench.outbox.all()] or ["r1"]
        echo = {
            "report_id": chance.choice(kept),
            "fate": chance.choice(("accepted", "refused", "unknown", "pending")),
            "reason": chance.choice((None, "judge", "older", "elsewhere", "superseded", "new")),
            "number": 42,
            "hash": "h",
            "epoch": chance.choice(("x", "y")),
        }
        bench.hub_says(
            {**head("fates", bench), "fates": spoilt([echo] * chance.randrange(3), chance, chance.choice((0, 1, 1, 3)))}
        )
    elif what == 6:
        said = head(
            chance.choice(("welcome", "twin", "beat", "news")),
            bench,
            session="s",
            core=version(),
            epoch="x",
            boot="b",
            hubs=["http://10.0.0.2:80"],
            restored=False,
        )
        bench.hub_says(spoilt(said, chance, chance.choice((0, 1, 2))))
    elif what == 7:
        bench.now_ms += chance.choice((1000, 61_000, 10**7))
        bench.step()
    else:
        bench.tap(*chance.choices(("a", "b", "up", "down"), k=chance.randrange(1, 6)))


def run(folder: Path, chance: random.Random, count: int) -> Bench:
    """`count` steps. AssertionError where one hung; any other exception is what it is: the unit's end."""
    bench = Bench(folder, chance.choice(("edge", "opposite")))
    for n in range(count):
        wild_step(bench, chance)
        assert bench.slowest_s < HANG_S, f"step {n}: {bench.slowest_s:.1f} s"
    assert bench.works(), repr(bench.says)
    return bench
