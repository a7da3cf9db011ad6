"""A hub's cold start: how long until it answers, and what it holds, with no event and with 200 finished ones.

    python tests/benchmarks/bench_start.py [--quick] [--nice N]

The 200 events (32 players, 5 rounds, two reports a match) are played through the service first, and their snapshots
made, which a hub does in the background while it runs.
"""

import compileall
import random
import subprocess
import sys
import sysconfig
import time
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from importlib.util import find_spec
from pathlib import Path

from rig.floors import children_cpu_s
from rig.hub_process import Hall, HubProcess, bare_hall, keep_off_the_hub_s_core
from rig.table import Options, Row, alone, p50

from roundtap.kit.player_names import player_names
from roundtap_core.event import commands as c
from roundtap_core.event.entries import GENESIS, VENUE, Entry, NewEntry, Person, chain_entry
from roundtap_core.event.states import Entrant, EventState
from roundtap_core.records import SIDES
from roundtap_core.wire import digest
from roundtap_hub.store.clocks import system_clocks
from roundtap_hub.store.journal import Journal, PersonRecord
from roundtap_hub.store.read_model import read_event
from roundtap_hub.store.service import Service, Step
from roundtap_hub.store.snapshots import snapshot_event

EVENTS, PLAYERS, ROUNDS = 200, 32, 5
PLAYED_EACH = 50
FLOORS_MAX = {"empty": 2.0, "years": 4.0}  # a start, beside importing what it stands on
FLOOR = "python -c 'import flask, uvicorn'"
SINCE, RATIOS = "2026-11-22", "2026-11-30"
FELT = {
    "start": "how long the hall waits once the hub has power again",
    "start, 200 finished events: RSS": "the same after years of evenings",
}


def measure(options: Options, folder: Path) -> Iterator[Row]:
    core = keep_off_the_hub_s_core(options.nice)
    compile_all()
    floor_s = _bare_start_cpu_s(core)
    empty = _starts(bare_hall(folder / "empty"), core, options.pick(5, 1))
    yield empty.row("empty", FLOORS_MAX["empty"], floor_s)
    events = options.pick(EVENTS, 2)
    begin = time.monotonic()
    hall = bare_hall(folder / "years")
    entries = finished_events(hall.folder / "roundtap.db", events, options.seed)
    name = f"{events} finished events"
    print(f"  {name} made: {entries:,} entries, {time.monotonic() - begin:.0f} s", flush=True)
    years = _starts(hall, core, options.pick(3, 1))
    yield years.row(name, FLOORS_MAX["years"], floor_s)
    yield Row(
        f"start, {name}: RSS",
        min(years.rss_mb),
        "MB",
        75,
        since=SINCE,
        note=f"PSS {min(years.pss_mb):.0f} MB",
        felt=FELT["start, 200 finished events: RSS"],
    )


@dataclass
class Starts:
    """What each of several starts took: by the clock, of the processor, of memory."""

    took_s: list[float] = field(default_factory=list)
    cpu_s: list[float] = field(default_factory=list)
    rss_mb: list[float] = field(default_factory=list)
    pss_mb: list[float] = field(default_factory=list)

    def row(self, name: str, floors_max: float, floor_s: float) -> Row:
        return Row(
            f"start, {name}, to the first answer: CPU",
            min(self.cpu_s),
            "s",
            floors_max * floor_s,
            floor_s,
            FLOOR,
            since=RATIOS,
            note=f"best of {len(self.cpu_s)}; by the clock {min(self.took_s):.2f} s at best, median "
            f"{p50(self.took_s):.2f} s; PSS {min(self.pss_mb):.0f} MB",
            felt=FELT["start"],
        )


def compile_all() -> None:
    """As an installed hub is: compiled once, not at each start, whatever PYTHONDONTWRITEBYTECODE says here."""
    places = {Path(sysconfig.get_paths()["purelib"])}
    for package in ("roundtap", "roundtap_core", "roundtap_hub", "roundtap_machine"):
        found = find_spec(package)
        places |= {Path(place) for place in (found.submodule_search_locations or () if found else ())}
    for place in places:
        compileall.compile_dir(place, quiet=2)


