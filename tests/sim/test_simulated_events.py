"""Random events of every rulebook: the independent checker finds nothing wrong with any round."""

from __future__ import annotations

import json
from collections import Counter

import pytest
from checker.books import BOOKS
from desk import DIRTY, play_at_desk
from simulator import play

# Small fields and few events: `python tests/sim/run.py` plays thousands, and large ones.
EVENTS = 40


@pytest.mark.parametrize("rulebook", BOOKS)
def test_random_events_agree_with_the_checker_in_every_round(rulebook: str) -> None:
    for seed in range(EVENTS):
        played = play(rulebook, seed)
        assert not played.wrong, "\n".join([f"{rulebook}, seed {seed}", *played.wrong, json.dumps(played.event)])


def test_the_simulator_reaches_every_part_of_an_event() -> None:
    """Were a kind of round never played, nothing would be known about it."""
    seen = sum((play("warlords-of-terra", seed).seen for seed in range(EVENTS // 2)), start=Counter())
    assert {"swiss rounds", "elimination rounds", "tiebreak rounds"} <= set(seen)


def test_the_same_seed_plays_the_same_event() -> None:
    assert play("shatterpoint-premier", 5).event == play("shatterpoint-premier", 5).event


@pytest.mark.parametrize("rulebook", BOOKS)
def test_events_with_dirty_endings_agree_with_the_checker_and_with_what_was_said(rulebook: str) -> None:
    for seed in range(EVENTS // 2):
        played = play_at_desk(rulebook, seed)
        assert not played.wrong, "\n".join([f"{rulebook}, seed {seed}", *played.wrong, json.dumps(played.event)])


def test_every_dirty_ending_comes_up() -> None:
    seen = sum((play_at_desk("xwing-standard", seed).seen for seed in range(EVENTS)), start=Counter())
    assert {*DIRTY, "passed over", "offers", "returns"} <= set(seen)
