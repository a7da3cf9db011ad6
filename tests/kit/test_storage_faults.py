"""Full, read-only and failing disks, mounted for the test: hub and unit say which, lose nothing, and go on unaided."""

import json
import os
import re
import ssl
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from kit import Kit, Table, wait_until
from patience import GUARD_S
from roundtap.main import main
from roundtap_hub.http.tls import https_port
from small_disk import CardImage, SmallDisk, own_mounts
from test_power_cuts import one_entry_for_each_press, take_seats

BROKEN: dict[str, tuple[Any, Callable[[Any], object], Callable[[Any], object], str]] = {
    "full": (SmallDisk, SmallDisk.fill, SmallDisk.make_room, "card is full"),
    "read-only": (SmallDisk, SmallDisk.lock, SmallDisk.unlock, "card is read-only"),
    "failing": (
        CardImage,
        CardImage.breaks,
        lambda card: (wait_until(card.take_out, "the card to be free"), card.put_in()),
        "memory card is failing",
    ),
}

UNIT_WORDS = {"full": "CARD FULL", "read-only": "CARD LOCKED", "failing": "CARD FAILING"}


@pytest.fixture(autouse=True)
def _mounts() -> Iterator[None]:
    with own_mounts():
        yield


class Evening:
    """A kit whose hub, or whose table's unit, has a disk of its own; `log`: everything that both said."""

    def __init__(self, folder: Path, disk: SmallDisk | CardImage) -> None:
        self.disk = disk
        self.log_file = folder / "log"
        self._log = open(self.log_file, "ab")  # noqa: SIM115
        self.kit = Kit(folder)
        # The kit's own files are there for good, whatever becomes of the disk.
        os.sync()

    def launch_hub(self) -> None:
        self.kit.launch_hub(stderr=self._log)

    @property
    def log(self) -> str:
        return self.log_file.read_text()

    def hub_says(self, path: str = "/", language: str = "en") -> tuple[int, str]:
        request = urllib.request.Request(self.kit.url + path, headers={"Accept-Language": language})
        try:
            with urllib.request.urlopen(request, timeout=GUARD_S) as answer:
                return answer.status, answer.read().decode()
        except urllib.error.HTTPError as refused:
            return refused.code, refused.read().decode()
        except OSError:
            return 0, ""

    def wait_for_fault(self, fault: str) -> None:
        wait_until(
            lambda: (
                self.hub_says("/device/challenge")
                == (503, json.dumps({"error": "the hub is not ready", "storage": fault}, separators=(",", ":")))
            ),
            f"the hub to wait: {fault}",
        )

    def wait_for_hub(self) -> None:
        wait_until(lambda: self.hub_says("/time")[0] == 200, "the hub to go on by itself")

    def no_traceback(self) -> None:
        assert "Traceback" not in self.log, self.log

    def close(self) -> None:
        self.kit.stop()
        self._log.close()


@pytest.fixture
def evening(tmp_path: Path) -> Iterator[Callable[[str, type], Evening]]:
    """`evening(part, kind)`: the folder `part` of the kit ("hub", "unit-1") is on a disk of this kind."""
    begun: list[Evening] = []

    def begin(part: str, kind: type) -> Evening:
        disk = SmallDisk(tmp_path / part) if kind is SmallDisk else CardImage(tmp_path / part, tmp_path / "card.img")
        begun.append(Evening(tmp_path, disk))
        return begun[-1]

    yield begin
    for each in begun:
        each.close()


@pytest.mark.parametrize("fault", BROKEN)
def test_a_hub_that_cannot_start_says_why_and_starts_once_it_can(
    evening: Callable[[str, type], Evening], fault: str, capsys: pytest.CaptureFixture[str]
) -> None:
    kind, break_it, mend_it, words = BROKEN[fault]
    hall = evening("hub", kind)
    hall.kit.secure = ()
    hall.launch_hub()
    hall.wait_for_hub()
    table = hall.kit.start_table()
    take_seats(table)
    hall.kit.stop_hub()

    break_it(hall.disk)
    before = _files(hall.kit.hub_folder) if fault != "failing" else None
    hall.launch_hub()
    hall.wait_for_fault(fault)
    process = hall.kit.hub.pid
    for path in ("/", "/console", "/wall", "/e/nothing"):
        status, page = hall.hub_says(path)
        assert status == 503
        assert words in page
        assert str(hall.kit.hub_folder) not in page
    assert hall.hub_says("/", "de")[1] != hall.hub_says("/", "en")[1]
    if fault != "failing":
        assert "<h1>" in _over_tls(hall.kit.port), "the certificate can be read"
        assert _files(hall.kit.hub_folder) == before, "and nothing of the journal is touched"
    assert main(["journal", "verify", "--data", str(hall.kit.hub_folder)]) == 3
    table.tap("a", "a")

    mend_it(hall.disk)
    hall.wait_for_hub()
    assert hall.kit.hub.poll() is None
    assert hall.kit.hub.pid == process
    table.wait_for("yes")
    table.tap("b")
    table.wait_for("SAVED")
    one_entry_for_each_press(hall.kit)
    hall.no_traceback()
    assert hall.log.count("roundtap hub: The disk of") == 1
    assert main(["journal", "verify", "--data", str(hall.kit.hub_folder)]) == 0


