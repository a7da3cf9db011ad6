"""The power goes at any write: what the hub has promised is there, and it starts; so with a unit. Needs strace."""

import random
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing
from pathlib import Path

import pytest
import stick_play
from block_cuts import ACCEPTED, Call, Disk, File, calls, write_out
from cut_play import Cut, Recorded, cuts_of, lost_at_hub, lost_at_unit, shown_at_unit, under_strace

from roundtap_hub.store.folder_copy import COPY_FILE, FolderCopy, read_copy

needs_strace = pytest.mark.skipif(shutil.which("strace") is None, reason="no strace (apt install strace)")


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Recorded:
    return Recorded(tmp_path_factory.mktemp("cut"), seed=3)


def tried(many: int, cuts: Callable[[random.Random], Iterable[Cut]], chance: random.Random) -> Iterator[Cut]:
    """So many cuts, each time with other writes that came through; few: any of them, and after the last write."""
    while many > 0:
        found = list(cuts(chance))
        if many < len(found):
            found = [*chance.sample(found[:-1], many - 1), found[-1]]
        many -= len(found)
        yield from found


@needs_strace
@pytest.mark.parametrize("many", [6, pytest.param(600, marks=pytest.mark.long)])
def test_a_hub_starts_after_every_cut_with_all_that_it_promised(
    recorded: Recorded, tmp_path: Path, many: int, chance: random.Random
) -> None:
    assert len(list(recorded.hub_cuts(chance))) > 40
    for number, (files, promised) in enumerate(tried(many, recorded.hub_cuts, chance)):
        (folder := tmp_path / str(number)).mkdir()
        assert lost_at_hub(files, promised, folder, recorded.kit.event) == [], f"cut {number}"
    assert len(promised) >= 4


@needs_strace
@pytest.mark.parametrize("many", [10, pytest.param(1000, marks=pytest.mark.long)])
def test_a_unit_keeps_after_every_cut_what_it_has_sent(
    recorded: Recorded, tmp_path: Path, many: int, chance: random.Random
) -> None:
    for number, (files, promised) in enumerate(tried(many, recorded.unit_cuts, chance)):
        (folder := tmp_path / str(number)).mkdir()
        assert lost_at_unit(files, promised, folder) == [], f"cut {number}"
    assert promised


@needs_strace
@pytest.mark.parametrize("many", [10, pytest.param(600, marks=pytest.mark.long)])
def test_once_both_have_agreed_no_cut_makes_their_table_ask_again(
    recorded: Recorded, tmp_path: Path, many: int, chance: random.Random
) -> None:
    """Without a hub: it shows SAVED, or that it asks the hub."""
    whole = set(list(recorded.unit_cuts(chance))[-1][1])

    def agreed(chance: random.Random) -> Iterator[Cut]:
        return (cut for cut in recorded.unit_cuts(chance) if set(cut[1]) == whole)

    assert len(list(agreed(chance))) > 5
    for number, (files, _) in enumerate(tried(many, agreed, chance)):
        (folder := tmp_path / str(number)).mkdir()
        assert shown_at_unit(files, folder) in ("sending", "saved", "done"), f"cut {number}"


@needs_strace
@pytest.mark.parametrize("many", [40, pytest.param(1000, marks=pytest.mark.long)])
def test_a_stick_that_was_pulled_at_any_write_holds_all_that_was_promised_and_nobody_who_was_forgotten(
    tmp_path: Path, many: int, chance: random.Random
) -> None:
    (stick := tmp_path / "stick").mkdir()
    (before := tmp_path / "before").mkdir()
    trace = tmp_path / "trace"
    subprocess.run([*under_strace(trace), sys.executable, stick_play.__file__, str(stick)], check=True)
    done, made = list(calls(trace.read_text().splitlines())), list(stick_play.commits())

    def cuts(chance: random.Random) -> Iterator[Cut]:
        return cuts_of(Disk(before, ACCEPTED, str(stick)), done, chance)

    assert len(list(cuts(chance))) > 2 * len(made)
    for number, (files, promised) in enumerate(tried(many, cuts, chance)):
        (folder := tmp_path / str(number)).mkdir()
        write_out(files, folder)
        held = read_copy(folder / COPY_FILE)
        heads = held.heads if held is not None else {}
        assert held is None or not held.damaged, f"cut {number}"
        assert promised == [stick_play.promise(batch) for batch in made[: len(promised)]]
        for batch in made[: len(promised)]:
            assert all(entry.number <= heads[entry.stream].number for entry in batch.entries), f"cut {number}"
        text = (folder / COPY_FILE).read_text(errors="replace") if held is not None else ""
        said = [entry.kind for batch in made[: len(promised)] for entry in batch.entries]
        assert "competitor-removed" not in said or "-".join(stick_play.TAKEN_OUT) not in text, f"cut {number}"
        assert "event-deleted" not in said or f"{stick_play.DELETED}-p" not in text, f"cut {number}"
        # The next hub goes on with it: nobody is left there either whose row was to go.
        with closing(FolderCopy(folder, folder, same_disk=True)) as copy:
            assert copy.open("our line", "epoch") == heads
        after = read_copy(folder / COPY_FILE)
        assert (after.heads, after.forgotten) == (heads, set())
    assert len(promised) == len(made)


def test_calls_of_several_threads_are_put_together_in_the_order_of_their_end() -> None:
    trace = [
        '7 pwrite64(5<\\x2f\\x61>, "\\x61\\x62", 2, 0 <unfinished ...>',
        "8 fsync(6<\\x2f\\x62>) = 0",
        "7 <... pwrite64 resumed>) = 2",
    ]
    assert list(calls(trace)) == [
        Call("fsync", "6<\\x2f\\x62>", 0),
        Call("pwrite64", '5<\\x2f\\x61>, "\\x61\\x62", 2, 0', 2),
    ]


def test_what_was_not_synced_may_be_there_or_not_and_what_was_is() -> None:
    file = File(bytearray(b"old"), [(0, b"new"), (3, b"er")])
    seen = {file.after_cut(random.Random(n)) for n in range(200)}
    assert {b"old", b"new", b"newer", b"older"} <= seen
    file.sync()
    assert {file.after_cut(random.Random(n)) for n in range(50)} == {b"newer"}
