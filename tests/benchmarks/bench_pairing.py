"""How long a round's draw takes, on clean and on ugly fields: median, 99th percentile and worst, in milliseconds.

    python tests/benchmarks/bench_pairing.py [--full] [--cpu] [--sizes N …] [--fields NAME …]

"ratio" compares with sorting by points and shuffling alone, measured in the same run. "draw" is the draw of a field
that is already known; "whole" is `draw_swiss_round` from the recorded tournament to numbered tables; "roundtap …" is
the whole process, from its start to the JSON, on an event file with 9 recorded rounds. It also counts repeats (there
must be none but in "all met") and how often each method was taken.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator

from msgspec.structs import replace

from roundtap.kit.child_processes import exit_on_signals
from roundtap_core.eventfile.write import tournament_to_json
from roundtap_core.pairing.pairing_pool import DrawRandom, PairingPool
from roundtap_core.pairing.swiss_round import draw_round, draw_swiss_round
from roundtap_core.randomness import shuffle
from roundtap_core.records import Competitor, Match, Result, Round, SidePair, Tournament

Gain = Callable[[random.Random], tuple[int, int]]
"""What a match gives its two sides."""


class History:
    """A tournament under way: points and opponents, as plain numbers."""

    def __init__(self, size: int) -> None:
        self.points = [0] * size
        self.met: list[set[int]] = [set() for _ in range(size)]
        self.byes = [0] * size
        self.active = list(range(size))

    def field(self) -> PairingPool:
        place = {member: i for i, member in enumerate(self.active)}
        return PairingPool(
            tuple(f"p{member}" for member in self.active),
            tuple(self.points[member] for member in self.active),
            tuple({place[x] for x in self.met[member] if x in place} for member in self.active),
            tuple(self.byes[member] for member in self.active),
        )

    def play(self, pairs: list[tuple[int, int]], gain: Gain, rand: random.Random) -> None:
        for x, y in pairs:
            a, b = self.active[x], self.active[y]
            self.met[a].add(b)
            self.met[b].add(a)
            for side, points in zip((a, b), gain(rand), strict=True):
                self.points[side] += points


def rounds_of(size: int, rounds: int, gain: Gain, rand: random.Random, dropping: float = 0) -> Iterator[PairingPool]:
    """Fields of a tournament that this very pairing draws, each before it is drawn."""
    history = History(size)
    for number in range(1, rounds + 1):
        if dropping and number > 1:
            history.active = [m for m in history.active if rand.random() > dropping]
        if len(history.active) % 2:
            out = min(history.active, key=lambda m: (history.byes[m], history.points[m]))
            history.byes[out] += 1
            history.points[out] += 1
            history.active.remove(out)
            field = history.field()
        else:
            out = None
            field = history.field()
        if number > 1:
            yield field
        history.play(draw_round(field, range(len(field.ids)), DrawRandom(1, number, 1), field.byes, 0)[0], gain, rand)
        if out is not None:
            history.active.append(out)
            history.active.sort()


def win(rand: random.Random) -> tuple[int, int]:
    return rand.choice(((1, 0), (0, 1)))


def draws(rand: random.Random) -> tuple[int, int]:
    """3 / 1 / 0: a third of the matches is drawn."""
    return rand.choice(((3, 0), (1, 1), (0, 3)))


def margin(rand: random.Random) -> tuple[int, int]:
    """100 ± the difference of two scores: a player or two on every number of points."""
    difference = rand.randint(-100, 100)
    return 100 + difference, 100 - difference


def apart(rand: random.Random) -> tuple[int, int]:
    """Figures so large that hardly two players ever have the same."""
    difference = rand.randint(-999_983, 999_983)
    return 1_000_000 + difference, 1_000_000 - difference


def regrouped(field: PairingPool, low: int, high: int, rand: random.Random) -> PairingPool:
    """The same history, the points in groups of `low` to `high` members."""
    points = [0] * len(field.ids)
    order = sorted(range(len(field.ids)), key=lambda i: -field.points[i])
    level = len(order)
    while order:
        for i in order[:(size := rand.randint(low, high))]:
            points[i] = level
        order, level = order[size:], level - 1
    return PairingPool(field.ids, tuple(points), field.met, field.byes)


def dense(size: int, rounds: int, rand: random.Random) -> PairingPool:
    """Everybody has met the `rounds` nearest others (on a circle), and nobody else."""
    points = sorted((sum(rand.random() < 0.5 for _ in range(rounds)) for _ in range(size)), reverse=True)
    met: list[set[int]] = [set() for _ in range(size)]
    for i in range(size):
        for step in range(1, rounds // 2 + 1):
            met[i].add((i + step) % size)
            met[(i + step) % size].add(i)
    return PairingPool(tuple(f"p{i}" for i in range(size)), tuple(points), tuple(met), (0,) * size)


def distinct(field: PairingPool) -> PairingPool:
    return PairingPool(field.ids, tuple(range(len(field.ids), 0, -1)), field.met, field.byes)


def all_met(size: int, but: int) -> PairingPool:
    """Everybody has met everybody, but for `but` pairs."""
    met = [set(range(size)) - {i} for i in range(size)]
    for i in range(but):
        met[2 * i].discard(2 * i + 1)
        met[2 * i + 1].discard(2 * i)
    return PairingPool(tuple(f"p{i}" for i in range(size)), tuple(i % 7 for i in range(size)), tuple(met), (0,) * size)


def clique_on_top(size: int, top: int, rounds: int, rand: random.Random) -> PairingPool:
    """The top group has met each other; the rest has a few rounds behind it."""
    *_, field = rounds_of(size, rounds, win, rand)
    met = [set(opponents) for opponents in field.met]
    for i in range(top):
        met[i] |= set(range(top)) - {i}
    points = tuple(99 if i < top else p for i, p in enumerate(field.points))
    return PairingPool(field.ids, points, tuple(met), field.byes)


def fields(size: int, name: str, rand: random.Random) -> Iterator[PairingPool]:
    rounds = (size - 1).bit_length()
    if name == "clean":
        yield from rounds_of(size, rounds, win, rand)
    elif name == "odd":
        yield from rounds_of(size - 1, rounds, win, rand)
    elif name == "drops":
        yield from rounds_of(size, rounds + 3, win, rand, dropping=0.05)
    elif name == "draws 3/1/0":
        yield from rounds_of(size, rounds, draws, rand)
    elif name == "margins":
        yield from rounds_of(size, rounds, margin, rand)
    elif name == "margins, all apart":
        yield from rounds_of(size, rounds, apart, rand)
    elif name == "groups 3-10":
        for field in rounds_of(size, rounds, win, rand):
            yield regrouped(field, 3, 10, rand)
    elif name == "60 rounds, win/loss":
        yield from list(rounds_of(size, 60, win, rand))[-12:]
    elif name == "60 rounds, margins":
        yield from list(rounds_of(size, 60, margin, rand))[-12:]
    elif name == "60 rounds, groups 3-10":
        for field in list(rounds_of(size, 60, win, rand))[-6:]:
            yield regrouped(field, 3, 10, rand)
    elif name == "60 neighbours met":
        for _ in range(3):
            field = dense(size, 60, rand)
            yield field
            yield distinct(field)
            yield regrouped(field, 3, 10, rand)
    elif name == "cliques on top":
        for top in (3, 7, 33, size // 4, size // 2):
            yield clique_on_top(size, top, 5, rand)
    elif name == "all met":
        for but in (0, 1, size // 4, size // 2):
            yield all_met(size, but)


UGLY = ("odd", "drops", "draws 3/1/0", "margins", "margins, all apart", "groups 3-10")
NAMES = ("clean", *UGLY, "60 rounds, win/loss", "60 rounds, margins",
         "60 rounds, groups 3-10", "60 neighbours met", "cliques on top", "all met")


def sort_and_shuffle(field: PairingPool) -> None:
    order = list(range(len(field.ids)))
    shuffle(order, random.Random(1).random)
    order.sort(key=field.points.__getitem__)


clock = time.perf_counter


def timed(work: Callable[[], object]) -> tuple[float, object]:
    begin = clock()
    found = work()
    return (clock() - begin) * 1000, found


def measure_draws(size: int, name: str, repeats: int) -> None:
    took_all, plain = [], []
    methods: Counter[str] = Counter()
    repeated = 0
    for seed in range(repeats):
        for number, field in enumerate(fields(size, name, random.Random(f"{size}/{name}/{seed}"))):
            plain.append(timed(lambda field=field: sort_and_shuffle(field))[0])
            members = range(len(field.ids))
            chance = DrawRandom(seed, number, 1)
            took, (pairs, method) = timed(
                lambda field=field, members=members, chance=chance: draw_round(field, members, chance, field.byes, 0)
            )
            took_all.append(took)
            methods[method] += 1
            repeated += field.repeats(pairs)
    took_all.sort()
    plain.sort()
    median, worst = took_all[len(took_all) // 2], took_all[-1]
    print(f"{size:6} {name:24} {len(took_all):5} {median:9.3f} {took_all[int(len(took_all) * 0.99)]:9.2f} {worst:9.2f} "
          f"{median / plain[len(plain) // 2]:7.1f} {repeated:8}  {dict(methods)}", flush=True)


def played(size: int, rounds: int, times: list[float]) -> Tournament:
    """A tournament of `rounds` rounds; `times` receives what each `draw_swiss_round` took, in milliseconds."""
    rand = random.Random(size)
    tournament = Tournament(
        "bench", "xwing-standard", options={"structure": "own", "swiss_rounds": rounds + 1},
        competitors=tuple(Competitor(f"p{i}", f"Player {i}", club=f"Club {i % 40}") for i in range(size)))
    for _ in range(rounds):
        took, pairing = timed(lambda event=tournament: draw_swiss_round(event))
        times.append(took)
        matches = tuple(
            match if match.bye else Match(match.a, match.b, match.table, result=Result(
                score=rand.choice((SidePair(100, rand.randrange(100)), SidePair(rand.randrange(100), 100)))))
            for match in pairing.matches)
        tournament = replace(tournament, rounds=(*tournament.rounds, Round(pairing.number, matches=matches)))
    return tournament


def report_times(size: int, name: str, times: list[float]) -> None:
    times.sort()
    median, late, worst = times[len(times) // 2], times[int(len(times) * 0.99)], times[-1]
    print(f"{size:6} {name:24} {len(times):5} {median:9.3f} {late:9.2f} {worst:9.2f}", flush=True)


def measure_whole(size: int) -> None:
    """`draw_swiss_round` round by round, from the tournament as recorded."""
    times: list[float] = []
    played(size, (size - 1).bit_length(), times)
    report_times(size, "whole draw_swiss_round", times)


def measure_commands(size: int, repeats: int) -> None:
    """Whole processes; "cpu" is the processor time they took, which a busy machine lengthens less."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "event.json")
        with open(path, "w", encoding="utf-8") as file:
            json.dump(tournament_to_json(played(size, 9, [])), file, ensure_ascii=False)
        for command in ("pair", "standings"):
            words = [sys.executable, "-m", "roundtap.main", command, path]
            times, cpu = [], []
            for _ in range(repeats):
                before = os.times()
                begin = time.perf_counter()
                subprocess.run(words, stdout=subprocess.DEVNULL, check=True)
                times.append(1000 * (time.perf_counter() - begin))
                after = os.times()
                cpu.append(1000 * (after.children_user - before.children_user
                                   + after.children_system - before.children_system))
            report_times(size, f"roundtap {command}", times)
            report_times(size, f"roundtap {command}, cpu", cpu)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--full", action="store_true", help="also 2,048 and 5,000 competitors, clean and ugly")
    parser.add_argument("--fields", nargs="*", default=NAMES, choices=NAMES)
    parser.add_argument("--sizes", nargs="*", type=int, default=[64, 512])
    parser.add_argument("--cpu", action="store_true", help="this process's processor time: for a busy machine")
    # The other benchmarks' options come here too.
    chosen, _ = parser.parse_known_args()
    exit_on_signals()
    if chosen.cpu:
        globals()["clock"] = time.process_time
    print("  size field                    draws    median       p99     worst   ratio  repeats  methods")
    for size in chosen.sizes:
        for name in chosen.fields:
            if size > 61 or "60" not in name:
                measure_draws(size, name, 20 if name in ("clean", "odd") else 3)
        measure_whole(size)
    if chosen.full:
        for size in (2048, 5000):
            for name in ("clean", *UGLY):
                if name in chosen.fields:
                    measure_draws(size, name, 5 if size < 5000 else 2)
            measure_whole(size)
        measure_commands(2048, 9)


if __name__ == "__main__":
    main()