def test_a_hub_whose_disk_fills_up_in_mid_round_goes_on_when_there_is_room(
    evening: Callable[[str, type], Evening],
) -> None:
    hall = evening("hub", SmallDisk)
    table = _in_mid_round(hall)
    hall.disk.fill()  # type: ignore[union-attr]
    table.tap("a", "a")
    wait_until(lambda: "was not saved" in hall.log, "the hub's disk to refuse")
    assert hall.hub_says("/wall")[0] == 200, "it shows what it has"
    assert table.times_shown("SAVED") == 0

    hall.disk.make_room()  # type: ignore[union-attr]
    _both_agree(hall, table)


def test_a_hub_whose_disk_fails_in_mid_round_reads_its_journal_again_in_a_new_process(
    evening: Callable[[str, type], Evening],
) -> None:
    hall = evening("hub", CardImage)
    table = _in_mid_round(hall)
    table.tap("a", "a")
    table.wait_for("yes")
    # A sync under way when ext4 is shut down may return without an error and without its data: Linux, not the hub.
    wait_until(lambda: len(hall.kit.reports()) == 1, "the first report to be on the disk")
    hall.disk.breaks()  # type: ignore[union-attr]
    table.tap("b")
    hall.wait_for_fault("failing")
    assert "is opened again by a new process" in hall.log
    assert table.times_shown("SAVED") == 0

    wait_until(hall.disk.take_out, "nobody to have a file open there")  # type: ignore[union-attr]
    hall.disk.put_in()  # type: ignore[union-attr]
    hall.wait_for_hub()
    table.wait_for("SAVED")
    one_entry_for_each_press(hall.kit)
    hall.no_traceback()


def test_a_hub_whose_card_locks_itself_in_mid_round_loses_nothing(evening: Callable[[str, type], Evening]) -> None:
    hall = evening("hub", CardImage)
    table = _in_mid_round(hall)
    hall.disk.locks_itself()  # type: ignore[union-attr]
    table.tap("a", "a")
    wait_until(lambda: "read-only" in hall.log or "was not saved" in hall.log, "the card to refuse")
    assert table.times_shown("SAVED") == 0
    hall.kit.stop_hub()
    wait_until(hall.disk.take_out, "nobody to have a file open there")  # type: ignore[union-attr]
    hall.disk.put_in()  # type: ignore[union-attr]
    hall.launch_hub()
    _both_agree(hall, table)


# How each fault is told is seen in mid-round as well.
@pytest.mark.parametrize(
    "fault", [pytest.param(fault, marks=() if fault == "full" else pytest.mark.long) for fault in BROKEN]
)
def test_a_unit_that_starts_on_such_a_card_says_which_and_takes_results_once_it_can(
    evening: Callable[[str, type], Evening], fault: str
) -> None:
    kind, break_it, mend_it, _ = BROKEN[fault]
    hall = evening("unit-1", kind)
    hall.launch_hub()
    hall.wait_for_hub()
    break_it(hall.disk)
    table = hall.kit.start_table(stderr=hall._log)
    table.wait_for(UNIT_WORDS[fault])
    mend_it(hall.disk)
    table.wait_for("press")
    take_seats(table)
    table.tap("a", "a")
    _both_agree(hall, table)


@pytest.mark.parametrize(("fault", "kind"), [("full", SmallDisk), ("read-only", CardImage), ("failing", CardImage)])
def test_a_unit_whose_card_fails_in_mid_round_says_which_and_goes_on(
    evening: Callable[[str, type], Evening], fault: str, kind: type
) -> None:
    hall = evening("unit-1", kind)
    table = _in_mid_round(hall)
    table.tap("a", "a")
    table.wait_for("yes")
    if isinstance(hall.disk, SmallDisk):
        hall.disk.fill()
    elif fault == "failing":
        hall.disk.breaks()
    else:
        hall.disk.locks_itself()
    table.tap("b")
    table.wait_for(UNIT_WORDS[fault])
    if isinstance(hall.disk, SmallDisk):
        hall.disk.make_room()
    else:
        wait_until(hall.disk.take_out, "the card to be free")
        hall.disk.put_in()
    if "yes" in wait_until(lambda: re.search("yes|SAVED", table.text), "the screen to go on")[0]:
        # The page about the card came before the press, which then counted for nothing.
        table.tap("b")
    table.wait_for("SAVED")
    one_entry_for_each_press(hall.kit)
    hall.no_traceback()


def _in_mid_round(hall: Evening) -> Table:
    hall.launch_hub()
    hall.wait_for_hub()
    table = hall.kit.start_table(stderr=hall._log)
    take_seats(table)
    return table


def _both_agree(hall: Evening, table: Table) -> None:
    hall.wait_for_hub()
    table.wait_for("yes")
    table.tap("b")
    table.wait_for("SAVED")
    one_entry_for_each_press(hall.kit)
    hall.no_traceback()


def _files(folder: Path) -> dict[str, bytes]:
    """What the hub has on its disk; SQLite's shared memory is no part of the journal."""
    return {
        str(path): path.read_bytes()
        for path in folder.rglob("roundtap.*")
        if path.is_file() and path.suffix not in (".db-shm", ".db-wal")
    }


def _over_tls(port: int) -> str:
    trusting = ssl._create_unverified_context()
    with pytest.raises(urllib.error.HTTPError) as caught:
        urllib.request.urlopen(f"https://127.0.0.1:{https_port(port)}/", timeout=GUARD_S, context=trusting)
    return caught.value.read().decode()
