"""How long a round's draw takes, on clean and on ugly fields, in milliseconds of processor time.

    python tests/benchmarks/bench_pairing.py [--quick]

Floor: sorting by points and shuffling alone, in the same run. A "draw" is that of a field that is already known; a
"whole draw" is `draw_swiss_round` from the recorded tournament to numbered tables. The notes count repeats (there must
be none but in "all met") and how often each method was taken.
"""

import random
import time
from collections import Counter
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

from msgspec.structs import replace
from rig.table import Options, Row, alone, p50, p99

from roundtap_core.pairing.pairing_pool import DrawRandom, PairingPool
from roundtap_core.pairing.swiss_round import draw_round, draw_swiss_round
from roundtap_core.randomness import shuffle
from roundtap_core.records import Competitor, Result, Round, SidePair, Tournament

SINCE = "2026-11-26"
UGLY_GATE = 1.3
WHOLE_TIMES = 3

Gain = Callable[[random.Random], tuple[int, int]]
"""What a match gives its two sides."""

FELT = {"draw": "how long the hall waits for its pairings"}
UGLY = ("odd", "drops", "draws 3/1/0", "margins", "margins, all apart", "groups 3-10")
NAMES = ("clean", *UGLY, "all met")


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
        for i in order[: (size := rand.randint(low, high))]:
            points[i] = level
        order, level = order[size:], level - 1
    return PairingPool(field.ids, tuple(points), field.met, field.byes)


def all_met(size: int, but: int) -> PairingPool:
    """Everybody has met everybody, but for `but` pairs."""
    met = [set(range(size)) - {i} for i in range(size)]
    for i in range(but):
        met[2 * i].discard(2 * i + 1)
        met[2 * i + 1].discard(2 * i)
    return PairingPool(tuple(f"p{i}" for i in range(size)), tuple(i % 7 for i in range(size)), tuple(met), (0,) * size)


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
    elif name == "all met":
        for but in (0, 1, size // 4, size // 2):
            yield all_met(size, but)


def sort_and_shuffle(field: PairingPool) -> None:
    order = list(range(len(field.ids)))
    shuffle(order, random.Random(1).random)
    order.sort(key=field.points.__getitem__)


def timed(work: Callable[[], object]) -> float:
    """Milliseconds of this process's own time: on a busy machine, others lengthen it less than the clock's."""
    begin = time.process_time()
    work()
    return (time.process_time() - begin) * 1000


def draws_of(size: int, name: str, repeats: int) -> Row:
    took: list[float] = []
    plain: list[float] = []
    methods: Counter[str] = Counter()
    repeated = 0

    def draw(field: PairingPool, chance: DrawRandom) -> None:
        nonlocal repeated
        pairs, method = draw_round(field, range(len(field.ids)), chance, field.byes, 0)
        methods[method] += 1
        repeated += field.repeats(pairs)

    for seed in range(repeats):
        for number, field in enumerate(fields(size, name, random.Random(f"{size}/{name}/{seed}"))):
            plain.append(timed(partial(sort_and_shuffle, field)))
            took.append(timed(partial(draw, field, DrawRandom(seed, number, 1))))
    how = ", ".join(f"{count} {method}" for method, count in methods.items())
    return Row(
        f"draw of {size:,}, {name}, p50",
        p50(took),
        "ms",
        None,
        p50(plain),
        "sort + shuffle",
        note=f"p99 {p99(took):.2f} ms, worst {max(took):.2f} ms, {repeated} repeats; {how}",
        felt=FELT["draw"],
    )


def evening(size: int, rounds: int, dropping: float = 0) -> Iterator[Tournament]:
    """A tournament before each of so many rounds and after the last; so large a part drops after each round."""
    rand = random.Random(size)
    tournament = Tournament(
        "bench",
        "xwing-standard",
        options={"structure": "own", "swiss_rounds": rounds + 1},
        competitors=tuple(Competitor(f"p{i}", f"Player {i}", club=f"Club {i % 40}") for i in range(size)),
    )
    yield tournament
    for number in range(1, rounds + 1):
        matches = tuple(
            match
            if match.bye
            else replace(
                match,
                result=Result(
                    score=rand.choice((SidePair(100, rand.randrange(100)), SidePair(rand.randrange(100), 100)))
                ),
            )
            for match in draw_swiss_round(tournament).matches
        )
        tournament = replace(
            tournament,
            rounds=(*tournament.rounds, Round(number, matches=matches)),
            competitors=tuple(
                replace(each, dropped_after=number) if each.active and rand.random() < dropping else each
                for each in tournament.competitors
            ),
        )
        yield tournament


def whole_draws(size: int) -> Iterator[Row]:
    """Every round of a clean event and of ugly ones in turn, so that what slows the machine slows all of them."""
    rounds = (size - 1).bit_length()
    took: dict[str, float] = dict.fromkeys(("clean", "odd", "with drops"), 0.0)
    for events in zip(evening(size, rounds), evening(size - 1, rounds), evening(size, rounds, 0.05), strict=True):
        best = dict.fromkeys(took, float("inf"))
        for _ in range(WHOLE_TIMES):
            for name, event in zip(took, events, strict=True):
                best[name] = min(best[name], timed(partial(draw_swiss_round, event)))
        for name, ms in best.items():
            took[name] += ms
    clean = took.pop("clean")
    yield Row(f"whole draw of {size:,}, clean, mean", clean / (rounds + 1), "ms", felt=FELT["draw"])
    for name, ms in took.items():
        yield Row(
            f"whole draw of {size:,}, {name}, beside clean",
            ms / clean,
            "×",
            UGLY_GATE,
            1.0,
            "clean",
            since=SINCE,
            note=f"mean {ms / (rounds + 1):.1f} ms",
            felt=FELT["draw"],
        )


def measure(options: Options, folder: Path) -> Iterator[Row]:
    size = options.pick(512, 64)
    for name in NAMES:
        yield draws_of(size, name, options.pick(5, 1))
    yield from whole_draws(options.pick(2048, 256))


if __name__ == "__main__":
    alone(measure, __doc__)
