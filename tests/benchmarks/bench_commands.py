"""`roundtap standings` and `roundtap pair` of 2,048 players after 9 rounds: whole processes, from start to JSON.

    python tests/benchmarks/bench_commands.py [--quick] [--nice N]

Floor: a Python that reads the same file and does nothing with it.
"""

import json
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from bench_pairing import evening
from rig.floors import children_cpu_s
from rig.hub_process import keep_off_the_hub_s_core
from rig.table import Options, Row, alone, p50

from roundtap_core.eventfile.exports import tournament_to_json

ROUNDS = 9
FLOORS_MAX = 4
FELT = {
    "roundtap standings, roundtap pair": "how long a laptop without a hub takes",
}


def measure(options: Options, folder: Path) -> Iterator[Row]:
    keep_off_the_hub_s_core(options.nice)
    players, times = options.pick(2048, 256), options.pick(9, 3)
    path = folder / "event.json"
    *_, event = evening(players, ROUNDS)
    path.write_text(json.dumps(tournament_to_json(event), ensure_ascii=False))
    _, floor = _timed([sys.executable, "-c", "import json, sys; json.load(open(sys.argv[1]))", str(path)], times)
    for command in ("standings", "pair"):
        took, cpu = _timed([sys.executable, "-m", "roundtap.main", command, str(path)], times)
        yield Row(
            f"roundtap {command}, {players:,} × {ROUNDS}: CPU",
            min(cpu),
            "s",
            FLOORS_MAX * min(floor),
            min(floor),
            "python reads the file",
            since="2026-11-30",
            note=f"best of {times}, median {p50(cpu):.3f} s; by the clock {min(took):.3f} s at best, median "
            f"{p50(took):.3f} s",
            felt=FELT["roundtap standings, roundtap pair"],
        )


def _timed(words: list[str], times: int) -> tuple[list[float], list[float]]:
    """Seconds by the clock and of processor time, of each run."""
    took, cpu = [], []
    for _ in range(times + 1):
        before, begin = children_cpu_s(), time.monotonic()
        subprocess.run(words, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, check=True)
        took.append(time.monotonic() - begin)
        cpu.append(children_cpu_s() - before)
    # The first one may still have had to compile.
    return took[1:], cpu[1:]


if __name__ == "__main__":
    alone(measure, __doc__)
