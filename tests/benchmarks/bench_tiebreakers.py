"""How long each way of breaking ties takes, with its parameters, beside strength of schedule in the same run.

    python tests/benchmarks/bench_tiebreakers.py [--quick]

A store's own game of best of three, 512 players and nine rounds, a ninth of the matches drawn. Each figure is the best
of several, and strength of schedule is timed in turn with every way, so that what slows the machine slows both.
"""

import random
from collections.abc import Iterator
from functools import partial
from pathlib import Path

from bench_pairing import timed
from msgspec.structs import replace
from rig.table import Options, Row, alone

from roundtap_core.records import Competitor, Match, Result, Round, SidePair, Tournament
from roundtap_core.rulebooks.own_rules import read_rules, rules_id, rules_json
from roundtap_core.rulebooks.registry import book_of
from roundtap_core.rulebooks.scoring import SOS
from roundtap_core.standings.tiebreakers import TiebreakInput, tiebreak_values
from roundtap_core.standings.totals import swiss_totals

SINCE = "2026-11-29"
GATE = 1.7
PLAYERS, ROUNDS, TIMES = 512, 9, 15
RULES = """format = "roundtap-rules/1"
name = "Bench"
[match]
report = "games"
best_of = 3
draws = "any_time"
[points]
win = 3
draw = 1
"""
WAYS = (
    ("opponents_match_win", "floor = 33"),
    ("opponents_match_win", 'counts = "half_draws"\nfloor = 25\ndropped_ceiling = 75'),
    ("opponents_opponents_match_win", "floor = 33\ndropped_ceiling = 75"),
    ("match_win", "floor = 33"),
    ("game_win", "floor = 33"),
    ("opponents_game_win", "floor = 33"),
    ("opponents_points", ""),
    ("opponents_points", "cut_lowest = 1\ncut_highest = 1"),
    ("sonneborn_berger", ""),
    ("extended_sos", ""),
    ("cumulative", "decay = 2"),
    ("opponents_cumulative", "decay = 2"),
    ("own", 'of = "score"'),
    ("difference", 'of = "score"\nbase = 100'),
    ("against", 'of = "score"'),
    ("opponents_own", 'of = "score"'),
    ("wins", ""),
    ("fewest_losses", ""),
    ("opponents_fewest_losses", ""),
)
"""Every way but those that compare the tied alone, with its dearest parameters."""

SCORES = (*[SidePair(2, 0), SidePair(2, 1), SidePair(1, 2), SidePair(0, 2)] * 2, SidePair(1, 1))


def evening(by: str, parameters: str, players: int) -> Tournament:
    """An event that breaks its ties by this way, all rounds played, a twentieth of the players gone."""
    rules, faults, _ = read_rules(f'{RULES}[[tiebreakers]]\nby = "{by}"\n{parameters}\n')
    assert rules is not None, [fault.say() for fault in faults]
    rand = random.Random(1)
    people = tuple(
        Competitor(f"p{n}", f"Player {n}", dropped_after=rand.choice((4, 6)) if n % 20 == 0 else None)
        for n in range(players)
    )
    made = Tournament(
        "bench",
        rules_id(rules),
        options={"structure": "own", "swiss_rounds": ROUNDS},
        competitors=people,
        rules=rules_json(rules),
    )
    ids = [each.id for each in people]
    rounds = []
    for number in range(1, ROUNDS + 1):
        rand.shuffle(ids)
        pairs = zip(ids[::2], ids[1::2], strict=True)
        rounds.append(
            Round(number, matches=tuple(Match(a, b, result=Result(score=rand.choice(SCORES))) for a, b in pairs))
        )
    return replace(made, rounds=tuple(rounds))


def beside_schedule(by: str, parameters: str, players: int, times: int) -> Row:
    event = evening(by, parameters, players)
    basis, ids = TiebreakInput(event, None, swiss_totals(event)), [each.id for each in event.competitors]
    best = dict.fromkeys((book_of(event).tiebreakers[0], SOS), float("inf"))
    for _ in range(times):
        for way in best:
            best[way] = min(best[way], timed(partial(tiebreak_values, way, basis, ids)))
    took, schedule = best.values()
    said = ", ".join(parameters.replace('"', "").replace(" = ", " ").split("\n"))
    return Row(
        f"{' '.join(filter(None, (by, said)))}, {players} players, beside sos",
        took / schedule,
        "×",
        GATE,
        1.0,
        "sos",
        since=SINCE,
        note=f"{took:.2f} ms, sos {schedule:.2f} ms, best of {times}",
    )


def measure(options: Options, folder: Path) -> Iterator[Row]:
    for by, parameters in WAYS:
        yield beside_schedule(by, parameters, options.pick(PLAYERS, 32), options.pick(TIMES, 2))


if __name__ == "__main__":
    alone(measure, __doc__)
