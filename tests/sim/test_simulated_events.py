"""Random events of every rulebook: the independent checker finds nothing wrong with any round."""

import json
from collections import Counter
from random import Random

import pytest
from checker.books import BOOKS
from desk import DIRTY, play_at_desk
from many_events import play_many
from simulator import play

EVENTS, MANY = 20, 400
"""Few events of small fields; many and large ones are marked `long`; `python tests/sim/run.py` plays more still."""


@pytest.mark.parametrize("rulebook", BOOKS)
def test_random_events_agree_with_the_checker_in_every_round(rulebook: str) -> None:
    for seed in range(EVENTS // 5):
        played = play(rulebook, seed)
        assert not played.wrong, "\n".join([f"{rulebook}, seed {seed}", *played.wrong, json.dumps(played.event)])


def test_the_simulator_reaches_every_part_of_an_event() -> None:
    """Were a kind of round never played, nothing would be known about it."""
    seen = sum((play("warlords-of-terra", seed).seen for seed in range(EVENTS)), start=Counter())
    assert {"swiss rounds", "elimination rounds", "tiebreak rounds"} <= set(seen)


def test_the_same_seed_plays_the_same_event() -> None:
    assert play("shatterpoint-premier", 5).event == play("shatterpoint-premier", 5).event


@pytest.mark.parametrize("rulebook", BOOKS)
def test_events_with_dirty_endings_agree_with_the_checker_and_with_what_was_said(rulebook: str) -> None:
    for seed in range(EVENTS // 5):
        played = play_at_desk(rulebook, seed)
        assert not played.wrong, "\n".join([f"{rulebook}, seed {seed}", *played.wrong, json.dumps(played.event)])


@pytest.mark.parametrize(
    ("rulebook", "seed"),
    [
        pytest.param("warlords-of-terra", 46, id="ended with an open tie, exported and read again"),
        pytest.param("warlords-of-terra", 20261330, id="disqualified after the tie-break rounds of the cut"),
    ],
)
def test_events_on_which_checker_and_core_once_disagreed(rulebook: str, seed: int) -> None:
    [(_, played)] = play_many(rulebook, [seed])
    assert not played.wrong, "\n".join([f"{rulebook}, seed {seed}", *played.wrong, json.dumps(played.event)])


@pytest.mark.long
def test_every_dirty_ending_comes_up() -> None:
    seen = sum((play_at_desk("xwing-standard", seed).seen for seed in range(2 * EVENTS)), start=Counter())
    assert {*DIRTY, "passed over", "offers", "returns"} <= set(seen)


@pytest.mark.long
@pytest.mark.parametrize("rulebook", BOOKS)
def test_many_events_and_large_ones_agree_with_the_checker(rulebook: str, chance: Random) -> None:
    first = chance.randrange(10**6)
    for seed, played in play_many(rulebook, range(first, first + MANY)):
        assert not played.wrong, "\n".join([f"{rulebook}, seed {seed}", *played.wrong, json.dumps(played.event)])
