"""Whole events of a store's own games, told at table, phone, console and typed line, against the calculation."""

from collections import Counter
from pathlib import Path

import pytest
from pages_kit import open_house
from whole_event import EXAMPLES, WholeEvent

FEW, MANY = 2, 200


def played(name: str, seeds: range, folder: Path) -> Counter[str]:
    """How often what was done; nothing may differ."""
    counts: Counter[str] = Counter()
    for seed in seeds:
        at = folder / str(seed)
        at.mkdir()
        with open_house(at) as house:
            event = WholeEvent(house, name, seed)
            assert event.play() == [], f"{name}, seed {seed}"
            counts += event.hall.counts
    print(name, len(seeds), "events", dict(sorted(counts.items())))
    return counts


@pytest.mark.parametrize("name", EXAMPLES)
def test_a_few_events(name: str, tmp_path: Path) -> None:
    played(name, range(FEW), tmp_path)


@pytest.mark.long
@pytest.mark.parametrize("name", EXAMPLES)
def test_many_events(name: str, tmp_path: Path) -> None:
    counts = played(name, range(MANY), tmp_path)
    assert all(counts[front] > MANY for front in ("table", "phone", "console", "line"))
