"""Two and three hubs on one PostgreSQL, an event each: how much of a core a report costs them, and the database.

    python tests/benchmarks/bench_hubs.py [--quick] [--nice N]

Hubs, database and clients share what cores there are, so nothing here is by the wall clock. While the tables of one
event report, its hub spends `own` seconds of processor, and each other hub `foreign`, for the same reports. N hubs with
a core each, an event each, then carry N × own / (own + foreign of the others) as much as one hub: that has a gate, and
is the median of three runs, each a ratio within the same seconds. What the database can take is left out; its own
processor a report is the floor.
"""

import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rig.client_process import ClientProcess
from rig.hub_process import Hall, HubProcess, bare_hall, keep_off_the_hub_s_core
from rig.table import Options, Row, alone

sys.path.append(str(Path(__file__).parents[1] / "postgres"))

from postgres_kit import NOWHERE, Cluster, binaries, cluster

from roundtap.kit.player_names import made_up_people
from roundtap_core.event import commands as c
from roundtap_core.event.entries import VENUE, NewEntry
from roundtap_core.event.states import Entrant
from roundtap_hub.app.main import open_database
from roundtap_hub.store.journal import PersonRecord
from roundtap_hub.store.service import Step

TABLES = 32  # of each event
GATES = {2: 1.6, 3: 2.2}
SINCE = "2026-11-27"
FELT = {"hubs on one PostgreSQL": "how many halls one database carries"}
RUNS = 3
SETTLE_S = 1.0  # what a hub still follows when the clients have ended is part of what they cost
SETTINGS = ("listen_addresses=127.0.0.1", "max_connections=100")


@dataclass
class Cost:
    """What was saved at each hub, and what that cost each hub and the database, in seconds of processor."""

    saved: list[int]
    hubs_s: list[float]
    database_s: float

    @property
    def reports(self) -> int:
        return sum(self.saved)

    @property
    def carried(self) -> float:
        """What hubs with a core each carry beside one hub, where the first one's event alone was reported."""
        return len(self.hubs_s) * self.hubs_s[0] / sum(self.hubs_s)


@dataclass
class Hubs:
    """Hubs that run on one database, and the tables of each."""

    database: Cluster
    hubs: Sequence[HubProcess]
    clients: Sequence[ClientProcess]


def measure(options: Options, folder: Path) -> Iterator[Row]:
    core = keep_off_the_hub_s_core(options.nice)
    if binaries() is None:
        yield Row("reports/s of hubs with a core each", None, "/s", note=NOWHERE, felt=FELT["hubs on one PostgreSQL"])
        return
    seconds = options.pick(4, 1)
    with cluster(SETTINGS) as database:
        for many, gate in GATES.items():
            with _hubs(database, folder / str(many), many, core) as at:
                runs = sorted((_report(at, at.clients[:1], seconds) for _ in range(RUNS)), key=lambda run: run.carried)
            yield from _rows(f"{many} hubs on one PostgreSQL, an event each", gate, runs)


def _rows(name: str, gate: float, runs: Sequence[Cost]) -> Iterator[Row]:
    run = runs[len(runs) // 2]
    own, *foreign = (spent_s * 1000 / run.reports for spent_s in run.hubs_s)
    yield Row(
        f"{name}: carry, beside one hub",
        run.carried,
        "×",
        gate,
        1.0,
        "one hub",
        at_least=True,
        since=SINCE,
        note=f"{', '.join(f'{each.carried:.2f}' for each in runs)}; {run.reports:,} reports",
        felt=FELT["hubs on one PostgreSQL"],
    )
    floor_ms = run.database_s * 1000 / run.reports
    felt = FELT["hubs on one PostgreSQL"]
    name = f"{name}: processor a report at"
    yield Row(f"{name} the hub that serves it", own, "ms", None, floor_ms, "PostgreSQL's own", felt=felt)
    others_ms = sum(foreign) / len(foreign)
    yield Row(f"{name} each other hub", others_ms, "ms", None, floor_ms, "PostgreSQL's own", felt=felt)


@contextmanager
def _hubs(database: Cluster, folder: Path, many: int, core: int | None) -> Iterator[Hubs]:
    """Hubs on the emptied database, warm, each with the tables of its own event."""
    url = database.emptied()
    halls = _make_events(url, folder, many)
    with ExitStack() as running:
        hubs = [running.enter_context(HubProcess(hall, (), core, options=("--database", url))) for hall in halls]
        clients = [
            running.enter_context(
                ClientProcess(
                    "rig.reporters",
                    port=hub.port,
                    event=f"e{number}",
                    units={unit: key.hex() for unit, key in hub.hall.keys.items()},
                )
            )
            for number, hub in enumerate(hubs, 1)
        ]
        found = Hubs(database, hubs, clients)
        _report(found, clients, 1)
        yield found


def _report(at: Hubs, clients: Sequence[ClientProcess], seconds: float) -> Cost:
    """Every table of these clients reports, waits for the echo and reports again, for so long."""
    hubs_s, database_s = [hub.cpu_s() for hub in at.hubs], _database_cpu_s(at.database)
    for each in clients:
        each.say("closed_loop", count=1_000_000, seconds=seconds)
    heard = [each.hear(seconds + 120) for each in clients]
    time.sleep(SETTLE_S)
    if failures := sum(said["failures"] for said in heard):
        raise RuntimeError(f"{failures} reports were not accepted")
    return Cost(
        [said["saved"] for said in heard],
        [hub.cpu_s() - before for hub, before in zip(at.hubs, hubs_s, strict=True)],
        _database_cpu_s(at.database) - database_s,
    )


def _database_cpu_s(database: Cluster) -> float:
    """Processor time of all the server's processes that run, up to now."""
    rows: list[tuple[Any, ...]] = database.run("SELECT pid FROM pg_stat_activity WHERE pid <> pg_backend_pid()")
    return sum(time.clock_gettime((~int(pid) << 3) | 2) for (pid,) in rows)


def _make_events(url: str, folder: Path, many: int) -> list[Hall]:
    """Events "e1", "e2", … with round 1 in play at tables of their own; each hub's folder has its event's units."""
    hub = open_database(url, lambda _: None)
    try:
        for event in (f"e{number}" for number in range(1, many + 1)):
            people = [
                PersonRecord(event, f"p{i}", f"salt {i}", person)
                for i, person in enumerate(made_up_people(2 * TABLES, 1), start=1)
            ]
            entered = [c.EnterCompetitor(Entrant(p.competitor, p.person.digest(p.salt))) for p in people]
            create = c.CreateEvent(f"Hall {event}", "xwing-standard", None, {}, "#0072B2", 7)
            steps = (create, *entered, c.DrawRound(11), c.PublishRound(1, 1))
            hub.service.execute([Step(event, step) for step in steps], "bench", people, timeout_s=60)
        hub.service.execute(
            [
                Step(VENUE, NewEntry("unit-placed", {"unit": f"table-{n}", "table": n}))
                for n in range(1, many * TABLES + 1)
            ],
            "bench",
        )
    finally:
        hub.close()
    return [bare_hall(folder / f"hub-{number}", TABLES, number * TABLES) for number in range(many)]


if __name__ == "__main__":
    alone(measure, __doc__)
