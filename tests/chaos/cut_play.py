"""A short event whose hub and one unit run under strace, and what is left of their folders after cuts of the power."""

import random
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

from block_cuts import ACCEPTED, CALLS, REPORT, Call, Disk, calls, write_out
from campaign import PATIENCE_S, Organizer
from people import Memory, Pair
from unit_kit import Lone

from kit import Kit, wait_until
from roundtap_hub.app.main import open_folder
from roundtap_units.link.outbox import Outbox

Cut = tuple[dict[str, bytes], list[str]]
"""Files by name as they are found, and ids of the reports that were promised."""


def under_strace(trace: Path) -> tuple[str, ...]:
    return (
        "strace",
        "-f",
        "--seccomp-bpf",
        "-y",
        "-xx",
        "-s",
        "300000",
        "-e",
        f"trace={CALLS}",
        "-e",
        "signal=none",
        "-o",
        str(trace),
    )


class Recorded:
    """What a hub and table 1 did to their disks while two tables played a round."""

    def __init__(self, folder: Path, seed: int) -> None:
        self.hub_before, self.unit_before = folder / "hub-before", folder / "unit-before"
        self._folder = folder
        self.kit = Kit(folder, tables=2)
        shutil.copytree(self.kit.hub_folder, self.hub_before)
        self.unit_before.mkdir()
        kit = self.kit
        try:
            kit.start_hub(wrapper=under_strace(folder / "hub.trace"))
            memories = [Memory(), Memory()]
            kit.start_table(1, wrapper=under_strace(folder / "unit.trace"))
            kit.start_table(2)
            kit.pairs = {n: Pair(kit.tables[n], seed, memory) for n, memory in enumerate(memories, start=1)}
            pairs, organizer = kit.pairs.values(), Organizer(kit)
            for pair in pairs:
                pair.start()

            def all_saved() -> bool:
                organizer.judge()
                return all(pair.saved for pair in pairs)

            # A judge comes to who has called one: it is drawn from the names whether they do.
            wait_until(all_saved, "both tables to be done", PATIENCE_S)
            for pair in pairs:
                pair.stop()
            for traced in (kit.hub, kit.units[1]):
                _end(traced)
        finally:
            kit.stop()

    def hub_calls(self) -> list[Call]:
        return list(calls((self._folder / "hub.trace").read_text().splitlines()))

    def unit_calls(self) -> list[Call]:
        return list(calls((self._folder / "unit.trace").read_text().splitlines()))

    def hub_cuts(self, chance: random.Random) -> Iterator[Cut]:
        """Files left after a cut at each write, and what the hub had promised until then."""
        disk = Disk(self.hub_before, ACCEPTED, str(self.kit.hub_folder))
        yield from cuts_of(disk, self.hub_calls(), chance)

    def unit_cuts(self, chance: random.Random) -> Iterator[Cut]:
        """The same for the unit's folder: what it had sent."""
        disk = Disk(self.unit_before, REPORT, str(self._folder / "unit-1"))
        yield from cuts_of(disk, self.unit_calls(), chance)


def _end(traced: subprocess.Popen[bytes]) -> None:
    """As when the test ends: the process does, and then strace, which would leave it behind where it is killed."""
    traced.stdin.close()
    traced.wait(PATIENCE_S)


def cuts_of(disk: Disk, done: list[Call], chance: random.Random) -> Iterator[Cut]:
    """What is left after a cut at each of these calls."""
    for call in done:
        before = len(disk.promised)
        if disk.take(call) or len(disk.promised) > before:
            yield disk.left(chance), list(disk.promised)


def lost_at_hub(files: dict[str, bytes], promised: list[str], folder: Path, event: str) -> list[str]:
    """Promised reports that a hub started on what is left does not know; it must start."""
    write_out(files, folder)
    with closing(open_folder(folder, lambda _: None)) as opened:
        known = opened.service.snapshot.events[event].fates
        return [report for report in promised if report not in known]


def shown_at_unit(files: dict[str, bytes], folder: Path) -> str:
    """What kind of screen a table shows that is started on what is left, and hears no hub."""
    write_out(files, folder)
    unit = Lone(folder)
    unit.outbox.close()
    return str(unit.unit.scene.kind)


def lost_at_unit(files: dict[str, bytes], promised: list[str], folder: Path) -> list[str]:
    """Reports that were sent and are not in the outbox of a unit started on what is left."""
    write_out(files, folder)
    with closing(Outbox(folder / "outbox.jsonl")) as outbox:
        kept = {report.id for report in outbox.all()}
    return [report for report in promised if report not in kept]
