"""The campaign in small: an event under kills, freezes and a hostile network. The large one: run_campaign.py."""

from __future__ import annotations

from pathlib import Path

import pytest
from campaign import ChaosKit, meant_at, played_under_fire
from hostile_network import Faults
from ledger import Ledger


@pytest.mark.parametrize("seed", [1, 2])
def test_no_result_is_lost_doubled_or_another_than_was_shown(tmp_path: Path, seed: int) -> None:
    kit = ChaosKit(tmp_path, tables=3, players=6, seed=seed)
    try:
        totals = played_under_fire(kit, seed, rounds=2, kills=8, pause_s=(0.3, 1.2), faults=Faults(late_s=1.0))
        ledger = Ledger(kit.hub_folder, kit.event)
        assert ledger.faults(kit.memories, meant_at(kit.pairs[1])) == []
        assert len(ledger.matches()) == 6
        assert sum(totals.done[what] for what in ("kills of the hub", "kills of units")) >= 3
    finally:
        kit.stop()
