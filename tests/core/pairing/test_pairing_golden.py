"""Draws as they have always been: whoever replays a recorded seed must find the same round, in any later version."""

import hashlib
import random

import pytest
from msgspec.structs import replace

from roundtap_core.pairing.pairing_pool import DrawRandom, PairingPool
from roundtap_core.pairing.swiss_round import draw_round, draw_swiss_round
from roundtap_core.records import Competitor, Match, Result, Round, SidePair, Tournament

SEED = 20261120


def evening(names: str, rounds: int) -> list[str]:
    """The rounds of an event in which the alphabetically first of each match wins, as "method AB CD …"."""
    people = tuple(Competitor(name, name) for name in names)
    tournament = Tournament(
        "Winter Open",
        "xwing-standard",
        seed=SEED,
        competitors=people,
        options={"structure": "own", "swiss_rounds": rounds},
    )
    drawn = []
    for number in range(1, rounds + 1):
        pairing = draw_swiss_round(tournament)
        drawn.append(" ".join([pairing.draw.method, *(f"{match.a}{match.b or ''}" for match in pairing.matches)]))
        played = tuple(match if match.bye else _won_by_the_first(match) for match in pairing.matches)
        tournament = replace(tournament, rounds=(*tournament.rounds, Round(number, matches=played, draw=pairing.draw)))
    return drawn


def _won_by_the_first(match: Match) -> Match:
    assert match.b is not None
    score = SidePair(100, ord(match.a) - 60) if match.a < match.b else SidePair(ord(match.b) - 60, 100)
    return replace(match, result=Result(score=score))


def test_a_small_evening() -> None:
    assert evening("ABCDEFG", 3) == [
        "ideal BC FA DG E",
        "enumerated AE BD CG F",
        "enumerated AB CE DF G",
    ]


def test_a_larger_evening() -> None:
    assert evening("ABCDEFGHIJKLMNOP", 4) == [
        "ideal AI EM HG KC OL NF DB JP",
        "ideal EB LC AJ FG IH PK ON MD",
        "ideal FA CB EN JL KG DH PM OI",
        "ideal BA CG DF JE HM KI LN PO",
    ]


def history(size: int, rounds: int) -> PairingPool:
    """Neighbours in the standings meet, unless they have met: drawn here, so that it depends on nothing tested."""
    rand = random.Random(f"{size}/{rounds}")
    points = [0] * size
    met: list[set[int]] = [set() for _ in range(size)]
    for _ in range(rounds):
        order = list(range(size))
        rand.shuffle(order)
        order.sort(key=lambda i: -points[i])
        while order:
            a = order.pop(0)
            b = order.pop(next((k for k, x in enumerate(order) if x not in met[a]), 0))
            met[a].add(b)
            met[b].add(a)
            points[rand.choice((a, b))] += 1
    return PairingPool(tuple(f"p{i}" for i in range(size)), tuple(points), tuple(met), (0,) * size)


@pytest.mark.parametrize(
    ("size", "rounds", "method", "digest"),
    [
        (10, 3, "enumerated", "f633fa6033e338f9"),
        (64, 3, "ideal", "979e341bf75ff739"),
        (300, 6, "ideal", "780d3042aadd1929"),
        (1000, 8, "ideal", "5db83b07f1571e87"),
    ],
)
def test_whole_fields(size: int, rounds: int, method: str, digest: str) -> None:
    field = history(size, rounds)
    pairs, way = draw_round(field, range(size), DrawRandom(SEED, rounds + 1, 1), field.byes, 0)
    assert (way, hashlib.sha256(repr(pairs).encode()).hexdigest()[:16]) == (method, digest)
