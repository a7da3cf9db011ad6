"""What the tests of journal, service and device API share: a hub on a real file, a clock set by hand, one event."""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from faults import fails
from memory_hub import hub_in_memory
from roundtap_core.event import commands as c
from roundtap_core.event.entries import VENUE, Entry, NewEntry, Person
from roundtap_core.event.states import Entrant, EventState
from roundtap_core.messages import Hello
from roundtap_core.rulebooks.registry import RULEBOOKS
from roundtap_core.wire import REQUEST, envelope
from roundtap_hub.access.unit_keys import UnitKeys
from roundtap_hub.app.hub import Hub
from roundtap_hub.store import journal as journal_module
from roundtap_hub.store import service as journal_service
from roundtap_hub.store.clocks import Clocks
from roundtap_hub.store.journal import JournalConflict, PersonRecord
from roundtap_hub.store.print_book import PrintBook
from roundtap_hub.store.service import Step
from roundtap_hub.units.device_feed import verify_hello
from roundtap_hub.views.running_hub import Units
from roundtap_hub.views.unit_presence import Presence

NAMES = ("Ana Ruiz", "Bruno Maier", "Łukasz Żak", "Eva Luz", "Kai Eich", "Aleksandra Wiśniewska-Szczepańska")
KEYS = {
    "table-1": bytes(range(32)),
    "table-2": bytes(range(100, 132)),
    "station-1": bytes(range(32, 64)),
    "station-2": bytes(range(64, 96)),
}


@dataclass
class HandClock:
    """Monotonic milliseconds of one boot, moved by hand."""

    boot_id: str = "boot-1"
    ms: int = 5_000_000_000
    """Far beyond 32 bits of milliseconds: a hub that was up for two months."""

    @property
    def clocks(self) -> Clocks:
        return Clocks(self.boot_id, lambda: self.ms, lambda: None)


class Journal(journal_module.Journal):
    """A journal whose disk may fail: `disk` is done before anything is appended, and may raise."""

    def __init__(self, url: str) -> None:
        super().__init__(url)
        self.disk: Callable[..., object] = lambda *_: None

    def append(self, *saved: Any) -> None:
        self.disk(*saved)
        super().append(*saved)


class Service(journal_service.Service):
    """A service with its journal within a test's reach. `meanwhile` happens once, when somebody has looked and asks."""

    def __init__(self, journal: Journal, *more: Any) -> None:
        super().__init__(journal, *more)
        self.journal = journal
        self.meanwhile: Callable[[], object] | None = None

    def execute(self, *what: Any, **more: Any) -> list[Entry]:
        meanwhile, self.meanwhile = self.meanwhile, None
        if meanwhile is not None:
            meanwhile()
        return super().execute(*what, **more)


@contextmanager
def disk_fails(service: Service, error: Exception | None = None) -> Iterator[None]:
    """Meanwhile nothing can be saved: the disk is full, where no other error is given."""
    service.journal.disk = fails(error or JournalConflict("full", "SQLITE_FULL"))
    yield
    service.journal.disk = lambda *_: None


def url_of(path: Path) -> str:
    return f"sqlite:///{path}"


def clocks_of(clock: HandClock | Clocks | None) -> Clocks:
    return clock if isinstance(clock, Clocks) else (clock or HandClock()).clocks


@contextmanager
def running(
    path: Path, clock: HandClock | Clocks | None = None, at_point: Callable[[str], None] = lambda _: None
) -> Iterator[Service]:
    """A started service on the journal file `path`: what every hub within a test's process stands on."""
    journal = Journal(url_of(path))
    service = Service(journal, clocks_of(clock), at_point)
    service.start()
    try:
        yield service
    finally:
        service.stop()
        journal.close()


def people(event: str = "e1", names: Sequence[str] = NAMES[:4]) -> list[PersonRecord]:
    return [PersonRecord(event, f"p{i}", f"salt {i}", Person(name)) for i, name in enumerate(names, start=1)]


def person_of(name: str, rulebook: str) -> Person:
    """A player, or in a team event a team of two."""
    pair = (f"{name} A", f"{name} B")
    return Person(name, members=pair, captain=pair[0]) if RULEBOOKS[rulebook].team_size > 1 else Person(name)


def event_steps(event: str = "e1", names: Sequence[str] = NAMES[:4]) -> list[Step]:
    """An event with its players in it, nothing drawn."""
    create = c.CreateEvent("Winter Open", "xwing-standard", None, {}, "#0072B2", 7)
    entered = [c.EnterCompetitor(Entrant(p.competitor, p.person.digest(p.salt))) for p in people(event, names)]
    return [Step(event, command) for command in (create, *entered)]


def make_event(service: Service, event: str = "e1", units: bool = True) -> EventState:
    """Four players, round 1 published, a unit at each of both tables, or none."""
    steps = [*event_steps(event), Step(event, c.DrawRound(11)), Step(event, c.PublishRound(1, 1))]
    service.execute(steps, "organizer", people(event))
    if units:
        service.execute(
            [Step(VENUE, NewEntry("unit-placed", {"unit": f"table-{n}", "table": n})) for n in (1, 2)], "organizer"
        )
    return service.snapshot.events[event]


def head_is_noted(service: journal_service.Service) -> None:
    """The writer notes in the head file after it has answered, and before it looks at anything else."""
    service.execute([], "test")


def hub_of(
    service: Service,
    clock: HandClock | Clocks,
    paper: PrintBook | None = None,
    keys: UnitKeys | Mapping[str, bytes] = KEYS,
    secret: bytes = b"secret",
    pin_hash: str = "no pin",
    **more: Any,
) -> Hub:
    return hub_in_memory(service, Presence(), clocks_of(clock), keys, secret, pin_hash, paper=paper, **more)


def hello_of(
    hub: Hub, unit: str = "table-1", key: bytes | None = None, purpose: str = REQUEST, **changes: Any
) -> bytes:
    """A unit's hello with a challenge that it has just asked for."""
    said = {
        "unit": unit,
        "nonce": "n1",
        "challenge": hub.units.challenges.issue(),
        "core": "0",
        "reports": [],
        **changes,
    }
    return json.dumps(envelope(key or hub.units.keys[unit], purpose, said)).encode()


def opened_hello(units: Units, unit: str, body: bytes, address: str = "") -> tuple[bytes, Hello]:
    """A unit's key and what it says, where its hello opens a feed."""
    return verify_hello(units, unit, json.loads(body), address)


def stored(path: Path, stream: str = "e1") -> list[Entry]:
    """The entries of a stream as another process reads them from the disk."""
    with closing(Journal(url_of(path))) as journal:
        return journal.streams().get(stream, [])