def _starts(hall: Hall, core: int | None, times: int) -> Starts:
    starts = Starts()
    for _ in range(times):
        with HubProcess(hall, (), core) as hub:
            starts.took_s.append(hub.started_s)
            starts.cpu_s.append(hub.started_cpu_s)
            starts.rss_mb.append(hub.rss_mb())
            starts.pss_mb.append(hub.pss_mb())
    return starts


def _bare_start_cpu_s(core: int | None) -> float:
    """Seconds of processor until what the hub stands on is imported, best of 5."""
    on_core = ["taskset", "-c", str(core)] if core is not None else []
    cpu = []
    for _ in range(5):
        before = children_cpu_s()
        subprocess.run([*on_core, sys.executable, "-c", "import flask, uvicorn"], stdin=subprocess.DEVNULL, check=True)
        cpu.append(children_cpu_s() - before)
    return min(cpu)


def finished_events(database: Path, count: int, seed: int) -> int:
    """So many events, played to their end, with snapshots, in a fresh journal; the number of entries. One in
    PLAYED_EACH was played, the others are its copies: other ids, and so other hashes throughout."""
    rand = random.Random(seed)
    journal = Journal(f"sqlite:///{database}")
    service = Service(journal, system_clocks())
    service.start()
    service.execute(
        [
            Step(VENUE, NewEntry("unit-placed", {"unit": f"table-{table}", "table": table}))
            for table in range(1, PLAYERS // 2 + 1)
        ],
        "bench",
        timeout_s=60,
    )
    originals = [f"e{number}" for number in range(1, count + 1, PLAYED_EACH)]
    people = {event: _play(service, event, rand) for event in originals}
    service.stop()
    streams = journal.streams()
    total = 0
    for number in range(1, count + 1):
        event, original = f"e{number}", f"e{number - (number - 1) % PLAYED_EACH}"
        total += len(streams[original])
        copied: list[Entry] = []
        for old in streams[original] if event != original else ():
            copied.append(
                chain_entry(
                    NewEntry(old.kind, old.data, old.version),
                    event,
                    old.number,
                    copied[-1].hash if copied else GENESIS,
                    old.at,
                    old.actor,
                )
            )
        journal.append(copied, [replace(person, event=event) for person in people[original]])
        journal.event_snapshots.save(snapshot_event(read_event(journal, EventState(event))))
    journal.close()
    return total


def _play(service: Service, event: str, rand: random.Random) -> list[PersonRecord]:
    names = player_names(PLAYERS)
    people = [
        PersonRecord(event, f"p{i}", f"{rand.getrandbits(64):016x}", Person(name))
        for i, name in enumerate(names, start=1)
    ]
    service.execute(
        [
            Step(event, each)
            for each in (
                c.CreateEvent(
                    f"Friday night {event}",
                    "xwing-standard",
                    None,
                    {"structure": "own", "swiss_rounds": ROUNDS},
                    "#0072B2",
                    rand.getrandbits(48),
                ),
                *(c.EnterCompetitor(Entrant(p.competitor, p.person.digest(p.salt))) for p in people),
            )
        ],
        "bench",
        people,
        timeout_s=60,
    )
    for number in range(1, ROUNDS + 1):
        service.execute(
            [
                Step(event, c.DrawRound(rand.getrandbits(53))),
                Step(event, c.PublishRound(number, 1, noted="a benchmark")),
            ],
            "bench",
            timeout_s=60,
        )
        for match in service.snapshot.events[event].public_rounds[-1].matches:
            loser, won = rand.randrange(100), rand.random() < 0.5
            result = {"score": {"a": 100 if won else loser, "b": loser if won else 100}}
            reports = []
            for side in SIDES:
                name = f"{event}-{match.id}-{side}"
                reports.append(Step(event, c.RecordReport(name, match.id, side, 0, result, digest([name, result]))))
            made = service.execute(reports, f"unit:table-{match.match.table}", timeout_s=60)
            # Refused is recorded as well, and would end the bench only at the next draw, as a result that is missing.
            assert all(entry.data["fate"] == "accepted" for entry in made), made
    service.execute([Step(event, c.FinishEvent("the hall closes"))], "bench", timeout_s=60)
    return people


if __name__ == "__main__":
    alone(measure, __doc__)
