"""A card that dies between backups, and a second Pi that takes over, in mid-round and under a hostile network."""

from __future__ import annotations

from pathlib import Path

from campaign import ChaosKit, meant_at, played_under_fire
from disasters import DeadCard, SecondPi, StandbyChaosKit
from hostile_network import Faults
from ledger import Ledger

FEW = Faults(reset=0.1, cut=0.05, twice=0.1, late=0.1, portal=0.02, silent=0.0, late_s=0.5)


def test_a_round_that_died_with_its_card_comes_back_from_the_tables(tmp_path: Path) -> None:
    kit = ChaosKit(tmp_path, tables=3, players=6, seed=5, corrections=False)
    try:
        played_under_fire(kit, 5, rounds=3, kills=4, pause_s=(0.5, 2.0), faults=FEW, disaster=DeadCard(kit, 2))
        ledger = Ledger(kit.hub_folder, kit.event)
        assert ledger.faults(kit.memories, meant_at(kit.pairs[1]), renumbered=True) == []
        assert len(ledger.matches()) == 9
    finally:
        kit.stop()


def test_a_second_pi_goes_on_with_everything_that_was_saved(tmp_path: Path) -> None:
    kit = StandbyChaosKit(tmp_path, tables=3, players=6, seed=6, corrections=False)
    try:
        kit.start_hub()
        kit.start_standby()
        played_under_fire(kit, 6, rounds=2, kills=4, pause_s=(0.5, 2.0), faults=FEW, disaster=SecondPi(1))
        ledger = Ledger(kit.hub_folder, kit.event)
        assert ledger.faults(kit.memories, meant_at(kit.pairs[1]), renumbered=True) == []
        assert len(ledger.matches()) == 6
    finally:
        kit.stop()
