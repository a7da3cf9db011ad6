"""The power goes at any write: what the hub has promised is there, and it starts; so with a unit. Needs strace."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from block_cuts import Call, File, calls
from cut_play import Recorded, lost_at_hub, lost_at_unit

needs_strace = pytest.mark.skipif(shutil.which("strace") is None, reason="no strace (apt install strace)")


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Recorded:
    return Recorded(tmp_path_factory.mktemp("cut"), seed=3)


@needs_strace
def test_a_hub_starts_after_every_cut_with_all_that_it_promised(recorded: Recorded, tmp_path: Path) -> None:
    cuts = list(recorded.hub_cuts(seed=1, every=2))
    assert len(cuts) > 20
    assert len(cuts[-1][1]) >= 4
    for number, (files, promised) in enumerate(cuts):
        folder = tmp_path / str(number)
        folder.mkdir()
        assert lost_at_hub(files, promised, folder, recorded.kit.event) == [], f"cut {number}"


@needs_strace
def test_a_unit_keeps_after_every_cut_what_it_has_sent(recorded: Recorded, tmp_path: Path) -> None:
    cuts = list(recorded.unit_cuts(seed=1))
    assert cuts[-1][1]
    for number, (files, promised) in enumerate(cuts):
        folder = tmp_path / str(number)
        folder.mkdir()
        assert lost_at_unit(files, promised, folder) == [], f"cut {number}"


def test_calls_of_several_threads_are_put_together_in_the_order_of_their_end() -> None:
    trace = ['7 pwrite64(5<\\x2f\\x61>, "\\x61\\x62", 2, 0 <unfinished ...>', "8 fsync(6<\\x2f\\x62>) = 0",
             "7 <... pwrite64 resumed>) = 2"]
    assert list(calls(trace)) == [Call("fsync", "6<\\x2f\\x62>", 0),
                                  Call("pwrite64", '5<\\x2f\\x61>, "\\x61\\x62", 2, 0', 2)]


def test_what_was_not_synced_may_be_there_or_not_and_what_was_is() -> None:
    import random

    file = File(bytearray(b"old"), [(0, b"new"), (3, b"er")])
    seen = {file.after_cut(random.Random(n)) for n in range(200)}
    assert {b"old", b"new", b"newer", b"older"} <= seen
    file.sync()
    assert {file.after_cut(random.Random(n)) for n in range(50)} == {b"newer"}
