"""A hub's cold start: how long until it answers, and what it holds, with no event and with 50 finished ones.

    python tests/benchmarks/bench_start.py [--quick] [--nice N]

The 50 events (64 players, 6 rounds, two reports a match) are played through the service first. A hub may note on a
start or at an event's end what makes the next start short: the second start counts, the first one stands beside it.
"""

from __future__ import annotations

import random
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from rig.hub_process import Hall, HubProcess, bare_hall, keep_off_the_hub_s_core
from rig.table import Options, Row, alone, p50

from roundtap.kit.player_names import player_names
from roundtap_core.event import commands as c
from roundtap_core.event.person import Person
from roundtap_core.event.state import Entrant
from roundtap_core.wire import digest
from roundtap_hub.journal.clocks import system_clocks
from roundtap_hub.journal.journal import Journal, PersonRecord
from roundtap_hub.journal.service import Service, Step

EVENTS, PLAYERS, ROUNDS = 50, 64, 6
SETTLE_S = 5.0


def measure(options: Options, folder: Path) -> Iterator[Row]:
    core = keep_off_the_hub_s_core(options.nice)
    floor = _bare_start_s(core)
    yield from _starts(bare_hall(folder / "empty"), core, "empty", options.pick(5, 2), 0.7, None, floor)
    events = options.pick(EVENTS, 5)
    begin = time.monotonic()
    hall = bare_hall(folder / "years")
    entries = finished_events(hall.folder / "roundtap.db", events, options.seed)
    name = f"{events} finished events"
    print(f"  {name} made: {entries:,} entries, {time.monotonic() - begin:.0f} s", flush=True)
    with HubProcess(hall, (), core) as hub:
        yield Row(f"start, {name}, the very first, to the first answer", hub.started_s, "s",
                  note=f"CPU {hub.started_cpu_s:.2f} s, RSS {hub.rss_mb():.0f} MB")
        time.sleep(SETTLE_S)
    yield from _starts(hall, core, name, options.pick(3, 2), 1.0, 75, floor)


def _starts(hall: Hall, core: int | None, name: str, times: int, gate_s: float, gate_mb: float | None,
            floor: float) -> Iterator[Row]:
    took, cpu, rss, pss = [], [], [], []
    for _ in range(times):
        with HubProcess(hall, (), core) as hub:
            took.append(hub.started_s)
            cpu.append(hub.started_cpu_s)
            rss.append(hub.rss_mb())
            pss.append(hub.pss_mb())
    yield Row(f"start, {name}, to the first answer", min(took), "s", gate_s, floor, "python -c 'import flask, uvicorn'",
              note=f"best of {times}, median {p50(took):.2f} s; CPU {min(cpu):.2f} s at best")
    yield Row(f"start, {name}: RSS", min(rss), "MB", gate_mb, note=f"PSS {min(pss):.0f} MB")


def _bare_start_s(core: int | None) -> float:
    on_core = ["taskset", "-c", str(core)] if core is not None and shutil.which("taskset") else []
    taken = []
    for _ in range(5):
        begin = time.monotonic()
        subprocess.run([*on_core, sys.executable, "-c", "import flask, uvicorn"], stdin=subprocess.DEVNULL, check=True)
        taken.append(time.monotonic() - begin)
    return min(taken)


def finished_events(database: Path, count: int, seed: int) -> int:
    """Play so many events to their end into a fresh journal; the number of entries."""
    rand = random.Random(seed)
    journal = Journal(f"sqlite:///{database}")
    service = Service(journal, system_clocks())
    service.start()
    total = 0
    for number in range(1, count + 1):
        total += _play(service, f"e{number}", rand)
    service.stop()
    journal.close()
    return total


def _play(service: Service, event: str, rand: random.Random) -> int:
    names = player_names(PLAYERS)
    people = [PersonRecord(event, f"p{i}", f"{rand.getrandbits(64):016x}", Person(name))
              for i, name in enumerate(names, start=1)]
    made = len(service.ask([Step(event, each) for each in (
        c.CreateEvent(f"Friday night {event}", "xwing-standard", None,
                      {"structure": "own", "swiss_rounds": ROUNDS}, "#0072B2", rand.getrandbits(48)),
        *(c.EnterCompetitor(Entrant(p.competitor, p.person.digest(p.salt))) for p in people),
    )], "bench", people, timeout_s=60))
    for number in range(1, ROUNDS + 1):
        made += len(service.ask([Step(event, c.DrawRound(rand.getrandbits(53))),
                                 Step(event, c.PublishRound(number, 1, noted="a benchmark"))], "bench", timeout_s=60))
        reports = []
        for match in service.snapshot.events[event].public_rounds[-1].matches:
            loser, won = rand.randrange(100), rand.random() < 0.5
            result = {"score": {"a": 100 if won else loser, "b": loser if won else 100}}
            for side in ("a", "b"):
                name = f"{event}-{match.id}-{side}"
                reports.append(Step(event, c.Report(name, match.id, side, 0, result, digest([name, result]))))
        made += len(service.ask(reports, "unit:table-1", timeout_s=60))
    return made + len(service.ask([Step(event, c.FinishEvent())], "bench", timeout_s=60))


if __name__ == "__main__":
    alone(measure, __doc__)
