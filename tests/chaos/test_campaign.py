"""Events under kills, freezes and a hostile network, with all disasters."""

from collections.abc import Callable
from pathlib import Path

import pytest
from campaign import ChaosKit, Disaster, meant_at, played_under_fire
from disasters import DeadCard, SecondPi, StandbyChaosKit
from hostile_network import Faults
from ledger import Ledger

STROKES = ("kills of the hub", "kills of units", "freezes", "cuts of every connection")
FEW = Faults(reset=0.1, cut=0.05, twice=0.1, late=0.1, portal=0.02, silent=0.0, late_s=0.5)
LATE = Faults(late_s=1.0)

pytestmark = pytest.mark.long

Play = Callable[..., None]


@pytest.fixture
def play(tmp_path: Path) -> Play:
    """Play an event, and look for everything that is lost, doubled, or another than was shown."""

    def play(
        seed: int,
        tables: int,
        rounds: int,
        strokes: int,
        faults: Faults,
        disaster: Callable[[ChaosKit], Disaster] | None = None,
        make: type[ChaosKit] = ChaosKit,
    ) -> None:
        kit = make(tmp_path, tables=tables, players=2 * tables, seed=seed, corrections=disaster is None)
        try:
            kit.start_hub()
            if isinstance(kit, StandbyChaosKit):
                kit.start_standby()
            totals = played_under_fire(kit, seed, rounds, strokes, (0.1, 1.2), faults, disaster and disaster(kit))
            ledger = Ledger(kit.hub_folder, kit.event)
            assert ledger.faults(kit.memories, meant_at(kit.pairs[1]), renumbered=disaster is not None) == []
            if disaster is None:
                assert ledger.request_faults(kit.memories) == []
            print(totals.line())
            assert len(ledger.matches()) == rounds * tables
            assert sum(totals.done[stroke] for stroke in STROKES) == strokes
        finally:
            kit.stop()

    return play


@pytest.mark.parametrize(
    ("seed", "tables", "rounds", "strokes", "faults"),
    [
        (1, 3, 2, 8, LATE),
        (2, 3, 2, 8, LATE),
        (3, 4, 3, 40, Faults()),
    ],
)
def test_no_result_is_lost_doubled_or_another_than_was_shown(
    play: Play, seed: int, tables: int, rounds: int, strokes: int, faults: Faults
) -> None:
    play(seed, tables, rounds, strokes, faults)


@pytest.mark.parametrize(
    ("seed", "tables", "rounds", "strokes", "faults"),
    [
        (5, 2, 2, 0, FEW),
        (5, 3, 3, 4, FEW),
        (4, 4, 3, 40, Faults()),
    ],
)
def test_a_round_that_died_with_its_card_comes_back_from_the_tables(
    play: Play, seed: int, tables: int, rounds: int, strokes: int, faults: Faults
) -> None:
    """The hub's card dies between backups."""
    play(seed, tables, rounds, strokes, faults, lambda kit: DeadCard(kit, 2))


@pytest.mark.parametrize(
    ("seed", "tables", "rounds", "strokes", "faults"),
    [
        (6, 2, 1, 0, FEW),
        (6, 3, 2, 4, FEW),
        (8, 4, 3, 40, Faults()),
    ],
)
def test_a_second_pi_goes_on_with_everything_that_was_saved(
    play: Play, seed: int, tables: int, rounds: int, strokes: int, faults: Faults
) -> None:
    """It takes over in mid-round."""
    play(seed, tables, rounds, strokes, faults, lambda _: SecondPi(1 if rounds < 3 else 2), StandbyChaosKit)
